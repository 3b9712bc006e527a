"""Parts of a ROC curve: up to a false positive rate, or over a range of recall, and the area below them.

Areas are put on McClish's scale (1989), on which chance is ½ and a perfect ranking 1, as scikit-learn does
with ``max_fpr``: ½·(1 + (A − x²/2)/(x − x²/2)), and the same for a range of recalls with its area at chance,
(h − l) − (h² − l²)/2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.results import Curve

__all__ = ["Part", "check_part", "partial_area"]


@dataclass(frozen=True)
class Part:
    """Which part of the curve: false positive rates up to ``fpr``, or recalls from ``low`` to ``high``."""

    fpr: float | None = None
    low: float = 0.0
    high: float = 1.0

    @property
    def chance(self) -> float:
        """The area of a random ranking."""
        if self.fpr is not None:
            return self.fpr**2 / 2
        return self.perfect - (self.high**2 - self.low**2) / 2

    @property
    def perfect(self) -> float:
        """The area of a perfect one."""
        return self.fpr if self.fpr is not None else self.high - self.low

    def scaled(self, area: float) -> float:
        """An area on McClish's scale."""
        return (1 + (area - self.chance) / (self.perfect - self.chance)) / 2

    @property
    def words(self) -> str:
        """Which part, in words."""
        if self.fpr is not None:
            return f"FPR up to {self.fpr:g}"
        return f"recall {self.low:g} to {self.high:g}"


def check_part(max_fpr: object, recall_range: object) -> Part | None:
    """Which part is asked for; None for the whole curve."""
    if max_fpr is not None and recall_range is not None:
        raise InputError("Both max_fpr and recall_range were given. Pass one of them.")
    if max_fpr is not None:
        rate = check_number(max_fpr, "max_fpr")
        if not 0 < rate <= 1:
            raise InputError(f"max_fpr={rate:g} must lie above 0 and be at most 1.")
        return None if rate == 1 else Part(rate)
    if recall_range is None:
        return None
    pair = recall_range.tolist() if isinstance(recall_range, np.ndarray) else recall_range
    ends = list(pair) if isinstance(pair, tuple | list) else []
    if len(ends) != 2:
        raise InputError(f"recall_range={shown(recall_range)} must be a pair such as (0.8, 1).")
    low, high = (check_number(end, "an end of recall_range") for end in ends)
    if not 0 <= low < high <= 1:
        raise InputError(
            f"recall_range=({low:g}, {high:g}) must rise from its lower to its higher end, within 0 and 1."
        )
    return None if (low, high) == (0, 1) else Part(None, low, high)


def partial_area(curve: Curve, part: Part) -> float:
    """The area of that part below a curve."""
    if part.fpr is not None:
        x, y = _until(curve.x, curve.y, part.fpr)
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    area = 0.0
    for end, sign in ((part.high, 1.0), (part.low, -1.0)):
        y, x = _until(curve.y, curve.x, end)
        area += sign * (end - float(np.sum(np.diff(y) * (x[1:] + x[:-1])) / 2))
    return area


def _until(x: FloatArray, y: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """A polyline with rising x up to where x reaches the end."""
    last = int(np.searchsorted(x, end, side="right"))
    if last == x.size:
        return x, y
    start, stop = last - 1, last
    part = (end - x[start]) / (x[stop] - x[start])
    between = y[start] + part * (y[stop] - y[start])
    return np.append(x[:last], end), np.append(y[:last], between)
