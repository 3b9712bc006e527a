"""Sums over runs of operating points in closed form, by Euler–Maclaurin beyond the first rows."""

from __future__ import annotations

import math

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["EDGE", "RootSums", "entropy_sums", "entropy_term"]

EDGE = 24  # rows near an end of the ranking that are added up before Euler–Maclaurin is used
_MIDPOINT = {1: -1 / 24, 3: 7 / 5760, 5: -31 / 967680, 7: 127 / 154828800}


class RootSums:
    """Sums of bᵖ / sqrt(N − b) over whole b in 1 … N − 1, for p = −1/2 and 1/2."""

    def __init__(self, total: float) -> None:
        self.total = total
        self.whole = total <= 4 * EDGE

    def between(self, power: float, low: FloatArray, high: FloatArray) -> FloatArray:
        """Sum over low < b ≤ high."""
        n = self.total
        if self.whole:
            return self._added(power, 1.0, n - 1, low, high)
        bottom, top = float(EDGE), n - 1 - EDGE
        sums = self._added(power, 1.0, bottom, low, high)
        sums += self._added(power, top + 1, n - 1, low, high)
        return sums + self._integrated(power, np.clip(low, bottom, top), np.clip(high, bottom, top))

    def _added(
        self, power: float, first: float, last: float, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        b = np.arange(first, last + 1)
        table = np.concatenate([[0.0], np.cumsum(b**power / np.sqrt(self.total - b))])
        ends = [np.clip(end - first + 1, 0, b.size).astype(np.intp) for end in (low, high)]
        return np.asarray(table[ends[1]] - table[ends[0]])

    def _integrated(self, power: float, low: FloatArray, high: FloatArray) -> FloatArray:
        n, x1, x2 = self.total, low + 0.5, high + 0.5
        left, right = np.sqrt(x1 * (n - x1)), np.sqrt(x2 * (n - x2))
        across = np.sqrt(x2 * (n - x1)) + np.sqrt(x1 * (n - x2))
        along = np.sqrt(x1 * x2) + np.sqrt((n - x1) * (n - x2))
        result = 2 * np.arctan2(n * (x2 - x1) / across, along)
        if power > 0:
            result = n / 2 * result - (x2 - x1) * (n - x1 - x2) / (left + right)
        for order, factor in _MIDPOINT.items():
            rise = _root_derivative(power, order, x2, n) - _root_derivative(power, order, x1, n)
            result = result + factor * rise
        return np.asarray(result)


def _root_derivative(power: float, order: int, x: FloatArray, total: float) -> FloatArray:
    """Derivative of xᵖ (N − x)^(−1/2), by Leibniz's rule."""
    inner, outer = [1.0], [1.0]
    for i in range(order):
        inner.append(inner[-1] * (power - i))
        outer.append(outer[-1] * (0.5 + i))
    # Σ_i binomial · inner_i outer_{order − i} x⁻ⁱ (N − x)^(i − order), by Horner in (N − x) / x
    ratio = (total - x) / x
    result = np.zeros(x.shape)
    for i in range(order, -1, -1):
        result *= ratio
        result += math.comb(order, i) * inner[i] * outer[order - i]
    return np.asarray(result * x**power / (np.sqrt(total - x) * (total - x) ** order))


def entropy_term(x: FloatArray, total: float) -> FloatArray:
    """Return x log(x / N), which is 0 at 0."""
    return np.asarray(x * np.log(np.maximum(x, 1.0) / total))


def entropy_sums(low: FloatArray, high: FloatArray, total: float) -> FloatArray:
    """Sum of x log(x / N) over low < x ≤ high, by tables and the Euler–Maclaurin formula; low ≥ −1."""
    table = np.cumsum(entropy_term(np.arange(EDGE + 1.0), total))
    table = np.concatenate([[0.0], table])
    ends = [np.minimum(end + 1, EDGE + 1).astype(np.intp) for end in (low, high)]
    result = table[ends[1]] - table[ends[0]]
    x1, x2 = np.maximum(low, EDGE) + 0.5, np.maximum(high, EDGE) + 0.5
    width, log = x2 - x1, np.log1p((x2 - x1) / x1)
    result += 0.5 * (width * (x1 + x2) * (np.log(x1 / total) - 0.5) + x2**2 * log)
    p1, p2 = 1 / x1**2, 1 / x2**2
    result -= log / 24 + 7 / 5760 * (p2 - p1) - 31 / 161280 * (p2**2 - p1**2)
    return np.asarray(result - 127 / 1290240 * (p2**3 - p1**3))
