"""Tied rows against means over their orders."""

import numpy as np
import pytest

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from puremetrics.numerics import hypergeometric
from puremetrics.ranking import kernels as ties
from tests.ranking.cases import information, simulated


def test_tied_information_equals_a_mean_over_random_orders():
    rng = np.random.default_rng(5)
    table = simulated(rng, 60, 400, digits=0)
    sizes = table.n_pos + table.n_unl
    values = []
    for _ in range(1500):
        flags = np.concatenate(
            [rng.permutation(np.arange(m) < p) for p, m in zip(table.n_pos, sizes, strict=True)]
        )
        k = np.concatenate([[0.0], np.cumsum(flags)])
        values.append(information(460.0, 60.0, np.arange(461.0), k).mean())
    error = np.std(values) / np.sqrt(len(values))
    assert abs(ranking.mean_mutual_information(table).value - np.mean(values)) < 4 * error


@pytest.mark.parametrize(
    ("n", "t", "hits", "rows", "labelled", "size"),
    [
        (1000, 100, 0, 0, 100, 1000),
        (1000, 100, 20, 150, 30, 300),
        (5000, 50, 0, 10, 50, 1990),
        (5000, 1000, 500, 2500, 100, 900),
        (20000, 5, 1, 500, 1, 900),
        (4000, 3990, 1990, 1990, 1000, 1005),
        (100_000, 20_000, 4800, 20_000, 100, 1000),
        (900, 450, 200, 410, 3, 70),
        (800, 799, 0, 0, 799, 800),
    ],
)
def test_tied_blocks_equal_the_double_sum(n, t, hits, rows, labelled, size):
    place, inner = np.meshgrid(np.arange(1, size + 1), np.arange(labelled), indexing="ij")
    chance = np.exp(hypergeometric.log_pmf(inner, size - 1, labelled - 1, place - 1))
    chance *= hypergeometric.cdf(hits + inner, n + 1, t + 1, rows + place)
    wanted = chance.sum() / size
    block = (np.array([float(x)]) for x in (hits, rows, labelled, size))
    found = ties.tied_pulp(n, t, *block)[0] / labelled
    assert found == pytest.approx(wanted, abs=2e-11)


def test_a_fully_tied_table_is_the_mean_over_all_rankings():
    n, t = 3000, 700
    table = ScoreTable.from_counts([0], n_pos=[t], n_unl=[n - t], scenario="case_control")
    i, b = np.meshgrid(np.arange(t + 1), np.arange(n + 1), indexing="ij")
    ties = np.exp(2 * hypergeometric.log_pmf(i, n, t, b)).sum(axis=0)
    found = ranking.pulp(table, confidence_level=None)
    assert found.value == pytest.approx(((1 - ties) / 2).mean(), abs=1e-10)
    assert found.chance == found.value
