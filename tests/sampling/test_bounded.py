"""Limits for means of bounded values: against Clopper and Pearson, and against simulated weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import puremetrics as pm
from puremetrics.sampling import bounded
from puremetrics.setting import TwoSamples
from tests.small_tables import CC, SINGLE


@pytest.mark.parametrize(("hits", "size"), [(1, 5), (3, 10), (47, 50), (10, 1000)])
def test_shares_have_clopper_pearson_limits_if_a_whole_row_may_be_missing(hits, size):
    mean = hits / size
    counts, values = np.array([hits, size - hits]), np.array([1.0, 0.0])
    for side, end in enumerate((0.0, 1.0)):
        few = min(1, 2 / size) ** 2
        part = 1 / (few + (1 - few) * 0.6 * abs(end - mean))  # makes the missing row's weight 1
        reach = bounded.mean_reaches(counts, values, None, 0.95, part=part)[side]
        exact = (
            mean - beta.ppf(0.025, hits, size - hits + 1),
            beta.ppf(0.975, hits + 1, size - hits) - mean,
        )
        assert reach == pytest.approx(exact[side], rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_limits_are_quantiles_of_means_with_random_weights(seed):
    rng = np.random.default_rng(seed)
    values = rng.beta(4, 1 + seed, 25)
    mean = values.mean()
    found = bounded.mean_reaches(np.ones(25), values, None, 0.95)
    for side, end in enumerate((0.0, 1.0)):
        few = (2 / 25) ** 2
        alpha = np.append(np.ones(25), few + (1 - few) * 0.6 * abs(end - mean))
        drawn = rng.dirichlet(alpha, 200_000) @ np.append(values, end)
        exact = np.quantile(drawn, (0.025, 0.975)[side])
        assert abs(exact - mean) == pytest.approx(found[side], rel=0.12)


@given(
    st.lists(st.floats(-3, 5), min_size=1, max_size=20),
    st.floats(0.5, 0.99),
    st.floats(0.1, 10),
    st.floats(-2, 2),
)
def test_reaches_move_and_stretch_with_the_values(values, level, scale, shift):
    values, span = np.array(values), (-3.0, 5.0)
    counts = np.ones(values.size)
    low, high = bounded.mean_reaches(counts, values, None, level, span)
    assert 0 <= low <= values.mean() + 3 + 1e-9
    assert 0 <= high <= 5 - values.mean() + 1e-9
    ends = scale * span[0] + shift, scale * span[1] + shift
    again = bounded.mean_reaches(counts, scale * values + shift, None, level, ends)
    assert again == pytest.approx((scale * low, scale * high), abs=1e-6 * scale)
    mirrored = bounded.mean_reaches(counts, -values, None, level, (-5.0, 3.0))
    assert mirrored == pytest.approx((high, low), abs=1e-6)


def test_weights_that_go_with_the_value_leave_fewer_rows_than_kish_says():
    values = np.array([0.0, 1.0])
    counts, squares = np.array([50.0, 50.0]), np.array([50.0, 500.0])  # 50 rows of 1, 5 rows of 10
    found = bounded.effective_size(counts, values, squares)
    variance = (50 * 0.25 + 500 * 0.25) / 100**2  # of a ratio of weighted sums
    assert found == pytest.approx(0.25 / variance)
    assert bounded.effective_size(counts, values * 0, squares) == pytest.approx(100**2 / 550)
    assert bounded.effective_size(counts, values, None) == 100


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_one_row_says_next_to_nothing(value):
    low, high = bounded.mean_reaches(np.array([1.0]), np.array([value]), None, 0.95)
    assert value - low <= 0.04
    assert value + high >= 0.96


def test_a_sample_without_spread_is_not_certain():
    for n in (1, 5, 100):
        low, high = bounded.mean_reaches(np.array([n]), np.array([1.0]), None, 0.95)
        assert high == 0.0
        assert low > 1 / (n + 1)
    assert bounded.mean_reaches(np.array([3]), np.array([2.0]), None, 0.95, (2.0, 2.0)) == (0, 0)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_parts_of_both_samples_vary_as_the_statistic_does(scenario):
    """With many rows the reach is 1.96 standard deviations of simulated statistics."""
    rng = np.random.default_rng(0)
    yes, no = np.array([0.2, 0.9, 0.4]), np.array([0.7, 0.1, 0.5])
    drawn = []
    for _ in range(3000):
        if scenario == CC:
            pos, unl = (
                rng.multinomial(n, p) for n, p in ((300, [0.5, 0.3, 0.2]), (900, [0.2, 0.2, 0.6]))
            )
        else:
            both = rng.multinomial(1200, [0.125, 0.075, 0.05, 0.15, 0.15, 0.45])
            pos, unl = both[:3], both[3:]
        compared = unl if scenario == CC else pos + unl
        drawn.append(pos @ yes / pos.sum() + compared @ no / compared.sum())
    table = pm.ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[150, 90, 60], n_unl=[180, 180, 540], scenario=scenario
    )
    low, high = bounded.linear_reaches(TwoSamples(table), yes, no, 0.95)
    for reach in (low, high):
        assert reach == pytest.approx(1.96 * np.std(drawn), rel=0.06)


def test_degenerate_beta_laws():
    assert bounded.matched_beta_quantile(0.3, 0.0, 0.025) == 0.3
    assert bounded.matched_beta_quantile(1.0, 0.1, 0.025) == 1.0
    assert bounded.matched_beta_quantile(0.5, 0.3, 0.025) == 0.0  # no law varies so much: both ends
    assert bounded.matched_beta_quantile(0.5, 0.3, 0.975) == 1.0
    assert bounded.combined_reach(3.0, 4.0) == 5.0
