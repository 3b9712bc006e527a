"""The calibration error against oracles in exact arithmetic, and its promises in simulation."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit

from puremetrics import PriorEstimate, ScoreTable
from puremetrics.calibration import calibration_error
from puremetrics.calibration.gaps import debiased_size, folded_mean, split_size
from puremetrics.calibration.theory import (
    bias_bound,
    generalization_bound,
    optimal_bins,
    prior_shift_bound,
)
from puremetrics.exceptions import InputError, PuremetricsError, ScoreError, UnsupportedError
from puremetrics.results import Interval

from .oracles import kiryo
from .strategies import scenarios, settings_for
from .test_binning import probability_groups

TOLERANCE = 1e-12


@st.composite
def cases(draw, **options):
    data = draw(probability_groups(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.05)
    bins = draw(st.integers(1, 15))
    return data, scenario, prior, purity, bins, draw(st.sampled_from(["mass", "width"]))


@given(cases())
def test_error_and_bins_equal_the_oracle(case):
    data, scenario, prior, purity, n_bins, binning = case
    settings = {"binning": binning, "n_bins": n_bins, "prior": prior, "purity": purity}
    result = calibration_error(data.table(scenario), **settings)
    gaps = [float(g) for g in kiryo.gaps(*data, scenario=scenario, **settings)]
    scale = 1 / (purity - prior)
    assert result.error == pytest.approx(sum(map(abs, gaps)), abs=TOLERANCE * scale)
    assert result.signed_error == pytest.approx(sum(gaps), abs=TOLERANCE * scale)
    kept = [g for g in gaps if abs(g) > 1e-14]
    found = [g for g in result.bins.gap.tolist() if abs(g) > 1e-14]
    assert found == pytest.approx(kept, abs=TOLERANCE * scale)
    assert result.overconfidence + result.underconfidence == pytest.approx(result.error, abs=1e-12)
    assert result.interval.low <= result.interval.high


@given(cases(unlabeled=False))
def test_fully_labelled_case_control_equals_the_oracle(case):
    data, _, prior, purity, n_bins, binning = case
    prior, settings = min(prior, 0.6), {"binning": binning, "n_bins": n_bins, "purity": purity}
    result = calibration_error(data.table("case_control"), prior=prior, **settings)
    oracle = kiryo.calibration_error(*data, scenario="case_control", prior=prior, **settings)
    assert result.error == pytest.approx(float(oracle), abs=1e-11)


@given(probability_groups(unlabeled=False), st.integers(1, 9))
def test_full_labels_give_the_supervised_error(data, n_bins):
    result = calibration_error(
        data.table("single_training_set"), prior=None, binning="width", n_bins=n_bins
    )
    oracle = float(kiryo.supervised_error(data.pos, data.neg, n_bins))
    assert result.error == pytest.approx(oracle, abs=TOLERANCE)


@given(cases(), st.floats(-0.2, 0.2))
def test_a_wrong_prior_shifts_the_error_by_at_most_its_own_error(case, shift):
    data, _, prior, _, n_bins, binning = case
    table = data.table("case_control")
    other = min(max(prior + shift, 0.0), 0.99)
    settings = {"binning": binning, "n_bins": n_bins}
    errors = [calibration_error(table, prior=p, **settings).error for p in (prior, other)]
    assert abs(errors[0] - errors[1]) <= prior_shift_bound(prior, other) + 1e-12


@given(cases())
def test_a_range_of_the_prior_widens_everything(case):
    data, _, prior, _, n_bins, binning = case
    table = data.table("case_control")
    low, high = 0.8 * prior, min(1.2 * prior, 0.98)
    result = calibration_error(table, prior=(low, high), binning=binning, n_bins=n_bins)
    assert result.interval.kind == "combined"
    assert result.prior_interval.kind == "identification"
    for p in (low, high, result.prior, *np.linspace(low, high, 12)):
        at = calibration_error(table, prior=p, binning=binning, n_bins=n_bins)
        assert result.prior_interval.low - 1e-12 <= at.error <= result.prior_interval.high + 1e-12
        assert abs(at.error - result.error) <= result.prior_shift + 1e-12
    middle = calibration_error(table, prior=result.prior, binning=binning, n_bins=n_bins)
    assert result.interval.low <= middle.interval.low + 1e-9
    assert result.interval.high >= middle.interval.high - 1e-9


@given(st.floats(0.01, 0.99), st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_number_of_bins_is_the_papers(prior, n_pos, n_unl):
    assert optimal_bins(prior=prior, n_pos=n_pos, n_unl=n_unl) == kiryo.optimal_bins(
        prior, n_pos, n_unl
    )


def test_exact_cubes_are_not_rounded_up():
    for side in range(2, 3000):
        assert optimal_bins(prior=0.0, n_pos=1, n_unl=side**3) == side


@pytest.mark.parametrize("binning", ["mass", "width"])
def test_bounds_equal_the_theorems(binning):
    sizes = {"n_pos": 70, "n_unl": 900, "prior": 0.3, "n_bins": 8, "binning": binning}
    bound = bias_bound(**sizes, lipschitz=2.5, delta=0.1)
    at = (70, 900, 0.3, 8, 2.5, binning)
    assert bound.expected == pytest.approx(kiryo.theorem_1(*at), rel=1e-14)
    assert bound.probable == pytest.approx(kiryo.theorem_1(*at, delta=0.1), rel=1e-14)
    assert bound.binning_part + bound.sampling_part == pytest.approx(bound.expected)
    general = generalization_bound(**sizes, lipschitz=2.5, fcmi=3.0, fcmi_unlabeled=2.0)
    assert general.expected == pytest.approx(kiryo.theorem_3(*at, 3.0, 2.0), rel=1e-14)
    assert "Lipschitz with constant 2.5" in str(bound)
    with pytest.raises(InputError, match="cannot tell more"):
        generalization_bound(**sizes, fcmi=1.0, fcmi_unlabeled=2.0)


def test_the_result_carries_theorem_1():
    table = synthetic_table(np.random.default_rng(0), 100, 1000)
    result = calibration_error(table, prior=0.5, lipschitz=3.0)
    expected = kiryo.theorem_1(100, 1000, 0.5, result.n_bins, 3.0, "mass")
    assert float(result.bias_bound) == pytest.approx(expected, rel=1e-12)
    few = calibration_error(table, prior=0.5, n_bins=600)
    assert few.bias_bound is None
    assert "PM304" in codes(few)


def test_the_range_of_the_error_is_exact_at_its_kinks():
    table = ScoreTable.from_groups(
        positive=[0.9, 0.9, 0.2], unlabeled=[0.9, 0.2, 0.2, 0.2], scenario="case_control"
    )
    known = {"n_bins": 2, "binning": "width"}
    # gaps are 0.225 − prior·2/3 and 0.15 − prior/3, both nearest to 0 between the ends
    found = calibration_error(table, prior=(0.31, 0.47), **known).prior_interval
    assert found.low == pytest.approx(abs(0.15 - 0.3375 / 3), abs=1e-12)


def codes(result):
    return {d.code for d in result.diagnostics}


def synthetic_table(rng, n_pos, n_unl, beta=(-0.5, 1.5)):
    centre = np.where(rng.random(n_unl) < 0.5, 1.0, -1.0)
    pos, unl = rng.normal(size=n_pos) + 1, rng.normal(size=n_unl) + centre
    return ScoreTable.from_groups(
        positive=expit(beta[0] + beta[1] * pos),
        unlabeled=expit(beta[0] + beta[1] * unl),
        scenario="case_control",
    )


@pytest.mark.parametrize(
    ("beta", "truth"), [((-0.5, 1.5), 0.0744433), ((-0.2, 1.9), 0.0234589), ((0.0, 2.0), 0.0)]
)
def test_the_synthetic_truth_by_quadrature(beta, truth):
    assert kiryo.synthetic_truth(*beta, points=20_001) == pytest.approx(truth, abs=5e-8)


def test_ties_empty_bins_and_bad_priors_are_remarked():
    table = ScoreTable.from_groups(
        positive=[1.0, 0.9, 0.05], unlabeled=[0.2, 0.2, 0.2, 0.6], scenario="case_control"
    )
    result = calibration_error(table, prior=0.5, n_bins=4)
    assert {"PM301", "PM105"} <= codes(result)
    assert result.n_bins == 2
    width = calibration_error(table, prior=0.5, n_bins=5, binning="width")
    assert "PM302" in codes(width)
    assert np.isnan(width.bins.mean_score).sum() == 3
    assert np.isfinite(width.error)
    assert np.isfinite(width.max_error)
    high = calibration_error(table, prior=0.95, n_bins=2, binning="width")
    assert "PM303" in codes(high)
    bucketed = ScoreTable.from_counts(
        [0.2, 0.8], n_pos=[1, 3], n_unl=[6, 2], scenario="case_control", resolution=0.01
    )
    assert "PM305" in codes(calibration_error(bucketed, prior=0.3))


def test_wrong_input_is_explained():
    table = ScoreTable.from_groups(positive=[7.3], unlabeled=[-4.1], scenario="case_control")
    with pytest.raises(ScoreError, match="Recalibrate first, or use roc_auc"):
        calibration_error(table, prior=0.3)
    fine = synthetic_table(np.random.default_rng(1), 5, 20)
    with pytest.raises(UnsupportedError, match="cut"):
        calibration_error(fine.cut(), prior=0.3)
    for wrong in (0, 2.5, True, "many"):
        with pytest.raises(PuremetricsError, match="n_bins"):
            calibration_error(fine, prior=0.3, n_bins=wrong)
    with pytest.raises(InputError, match="n_resamples"):
        calibration_error(fine, prior=0.3, interval_method="bootstrap", n_resamples=0)


def test_results_read_well_and_serialise():
    table = synthetic_table(np.random.default_rng(2), 200, 2000)
    result = calibration_error(table, prior=0.5)
    text = str(result)
    assert text.startswith("Calibration error: ")
    assert "under-confident on the whole" in text
    assert "Theorem 1" in text
    assert json.loads(json.dumps(result.to_dict()))["bins"]["upper"][-1] == 1.0
    assert float(result) == result.estimate().value == result.error
    assert list(result.frame())[:2] == ["lower", "upper"]
    estimate = PriorEstimate(0.5, Interval(0.45, 0.55, 0.95, "confidence", "given"))
    assert calibration_error(table, prior=estimate).interval.kind == "combined"


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_the_bootstrap_interval_lies_within_the_analytic_one(scenario):
    table = synthetic_table(np.random.default_rng(3), 500, 5000)
    if scenario == "single_training_set":
        table = ScoreTable.from_counts(
            table.score, n_pos=table.n_pos, n_unl=table.n_unl, scenario=scenario
        )
    settings = {"interval_method": "bootstrap", "n_resamples": 2000, "rng": 0}
    analytic = calibration_error(table, prior=0.5)
    drawn = calibration_error(table, prior=0.5, **settings)
    assert drawn.error == analytic.error
    assert analytic.interval.low - 0.005 <= drawn.interval.low < drawn.error
    assert drawn.error < drawn.interval.high <= analytic.interval.high + 0.005
    assert drawn.interval.width > 0.4 * analytic.interval.width
    assert calibration_error(table, prior=0.5, **settings).interval == drawn.interval


def test_weights_that_are_all_equal_change_nothing():
    rng = np.random.default_rng(4)
    y, s = (rng.random(400) < 0.3).astype(int), rng.random(400)
    plain = ScoreTable.from_arrays(y, s, scenario="single_training_set")
    double = ScoreTable.from_arrays(
        y, s, scenario="single_training_set", sample_weight=np.full(400, 2.0)
    )
    one, two = (calibration_error(t, prior=0.5, n_bins=5) for t in (plain, double))
    assert two.error == pytest.approx(one.error, abs=1e-12)
    assert two.standard_error == pytest.approx(one.standard_error, rel=1e-9)
    assert two.interval.low == pytest.approx(one.interval.low, abs=1e-9)


def test_sizes_of_a_noisy_gap_have_the_means_they_claim():
    z = np.linspace(-9, 9, 20_001)
    weight = np.exp(-(z**2) / 2)
    weight /= weight.sum()
    for truth in (0.0, 0.3, 1.0, 2.5):
        noise = np.ones(z.size)
        assert weight @ np.abs(truth + z) == pytest.approx(
            folded_mean(np.array([truth]), np.ones(1))[0], abs=1e-6
        )
        assert weight @ split_size(truth + z, noise) <= truth + 1e-9
        bias = weight @ debiased_size(truth + z, noise) - truth
        assert -0.1 < bias < 0.47
        assert abs(bias) < weight @ np.abs(truth + z) - truth or truth > 1


def test_the_variance_of_the_gaps_is_that_of_repeated_samples():
    rng = np.random.default_rng(5)
    upper = 4
    for scenario in ("case_control", "single_training_set"):
        gaps, noises = [], []
        for _ in range(800):
            n = 600
            y = rng.random(n) < 0.4
            s = np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1)
            if scenario == "case_control":
                extra = np.clip(0.3 + 0.7 * rng.random(150), 0, 1)
                table = ScoreTable.from_groups(positive=extra, unlabeled=s, scenario=scenario)
            else:
                seen = y & (rng.random(n) < 0.5)
                table = ScoreTable.from_groups(
                    positive=s[seen], unlabeled=s[~seen], scenario=scenario
                )
            result = calibration_error(table, prior=0.4, n_bins=upper, binning="width")
            gaps.append(result.bins.gap)
            noises.append(result.bins.noise)
        ratio = np.mean(noises, axis=0) / np.std(gaps, axis=0)
        assert np.all((ratio > 0.9) & (ratio < 1.25)), (scenario, ratio)


@pytest.mark.slow
@pytest.mark.parametrize("beta", [(-0.5, 1.5), (-0.2, 1.9), (0.0, 2.0)])
@pytest.mark.parametrize("sizes", [(30, 300), (300, 3000)])
def test_the_interval_holds_the_binned_error(beta, sizes):
    rng = np.random.default_rng(6)
    big = np.random.default_rng(7).normal(size=(2, 400_000))
    x = np.concatenate([big[0] + 1, big[1] - 1])
    score, rate = expit(beta[0] + beta[1] * x), expit(2 * x)
    edges = np.arange(9) / 8
    inside = [(score > low) & (score <= high) for low, high in itertools.pairwise(edges)]
    truth = sum(abs(np.mean((score - rate) * here)) for here in inside)
    hits = 0
    for _ in range(300):
        table = synthetic_table(rng, *sizes, beta)
        hits += truth in calibration_error(table, prior=0.5, n_bins=8, binning="width").interval
    assert hits >= 0.93 * 300


@pytest.mark.slow
def test_the_bias_falls_at_least_as_fast_as_the_cube_root():
    rng = np.random.default_rng(8)
    sizes = np.array([10, 100, 1000, 10_000])
    bias = [
        np.mean(
            [
                abs(calibration_error(synthetic_table(rng, n, 10 * n), prior=0.5).error - 0.0744433)
                for _ in range(60)
            ]
        )
        for n in sizes
    ]
    slope = np.polyfit(np.log(sizes), np.log(bias), 1)[0]
    assert slope <= -1 / 3
