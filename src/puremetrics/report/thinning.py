"""Fewer points for the same drawing."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["thinned"]


def thinned(x: FloatArray, y: FloatArray, reach: float = 0.0008) -> Any:
    """Vertices of a simpler line that stays within ``reach`` of this one (Douglas and Peucker)."""
    keep = np.zeros(x.size, dtype=bool)
    keep[[0, -1]] = True
    todo = [(0, x.size - 1)]
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        dx, dy = x[last] - x[first], y[last] - y[first]
        px, py = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
        length = float(np.hypot(dx, dy))
        away = np.hypot(px, py) if length == 0 else np.abs(dx * py - dy * px) / length
        worst = int(np.argmax(away))
        if away[worst] > reach:
            middle = first + 1 + worst
            keep[middle] = True
            todo += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)
