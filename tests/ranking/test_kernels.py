"""Closed sums of the ranking measures against sums row by row, and against exact fractions."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from puremetrics.ranking import kernels
from puremetrics.ranking import kernels as closed_forms
from puremetrics.ranking.kernels import Blocks


@pytest.mark.parametrize("start", [0, 1, 23, 24, 25, 300])
@pytest.mark.parametrize("size", [1, 5, 63, 64, 65, 66, 400])
def test_powers_over_a_block_are_their_sums(start, size):
    found = kernels._block_powers(np.array([float(start)]), np.array([float(size)]))
    for power, value in enumerate(found):
        exact = sum(Fraction(j**power, start + j) for j in range(1, size + 1))
        assert value[0] == pytest.approx(float(exact), rel=2e-12, abs=0)


@pytest.mark.parametrize("z", [1e-8, 1e-3, 0.1, 0.199, 0.2, 0.201, 0.5, 3.0, 100.0])
def test_remainders_of_the_logarithm_are_their_series(z):
    import mpmath

    with mpmath.workdps(50):
        log = mpmath.log1p(mpmath.mpf(z))
        wanted = float(z - log), float(log - z + mpmath.mpf(z) ** 2 / 2)
    drop, rest = kernels._log_remainders(np.array([z]))
    assert (drop[0], rest[0]) == pytest.approx(wanted, rel=1e-13, abs=0)


@pytest.mark.parametrize("power", [-0.5, 0.5])
@pytest.mark.parametrize("order", [0, 1, 3, 5])
def test_derivatives_of_roots_are_limits(power, order):
    import mpmath

    x, total = 30.0, 100.0
    wanted = mpmath.diff(lambda b: b**power / mpmath.sqrt(total - b), x, order)
    found = closed_forms._root_derivative(power, order, np.array([x]), total)[0]
    assert found == pytest.approx(float(wanted), rel=1e-10)


def small_rankings():
    yield [1, 1, 0, 1], [0, 2, 1, 0]  # ties of labelled and other rows
    yield [1, 2, 1], [0, 0, 3]
    yield [0, 2, 0, 1], [2, 1, 1, 3]
    yield [3], [4]


def orders(n_pos, n_rest):
    """Every ranking that ties allow, as labels best first, all equally likely."""
    rankings = [[]]
    for pos, rest in zip(n_pos, n_rest, strict=True):
        size = pos + rest
        blocks = [
            [int(i in chosen) for i in range(size)] for chosen in combinations(range(size), pos)
        ]
        rankings = [ranking + block for ranking in rankings for block in blocks]
    return rankings


def entropy(*counts):
    total = sum(counts)
    return -sum(c / total * math.log(c / total) for c in counts if c)


def information(k, b, t, n):
    inside = entropy(k, b - k) if b else 0.0
    outside = entropy(t - k, n - b - t + k) if b < n else 0.0
    return entropy(t, n - t) - b / n * inside - (n - b) / n * outside


def phi(k, b, t, n):
    return (n * k - b * t) / math.sqrt(b * (n - b) * t * (n - t))


def pulp(k, b, t, n):
    below = (math.comb(t, x) * math.comb(n - t, b - x) for x in range(k) if 0 <= b - x <= n - t)
    return sum(below) / math.comb(n, b)


@pytest.mark.parametrize(("n_pos", "n_rest"), list(small_rankings()))
def test_sums_are_means_over_all_orders_of_ties(n_pos, n_rest):
    """At the end of every tied block, by enumeration."""
    blocks = Blocks.of(np.array(n_pos), np.array(n_rest))
    n, t = int(blocks.total), int(blocks.marked)
    rankings = orders(n_pos, n_rest)
    ends = np.cumsum(np.array(n_pos) + n_rest).astype(float)

    def mean(term, stop, start=1):
        total = 0.0
        for ranking in rankings:
            hits = [0, *np.cumsum(ranking).tolist()]
            total += math.fsum(term(hits[b], b) for b in range(start, stop + 1))
        return total / len(rankings)

    cases = {
        "lee_liu": (kernels.lee_liu_sums(blocks, ends), lambda k, b: k * k / b, 0, 1),
        "linear": (kernels.linear_sums(blocks, ends, 0.7), lambda k, b: k / (b + 0.7), 0, 1),
        "pearson": (kernels.pearson_sums(blocks, ends), lambda k, b: phi(k, b, t, n), 1, 1),
        "information": (
            kernels.mutual_information_sums(blocks, ends),
            lambda k, b: information(k, b, t, n), 0, 0,
        ),
        "pulp": (kernels.pulp_sums(blocks, ends), lambda k, b: pulp(k, b, t, n), 0, 0),
    }  # fmt: skip
    for name, (found, term, short, start) in cases.items():
        for value, end in zip(found, ends, strict=True):
            wanted = mean(term, min(int(end), n - short), start)
            assert value == pytest.approx(wanted, abs=1e-12), (name, end)
    parts = kernels.average_precision_parts(blocks)
    wanted = 0.0
    for ranking in rankings:
        hits = np.cumsum(ranking)
        wanted += sum(hits[i] / (i + 1) for i in range(n) if ranking[i])
    assert parts.sum() == pytest.approx(wanted / len(rankings), abs=1e-12)


def test_blocks_by_hand():
    blocks = Blocks.of(np.array([1, 0, 2]), np.array([0, 3, 1]))
    assert (blocks.total, blocks.marked) == (7, 3)
    assert (blocks.hits.tolist(), blocks.rows.tolist()) == ([0, 1], [0, 4])
    assert (blocks.labelled.tolist(), blocks.size.tolist()) == ([1, 2], [1, 3])
    done, hits = blocks.reached(np.array([0.0, 1, 4, 7]))
    assert (done.tolist(), hits.tolist()) == ([0, 1, 1, 2], [0, 1, 1, 3])


@pytest.mark.parametrize(("low", "high", "total"), [(24, 25, 30), (24, 26, 30), (30, 31, 33)])
def test_entropy_sums_of_few_rows_are_exact_to_the_last_digits(low, high, total):
    import mpmath

    with mpmath.workdps(40):
        terms = (x * mpmath.log(mpmath.mpf(x) / total) for x in range(low + 1, high + 1))
        wanted = float(mpmath.fsum(terms))
    ends = np.array([float(low)]), np.array([float(high)])
    assert closed_forms.entropy_sums(*ends, float(total))[0] == pytest.approx(
        wanted, rel=8e-15, abs=0
    )


@pytest.mark.parametrize("start", [0.0, 0.3, 5.0, 23.5, 24.0, 31.0, 1e4])
@pytest.mark.parametrize("count", [0, 1, 2, 30, 4000])
def test_closed_sums_are_exact(start, count):
    terms = start + np.arange(1.0, count + 1)
    found = kernels.harmonic(np.array([start]), np.array([float(count)]))[0]
    assert found == pytest.approx(math.fsum(1 / terms), rel=3e-15, abs=0)
    low, high = np.array([np.floor(start)]), np.array([np.floor(start) + count])
    terms = np.arange(low[0] + 1, high[0] + 1)
    found = closed_forms.entropy_sums(low, high, 1e5)[0]
    wanted = math.fsum(terms * np.log(terms / 1e5))
    assert found == pytest.approx(wanted, rel=1e-14, abs=0)
    for total in (high[0] + 1, high[0] + 60, 2e6):
        root = closed_forms.RootSums(total)
        for power in (-0.5, 0.5):
            wanted = math.fsum(terms**power / np.sqrt(total - terms))
            found = root.between(power, low, high)[0]
            # The second is a difference of numbers near sqrt(N b).
            slack = 0.0 if power < 0 else 1e-15 * np.sqrt(total * high[0])
            assert found == pytest.approx(wanted, rel=1e-14, abs=slack)
