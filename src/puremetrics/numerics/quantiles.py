"""Quantiles of the normal, Student's and Beta laws, and what many tests at once cost.

**Normal and Student** (`normal_quantile`, `student_quantile`), and what small samples add (`small_sample`).

**Beta** (`beta_quantile`), for any numbers of rows. scipy's ``betaincinv`` searches in a way that goes astray
where one parameter is above some 1e7 and the other in the hundreds or more: ``betaincinv(1e3, 7e7, 0.025)``
is 7.1e-6 in scipy 1.17, and the quantile is 1.34e-5. ``betainc`` is right there, so quantiles of large
parameters start from an approximation (Wise's: −log(1 − X) · (b + (a − 1)/2) has nearly a Gamma law if a is
far below b; Cornish and Fisher's expansion where both are large) and are polished by Newton's steps. Where a
parameter is above 1e9, the approximations are off by less than 1e-4 standard deviations and stay as they are.

**Many tests and intervals at once**: Holm's step-down procedure (`holm_adjusted`, `holm_rejected`), and the
largest of several z (`simultaneous_level`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = [
    "beta_quantile",
    "holm_adjusted",
    "holm_rejected",
    "normal_quantile",
    "simultaneous_level",
    "small_sample",
    "student_quantile",
    "wilson",
]


def normal_quantile(level: float) -> float:
    """Two-sided normal quantile: 1.96 for 0.95."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def student_quantile(degrees: float, level: float) -> float:
    """Two-sided quantile of Student's distribution.

    That of scipy before 1.14 is known to some ten digits only; Newton's step brings the others.
    """
    from scipy.special import gammaln, stdtr, stdtrit

    probability = (1 + level) / 2
    found = float(stdtrit(degrees, probability))
    if not 0 < found < 1e8 or degrees > 1e8:
        return found  # so far out, or so close to the normal law, that there is no step to take
    log_density = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - np.log(degrees * np.pi) / 2
    log_density -= (degrees + 1) / 2 * np.log1p(found**2 / degrees)
    return found - float((stdtr(degrees, found) - probability) / np.exp(log_density))


def wilson(share: Any, size: Any, level: float) -> tuple[Any, Any]:
    """Limits of a binomial share by the score test (Wilson 1927); of numbers or arrays.

    >>> [round(float(end), 4) for end in wilson(0.1, 50, 0.95)]
    [0.0435, 0.2136]
    """
    z = normal_quantile(level)
    middle, spread = share + z**2 / (2 * size), share * (1 - share) / size + (z / (2 * size)) ** 2
    reach, scale = z * np.sqrt(spread), 1 + z**2 / size
    return np.maximum((middle - reach) / scale, 0.0), np.minimum((middle + reach) / scale, 1.0)


def small_sample(size: Any) -> Any:
    """Factor that makes a plug-in standard error one of n − 1; of numbers or arrays."""
    found = np.sqrt(np.where(size > 1, size / np.maximum(np.subtract(size, 1), 1e-300), 1.0))
    return found if found.ndim else float(found)


_LARGE = 1e5  # from here on scipy's search is not relied on
_HUGE = (
    1e9  # and from here on ``betainc`` takes milliseconds, while approximations are exact enough
)
_STEPS = 4


def beta_quantile(a: Any, b: Any, probability: Any) -> Any:
    """Value below which a Beta(a, b) variable lies with this probability; a, b > 0.

    >>> round(beta_quantile(2.0, 3.0, 0.5), 6)
    0.385728
    >>> round(beta_quantile(1e3, 7e7, 0.025) * 1e5, 3)
    1.341
    """
    from scipy.special import betaincinv

    columns = (
        np.asarray(a, np.float64),
        np.asarray(b, np.float64),
        np.asarray(probability, np.float64),
    )
    a, b, p = np.broadcast_arrays(*columns)
    large = np.maximum(a, b) > _LARGE
    result = np.array(betaincinv(np.where(large, 1.0, a), np.where(large, 1.0, b), p))
    if large.any():
        turned = a[large] > b[large]
        few, many = np.where(turned, b[large], a[large]), np.where(turned, a[large], b[large])
        found = _large_beta_quantile(few, many, np.where(turned, 1 - p[large], p[large]))
        result[large] = np.where(turned, 1 - found, found)
    return float(result) if result.ndim == 0 else result


def _large_beta_quantile(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """Quantiles of Beta(a, b) for a <= b and large b: an approximation, improved by Newton's steps."""
    from scipy.special import betainc, betaln, gammaincinv

    few = (a < b / 100) & (a < 1e5)
    wise = -np.expm1(-gammaincinv(np.where(few, a, 1.0), p) / (b + (a - 1) / 2))
    x = np.clip(np.where(few, wise, _cornish_fisher_quantile(np.where(few, b, a), b, p)), 0.0, 1.0)
    if (b > _HUGE).all():
        return x
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(_STEPS):
            density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b))
            step = (betainc(a, b, x) - p) / density
            moved = x - np.where(np.isfinite(step), step, 0.0)
            x = np.where((moved > 0) & (moved < 1) & (b <= _HUGE), moved, x)
    return np.asarray(x)


def _cornish_fisher_quantile(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """Cornish and Fisher's expansion about the normal law, by skewness and kurtosis."""
    from scipy.special import ndtri

    rows, z = a + b, ndtri(p)
    mean = a / rows
    spread = np.sqrt(mean * (b / rows) / (rows + 1))
    skew = 2 * (b - a) / (rows + 2) * np.sqrt((rows + 1) / a / b)
    excess = 6 * ((a - b) / a * ((a - b) / b) * (rows + 1) / (rows + 2) - 1) / (rows + 3)
    moved = (
        z + (z**2 - 1) * skew / 6 + (z**3 - 3 * z) * excess / 24 - (2 * z**3 - 5 * z) * skew**2 / 36
    )
    return np.asarray(mean + spread * moved)


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
