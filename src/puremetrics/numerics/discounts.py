"""How much a place in a list counts: functions of the rank, with exact means over stretches of ranks.

A rank r runs from 0, above the first row, to N, below the last one; the i-th row is the stretch from i − 1
to i. Rows of one score share a stretch, and each counts with the mean over it. ``level`` and ``slope`` are
those of a smooth function, for derivatives; ``mean`` is exact.

- `Even`: 1 everywhere, as in the share of positives among the first k rows.
- `Exponential`: e^(−α·r/N), of the robust initial enhancement (Sheridan et al. 2001). Its mean over the
  stretch of one row is e^(−α·i/N) up to a factor that does not depend on i, so ratios of means are those of
  the formulas for whole ranks.
- `Logarithmic`: 1 / log2(i + 1) in the stretch of the i-th row, of the discounted cumulative gain (Järvelin,
  Kekäläinen 2002). Its sum is counted up to a thousand, and by Euler's and Maclaurin's formula beyond,
  where that is exact to the last digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["Discount", "Even", "Exponential", "Logarithmic"]

_COUNTED = 1000  # ranks whose discounts are added one by one


class Discount:
    """A function of the rank that falls, or is constant."""

    def mean(self, start: Any, end: Any) -> FloatArray:
        """Mean over the ranks from start to end; the value there if they are equal."""
        raise NotImplementedError

    def level(self, rank: Any) -> FloatArray:
        """The value at a rank."""
        raise NotImplementedError

    def slope(self, rank: Any) -> FloatArray:
        """The derivative at a rank."""
        raise NotImplementedError


@dataclass(frozen=True)
class Even(Discount):
    """1 at all ranks."""

    def mean(self, start: Any, end: Any) -> FloatArray:
        """Mean over the ranks from start to end; the value there if they are equal."""
        return np.ones(np.broadcast_shapes(np.shape(start), np.shape(end)))

    def level(self, rank: Any) -> FloatArray:
        """The value at a rank."""
        return np.ones(np.shape(rank))

    def slope(self, rank: Any) -> FloatArray:
        """The derivative at a rank."""
        return np.zeros(np.shape(rank))


@dataclass(frozen=True)
class Exponential(Discount):
    """e^(−α·r/N)."""

    alpha: float
    rows: float

    def mean(self, start: Any, end: Any) -> FloatArray:
        """Mean over the ranks from start to end; the value there if they are equal."""
        way = np.asarray(self.alpha * (np.asarray(end) - start) / self.rows)
        some = way > 0
        part = np.where(some, -np.expm1(-way) / np.where(some, way, 1.0), 1.0)
        return np.asarray(self.level(start) * part)

    def level(self, rank: Any) -> FloatArray:
        """The value at a rank."""
        return np.asarray(np.exp(-self.alpha * np.asarray(rank, dtype=np.float64) / self.rows))

    def slope(self, rank: Any) -> FloatArray:
        """The derivative at a rank."""
        return np.asarray(-self.alpha / self.rows * self.level(rank))


@dataclass(frozen=True)
class Logarithmic(Discount):
    """1 / log2(i + 1) for the i-th row."""

    def mean(self, start: Any, end: Any) -> FloatArray:
        """Mean over the ranks from start to end; the value there if they are equal."""
        first = np.asarray(start, dtype=np.float64)
        way = np.asarray(end) - first
        whole = 1 / np.log2(np.floor(first) + 2)  # of the row that begins there
        apart = (way > 0) & (np.floor(first) != np.ceil(end) - 1)
        rise = self.total(end) - self.total(first)
        return np.asarray(np.where(apart, rise / np.where(apart, way, 1.0), whole))

    def level(self, rank: Any) -> FloatArray:
        """The value at a rank."""
        return np.asarray(1 / np.log2(np.maximum(rank, 0.5) + 1.5))

    def slope(self, rank: Any) -> FloatArray:
        """What one row more above a rank adds: near the top more than a derivative would be right."""
        return np.asarray(self.level(np.asarray(rank) + 1.0) - self.level(rank))

    @staticmethod
    def total(rank: Any) -> FloatArray:
        """Sum of the discounts of all rows above a rank, the last one in part."""
        at = np.asarray(rank, dtype=np.float64)
        whole = np.floor(at)
        counted = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(_COUNTED) + 2.0))])
        total = counted[np.minimum(whole, _COUNTED).astype(np.int64)]
        far = whole > _COUNTED
        if np.any(far):
            total = total + np.where(far, _sum_between(np.maximum(whole, _COUNTED)), 0.0)
        return np.asarray(total + (at - whole) / np.log2(whole + 2))


def _sum_between(last: FloatArray) -> FloatArray:
    """Σ ln 2 / ln(i + 1) over the ranks above a thousand up to ``last``."""
    from scipy.special import expi

    def parts(rank: Any) -> Any:
        x = np.asarray(rank, dtype=np.float64) + 1
        log = np.log(x)
        first = -1 / (x * log**2)
        third = -(2 / log**2 + 6 / log**3 + 6 / log**4) / x**3
        return expi(log) + 1 / (2 * log) + first / 12 - third / 720

    return np.asarray(np.log(2) * (parts(last) - parts(float(_COUNTED))))
