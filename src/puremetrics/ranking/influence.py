"""Influence of a row on a ranking measure.

A labelled row that moves down past another one lowers k by one at one operating point, so the influence
of a row is a sum of the measure's increments over the operating points below it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.ranking.catalogue import Measure
from puremetrics.ranking.kernels import Blocks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Spread", "even_points", "influence_of", "row_sizes"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_HERMITE = (_NODES, _WEIGHTS / np.sqrt(2 * np.pi))
STEPS = 1024  # of a curve: every operating point where there are no more


class Spread(NamedTuple):
    """Influence of labelled and of other rows by score: in this sample, and for the limits."""

    here: tuple[FloatArray, FloatArray]
    around: tuple[FloatArray, FloatArray]


def even_points(total: float) -> FloatArray:
    """Operating points that divide a curve: all, or about a thousand."""
    return np.unique(np.round(np.linspace(0, total, int(min(total, STEPS)) + 1)))


def influence_of(
    table: ScoreTable, blocks: Blocks, measure: Measure, share: float | None
) -> Spread:
    """Influence of a labelled and of another row of each score; hits grow evenly inside ties.

    The estimand is a mean over samples, so its own derivative is a mean over the hits that samples may
    have. Where a measure saturates, the one at the hits of this sample is next to nothing: limits take the
    larger of both.
    """
    size = row_sizes(table)
    ends = np.concatenate([[0.0], np.cumsum(size)])
    grid = even_points(blocks.total)
    hits = np.interp(grid, ends, np.concatenate([[0.0], np.cumsum(table.n_pos)]))
    k, b = (hits[1:] + hits[:-1]) / 2, (grid[1:] + grid[:-1]) / 2
    gains = measure.gains(blocks, k, b, share)
    spread = _order_spread(table, ends, b)
    tied = spread > 0
    if tied.any():  # there k depends on the order of the tied rows: a mean over a normal law
        gains[tied] = _mean_gains(measure, blocks, k[tied], spread[tied], b[tied], share)
    wide = gains
    if measure.saturates:
        sampled = np.hypot(spread, _sampling_spread(k, blocks.marked))
        wide = _mean_gains(measure, blocks, k, sampled, b, share)
    new_hits = np.diff(hits)
    middle = ends[1:] - size / 2
    by_pos, by_rest = np.diff(grid) - new_hits, new_hits
    here, around = (
        (
            blocks.marked * np.interp(middle, grid, _below(slope * by_pos)),
            -(blocks.total - blocks.marked) * np.interp(middle, grid, _below(slope * by_rest)),
        )
        for slope in (gains / (blocks.total + 1), wide / (blocks.total + 1))
    )
    return Spread(here, around)


def _mean_gains(
    measure: Measure,
    blocks: Blocks,
    k: FloatArray,
    spread: FloatArray,
    b: FloatArray,
    share: float | None,
) -> FloatArray:
    """Mean of the increments over hits with this mean and standard deviation."""
    steps = np.clip(k + _HERMITE[0][:, None] * spread, 0.0, np.minimum(b, blocks.marked))
    parts = measure.gains(blocks, steps, np.broadcast_to(b, steps.shape), share)
    return np.asarray(_HERMITE[1] @ parts)


def _sampling_spread(k: FloatArray, marked: float) -> FloatArray:
    """Standard deviation of the hits between samples, given the rows reached."""
    place = (k + 1) / (marked + 2)
    return np.asarray(np.sqrt(marked * place * (1 - place)))


def _order_spread(table: ScoreTable, ends: FloatArray, b: FloatArray) -> FloatArray:
    """Standard deviation of the hits at operating points, over random orders of tied rows."""
    block = np.minimum(np.searchsorted(ends, b, side="right") - 1, ends.size - 2)
    place, size = b - ends[block], np.diff(ends)[block]
    share = np.asarray(table.n_pos)[block] / size
    return np.sqrt(place * share * (1 - share) * (size - place) / np.maximum(size - 1, 1.0))


def _below(steps: FloatArray) -> FloatArray:
    """Sum of the steps below each grid point."""
    return np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])


def row_sizes(table: ScoreTable) -> FloatArray:
    """Rows of all groups at each score."""
    return np.asarray(table.n_pos + table.n_unl + table.n_neg, dtype=np.float64)
