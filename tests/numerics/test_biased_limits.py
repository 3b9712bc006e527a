"""Limits of latent positives under biased labels, against fractions and one head at a time."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.numerics import biased_limits as module
from puremetrics.numerics.biased_limits import biased_limits
from puremetrics.numerics.head_limits import head_limits
from puremetrics.numerics.hypergeometric import log_at_least, log_at_most
from tests.oracles import fisher

factors = st.sampled_from([1.0, 1.5, 2.0, 4.0, 30.0])
alphas = st.sampled_from([0.5, 0.25, 0.1, 0.025, (1 - 0.95) / 2, 0.0005])


@given(st.integers(1, 10), st.integers(0, 14), alphas, factors, factors)
def test_limits_equal_the_definition(labelled, latent, alpha, down, up):
    low, high = biased_limits(np.arange(labelled + 1), labelled, latent, alpha, down, up)
    exact = Fraction(alpha), Fraction(down), Fraction(up)
    for k in range(labelled + 1):
        assert (low[k], high[k]) == fisher.band(k, labelled, latent, *exact)


def test_ties_are_exact():
    # P(X >= 1 | K = 1) = n ω / (n ω + m) is alpha itself, rounded up or down to a float
    for labelled, latent, odds in [(1, 78, 2.0), (50, 3900, 2.0), (100, 9600, 2.4615384615384617)]:
        for alpha in (0.025, np.nextafter(0.025, 0), np.nextafter(0.025, 1)):
            low, _ = biased_limits(1, labelled, latent, float(alpha), odds, odds)
            part = labelled * Fraction(odds)
            assert low == (0 if part / (part + latent) > Fraction(float(alpha)) else 1)


@given(st.integers(1, 200), st.integers(0, 400), alphas, st.data())
def test_more_bias_leaves_more_room(labelled, latent, alpha, data):
    heads = np.arange(labelled + 1)
    odds = sorted(data.draw(st.lists(st.floats(1.0, 50.0), min_size=2, max_size=4)))
    found = [biased_limits(heads, labelled, latent, alpha, gamma, gamma) for gamma in [1.0, *odds]]
    expected = head_limits(heads, labelled, latent, alpha)
    assert np.array_equal(found[0], expected)
    for (low, high), (lower, higher) in pairwise(found):
        assert np.all((lower <= low) & (high <= higher))
    low, high = found[-1]
    assert np.array_equal(high, latent - low[::-1])  # head and tail exchanged
    one_sided = biased_limits(heads, labelled, latent, alpha, odds[-1], 1.0)
    assert np.array_equal(one_sided[0], low)
    assert np.array_equal(one_sided[1], expected[1])
    other = biased_limits(heads, labelled, latent, alpha, 1.0, odds[-1])
    assert np.array_equal(other[0], expected[0])
    assert np.array_equal(other[1], high)


@pytest.mark.parametrize(
    ("labelled", "latent", "alpha", "odds"),
    [(10**4, 5 * 10**5, 0.025, 2.0), (10**5, 10**7, 0.005, 4.0), (10**6, 10**4, 0.1, 1.5),
     (3000, 10**12, 1e-9, 3.0), (10**9, 10**9, 0.025, 2.0), (10**12, 10**12, 0.025, 10.0)],
)  # fmt: skip
def test_large_limits_cut_at_alpha(labelled, latent, alpha, odds):
    heads = np.unique(np.round(np.linspace(0, labelled, 40)))
    low, high = biased_limits(heads, labelled, latent, alpha, odds, odds)
    total, level = labelled + latent, np.log(alpha) - 1e-8
    at = [log_at_least(heads, total, heads + low - step, labelled, odds) for step in (0, 1)]
    assert np.all(at[0] > level)
    assert np.all((at[1] <= level + 2e-8) | (low == 0))
    at = [log_at_most(heads, total, heads + high + step, labelled, 1 / odds) for step in (0, 1)]
    assert np.all(at[0] > level)
    assert np.all((at[1] <= level + 2e-8) | (high == latent))


@given(st.integers(0, 10**6))
def test_runs_of_heads_are_those_one_by_one(seed):
    rng = np.random.default_rng(seed)
    labelled, latent = int(10 ** rng.uniform(3.02, 3.7)), float(int(10 ** rng.uniform(0, 8)))
    alpha, odds = float(rng.choice([0.25, 0.025, 0.0005])), float(10 ** rng.uniform(0.01, 3))
    heads = np.arange(1.0, labelled + 1)
    found = module._least_of_run(heads, float(labelled), latent, alpha, odds)
    some = np.unique(rng.integers(0, labelled, 400))
    several = np.full(some.size, latent)
    expected = module._search(heads[some], float(labelled), several, alpha, odds)
    assert np.array_equal(found[some], expected)
    assert np.all(np.diff(found) >= 0)


@given(st.integers(0, 10**6))
def test_several_numbers_of_latent_positives_are_those_one_by_one(seed):
    rng = np.random.default_rng(seed)
    labelled = int(10 ** rng.uniform(0, 4))
    heads = rng.integers(0, labelled + 1, 5).astype(float)
    latent = np.floor(10 ** rng.uniform(0, 6, 3))
    down, up = (1 + 10 ** rng.uniform(-1, 2, 2)).tolist()
    low, high = biased_limits(heads, labelled, latent[:, None], 0.02, down, up)
    for i, rows in enumerate(latent):
        expected = biased_limits(heads, labelled, int(rows), 0.02, down, up)
        assert np.array_equal(low[i], expected[0])
        assert np.array_equal(high[i], expected[1])


def test_nothing_known_leaves_everything_open():
    low, high = biased_limits([0, 0], 0, 7, 0.025, 2.0, 2.0)
    assert (low.tolist(), high.tolist()) == ([0, 0], [7, 7])
    low, high = biased_limits([1, 2], 3, 7, 0.0, 2.0, 2.0)
    assert (low.tolist(), high.tolist()) == ([0, 0], [7, 7])


@pytest.mark.parametrize(
    ("labelled", "latent", "odds", "alpha"),
    [(1474, 315, 49.011, 0.02), (2033, 1747, 170.462, 0.02), (14118, 13892, 310.933, 0.1)],
)
def test_runs_are_not_interpolated_where_limits_are_few_rows(labelled, latent, odds, alpha):
    """Where the first latent positive is needed, the root as a real number has a kink."""
    heads = np.arange(1.0, labelled + 1)
    found = module._least_of_run(heads, float(labelled), float(latent), alpha, odds)
    several = np.full(labelled, float(latent))
    assert np.array_equal(found, module._search(heads, float(labelled), several, alpha, odds))
