"""Simulated rankings, and every measure with its definition."""

import numpy as np

from puremetrics import ScoreTable, ranking
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
