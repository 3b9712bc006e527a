"""Balanced bins: edges that see where the positives are.

Where positives are rare, nearly all of the population scores next to 0, and with it nearly all of the
paper's equal-mass bins; the scores that matter share the last bin, where gaps of opposite sign cancel.
So they do where most scores are tied. Balanced bins have equal mass in ½·G + ½·F, half of the labelled
positives and half of the population's sample:

- u_b is the first score up to which the mixture has mass b/B;
- a score that is u_b for several b has more mass than a bin, and becomes a bin of its own: the next
  lower score is an edge as well, in place of an edge that was lost to the tie;
- if there are no more than B distinct scores, each is a bin.

A bin then holds at most 2/B of either sample, unless all of it has one score, where nothing can
cancel. The edges are order statistics of both samples; as with equal mass, the estimand is the error of
the bins as they came out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.calibration.bins import sorted_groups
from puremetrics.checking.types import FloatArray
from puremetrics.tables.score_table import ScoreTable

__all__ = ["balanced_edges"]

_SLACK = 1e-12  # relative, for masses that are sums of fractions


def balanced_edges(table: ScoreTable, n_bins: int, positive_weight: float) -> FloatArray:
    """Return the inner edges of balanced bins, rising.

    ``positive_weight`` is the weight of the labelled positives in the mixture; ½ unless their sample is
    a part of the population that the comparison sample does not have. O(B · log rows) on a table of
    sorted groups, otherwise O(rows).
    """
    weights = (
        positive_weight / table.total_pos,
        (1 - positive_weight) / table.design.comparison_total(table.totals, table.totals),
    )
    wanted = np.arange(1, n_bins) / n_bins * (1 - _SLACK)
    groups = sorted_groups(table)
    if groups is None:
        return _edges_of_rows(table, weights, wanted)
    used = table.design.compared(table.totals)
    members = [group for group, member in zip(groups, (True, *used[1:]), strict=True) if member]
    members = [group for group in members if group.size]
    few = _distinct(members, n_bins)
    if few is not None:
        return few[:-1]
    edges = _quantiles_of_groups(groups, used, weights, wanted)
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


def _quantiles_of_groups(
    groups: Any, used: tuple[bool, bool, bool], weights: tuple[float, float], wanted: FloatArray
) -> FloatArray:
    """First scores up to which the mixture of sorted groups has the wanted masses."""
    best = np.full(wanted.size, np.inf)
    for own in (group for group in groups if group.size):
        low, high = np.zeros(wanted.size, np.int64), np.full(wanted.size, own.size, np.int64)
        while np.any(low < high):  # first position up to whose score there is enough
            middle = (low + high) // 2
            value = own[np.minimum(middle, own.size - 1)]
            upto = [np.searchsorted(group, value, side="right") for group in groups]
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


def _next_lower(groups: list[FloatArray], values: FloatArray) -> FloatArray:
    """The highest score below each value, where there is one."""
    best = np.full(values.size, -np.inf)
    for group in groups:
        place = np.searchsorted(group, values) - 1
        best = np.where(place >= 0, np.maximum(best, group[np.maximum(place, 0)]), best)
    return np.asarray(best[np.isfinite(best)])


def _distinct(groups: list[FloatArray], most: int) -> FloatArray | None:
    """All distinct scores of the groups, rising, or None if there are more than ``most``."""
    found = [max(group[-1] for group in groups)]
    while len(found) <= most:
        lower = _next_lower(groups, np.array(found[-1:]))
        if not lower.size:
            return np.array(found[::-1])
        found.append(lower[0])
    return None
