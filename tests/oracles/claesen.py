"""Bounding contingency tables of Claesen, Davis, De Smet and De Moor (2015), by enumeration.

Transcribed: the two optimisation problems of Eqs. (8) and (9) solved by trying every surrogate set,
the tables of Eqs. (10), (12) and (13), the bootstrap band of section 4.2 in its limit of infinitely
many resamples, and two exact alternatives for that band.  ``n_latent`` is the number of latent
positives among the unlabeled rows.

A threshold keeps every row with ``score >= threshold``.  Pass ``t_bound`` as a Fraction when it
stands for a ratio of counts: a float is taken at its exact binary value before rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Literal

Scores = Sequence[float]
Scenario = Literal["case_control", "single_training_set"]
Side = Literal["upper", "lower"]
Number = Fraction | float


def count_at_least(scores: Scores, threshold: Number) -> int:
    """Number of rows scoring at or above the threshold."""
    return sum(1 for s in scores if s >= threshold)


def exhaustive_heads(unl: Scores, threshold: Number, n_latent: int, theta: int, side: Side) -> int:
    """Size of the surrogate positives' head by Eq. (8) ('upper') or Eq. (9) ('lower').

    When no surrogate set meets the constraint, the head that comes nearest to meeting it is taken:
    the largest possible one for 'upper', the smallest possible one for 'lower'.
    """
    sizes = {count_at_least(chosen, threshold) for chosen in combinations(unl, n_latent)}
    if side == "upper":
        feasible = {size for size in sizes if size >= theta}
        return min(feasible) if feasible else max(sizes)
    if side == "lower":
        feasible = {size for size in sizes if size <= theta}
        return max(feasible) if feasible else min(sizes)
    raise ValueError(side)


def tables(
    pos: Scores,
    unl: Scores,
    neg: Scores,
    threshold: Number,
    n_latent: int,
    t_bound: Number,
    side: Side,
    scenario: Scenario,
) -> tuple[int, int, int, int]:
    """(tp, fp, fn, tn) at one threshold for one bound on the latent positives' rate.

    'upper' gives the table with the greatest lower bound on the false positive rate, 'lower' the
    one with the least upper bound.
    """
    exact = Fraction(t_bound) * n_latent
    theta = math.ceil(exact) if side == "upper" else math.floor(exact)
    tp = exhaustive_heads(unl, threshold, n_latent, theta, side)
    fp = count_at_least(unl, threshold) - tp
    fn = n_latent - tp
    tn = len(unl) - n_latent - fp
    if scenario == "case_control":
        return tp, fp, fn, tn
    if scenario != "single_training_set":
        raise ValueError(scenario)
    pos_head = count_at_least(pos, threshold)
    neg_head = count_at_least(neg, threshold)
    return tp + pos_head, fp + neg_head, fn + len(pos) - pos_head, tn + len(neg) - neg_head


def binomial_pmf(x: int, n: int, p: Number) -> Fraction:
    """P(X = x) for X ~ Binomial(n, p)."""
    q = Fraction(p)
    return math.comb(n, x) * q**x * (1 - q) ** (n - x)


def binomial_quantile(probability: Number, n: int, p: Number) -> int:
    """Smallest x whose cumulative probability reaches the given one."""
    cumulative = Fraction(0)
    for x in range(n + 1):
        cumulative += binomial_pmf(x, n, p)
        if cumulative >= Fraction(probability):
            return x
    raise ValueError("a probability above one has no quantile")


def binomial_band(k: int, n: int, level: Number) -> tuple[Fraction, Fraction]:
    """Percentile bootstrap band of the rank CDF k/n with infinitely many resamples.

    Resampling n rows with replacement puts Binomial(n, k/n) of them in the head.
    """
    tail = (1 - Fraction(level)) / 2
    p = Fraction(k, n)
    return Fraction(binomial_quantile(tail, n, p), n), Fraction(
        binomial_quantile(1 - tail, n, p), n
    )


def clopper_pearson(k: int, n: int, level: Number) -> tuple[float, float]:
    """Clopper-Pearson interval by bisection of the two exact tails, to 1e-13."""
    tail = (1 - Fraction(level)) / 2

    def at_least(p: Fraction) -> Fraction:
        return sum((binomial_pmf(x, n, p) for x in range(k, n + 1)), Fraction(0))

    def at_most(p: Fraction) -> Fraction:
        return sum((binomial_pmf(x, n, p) for x in range(k + 1)), Fraction(0))

    low, high = Fraction(0), Fraction(0)
    if k > 0:  # P(X >= k) grows with p
        high = Fraction(1)
        while high - low > Fraction(1, 10**13):
            middle = (low + high) / 2
            if at_least(middle) < tail:
                low = middle
            else:
                high = middle
    lower = (low + high) / 2
    low, high = Fraction(1), Fraction(1)
    if k < n:  # P(X <= k) falls with p
        low = Fraction(0)
        while high - low > Fraction(1, 10**13):
            middle = (low + high) / 2
            if at_most(middle) > tail:
                low = middle
            else:
                high = middle
    upper = (low + high) / 2
    return float(lower), float(upper)


def hypergeometric_pmf(x: int, population: int, successes: int, draws: int) -> Fraction:
    """P(X = x) when ``draws`` rows are drawn from a population holding ``successes`` successes."""
    if x < 0 or x > draws:
        return Fraction(0)
    ways = math.comb(successes, x) * math.comb(population - successes, draws - x)
    return Fraction(ways, math.comb(population, draws))


def hypergeometric_band(k: int, n_labelled: int, n_latent: int, level: Number) -> tuple[int, int]:
    """Range of latent positives in the head, given k of n_labelled labelled ones there.

    With K positives in the head among all M of them, the labelled ones in the head are
    hypergeometric.  Kept are the K that neither one-sided test rejects at half of one minus level.
    """
    tail = (1 - Fraction(level)) / 2
    total = n_labelled + n_latent
    kept = []
    for in_head in range(k, n_latent + k + 1):
        pmf = [hypergeometric_pmf(x, total, in_head, n_labelled) for x in range(n_labelled + 1)]
        if sum(pmf[k:]) > tail and sum(pmf[: k + 1]) > tail:
            kept.append(in_head)
    return min(kept) - k, max(kept) - k


def auc(points: Sequence[tuple[Number, Number]]) -> Number:
    """Trapezoidal area under (false positive rate, true positive rate) points, in given order."""
    area: Number = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        area += (x1 - x0) * (y0 + y1) / 2
    return area
