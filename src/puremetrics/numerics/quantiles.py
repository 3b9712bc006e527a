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
    """Two-sided quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def small_sample(size: Any) -> Any:
    """Factor that makes a plug-in standard error one of n − 1; of numbers or arrays."""
    found = np.sqrt(np.where(size > 1, size / np.maximum(np.subtract(size, 1), 1e-300), 1.0))
    return found if found.ndim else float(found)
