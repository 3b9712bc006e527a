"""Bins of scores: where they end, and a table reduced to them.

**Reduction** (`reduce_to_bins`). Everything about calibration in bins follows from three power sums of the
scores per kind of rows and bin, so one pass over the rows is all that ever touches them.

**Edges** (`bin_edges`) are equal in mass of the balanced mixture, in mass of the population, or in width.
Kiryo, Futami, Sugiyama (2025), Sections 2.2.2 and 3.1: bins are (u_{b−1}, u_b] with u_0 = 0 and u_B = 1. UWB
is ``binning="width"``, u_b = b/B; UMB is ``binning="mass"``, u_b the ⌊n·b/B⌋-th smallest score of the
population's sample (the unlabeled rows in case-control, all rows in a single training set; see `scenarios`).

Deviations and errata: a score of exactly 0 belongs to the first bin, so that is [0, u_1]. Tied scores make
edges coincide; bins between equal edges hold no score and are dropped, which changes no estimate. Where n < B
some ⌊n·b/B⌋ are 0, an order statistic that does not exist; those edges are dropped too. With fractional
weights the edge is the first score that reaches the mass n·b/B, unrounded.

**Balanced bins** (`balanced_edges`), ``binning="balanced"`` and the default, are not from the paper: their
edges see where the positives are. Where positives are rare, nearly all of the population scores next to 0,
and with it nearly all of the paper's equal-mass bins; the scores that matter share the last bin, where gaps
of opposite sign cancel. So they do where most scores are tied. Balanced bins have equal mass in ½·G + ½·F,
half of the labelled positives and half of the population's sample:

- u_b is the first score up to which the mixture has mass b/B;
- a score that is u_b for several b has more mass than a bin, and becomes a bin of its own: the next
  lower score is an edge as well, in place of an edge that was lost to the tie;
- if there are no more than B distinct scores, each is a bin.

A bin then holds at most 2/B of either sample, unless all of it has one score, where nothing can cancel. The
edges are order statistics of both samples; as with equal mass, the estimand is the error of the bins as they
came out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from puremetrics.checking.arguments import check_choice, check_count
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, ScoreError
from puremetrics.scenarios import Design
from puremetrics.setting import check_one_weight, check_uncut
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "BINNINGS",
    "BinMoments",
    "balanced_edges",
    "bin_edges",
    "check_bin_count",
    "check_probabilities",
    "merged_remark",
    "moved_edges",
    "possible_top",
    "reduce_to_bins",
    "score_span",
    "scores_by_kind",
]


_TOP_ROWS = 10


@dataclass(frozen=True)
class BinMoments:
    """A table reduced to bins: power sums of the scores per kind and bin.

    Attributes
    ----------
    upper : ndarray, shape (B,)
        Upper edges, increasing; bin b is (upper[b − 1], upper[b]], the first starts at 0, included.
    sums : ndarray, shape (3, 3, B)
        ``sums[kind, power, bin]``: sum of weight · score**power over the positive, unlabeled and
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
        """Which kinds make up the comparison sample F."""
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
        """The sums with labelled and other rows that count as fewer, by their design effects."""
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
        return table.like(table.resolution, True, None, rows, table.clusters)


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
    """Lowest and highest score, without making the rows of a table that holds sorted scores."""
    kinds = scores_by_kind(table)
    if kinds is None:
        return float(table.score[-1]), float(table.highest[0])
    filled = [kind for kind in kinds if kind.size]
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
    kinds, used = scores_by_kind(table), table.design.compared(table.totals)
    if kinds is None:
        counts, squares = table.design.comparison_counts(table)
        filled = np.flatnonzero(counts > 0)
        score = table.highest[filled]
        heavy = float(squares.sum() / counts.sum())  # weight of one row, on average
        place = np.searchsorted(np.cumsum(counts[filled]), (_TOP_ROWS + 1) * heavy)
        lower = score[min(max(int(place), 1), score.size - 1)]
        return float(score[0]), float(lower)
    members = [kind for kind, member in zip(kinds, used, strict=True) if member and kind.size]
    top = np.sort(np.concatenate([kind[-_TOP_ROWS - 1 :] for kind in members]))[::-1]
    lower = top[min(_TOP_ROWS, top.size - 1)]
    if lower == top[0]:
        places = [int(np.searchsorted(kind, top[0])) for kind in members]
        rest = [kind[at - 1] for kind, at in zip(members, places, strict=True) if at > 0]
        lower = max(rest, default=lower)
    return float(top[0]), float(lower)


