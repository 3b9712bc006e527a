"""The measures at sizes beyond their definition."""

import numpy as np
import pytest
from scipy.special import gammaln

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from puremetrics.numerics import hypergeometric
from puremetrics.ranking import kernels
from puremetrics.ranking.kernels import Blocks
from tests.ranking.cases import information, measure, simulated


def expected_terms(table):
    """Every term of every measure at b = 0 … N, from E[K] and E[K²]; O(rows), for large tables."""
    sizes = (table.n_pos + table.n_unl + table.n_neg).astype(int)
    n, t = int(sizes.sum()), float(table.n_pos.sum())
    place = np.arange(1.0, n + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    pos = np.repeat(table.n_pos.astype(float), sizes)
    size = np.repeat(sizes.astype(float), sizes)
    before = np.repeat(np.cumsum(table.n_pos) - table.n_pos, sizes)
    share = pos / size
    mean = np.concatenate([[0.0], before + place * share])
    spread = share * (1 - share) * place * (size - place) / np.maximum(size - 1, 1)
    square = mean**2 + np.concatenate([[0.0], spread])
    b = np.arange(n + 1.0)
    some = np.maximum(b, 1)
    inner = np.maximum(b * (n - b), 1)
    phi = np.where((b > 0) & (b < n), (n * mean - b * t) / np.sqrt(t * (n - t) * inner), 0.0)
    return (
        b,
        mean,
        {
            "lee_liu": np.where(b > 0, square * n / (some * t**2), 0.0),
            "mean_f1": 2 * mean / (b + t),
            "mean_pearson": phi,
        },
    )


def pulp_by_recurrence(hits, n, t):
    """P(X_b ≤ k_b − 1) from one operating point to the next, in long doubles."""
    long = np.longdouble
    terms, below, chance = [long(0)], long(0), long(1)  # P(X ≤ k − 1), P(X = k) at b = 0, k = 0
    n, t = long(n), long(t)
    for b in range(len(hits) - 1):
        k, b_ = long(hits[b]), long(b)
        # P(X = k) and P(X = k − 1) at this b
        step_up = (t - k) / (n - b_)
        less = chance * k * (n - t - b_ + k) / ((t - k + 1) * (b_ - k + 1))
        below = below - less * (t - k + 1) / (n - b_)  # now P(X_{b+1} ≤ k − 1)
        chance = chance * (1 - step_up) + less * (t - k + 1) / (n - b_)  # P(X_{b+1} = k)
        if hits[b + 1] > hits[b]:
            below = below + chance
            gone, left = k + 1, n - t - (b_ + 1) + k + 1
            chance = chance * (t - k) * (b_ + 1 - k) / (gone * left) if left > 0 else long(0)
        terms.append(below)
    return np.array(terms)


@pytest.mark.parametrize(
    ("n", "t"), [(5000, 1), (5000, 40), (5000, 2500), (4999, 4990), (300, 299)]
)
@pytest.mark.parametrize("shift", [0.0, 1.0, 6.0])
def test_pulp_equals_direct_sums(n, t, shift):
    """Eq. (4): log-factorials and a plain sum, nothing shared with the package."""
    rng = np.random.default_rng(n + t)
    table = simulated(rng, t, n - t, shift)
    hits = np.concatenate([[0], np.cumsum(table.n_pos)])
    log_factorial = gammaln(np.arange(n + 2.0) + 1)
    total = 0.0
    for b, k in enumerate(hits):
        i = np.arange(max(0, t + b - n), min(k - 1, t, b) + 1)
        logs = (
            log_factorial[t] + log_factorial[n - t] + log_factorial[b] + log_factorial[n - b]
            - log_factorial[i] - log_factorial[t - i] - log_factorial[n - t - b + i]
            - log_factorial[b - i] - log_factorial[n]
        )  # fmt: skip
        total += np.exp(logs).sum()
    assert ranking.pulp(table).value == pytest.approx(total / (n + 1), abs=1e-9)


@pytest.mark.parametrize("digits", [None, 1, 3])
def test_companions_equal_sums_over_all_rows(digits):
    one_sample = "single_training_set"  # lee_liu counts the population
    table = simulated(np.random.default_rng(8), 3000, 200_000, digits=digits, scenario=one_sample)
    b, mean, terms = expected_terms(table)
    for name, wanted in terms.items():
        assert measure(name, table).value == pytest.approx(wanted.mean(), abs=1e-12), name
    if digits is None:
        wanted = information(b[-1], 3000.0, b, mean).mean()
        assert ranking.mean_mutual_information(table).value == pytest.approx(wanted, abs=1e-13)


@pytest.mark.slow
def test_pulp_equals_the_recurrence_at_a_million_rows():
    rng = np.random.default_rng(4)
    table = simulated(rng, 10_000, 990_000, 0.02)
    hits = np.concatenate([[0], np.cumsum(table.n_pos)])
    wanted = float(pulp_by_recurrence(hits, hits.size - 1, hits[-1]).mean())
    assert 0.2 < wanted < 0.97
    assert ranking.pulp(table).value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
def test_pulp_of_known_rankings_at_a_hundred_million_rows():
    """Reversing labelled and other rows, and random rankings, have values of their own."""
    n, t = 1e8, 1e6
    rng = np.random.default_rng(0)
    rank = np.sort(rng.choice(int(n), int(t), replace=False)) + 1.0
    ones = np.ones(rank.size)
    blocks = Blocks(n, t, np.arange(t), rank - 1, ones, ones)
    turned = Blocks(n, t, np.arange(t), n - rank[::-1], ones, ones)
    at = np.array([n])
    value = kernels.pulp_sums(blocks, at)[0] / (n + 1)
    other = kernels.pulp_sums(turned, at)[0] / (n + 1)
    # P(X < K) + P(X > K) + P(X = K) = 1; the last, at integers between labelled rows, in closed form.
    edges = np.concatenate([[0.0], rank, [n + 1]])
    k = np.arange(t + 1)
    upto = [hypergeometric.cdf(k, n + 1, t + 1, edge) for edge in (edges[:-1], edges[1:])]
    same = float(np.sum(upto[0] - upto[1])) / (t + 1)
    assert value + other + same == pytest.approx(1.0, abs=1e-9)
    top = Blocks(n, t, np.zeros(1), np.zeros(1), np.array([t]), np.array([t]))
    best = kernels.pulp_sums(top, at)[0] / (n + 1)
    table = ScoreTable.from_counts([1, 0], n_pos=[t, 0], n_unl=[0, n - t], scenario="case_control")
    found = ranking.pulp(table, confidence_level=None)
    assert found.best == pytest.approx(best, abs=1e-12)
    assert found.value == pytest.approx(best, abs=1e-12)


def test_a_value_that_rounds_to_the_best_one_has_an_interval():
    rng = np.random.default_rng(0)
    table = ScoreTable.from_groups(
        positive=rng.normal(2, 1, 50_000),
        unlabeled=rng.normal(0, 1, 10**6),
        scenario="case_control",
    )
    found = ranking.pulp(table)
    assert found.value > 0.9999
    assert found.interval.low <= found.value <= found.interval.high <= 1.0
