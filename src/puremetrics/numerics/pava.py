"""Weighted isotonic regression and the least concave majorant, on scipy's pool-adjacent-violators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray

IntArray = npt.NDArray[np.intp]

__all__ = ["bounded_isotonic", "concave_blocks"]


def bounded_isotonic(
    values: FloatArray, weights: FloatArray, low: float = -np.inf, high: float = np.inf
) -> FloatArray:
    """Weighted least-squares fit that is non-decreasing and stays within [low, high].

    Clipping the unbounded isotonic fit solves the bounded problem exactly. Entries of weight zero
    do not influence the fit; each keeps its own value as far as its neighbours' fit allows.
    """
    from scipy.optimize import isotonic_regression

    heavy = weights > 0
    if not heavy.any():
        return np.clip(np.maximum.accumulate(values), low, high)
    fitted = isotonic_regression(values[heavy], weights=weights[heavy]).x
    if heavy.all():
        return np.asarray(np.clip(fitted, low, high))
    rank = np.cumsum(heavy)  # how many heavy entries up to and including each entry
    floor = np.concatenate([[-np.inf], fitted])[rank]
    ceiling = np.concatenate([fitted, [np.inf]])[rank]
    free = np.where(heavy, floor, np.clip(values, floor, ceiling))
    return np.clip(np.maximum.accumulate(free), low, high)


def concave_blocks(dx: FloatArray, dy: FloatArray) -> IntArray:
    """Where the least concave majorant of the polyline with these steps touches it.

    Steps are non-negative, and no step is zero in both. Returns the number of steps up to each vertex,
    from 0 to all of them. Pooling the share dy / (dx + dy), weighted by dx + dy, orders steps by slope
    without dividing by a zero dx.
    """
    from scipy.optimize import isotonic_regression

    size = dx + dy
    return np.asarray(isotonic_regression(dy / size, weights=size, increasing=False).blocks)