def reduce_to_bins(table: ScoreTable, upper: FloatArray) -> BinMoments:
    """Add up counts, scores and squared scores of each kind in each bin, in one pass."""
    check_one_weight(table, "Calibration in bins", "Use brier_score or log_loss.")
    kinds = scores_by_kind(table)
    if kinds is not None:
        sums = np.stack([_kind_sums(kind, upper) for kind in kinds])
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
    limit = "" if error is None else f", which changes the result by at most {error:.3g}"
    return [
        Diagnostic(
            "PM602",
            f"the scan merged the unlabeled scores between neighbouring cuts, and {what} uses their "
            f"mean{limit}.",
        )
    ]


def _sums_of_runs(table: ScoreTable, upper: FloatArray) -> FloatArray:
    """Counts, sums and (up to the spread inside a run) squares, of whole rows."""
    bins = np.searchsorted(upper, table.highest, side="left")
    sums = np.zeros((3, 3, upper.size))
    columns = (table.n_pos, table.n_unl, table.n_neg)
    for kind, (count, total) in enumerate(zip(columns, table.score_sums(), strict=True)):
        square = np.divide(total**2, count, out=np.zeros(total.size), where=count > 0)
        for power, part in enumerate((count, total, square)):
            sums[kind, power] = np.bincount(bins, part, minlength=upper.size)
    return sums


def scores_by_kind(table: ScoreTable) -> Any:
    """The ascending scores of each kind, where the table was built from rows of weight one."""
    return table._kinds


def _kind_sums(ascending: FloatArray, upper: FloatArray) -> FloatArray:
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
    for kind, column in enumerate(columns):
        if not np.any(column):
            continue
        weight = np.asarray(column[::-1], dtype=np.float64)
        start = 0
        for b, end in enumerate(ends):
            score, mass = ascending[start:end], weight[start:end]
            product = mass * score
            sums[kind, :, b] = mass.sum(), product.sum(), np.sum(product * score)
            start = end
    return sums


_SLACK = 1e-12  # relative, for masses that are sums of fractions


def balanced_edges(table: ScoreTable, n_bins: int, positive_weight: float) -> FloatArray:
    """Return the inner edges of balanced bins, rising.

    ``positive_weight`` is the weight of the labelled positives in the mixture; ½ unless their sample is
    a part of the population that the comparison sample does not have. O(B · log rows) on a table of
    sorted scores, otherwise O(rows).
    """
    weights = (
        positive_weight / table.total_pos,
        (1 - positive_weight) / table.design.comparison_total(table.totals, table.totals),
    )
    wanted = np.arange(1, n_bins) / n_bins * (1 - _SLACK)
    kinds = scores_by_kind(table)
    if kinds is None:
        return _edges_of_rows(table, weights, wanted)
    used = table.design.compared(table.totals)
    members = [kind for kind, member in zip(kinds, (True, *used[1:]), strict=True) if member]
    members = [kind for kind in members if kind.size]
    few = _distinct(members, n_bins)
    if few is not None:
        return few[:-1]
    edges = _quantiles_of_kinds(kinds, used, weights, wanted)
    return np.append(edges, _next_lower(members, _repeated(edges)))


