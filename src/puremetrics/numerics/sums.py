"""Sums whose bits do not depend on the machine's number of threads."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray

__all__ = ["weighted_sum"]


def weighted_sum(weights: CountArray, values: FloatArray) -> float:
    """Sum of products by pairwise summation.

    BLAS (``np.dot``, ``@``) splits long vectors among its threads, so its last bits depend on their number.
    """
    return float(np.sum(weights * values))
