"""The default: an average over shapes of the negatives, and an allowance for what no shape can show.

Whether the top of a ranking is its purest part.

On the scale on which labelled scores are uniform the unlabeled have density g(v) = a + (1 − a) h(v), with h
that of the negatives, and methods read a off the top, where a good ranking has h = 0 and from where h only
rises. Some rankings turn: a group of negatives scores above most positives (a linear model and a class that
lies on the far side of the positives), so g falls first and rises later. Its top then shows too large a
share, with all the certainty of many rows, and nothing in a model of rising h says so.

The test compares two fits of the share of unlabeled rows in each bin: rising from the top on, or falling down
to some bin and rising from there (isotonic regressions of binomial counts). The gain of the second in log
likelihood says how much the data prefer a turn. If the ranking never turns it is seldom above 2 and hardly
ever above 8, though the best of many places is taken.

What lies above the turn can be left out. The ratio g is not changed by leaving out the rows above some score:
of those below, a share t of the labelled and u of the unlabeled, a share a·t/u of the unlabeled is positive.

Share of positives when the negatives' density is convex on the scale of the labelled ranks.

On the scale ``v`` (share of the labelled above a score) the unlabeled have density a + (1 − a)
h(v). If h is convex and rising with h(0) = 0, it is a mixture of triangles ((v − t)/(1 − t))₊² and
of a group below all labelled, and maximum likelihood over a and the mixture is a mixture-proportion
problem, solved by EM. The same idea estimates the proportion of true null hypotheses from p-values
(Langaas, Lindqvist, Ferkingstad 2005). EM stops after a fixed number of steps; from 300 to 2 000
steps the answer moves by less than its sampling error.

Chosen by evidence (evidence/priors.md, evidence/real_priors.md). Averaging the likelihood over shapes
(`shapes`) extrapolates beyond the overlap of the classes, from ranks only. Its interval is that of the
posterior around its mean. Half the distance to a second model (`convex`, which assumes less and errs
differently) is added in quadrature on either side: disagreement between two models is an error that sampling
does not show. That is the largest share of the labelled's distribution in the unlabeled. The answer allows
for two things beyond it:

- the ranking may turn, so that its top is not its purest part (`turning`): then the rows above the turn are
  left out, or if that is doubtful the lower limit is the lower one of both;
- some negatives may look like positives (`lookalikes`).

Where classes part, some head of the ranking holds hardly a negative and nothing has to be extrapolated: the
share can be read off that head (`slope`), while the average over shapes, most of which overlap, comes out too
low. So the answer moves from the one to the other with the overlap of the classes, as e^(−x/0.04), where
x is the mean overlap at the two answers. The limits stay those of the shapes.

Noisy labels (`combined_n`). The shapes with exchanged roles give the share of the unlabeled's distribution in
the labelled, hence prior and purity (`noise`); rows of either class may look like the other (`mutual`). Where
the classes part, both shares move to those of the purest heads, unless these ask for an AUC above 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.priors.lookalikes import (
    allowing_both,
    likely,
    overlap,
    prior_and_purity,
    upper_reach,
)
from puremetrics.priors.samples import LIKELY, Samples, ShareFit
from puremetrics.priors.shapes import labelled_bins, share_posterior
from puremetrics.priors.slope import slope

__all__ = [
    "DOUBTFUL",
    "SURE",
    "Bins",
    "Turn",
    "below",
    "combined",
    "combined_n",
    "convex_share",
    "excess_of",
    "turn_of",
]


DOUBTFUL, SURE = 2.0, 8.0  # gains in log likelihood
_LOWEST = 0.6  # share of the labelled above the lowest turn that is looked for
_LEFT = 3  # bins below it, at least


class Bins(NamedTuple):
    """Labelled and unlabeled rows by bin, and the share of the labelled above each edge."""

    pos: FloatArray
    unl: FloatArray
    above: FloatArray


class Turn(NamedTuple):
    """How many bins lie above the best turn, and how much it gains."""

    bins: int
    gain: float


def turn_of(bins: Bins) -> Turn:
    """The best place for a turn; none, without a gain, if the ratio only rises.

    >>> pos = np.full(10, 50.0)
    >>> bins = Bins(pos, pos * [9, 1, 1, 1, 1, 2, 3, 4, 9, 30], np.linspace(0, 1, 11))
    >>> turn_of(bins).bins
    1
    """
    both = bins.pos + bins.unl
    share = bins.unl / both
    some = int(np.flatnonzero(bins.unl)[-1])  # no turn below all unlabeled rows
    last = min(int(np.searchsorted(bins.above, _LOWEST)), share.size - _LEFT, some)
    rising = [_fitted(bins, share, both, slice(k, None)) for k in range(max(last, 0) + 1)]
    best = Turn(0, 0.0)
    for k in range(1, last + 1):
        falling = _fitted(bins, share, both, slice(k - 1, None, -1))
        gain = falling + rising[k] - rising[0]
        if gain > best.gain:
            best = Turn(k, gain)
    return best


def excess_of(bins: Bins) -> float:
    """By how much the share that the first bin shows exceeds the smallest that some head shows.

    >>> excess_of(Bins(np.full(4, 10.0), np.array([30.0, 10, 20, 140]), np.linspace(0, 1, 5)))
    0.2
    """
    ratio = np.cumsum(bins.unl) / np.cumsum(bins.pos)
    scale = bins.pos.sum() / bins.unl.sum()
    return float(scale * (ratio[0] - ratio.min()))


def below(bins: Bins, count: int) -> tuple[Bins, float]:
    """The bins without the first ones, and by what a share among their rows is multiplied."""
    if count == 0:
        return bins, 1.0
    edge = float(bins.above[count])
    above = (bins.above[count:] - edge) / (1 - edge)
    left = Bins(bins.pos[count:], bins.unl[count:], above)
    return left, float(left.unl.sum() / bins.unl.sum() / (1 - edge))


def _fitted(bins: Bins, share: FloatArray, both: FloatArray, part: slice) -> float:
    """Log likelihood of the best rising fit, in the order of the slice."""
    fit = np.clip(bounded_isotonic(share[part], both[part]), 1e-12, 1 - 1e-12)
    return float(np.sum(bins.unl[part] * np.log(fit) + bins.pos[part] * np.log1p(-fit)))


_STARTS = np.linspace(0.0, 0.98, 40)
_STEPS = 300


def convex_share(unl: FloatArray, above: FloatArray) -> float:
    """Maximum-likelihood share under a convex rising density of the negatives.

    Parameters
    ----------
    unl : ndarray, shape (k,)
        Unlabeled rows per bin, from the highest scores down.
    above : ndarray, shape (k + 1,)
        Share of the labelled above each edge.

    Examples
    --------
    >>> round(convex_share(np.array([30.0, 30.0, 40.0]), np.array([0.0, 0.5, 0.9, 1.0])), 2)
    0.56
    """
    risen = np.maximum((above[:, None] - _STARTS) / (1 - _STARTS), 0.0) ** 2
    far = np.zeros((unl.size, 1))
    far[-1] = 1.0
    parts = np.concatenate([np.diff(above)[:, None], np.diff(risen, axis=0), far], axis=1)
    shares = np.full(parts.shape[1], 1 / parts.shape[1])
    target = unl / unl.sum()
    for _ in range(_STEPS):
        fitted = parts @ shares
        shares = shares * ((target / np.maximum(fitted, 1e-300)) @ parts)
    return float(shares[0])


_PARTED = 0.04  # overlap at which the purest head counts for a third


def combined(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives among the unlabeled, with interval; the objective is the log posterior.

    Costs some 20 ms whatever the number of rows; memory is shapes × bins, below 1 MB.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = combined(samples)
    >>> 0.02 < fit.low < fit.share < fit.high < 0.15
    True
    """
    bins = Bins(*labelled_bins(samples))
    turn = turn_of(bins)
    turned = turn.gain >= SURE
    fit, low, high = _of_bins(bins, turn.bins if turned else 0, level)
    if DOUBTFUL <= turn.gain < SURE:
        low = min(low, _of_bins(bins, turn.bins, level)[1])
    apart = overlap(samples, fit.share)
    share = fit.share
    if not turned:
        head = slope(samples).share  # not at the interval's level, on which no share may depend
        share = _read_off(share, head, (apart + overlap(samples, head)) / 2)
    high = fit.share + upper_reach(samples.size_pos) * (high - fit.share)
    found = likely(share, low, high, apart)
    return replace(
        fit, share=found.share, low=found.low, high=found.high, separable=share,
        lookalikes=found.lookalikes, turned=turned, excess=excess_of(bins), status=LIKELY,
    )  # fmt: skip


