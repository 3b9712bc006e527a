"""Calibration without negatives, from Kiryo, Futami and Sugiyama (2025), in exact arithmetic.

Transcribed: the bins of Sections 2.2.2 and 3.1, ECE_PU in its reformulated version, Eq. (1) for labelled
data, Eq. (2) and the non-negative risk, Theorems 1 to 3, the number of bins of Section 5.1 and the
synthetic model of Section 5.1. Extended to single training sets and noisy labels by their definitions:
the population is all rows, and a labelled row is a positive with chance ``purity``.

Rows are three lists of scores: labelled positives, unlabeled, known negatives. Floats are taken at
their exact binary value, except for the edges b/B, which are the floats of that name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

Scores = Sequence[float]
Measure = list[tuple[float, Fraction]]


def mixture(pos: Scores, unl: Scores, neg: Scores, scenario: str, prior, purity):
    """Population, positives and negatives as (signed) measures on scores, by solving for them."""
    a, b = Fraction(prior), Fraction(purity)
    labelled = [(s, Fraction(1, len(pos))) for s in pos]
    rows = list(unl) if unl else list(neg)
    if scenario == "single_training_set":
        rows = [*pos, *unl, *neg]
    others = [(s, Fraction(1, len(rows))) for s in rows]
    share = Fraction(0) if scenario == "case_control" and not unl else a
    # labelled = b·P + (1 − b)·N and others = share·P + (1 − share)·N
    determinant = b - share
    positives = scaled(labelled, (1 - share) / determinant) + scaled(others, -(1 - b) / determinant)
    negatives = scaled(others, b / determinant) + scaled(labelled, -share / determinant)
    population = scaled(positives, a) + scaled(negatives, 1 - a)
    return population, positives, negatives


def scaled(measure: Measure, factor: Fraction) -> Measure:
    return [(s, factor * w) for s, w in measure]


def integral(measure: Measure, function: Callable[[float], Fraction]) -> Fraction:
    return sum((w * function(s) for s, w in measure), Fraction(0))


def edges(pos, unl, neg, scenario, prior, purity, n_bins: int, binning: str) -> list[float]:
    """u_0, …, u_B; equal-mass edges that do not exist (rank 0) repeat the edge before them."""
    if binning == "width":
        return [b / n_bins for b in range(n_bins + 1)]
    if binning == "balanced":
        return balanced_edges(pos, unl, neg, scenario, prior, purity, n_bins)
    if scenario == "case_control" and not unl:
        return weighted_edges(pos, neg, prior, purity, n_bins)
    rows = sorted(unl) if scenario == "case_control" else sorted([*pos, *unl, *neg])
    inner = [len(rows) * b // n_bins for b in range(1, n_bins)]
    return [0.0, *(rows[k - 1] if k > 0 else -1.0 for k in inner), 1.0]


def weighted_edges(pos, neg, prior, purity, n_bins: int) -> list[float]:
    population, _, _ = mixture(pos, [], neg, "case_control", prior, purity)
    result = [0.0]
    for b in range(1, n_bins):
        for s in sorted({*pos, *neg}):
            # Masses of floats: a hair's breadth below b/B is meant to be b/B.
            if sum(w for t, w in population if t <= s) >= Fraction(b, n_bins) - Fraction(1, 10**12):
                result.append(s)
                break
    return [*result, 1.0]


def balanced_edges(pos, unl, neg, scenario, prior, purity, n_bins: int) -> list[float]:
    """Balanced bins, which are not the paper's: equal mass in half the labelled rows, half the population.

    Scores that have the mass of more than one bin are bins of their own; so are all, if they are few.
    """
    population, _, _ = mixture(pos, unl, neg, scenario, prior, purity)
    if unl or scenario == "single_training_set":  # the sample of the population as it is
        rows = list(unl) if scenario == "case_control" else [*pos, *unl, *neg]
        population = [(s, Fraction(1, len(rows))) for s in rows]
    halves = scaled([(s, Fraction(1, len(pos))) for s in pos], Fraction(1, 2))
    halves += scaled(population, Fraction(1, 2))
    scores = sorted({t for t, _ in halves})
    if len(scores) <= n_bins:
        return [0.0, *scores[:-1], 1.0]
    found = []
    for b in range(1, n_bins):
        enough = Fraction(b, n_bins) - Fraction(1, 10**12)
        found.append(next(s for s in scores if sum(w for t, w in halves if t <= s) >= enough))
    lower = [
        scores[scores.index(s) - 1] for s in set(found) if found.count(s) > 1 and s > scores[0]
    ]
    return [0.0, *sorted({*found, *lower}), 1.0]


def gaps(pos, unl, neg, *, scenario, prior, purity, n_bins, binning) -> list[Fraction]:
    """Mean of score·1_b in the population less prior·P(b | y = 1), for every bin of the paper."""
    population, positives, _ = mixture(pos, unl, neg, scenario, prior, purity)
    u = edges(pos, unl, neg, scenario, prior, purity, n_bins, binning)
    result = []
    claimed: set[float] = set()
    for b in range(1, len(u)):
        inside = {
            s for s in [*pos, *unl, *neg]
            if s not in claimed and s <= u[b] and (s > u[b - 1] or s == 0.0 or b == 1)
        }  # fmt: skip
        claimed |= inside
        score = integral([(s, w) for s, w in population if s in inside], Fraction)
        share = integral([(s, w) for s, w in positives if s in inside], lambda _: Fraction(1))
        result.append(score - Fraction(prior) * share)
    assert claimed == {*pos, *unl, *neg}
    return result


def calibration_error(*rows, **settings) -> Fraction:
    return sum((abs(g) for g in gaps(*rows, **settings)), Fraction(0))


def supervised_error(pos: Scores, neg: Scores, n_bins: int) -> Fraction:
    """Eq. (1) with bins of equal width."""
    rows = [(s, 1) for s in pos] + [(s, 0) for s in neg]
    total = Fraction(0)
    for b in range(1, n_bins + 1):
        low, high = (b - 1) / n_bins, b / n_bins
        inside = [(s, y) for s, y in rows if low < s <= high or (b == 1 and s == 0.0)]
        if inside:
            mean = sum(Fraction(s) for s, _ in inside) / len(inside)
            truth = Fraction(sum(y for _, y in inside), len(inside))
            total += Fraction(len(inside), len(rows)) * abs(truth - mean)
    return total


def optimal_bins(prior, n_pos: int, n_unl: int) -> int:
    """Smallest B with B³·(prior²/n_P + 1/n_U) >= 1."""
    rate = Fraction(prior) ** 2 / n_pos + Fraction(1, n_unl)
    bins = 1
    while bins**3 * rate < 1:
        bins += 1
    return bins


def risk(pos, unl, neg, *, scenario, prior, purity, loss, largest=math.inf) -> tuple[float, float]:
    """Eq. (2) and the non-negative version, for a loss(score, y).

    Neither part of that is below 0, or above its share of the population times the largest loss.
    """
    _, positives, negatives = mixture(pos, unl, neg, scenario, prior, purity)
    on_positives = math.fsum(float(w) * loss(s, 1) for s, w in positives) * float(prior)
    on_negatives = math.fsum(float(w) * loss(s, 0) for s, w in negatives) * (1 - float(prior))
    parts = ((on_positives, float(prior)), (on_negatives, 1 - float(prior)))
    held = (
        max(part, 0.0) if share == 0 else min(max(part, 0.0), share * largest)
        for part, share in parts
    )
    return on_positives + on_negatives, sum(held)


def theorem_1(n_pos, n_unl, prior, bins, lipschitz, binning, delta=None) -> float:
    exponent = bins * math.log(2) + (0.0 if delta is None else math.log(1 / delta))
    if binning == "width":
        spread = prior**2 / n_pos + 1 / n_unl
        return (1 + lipschitz) / bins + math.sqrt(2 * spread * exponent)
    rest = n_unl - bins
    first = (1 + lipschitz) / bins + (3 + 2 * lipschitz) * bins / rest
    root = (1 + lipschitz) / math.sqrt(rest) + math.sqrt(prior**2 / n_pos + 1 / rest)
    return first + math.sqrt(2 * exponent) * root


def theorem_3(n_pos, n_unl, prior, bins, lipschitz, binning, fcmi, fcmi_unl) -> float:
    spread = prior**2 / n_pos + 1 / n_unl
    bound = (1 + lipschitz) / bins + math.sqrt(8 * spread * (fcmi + bins * math.log(2)))
    if binning == "mass":
        bound += (1 + lipschitz) * math.sqrt(8 / n_unl * (fcmi_unl + bins * math.log(2)))
    return bound


def isotonic_posterior(pos, unl, neg, *, scenario, prior, purity) -> dict[float, Fraction]:
    """The rising function p minimising E[(p − Y)²], by the max-min formula, cut to [0, 1].

    At a score with labelled rows only p is as large as the next score allows.
    """
    population, positives, _ = mixture(pos, unl, neg, scenario, prior, purity)
    scores = sorted({s for s, _ in population} | {s for s, _ in positives})
    mass = [sum((w for t, w in population if t == s), Fraction(0)) for s in scores]
    hits = [Fraction(prior) * sum((w for t, w in positives if t == s), Fraction(0)) for s in scores]
    result = {}
    for i, s in enumerate(scores):
        best: Fraction | float = -math.inf
        for j in range(i + 1):
            least: Fraction | float = math.inf
            for k in range(i, len(scores)):
                weight, sum_hits = sum(mass[j : k + 1]), sum(hits[j : k + 1])
                if weight > 0:
                    least = min(least, sum_hits / weight)
            best = max(best, least)
        result[s] = Fraction(min(max(best, Fraction(0)), Fraction(1)))
    return result


def synthetic_truth(beta0: float, beta1: float, points: int = 200_001) -> float:
    """TCE of Section 5.1 by the trapezoidal rule on [−12, 12]."""

    def density(x: float) -> float:
        return (math.exp(-((x - 1) ** 2) / 2) + math.exp(-((x + 1) ** 2) / 2)) / (
            2 * math.sqrt(2 * math.pi)
        )

    def sigmoid(z: float) -> float:
        return 1 / (1 + math.exp(-z)) if z > -700 else 0.0

    step = 24 / (points - 1)
    values = (
        abs(sigmoid(2 * x) - sigmoid(beta0 + beta1 * x)) * density(x)
        for x in (-12 + i * step for i in range(points))
    )
    return math.fsum(values) * step
