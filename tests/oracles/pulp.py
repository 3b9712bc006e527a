"""PULP and its companions of Hajizadeh, Li, Dollevoet and Tax (2014), by direct sums.

Transcribed: Eqs. (1)-(3), with the measure read as P(X <= k - 1) at every operating point, and the
measures that section 3 averages over the same points.  A strict ranking is a list of flags, best
row first: 1 for a labelled row, 0 for any other.  Operating point b predicts the first b rows
positive, b = 0..N.  Measures built on recall need at least one flag set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

Flags = Sequence[int]
Number = Fraction | float


def hypergeometric_pmf(n: int, t: int, b: int, i: int) -> Fraction:
    """Eq. (1): probability that b random predictions among n rows hit i of the t labelled."""
    if i < 0 or i > t or i > b:
        return Fraction(0)
    return Fraction(math.comb(t, i) * math.comb(n - t, b - i), math.comb(n, b))


def at_most(n: int, t: int, b: int, k: int) -> Fraction:
    """P(X <= k) for the same X; zero for k = -1."""
    return sum((hypergeometric_pmf(n, t, b, i) for i in range(k + 1)), Fraction(0))


def pulp_pvalue(n: int, t: int, b: int, k: int) -> Fraction:
    """Eq. (2): P(X >= k), summed upwards from k."""
    return sum((hypergeometric_pmf(n, t, b, i) for i in range(k, b + 1)), Fraction(0))


def hits(flags: Flags) -> list[int]:
    """Labelled rows among the first b, for b = 0..N."""
    return [sum(flags[:b]) for b in range(len(flags) + 1)]


def pulp_strict(flags: Flags) -> Fraction:
    """Eq. (3): mean over all N + 1 operating points of P(X <= k - 1)."""
    n, t = len(flags), sum(flags)
    terms = [at_most(n, t, b, k - 1) for b, k in enumerate(hits(flags))]
    return sum(terms, Fraction(0)) / (n + 1)


def lee_liu_strict(flags: Flags) -> Fraction:
    """Mean over operating points of recall squared over the predicted share; 0 at b = 0."""
    n, t = len(flags), sum(flags)
    total = Fraction(0)
    for b, k in enumerate(hits(flags)):
        if b > 0:
            total += Fraction(k, t) ** 2 / Fraction(b, n)
    return total / (n + 1)


def pseudo_f_strict(flags: Flags, prior: Number) -> Fraction:
    """Mean over operating points of twice recall over predicted share plus prior."""
    n, t = len(flags), sum(flags)
    total = Fraction(0)
    for b, k in enumerate(hits(flags)):
        total += 2 * Fraction(k, t) / (Fraction(b, n) + Fraction(prior))
    return total / (n + 1)


def mean_f1_strict(flags: Flags) -> Fraction:
    """Mean over operating points of F1 against the labels; 0 where nothing is hit."""
    n, t = len(flags), sum(flags)
    total = Fraction(0)
    for b, k in enumerate(hits(flags)):
        if k > 0:
            precision, recall = Fraction(k, b), Fraction(k, t)
            total += 2 * precision * recall / (precision + recall)
    return total / (n + 1)


def mutual_information(table: Sequence[Sequence[int]]) -> float:
    """Mutual information, in nats, of the two variables of a table of counts."""
    n = sum(map(sum, table))
    columns = [sum(row[j] for row in table) for j in range(len(table[0]))]
    total = 0.0
    for row in table:
        for j, count in enumerate(row):
            if count > 0:
                total += count / n * math.log(Fraction(count * n, sum(row) * columns[j]))
    return total


def _table(n: int, t: int, b: int, k: int) -> list[list[int]]:
    """Counts with rows labelled / not labelled and columns predicted positive / negative."""
    return [[k, t - k], [b - k, n - t - b + k]]


def mean_mutual_information_strict(flags: Flags) -> float:
    """Mean over operating points of the mutual information of label and prediction, in nats."""
    n, t = len(flags), sum(flags)
    terms = [mutual_information(_table(n, t, b, k)) for b, k in enumerate(hits(flags))]
    return math.fsum(terms) / (n + 1)


def mean_pearson_strict(flags: Flags) -> float:
    """Mean over operating points of the phi coefficient of label and prediction; 0 if undefined."""
    n, t = len(flags), sum(flags)
    terms = []
    for b, k in enumerate(hits(flags)):
        (tp, fn), (fp, tn) = _table(n, t, b, k)
        square = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
        terms.append((tp * tn - fp * fn) / math.sqrt(square) if square > 0 else 0.0)
    return math.fsum(terms) / (n + 1)


def map_strict(flags: Flags) -> Fraction:
    """Average precision: mean over labelled rows of the precision at their own rank."""
    precisions = [Fraction(sum(flags[: i + 1]), i + 1) for i, flag in enumerate(flags) if flag == 1]
    return sum(precisions, Fraction(0)) / len(precisions)


def auc_strict(flags: Flags) -> Fraction:
    """Share of pairs in which the labelled row ranks before the other one."""
    labelled = [i for i, flag in enumerate(flags) if flag == 1]
    others = [i for i, flag in enumerate(flags) if flag == 0]
    wins = sum(1 for i in labelled for j in others if i < j)
    return Fraction(wins, len(labelled) * len(others))


def tie_breakings(pos: Sequence[float], rest: Sequence[float]) -> list[list[int]]:
    """Every flag list that some order of the tied rows gives; all of them equally likely."""
    blocks = []
    for score in sorted({*pos, *rest}, reverse=True):
        labelled = sum(1 for s in pos if s == score)
        size = labelled + sum(1 for s in rest if s == score)
        blocks.append(
            [
                [1 if place in chosen else 0 for place in range(size)]
                for chosen in combinations(range(size), labelled)
            ]
        )
    return [[flag for block in choice for flag in block] for choice in product(*blocks)]


def mean_over_tie_breaking(
    fn: Callable[[list[int]], Number], pos: Sequence[float], rest: Sequence[float]
) -> Number:
    """Mean of a measure over all orders of tied rows; exact when the measure is."""
    orders = tie_breakings(pos, rest)
    total: Number = Fraction(0)
    for flags in orders:
        total = total + fn(flags)
    return total / len(orders)
