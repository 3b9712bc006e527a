"""A table in fewer rows: in blocks that end at real operating points, or in narrow bins of the score.

**Blocks** (`merged_blocks`, `merged_between`). Neighbouring rows of a cut table are merged into blocks that
end at real operating points.

**Bins** (`thinned`). They serve sums of smooth functions of the score, such as a likelihood. Scores are put
into many narrow bins, each with its mean score: a smooth function summed over the bins differs from its sum
over the rows by the squares of the widths. Each kind of rows has bins of its own, for a common mean would
shift the scores of one kind against those of another. Bins hold few rows at both ends, where scores lie far
apart, and more in the middle: they start at order statistics of evenly spaced angles, rank = n · sin²(angle).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = ["block_ends", "merged_between", "merged_blocks", "thinned"]


def block_ends(mass: FloatArray, limit: int) -> Any:
    """Index one past the last row of each of so many blocks, of about equal mass.

    ``mass`` is cumulative by row, and ends at 1.
    """
    ends = np.searchsorted(mass, np.linspace(0, 1, limit + 1)[1:-1]) + 1
    return np.unique(np.append(ends, mass.size))


def merged_between(table: ScoreTable, edges: FloatArray) -> ScoreTable:
    """The table with rows merged between rising edges; a row has the score of the edge that it begins at.

    Heads at the edges stay what they are; rows of the table are not made if it has no weights.
    """
    if table.weighted:
        ends = np.searchsorted(-table.score, -edges[::-1], side="right")
        return merged_blocks(table, np.unique(np.append(ends[ends > 0], table.score.size)))
    columns = [column[::-1] for column in table.rows_between(edges)]
    some = sum(columns) > 0
    below = min(float(edges[0]) - 1.0, -1.0)
    score = np.concatenate([edges[::-1], [below]])[some]
    rows = Rows.of(score, [column[some].copy() for column in columns])
    return table.like(table.resolution, True, None, rows)


def merged_blocks(table: ScoreTable, ends: Any) -> ScoreTable:
    """The table with rows merged into blocks; a block takes its lowest score."""
    starts = np.concatenate([[0], ends[:-1]])
    columns = [np.add.reduceat(column, starts) for column in table.additive()]
    rows = Rows.of(table.score[ends - 1].copy(), columns)
    return table.like(table.resolution, True, None, rows, table.clusters)


_BINS = 1 << 15  # of each kind
_MANY = 4 * _BINS  # rows from which on bins are worth it


def thinned(table: ScoreTable, kept: tuple[float, ...] = ()) -> ScoreTable:
    """The table in some ten thousand rows if it has very many of weight 1, else the table itself.

    No bin has scores on both sides of one of the ``kept`` ones, which are the lowest of their bins.
    """
    kinds = table._kinds
    if kinds is None or sum(kind.size for kind in kinds) <= _MANY:
        return table
    parts = [_binned(kind, kept) for kind in kinds]
    columns = np.zeros((3, sum(centre.size for centre, _ in parts)), dtype=np.int64)
    end = 0
    for column, (_, count) in zip(columns, parts, strict=True):
        column[end : end + count.size] = count
        end += count.size
    pos, unl, neg = columns
    centre = np.concatenate([part[0] for part in parts])
    made = ScoreTable.from_counts(centre, n_pos=pos, n_unl=unl, n_neg=neg, scenario=table.scenario)
    return made.of_known_rows() if table.known_rows else made


def _binned(kind: FloatArray, kept: tuple[float, ...]) -> tuple[FloatArray, Any]:
    """Mean score and number of rows of each bin of a kind."""
    if kind.size <= _BINS:
        return kind, np.ones(kind.size, dtype=np.int64)
    ranks = (kind.size * np.sin(np.linspace(0, np.pi / 2, _BINS)) ** 2).astype(np.int64)
    edges = np.unique(np.append(kind[np.minimum(ranks, kind.size - 1)], kept))
    starts = np.unique(np.searchsorted(kind, edges, side="left"))
    starts = starts[starts < kind.size]
    count = np.diff(starts, append=kind.size)
    return np.add.reduceat(kind, starts) / count, count
