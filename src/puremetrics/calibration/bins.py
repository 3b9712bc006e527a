"""A table reduced to its bins.

Everything about calibration in bins follows from three power sums of the scores per group and bin,
so one pass over the rows is all that ever touches them. Where the bins end is said in `edges`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, ScoreError
from puremetrics.scenarios import Design
from puremetrics.setting import check_one_weight, check_uncut
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "BinMoments",
    "check_probabilities",
    "merged_remark",
    "possible_top",
    "reduce_to_bins",
    "score_span",
    "sorted_groups",
]

_TOP_ROWS = 10


@dataclass(frozen=True)
class BinMoments:
    """A table reduced to bins: power sums of the scores per group and bin.

    Attributes
    ----------
    upper : ndarray, shape (B,)
        Upper edges, increasing; bin b is (upper[b − 1], upper[b]], the first starts at 0, included.
    sums : ndarray, shape (3, 3, B)
        ``sums[group, power, bin]``: sum of weight · score**power over the positive, unlabeled and
        negative rows.
    squares : ndarray, shape (3, 3, B)
        The same with squared weights; equal to ``sums`` without weights.
    top : float
        A score that rows not seen may have (see `possible_top`).
    """

    upper: FloatArray
    sums: FloatArray
    squares: FloatArray
    design: Design
    top: float = 1.0

    @property
    def lower(self) -> FloatArray:
        """Lower edges."""
        return np.concatenate([np.zeros(1), self.upper[:-1]])

    @cached_property
    def in_comparison(self) -> list[bool]:
        """Which groups make up the comparison sample F."""
        return list(self.design.compared(self.totals))

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Numbers of positive, unlabeled and negative rows."""
        pos, unl, neg = self.sums[:, 0, :].sum(axis=1)
        return float(pos), float(unl), float(neg)

    @property
    def positives(self) -> FloatArray:
        """Power sums of G, the labelled positives; shape (3, B)."""
        return cast(FloatArray, self.sums[0])

    @cached_property
    def comparison(self) -> FloatArray:
        """Power sums of F, the comparison sample; shape (3, B)."""
        return cast(FloatArray, self.sums[self.in_comparison].sum(axis=0))

    def deflated(self, effect: tuple[float, float]) -> BinMoments:
        """The same with labelled and other rows that count as fewer, by their design effects."""
        if effect == (1.0, 1.0):
            return self
        scale = np.array([effect[0], effect[1], effect[1]])
        return replace(self, squares=self.squares * scale[:, None, None])

    def as_rows(self, table: ScoreTable) -> ScoreTable:
        """The bins as rows of a table, from the highest down, with its groups."""
        counts = [column[::-1].copy() for column in self.sums[:, 0]]
        if table.weighted:
            counts += [column[::-1].copy() for column in self.squares[:, 0]]
        rows = Rows.of(self.upper[::-1].copy(), counts)
        return ScoreTable(table.scenario, table.resolution, True, None, rows, table.clusters)


def check_probabilities(table: ScoreTable, name: str) -> None:
    """Raise unless the table knows its scores and they are probabilities."""
    check_uncut(table, name)
    low, high = score_span(table)
    if low < 0.0 or high > 1.0:
        raise ScoreError(
            f"{name} needs probabilities, but scores span [{low:.4g}, {high:.4g}]. Recalibrate "
            "first, or use roc_auc, which needs only the ranking."
        )


def score_span(table: ScoreTable) -> tuple[float, float]:
    """Lowest and highest score, without making the rows of a table that holds sorted groups."""
    groups = sorted_groups(table)
    if groups is None:
        return float(table.score[-1]), float(table.highest[0])
    filled = [group for group in groups if group.size]
    return min(float(g[0]) for g in filled), max(float(g[-1]) for g in filled)


def possible_top(table: ScoreTable) -> float:
    """A score that rows of the population may have although the sample has none so high.

    The highest score of all rows, or that of the population's sample raised by as much again, twice, as
    lies between its highest score and the one that more than ten rows exceed: about where the highest
    of a hundred times as many rows would be. Both are taken on the logit scale, on which the tails of
    probabilities are roughly even. With ties the next lower score stands for the tenth row.
    """
    highest, below = _top_of_population(table)
    seen = score_span(table)[1]
    if not 0.0 < below <= highest < 1.0:
        return 1.0
    here, there = (np.log(score) - np.log1p(-score) for score in (highest, below))
    return max(seen, float(1 / (1 + np.exp(min(2 * there - 3 * here, 700.0)))))


