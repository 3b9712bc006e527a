"""The largest share of positives that the data allow, with a finite-sample guarantee.

Papers: Blanchard, Lee, Scott 2010; Sanderson, Scott 2014 (the share is the slope at the end of the
ROC curve of labelled against unlabeled). For every threshold t the share a satisfies a ≤ q_U(t) /
q_P(t): positives alone already account for a q_P(t).

The published bounds put a uniform band around both distributions. A sharper one needs no band: fix
ranks k_1 … k_J in advance, and let t_k be the k-th highest labelled score. Whatever the
distribution, q_P(t_k) is at least a Beta(k, m − k + 1) variable (equal to one without ties), and
given the labelled the unlabeled rows at or above t_k are binomial. So

    a ≤ min over k of  (Clopper–Pearson upper limit of q_U(t_k)) / (lower beta quantile of
    q_P(t_k)),

each limit at error (1 − level)/(2J), holds with probability of at least the level, in samples of
any size.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.priors.samples import UPPER_BOUND, Samples, ShareFit

__all__ = ["bound_ranks", "largest_share", "slope"]

_RANKS = 14
_ROUNDING = 1e-9  # by which an effective number of rows may fall short of a whole one


def slope(samples: Samples, level: float = 0.95) -> ShareFit:
    """Plug-in slope at the ranks of the bound, with the bound as a one-sided interval.

    The plug-in is the ratio q_U/q_P at the rank where the bound is smallest, so it is too large on
    average where classes overlap: the result calls itself an upper bound.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = slope(samples)
    >>> round(fit.share, 3), round(fit.high, 3)
    (0.1, 0.15)
    """
    ranks, limits, ratios = _limits(samples, level)
    best = int(np.argmin(limits))
    share = min(float(ratios[best]), 1.0)
    high = min(float(limits[best]), 1.0)
    shares = ranks / samples.size_pos
    return ShareFit(min(share, high), shares, limits, 0.0, high, status=UPPER_BOUND)


def largest_share(samples: Samples, level: float = 0.95) -> float:
    """Upper confidence limit of the share of positives among the unlabeled."""
    return min(float(_limits(samples, level)[1].min()), 1.0)


def bound_ranks(size: int) -> FloatArray:
    """Ranks among the labelled at which the bound is taken; fixed by their number alone."""
    shares = np.concatenate([2.0 ** -np.arange(1, _RANKS - 4), [0.97, 0.9, 0.8, 0.65, 0.35]])
    ranks = np.unique(np.ceil(shares * size))
    enough = ranks[ranks >= min(4, size)]
    return np.asarray(enough)


def _limits(samples: Samples, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    size_pos, size_unl = samples.size_pos, samples.size_unl
    ranks = bound_ranks(max(int(size_pos + _ROUNDING), 1))
    error = (1 - level) / (2 * ranks.size)
    total_pos, total_unl = samples.cumulative()
    # The first edge with at least k labelled at or above; sums of weights may fall short by rounding.
    place = np.searchsorted(total_pos, ranks * (1 - 1e-12))
    found = total_unl[place]
    upper = np.ones(ranks.size)
    part = found < size_unl
    upper[part] = beta_quantile(found[part] + 1, size_unl - found[part], 1 - error)
    lower = beta_quantile(ranks, size_pos - ranks + 1, error)
    return (
        ranks,
        np.asarray(upper / lower),
        np.asarray(found / size_unl * size_pos / total_pos[place]),
    )
