"""The Lipschitz constant that the data suggest.

The bounds of `theory` assume that P(y = 1 | score) changes by at most L times a change of the score. No data
can prove that, since scores arbitrarily near to each other may differ; and L = 1, which a calibrated
model has, is too small for the very models that one wants to bound (1.52 and 1.14 in Section 5.1 of the
paper). What can be had is a guess: a logistic map p = σ(a·logit s + b), fitted to the counts of the bins, has
slope a·p·(1 − p)/(s·(1 − s)) at the score s, and the largest of it over the mean scores of the bins is
taken, at least 1. A map that is not logistic may be steeper somewhere, and few labels make the guess
vary; bounds that rest on it are estimates of bounds.
"""

from __future__ import annotations

import numpy as np

from puremetrics.calibration.gaps import BinGaps
from puremetrics.calibration.posterior import fit_logistic
from puremetrics.setting import Setting

__all__ = ["suggested_lipschitz"]

_EDGE = 1e-12  # mean scores nearer to 0 or 1 say nothing about slopes


def suggested_lipschitz(setting: Setting, gaps: BinGaps) -> float:
    """Return the steepest slope of a logistic map of the bins, at least 1; O(bins)."""
    moments = gaps.moments
    score = gaps.mean_score
    inside = (gaps.share_pop > 0) & (score > _EDGE) & (score < 1 - _EDGE)
    if np.count_nonzero(inside) < 2 or not 0.0 < setting.prior < 1.0:
        return 1.0
    s = score[inside]
    x = np.log(s) - np.log1p(-s)
    features = np.stack([x, np.ones(x.size)], axis=1)
    counts = moments.positives[0][inside], moments.comparison[0][inside]
    if not (counts[0].sum() > 0 and counts[1].sum() > 0):
        return 1.0
    fit = fit_logistic(setting, features, np.array([1.0, 0.0]), [True, False], counts)
    z = np.clip(np.einsum("ij,j->i", features, fit.parameters), -700, 700)
    p = 1 / (1 + np.exp(-z))
    return max(1.0, float(np.max(fit.parameters[0] * p * (1 - p) / (s * (1 - s)))))
