"""DEDPUL: difference of densities between positives and unlabeled.

Paper: Ivanov 2020. With r = f_P / f_U at the unlabeled points, a share a is consistent as long as a
r ≤ 1; the posterior of an unlabeled point being negative is max(0, 1 − a r), and EM iterates 1 − a
← mean of that over the unlabeled. Any a below 1 / max r is a fixed point, so the iteration starts
at a = 1 and stops at the largest one.

Deviation: the ratio is an isotonic fit on bins of labelled ranks instead of the ratio of two kernel
densities on logits; it is monotone and invariant to increasing maps of the score. The fallback of
the paper (largest bend of the difference between a and the mean posterior) is kept for the case
that EM ends at zero.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.pava import bounded_isotonic
from puremetrics.priors.samples import Samples, ShareFit, rank_edges

__all__ = ["dedpul"]

_GRID = np.linspace(0.0, 1.0, 201)
_STEPS = 2000


def dedpul(samples: Samples) -> ShareFit:
    """Share of positives among the unlabeled by EM on a monotone density ratio. O(bins) a step.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> round(dedpul(samples).share, 2)
    0.1
    """
    pos, unl, _ = rank_edges(samples, 0.3, float(np.clip(samples.size_pos / 12, 1.0, 25.0)))
    both = pos / pos.sum() + unl / unl.sum()
    labelled = np.divide(pos / pos.sum(), both, out=np.zeros_like(both), where=both > 0)
    monotone = bounded_isotonic(labelled[::-1], both[::-1])[::-1]
    ratio = monotone / np.maximum(1 - monotone, 1e-12)
    weight = unl / unl.sum()
    gap = _GRID - np.minimum(_GRID[:, None] * ratio, 1.0) @ weight
    share = 1.0
    for _ in range(_STEPS):
        new = float(np.minimum(share * ratio, 1.0) @ weight)
        if abs(new - share) < 1e-10:
            break
        share = new
    if share < 1e-6:
        share = _largest_bend(gap)
    return ShareFit(share, _GRID, gap)


def _largest_bend(gap: FloatArray) -> float:
    return float(_GRID[1 + int(np.argmax(gap[2:] - 2 * gap[1:-1] + gap[:-2]))])
