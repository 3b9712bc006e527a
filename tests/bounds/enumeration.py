"""Bounds from their definition: every number of latent positives, every number of them in the head."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

from tests.oracles import claesen

band = cache(claesen.hypergeometric_band)


def limits(pos, unl, threshold, latent, level):
    """Fewest and most latent positives at or above the threshold, by Eq. (11) with the exact band."""
    k, reached = (sum(s >= threshold for s in group) for group in (pos, unl))
    least, most = max(latent - (len(unl) - reached), 0), min(reached, latent)
    low, high = band(k, len(pos), latent, level)
    return tuple(min(max(x, least), most) for x in (low, high))


def tables(pos, unl, neg, threshold, latents, level, scenario):
    """(tp, fp, fn, tn) of everything that is possible."""
    heads = [sum(s >= threshold for s in group) for group in (pos, unl, neg)]
    single = scenario == "single_training_set"
    for latent in latents:
        low, high = limits(pos, unl, threshold, latent, level)
        for x in range(low, high + 1):
            tp, fp = x + single * heads[0], heads[1] - x + single * heads[2]
            positives = latent + single * len(pos)
            negatives = len(unl) - latent + single * len(neg)
            yield tp, fp, positives - tp, negatives - fp


def binomial_range(rows, low, high, error):
    """Both quantiles of Binomial(rows, ·): the lower one at the low prior, the upper one at the high one."""

    def quantile(prior, probability):
        total = Fraction(0)
        for x in range(rows + 1):
            total += claesen.binomial_pmf(x, rows, prior)
            if total >= probability:
                return x
        return rows

    return quantile(low, Fraction(error) / 2), quantile(high, 1 - Fraction(error) / 2)


def average_precisions(pos, unl, neg, latents, level, scenario):
    """The step-wise sum of every labelling that keeps within the limits of all thresholds."""
    scores = sorted({*pos, *unl, *neg}, reverse=True)
    single = scenario == "single_training_set"
    new = [[sum(s == t for s in group) for group in (pos, unl, neg)] for t in scores]
    for latent in latents:
        ends = [limits(pos, unl, t, latent, level) for t in scores]
        positives = latent + single * len(pos)
        found = set()

        def walk(i, x, tp, rows, total, ends=ends, latent=latent, found=found):
            if i == len(scores):
                if x == latent:
                    found.add(total)
                return
            known, hidden, others = new[i]
            for more in range(hidden + 1):
                if ends[i][0] <= x + more <= ends[i][1]:
                    gain = more + single * known
                    reached = rows + hidden + single * (known + others)
                    step = Fraction(gain * (tp + gain), reached) if reached else Fraction(0)
                    walk(i + 1, x + more, tp + gain, reached, total + step)

        walk(0, 0, 0, 0, Fraction(0))
        yield from (float(total / positives) for total in found)


def paths(pos, unl, neg, latent, level, scenario):
    """ROC curves of all labellings that keep within the limits of all thresholds, as corners (fp, tp)."""
    scores = sorted({*pos, *unl, *neg}, reverse=True)
    single = scenario == "single_training_set"
    new = [[sum(s == t for s in group) for group in (pos, unl, neg)] for t in scores]
    ends = [limits(pos, unl, t, latent, level) for t in scores]

    def walk(i, x, corners):
        if i == len(scores):
            if x == latent:
                yield corners
            return
        known, hidden, others = new[i]
        for more in range(hidden + 1):
            if ends[i][0] <= x + more <= ends[i][1]:
                fp, tp = corners[-1]
                step = (fp + hidden - more + single * others, tp + more + single * known)
                yield from walk(i + 1, x + more, [*corners, step])

    yield from walk(0, 0, [(0, 0)])


def part_below(corners, end):
    """Area below a curve of corners (fp, tp) up to a false positive rate, both as shares."""
    negatives, positives = corners[-1]
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(corners):
        x0, x1, y0, y1 = (
            Fraction(x0, negatives), Fraction(x1, negatives),
            Fraction(y0, positives), Fraction(y1, positives),
        )  # fmt: skip
        if x0 >= end or x1 == x0:
            continue
        last = min(x1, end)
        reached = y0 + (y1 - y0) * (last - x0) / (x1 - x0)
        area += (last - x0) * (y0 + reached) / 2
    return area


def mcclish(area, chance, perfect):
    """An area as a number between 1/2 for chance and 1 for a perfect ranking."""
    return (1 + (area - chance) / (perfect - chance)) / 2


def scaled_part(corners, max_fpr=None, recall_range=None):
    """A part of the area on McClish's scale; a range of recall is one of the curve turned round."""
    if max_fpr is not None:
        return mcclish(part_below(corners, max_fpr), max_fpr**2 / 2, max_fpr)
    low, high = recall_range
    turned = [(y, x) for x, y in corners]  # the area to the left of the curve
    left = part_below(turned, high) - part_below(turned, low)
    width = high - low
    return mcclish(width - left, width - (high**2 - low**2) / 2, width)


def ratio(a, b):
    if b == 0:
        return math.nan if a == 0 else math.inf
    return a / b


def correlation(tp, fp, fn, tn):
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return ratio(tp * tn - fp * fn, math.sqrt(spread))


def kappa(tp, fp, fn, tn):
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return ratio((tp + tn) / n - chance, 1 - chance)


METRICS = {
    "precision": lambda tp, fp, fn, tn: ratio(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: ratio(tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: ratio(tn, tn + fp),
    "npv": lambda tp, fp, fn, tn: ratio(tn, tn + fn),
    "fpr": lambda tp, fp, fn, tn: ratio(fp, tn + fp),
    "fnr": lambda tp, fp, fn, tn: ratio(fn, tp + fn),
    "fdr": lambda tp, fp, fn, tn: ratio(fp, tp + fp),
    "f1": lambda tp, fp, fn, tn: ratio(2 * tp, 2 * tp + fn + fp),
    "accuracy": lambda tp, fp, fn, tn: ratio(tp + tn, tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn: (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2,
    "mcc": correlation,
    "informedness": lambda tp, fp, fn, tn: ratio(tp, tp + fn) - ratio(fp, tn + fp),
    "markedness": lambda tp, fp, fn, tn: ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1,
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: ratio(
        ratio(tp, tp + fn), ratio(fp, fp + tn)
    ),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: ratio(
        ratio(fn, tp + fn), ratio(tn, fp + tn)
    ),
    "lift": lambda tp, fp, fn, tn: ratio(tp * (tp + fp + fn + tn), (tp + fp) * (tp + fn)),
    "expected_cost": lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn),
    "net_benefit": lambda tp, fp, fn, tn: (tp - fp) / (tp + fp + fn + tn),
    "jaccard": lambda tp, fp, fn, tn: ratio(tp, tp + fp + fn),
    "cohen_kappa": kappa,
    "geometric_mean": lambda tp, fp, fn, tn: math.sqrt(ratio(tp, tp + fn) * ratio(tn, tn + fp)),
    "lee_liu": lambda tp, fp, fn, tn: ratio(
        ratio(tp, tp + fn) ** 2, (tp + fp) / (tp + fp + fn + tn)
    ),
    "pseudo_f": lambda tp, fp, fn, tn: ratio(
        ratio(2 * tp, 2 * tp + fp + fn), (tp + fn) / (tp + fp + fn + tn)
    ),
    "predicted_positive_rate": lambda tp, fp, fn, tn: (tp + fp) / (tp + fp + fn + tn),
}
