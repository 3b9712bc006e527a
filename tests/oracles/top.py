"""The top of a ranked list, row by row from the definitions.

The list is the comparison sample of the two that PU data compare: the unlabeled rows in case-control, all
rows in a single training set, and all rows if none is unlabeled. Rows of one score may be listed in any
order, so each counts with the mean over the places that they share. A labelled row that is not in the list
stands where its score would, just above the next lower one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Scores = Sequence[float]


def the_list(pos: Scores, unl: Scores, neg: Scores, scenario: str) -> list[float]:
    """Scores of the rows of the population."""
    if scenario == "case_control" and len(unl) > 0:
        return list(unl)
    return [*pos, *unl, *neg]


def even(k: float) -> Callable[[int, int], float]:
    """1 in the first k rows; of a fraction of a row that fraction."""
    return lambda i, n: min(max(k - (i - 1), 0.0), 1.0)


def exponential(alpha: float) -> Callable[[int, int], float]:
    """Mean of exp(-alpha u) over the i-th of n equal parts of [0, 1]."""

    def value(i: int, n: int) -> float:
        return n / alpha * (math.exp(-alpha * (i - 1) / n) - math.exp(-alpha * i / n))

    return value


def logarithmic(k: float) -> Callable[[int, int], float]:
    """1 / log2(i + 1) in the first k rows."""
    return lambda i, n: even(k)(i, n) / math.log2(i + 1)


def mean_discount(
    scores: Scores,
    rows: list[float],
    discount: Callable[[int, int], float],
    at: Callable[[int], float],
) -> float:
    """Mean of the discount over such rows; ``at`` is that of a row below so many, tied with none."""
    total = 0.0
    for score in scores:
        above = sum(1 for other in rows if other > score)
        tied = sum(1 for other in rows if other == score)
        if tied:
            places = range(above + 1, above + tied + 1)
            total += math.fsum(discount(i, len(rows)) for i in places) / tied
        else:
            total += at(above)
    return total / len(scores)


def mean_over_positives(
    pos: Scores,
    unl: Scores,
    neg: Scores,
    *,
    scenario: str,
    prior: float,
    purity: float,
    discount: Callable[[int, int], float],
    at: Callable[[int], float],
) -> float:
    """The mean over all positives: that over the labelled, less what is due to wrong labels."""
    rows = the_list(pos, unl, neg, scenario)
    found = mean_discount(pos, rows, discount, at)
    if purity == 1:
        return found
    everyone = mean_discount(rows, rows, discount, at)
    return ((1 - prior) * found - (1 - purity) * everyone) / (purity - prior)


def in_first(k: float, n: int) -> Callable[[int], float]:
    """Whether a row that is not in the list counts: if fewer than k rows are above it, or all rows count."""
    return lambda above: 1.0 if above < k or k >= n else 0.0


def rie_of_ranks(ranks: Sequence[int], n: int, alpha: float) -> float:
    """Sheridan et al. 2001 with whole ranks from 1, as cheminformatics packages have it."""
    found = math.fsum(math.exp(-alpha * rank / n) for rank in ranks) / len(ranks)
    chance = (1 - math.exp(-alpha)) / (n * (math.exp(alpha / n) - 1))
    return found / chance


def bedroc_of_ranks(ranks: Sequence[int], n: int, alpha: float) -> float:
    """Truchon and Bayly 2007."""
    ratio = len(ranks) / n
    most = (1 - math.exp(-alpha * ratio)) / (ratio * (1 - math.exp(-alpha)))
    least = (1 - math.exp(alpha * ratio)) / (ratio * (1 - math.exp(alpha)))
    if most == least:
        return 1.0
    return (rie_of_ranks(ranks, n, alpha) - least) / (most - least)


def ideal_gain(positives: float, k: float) -> float:
    """Discounted gain of a list that starts with so many positives."""
    most = min(positives, k)
    whole = math.floor(most)
    return math.fsum(1 / math.log2(i + 1) for i in range(1, whole + 1)) + (
        most - whole
    ) / math.log2(whole + 2)


def discoveries(positive: Sequence[bool], scores: Scores, k: int) -> float:
    """Positives among the first k rows, as the mean over all orders of tied rows."""
    cut = sorted(scores, reverse=True)[k - 1]
    above = [i for i, score in enumerate(scores) if score > cut]
    tied = [i for i, score in enumerate(scores) if score == cut]
    share = (k - len(above)) / len(tied)
    return sum(positive[i] for i in above) + share * sum(positive[i] for i in tied)


def net_benefit(positive: Sequence[bool], probability: Scores, threshold: float) -> float:
    """Vickers and Elkin 2006: true positives less weighted false positives, by row."""
    n = len(positive)
    flagged = [y for y, p in zip(positive, probability, strict=True) if p >= threshold]
    odds = threshold / (1 - threshold)
    return sum(flagged) / n - (len(flagged) - sum(flagged)) / n * odds
