"""Limits of differences and ratios of two estimates, from limits of each.

This is the method of variance estimates recovery. With a and b estimated, (l, u) limits of each at the same
level and ρ their correlation (Zou and Donner 2008),

    a − b:   low = a − b − sqrt((a − l_a)² + (u_b − b)² − 2ρ(a − l_a)(u_b − b)),   likewise high

keeps the asymmetry of each, which matters where labels are few. The ratio r = a / b has as limits those r
at which limits of a − r·b touch 0, a quadratic equation (Donner and Zou 2012).

Where a prior or a label bias is uncertain, each estimate has several versions, and limits are the widest
over all pairs of versions: nothing says that what is unknown of one segment offsets what is unknown of the
other.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

__all__ = ["Version", "difference_limits", "ratio_limits"]


class Version(NamedTuple):
    """An estimate under one version of what is assumed, with how far it may be off below and above."""

    value: float
    below: float
    above: float


def difference_limits(
    first: list[Version], second: list[Version], correlation: float
) -> tuple[float, float]:
    """Limits of the first less the second."""
    ends = []
    for a, b in product(first, second):
        gap = a.value - b.value
        ends.append(gap - _joint(a.below, b.above, correlation))
        ends.append(gap + _joint(a.above, b.below, correlation))
    return min(ends), max(ends)


def ratio_limits(
    first: list[Version], second: list[Version], correlation: float
) -> tuple[float, float]:
    """Limits of the first over the second, both at least 0; the upper one may be infinite."""
    lows, highs = [], []
    for a, b in product(first, second):
        lows.append(_root(a.value, b.value, a.below, b.above, correlation, -1))
        highs.append(_root(a.value, b.value, a.above, b.below, correlation, 1))
    return min(lows), max(highs)


def _joint(own: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(own**2 + other**2 - 2 * correlation * own * other, 0.0)))


def _root(a: float, b: float, own: float, other: float, correlation: float, side: int) -> float:
    """Where (a − r·b)² = own² + r²·other² − 2ρ·r·own·other, on the side of the lower or upper limit."""
    middle = a * b - correlation * own * other
    top, bottom = a**2 - own**2, b**2 - other**2
    root = float(np.sqrt(max(middle**2 - top * bottom, 0.0)))
    if side < 0:
        return max(top / (middle + root), 0.0) if middle + root > 0 and top > 0 else 0.0
    return (middle + root) / bottom if bottom > 1e-12 * b**2 else np.inf