def _edges_of_rows(
    table: ScoreTable, weights: tuple[float, float], wanted: FloatArray
) -> FloatArray:
    columns = table.n_pos[::-1], table.design.comparison_counts(table)[0][::-1]
    some = (columns[0] > 0) | (columns[1] > 0)
    score = np.asarray(table.highest[::-1][some])
    if score.size <= wanted.size + 1:
        return score[:-1]
    # Counts are added up before they are weighted: whole numbers, so without any rounding.
    pos, cmp = (np.cumsum(column[some], dtype=np.float64) for column in columns)
    reached = weights[0] * pos + weights[1] * cmp
    at = np.minimum(np.searchsorted(reached, wanted, side="left"), score.size - 1)
    tied = at[1:][at[1:] == at[:-1]]
    return np.asarray(score[np.append(at, np.unique(tied[tied > 0]) - 1)])


def _quantiles_of_kinds(
    kinds: Any, used: tuple[bool, bool, bool], weights: tuple[float, float], wanted: FloatArray
) -> FloatArray:
    """First scores up to which the mixture of the kinds has the wanted masses."""
    best = np.full(wanted.size, np.inf)
    for own in (kind for kind in kinds if kind.size):
        low, high = np.zeros(wanted.size, np.int64), np.full(wanted.size, own.size, np.int64)
        while np.any(low < high):  # first position up to whose score there is enough
            middle = (low + high) // 2
            value = own[np.minimum(middle, own.size - 1)]
            upto = [np.searchsorted(kind, value, side="right") for kind in kinds]
            compared = sum(n for n, member in zip(upto, used, strict=True) if member)
            enough = weights[0] * upto[0] + weights[1] * compared >= wanted
            active = low < high
            high = np.where(active & enough, middle, high)
            low = np.where(active & ~enough, middle + 1, low)
        found = low < own.size
        best[found] = np.minimum(best[found], own[low[found]])
    return best


def _repeated(edges: FloatArray) -> FloatArray:
    """Scores that are an edge more than once."""
    return np.unique(edges[1:][edges[1:] == edges[:-1]])


def _next_lower(kinds: list[FloatArray], values: FloatArray) -> FloatArray:
    """The highest score below each value, where there is one."""
    best = np.full(values.size, -np.inf)
    for kind in kinds:
        place = np.searchsorted(kind, values) - 1
        best = np.where(place >= 0, np.maximum(best, kind[np.maximum(place, 0)]), best)
    return np.asarray(best[np.isfinite(best)])


def _distinct(kinds: list[FloatArray], most: int) -> FloatArray | None:
    """All distinct scores of the kinds, rising, or None if there are more than ``most``."""
    found = [max(kind[-1] for kind in kinds)]
    while len(found) <= most:
        lower = _next_lower(kinds, np.array(found[-1:]))
        if not lower.size:
            return np.array(found[::-1])
        found.append(lower[0])
    return None


BINNINGS = ("balanced", "mass", "width")
_MOST_BINS = 10_000  # the best number grows as the cube root of the rows


def check_bin_count(n_bins: object) -> int:
    """Return a positive whole number of bins."""
    if isinstance(n_bins, int | np.integer) and not isinstance(n_bins, bool) and n_bins >= 1:
        return check_count(n_bins, "n_bins", largest=_MOST_BINS)
    raise InputError(
        f"n_bins={n_bins!r} must be a positive whole number, or 'optimal' for the number that "
        "balances both kinds of bias."
    )


