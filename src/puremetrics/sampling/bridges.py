"""How far whole distributions may be off at once: the largest error along them, in standard errors.

The error of the share of a sample above a score, as a function of the score, is a Brownian bridge in the
limit: what the rows of each stretch add, less their share of the sum. A statistic along the scores whose
errors mix several such bridges has a largest error whose law is drawn here, with a fixed seed. Rows with
weights, or that belong to groups, add their squared weights.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.numerics.quantiles import normal_quantile

__all__ = ["Mixture", "bridge_variance"]

_DRAWS = 2000
_SEED = 0
_NONE = 1e-12  # a variance so small beside the largest one is rounding


def bridge_variance(
    share: FloatArray, errors: FloatArray, total: float | None = None
) -> FloatArray:
    """Variance of shares, from their cumulative squared weights over the squared total of weights."""
    whole = float(errors[-1]) if total is None else total
    return np.asarray(errors * (1 - share) ** 2 + (whole - errors) * share**2)


class Mixture:
    """The error of a statistic at several places, as a sum of independent parts."""

    def __init__(self, places: int) -> None:
        self._rng = np.random.default_rng(_SEED)
        self._error = np.zeros((_DRAWS, places), dtype=np.float32)
        self.variance: FloatArray = np.zeros(places)

    def add_bridge(
        self,
        factor: FloatArray,
        share: FloatArray,
        errors: FloatArray,
        total: float | None = None,
    ) -> None:
        """Add ``factor`` times the error of the shares of a sample.

        ``errors`` are as in `bridge_variance`; their ``total`` is the last of them unless it is given.
        """
        whole = float(errors[-1]) if total is None else total
        steps = np.sqrt(np.maximum(np.diff(errors, prepend=0.0), 0.0))
        left = np.sqrt(max(whole - float(np.sum(steps**2)), 0.0))
        drawn = self._rng.standard_normal(self._error.shape, dtype=np.float32)
        drawn *= steps.astype(np.float32)
        np.cumsum(drawn, axis=1, out=drawn)
        last = drawn[:, -1:] + self._draws() * np.float32(left)
        drawn -= last * share.astype(np.float32)
        drawn *= factor.astype(np.float32)
        self._error += drawn
        self.variance = self.variance + factor**2 * bridge_variance(share, errors, whole)

    def add_number(self, factor: FloatArray, variance: float) -> None:
        """Add ``factor`` times the error of a number, which is the same at all places."""
        if variance <= 0:
            return
        self._error += self._draws() * (factor * np.sqrt(variance)).astype(np.float32)
        self.variance = self.variance + factor**2 * variance

    def _draws(self) -> FloatArray:
        """One draw each."""
        return np.asarray(self._rng.standard_normal((_DRAWS, 1), dtype=np.float32))

    def largest(self, level: float, kept: BoolArray) -> float:
        """Quantile of the largest error at places that are kept; at least that of a single one."""
        least = normal_quantile(level)
        kept = kept & (self.variance > _NONE * float(self.variance.max(initial=0.0)))
        if not kept.any():
            return least
        scaled = self._error[:, kept] / np.sqrt(self.variance[kept]).astype(np.float32)
        return max(float(np.quantile(np.abs(scaled, out=scaled).max(axis=1), level)), least)
