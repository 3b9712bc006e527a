"""The default: an average over shapes of the negatives, and an allowance for what no shape can show.

Chosen by evidence (evidence/priors.md, evidence/real_priors.md). Averaging the likelihood over shapes
(`share_posterior`) extrapolates beyond the overlap of the classes, from ranks only. Its interval is that of
the posterior around its mean. Half the distance to a second model (`convex_share`, which assumes less and
errs differently) is added in quadrature on either side: disagreement between two models is an error that
sampling does not show. That is the largest share of the labelled's distribution in the unlabeled. The answer
allows for two things beyond it:

- the ranking may turn, so that its top is not its purest part (`turn_of`): then the rows above the turn are
  left out, or if that is doubtful the lower limit is the lower one of both;
- some negatives may look like positives (`priors.lookalikes`).

Where classes part, some head of the ranking holds hardly a negative and nothing has to be extrapolated: the
share can be read off that head (`ratio_methods.largest_share`), while the average over shapes, most of which
overlap, comes out too low. So the answer moves from the one to the other with the overlap of the classes, as
e^(−x/0.04), where x is the mean overlap at the two answers. The limits stay those of the shapes.

**Noisy labels** (`combined_n`). The shapes with exchanged roles give the share of the unlabeled's
distribution in the labelled, hence prior and purity; rows of either class may look like the other (both in
`priors.lookalikes`). Where the classes part, both shares move to those of the purest heads, unless these ask
for an AUC above 1.

**Shapes** (`share_posterior`): the share of positives by a likelihood averaged over many possible shapes of
the negatives. On the scale on which labelled scores are uniform (``v``: share of the labelled above a score;
so only ranks matter) the unlabeled have density g(v) = a + (1 − a) h(v), with h the density of the negatives.
Without a restriction on h only the largest a is identified. Here h belongs to a few hundred candidate shapes,
all zero at the top (irreducible) and rising:

- normal: one or two normals of unit width, shifted down by 0.5 to 6 on the labelled normal scale
  (the binormal ROC model, and mixtures of two);
- power: v ↦ ((v − t)/(1 − t))₊^k, negatives that are absent from the top share t of the labelled;
- convex: mixtures of two triangles ((v − t)/(1 − t))₊² or of one and a far part below all
  labelled.

Each row of the pooled samples is a trial, labelled or not, given its bin: L(a, h) = Σ U_i log g_i − (P_i +
U_i) log(m + n g_i), which carries the sampling error of both samples. With a prior density 2 (1 − a) of a
(shares near 1 are rare), equal weight on the three families and on the members of each, the posterior of a
follows by summation; its mean is the answer and its quantiles are the interval. The model of two groups with
known null distribution is that of local false discovery rates (Efron 2004); the labelled take the place of
the null.

**A convex density** (`convex_share`): the share of positives when the negatives' density is convex on that
scale. If h is convex and rising with h(0) = 0, it is a mixture of triangles ((v − t)/(1 − t))₊² and of a part
below all labelled, and maximum likelihood over a and the mixture is a mixture-proportion problem, solved by
EM. The same idea estimates the proportion of true null hypotheses from p-values (Langaas, Lindqvist,
Ferkingstad 2005). EM stops after a fixed number of steps; from 300 to 2,000 steps the answer moves by less
than its sampling error.

**Turns** (`turn_of`): whether the top of a ranking is its purest part. Methods read a off the top of g(v) = a
+ (1 − a) h(v), where a good ranking has h = 0 and from where h only rises. Some rankings turn: a part of the
negatives scores above most positives (a linear model and a class that lies on the far side of the positives),
so g falls first and rises later. Its top then shows too large a share, with all the certainty of many rows,
and nothing in a model of rising h says so.

The test compares two fits of the share of unlabeled rows in each bin: rising from the top on, or falling down
to some bin and rising from there (isotonic regressions of binomial counts). The gain of the second in log
likelihood says how much the data prefer a turn. If the ranking never turns it is seldom above 2 and hardly
ever above 8, though the best of many places is taken.

What lies above the turn can be left out. The ratio g is not changed by leaving out the rows above some score:
of those below, a share t of the labelled and u of the unlabeled, a share a·t/u of the unlabeled is positive.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.priors.lookalikes import (
    allowing_both,
    likely_share,
    overlap,
    prior_and_purity,
    upper_reach,
)
from puremetrics.priors.ratio_methods import slope
from puremetrics.priors.samples import LIKELY, Samples, ShareFit, rank_edges
from puremetrics.results import RowEffects

__all__ = [
    "DOUBTFUL",
    "SURE",
    "Bins",
    "SharePosterior",
    "Turn",
    "combined",
    "combined_n",
    "convex_share",
    "excess_of",
    "labelled_bins",
    "share_posterior",
    "turn_of",
    "without_first",
]


_SHIFTS = np.array([0.5, 0.75, 1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.3, 4.0, 5.0, 6.0])
_NORMAL_MIX = (0.25, 0.5, 0.75)
_POWER_STARTS = np.arange(10) / 10
_POWERS = (1.5, 2.0, 3.0, 4.5, 7.0, 12.0, 25.0, 80.0)
_CONVEX_STARTS = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.87, 0.94, 0.98])
_CONVEX_MIX = (0.1, 0.25, 0.5, 0.75, 0.9)
_COARSE = 1 / (1 + np.exp(-np.linspace(-9.0, 6.0, 101)))
_FINE_POINTS = 81
_NEGLIGIBLE = 1e-7
_EMPTY = 1e-12  # density of a bin without negatives
_COARSER, _UNLIKELY = 3, 1e-4  # of shares and shapes, for what rows do to the mean


@dataclass(frozen=True)
class SharePosterior:
    """Posterior of the share: grid, log density (largest is 0), cumulative mass; what rows do to its mean."""

    share: FloatArray = field(repr=False)
    log_density: FloatArray = field(repr=False)
    mass_below: FloatArray = field(repr=False)
    row_effects: RowEffects | None = field(default=None, repr=False)

    @property
    def mean(self) -> float:
        """Mean of the posterior."""
        middle = (self.share[1:] + self.share[:-1]) / 2
        return float(np.sum(np.diff(self.mass_below) * middle))

    def quantile(self, level: float) -> float:
        """Share below which the posterior has ``level`` of its mass."""
        return float(np.interp(level, self.mass_below, self.share))


def labelled_bins(samples: Samples) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bins for the default: steps of 0.2 in the normal quantile, eight labelled rows or more in each."""
    return rank_edges(samples, 0.2, float(np.clip(samples.size_pos / 12, 1.0, 8.0)))


