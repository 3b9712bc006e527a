"""Holm's step-down procedure: many tests at once."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["holm_adjusted", "holm_rejected"]


def holm_adjusted(p_values: FloatArray) -> FloatArray:
    """P-values adjusted for their number.

    >>> holm_adjusted(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    times = np.arange(p_values.size, 0, -1)
    adjusted = np.empty(p_values.size)
    adjusted[order] = np.maximum.accumulate(np.minimum(p_values[order] * times, 1.0))
    return adjusted


def holm_rejected(p_values: FloatArray, error: float) -> list[int]:
    """Places whose hypotheses are rejected at that error rate, most extreme first.

    P-values that differ by rounding only count as equal, and keep the order they came in.
    """
    order = np.argsort(p_values.astype(np.float32), kind="stable")
    adjusted = holm_adjusted(p_values)
    return [int(i) for i in order if adjusted[i] < error]
