"""Corrected rates, areas and metrics of Jain, White and Radivojac (2017), in exact arithmetic.

Transcribed: Eqs. (1)-(2) and (5) for the two rates, Eq. (3) for precision, Eq. (4) for the area
under the ROC curve, Algorithm 1, and its reading on a continuous path.  The paper's alpha is the
share of positives in the comparison sample, its beta is ``purity``.

Rows are three lists of scores: labelled positives, unlabeled, known negatives.  A threshold keeps
every row with ``score >= threshold``; floats are taken at their exact binary value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal

Scores = Sequence[float]
Scenario = Literal["case_control", "single_training_set"]
Number = Fraction | float
Point = tuple[Fraction, Fraction]
Piece = tuple[Fraction, Fraction, Fraction, Fraction]


def comparison(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number
) -> tuple[list[float], Fraction]:
    """The sample that the labelled rows are compared with, and its share of positives."""
    if scenario == "single_training_set":
        return [*pos, *unl, *neg], Fraction(prior)
    if scenario != "case_control":
        raise ValueError(scenario)
    if len(unl) == 0:
        return list(neg), Fraction(0)
    return list(unl), Fraction(prior)


def share_at_least(scores: Scores, threshold: Number) -> Fraction:
    """Share of the rows scoring at or above the threshold."""
    return Fraction(sum(1 for s in scores if s >= threshold), len(scores))


def rates(
    pos: Scores,
    unl: Scores,
    neg: Scores,
    *,
    scenario: Scenario,
    prior: Number,
    purity: Number,
    threshold: Number,
) -> Point:
    """(gamma, eta) by Eqs. (1)-(2): the true and the false positive rate, not clipped."""
    sample, a = comparison(pos, unl, neg, scenario=scenario, prior=prior)
    b = Fraction(purity)
    g = share_at_least(pos, threshold)
    f = share_at_least(sample, threshold)
    gamma = ((1 - a) * g - (1 - b) * f) / (b - a)
    eta = (b * f - a * g) / (b - a)
    return gamma, eta


def population_size(pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario) -> int:
    """Number of rows that the confusion counts refer to."""
    if scenario == "single_training_set":
        return len(pos) + len(unl) + len(neg)
    return len(unl) if len(unl) > 0 else len(pos) + len(neg)


def confusion(
    pos: Scores,
    unl: Scores,
    neg: Scores,
    *,
    scenario: Scenario,
    prior: Number,
    purity: Number,
    threshold: Number,
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """(tp, fp, fn, tn) of the population, from the corrected rates."""
    gamma, eta = rates(
        pos, unl, neg, scenario=scenario, prior=prior, purity=purity, threshold=threshold
    )
    n = population_size(pos, unl, neg, scenario=scenario)
    positives = Fraction(prior) * n
    negatives = (1 - Fraction(prior)) * n
    tp = positives * gamma
    fp = negatives * eta
    return tp, fp, positives - tp, negatives - fp


def raw_path(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number, purity: Number
) -> list[Point]:
    """(eta, gamma) at (0, 0) and then at every distinct score, highest first; ends at (1, 1)."""
    path = [(Fraction(0), Fraction(0))]
    for threshold in sorted({*pos, *unl, *neg}, reverse=True):
        gamma, eta = rates(
            pos, unl, neg, scenario=scenario, prior=prior, purity=purity, threshold=threshold
        )
        path.append((eta, gamma))
    return path


def mann_whitney(above: Scores, below: Scores) -> Fraction:
    """Share of pairs in which the first sample scores higher; a tied pair counts one half."""
    total = Fraction(0)
    for x in above:
        for y in below:
            if x > y:
                total += 1
            elif x == y:
                total += Fraction(1, 2)
    return total / (len(above) * len(below))


def auc_direct(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number, purity: Number
) -> Fraction:
    """Eq. (4) applied to the Mann-Whitney statistic of labelled against comparison rows."""
    sample, a = comparison(pos, unl, neg, scenario=scenario, prior=prior)
    gap = Fraction(purity) - a
    return (mann_whitney(pos, sample) - (1 - gap) / 2) / gap


def auc_algorithm1_rows(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number, purity: Number
) -> Fraction:
    """Algorithm 1 on the vertices alone, closed by (0, 0) and (1, 1), with trapezoids."""
    path = raw_path(pos, unl, neg, scenario=scenario, prior=prior, purity=purity)
    inside = sorted(p for p in path if 0 <= p[0] <= 1 and 0 <= p[1] <= 1)
    curve = [(Fraction(0), Fraction(0))]
    highest = Fraction(0)
    for eta, gamma in inside:
        highest = max(highest, gamma)
        curve.append((eta, highest))
    curve.append((Fraction(1), Fraction(1)))
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        area += (x1 - x0) * (y0 + y1) / 2
    return area


def _envelope_at(path: Sequence[Point], x: Fraction) -> Fraction:
    """Highest capped gamma over the polyline's points with eta <= x, and never below zero.

    On one segment that highest value lies at an end or at the point cut off by eta = x.
    """
    best = Fraction(0)
    for eta, gamma in path:
        if eta <= x:
            best = max(best, min(gamma, Fraction(1)))
    for (x0, y0), (x1, y1) in pairwise(path):
        if min(x0, x1) <= x <= max(x0, x1) and x0 != x1:
            gamma = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            best = max(best, min(gamma, Fraction(1)))
    return best


def envelope_value(
    x: Number,
    pos: Scores,
    unl: Scores,
    neg: Scores,
    *,
    scenario: Scenario,
    prior: Number,
    purity: Number,
) -> Fraction:
    """The monotone envelope of the raw polyline at one false positive rate."""
    path = raw_path(pos, unl, neg, scenario=scenario, prior=prior, purity=purity)
    return _envelope_at(path, Fraction(x))


def envelope_pieces(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number, purity: Number
) -> list[Piece]:
    """Linear pieces (x0, limit from the right at x0, x1, limit from the left at x1) on [0, 1].

    The envelope is at every x the largest of finitely many straight lines: the segments and the
    horizontal levels of the vertices, among them 0 and 1.  Cutting at every vertex and at every
    crossing of two such lines leaves nothing but straight pieces.
    """
    path = raw_path(pos, unl, neg, scenario=scenario, prior=prior, purity=purity)
    lines = {(Fraction(0), gamma) for _, gamma in path}
    for (x0, y0), (x1, y1) in pairwise(path):
        if x0 != x1:
            slope = (y1 - y0) / (x1 - x0)
            lines.add((slope, y0 - slope * x0))
    cuts = {eta for eta, _ in path}
    for s, c in lines:
        for t, d in lines:
            if s != t:
                cuts.add((d - c) / (s - t))
    ordered = sorted(x for x in cuts if 0 <= x <= 1)
    pieces: list[Piece] = []
    for x0, x1 in pairwise(ordered):
        third = (x1 - x0) / 3
        y_first = _envelope_at(path, x0 + third)
        y_second = _envelope_at(path, x1 - third)
        if 2 * _envelope_at(path, (x0 + x1) / 2) != y_first + y_second:
            raise AssertionError("the envelope bends between two cuts")
        pieces.append((x0, 2 * y_first - y_second, x1, 2 * y_second - y_first))
    return pieces


def auc_envelope(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number, purity: Number
) -> Fraction:
    """Exact area under the monotone envelope of the raw polyline over [0, 1]."""
    pieces = envelope_pieces(pos, unl, neg, scenario=scenario, prior=prior, purity=purity)
    return sum(((x1 - x0) * (y0 + y1) / 2 for x0, y0, x1, y1 in pieces), Fraction(0))


def average_precision_steps(
    pos: Scores, unl: Scores, neg: Scores, *, scenario: Scenario, prior: Number
) -> Fraction | None:
    """Recall steps times the precision of Eq. (3), on the raw path, for clean labels.

    None when a step in recall meets a predicted share of exactly zero, where the precision is not a
    number.  A raw precision may exceed one; nothing is clipped.
    """
    p = Fraction(prior)
    path = raw_path(pos, unl, neg, scenario=scenario, prior=prior, purity=1)
    total = Fraction(0)
    for (_, before), (eta, gamma) in pairwise(path):
        if gamma == before:
            continue
        predicted = p * gamma + (1 - p) * eta
        if predicted == 0:
            return None
        total += (gamma - before) * p * gamma / predicted
    return total


def _ratio(top: Number | None, bottom: Number | None) -> Number | None:
    """top / bottom; None for 0/0, signed infinity for anything else over zero."""
    if top is None or bottom is None or (top == 0 and bottom == 0):
        return None
    if bottom == 0:
        return math.inf if top > 0 else -math.inf
    return top / bottom


def _sum(*terms: Number | None) -> Number | None:
    total: Number = Fraction(0)
    for term in terms:
        if term is None:
            return None
        total = total + term
    return total


def metric(
    name: str,
    tp: Number,
    fp: Number,
    fn: Number,
    tn: Number,
    beta: Number = 1,
    cost_fp: Number = 1,
    cost_fn: Number = 1,
    odds: Number = 1,
) -> Number | None:
    """One metric of a confusion table; None where it is 0/0, infinity where it is x/0."""
    tp, fp, fn, tn = Fraction(tp), Fraction(fp), Fraction(fn), Fraction(tn)
    n, b2 = tp + fp + fn + tn, Fraction(beta) ** 2
    recall, specificity = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
    fpr, fnr = _ratio(fp, tn + fp), _ratio(fn, tp + fn)
    precision, npv = _ratio(tp, tp + fp), _ratio(tn, tn + fn)
    if name == "mcc":
        square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return float(tp * tn - fp * fn) / math.sqrt(square) if square > 0 else None
    if name == "geometric_mean":
        if recall is None or specificity is None or recall * specificity < 0:
            return None
        return math.sqrt(recall * specificity)
    if name == "cohen_kappa":
        chance = (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
        return _ratio((tp + tn) * n - chance, n * n - chance)
    table: dict[str, Number | None] = {
        "precision": precision,
        "recall": recall,
        "specificity": specificity,
        "npv": npv,
        "fpr": fpr,
        "fnr": fnr,
        "fdr": _ratio(fp, tp + fp),
        "fbeta": _ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp),
        "accuracy": _ratio(tp + tn, n),
        "balanced_accuracy": _ratio(_sum(recall, specificity), 2),
        "informedness": _sum(recall, specificity, -1),
        "markedness": _sum(precision, npv, -1),
        "positive_likelihood_ratio": _ratio(recall, fpr),
        "negative_likelihood_ratio": _ratio(fnr, specificity),
        "lift": _ratio(precision, _ratio(tp + fn, n)),
        "net_benefit": _ratio(tp - Fraction(odds) * fp, n),
        "expected_cost": _ratio(Fraction(cost_fp) * fp + Fraction(cost_fn) * fn, n),
        "jaccard": _ratio(tp, tp + fp + fn),
        "lee_liu": None if recall is None else _ratio(recall * recall * n, tp + fp),
        "pseudo_f": None if recall is None else _ratio(2 * recall * n, tp + fp + tp + fn),
    }
    return table[name]
