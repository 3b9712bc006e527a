"""`ScoreTable`: sorted distinct scores with counts, the one input of every estimator.

A table is built without sorting labels along with scores: the rows are split by label, each group
is sorted by itself, and rows or cumulative counts are derived when first asked for. Tied scores
are one row and never split, so nothing depends on the order of the input.

Between two neighbouring labelled scores the order of the unlabeled does not change any rank metric.
`ScoreTable.cut` merges each such run of unlabeled rows into one, which makes everything downstream
cost O(labelled) whatever the number of unlabeled rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics._rows import (
    Groups,
    Rows,
    Runs,
    combine,
    cut_groups,
    cut_rows,
    drop_empty,
    merge_sorted,
    rows_of_groups,
)
from puremetrics._validation import (
    BoolArray,
    CountArray,
    FloatArray,
    Scenario,
    as_counts,
    as_scores,
    as_weights,
    check_number,
    check_same_length,
    check_scenario,
    label_masks,
    raise_not_finite,
)
from puremetrics.exceptions import InputError, LabelError, ScenarioError, WeightError

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
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
        True if a reader has merged scores between cuts. Labelled scores stay apart wherever they fit in
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

    scenario: Scenario
    resolution: float
    is_cut: bool
    _groups: Groups | None
    _given: Rows | None

    # ---------------------------------------------------------------- building

    @classmethod
    def from_arrays(
        cls,
        y: Any,
        score: Any,
        *,
        scenario: Scenario | None = None,
        sample_weight: Any = None,
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
            Non-negative weights: each row stands for that many rows of its group. In
            ``case_control``, weight positives by the inverse of their labelling propensity to undo
            biased labelling. Intervals treat weights as sampling weights, not as repetitions.
        pos_label, unlabeled_label, neg_label : scalar
            Values in ``y`` that mark the groups. ``unlabeled_label=None`` means missing values;
            ``neg_label=None`` means that there are no known negatives.

        Notes
        -----
        Costs about 1.4 times ``np.sort(score)``; the input is neither copied whole nor changed.
        """
        scenario = check_scenario(scenario)
        scores = as_scores(score)
        positive, unlabeled, negative = label_masks(y, pos_label, unlabeled_label, neg_label)
        check_same_length(positive, scores, "y and score")
        masks = (positive, unlabeled, negative)
        if sample_weight is None:
            picked = [np.empty(0) if mask is None else scores[mask] for mask in masks]
            return cls._from_unsorted(picked, scenario, scores, (pos_label, unlabeled_label))
        weights = as_weights(sample_weight, scores.size)
        if not np.isfinite(scores).all():
            raise_not_finite(scores)
        columns = [
            np.where(mask, weights, 0.0) if mask is not None else 0 * weights for mask in masks
        ]
        columns += [column**2 for column in columns]
        rows = drop_empty(combine(scores, columns))
        _check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), pos_label, unlabeled_label)
        return cls(scenario, 0.0, False, None, rows)

    @classmethod
    def from_groups(
        cls,
        *,
        positive: Any,
        unlabeled: Any,
        negative: Any = None,
        scenario: Scenario | None = None,
    ) -> ScoreTable:
        """Build a table from the scores of each group.

        >>> print(ScoreTable.from_groups(
        ...     positive=[3, 2], unlabeled=[2.5, 1, 0], scenario="single_training_set"
        ... ))
        5 rows → 5 distinct scores: 2 positive, 0 negative, 3 unlabeled, single_training_set
        """
        scenario = check_scenario(scenario)
        given = (("positive", positive), ("unlabeled", unlabeled), ("negative", negative))
        picked = []
        for name, values in given:
            scores = as_scores([] if values is None else values, name)
            if not np.isfinite(scores).all():
                raise_not_finite(scores, name)
            picked.append(scores.copy())
        return cls._from_unsorted(picked, scenario, None, None)

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
        scores = as_scores(score)
        if not np.isfinite(scores).all():
            raise_not_finite(scores)
        if check_number(resolution, "resolution") < 0:
            raise InputError(f"resolution={resolution} is negative. Pass 0 for exact scores.")
        zeros = np.zeros(scores.size)
        given = (("n_pos", n_pos), ("n_unl", n_unl), ("n_neg", zeros if n_neg is None else n_neg))
        columns = [as_counts(values, scores.size, name) for name, values in given]
        if any(column.dtype.kind == "f" for column in columns):
            columns = [column.astype(np.float64) for column in columns]
        if sum(float(np.sum(column, dtype=np.float64)) for column in columns) > 2**53:
            raise WeightError(
                "The counts add up to more than 2**53, which floats cannot hold exactly. Pass smaller "
                "ones, such as every count divided by 1000."
            )
        rows = drop_empty(combine(scores, columns))
        _check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), None, None)
        if resolution > 0:
            rows = rows._replace(runs=Runs.of(rows.pos > 0, None, None))
        return cls(scenario, float(resolution), False, None, rows)

    @classmethod
    def _scanned(cls, scenario: Scenario | None, rows: Rows) -> ScoreTable:
        """Build a table from the rows of a reader that merged scores between cuts."""
        scenario = check_scenario(scenario)
        _check_totals(rows.pos.sum(), rows.unl.sum() + rows.neg.sum(), None, None)
        assert rows.runs is not None
        assert rows.runs.high is not None
        widths = (rows.runs.high - rows.score)[rows.runs.hidden]
        return cls(scenario, float(widths.max(initial=0.0)), False, None, rows)

    @classmethod
    def _from_unsorted(
        cls,
        picked: list[FloatArray],
        scenario: Scenario,
        original: FloatArray | None,
        labels: tuple[Any, Any] | None,
    ) -> ScoreTable:
        """Sort freshly made copies in place; non-finite scores end up at the ends."""
        pos, unl, neg = picked
        for group in picked:
            group.sort()
            if group.size and not (np.isfinite(group[0]) and np.isfinite(group[-1])):
                raise_not_finite(group if original is None else original)
            first, last = (np.searchsorted(group, 0.0, side=side) for side in ("left", "right"))
            group[first:last] = 0.0  # turns -0.0 into 0.0, so that both print alike
            group.flags.writeable = False
        _check_totals(pos.size, unl.size + neg.size, *(labels or (None, None)))
        return cls(scenario, 0.0, False, Groups(pos, unl, neg), None)

    # ---------------------------------------------------------------- rows

    @cached_property
    def _rows(self) -> Rows:
        if self._given is not None:
            return self._given
        assert self._groups is not None
        return rows_of_groups(self._groups)

    @property
    def score(self) -> FloatArray:
        """Distinct scores, strictly decreasing."""
        return self._rows.score

    @property
    def n_pos(self) -> CountArray:
        """Labelled positives at each score."""
        return self._rows.pos

    @property
    def n_unl(self) -> CountArray:
        """Unlabeled rows at each score."""
        return self._rows.unl

    @property
    def n_neg(self) -> CountArray:
        """Known negatives at each score."""
        return self._rows.neg

    @property
    def weighted(self) -> bool:
        """Whether rows carry sampling weights."""
        return self._given is not None and self._given.squares is not None

    @property
    def whole(self) -> bool:
        """Whether every count is a whole number of rows."""
        return self._given is None or (not self.weighted and self._given.pos.dtype.kind == "i")

    @property
    def is_scanned(self) -> bool:
        """Whether rows stand for all scores between two cuts of a reader."""
        return (
            self._given is not None
            and self._given.runs is not None
            and self._given.runs.high is not None
            and not self.is_cut
        )

    @property
    def hidden(self) -> BoolArray | None:
        """Which rows hold positives in unknown order; None if no row does."""
        runs = None if self._given is None else self._given.runs
        return runs.hidden if runs is not None and runs.hidden.any() else None

    @property
    def highest(self) -> FloatArray:
        """The highest score of each row: its score, unless a reader has merged several."""
        runs = None if self._given is None else self._given.runs
        return self.score if runs is None or runs.high is None else runs.high

    @property
    def knows_sums(self) -> bool:
        """Whether the sums of the scores of every row are known."""
        if self._given is None or self._given.runs is None:
            return not self.is_cut
        return self._given.runs.sums is not None

    def score_sums(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sums of the (weighted) scores of the three groups in each row."""
        at_score = [column * self.score for column in (self.n_pos, self.n_unl, self.n_neg)]
        if self._given is not None and self._given.runs is not None and self._given.runs.sums:
            sums = self._given.runs.sums
            if len(sums) == 3:
                return sums[0], sums[1], sums[2]
            at_score[1] = sums[0]  # labelled rows have scores of their own
        return at_score[0], at_score[1], at_score[2]

    @cached_property
    def centre(self) -> FloatArray:
        """The mean score of each row: its score, unless a reader has merged several."""
        if self._given is None or self._given.runs is None or not self._given.runs.sums:
            return self.score
        size = self.n_pos + self.n_unl + self.n_neg
        middle = self.score + (self.highest - self.score) / 2  # of rows that a resample left empty
        mean = np.divide(sum(self.score_sums()), size, out=middle, where=size > 0)
        return np.where(self.highest > self.score, mean, self.score)

    def squared_weights(self) -> tuple[CountArray, CountArray, CountArray]:
        """Sums of squared weights per row of each group; the counts themselves if unweighted."""
        rows = self._rows
        return rows.squares if rows.squares is not None else (rows.pos, rows.unl, rows.neg)

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Total (weighted) numbers of positive, unlabeled and negative rows."""
        if self._groups is not None:
            pos, unl, neg = (float(group.size) for group in self._groups)
            return pos, unl, neg
        rows = self._rows
        return float(rows.pos.sum()), float(rows.unl.sum()), float(rows.neg.sum())

    @property
    def total_pos(self) -> float:
        """Number of labelled positives."""
        return self.totals[0]

    @property
    def total_unl(self) -> float:
        """Number of unlabeled rows."""
        return self.totals[1]

    @property
    def total_neg(self) -> float:
        """Number of known negatives."""
        return self.totals[2]

    @property
    def total(self) -> float:
        """Number of all rows."""
        return sum(self.totals)

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
        rows = cut_rows(self._rows) if self._groups is None else cut_groups(self._groups)
        return ScoreTable(self.scenario, self.resolution, True, None, rows)

    def heads_at(self, threshold: float) -> tuple[float, float, float]:
        """Positive, unlabeled and negative rows with ``score >= threshold``, without making rows.

        >>> table = ScoreTable.from_groups(
        ...     positive=[5.0], unlabeled=[9, 8, 7, 2, 1], scenario="case_control")
        >>> table.heads_at(5)
        (1.0, 3.0, 0.0)
        """
        if self._groups is not None:
            pos, unl, neg = (
                float(group.size - np.searchsorted(group, threshold, side="left"))
                for group in self._groups
            )
        else:
            last = int(np.searchsorted(-self.score, -threshold, side="right"))
            pos, unl, neg = (
                float(column[:last].sum()) for column in (self.n_pos, self.n_unl, self.n_neg)
            )
        return pos, unl, neg

    def heads_around(
        self, threshold: float
    ) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Fewest and most rows with ``score >= threshold``.

        They differ only where a reader has merged scores on both sides of the threshold into one row.
        """
        least = self.heads_at(threshold)
        if not self.is_scanned:
            return least, least
        last = int(np.searchsorted(-self.score, -threshold, side="right"))
        if last >= self.score.size or self.highest[last] < threshold:
            return least, least
        pos, unl, neg = (float(column[last]) for column in (self.n_pos, self.n_unl, self.n_neg))
        return least, (least[0] + pos, least[1] + unl, least[2] + neg)

    def unlabeled_steps(self, heads: CountArray) -> tuple[FloatArray, FloatArray]:
        """Operating points around heads of so many unlabeled rows.

        A head can only end between two different scores. Returns the largest number of unlabeled rows
        not above each given one, and the smallest not below it, at which a head can end.
        """
        if self._groups is not None:
            ascending = self._groups.unl
            size = ascending.size
            at = np.clip(size - np.asarray(heads, dtype=np.int64), 0, size - 1)
            above: Any = size - np.searchsorted(ascending, ascending[at], side="right")
            through: Any = size - np.searchsorted(ascending, ascending[at], side="left")
        else:
            ends = np.cumsum(self.n_unl)
            row = np.searchsorted(ends, heads, side="left")
            through = ends[np.minimum(row, ends.size - 1)]
            above = np.concatenate([[0], ends])[row]
        exact = through == heads
        return np.where(exact, heads, above).astype(np.float64), through.astype(np.float64)

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
        resolution = max(self.resolution, other.resolution)
        if self._groups is not None and other._groups is not None:
            groups = [merge_sorted(a, b) for a, b in zip(self._groups, other._groups, strict=True)]
            return ScoreTable(self.scenario, resolution, False, Groups(*groups), None)
        weighted = self.weighted or other.weighted
        parts = [table._columns(weighted) for table in (self, other)]
        columns = [np.concatenate(pair) for pair in zip(*parts, strict=True)]
        rows = combine(np.concatenate([self.score, other.score]), columns)
        if resolution > 0:
            rows = rows._replace(runs=Runs.of(rows.pos > 0, None, None))
        return ScoreTable(self.scenario, resolution, False, None, rows)

    def flipped(self) -> ScoreTable:
        """Return the table of the negated scores."""
        rows = self._rows
        columns = [column[::-1].copy() for column in rows.counts()]
        flipped = Rows.of(-self.highest[::-1] + 0.0, columns)
        if rows.runs is not None:
            hidden, high, _ = rows.runs
            runs = Runs.of(
                hidden[::-1].copy(),
                None if high is None else -rows.score[::-1] + 0.0,
                None,  # sums are of probabilities
            )
            flipped = flipped._replace(runs=runs)
        return ScoreTable(self.scenario, self.resolution, self.is_cut, None, flipped)

    def with_counts(self, n_pos: CountArray, n_unl: CountArray, n_neg: CountArray) -> ScoreTable:
        """Return a table with the same scores and other counts, unchecked; for resampling."""
        rows = Rows(self.score, n_pos, n_unl, n_neg, None)
        if self._given is not None and self._given.runs is not None:
            hidden, high, known = self._given.runs
            sums = None
            if known is not None:  # the redrawn rows of a run have its mean score
                groups = zip(
                    (n_pos, n_unl, n_neg), self.score_sums(), self._given.counts(), strict=False
                )
                sums = [new * old / np.maximum(count, 1) for new, old, count in groups]
            rows = rows._replace(runs=Runs.of(hidden, high, sums))
        return ScoreTable(self.scenario, self.resolution, self.is_cut, None, rows)

    def unlabeled_as_negative(self) -> ScoreTable:
        """Return the fully labelled table of the naive reading: unlabeled rows count as negative."""
        if self._groups is not None:
            pos, unl, neg = self._groups
            others = merge_sorted(unl, neg) if neg.size else unl
            groups = Groups(pos, np.empty(0), others)
            return ScoreTable("single_training_set", self.resolution, self.is_cut, groups, None)
        rows = self._rows
        columns = [rows.pos, 0 * rows.unl, rows.neg + rows.unl]
        if rows.squares is not None:
            pos, unl, neg = rows.squares
            columns += [pos, 0 * unl, neg + unl]
        naive = Rows.of(rows.score, columns)
        if rows.runs is not None:
            hidden, high, known = rows.runs
            sums = None
            if known is not None:
                pos, unl, neg = self.score_sums()
                sums = [pos, 0 * unl, unl + neg]
            naive = naive._replace(runs=Runs.of(hidden, high, sums))
        return ScoreTable("single_training_set", self.resolution, self.is_cut, None, naive)

    def equals(self, other: ScoreTable) -> bool:
        """Whether both tables have the same rows, counts and scenario."""
        if not isinstance(other, ScoreTable):
            return False
        return (
            (self.scenario, self.resolution, self.is_cut, self.weighted)
            == (other.scenario, other.resolution, other.is_cut, other.weighted)
            and np.array_equal(self.score, other.score)
            and all(
                np.array_equal(a, b)
                for a, b in zip(self._rows.counts(), other._rows.counts(), strict=True)
            )
            and _same_runs(self._rows.runs, other._rows.runs)
        )

    def _columns(self, weighted: bool) -> tuple[CountArray, ...]:
        rows = self._rows
        if weighted and rows.squares is None:
            return (*rows.counts(), rows.pos, rows.unl, rows.neg)
        return rows.counts()

    # ---------------------------------------------------------------- showing

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Freeze the arrays again: pickling does not keep them read-only."""
        own = ("scenario", "resolution", "is_cut", "_groups", "_given")
        self.__dict__.update({name: state[name] for name in own})
        for arrays in (self._groups or (), self._given.counts() if self._given else ()):
            for array in arrays:
                array.flags.writeable = False
        if self._given is not None:
            self._given.score.flags.writeable = False
            for array in () if self._given.runs is None else self._given.runs.arrays():
                array.flags.writeable = False

    def __str__(self) -> str:
        total = "weighted rows" if self.weighted else "rows"
        distinct = "rows, cut at the labelled scores" if self.is_cut else "distinct scores"
        if self.hidden is not None:
            distinct = f"buckets up to {self.resolution:.3g} wide"
        elif self.is_scanned:
            distinct = "rows between cuts"
        return (
            f"{_spaced(self.total)} {total} → {_spaced(self.score.size)} {distinct}: "
            f"{_spaced(self.total_pos)} positive, {_spaced(self.total_neg)} negative, "
            f"{_spaced(self.total_unl)} unlabeled, {self.scenario}"
        )

    def __repr__(self) -> str:
        return f"<ScoreTable: {self}>"


def _same_runs(first: Runs | None, second: Runs | None) -> bool:
    if first is None or second is None:
        return first is second
    pairs = zip(first.arrays(), second.arrays(), strict=False)
    return len(first.arrays()) == len(second.arrays()) and all(
        np.array_equal(a, b) for a, b in pairs
    )


def _check_totals(positive: float, others: float, pos_label: Any, unlabeled_label: Any) -> None:
    if positive <= 0:
        hint = "" if pos_label is None else f" No value of y equals pos_label={pos_label!r}."
        raise LabelError(
            f"There is no labelled positive, and without one nothing can be said.{hint} Check "
            "the label column and pos_label."
        )
    if others <= 0:
        hint = (
            ""
            if pos_label is None
            else f" No value of y equals unlabeled_label={unlabeled_label!r}."
        )
        raise LabelError(
            f"There are only positives: neither unlabeled rows nor known negatives.{hint} A "
            "classifier can only be judged against something else than positives: check unlabeled_label."
        )


def _spaced(number: float) -> str:
    """Format with a thin group separator: 10000 → 10 000."""
    text = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"
    return text.replace(",", " ")
