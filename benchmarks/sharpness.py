"""How long intervals are beside how long they need be: coverage, λ95 and width of a set of samples.

λ95 is the 95% quantile, over samples, of the distance between truth and value, over the distance from the value to
the interval's end on the truth's side. At 0.6 intervals could be 0.6 times as long and hold the truth in 95%.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Shot(NamedTuple):
    """One interval, and what it should hold."""

    truth: float
    value: float
    low: float
    high: float


class Sharpness(NamedTuple):
    """Of many intervals: share that holds the truth, λ95, mean width, and how many there were."""

    coverage: float
    lambda95: float
    width: float
    count: int


def needed(truth: Any, value: Any, low: Any, high: Any) -> np.ndarray:
    """For each interval, by what its length would have to be multiplied so that it just holds the truth."""
    off = np.abs(truth - value)
    room = np.where(truth < value, value - low, high - value)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(off <= 1e-12, 0.0, off / np.maximum(room, 1e-300))


def need_of(truth: float, value: float, interval: Any) -> float:
    """The same of one interval, or of an estimate with one; not a number without it."""
    if interval is None:
        return float("nan")
    return float(needed(truth, value, interval.low, interval.high))


def lambda95(needs: Any, level: float = 0.95) -> float:
    """λ95 of what many intervals need."""
    known = np.asarray(needs, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(np.quantile(known, level)) if known.size else float("nan")


def sharpness(shots: list[Shot], level: float = 0.95) -> Sharpness:
    """Coverage, λ at the level, and mean width."""
    truth, value, low, high = np.array(shots, dtype=np.float64).T
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    found = float(np.quantile(needed(truth, value, low, high), level))
    return Sharpness(float(held.mean()), found, float(np.mean(high - low)), len(shots))
