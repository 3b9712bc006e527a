"""Areas over ranges of scores: value, slope by a positive in each, and the error that rows have as a sample.

These are the sums of `auditing.ranking`, with what is expected in the place of what was found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["Area", "expected_area"]


class Area(NamedTuple):
    """An area, how much one more positive in each range moves it, and its standard error by rows."""

    value: float
    slope: FloatArray
    error: float


def expected_area(target: str, positives: FloatArray, rows: FloatArray) -> Area:
    """The area if so many rows of each range, by rising scores, are positive."""
    mass, rest = positives, np.maximum(rows - positives, 0.0)
    total, size = max(float(mass.sum()), 1e-9), max(float(rows.sum()), 1e-9)
    heads = np.cumsum(rows[::-1])[::-1]
    if target == "roc_auc":
        share = min(total / size, 1 - 1e-3)
        below, bottom = 1 - (heads - rows / 2) / size, total * (1 - share)
        value = min(max((float(mass @ below) - total * share / 2) / bottom, 0.0), 1.0)
        gain = below - value - 2 * share * (0.5 - value)
        others = (np.cumsum(mass[::-1])[::-1] - mass / 2) / size
    else:
        bottom, heads = total, np.maximum(heads, 1e-300)
        precision = np.minimum(np.cumsum(mass[::-1])[::-1] / heads, 1.0)
        value = float(mass @ precision) / total
        gain = precision + np.cumsum(mass / heads) - value
        others = -np.cumsum(mass * precision / heads)
    mean = (float(mass @ (gain + others)) + float(rest @ others)) / size
    apart = float(mass @ (gain + others - mean) ** 2) + float(rest @ (others - mean) ** 2)
    return Area(value, gain / bottom, float(np.sqrt(apart)) / bottom)
