"""What buckets hide: the two extreme orders of the rows inside them.

In a row that stands for many scores the order of positives and other rows is unknown. Any order lies
between two: all positives first, and all others first. Wherever a statistic can only gain when a positive
moves up, its values for these two contain the exact one. That holds for the uncorrected path, whose
share of positives G rises at each head of the others; for the corrected rates, because with a feasible
prior a rise of G moves a point up and to the left; for their upper-left envelope, which is taken pointwise;
and for the areas of all these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.results import Interval
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = ["bracket_of", "extreme_orders", "mixed_precision", "widened"]


def extreme_orders(table: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """The tables with the other rows of each bucket first, and with its positives first.

    >>> table = ScoreTable.from_counts(
    ...     [2.0, 1.0], n_pos=[2, 1], n_unl=[1, 3], scenario="case_control", resolution=0.5)
    >>> worst, best = extreme_orders(table)
    >>> best.n_pos, best.n_unl
    (array([2, 0, 1, 0]), array([0, 1, 0, 3]))
    """
    hidden = table.hidden
    assert hidden is not None
    times = np.where(hidden, 2, 1)
    ends = np.cumsum(times) - 1
    first, second = ends[hidden] - 1, ends[hidden]
    tables = []
    for positives_first in (False, True):
        columns: list[Any] = []
        for group, column in enumerate((table.n_pos, table.n_unl, table.n_neg)):
            split = np.repeat(column, times)
            away = second if (group == 0) == positives_first else first
            split[away] = 0
            columns.append(split)
        rows = Rows.of(np.repeat(table.score, times), columns)
        tables.append(ScoreTable(table.scenario, 0.0, True, None, rows))
    return tables[0], tables[1]


def bracket_of(low: float, high: float, value: float) -> Interval:
    """An interval that contains the exact value, and the one reported."""
    return Interval(min(low, value), max(high, value), 1.0, "resolution", "extreme_orders")


def widened(
    ends: tuple[float, float], value: float, bracket: Interval | None
) -> tuple[float, float]:
    """Limits moved outwards by as much as the exact value may differ from the one reported."""
    if bracket is None:
        return ends
    return ends[0] - (value - bracket.low), ends[1] + (bracket.high - value)


def mixed_precision(
    precision: FloatArray, recall: FloatArray, open_: BoolArray, *, largest: bool
) -> float:
    """Sum of precision over gains in recall, where marked segments count with their extreme end."""
    gain = np.diff(recall)
    extreme = (np.maximum if largest else np.minimum)(precision[1:], precision[:-1])
    return float(np.sum(gain * np.where(open_, extreme, precision[1:])))
