"""Limits of latent positives in a head, against the definitions of the bands."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.bounds.latent_limits import LatentLimits, binomial_quantile, rate_limits
from tests.bounds.cases import METHODS, oracle_band


@given(st.integers(1, 25), st.integers(0, 30), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_bands_equal_their_definitions(n, latent, level):
    heads = np.arange(n + 1)
    for method in METHODS:
        low, high = LatentLimits(n, method, level)(heads, latent)
        for k in range(n + 1 if method in ("exact", "bootstrap") else 0):
            lower, upper = oracle_band(method, k, n, latent, level)
            if method == "exact":
                expected = (float(lower) * max(latent, 1), float(upper) * max(latent, 1))
            else:
                expected = ((lower * latent).__floor__(), (upper * latent).__ceil__())
            assert (low[k], high[k]) == pytest.approx(expected, abs=1e-9)
        assert np.all(np.diff(low) >= 0)
        assert np.all(np.diff(high) >= 0)


def test_large_tables_give_precise_bands():
    low, high = LatentLimits(100_000, "exact", 0.95)(np.array([500, 50_000]), 10**8)
    rough = rate_limits(np.array([500, 50_000]), 100_000, "clopper_pearson", 0.95)
    assert low / 1e8 == pytest.approx(rough[0], rel=1e-3)
    assert high / 1e8 == pytest.approx(rough[1], rel=1e-3)


@pytest.mark.slow
def test_the_simultaneous_band_holds_everywhere_at_once():
    rng = np.random.default_rng(4)
    misses = 0
    for _ in range(400):
        known, hidden = rng.normal(size=80), rng.normal(size=120)
        heads = np.arange(81)
        low, high = LatentLimits(80, "exact", 0.95, simultaneous=True)(heads, 120)
        ordered = np.sort(known)[::-1]
        # Latent positives above each labelled one, with k or k + 1 labelled ones in the head.
        above = (hidden[None] >= ordered[:, None]).sum(axis=1)
        fine = np.all((low[1:] <= above) & (above <= high[:-1]))
        misses += not fine
    assert misses / 400 <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.parametrize("method", METHODS)
def test_heads_may_be_asked_one_by_one_or_together(method):
    """The limits of a head do not depend on what else is asked, or was asked before."""
    limits = LatentLimits(40, method, 0.9)
    alone = [LatentLimits(40, method, 0.9)(np.array([k]), 25) for k in range(41)]
    few = limits(np.array([3, 3, 17]), 25)
    together = limits(np.arange(41), 25)
    again = limits(np.array([17, 3]), 25)
    for side in (0, 1):
        assert together[side].tolist() == [float(pair[side][0]) for pair in alone]
        assert few[side].tolist() == [together[side][k] for k in (3, 3, 17)]
        assert again[side].tolist() == [together[side][k] for k in (17, 3)]


@pytest.mark.parametrize("size", [10**6, 2**31 - 1, 2**31, 3_000_001_000_000])
def test_binomial_quantiles_of_any_size_are_near_the_normal_ones(size):
    share = np.array([0.0, 3e-7, 1e-3, 0.5, 0.9, 1.0])
    old = tuple(int(part) for part in scipy.__version__.split(".")[:2]) < (1, 14)
    beyond = 1e-11 * size if old else 0  # what the incomplete beta function was off by
    for probability, z in ((0.025, -1.959964), (0.975, 1.959964)):
        found = binomial_quantile(share, size, probability)
        spread = np.sqrt(size * share * (1 - share))
        assert found[[0, -1]].tolist() == [0, size]
        assert found == pytest.approx(size * share + z * spread, abs=2 + beyond)
