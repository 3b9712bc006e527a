"""Quantiles of the Beta law that hold for any numbers of rows.

scipy's ``betaincinv`` searches in a way that goes astray where one parameter is above some 1e7 and the other
in the hundreds or more: ``betaincinv(1e3, 7e7, 0.025)`` is 7.1e-6 in scipy 1.17, and the quantile is
1.34e-5. ``betainc`` is right there, so quantiles of large parameters start from an approximation (Wise's:
−log(1 − X) · (b + (a − 1)/2) has nearly a Gamma law if a is far below b; Cornish and Fisher's expansion where
both are large) and are polished by Newton's steps. Where a parameter is above 1e9, the approximations are off
by less than 1e-4 standard deviations and stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["beta_quantile"]

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

    a, b, p = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (a, b, probability)))
    large = np.maximum(a, b) > _LARGE
    result = np.array(betaincinv(np.where(large, 1.0, a), np.where(large, 1.0, b), p))
    if large.any():
        turned = a[large] > b[large]
        few, many = np.where(turned, b[large], a[large]), np.where(turned, a[large], b[large])
        found = _polished(few, many, np.where(turned, 1 - p[large], p[large]))
        result[large] = np.where(turned, 1 - found, found)
    return float(result) if result.ndim == 0 else result


def _polished(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """The same for a <= b and large b."""
    from scipy.special import betainc, betaln, gammaincinv

    few = (a < b / 100) & (a < 1e5)
    wise = -np.expm1(-gammaincinv(np.where(few, a, 1.0), p) / (b + (a - 1) / 2))
    x = np.clip(np.where(few, wise, _expanded(np.where(few, b, a), b, p)), 0.0, 1.0)
    if (b > _HUGE).all():
        return x
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(_STEPS):
            density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b))
            step = (betainc(a, b, x) - p) / density
            moved = x - np.where(np.isfinite(step), step, 0.0)
            x = np.where((moved > 0) & (moved < 1) & (b <= _HUGE), moved, x)
    return np.asarray(x)


def _expanded(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
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
