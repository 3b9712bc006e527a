"""Edges of bins: equal in mass of the balanced mixture, in mass of the population, or in width.

Kiryo, Futami, Sugiyama (2025), Sections 2.2.2 and 3.1: bins are (u_{b−1}, u_b] with u_0 = 0 and
u_B = 1. UWB is ``binning="width"``, u_b = b/B; UMB is ``binning="mass"``, u_b the ⌊n·b/B⌋-th
smallest score of the population's sample (the unlabeled rows in case-control, all rows in a single
training set; see `scenarios`).

``binning="balanced"``, the default, is not from the paper; see `balanced`.

Deviations and errata: a score of exactly 0 belongs to the first bin, so that is [0, u_1]. Tied
scores make edges coincide; bins between equal edges hold no score and are dropped, which changes no
estimate. Where n < B some ⌊n·b/B⌋ are 0, an order statistic that does not exist; those edges are
dropped too. With fractional weights the edge is the first score that reaches the mass n·b/B, unrounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.calibration.balanced import balanced_edges
from puremetrics.calibration.bins import sorted_groups
from puremetrics.checking.arguments import check_choice, check_count
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.tables.score_table import ScoreTable

__all__ = ["BINNINGS", "bin_edges", "check_bin_count", "moved_edges"]

BINNINGS = ("balanced", "mass", "width")
_MOST_BINS = 10_000  # the best number grows as the cube root of the rows
_SLACK = 1e-12  # relative, for masses that are sums of fractions


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
    O(B · log rows) on a table of sorted groups, otherwise O(rows).

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
    groups = sorted_groups(table)
    if binning == "balanced":
        inner = balanced_edges(table, n_bins, (1 + positive_weight) / 2)
    elif groups is not None and positive_weight == 0.0:
        compared = table.design.compared(table.totals)
        members = [group for group, used in zip(groups, compared, strict=True) if used]
        size = sum(group.size for group in members)
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
            f"edges of the bins were moved by up to {moved:.3g} to where the scan has cut the scores; "
            "with these edges the result is exact. Numbers of bins that divide 2520 need no moving.",
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


def _order_statistics(groups: list[FloatArray], ranks: Any) -> FloatArray:
    """The k-th smallest of the sorted groups together, for each rank k >= 1."""
    ranks = ranks[ranks > 0]
    best = np.full(ranks.size, np.inf)
    for own in (group for group in groups if group.size):
        low, high = np.zeros(ranks.size, np.int64), np.full(ranks.size, own.size, np.int64)
        while np.any(low < high):  # first position whose score has at least k scores up to it
            middle = (low + high) // 2
            value = own[np.minimum(middle, own.size - 1)]
            upto = middle + 1
            for other in groups:
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
