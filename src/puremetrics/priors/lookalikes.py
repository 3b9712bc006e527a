"""Negatives that look like positives: what the data cannot show, and how much of it to expect.

If a share ρ of the negatives is distributed like the positives, the largest share of the labelled's
distribution that the unlabeled contain is not the share of positives a but

    s = a + (1 − a)·ρ,    so that    a = (s − ρ)/(1 − ρ).

No method can tell a from s. What can be had is experience: how large is ρ on real data where classes overlap
as much as they seem to do here? With s instead of a the corrected AUC is too good; its distance from 1, x,
still says how much the classes overlap. Over scores of five models on fifteen data sets
(evidence/real_priors.md) ρ was about a third of x on average, seldom above x, and next to 0 where x was. So

- the estimate takes the mean of an exponential law with mean 0.7 x, as far as it is below s (more
  look-alikes than s are impossible). That is more than the third of x that ρ itself is on average, because
  with few labels s is too large, too; with 0.7 the estimate is right on average, and its mean absolute
  error is the same from 0.25 to 0.8,
- the lower limit allows for ρ = x, with the sampling error of s on top, as far as it is needed below a range
  (`sampling.uncertain`),
- the upper limit allows for none; with few labels the posterior of s turned out to be wide there, so that
  with 30 of them 0.8 of its distance is enough, and with more of them ever more of it is needed. The more
  classes overlap, the wider it is: 2x of it, up to 0.45, is not needed with up to 100 labels, and less with
  more. Nor is a part where s is many times x: there the top of the ranking shows s, and hardly one of the
  shapes that the posterior averages over parts as clearly.

`EXPECTED`, `MOST` and `upper_reach` are these three.

**Noisy labels** (`prior_and_purity`): prior and purity together, from two runs with exchanged roles. Paper:
Jain, White, Radivojac 2016. Let a1 be the largest share of the labelled's distribution in the unlabeled, and
1 − l the largest share of the unlabeled's distribution in the labelled. If neither class hides inside the
other (mutual irreducibility),

    prior = a1 l / (1 − a1 (1 − l)),    purity = l / (1 − a1 (1 − l)).

Any estimator can make the two runs; "alphamax_n" takes AlphaMax, "combined_n" the default.

**Noisy labels and look-alikes** (`allowing_both`): prior and purity together, where rows of either class can
look like the other. Noisy labels are mixtures like the unlabeled rows: f_L = β f₁ + (1 − β) f₀, f_U = α f₁ +
(1 − α) f₀. What two runs with exchanged roles find are the shares α̃ and β̃ of the purest positives, g₁, as
if the purest negatives, g₀, were all that is left. A share ρ of the negatives may look like positives, and a
share τ of the positives like negatives: f₀ = ρ f₁ + (1 − ρ) g₀ and f₁ = τ f₀ + (1 − τ) g₁. Solved for g₁ and
g₀, the share of g₁ is p = (1 − τ)/(1 − τρ) among the positives and q = ρ p among the negatives, so that

    α̃ = α p + (1 − α) q,    β̃ = β p + (1 − β) q,    hence    α = (α̃ − q)/(p − q),    β = (β̃ − q)/(p − q).

No sample tells ρ and τ. Look-alikes among the negatives move α and β down, those among the positives move
both up, and either makes the classes overlap more than they seem to. The purity is at most 1, so τ is at most
(1 − β̃)/(1 − β̃ρ). The prior is at least 0, so ρ is at most α̃ if τ = 0; but where few positives are seen
that is uncertain itself, and limits of the purity go further.

What to expect is taken over from clean labels, where only the one kind matters: half of it is expected of
each, up to what is possible. Limits allow for as much of either as the classes overlap at the estimate, with
the sampling error of both runs on top.

**Known negatives** (`mixture_of`) show how many negatives look like positives, and so settle the share. With
a sample of both classes the unlabeled are a mixture of two distributions that are both seen,

    U = a·P + (1 − a)·N,

and a is identified without any assumption on how the classes lie to each other: negatives that look like
positives are among the known ones, too. Rows are counted in bins (p_i, n_i: chances of the bin in either
class). The likelihood Σ P_i log p_i + Σ N_i log n_i + Σ U_i log(a p_i + (1 − a) n_i) is maximised over p and
n at every a (expectation and maximisation: each unlabeled row is shared between both classes), so the
sampling error of all three kinds of rows is in the curve. Its limits are where it has fallen by half a
chi-squared quantile. The ratio test against bins with chances of their own tells whether the mixture fits.

What is assumed is that the known negatives are a random sample of the negatives. Where they are not, most
often because easy ones are known, the mixture does not fit once there are enough rows; the estimate then
falls back on what the other two kinds say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.priors.samples import MUTUAL, Samples, ShareFit
from puremetrics.results import Pair, Place
from puremetrics.sampling.uncertain import factor_of_reach

__all__ = [
    "BY_NEGATIVES",
    "EXPECTED",
    "FEWEST",
    "MISFIT",
    "MOST",
    "SMALLEST",
    "Likely",
    "Mixture",
    "allowing_both",
    "hardly_differ",
    "likely_share",
    "mean_below",
    "mixture_of",
    "noisy_fit",
    "overlap",
    "prior_and_purity",
    "stacked_ends",
    "upper_reach",
    "without_both",
]


EXPECTED, MOST = 0.7, 1.0
_FEW, _MANY = 30.0, 100.0  # labels
_OVERLAPPING = 0.45  # of the distance that is not needed where classes overlap most
_PARTED, _CLEAR = (
    (4.0, 12.0),
    0.3,
)  # shares over overlap; of the distance that is not needed from the last on
_MANY_HIDDEN = (
    0.5  # share from which on all of it is needed, as the posterior expects few positives
)
_TINY = 1e-9
_LARGEST = 0.9
SMALLEST = 50.0  # times smaller than the estimate: a share of exactly 0 would make every rate 0/0


class Likely(NamedTuple):
    """The share of positives that is to be expected, with limits, and the look-alikes that they allow for.

    ``open_low`` and ``open_high`` are what look-alikes alone leave open.
    """

    share: float
    low: float
    high: float
    lookalikes: float
    open_low: float
    open_high: float


def overlap(samples: Samples, share: float, purity: float = 1.0) -> float:
    """1 − AUC of positives against negatives at this share and purity (Jain, Eq. (4)), within 0 and 1/2."""
    return float(np.clip(0.5 - (samples.area - 0.5) / max(purity - share, 1e-3), 0.0, 0.5))


def likely_share(
    share: float, low: float, high: float, apart: float, level: float = 0.95
) -> Likely:
    """What a share s with these limits says where classes overlap by ``apart``.

    >>> found = likely_share(0.3, 0.25, 0.36, 0.08)
    >>> round(found.share, 3), round(found.low, 3), round(found.high, 3)
    (0.26, 0.193, 0.36)
    """
    most = min(MOST * apart, _LARGEST)
    point = _without(share, mean_below(share, EXPECTED * apart))
    places = np.array([_without(share, most), share])
    below = places - np.array([_without(low, most), low])
    above = np.full(2, max(high - share, 0.0))
    reach = factor_of_reach(places, np.maximum(below, 0.0), above, level) * below[0]
    least = min(max(float(places[0] - reach), point / SMALLEST), point)
    largest = min(max(high, point), 1.0)
    open_ = min(max(_without(share, most), least), point), min(max(share, point), largest)
    return Likely(point, least, largest, most, *open_)


def upper_reach(labels: float, apart: float, share: float) -> float:
    """How much of the posterior's distance from a share to its upper limit is needed."""
    by_labels = 1.08 - 0.28 * float(np.sqrt(_FEW / max(labels, _FEW)))
    by_overlap = 1 - min(2 * apart, _OVERLAPPING) * min(_MANY / max(labels, 1.0), 1.0)
    first, last = _PARTED
    parted = np.clip((share / max(apart, _TINY) - first) / (last - first), 0.0, 1.0)
    parted *= np.clip((_MANY_HIDDEN - share) / (_MANY_HIDDEN / 2), 0.0, 1.0)
    return by_labels * by_overlap * float(1 - _CLEAR * parted)


