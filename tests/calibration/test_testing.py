"""The test of calibration: its null from the definition, its size and its power."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit

from puremetrics import ScoreTable
from puremetrics.calibration.testing import calibration_test, null_shares
from puremetrics.exceptions import PuremetricsError, UnsupportedError

FEW = {"n_resamples": 99}


def sample(rng, prior, pos, rows, scenario, slope=1.0, move=0.0, digits=None):
    """Rows whose calibrated score is the posterior of two normal classes, made steeper or moved."""

    def scores(positive):
        x = rng.normal(size=positive.size) + 2 * positive
        s = expit(slope * (2 * (x - 1) + logit(prior)) + move)
        return s if digits is None else np.round(s, digits)

    y = rng.random(rows) < prior
    s = scores(y)
    if scenario == "case_control":
        return ScoreTable.from_groups(
            positive=scores(np.ones(pos, bool)), unlabeled=s, scenario=scenario
        )
    seen = y & (rng.random(rows) < 0.5)
    seen[np.argmax(y)] = True
    return ScoreTable.from_groups(positive=s[seen], unlabeled=s[~seen], scenario=scenario)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # of scipy before 1.13
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), min_size=2, max_size=8,
             unique_by=lambda row: row[0]),
    st.floats(0.05, 0.95),
)  # fmt: skip
def test_shares_under_the_null_are_the_most_likely_ones(rows, place):
    score, count = np.array(sorted(rows), dtype=float).T
    score /= 20
    prior = score[0] + place * (score[-1] - score[0])
    shares = null_shares(score, count, prior)
    assert shares.sum() == pytest.approx(1)
    assert shares @ score == pytest.approx(prior, abs=1e-9)
    found = minimize(
        lambda p: -count @ np.log(np.maximum(p, 1e-12)), np.full(score.size, 1 / score.size),
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1},
                     {"type": "eq", "fun": lambda p: p @ score - prior}],
        bounds=[(1e-9, 1)] * score.size, method="SLSQP", options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    if found.success and abs(found.x @ score - prior) < 1e-8 and abs(found.x.sum() - 1) < 1e-8:
        assert count @ np.log(shares) >= -found.fun - 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize(
    ("prior", "pos", "digits"), [(0.3, 60, None), (0.02, 20, None), (0.3, 30, 1)]
)
def test_calibrated_scores_are_rarely_rejected(scenario, prior, pos, digits):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(150):
        rows = round(30 / prior)
        table = sample(rng, prior, pos, rows, scenario)
        if digits is not None:  # few levels, each with its own true rate as score
            table = levels(rng, prior, pos, rows, scenario)
        found.append(calibration_test(table, prior=prior, rng=rng, **FEW).p_value)
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 150)
    assert np.mean(found) > 0.4


def levels(rng, prior, pos, rows, scenario):
    """Four tied scores that are true rates: shares 0.4, 0.3, 0.2, 0.1 of the population."""
    share = np.array([0.4, 0.3, 0.2, 0.1])
    rate = np.array([0.05, 0.2, 0.6, 1.0])
    rate = rate * prior / (share @ rate)
    at = rng.choice(4, rows, p=share)
    positive = rng.random(rows) < rate[at]
    if scenario == "case_control":
        labelled = rng.choice(4, pos, p=share * rate / prior)
        return ScoreTable.from_groups(
            positive=rate[labelled], unlabeled=rate[at], scenario=scenario
        )
    seen = positive & (rng.random(rows) < 0.5)
    return ScoreTable.from_groups(
        positive=rate[at[seen]], unlabeled=rate[at[~seen]], scenario=scenario
    )


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize(("slope", "move"), [(2.5, 0.0), (1.0, 1.2), (0.4, 0.0)])
def test_scores_that_are_off_are_rejected(scenario, slope, move):
    rng = np.random.default_rng(1)
    found = [
        calibration_test(
            sample(rng, 0.3, 200, 2000, scenario, slope, move), prior=0.3, **FEW
        ).p_value
        for _ in range(10)
    ]
    assert np.mean(np.array(found) <= 0.05) >= 0.8


def test_errors_that_one_bin_of_equal_mass_would_hide_are_seen():
    """At 0.25 none of the rows is positive, at 0.75 all are; both together are as they should be."""
    table = ScoreTable.from_groups(
        positive=[0.75] * 50, unlabeled=[0.0] * 900 + [0.25] * 25 + [0.75] * 25 + [0.0] * 50,
        scenario="case_control",
    )  # fmt: skip
    assert calibration_test(table, prior=0.025).p_value < 0.01


def test_of_a_range_the_largest_p_value_counts():
    table = sample(np.random.default_rng(2), 0.3, 100, 1000, "case_control")
    wide = calibration_test(table, prior=(0.2, 0.4), **FEW)
    for prior in (0.2, 0.3, 0.4):
        assert calibration_test(table, prior=prior, **FEW).p_value <= wide.p_value + 0.05
    assert 0.2 <= wide.prior <= 0.4
    assert calibration_test(table, prior=0.9, **FEW).p_value == pytest.approx(0.01)


def test_results_read_well_and_repeat():
    table = sample(np.random.default_rng(3), 0.3, 50, 500, "case_control")
    found = calibration_test(table, prior=0.3)
    assert found == calibration_test(table, prior=0.3)
    assert str(found).startswith("Test of calibration: p-value")
    assert float(found) == found.p_value
    assert found.lower[0] == 0
    assert found.upper[-1] == 1
    assert found.gap.size == found.noise.size == found.upper.size >= found.degrees
    other = calibration_test(table, prior=0.3, n_bins=2, rng=5)
    assert other.upper.size == 2
    off = sample(np.random.default_rng(3), 0.3, 500, 5000, "case_control", 3.0)
    assert "p-value at most 0.01" in str(calibration_test(off, prior=0.3, **FEW))


def test_scores_all_on_one_side_of_the_prior_speak_against_it():
    low = ScoreTable.from_groups(
        positive=[0.1] * 40, unlabeled=[0.05] * 200 + [0.1] * 200, scenario="case_control"
    )
    assert calibration_test(low, prior=0.5, **FEW).p_value == pytest.approx(0.01)
    high = ScoreTable.from_groups(
        positive=[0.9] * 40, unlabeled=[0.8] * 200 + [0.9] * 200, scenario="case_control"
    )
    assert calibration_test(high, prior=0.1, **FEW).p_value == pytest.approx(0.01)
    few = ScoreTable.from_groups(positive=[0.6], unlabeled=[0.5], scenario="case_control")
    assert calibration_test(few, prior=0.3, **FEW).p_value > 0.05


def test_wrong_input_is_explained():
    table = sample(np.random.default_rng(4), 0.3, 20, 100, "case_control")
    with pytest.raises(PuremetricsError, match="n_bins"):
        calibration_test(table, prior=0.3, n_bins=0)
    with pytest.raises(PuremetricsError, match="n_resamples"):
        calibration_test(table, prior=0.3, n_resamples=1)
    y, s = np.array([1, 0, 0, 1]), np.array([0.9, 0.2, 0.3, 0.8])
    weighted = ScoreTable.from_arrays(
        y, s, scenario="case_control", sample_weight=[0.5, 1.5, 2.0, 1.0]
    )
    with pytest.raises(UnsupportedError, match="calibration_error, whose interval allows"):
        calibration_test(weighted, prior=0.3)
