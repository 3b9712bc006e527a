"""Simulated rankings, and every measure with its definition."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from tests.oracles import pulp as oracle

ORACLES = {
    "pulp": oracle.pulp_strict,
    "lee_liu": oracle.lee_liu_strict,
    "mean_f1": oracle.mean_f1_strict,
    "mean_mutual_information": oracle.mean_mutual_information_strict,
    "mean_pearson": oracle.mean_pearson_strict,
    "naive_auc": oracle.auc_strict,
    "naive_average_precision": oracle.map_strict,
    "pseudo_f": None,
}


NAMES = sorted(ORACLES)
OF_POPULATION = ("lee_liu", "pseudo_f")  # where labelled rows need not be part of what they count


def orders(pos, rest):
    """Every order of labelled (1) and other (0) rows, best first, that ties allow; all equally likely."""
    blocks = []
    for score in sorted({*pos, *rest}, reverse=True):
        labelled = sum(s == score for s in pos)
        size = labelled + sum(s == score for s in rest)
        chosen = combinations(range(size), labelled)
        blocks.append([[int(i in some) for i in range(size)] for some in chosen])
    return [[flag for block in choice for flag in block] for choice in product(*blocks)]


def of_population(term, pos, rows):
    """Mean over orders of 1/(M+1) Σ_b term(recall, b/M); the first b of the population's M rows are flagged.

    Recall counts the labelled rows that rank before the b-th of them.
    """
    total, every = Fraction(0), orders(pos, rows)
    for flags in every:
        hits, b = 0, 0
        for flag in flags:
            if flag:
                hits += 1
            else:
                b += 1
                total += term(Fraction(hits, len(pos)), Fraction(b, len(rows)))
    return total / len(every) / (len(rows) + 1)


def lee_liu_term(recall, flagged):
    return recall**2 / flagged


def pseudo_f_term(prior):
    return lambda recall, flagged: 2 * recall / (flagged + Fraction(prior))


def measure(name, table, **options):
    return getattr(ranking, name)(table, **options)


def simulated(rng, labelled, others, shift=1.0, digits=None, scenario="case_control"):
    pos, rest = rng.normal(size=labelled) + shift, rng.normal(size=others)
    if digits is not None:
        pos, rest = pos.round(digits), rest.round(digits)
    return ScoreTable.from_groups(positive=pos, unlabeled=rest, scenario=scenario)


def information(n, t, b, k):
    total = np.zeros(b.shape)
    for cell, row, column in (
        (k, t, b), (t - k, t, n - b), (b - k, n - t, b), (n - t - b + k, n - t, n - b)
    ):  # fmt: skip
        some = cell > 0
        part = cell[some] / n
        total[some] += part * np.log(
            cell[some] * n / (row * np.broadcast_to(column, b.shape)[some])
        )
    return total
