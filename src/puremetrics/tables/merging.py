"""A cut table in fewer rows: neighbouring rows merged into blocks that end at real operating points."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = ["block_ends", "merged_between", "merged_blocks"]


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
    return ScoreTable(table.scenario, table.resolution, True, None, rows)


def merged_blocks(table: ScoreTable, ends: Any) -> ScoreTable:
    """The table with rows merged into blocks; a block takes its lowest score."""
    starts = np.concatenate([[0], ends[:-1]])
    columns = [np.add.reduceat(column, starts) for column in table.additive()]
    rows = Rows.of(table.score[ends - 1].copy(), columns)
    return ScoreTable(table.scenario, table.resolution, True, None, rows, table.clusters)