def _top_of_population(table: ScoreTable) -> tuple[float, float]:
    """Highest score of the comparison sample, and a lower one that more than ten rows exceed."""
    groups, used = sorted_groups(table), table.design.compared(table.totals)
    if groups is None:
        counts, squares = table.design.comparison_counts(table)
        filled = np.flatnonzero(counts > 0)
        score = table.highest[filled]
        heavy = float(squares.sum() / counts.sum())  # weight of one row, on average
        place = np.searchsorted(np.cumsum(counts[filled]), (_TOP_ROWS + 1) * heavy)
        lower = score[min(max(int(place), 1), score.size - 1)]
        return float(score[0]), float(lower)
    members = [group for group, member in zip(groups, used, strict=True) if member and group.size]
    top = np.sort(np.concatenate([group[-_TOP_ROWS - 1 :] for group in members]))[::-1]
    lower = top[min(_TOP_ROWS, top.size - 1)]
    if lower == top[0]:
        places = [int(np.searchsorted(group, top[0])) for group in members]
        rest = [group[at - 1] for group, at in zip(members, places, strict=True) if at > 0]
        lower = max(rest, default=lower)
    return float(top[0]), float(lower)


def reduce_to_bins(table: ScoreTable, upper: FloatArray) -> BinMoments:
    """Add up counts, scores and squared scores of each group in each bin, in one pass."""
    check_one_weight(table, "Calibration in bins", "Use brier_score or log_loss.")
    groups = sorted_groups(table)
    if groups is not None:
        sums = np.stack([_group_sums(group, upper) for group in groups])
        return BinMoments(upper, sums, sums, table.design, possible_top(table))
    ascending = table.score[::-1]
    columns = (table.n_pos, table.n_unl, table.n_neg)
    if table.is_scanned and table.knows_sums:
        sums = _sums_of_runs(table, upper)
        return BinMoments(upper, sums, sums, table.design, possible_top(table))
    sums = _row_sums(ascending, columns, upper)
    squares = _row_sums(ascending, table.squared_weights(), upper) if table.weighted else sums
    return BinMoments(upper, sums, squares, table.design, possible_top(table))


def merged_remark(table: ScoreTable, what: str, error: float | None = None) -> list[Diagnostic]:
    """PM602 if ``what`` was computed from the mean scores of merged rows."""
    if not table.is_scanned:
        return []
    limit = "" if error is None else f"; that changes it by at most {error:.3g}"
    return [
        Diagnostic(
            "PM602",
            f"the scan has merged the unlabeled scores between neighbouring cuts, and {what} takes "
            f"each at the mean of its run{limit}.",
        )
    ]


def _sums_of_runs(table: ScoreTable, upper: FloatArray) -> FloatArray:
    """Counts, sums and (up to the spread inside a run) squares, of whole rows."""
    bins = np.searchsorted(upper, table.highest, side="left")
    sums = np.zeros((3, 3, upper.size))
    columns = (table.n_pos, table.n_unl, table.n_neg)
    for group, (count, total) in enumerate(zip(columns, table.score_sums(), strict=True)):
        square = np.divide(total**2, count, out=np.zeros(total.size), where=count > 0)
        for power, part in enumerate((count, total, square)):
            sums[group, power] = np.bincount(bins, part, minlength=upper.size)
    return sums


def sorted_groups(table: ScoreTable) -> Any:
    """The ascending scores of each group, where the table was built from rows of weight one."""
    return table._groups


def _group_sums(ascending: FloatArray, upper: FloatArray) -> FloatArray:
    ends = np.searchsorted(ascending, upper, side="right")
    sums = np.zeros((3, upper.size))
    sums[0] = np.diff(ends, prepend=0)
    start = 0
    for b, end in enumerate(ends):
        if end > start:
            part = ascending[start:end]
            sums[1, b], sums[2, b] = part.sum(), np.sum(part * part)
        start = end
    return sums


def _row_sums(ascending: FloatArray, columns: Any, upper: FloatArray) -> FloatArray:
    ends = np.searchsorted(ascending, upper, side="right")
    sums = np.zeros((3, 3, upper.size))
    for group, column in enumerate(columns):
        if not np.any(column):
            continue
        weight = np.asarray(column[::-1], dtype=np.float64)
        start = 0
        for b, end in enumerate(ends):
            score, mass = ascending[start:end], weight[start:end]
            product = mass * score
            sums[group, :, b] = mass.sum(), product.sum(), np.sum(product * score)
            start = end
    return sums
