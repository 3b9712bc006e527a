"""Confidence bands of a corrected ROC curve, from the definition on raw rows.

A point (fpr, tpr) is kept if at some threshold the heads of labelled and of other rows that it implies lie
within an ellipse around those observed, whose half axes are Clopper–Pearson reaches (half a row that may be
missing for the other rows). Thresholds and ellipses are tried one by one; ties are joined by straight lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import beta

Points = list[tuple[float, float]]


def reaches(share: float, rows: float, z: float, missed: float) -> tuple[float, float]:
    """How far a share of rows may lie below and above."""
    tail = 0.5 * math.erfc(z / math.sqrt(2))
    inside, outside = share * rows, (1 - share) * rows
    low = beta.ppf(tail, inside, outside + missed) if inside > 1e-9 else 0.0
    high = beta.ppf(1 - tail, inside + missed, outside) if outside > 1e-9 else 1.0
    return max(share - low, 0.0), max(high - share, 0.0)


def path(pos: Sequence[float], others: Sequence[float], steps: int) -> Points:
    """Shares of both at every score and at some places in between, from the highest score down."""
    scores = sorted({*pos, *others}, reverse=True)
    corners = [(0.0, 0.0)]
    for t in scores:
        corners.append(
            (sum(s >= t for s in pos) / len(pos), sum(s >= t for s in others) / len(others))
        )
    points = [corners[0]]
    for (g0, h0), (g1, h1) in pairwise(corners):
        for part in (np.arange(steps) + 1) / steps:
            points.append((g0 + part * (g1 - g0), h0 + part * (h1 - h0)))
    return points


def kept(
    pos: Sequence[float],
    others: Sequence[float],
    one_sample: bool,
    share: float,
    z: float,
    steps: int = 10,
    angles: int = 61,
) -> tuple[Points, Points]:
    """Points (fpr, tpr) on the edges of all ellipses, up and to the left, and down and to the right.

    ``share`` is that of positives in the comparison sample; labels are pure.
    """
    labelled = len(pos) / (len(pos) + len(others)) if one_sample else 0.0
    upper, lower = [], []
    for g, h in path(pos, others, steps):
        size = float(len(others))
        if one_sample:  # the share of labelled rows is estimated, too
            smooth = (h * size + 1) / (size + 2)
            spread = smooth * (1 - smooth)
            error = labelled * (1 - labelled) / (len(pos) + len(others))
            size = spread / (spread / size + ((g - h) / (1 - labelled)) ** 2 * error)
        (g_down, g_up), (h_down, h_up) = (
            reaches(g, len(pos), z, 1.0), reaches(h, size, z, 0.5)
        )  # fmt: skip
        for angle in np.linspace(0, math.pi / 2, angles):
            for found, a, b in (
                (upper, g + math.cos(angle) * g_up, h - math.sin(angle) * h_down),
                (lower, g - math.cos(angle) * g_down, h + math.sin(angle) * h_up),
            ):
                f = labelled * a + (1 - labelled) * b
                found.append(((f - share * a) / (1 - share), a))
    return upper, lower


def limits(points: tuple[Points, Points], fpr: float) -> tuple[float, float]:
    """The lowest and the highest true positive rate at a false positive rate, of a curve that rises."""
    upper, lower = points
    high = max((y for x, y in upper if x <= fpr + 1e-12), default=0.0)
    low = min((y for x, y in lower if x >= fpr - 1e-12), default=1.0)
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
