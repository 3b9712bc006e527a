"""Known negatives show how many negatives look like positives, and so settle the share.

With a sample of both classes the unlabeled are a mixture of two distributions that are both seen,

    U = a·P + (1 − a)·N,

and a is identified without any assumption on how the classes lie to each other: negatives that look like
positives are among the known ones, too. Rows are counted in bins (p_i, n_i: chances of the bin in
either class). The likelihood Σ P_i log p_i + Σ N_i log n_i + Σ U_i log(a p_i + (1 − a) n_i) is maximised over
p and n at every a (expectation and maximisation: each unlabeled row is shared between both classes), so
the sampling error of all three groups is in the curve. Its limits are where it has fallen by half a
chi-squared quantile. The ratio test against bins with chances of their own tells whether the mixture fits.

What is assumed is that the known negatives are a random sample of the negatives. Where they are not, most
often because easy ones are known, the mixture does not fit once there are enough rows; the estimate then
falls back on what the other two groups say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.priors.lookalikes import SMALLEST
from puremetrics.priors.samples import Samples, ShareFit

__all__ = ["BY_NEGATIVES", "FEWEST", "MISFIT", "Mixture", "mixture_of"]

FEWEST = 10.0  # known negatives, for their distribution to say anything
MISFIT = 1e-3  # p-value of the fit below which the known negatives are not believed
_GRID = 1 / (1 + np.exp(-np.linspace(-9.0, 9.0, 121)))
_ROUNDS = 200
_ROWS, _MOST = 10.0, 20
BY_NEGATIVES = "share of positives, as the known negatives tell"


class Mixture(NamedTuple):
    """The fit, and the p-value of its being a mixture."""

    fit: ShareFit
    p_value: float


def mixture_of(samples: Samples, negatives: Samples, level: float = 0.95) -> Mixture:
    """Share of positives among the unlabeled; ``negatives`` has the known negatives in their place.

    Examples
    --------
    >>> score, pos = np.arange(3.0)[::-1], np.array([60.0, 30, 10])
    >>> unlabeled = Samples(score, pos, np.array([150.0, 120, 730]), True)
    >>> known = Samples(score, pos, np.array([10.0, 10, 80]), True)
    >>> found = mixture_of(unlabeled, known).fit
    >>> 0 < found.low < found.share < found.high < 0.3
    True
    """
    from scipy.special import chdtrc, chdtri

    pos, neg, unl = _bins(samples.pos, negatives.unl, samples.unl)
    curve = _log_likelihoods(_GRID, pos, neg, unl)
    best = int(np.argmax(curve))
    ends = _GRID[max(best - 1, 0)], _GRID[min(best + 1, _GRID.size - 1)]
    grid = np.union1d(_GRID, np.linspace(*ends, 41))
    curve = _log_likelihoods(grid, pos, neg, unl)
    best = int(np.argmax(curve))
    fallen = float(chdtri(1, 1 - level)) / 2
    low, high = _limits(grid, curve - curve[best], best, fallen)
    free = sum(_of_counts(counts) for counts in (pos, neg, unl))
    degrees = max(int(np.sum(unl + pos + neg > 0)) - 2, 1)
    p_value = float(chdtrc(degrees, max(2 * (free - float(curve[best])), 0.0)))
    share = float(grid[best])
    low = max(low, share / SMALLEST)
    fit = ShareFit(share, grid, curve - curve[best], low, high, status=BY_NEGATIVES)
    return Mixture(fit, p_value)


def _bins(*groups: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Counts of positives, negatives and unlabeled in bins of equal mass of both classes.

    Chances of many bins are fitted to few rows: there is a bin for every ten of the smaller class.
    """
    pos, neg, _ = groups
    smaller = min(pos.sum(), neg.sum())
    count = int(np.clip(smaller / _ROWS, 2, _MOST))
    mass = np.cumsum(pos / pos.sum() + neg / neg.sum()) / 2
    starts = np.unique(np.append(0, np.searchsorted(mass, np.arange(1, count) / count) + 1))
    starts = starts[starts < pos.size]
    pos, neg, unl = (np.add.reduceat(group, starts) for group in groups)
    return pos, neg, unl


def _log_likelihoods(
    shares: FloatArray, pos: FloatArray, neg: FloatArray, unl: FloatArray
) -> FloatArray:
    """Largest log likelihood at each share, over what both classes may look like."""
    a = shares[:, None]
    # Half a row in each bin to start with: a chance of 0 would stay 0.
    p = np.broadcast_to((pos + 0.5) / (pos + 0.5).sum(), (shares.size, pos.size))
    n = np.broadcast_to((neg + 0.5) / (neg + 0.5).sum(), p.shape)
    for _ in range(_ROUNDS):
        part = a * p / (a * p + (1 - a) * n)
        p, before = pos + unl * part, p
        n = neg + unl * (1 - part)
        p, n = (np.maximum(x / x.sum(axis=1, keepdims=True), 1e-300) for x in (p, n))
        if np.max(np.abs(p - before)) < 1e-9:
            break
    terms = pos * np.log(p) + neg * np.log(n) + unl * np.log(a * p + (1 - a) * n)
    return np.asarray(terms.sum(axis=1))


def _of_counts(counts: FloatArray) -> float:
    """Log likelihood of bins with chances of their own."""
    some = counts[counts > 0]
    return float(np.sum(some * np.log(some / counts.sum())))


def _limits(grid: FloatArray, fall: FloatArray, best: int, fallen: float) -> tuple[float, float]:
    """Where the curve has fallen so far, on either side; the ends of [0, 1] if it does not."""
    ends = []
    for side, end in ((slice(best, None, -1), 0.0), (slice(best, None), 1.0)):
        below = np.flatnonzero(fall[side] < -fallen)
        if not below.size:
            ends.append(end)
            continue
        at = int(below[0])
        near, far = fall[side][at - 1], fall[side][at]
        weight = (-fallen - near) / (far - near)
        ends.append(float(grid[side][at - 1] + weight * (grid[side][at] - grid[side][at - 1])))
    return ends[0], ends[1]