def mean_below(most: float, mean: float) -> float:
    """Mean of an exponential variable, given that it is below ``most``."""
    if mean <= 0 or most <= 0:
        return 0.0
    ratio = most / mean
    if ratio < 1e-4:  # next to uniform
        return most / 2 * (1 - ratio / 6)
    return float(mean - most / np.expm1(min(ratio, 700.0)))


def _without(share: float, lookalikes: float) -> float:
    return float(np.clip((share - lookalikes) / (1 - lookalikes), 0.0, 1.0))


_GAP = 0.1


def noisy_fit(forward: ShareFit, backward: ShareFit) -> ShareFit:
    """Join the share of L in U (forward) and that of U in L (backward).

    >>> fit = noisy_fit(ShareFit(0.2), ShareFit(0.1))
    >>> round(fit.share, 4), round(fit.purity, 4)
    (0.1837, 0.9184)
    """
    share, purity = prior_and_purity(forward.share, 1 - backward.share)
    return ShareFit(
        share,
        forward.grid,
        forward.objective,
        purity=purity,
        status=forward.status,
        diagnostics=(*forward.diagnostics, *hardly_differ(share, purity)),
    )


def hardly_differ(share: float, purity: float) -> list[Diagnostic]:
    """A remark if labelled and unlabeled rows hold nearly the same share of positives."""
    if purity - share >= _GAP:
        return []
    return [
        Diagnostic(
            "PM202",
            f"labelled and unlabeled rows hardly differ (share {share:.3g} against purity {purity:.3g}), so "
            "label noise and prior cannot be separated. Clean some labels by hand, or audit both samples "
            "with prior_from_audit.",
        )
    ]


def prior_and_purity(mixed: float, clean: float) -> tuple[float, float]:
    """Share of positives and purity from a1 and l."""
    bottom = 1 - mixed * (1 - clean)
    if bottom <= 0:  # the two samples are the same: nothing is known to be positive
        return 0.0, 0.0
    return mixed * clean / bottom, clean / bottom


