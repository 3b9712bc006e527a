"""Reading a table: rows, totals, heads at thresholds. Rows are made when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.types import BoolArray, CountArray, FloatArray
from puremetrics.exceptions import InputError
from puremetrics.scenarios import KNOWN_ROWS, Design, Scenario, check_scenario, design_of
from puremetrics.tables.clusters import Clusters
from puremetrics.tables.deriving import reweighted_rows
from puremetrics.tables.rows import Rows, SortedKinds, rows_of_kinds

__all__ = ["CountedRows"]


@dataclass(frozen=True, eq=False, repr=False)
class CountedRows:
    """Counts by score, held as sorted scores of each kind or as rows; see `ScoreTable`."""

    scenario: Scenario
    resolution: float
    is_cut: bool
    _kinds: SortedKinds | None
    _given: Rows | None
    clusters: Clusters | None = None
    known_rows: bool = (
        False  # whether it is known how many rows of a single training set are positive
    )

    def __post_init__(self) -> None:
        made = (self._kinds, self._given)
        right = [isinstance(self._kinds, SortedKinds), isinstance(self._given, Rows)]
        if sum(part is not None for part in made) != 1 or not any(right):
            raise InputError(
                "A ScoreTable is not made by its constructor. Use ScoreTable.from_arrays, from_groups or "
                "from_counts, or puremetrics.scan."
            )
        check_scenario(self.scenario)

    @cached_property
    def design(self) -> Design:
        """What the scenario means: the comparison sample, the population, the prior."""
        return KNOWN_ROWS if self.known_rows else design_of(self.scenario)

    # ---------------------------------------------------------------- rows

    @cached_property
    def _raw(self) -> Rows:
        """Rows as they add up: propensities are kept beside the counts."""
        if self._given is not None:
            return self._given
        assert self._kinds is not None
        return rows_of_kinds(self._kinds)

    @cached_property
    def _rows(self) -> Rows:
        """Rows as they are read: where labelled rows are in G alone, their propensities are their weights."""
        apart = self.has_propensities and not self.design.one_sample
        return reweighted_rows(self._raw) if apart else self._raw

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

    @cached_property
    def has_propensities(self) -> bool:
        """Whether labelled rows had different chances to be labelled."""
        return self._given is not None and self._given.inverse is not None

    @property
    def whole(self) -> bool:
        """Whether every count is a whole number of rows."""
        return self._given is None or (not self.weighted and self._given.pos.dtype.kind == "i")

    @property
    def is_scanned(self) -> bool:
        """Whether a scan has merged neighbouring scores.

        A row then stands for all scores from its ``score`` up to its ``highest``, which readers know
        (``runs.high``); the runs between labelled scores of a cut table have no such end.
        """
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
        """Sums of the (weighted) scores of the three kinds in each row."""
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

    def _sums_of_runs(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        runs = None if self._given is None else self._given.runs
        return None if runs is None or runs.sums is None else self.score_sums()

    def additive(self) -> tuple[CountArray, ...]:
        """All columns that add up when rows are merged."""
        return self._raw.counts()

    def squared_weights(self) -> tuple[CountArray, CountArray, CountArray]:
        """Sums of squared weights per row of each kind; the counts themselves if unweighted."""
        rows = self._rows
        return rows.squares if rows.squares is not None else (rows.pos, rows.unl, rows.neg)

    def effective_rows(self, kinds: tuple[bool, bool, bool]) -> float:
        """How many rows of equal weight say as much as the rows of these kinds."""
        counts = sum(total for total, used in zip(self.totals, kinds, strict=True) if used)
        if not self.weighted:
            return float(counts)
        squares = zip(self.squared_weights(), kinds, strict=True)
        return float(counts**2 / sum(float(np.sum(part)) for part, used in squares if used))

    def labelled_weights(self) -> tuple[CountArray, CountArray, CountArray]:
        """Weights of the labelled rows in G, their squares, and products with those that they have in F.

        They add up to the number of labelled rows. The two weights of a row differ if it has a propensity.
        """
        if not (self.has_propensities and self.design.one_sample):
            squares = self.squared_weights()[0]
            return self.n_pos, squares, squares
        assert self._raw.inverse is not None
        share, square, product = self._raw.inverse
        scale = self.total_pos / float(share.sum())
        return share * scale, square * scale**2, product * scale

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Total (weighted) numbers of positive, unlabeled and negative rows."""
        if self._kinds is not None:
            pos, unl, neg = (float(kind.size) for kind in self._kinds)
            return pos, unl, neg
        rows = self._raw
        return float(rows.pos.sum()), float(rows.unl.sum()), float(rows.neg.sum())

    @cached_property
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

    def labelled_scores(self) -> tuple[FloatArray, FloatArray, float, float]:
        """Distinct scores of positives and of known negatives, rising; lowest and highest of all rows."""
        if self._kinds is not None:
            held = [kind for kind in self._kinds if kind.size]
            low, high = min(float(g[0]) for g in held), max(float(g[-1]) for g in held)
            return np.unique(self._kinds.pos), np.unique(self._kinds.neg), low, high
        pos, neg = (self.score[column > 0][::-1] for column in (self.n_pos, self.n_neg))
        return pos, neg, float(self.score[-1]), float(self.highest[0])

    # ---------------------------------------------------------------- heads

    def heads_at(self, threshold: float) -> tuple[float, float, float]:
        """Positive, unlabeled and negative rows with ``score >= threshold``, without making rows.

        >>> from puremetrics import ScoreTable
        >>> table = ScoreTable.from_groups(
        ...     positive=[5.0], unlabeled=[9, 8, 7, 2, 1], scenario="case_control")
        >>> table.heads_at(5)
        (1.0, 3.0, 0.0)
        """
        if self._kinds is not None:
            pos, unl, neg = (
                float(kind.size - np.searchsorted(kind, threshold, side="left"))
                for kind in self._kinds
            )
        else:
            last = int(np.searchsorted(-self.score, -threshold, side="right"))
            pos, unl, neg = (
                float(column[:last].sum()) for column in (self.n_pos, self.n_unl, self.n_neg)
            )
        return pos, unl, neg

    def rows_between(self, edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Positive, unlabeled and negative rows in the ranges that rising edges begin, without making rows.

        The first range is the one below all edges.

        >>> from puremetrics import ScoreTable
        >>> table = ScoreTable.from_groups(
        ...     positive=[5.0], unlabeled=[9, 8, 7, 2, 1], scenario="case_control")
        >>> table.rows_between(np.array([2.0, 8.0]))[1].tolist()
        [1.0, 2.0, 2.0]
        """
        found = []
        if self._kinds is not None:
            for kind in self._kinds:
                ends = np.searchsorted(kind, edges, side="left")
                found.append(np.diff(ends, prepend=0, append=kind.size).astype(np.float64))
            return found[0], found[1], found[2]
        starts = np.concatenate([[0], np.searchsorted(self.score[::-1], edges, side="left")])
        some = np.diff(starts, append=self.score.size) > 0
        for column in (self.n_pos, self.n_unl, self.n_neg):
            counts = np.zeros(starts.size)
            counts[some] = np.add.reduceat(column[::-1], starts[some])
            found.append(counts)
        return found[0], found[1], found[2]

    def scores_of(self, kind: str, ranks: FloatArray) -> FloatArray:
        """Scores of the first, second … row of a kind ("pos", "unl", "neg") from below, without making rows.

        >>> from puremetrics import ScoreTable
        >>> table = ScoreTable.from_groups(
        ...     positive=[5.0], unlabeled=[9, 8, 7, 2, 1], scenario="case_control")
        >>> table.scores_of("unl", np.array([1, 2, 5])).tolist()
        [1.0, 2.0, 9.0]
        """
        if self._kinds is not None:
            ascending: FloatArray = getattr(self._kinds, kind)
            return np.asarray(ascending[np.ceil(ranks).astype(np.int64) - 1])
        held = np.cumsum(getattr(self._rows, kind)[::-1])
        places = np.searchsorted(held, ranks, side="left")
        return np.asarray(self.score[::-1][np.minimum(places, held.size - 1)])

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
        if self._kinds is not None:
            ascending = self._kinds.unl
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Freeze the arrays again: pickling does not keep them read-only."""
        own = ("scenario", "resolution", "is_cut", "_kinds", "_given", "clusters")
        self.__dict__.update({name: state[name] for name in own})
        for arrays in (self._kinds or (), self._given.counts() if self._given else ()):
            for array in arrays:
                array.flags.writeable = False
        if self._given is not None:
            self._given.score.flags.writeable = False
            for array in () if self._given.runs is None else self._given.runs.arrays():
                array.flags.writeable = False