def share_posterior(pos: FloatArray, unl: FloatArray, above: FloatArray) -> SharePosterior:
    """Posterior of the share of positives among the unlabeled, averaged over the shapes.

    Parameters
    ----------
    pos, unl, above : ndarray
        Bins as `labelled_bins` gives them.
    """
    ratio, log_prior = _shape_ratios(above)
    rows, shapes = _worth_a_look(pos, unl, ratio)
    ratio, log_prior = ratio[shapes], log_prior[shapes]
    scores = np.full((_COARSE.size, ratio.shape[0]), -np.inf)
    scores[rows] = _log_likelihood(pos, unl, ratio, _COARSE[rows]) + log_prior
    scores += np.log(_COARSE * (1 - _COARSE))[:, None]  # the grid is even in logits, the prior in a
    weights = np.exp(scores - scores.max())
    shape_mass, share_mass = weights.sum(axis=0), weights.sum(axis=1)
    alive = shape_mass > _NEGLIGIBLE * shape_mass.max()
    seen = np.flatnonzero(share_mass > _NEGLIGIBLE * share_mass.max())
    first, last = max(seen[0] - 1, 0), min(seen[-1] + 1, _COARSE.size - 1)
    ends = np.log(_COARSE[[first, last]] / (1 - _COARSE[[first, last]]))
    fine = 1 / (1 + np.exp(-np.linspace(ends[0], ends[1], _FINE_POINTS)))
    scores = _log_likelihood(pos, unl, ratio[alive], fine) + log_prior[alive]
    peak = scores.max(
        axis=1
    )  # of each share: far from the best one, all shapes may be beyond the floats
    log_density = peak + np.log(np.exp(scores - peak[:, None]).sum(axis=1))
    log_density += np.log1p(-fine)
    log_density -= log_density.max()
    effects = _row_effects(pos, unl, ratio[alive], fine, scores + np.log1p(-fine)[:, None])
    steps = np.diff(fine) * (np.exp(log_density[1:]) + np.exp(log_density[:-1])) / 2
    mass = np.concatenate([[0.0], np.cumsum(steps)])
    return SharePosterior(fine, log_density, mass / mass[-1], effects)


