"""Bounds on several metrics and counts along all thresholds, at the cost of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from puremetrics.bounds.contingency import LatentChoice, whole_heads
from puremetrics.bounds.extremes import corner_tables
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.formulas import METRICS
from puremetrics.tables.score_table import ScoreTable

__all__ = ["bounds_along"]

_ENTRIES = ("tp", "fp", "fn", "tn")


def bounds_along(
    choice: LatentChoice, table: ScoreTable, statistics: Sequence[str]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Smallest and largest value of each metric (or of "tp", …) at every row of a table.

    Undefined, where the metric is for a possible table. `metric_curve_bounds` looks at more numbers of latent
    positives; where these are not all of them, both enclose what is possible.
    """
    heads = whole_heads(table)
    found = {name: np.stack([np.full(heads.unl.size, np.inf), np.full(heads.unl.size, -np.inf)])
             for name in statistics}  # fmt: skip
    for part, sides in corner_tables(choice, heads, choice.nodes(heads.unl.size)):
        for entries in sides:
            tables = np.broadcast_arrays(*entries)
            for name, limits in found.items():
                values = (
                    tables[_ENTRIES.index(name)] if name in _ENTRIES else METRICS[name](*tables)
                )
                limits[0, part] = np.minimum(limits[0, part], values.min(axis=0))
                limits[1, part] = np.maximum(limits[1, part], values.max(axis=0))
    return {name: (limits[0, 1:], limits[1, 1:]) for name, limits in found.items()}
