"""The worst bin: nothing for a perfect model, the true distance where there is no doubt."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm

from puremetrics import ScoreTable
from puremetrics.calibration import calibration_error
from tests.calibration.cases import synthetic_table
from tests.calibration.fits import cases, fitted


@given(cases(), st.sampled_from(["balanced", "mass", "width"]))
def test_the_worst_bin_lies_inside_its_interval(case, binning):
    data, known = case
    found = fitted(calibration_error, data, known, n_bins=4, binning=binning)
    low, high = found.max_interval.low, found.max_interval.high
    assert 0 <= low <= found.max_error <= high <= 1
    assert not np.isnan(found.bins.positive_rate[found.max_bin])
    if found.max_error == 0:
        assert low == 0


def test_a_bin_that_is_surely_off_is_found_and_measured():
    rng = np.random.default_rng(0)
    # A third of the rows at 0.2, 0.5 and 0.8; those at 0.5 are never positive, those at 0.8 always.
    score = rng.choice([0.2, 0.5, 0.8], 60_000)
    positive = (score == 0.8) | ((score == 0.2) & (rng.random(score.size) < 0.2))
    labelled = rng.choice(score[positive], 20_000, replace=False)
    table = ScoreTable.from_groups(positive=labelled, unlabeled=score, scenario="case_control")
    found = calibration_error(table, prior=positive.mean(), binning="width", n_bins=3)
    assert found.max_bin == 1
    assert found.max_error == pytest.approx(0.5, abs=0.01)
    assert 0.5 in found.max_interval
    assert found.max_interval.width < 0.05


def test_the_worst_bin_by_hand():
    rng = np.random.default_rng(4)
    score = rng.uniform(0.02, 0.98, 3000)
    positive = rng.random(score.size) < score**3
    prior = positive.mean()
    table = ScoreTable.from_groups(
        positive=rng.choice(score[positive], 300), unlabeled=score, scenario="case_control"
    )
    known = {"prior": prior, "binning": "width", "n_bins": 3}
    found = calibration_error(table, **known)
    strict = calibration_error(table, **known, confidence_level=1 - 0.05 / 3).bins
    z = norm.isf(0.05 / 6)
    sizes, lows, highs = [], [], []
    for b, (low, high) in enumerate(((0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, found.moments.top))):
        inside = score[(score > low) & (score <= high)]
        both = np.append(inside, [low, high])  # rows that may be missing, at the edges of the bin
        weight = np.append(np.ones(inside.size), [z**2 / 2, z**2 / 2])
        centre = np.average(both, weights=weight)
        reach = z * np.sqrt(np.average((both - centre) ** 2, weights=weight) / weight.sum())
        plain = z * inside.std(ddof=1) / np.sqrt(inside.size)
        below = max(inside.mean() - (centre - reach), plain)
        above = max(centre + reach - inside.mean(), plain)
        rate = strict.positive_rate[b]
        distance = inside.mean() - rate
        down = np.hypot(below, strict.rate_high[b] - rate)
        up = np.hypot(above, rate - strict.rate_low[b])
        towards = down if distance > 0 else up
        sure = towards < abs(distance)
        sizes.append(abs(distance) - towards**2 / abs(distance) if sure else 0.0)
        lows.append(abs(distance) - towards if sure else 0.0)
        highs.append(max(distance + up, down - distance))
    assert 0 < max(lows) < max(sizes) < max(highs)
    assert found.max_error == pytest.approx(max(sizes), rel=1e-4)
    assert found.max_bin == int(np.argmax(sizes))
    ends = found.max_interval.low, found.max_interval.high
    assert ends == pytest.approx((max(lows), max(highs)), rel=1e-4)


def test_a_perfect_model_has_no_worst_bin_on_average():
    """The plain maximum over bins is 0.4 to 0.7 here, all of it noise."""
    rng = np.random.default_rng(1)
    found = [
        calibration_error(synthetic_table(rng, 100, 1000, (0, 2)), prior=0.5) for _ in range(60)
    ]
    plain = [np.nanmax(np.abs(f.bins.mean_score - f.bins.positive_rate)) for f in found]
    assert np.mean(plain) > 0.15
    assert np.mean([f.max_error for f in found]) < 0.02
    assert np.mean([f.max_interval.low == 0 for f in found]) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("beta", [(0.0, 2.0), (-0.5, 1.5), (1.0, 0.5)])
def test_the_interval_holds_the_true_largest_distance(beta):
    rng = np.random.default_rng(2)
    x = np.random.default_rng(3).normal(size=(2, 300_000)) + np.array([[1], [-1]])
    score, rate = expit(beta[0] + beta[1] * x.ravel()), expit(2 * x.ravel())
    edges = np.arange(7) / 6
    truth = max(
        abs(np.mean((score - rate)[(score > a) & (score <= b)]))
        for a, b in itertools.pairwise(edges)
        if np.any((score > a) & (score <= b))
    )
    hits = 0
    for _ in range(200):
        table = synthetic_table(rng, 200, 4000, beta)
        known = calibration_error(table, prior=0.5, binning="width", n_bins=6).max_interval
        hits += known.low - 0.002 <= truth <= known.high + 0.002
    assert hits >= 0.93 * 200