def bin_edges(
    table: ScoreTable, binning: str, n_bins: int, positive_weight: float = 0.0
) -> FloatArray:
    """Return the upper edges of the bins, the last of which is 1; fewer than asked for under ties.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities.
    binning : {"balanced", "mass", "width"}
    n_bins : int
    positive_weight : float, default 0
        Mass of the labelled positives in the population when the comparison sample alone is not
        the population, which happens only with fully labelled case-control data.

    Notes
    -----
    O(B · log rows) on a table of sorted scores, otherwise O(rows).

    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9], unlabeled=[0.1, 0.2, 0.2, 0.2, 0.8, 0.9], scenario="case_control")
    >>> bin_edges(table, "mass", 3)
    array([0.2, 1. ])
    >>> bin_edges(table, "width", 4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    binning = check_choice(binning, BINNINGS, "binning")
    steps = np.arange(1, n_bins + 1)
    if binning == "width":
        return _moved_to_cuts(table, np.asarray(steps / n_bins))
    kinds = scores_by_kind(table)
    if binning == "balanced":
        inner = balanced_edges(table, n_bins, (1 + positive_weight) / 2)
    elif kinds is not None and positive_weight == 0.0:
        compared = table.design.compared(table.totals)
        members = [kind for kind, used in zip(kinds, compared, strict=True) if used]
        size = sum(kind.size for kind in members)
        inner = _order_statistics(members, steps[:-1] * size // n_bins)
    else:
        inner = _weighted_quantiles(table, n_bins, positive_weight)
    return np.unique(np.append(inner, 1.0))


def moved_edges(
    table: ScoreTable, binning: str, n_bins: int, upper: FloatArray
) -> list[Diagnostic]:
    """PM601 if edges of bins had to be moved to where a scanned table was cut."""
    if not table.is_scanned or binning != "width":
        return []
    wanted = np.arange(1, n_bins + 1) / n_bins
    nearest = upper[np.minimum(np.searchsorted(upper, wanted), upper.size - 1)]
    moved = float(np.max(nearest - wanted))
    if moved <= 0:
        return []
    return [
        Diagnostic(
            "PM601",
            f"bin edges were moved by up to {moved:.3g} to where the scan cut the scores; with these edges "
            "the result is exact. A number of bins that divides 2520 avoids this.",
        )
    ]


def _moved_to_cuts(table: ScoreTable, upper: FloatArray) -> FloatArray:
    """Edges inside merged rows moved up to the row's highest score."""
    if not table.is_scanned:
        return upper
    ascending, highest = table.score[::-1], table.highest[::-1]
    row = np.maximum(np.searchsorted(ascending, upper, side="right") - 1, 0)
    inside = (ascending[row] <= upper) & (upper < highest[row])
    return np.unique(np.where(inside, highest[row], upper))


def _order_statistics(kinds: list[FloatArray], ranks: Any) -> FloatArray:
    """The k-th smallest score of all kinds together, for each rank k >= 1."""
    ranks = ranks[ranks > 0]
    best = np.full(ranks.size, np.inf)
    for own in (kind for kind in kinds if kind.size):
        low, high = np.zeros(ranks.size, np.int64), np.full(ranks.size, own.size, np.int64)
        while np.any(low < high):  # first position whose score has at least k scores up to it
            middle = (low + high) // 2
            value = own[np.minimum(middle, own.size - 1)]
            upto = middle + 1
            for other in kinds:
                if other is not own:
                    upto = upto + np.searchsorted(other, value, side="right")
            enough = upto >= ranks
            active = low < high
            high = np.where(active & enough, middle, high)
            low = np.where(active & ~enough, middle + 1, low)
        found = low < own.size
        best[found] = np.minimum(best[found], own[low[found]])
    return best


def _weighted_quantiles(table: ScoreTable, n_bins: int, positive_weight: float) -> FloatArray:
    counts, _ = table.design.comparison_counts(table)
    mass = np.asarray(counts[::-1], dtype=np.float64)
    whole = positive_weight == 0.0 and bool(np.all(mass == np.floor(mass)))
    if positive_weight > 0.0:
        pos = np.asarray(table.n_pos[::-1], dtype=np.float64)
        mass = (1 - positive_weight) * mass / mass.sum() + positive_weight * pos / pos.sum()
    reached = np.cumsum(mass)
    # As in the paper, ranks are rounded down where rows are counted; a mass is taken as it is.
    wanted = np.arange(1, n_bins) * reached[-1]
    wanted = wanted // n_bins if whole else wanted / n_bins
    at = np.searchsorted(reached, wanted * (1 - _SLACK), side="left")
    return np.asarray(table.highest[::-1][at[wanted > 0]])
