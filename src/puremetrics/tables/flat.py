"""Tables of very many segments, in columns that all of them share.

A table that nobody asks for costs nothing but its rows, so a hundred thousand segments fit where as many
objects would not. Rows of one segment follow each other in decreasing order of their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.scenarios import Scenario
from puremetrics.tables.rows import Rows, Runs
from puremetrics.tables.score_table import ScoreTable

__all__ = ["FlatTables"]

Int64 = npt.NDArray[np.int64]


class FlatTables(Mapping[Any, ScoreTable]):
    """A mapping of segments to tables, each made when it is first asked for.

    Parameters
    ----------
    scenario : str
    keys : list
        The segments, in order.
    ends : ndarray of int64, shape (segments + 1,)
        Where the rows of each segment begin, and where the last ones end.
    low, high : ndarray, shape (rows,)
        Lowest and highest score that a row stands for.
    counts : ndarray of int64, shape (3, rows)
        Positive, unlabeled and negative rows.
    """

    def __init__(
        self,
        scenario: Scenario,
        keys: list[Any],
        ends: Int64,
        low: FloatArray,
        high: FloatArray,
        counts: Int64,
    ) -> None:
        self.scenario, self.ends, self.counts = scenario, ends, counts
        self._low, self._high = low, high
        self._place = {key: place for place, key in enumerate(keys)}
        self._made: dict[Any, ScoreTable] = {}

    def __len__(self) -> int:
        return len(self._place)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._place)

    def __contains__(self, key: object) -> bool:
        return key in self._place

    def __getitem__(self, key: Any) -> ScoreTable:
        if key not in self._made:
            place = self._place[key]
            own = slice(self.ends[place], self.ends[place + 1])
            pos, unl, neg = (column[own].copy() for column in self.counts)
            if not neg.any():
                neg = np.broadcast_to(np.int64(0), neg.size)
            rows = Rows.of(self._low[own].copy(), [pos, unl, neg])
            runs = Runs.of(np.broadcast_to(np.False_, pos.size), self._high[own].copy(), None)
            self._made[key] = ScoreTable._scanned(self.scenario, rows._replace(runs=runs))
        return self._made[key]