_EACH = EXPECTED / 2
_STEPS = 5  # values of each run's share in the region


def without_both(seen: Pair, negatives: float, positives: float) -> Pair:
    """Shares of positives if so many negatives look like positives and so many positives like negatives.

    >>> share, purity = without_both((0.3, 0.8), 0.1, 0.0)
    >>> round(share, 4), round(purity, 4)
    (0.2222, 0.7778)
    """
    tau = min(positives, (1 - seen[1]) / (1 - seen[1] * negatives))
    pure = (1 - tau) / (1 - negatives * tau)
    false = negatives * pure
    share, purity = (min(max((part - false) / (pure - false), 0.0), 1.0) for part in seen)
    return share, purity


def allowing_both(samples: Samples, forward: ShareFit, backward: ShareFit) -> ShareFit:
    """Share and purity from two runs, with what look-alikes of either class leave open.

    The share of a run is the largest one of its first sample's distribution in its second; of ``forward`` the
    labelled in the unlabeled.
    """
    runs = forward.share, 1 - backward.share
    seen = prior_and_purity(*runs)
    apart = _EACH * overlap(samples, *seen)
    centre = without_both(seen, mean_below(seen[0], apart), mean_below(1 - seen[1], apart))
    most = MOST * overlap(samples, *centre)
    mixed, clean = _ends(forward, backward)
    lowest = [without_both(pair, most, 0.0) for pair in _moved(runs, (mixed[0], clean[0]))]
    highest = [without_both(pair, 0.0, most) for pair in _moved(runs, (mixed[1], clean[1]))]
    errors = (
        [(float(one), runs[1]) for one in np.linspace(*mixed, _STEPS)],
        [(runs[0], float(other)) for other in np.linspace(*clean, _STEPS)],
    )

    def allowing(allowed: tuple[float, ...], runs: Pair) -> Pair:
        share, purity = without_both(prior_and_purity(*runs), *allowed)
        return max(share, centre[0] / SMALLEST), purity

    places = [
        Place(
            allowing(allowed, runs),
            tuple(tuple(allowing(allowed, moved) for moved in error) for error in errors),
        )
        for allowed in product(sorted({0.0, most}), repeat=2)
    ]
    moves = np.array([lowest, highest])
    low, high = stacked_ends(centre[0], moves[..., 0])
    purity_low, purity_high = stacked_ends(centre[1], moves[..., 1])
    return replace(
        forward, share=centre[0], low=low, high=high, purity=centre[1], purity_low=purity_low,
        purity_high=purity_high, moves=moves[None], places=(Place(centre), *places), row_effects=None,
        lookalikes=most, status=MUTUAL,
        diagnostics=(*forward.diagnostics, *hardly_differ(*centre)),
    )  # fmt: skip


def stacked_ends(centre: float, moves: Any) -> tuple[float, float]:
    """Limits of a share from two sides, each a place and where the numbers behind it move it from there.

    A share of exactly 0 would make every rate 0/0, so the lower one is not below a small part of the share.
    """
    (low, *below), (high, *above) = moves
    least = low - math.hypot(*(max(low - there, 0.0) for there in below))
    most = high + math.hypot(*(max(there - high, 0.0) for there in above))
    return max(min(least, centre), centre / SMALLEST), min(max(most, centre), 1.0)


def _ends(forward: ShareFit, backward: ShareFit) -> tuple[Pair, Pair]:
    """Limits of the share of the labelled in the unlabeled, and of the labelled's own part."""
    both = []
    for fit in (forward, backward):
        assert fit.low is not None
        assert fit.high is not None
        both.append((min(fit.low, fit.share), max(fit.high, fit.share)))
    mixed, (low, high) = both
    return mixed, (1 - high, 1 - low)


def _moved(runs: Pair, reach: Sequence[float]) -> list[Pair]:
    """The pair of shares, and where it is if either run's number goes to its own limit."""
    (mixed, clean), (one, other) = runs, reach
    return [prior_and_purity(*pair) for pair in ((mixed, clean), (one, clean), (mixed, other))]


FEWEST = 10.0  # known negatives, for their distribution to say anything
MISFIT = 1e-3  # p-value of the fit below which the known negatives are not believed
_GRID = 1 / (1 + np.exp(-np.linspace(-9.0, 9.0, 121)))
_ROUNDS = 200
_ROWS, _MOST = 10.0, 20
BY_NEGATIVES = "share of positives, according to the known negatives"


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


def _bins(*kinds: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Counts of positives, negatives and unlabeled in bins of equal mass of both classes.

    Chances of many bins are fitted to few rows: there is a bin for every ten of the smaller class.
    """
    pos, neg, _ = kinds
    smaller = min(pos.sum(), neg.sum())
    count = int(np.clip(smaller / _ROWS, 2, _MOST))
    mass = np.cumsum(pos / pos.sum() + neg / neg.sum()) / 2
    starts = np.unique(np.append(0, np.searchsorted(mass, np.arange(1, count) / count) + 1))
    starts = starts[starts < pos.size]
    pos, neg, unl = (np.add.reduceat(kind, starts) for kind in kinds)
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
