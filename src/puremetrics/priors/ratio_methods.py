"""Four methods from a ratio of both samples: best bin, DEDPUL, Elkan–Noto, and the slope with its bound.

**Best bin estimation** (`best_bin`): the ratio of both samples' shares above the best threshold. Paper: Garg,
Wu, Smola, Balakrishnan, Lipton 2021. Above a threshold t the share of positives among the unlabeled is at
most q_U(t) / q_P(t), with equality where no negative scores t or more. The threshold minimises that ratio
plus its uncertainty, (1 + γ)/q_P · (√(log(4/δ)/2n) + √(log(4/δ)/2m)), δ = 0.1 and γ = 0.01.

**DEDPUL** (`dedpul`): difference of densities between positives and unlabeled. Paper: Ivanov 2020. With r =
f_P / f_U at the unlabeled points, a share a is consistent as long as a r ≤ 1; the posterior of an unlabeled
point being negative is max(0, 1 − a r), and EM iterates 1 − a ← mean of that over the unlabeled. Any a below
1 / max r is a fixed point, so the iteration starts at a = 1 and stops at the largest one.

Deviation: the ratio is an isotonic fit on bins of labelled ranks instead of the ratio of two kernel densities
on logits; it is monotone and invariant to increasing maps of the score. The fallback of the paper (largest
bend of the difference between a and the mean posterior) is kept for the case that EM ends at zero.

**Elkan–Noto** (`elkan_noto`): the label frequency from calibrated probabilities of being labelled. Paper:
Elkan, Noto 2008. If g(x) = P(labelled | x) is calibrated on labelled and unlabeled rows together and labels
were given at random, then g(x) = c P(y = 1 | x) with c the share of positives that carry a label. Three
estimators of c from held-out scores: e1, the mean over the labelled; e2, the sum over the labelled divided by
the sum over all; e3, the maximum. Of m labelled rows follow m/c positives, so a = m (1 − c) / (c n). All
three are biased when classes overlap: e1 and e2 assume that every positive has P(y = 1 | x) = 1.

**The slope, and the largest share** (`slope`, `largest_share`), with a guarantee for finite samples. Papers:
Blanchard, Lee, Scott 2010; Sanderson, Scott 2014 (the share is the slope at the end of the ROC curve of
labelled against unlabeled). For every threshold t the share a satisfies a ≤ q_U(t) / q_P(t): positives alone
already account for a q_P(t).

The published bounds put a uniform band around both distributions. A sharper one needs no band: fix ranks k_1
… k_J in advance, and let t_k be the k-th highest labelled score. Whatever the distribution, q_P(t_k) is at
least a Beta(k, m − k + 1) variable (equal to one without ties), and given the labelled the unlabeled rows at
or above t_k are binomial. So

    a ≤ min over k of  (Clopper–Pearson upper limit of q_U(t_k)) / (lower beta quantile of
    q_P(t_k)),

each limit at error (1 − level)/(2J), holds with probability of at least the level, in samples of any size.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.priors.samples import UPPER_BOUND, Samples, ShareFit, rank_edges

__all__ = ["best_bin", "bound_ranks", "dedpul", "elkan_noto", "largest_share", "slope"]


def best_bin(samples: Samples, *, delta: float = 0.1, gamma: float = 0.01) -> ShareFit:
    """Share of positives among the unlabeled from the purest head of the ranking.

    Holds where some head of the ranking has positives only; too large otherwise. The objective
    curve is the penalised ratio at each threshold, drawn over the share of the labelled above it.
    O(labelled).

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> round(best_bin(samples).share, 3)
    0.1
    """
    total_pos, total_unl = samples.cumulative()
    seen = total_pos > 0
    size_pos, size_unl = total_pos[-1], total_unl[-1]
    share_pos, share_unl = total_pos[seen] / size_pos, total_unl[seen] / size_unl
    spread = np.sqrt(np.log(4 / delta) / (2 * size_unl)) + np.sqrt(
        np.log(4 / delta) / (2 * size_pos)
    )
    objective = (share_unl + (1 + gamma) * spread) / share_pos
    best = int(np.argmin(objective))
    return ShareFit(min(float(share_unl[best] / share_pos[best]), 1.0), share_pos, objective)


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


def elkan_noto(samples: Samples, which: str = "e1") -> ShareFit:
    """Share of positives among the unlabeled from probabilities of being labelled. O(rows).

    Examples
    --------
    >>> import numpy as np
    >>> samples = Samples(np.array([0.8, 0.1]), np.array([8.0, 0]), np.array([2.0, 90]), False)
    >>> round(elkan_noto(samples, "e1").share, 4), round(2 / 92, 4)
    (0.0217, 0.0217)
    """
    low, high = float(samples.score[-1]), float(samples.score[0])
    if low < 0 or high > 1 or high <= 0:
        raise InputError(
            f"Elkan–Noto needs probabilities of being labelled, but scores span [{low:g}, {high:g}]. "
            "Use method='combined', which needs only the ranking."
        )
    over_pos, over_unl = (
        weighted_sum(weight, samples.score) for weight in (samples.pos, samples.unl)
    )
    if which == "e1":
        frequency = over_pos / samples.size_pos
    elif which == "e2":
        frequency = over_pos / (over_pos + over_unl) if over_pos > 0 else 0.0
    else:
        frequency = high
    if frequency <= 0:
        raise InputError(
            "Every labelled row has score 0: these are not probabilities of being labelled. Use "
            "method='combined', which needs only the ranking."
        )
    share = samples.size_pos * (1 - frequency) / (frequency * samples.size_unl)
    return ShareFit(min(share, 1.0), status=UPPER_BOUND)


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
    ranks, limits, ratios = _slope_limits(samples, level)
    best = int(np.argmin(limits))
    share = min(float(ratios[best]), 1.0)
    high = min(float(limits[best]), 1.0)
    shares = ranks / samples.size_pos
    return ShareFit(min(share, high), shares, limits, 0.0, high, status=UPPER_BOUND)


def largest_share(samples: Samples, level: float = 0.95) -> float:
    """Upper confidence limit of the share of positives among the unlabeled."""
    return min(float(_slope_limits(samples, level)[1].min()), 1.0)


def bound_ranks(size: int) -> FloatArray:
    """Ranks among the labelled at which the bound is taken; fixed by their number alone."""
    shares = np.concatenate([2.0 ** -np.arange(1, _RANKS - 4), [0.97, 0.9, 0.8, 0.65, 0.35]])
    ranks = np.unique(np.ceil(shares * size))
    enough = ranks[ranks >= min(4, size)]
    return np.asarray(enough)


def _slope_limits(samples: Samples, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
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