def _read_off(share: float, head: float, apart: float) -> float:
    """The share, moved towards that of the purest head as far as the classes part."""
    return float(share + np.exp(-apart / _PARTED) * (head - share))


def largest_fit(samples: Samples, level: float = 0.95) -> ShareFit:
    """The largest share of the labelled's distribution in the unlabeled, with interval."""
    return _of_bins(Bins(*labelled_bins(samples)), 0, level)[0]


def _of_bins(bins: Bins, left_out: int, level: float) -> tuple[ShareFit, float, float]:
    """The same without the first bins, and its limits."""
    kept, scale = below(bins, left_out)
    posterior = share_posterior(*kept)
    mean, half = (
        posterior.mean,
        abs(posterior.quantile(0.5) - convex_share(kept.unl, kept.above)) / 2,
    )
    low = mean - np.hypot(mean - posterior.quantile((1 - level) / 2), half)
    high = mean + np.hypot(posterior.quantile((1 + level) / 2) - mean, half)
    share, low, high = (float(np.clip(scale * x, 0.0, 1.0)) for x in (mean, low, high))
    fit = ShareFit(share, scale * posterior.share, posterior.log_density, low, high)
    return fit, low, high


def combined_n(samples: Samples, level: float = 0.95) -> ShareFit:
    """Share of positives and purity of noisy labels together, with the default in both directions.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 60]), np.array([60.0, 30, 910])
    >>> fit = combined_n(Samples(np.arange(3.0)[::-1], pos, unl, True))
    >>> 0 < fit.share < fit.purity <= 1
    True
    """
    both = samples, samples.swapped()
    fits = [largest_fit(one, level) for one in both]
    heads = [slope(one).share for one in both]
    pairs = [
        prior_and_purity(mixed, 1 - own) for mixed, own in ([fit.share for fit in fits], heads)
    ]
    if pairs[1][1] - pairs[1][0] >= 2 * samples.area - 1:  # else no classes are that far apart
        apart = sum(overlap(samples, *pair) for pair in pairs) / 2
        fits = [
            replace(fit, share=_read_off(fit.share, head, apart))
            for fit, head in zip(fits, heads, strict=True)
        ]
    return allowing_both(samples, *fits)
