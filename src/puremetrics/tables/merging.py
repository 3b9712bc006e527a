"""A cut table in fewer rows: neighbouring rows merged into blocks that end at real operating points."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = ["block_ends", "merged_blocks"]


def block_ends(mass: FloatArray, limit: int) -> Any:
    """Index one past the last row of each of so many blocks, of about equal mass.

    ``mass`` is cumulative by row, and ends at 1.
    """
    ends = np.searchsorted(mass, np.linspace(0, 1, limit + 1)[1:-1]) + 1
    return np.unique(np.append(ends, mass.size))


def merged_blocks(table: ScoreTable, ends: Any) -> ScoreTable:
    """The table with rows merged into blocks; a block takes its lowest score."""
    starts = np.concatenate([[0], ends[:-1]])
    columns = [np.add.reduceat(column, starts) for column in table.additive()]
    rows = Rows.of(table.score[ends - 1].copy(), columns)
    return ScoreTable(table.scenario, table.resolution, True, None, rows, table.clusters)
