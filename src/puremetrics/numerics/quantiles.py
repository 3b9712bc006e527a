"""Quantiles of the normal and of Student's distribution, and what small samples add."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["normal_quantile", "small_sample", "student_quantile"]


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


def small_sample(size: Any) -> Any:
    """Factor that makes a plug-in standard error one of n − 1; of numbers or arrays."""
    found = np.sqrt(np.where(size > 1, size / np.maximum(np.subtract(size, 1), 1e-300), 1.0))
    return found if found.ndim else float(found)