def _row_effects(
    pos: FloatArray, unl: FloatArray, ratio: FloatArray, shares: FloatArray, scores: FloatArray
) -> RowEffects:
    """What one row more of each bin does to the mean of the posterior, whose logarithm is ``scores``.

    The derivative of a posterior mean by the weight of a row is the covariance, under the posterior, of the
    share and that row's log likelihood (the infinitesimal jackknife of Bayesian estimates).
    """
    part = slice(None, None, _COARSER)
    shares, scores = shares[part], scores[part] + np.log(shares[part] * (1 - shares[part]))[:, None]
    weight = np.exp(scores - scores.max())
    likely = weight.sum(axis=0) > _UNLIKELY * float(weight.sum(axis=0).max())
    weight = weight[:, likely] / float(weight[:, likely].sum())
    apart = weight * (shares - float(shares @ weight.sum(axis=1)))[:, None]
    filled = ratio[likely]
    odds = float(unl.sum()) / float(pos.sum())
    of_labelled, of_unlabeled = np.zeros(pos.size), np.zeros(pos.size)
    for share, factor in zip(shares, apart, strict=True):
        mixed = share + (1 - share) * filled
        found = np.log(odds * mixed + 1)
        of_labelled -= factor @ found
        of_unlabeled += factor @ (np.log(mixed) - found)
    return RowEffects(pos, unl, of_labelled, of_unlabeled)


def _worth_a_look(pos: FloatArray, unl: FloatArray, ratio: FloatArray) -> tuple[Any, Any]:
    """Shares and shapes that may matter: a look in single precision tells most of them apart.

    What falls short of the best by more than 60 and the rounding errors weighs less than 1e-26.
    """
    rough = _log_likelihood(pos, unl, ratio, _COARSE, np.float32)
    least = rough.max() - 60.0 - 1e-5 * float(pos.sum() + unl.sum())
    near = rough > least
    return np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))


def _log_likelihood(
    pos: FloatArray,
    unl: FloatArray,
    ratio: FloatArray,
    shares: FloatArray,
    kind: Any = np.float64,
) -> FloatArray:
    """L(a, h) for every share (rows) and shape (columns).

    Many shapes have no negatives at all in the upper bins; there the mixture is the share alone.
    """
    labelled, unlabeled = float(pos.sum()), float(unl.sum())
    both = pos + unl
    odds = unlabeled / labelled
    shape, column = np.nonzero(ratio > _EMPTY)
    filled, in_unl, in_both = (
        part.astype(kind) for part in (ratio[shape, column], unl[column], both[column])
    )
    size = ratio.shape[0]
    rest_unl = unl.sum() - np.bincount(shape, in_unl, minlength=size)
    rest_both = both.sum() - np.bincount(shape, in_both, minlength=size)
    result = np.empty((shares.size, size))
    for row, share in enumerate(shares):  # one share at a time keeps memory at shapes x bins
        mixed = kind(share) + kind(1 - share) * filled
        terms = in_unl * np.log(mixed) - in_both * np.log(kind(odds) * mixed + kind(1.0))
        alone = share + (1 - share) * _EMPTY
        result[row] = np.bincount(shape, terms, minlength=size)
        result[row] += rest_unl * np.log(alone) - rest_both * np.log(odds * alone + 1.0)
    return result


