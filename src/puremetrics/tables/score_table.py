"""`ScoreTable`: sorted distinct scores with counts, the one input of every estimator.

A table is built without sorting labels along with scores: the rows are split by label, each kind is sorted by
itself, and rows or cumulative counts are derived when first asked for. Tied scores are one row and never
split, so nothing depends on the order of the input.

Between two neighbouring labelled scores the order of the unlabeled does not change any rank metric.
`ScoreTable.cut` merges each such run of unlabeled rows into one, which makes everything downstream cost
O(labelled) whatever the number of unlabeled rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_number
from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.exceptions import InputError, ScenarioError
from puremetrics.scenarios import (
    CASE_CONTROL,
    SINGLE_TRAINING_SET,
    Scenario,
    check_scenario,
)
from puremetrics.tables.clusters import Clusters
from puremetrics.tables.counted import CountedRows
from puremetrics.tables.deriving import (
    flipped_rows,
    merged_kinds,
    merged_rows,
    naive_kinds,
    naive_rows,
    recounted_rows,
    same_runs,
    tilted_rows,
    two_kinds,
    two_rows,
)
from puremetrics.tables.rows import (
    Rows,
    Runs,
    SortedKinds,
    check_totals,
    clusters_of_arrays,
    counted_rows,
    cut_kinds,
    cut_rows,
    kinds_of_arrays,
    sorted_kinds,
    weighted_rows,
)

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(CountedRows):
    """Counts of positive, unlabeled and negative rows at each distinct score of one model.

    Build it with `from_arrays`, `from_groups` or `from_counts`. The arrays are read-only.

    Attributes
    ----------
    score : ndarray of float64, shape (k,)
        Distinct scores, strictly decreasing. A threshold always means ``score >= threshold``.
    n_pos, n_unl, n_neg : ndarray, shape (k,)
        Labelled positives, unlabeled rows and known negatives at each score: integers, or floats
        when the rows are weighted.
    scenario : {"case_control", "single_training_set"}
        How the data arose; it decides what ``prior`` means.
    resolution : float
        0 when rows are exact distinct scores; larger when a reader had to bucket them. Areas then carry a
        bracket that contains the exact value, whatever the order inside the buckets.
    is_scanned : bool
        True if a reader has merged neighbouring scores. Labelled scores stay apart wherever they fit in
        memory, so rank metrics are exact; `centre` and `score_sums` serve what needs the scores.
    is_cut : bool
        True if runs of unlabeled rows between labelled scores have been merged into one row each.
        Rank metrics are then exact; whatever needs the scores themselves is not available.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1], scenario="case_control"
    ... )
    >>> print(table)
    5 rows → 4 distinct scores: 2 positive, 0 negative, 3 unlabeled, case_control
    >>> table.score
    array([0.9, 0.8, 0.7, 0.1])
    >>> table.n_unl
    array([0, 1, 1, 1])
    """

    # ---------------------------------------------------------------- building

    @classmethod
    def from_arrays(
        cls,
        y: Any,
        score: Any,
        *,
        scenario: Scenario | None = None,
        sample_weight: Any = None,
        propensity: Any = None,
        groups: Any = None,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> ScoreTable:
        """Build a table from one label and one score per row.

        Parameters
        ----------
        y : array-like, shape (n,)
            Labels of any type; a pandas, polars or Arrow column is fine.
        score : array-like, shape (n,)
            Finite scores; higher means more likely positive.
        scenario : {"case_control", "single_training_set"}
            How the data arose. It must be given: leaving it out raises an error that explains both.
        sample_weight : array-like, shape (n,), optional
            Non-negative weights: each row stands for that many rows of its kind. Intervals treat
            weights as sampling weights, not as repetitions.
        propensity : array-like, shape (n,), optional
            Chance of each labelled positive to be labelled, above 0 and up to 1; values of other rows are not
            read. Labelled rows then stand for all positives in proportion to 1 / propensity
            (Hájek's ratio, so only ratios of propensities matter), in both scenarios; among all rows of
            a single training set each still counts once. `estimate_propensity` models it.
            Naive results take labels for the truth and leave propensities out.
        groups : array-like, shape (n,), optional
            Names of the groups that rows belong to, such as patients or users: numbers or text. Rows of one
            group may be alike in any way, those of different groups are independent. Values stay the same;
            intervals are those of sums over groups.
        pos_label, unlabeled_label, neg_label : scalar
            Values in ``y`` that mark the kinds. ``unlabeled_label=None`` means missing values;
            ``neg_label=None`` means that there are no known negatives.

        Notes
        -----
        Costs about 1.4 times ``np.sort(score)``; the input is neither copied whole nor changed.
        """
        scenario = check_scenario(scenario)
        labels = (pos_label, unlabeled_label, neg_label)
        if sample_weight is None and propensity is None:
            table = cls(scenario, 0.0, False, kinds_of_arrays(y, score, *labels), None)
        else:
            rows = weighted_rows(y, score, sample_weight, propensity, *labels)
            table = cls(scenario, 0.0, False, None, rows)
        if groups is None:
            return table
        found = clusters_of_arrays(
            y, score, groups, table.labelled_scores(), sample_weight, propensity, *labels
        )
        return replace(table, clusters=found)

    @classmethod
    def from_groups(
        cls,
        *,
        positive: Any,
        unlabeled: Any,
        negative: Any = None,
        scenario: Scenario | None = None,
    ) -> ScoreTable:
        """Build a table from the scores of each kind of rows.

        >>> print(ScoreTable.from_groups(
        ...     positive=[3, 2], unlabeled=[2.5, 1, 0], scenario="single_training_set"
        ... ))
        5 rows → 5 distinct scores: 2 positive, 0 negative, 3 unlabeled, single_training_set
        """
        scenario = check_scenario(scenario)
        return cls(scenario, 0.0, False, sorted_kinds(positive, unlabeled, negative), None)

    @classmethod
    def from_counts(
        cls,
        score: Any,
        *,
        n_pos: Any,
        n_unl: Any,
        n_neg: Any = None,
        scenario: Scenario | None = None,
        resolution: float = 0.0,
    ) -> ScoreTable:
        """Build a table from counts per score, in any order; equal scores are added up.

        Fractional counts are taken at their word: as that many rows. With ``resolution`` above 0 every
        row is a bucket: the order of the positives and the other rows in it counts as unknown.

        >>> table = ScoreTable.from_counts(
        ...     [0.2, 0.8], n_pos=[1, 3], n_unl=[6, 2], scenario="case_control"
        ... )
        >>> table.n_pos
        array([3, 1])
        """
        scenario = check_scenario(scenario)
        if check_number(resolution, "resolution") < 0:
            raise InputError(f"resolution={resolution} is negative. Pass 0 for exact scores.")
        rows = counted_rows(score, n_pos, n_unl, n_neg)
        if resolution > 0:
            rows = rows._replace(runs=Runs.of(rows.pos > 0, None, None))
        return cls(scenario, float(resolution), False, None, rows)

    @classmethod
    def _scanned(cls, scenario: Scenario | None, rows: Rows) -> ScoreTable:
        """Build a table from the rows of a reader that merged scores between cuts."""
        scenario = check_scenario(scenario)
        check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), None, None)
        assert rows.runs is not None
        assert rows.runs.high is not None
        widths = (rows.runs.high - rows.score)[rows.runs.hidden]
        return cls(scenario, float(widths.max(initial=0.0)), False, None, rows)

    # ---------------------------------------------------------------- deriving

    def cut(self) -> ScoreTable:
        """Merge the unlabeled rows between two neighbouring labelled scores into one row.

        The merged row takes the lowest of its scores, so counts at or above it stay right. Every
        rank metric, curve and bound of the result equals that of the full table. The cost is
        O(labelled · log rows), and the result has at most 2 · labelled + 1 rows.

        >>> table = ScoreTable.from_groups(
        ...     positive=[5.0], unlabeled=[9, 8, 7, 2, 1], scenario="case_control"
        ... ).cut()
        >>> table.score, table.n_unl
        (array([7., 5., 1.]), array([3, 0, 2]))
        """
        return self._cut

    @cached_property
    def _cut(self) -> ScoreTable:
        if self.is_cut:
            return self
        rows = cut_rows(self._raw) if self._kinds is None else cut_kinds(self._kinds)
        return self.like(self.resolution, True, None, rows, self.clusters)

    def like(
        self,
        resolution: float,
        is_cut: bool,
        kinds: SortedKinds | None,
        rows: Rows | None,
        clusters: Clusters | None = None,
    ) -> ScoreTable:
        """Return a table of other rows from the same design."""
        return ScoreTable(self.scenario, resolution, is_cut, kinds, rows, clusters, self.known_rows)

    def of_known_rows(self) -> ScoreTable:
        """Return the table as one of which it is known how many of its rows are positive.

        Labelled rows and the others then are two samples also in a single training set (`scenarios`).
        """
        if self.known_rows or self.scenario == CASE_CONTROL.name or self.has_propensities:
            return self
        return self._of_known_rows

    @cached_property
    def _of_known_rows(self) -> ScoreTable:
        made = replace(self, known_rows=True)
        if "_raw" in self.__dict__:
            made.__dict__["_raw"] = self._raw  # the same rows
        return made

    def merge(self, other: ScoreTable) -> ScoreTable:
        """Return the table of both tables' rows together.

        Associative and commutative, and equal to building from the concatenation.
        """
        if not isinstance(other, ScoreTable):
            raise InputError(f"merge takes a ScoreTable, not {type(other).__name__}.")
        if self.scenario != other.scenario:
            raise ScenarioError(
                f"One table is {self.scenario!r}, the other {other.scenario!r}: their unlabeled "
                "rows stand for different populations and cannot be counted together. Build both with "
                "the same scenario."
            )
        if self.is_cut or other.is_cut:
            raise InputError("A cut table cannot be merged: merge first, then cut.")
        if self.is_scanned or other.is_scanned:
            raise InputError(
                "Scanned tables have different cuts and cannot be merged. Scan all files together."
            )
        if self.has_propensities != other.has_propensities:
            raise InputError(
                "Only one of the tables has propensities, so the chances of the labelled rows cannot be "
                "compared. Build both with propensity=…, or none."
            )
        if self.clusters is not None or other.clusters is not None:
            raise InputError(
                "A table does not keep the names of its groups, so it is unknown which groups both tables "
                "share. Build one table from all rows with groups=…."
            )
        resolution = max(self.resolution, other.resolution)
        if self._kinds is not None and other._kinds is not None:
            kinds = merged_kinds(self._kinds, other._kinds)
            return self.like(resolution, False, kinds, None)
        rows = merged_rows(self._raw, other._raw, buckets=resolution > 0)
        return self.like(resolution, False, None, rows)

    def flipped(self) -> ScoreTable:
        """Return the table of the negated scores."""
        rows = flipped_rows(self._raw, self.highest)
        turned = None if self.clusters is None else self.clusters.flipped()
        return self.like(self.resolution, self.is_cut, None, rows, turned)

    def tilted(self, factor: FloatArray) -> ScoreTable:
        """Return the table with each row's labelled positives weighted by a factor, as by a propensity."""
        rows = tilted_rows(self._raw, factor)
        return self.like(self.resolution, self.is_cut, None, rows)

    def with_propensities(self, inverse: tuple[FloatArray, FloatArray, FloatArray]) -> ScoreTable:
        """Return the table with sums over the labelled rows of inverse propensities, as `Rows` has them."""
        raw = self._raw
        rows = raw._replace(squares=raw.squares or (raw.pos, raw.unl, raw.neg), inverse=inverse)
        return self.like(self.resolution, self.is_cut, None, rows)

    def split_at(self, threshold: float) -> ScoreTable:
        """Return a table of two rows: all that reach a threshold, and the others."""
        if self._kinds is not None:
            heads = self.heads_at(threshold)
            columns = [np.array([h, t - h]) for h, t in zip(heads, self.totals, strict=True)]
        else:
            head = self.score >= threshold
            columns = [np.array([c[head].sum(), c[~head].sum()]) for c in self._raw.counts()]
        rows = Rows.of(np.array([threshold, np.nextafter(threshold, -np.inf)]), columns)
        return self.like(self.resolution, True, None, rows, self.clusters)

    def with_counts(
        self,
        n_pos: CountArray,
        n_unl: CountArray,
        n_neg: CountArray,
        *,
        inverse: tuple[FloatArray, FloatArray, FloatArray] | None = None,
    ) -> ScoreTable:
        """Return a table with the same scores and other counts, unchecked; for resampling.

        ``inverse`` are sums over the labelled rows of inverse propensities, of their squares, and the first
        again.
        """
        rows = recounted_rows(self._raw, (n_pos, n_unl, n_neg), self._sums_of_runs())
        if inverse is not None:
            rows = rows._replace(squares=(n_pos, n_unl, n_neg), inverse=inverse)
        return self.like(self.resolution, self.is_cut, None, rows)

    def unlabeled_as_negative(self, *, two_samples: bool = False) -> ScoreTable:
        """Return the fully labelled table of the naive reading: unlabeled rows count as negative.

        It is one sample, of which a share is positive; with ``two_samples`` the labelled rows and all
        others count as samples of their own.
        """
        scenario = (CASE_CONTROL if two_samples else SINGLE_TRAINING_SET).name
        known = None if self.clusters is None else self.clusters.unlabeled_as_negative()
        if self._kinds is not None:
            kinds = naive_kinds(self._kinds)
            return ScoreTable(scenario, self.resolution, self.is_cut, kinds, None, known)
        rows = naive_rows(self._raw, self._sums_of_runs())
        return ScoreTable(scenario, self.resolution, self.is_cut, None, rows, known)

    def labelled_and_unlabeled(self) -> ScoreTable:
        """Return the labelled and the unlabeled rows as two samples; known negatives are left out."""
        kinds = None if self._kinds is None else two_kinds(self._kinds)
        rows = two_rows(self._raw) if kinds is None else None
        if rows is not None and self.is_cut:  # known negatives had cut it, too
            rows = cut_rows(rows)
        return ScoreTable(CASE_CONTROL.name, self.resolution, self.is_cut, kinds, rows)

    def equals(self, other: ScoreTable) -> bool:
        """Whether both tables have the same rows, counts and scenario."""
        if not isinstance(other, ScoreTable):
            return False
        return (
            (self.scenario, self.resolution, self.is_cut, self.weighted, self.has_propensities)
            == (
                other.scenario,
                other.resolution,
                other.is_cut,
                other.weighted,
                other.has_propensities,
            )
            and np.array_equal(self.score, other.score)
            and all(
                np.array_equal(a, b)
                for a, b in zip(self._raw.counts(), other._raw.counts(), strict=True)
            )
            and same_runs(self._raw.runs, other._raw.runs)
        )

    # ---------------------------------------------------------------- showing

    def __str__(self) -> str:
        total = "weighted rows" if self._raw.pos.dtype.kind == "f" and self.weighted else "rows"
        distinct = "rows, cut at the labelled scores" if self.is_cut else "distinct scores"
        if self.hidden is not None:
            distinct = f"buckets up to {self.resolution:.3g} wide"
        elif self.is_scanned:
            distinct = "merged rows"
        return (
            f"{_grouped(self.total)} {total} → {_grouped(self.score.size)} {distinct}: "
            f"{_grouped(self.total_pos)} positive, {_grouped(self.total_neg)} negative, "
            f"{_grouped(self.total_unl)} unlabeled, {self.scenario}"
            f"{', with propensities' if self.has_propensities else ''}"
            f"{'' if self.clusters is None else f', in {_grouped(self.clusters.number)} groups'}"
        )

    def __repr__(self) -> str:
        return f"<ScoreTable: {self}>"


def _grouped(number: float) -> str:
    """Format with commas between thousands."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"
