"""From a raw corrected path to a curve that can be a ROC curve.

Correcting every operating point (Jain, Eqs. (1) and (2)) is an affine map. With finite samples
the path it gives may fold back or leave the unit square: a labelled positive moves it up and to
the left, an unlabeled row to the right (and down, if labels are noisy). Two repairs are offered,
both on the polyline itself, so that they do not depend on how finely unlabeled scores differ.

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

from puremetrics._validation import FloatArray
from puremetrics.pava import bounded_isotonic

__all__ = ["envelope", "projection"]


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
    x0, x1, y0, y1 = x[:-1], x[1:], y[:-1], y[1:]
    run, rise = x1 - x0, y1 - y0
    corner_x, corner_y = left[1:], top[:-1]
    slanted = (run > 0) & (rise > 0)
    safe_run, safe_rise = np.where(slanted, run, 1.0), np.where(slanted, rise, 1.0)
    enter_x = np.maximum(x0 + (corner_y - y0) / safe_rise * safe_run, x0)
    leave_y = np.minimum(y0 + (corner_x - x0) / safe_run * safe_rise, y1)
    seen = slanted & (enter_x < corner_x) & ((corner_x < x1) | (corner_y > y0))
    hidden = ~slanted | (enter_x >= corner_x)
    # Per segment: entering point, leaving point, end vertex. Unneeded vertices are dropped.
    points_x = np.stack([np.where(seen, enter_x, corner_x), corner_x, left[1:]], axis=1)
    points_y = np.stack([corner_y, np.where(seen, leave_y, corner_y), top[1:]], axis=1)
    keep = np.stack([seen | hidden, seen, np.ones_like(seen)], axis=1).ravel()
    out_x = np.concatenate([left[:1], points_x.ravel()[keep]])
    out_y = np.concatenate([top[:1], points_y.ravel()[keep]])
    out_t = np.concatenate([threshold[:1], np.repeat(threshold[1:], 3)[keep]])
    out_x, out_y, out_t = _clip_to_square(out_x, out_y, out_t)
    moves = np.concatenate([[True], (np.diff(out_x) != 0) | (np.diff(out_y) != 0)])
    return out_x[moves], out_y[moves], out_t[moves]


def _snapped(envelope: FloatArray, path: FloatArray) -> FloatArray:
    """Keep the path where the envelope differs from it by rounding only: a step back that is none."""
    return np.where(np.abs(envelope - path) < 1e-12, path, envelope)


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
    return np.clip(x, 0.0, 1.0), np.clip(y, 0.0, 1.0), threshold
