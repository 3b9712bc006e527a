"""A table in fewer rows for sums of smooth functions of the score, such as a likelihood.

Scores are put into many narrow bins, each with its mean score: a smooth function summed over the bins differs
from its sum over the rows by the squares of the widths. Each group has bins of its own, for a common mean
would shift the scores of one against those of another. Bins hold few rows at both ends, where scores lie far
apart, and more in the middle: they start at order statistics of evenly spaced angles, rank = n · sin²(angle).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.tables.score_table import ScoreTable

__all__ = ["thinned"]

_BINS = 1 << 15  # of each group
_MANY = 4 * _BINS  # rows from which on bins are worth it


def thinned(table: ScoreTable, kept: tuple[float, ...] = ()) -> ScoreTable:
    """The table in some ten thousand rows if it has very many of weight 1, else the table itself.

    No bin has scores on both sides of one of the ``kept`` ones, which are the lowest of their bins.
    """
    groups = table._groups
    if groups is None or sum(group.size for group in groups) <= _MANY:
        return table
    parts = [_binned(group, kept) for group in groups]
    columns = np.zeros((3, sum(centre.size for centre, _ in parts)), dtype=np.int64)
    end = 0
    for column, (_, count) in zip(columns, parts, strict=True):
        column[end : end + count.size] = count
        end += count.size
    pos, unl, neg = columns
    centre = np.concatenate([part[0] for part in parts])
    return ScoreTable.from_counts(centre, n_pos=pos, n_unl=unl, n_neg=neg, scenario=table.scenario)


def _binned(group: FloatArray, kept: tuple[float, ...]) -> tuple[FloatArray, Any]:
    """Mean score and number of rows of each bin of a group."""
    if group.size <= _BINS:
        return group, np.ones(group.size, dtype=np.int64)
    ranks = (group.size * np.sin(np.linspace(0, np.pi / 2, _BINS)) ** 2).astype(np.int64)
    edges = np.unique(np.append(group[np.minimum(ranks, group.size - 1)], kept))
    starts = np.unique(np.searchsorted(group, edges, side="left"))
    starts = starts[starts < group.size]
    count = np.diff(starts, append=group.size)
    return np.add.reduceat(group, starts) / count, count
