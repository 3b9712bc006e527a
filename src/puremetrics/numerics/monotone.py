"""Monotone and concave fits: isotonic regression, majorants, and curves that can be ROC curves.

`bounded_isotonic` is weighted isotonic regression and `concave_blocks` the least concave majorant, both on
scipy's pool-adjacent-violators. `envelope` and `projection` turn a raw corrected path into a curve that can
be a ROC curve.

Correcting every operating point (Jain, Eqs. (1) and (2)) is an affine map. With finite samples the path it
gives may fold back or leave the unit square: a labelled positive moves it up and to the left, an unlabeled
row to the right (and down, if labels are noisy). Two repairs are offered, both on the polyline itself, so
that they do not depend on how finely unlabeled scores differ.

`envelope`
    Jain's Algorithm 1: keep, at each false positive rate, the best true positive rate reached so
    far. Deviations: (a) the algorithm sorts the operating points and joins them; here every point
    of the polyline counts, which is the limit of many unlabeled rows and makes a table cut at the
    labelled scores exact. (b) Points outside the square are moved to its border instead of being
    dropped; with clean labels the two agree on the polyline.
`projection`
    The nearest possible curve: both rates are replaced by their bounded isotonic regression along
    the thresholds. Non-decreasing false positives are the same as a slope of at most 1/prior in
    the positive-unlabeled plane. Weights are chosen such that pooling keeps the area, so that only
    leaving the square is corrected and no upward bias arises from taking maxima.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray

__all__ = ["bounded_isotonic", "concave_blocks", "envelope", "projection"]


IntArray = npt.NDArray[np.intp]


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


def envelope(
    x: FloatArray, y: FloatArray, threshold: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Upper-left envelope of a polyline inside the unit square.

    The steps of a corrected path never go left and down at once. Hence the envelope visits the
    vertices in order, each pulled left to the smallest x still to come and up to the largest y
    so far. A segment that rises to the right is seen only between these two limits; the points
    where it enters and leaves view become vertices.
    """
    left = _snapped(np.minimum.accumulate(x[::-1])[::-1], x)
    top = _snapped(np.maximum.accumulate(y), y)
    # Two points a segment: the corner by which it is reached, and its end. A point that repeats the one
    # before it is dropped at the end.
    size = 2 * x.size - 1
    out_x, out_y, out_t = np.empty(size), np.empty(size), np.empty(size)
    out_x[0], out_y[0], out_t[0] = left[0], top[0], threshold[0]
    out_x[1::2], out_y[1::2], out_t[1::2] = left[1:], top[:-1], threshold[1:]
    out_x[2::2], out_y[2::2], out_t[2::2] = left[1:], top[1:], threshold[1:]
    slanted = np.flatnonzero((x[1:] > x[:-1]) & (y[1:] > y[:-1]))
    if slanted.size:
        x0, x1, y0, y1 = x[slanted], x[slanted + 1], y[slanted], y[slanted + 1]
        corner_x, corner_y = left[slanted + 1], top[slanted]
        run, rise = x1 - x0, y1 - y0
        enter_x = np.maximum(x0 + (corner_y - y0) / rise * run, x0)
        leave_y = np.minimum(y0 + (corner_x - x0) / run * rise, y1)
        visible = enter_x < corner_x
        part = visible & ((corner_x < x1) | (corner_y > y0))
        place = 2 * slanted[visible & ~part] + 1  # seen whole: no corner before it
        out_x[place], out_y[place] = out_x[place - 1], out_y[place - 1]
        place = 2 * slanted[part] + 1
        out_x[place] = enter_x[part]
        leaving = corner_x[part], leave_y[part], threshold[slanted[part] + 1]
        out_x, out_y, out_t = (
            np.insert(column, place + 1, added)
            for column, added in zip((out_x, out_y, out_t), leaving, strict=True)
        )
    out_x, out_y, out_t = _clip_to_square(out_x, out_y, out_t)
    moves = np.empty(out_x.size, dtype=np.bool_)
    moves[0] = True
    np.not_equal(out_x[1:], out_x[:-1], out=moves[1:])
    moves[1:] |= out_y[1:] != out_y[:-1]
    return out_x[moves], out_y[moves], out_t[moves]


def _snapped(envelope: FloatArray, path: FloatArray) -> FloatArray:
    """Keep the path where the envelope differs from it by rounding only: a step back that is none."""
    apart = np.abs(envelope - path) >= 1e-12
    return np.where(apart, envelope, path) if apart.any() else path


def projection(
    x: FloatArray, y: FloatArray, threshold: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bounded isotonic regression of both rates along the thresholds."""
    folded = (np.maximum.accumulate(x) + np.minimum.accumulate(x[::-1])[::-1]) / 2
    fitted_y = bounded_isotonic(y, _spacing(folded), 0.0, 1.0)
    fitted_x = bounded_isotonic(x, _spacing(fitted_y), 0.0, 1.0)
    return fitted_x, fitted_y, threshold


def _spacing(values: FloatArray) -> FloatArray:
    """Weight of each vertex in the trapezoid rule along a non-decreasing coordinate."""
    padded = np.concatenate([values[:1], values, values[-1:]])
    return np.asarray((padded[2:] - padded[:-2]) / 2)


def _clip_to_square(
    x: FloatArray, y: FloatArray, threshold: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Clip a monotone polyline to the unit square, adding the points where it crosses the border."""
    for axis in (0, 1):
        main, other = (x, y) if axis == 0 else (y, x)
        for level in (0.0, 1.0):
            if main[0] >= 0.0 if level == 0.0 else main[-1] <= 1.0:
                _snap_to_border(main, level)
                continue  # nothing lies beyond
            main = np.where(np.abs(main - level) < 1e-12, level, main)  # rounding crosses no border
            crosses = np.flatnonzero((main[:-1] < level) & (main[1:] > level))
            if crosses.size:
                i = int(crosses[0])
                part = (level - main[i]) / (main[i + 1] - main[i])
                new = other[i] + part * (other[i + 1] - other[i])
                main = np.insert(main, i + 1, level)
                other = np.insert(other, i + 1, new)
                threshold = np.insert(threshold, i + 1, threshold[i + 1])
        x, y = (main, other) if axis == 0 else (other, main)
    return _inside(x), _inside(y), threshold


def _snap_to_border(values: FloatArray, level: float) -> None:
    """Let a monotone column that stays inside start at 0, and end at 1, where only rounding differs."""
    if level == 0.0:
        values[: np.searchsorted(values, 1e-12)] = 0.0
    else:
        values[np.searchsorted(values, 1 - 1e-12, side="right") :] = 1.0


def _inside(values: FloatArray) -> FloatArray:
    """A monotone column cut to [0, 1]; most have nothing to cut."""
    if values[0] >= 0.0 and values[-1] <= 1.0:
        return values
    return np.clip(values, 0.0, 1.0)
