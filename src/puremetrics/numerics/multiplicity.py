"""Many tests and intervals at once: Holm's step-down procedure, and the largest of several z."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["holm_adjusted", "holm_rejected", "simultaneous_level"]

_MOST_CONTRASTS = 500
_DRAWS = 40_000


def holm_adjusted(p_values: FloatArray) -> FloatArray:
    """P-values adjusted for their number.

    >>> holm_adjusted(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    times = np.arange(p_values.size, 0, -1)
    adjusted = np.empty(p_values.size)
    adjusted[order] = np.maximum.accumulate(np.minimum(p_values[order] * times, 1.0))
    return adjusted


def holm_rejected(p_values: FloatArray, error: float) -> list[int]:
    """Places whose hypotheses are rejected at that error rate, most extreme first.

    P-values that differ by rounding only count as equal, and keep the order they came in.
    """
    order = np.argsort(p_values.astype(np.float32), kind="stable")
    adjusted = holm_adjusted(p_values)
    return [int(i) for i in order if adjusted[i] < error]


def simultaneous_level(covariance: FloatArray, contrasts: FloatArray, level: float) -> float:
    """The level of each interval at which those of all contrasts hold together (max |z|).

    Estimates are normal with this covariance; contrasts are rows of weights. The quantile of the largest
    studentized contrast comes from draws that are the same in every run. It is never above Bonferroni's,
    which is used as it is for very many contrasts.

    >>> round(simultaneous_level(np.eye(3), np.eye(3), 0.95), 3)  # independent: 0.95 ** (1/3)
    0.983
    """
    from scipy.special import ndtr

    count = contrasts.shape[0]
    bonferroni: float = 1 - (1 - level) / max(int(count), 1)
    spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts), 0.0))
    varies = spread > 0
    if count < 2 or count > _MOST_CONTRASTS or not varies.any():
        return bonferroni
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    scaled = (contrasts[varies] / spread[varies, None]) @ root
    rng = np.random.default_rng(0)
    largest = np.concatenate([
        np.abs(rng.standard_normal((_DRAWS // 20, root.shape[1])) @ scaled.T).max(axis=1)
        for _ in range(20)
    ])  # fmt: skip
    found = float(2 * ndtr(np.quantile(largest, level)) - 1)
    return min(max(found, level), bonferroni)