def _shape_ratios(above: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density h per bin for every shape, and the log prior weight of each shape."""
    families = [_normal_shapes(above), _power_shapes(above), _convex_shapes(above)]
    masses = np.concatenate(families)
    weights = np.concatenate([np.full(len(family), 1 / len(family)) for family in families])
    return np.maximum(masses / np.diff(above), _EMPTY), np.log(weights)


def _normal_shapes(above: FloatArray) -> FloatArray:
    from scipy.special import ndtr, ndtri

    single = np.diff(ndtr(ndtri(above) - _SHIFTS[:, None]), axis=1)
    return _with_mixtures(single, _NORMAL_MIX)


def _power_shapes(above: FloatArray) -> FloatArray:
    start = _POWER_STARTS[:, None]
    risen = np.maximum((above - start) / (1 - start), 0.0)
    return np.concatenate([np.diff(risen**power, axis=1) for power in _POWERS])


def _convex_shapes(above: FloatArray) -> FloatArray:
    start = _CONVEX_STARTS[:, None]
    triangles = np.diff(np.maximum((above - start) / (1 - start), 0.0) ** 2, axis=1)
    far = np.zeros((1, above.size - 1))
    far[0, -1] = 1.0
    return _with_mixtures(np.concatenate([triangles, far]), _CONVEX_MIX)


def _with_mixtures(single: FloatArray, mix: tuple[float, ...]) -> FloatArray:
    first, second = (
        np.array(side) for side in zip(*combinations(range(len(single)), 2), strict=True)
    )
    mixed = [part * single[first] + (1 - part) * single[second] for part in mix]
    return np.concatenate([single, *mixed])


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


def without_first(bins: Bins, count: int) -> tuple[Bins, float]:
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
    high = fit.share + upper_reach(samples.size_pos, apart, fit.share) * (high - fit.share)
    found = likely_share(share, low, high, apart, level)
    return replace(
        fit, share=found.share, low=found.low, high=found.high, separable=share,
        open_low=found.open_low, open_high=found.open_high, lookalikes=found.lookalikes, turned=turned,
        excess=excess_of(bins), status=LIKELY,
    )  # fmt: skip


def _read_off(share: float, head: float, apart: float) -> float:
    """The share, moved towards that of the purest head as far as the classes part."""
    return float(share + np.exp(-apart / _PARTED) * (head - share))


def largest_fit(samples: Samples, level: float = 0.95) -> ShareFit:
    """The largest share of the labelled's distribution in the unlabeled, with interval."""
    return _of_bins(Bins(*labelled_bins(samples)), 0, level)[0]


def _of_bins(bins: Bins, left_out: int, level: float) -> tuple[ShareFit, float, float]:
    """The fit without the first bins, and its limits."""
    kept, scale = without_first(bins, left_out)
    posterior = share_posterior(*kept)
    mean, half = (
        posterior.mean,
        abs(posterior.quantile(0.5) - convex_share(kept.unl, kept.above)) / 2,
    )
    low = mean - np.hypot(mean - posterior.quantile((1 - level) / 2), half)
    high = mean + np.hypot(posterior.quantile((1 + level) / 2) - mean, half)
    share, low, high = (float(np.clip(scale * x, 0.0, 1.0)) for x in (mean, low, high))
    effects = posterior.row_effects if left_out == 0 else None
    fit = ShareFit(
        share, scale * posterior.share, posterior.log_density, low, high, row_effects=effects
    )
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
