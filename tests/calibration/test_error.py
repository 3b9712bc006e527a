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
from puremetrics.calibration.theory import (
    prior_shift_bound,
)
from puremetrics.exceptions import InputError, PuremetricsError, ScoreError, UnsupportedError
from puremetrics.results import Interval
from tests.calibration.cases import TOLERANCE, codes, probability_groups, synthetic_table
from tests.oracles import kiryo
from tests.strategies import scenarios, settings_for

# A constant that is given saves a fit, most of the time of a small table; it enters the bias bound alone.
QUICK = {"lipschitz": 2.0}


@st.composite
def cases(draw, **options):
    data = draw(probability_groups(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.05)
    bins = draw(st.integers(1, 15))
    return data, scenario, prior, purity, bins, draw(st.sampled_from(["balanced", "mass", "width"]))


@given(cases())
def test_error_and_bins_equal_the_oracle(case):
    data, scenario, prior, purity, n_bins, binning = case
    settings = {"binning": binning, "n_bins": n_bins, "prior": prior, "purity": purity}
    result = calibration_error(data.table(scenario), **settings)
    gaps = [float(g) for g in kiryo.gaps(*data, scenario=scenario, **settings)]
    scale = 1 / (purity - prior)
    size = sum(map(abs, gaps))
    assert result.error == pytest.approx(min(size, 1.0), abs=TOLERANCE * scale)
    assert ("PM315" in codes(result)) == (result.overconfidence + result.underconfidence > 1)
    signed = min(max(sum(gaps), -prior), 1 - prior)
    assert result.signed_error == pytest.approx(signed, abs=TOLERANCE * scale)
    kept = [g for g in gaps if abs(g) > 1e-14]
    found = [g for g in result.bins.gap.tolist() if abs(g) > 1e-14]
    assert found == pytest.approx(kept, abs=TOLERANCE * scale)
    assert result.overconfidence + result.underconfidence == pytest.approx(size, abs=1e-11 * scale)
    for value, interval in (
        (result.error, result.interval), (result.debiased, result.interval),
        (result.signed_error, result.signed_interval), (result.max_error, result.max_interval),
    ):  # fmt: skip
        assert interval.low <= value <= interval.high
        assert interval.low < interval.high
    assert result.interval.low >= 0
    assert result.interval.high <= 1


@given(cases(unlabeled=False))
def test_fully_labelled_case_control_equals_the_oracle(case):
    data, _, prior, purity, n_bins, binning = case
    prior, settings = min(prior, 0.6), {"binning": binning, "n_bins": n_bins, "purity": purity}
    result = calibration_error(data.table("case_control"), prior=prior, **settings)
    oracle = kiryo.calibration_error(*data, scenario="case_control", prior=prior, **settings)
    assert result.error == pytest.approx(min(float(oracle), 1.0), abs=1e-11)


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
    settings = {"binning": binning, "n_bins": n_bins, **QUICK}
    errors = [calibration_error(table, prior=p, **settings).error for p in (prior, other)]
    assert abs(errors[0] - errors[1]) <= prior_shift_bound(prior, other) + 1e-12


@given(cases())
def test_a_range_of_the_prior_widens_everything(case):
    data, _, prior, _, n_bins, binning = case
    table = data.table("case_control")
    low, high = 0.8 * prior, min(1.2 * prior, 0.98)
    settings = {"binning": binning, "n_bins": n_bins, **QUICK}
    result = calibration_error(table, prior=(low, high), **settings)
    assert result.interval.kind == "combined"
    assert result.prior_interval.kind == "identification"
    for p in (low, high, result.prior, *np.linspace(low, high, 12)):
        at = calibration_error(table, prior=p, **settings)
        assert result.prior_interval.low - 1e-12 <= at.error <= result.prior_interval.high + 1e-12
        assert abs(at.error - result.error) <= result.prior_shift + 1e-12
    middle = calibration_error(table, prior=result.prior, **settings)
    assert result.interval.width >= middle.interval.width - 1e-9
    assert result.interval.low - 1e-9 <= middle.debiased <= result.interval.high + 1e-9


def test_the_range_of_the_error_is_exact_at_its_kinks():
    table = ScoreTable.from_groups(
        positive=[0.9, 0.9, 0.2], unlabeled=[0.9, 0.2, 0.2, 0.2], scenario="case_control"
    )
    known = {"n_bins": 2, "binning": "width"}
    # gaps are 0.225 − prior·2/3 and 0.15 − prior/3, both nearest to 0 between the ends
    found = calibration_error(table, prior=(0.31, 0.47), **known).prior_interval
    assert found.low == pytest.approx(abs(0.15 - 0.3375 / 3), abs=1e-12)


def test_ties_empty_bins_and_bad_priors_are_remarked():
    table = ScoreTable.from_groups(
        positive=[1.0, 0.9, 0.05], unlabeled=[0.2, 0.2, 0.2, 0.6], scenario="case_control"
    )
    result = calibration_error(table, prior=0.5, n_bins=4, binning="mass")
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


def test_balanced_bins_see_what_bins_of_equal_mass_hide():
    """At 0.25 no row is positive and at 0.75 all are; in one bin the two cancel."""
    table = ScoreTable.from_groups(
        positive=[0.75] * 50, unlabeled=[0.0] * 950 + [0.25] * 25 + [0.75] * 25,
        scenario="case_control",
    )  # fmt: skip
    hidden = calibration_error(table, prior=0.025, binning="mass")
    assert hidden.error < 1e-12
    assert "PM314" in codes(hidden)
    assert "binning='balanced'" in next(d.message for d in hidden.diagnostics if d.code == "PM314")
    seen = calibration_error(table, prior=0.025)
    assert seen.binning == "balanced"
    assert seen.error == pytest.approx(
        0.0125
    )  # 0.025·0.25 too much at 0.25, as much too little at 0.75
    assert seen.interval.low > 0
    assert "PM314" not in codes(seen)


def test_rare_positives_do_not_share_one_bin():
    rng = np.random.default_rng(11)
    pos, neg = rng.normal(3, 1, 100), rng.normal(0, 1, 10_000)
    table = ScoreTable.from_groups(
        positive=expit(3 * pos - 10.7), unlabeled=expit(3 * neg - 10.7), scenario="case_control"
    )
    mass, balanced = (
        calibration_error(table, prior=0.002, binning=b) for b in ("mass", "balanced")
    )
    assert mass.bins.n_pos.max() > 50
    assert "PM314" in codes(mass)
    assert balanced.bins.n_pos.max() <= 2 / balanced.n_bins * 100 + 1
    assert "PM314" not in codes(balanced)


def test_a_crowded_bin_of_one_score_hides_nothing():
    table = ScoreTable.from_groups(
        positive=[1.0] * 9 + [0.2], unlabeled=[1.0] * 10 + [0.2] * 90, scenario="case_control"
    )
    assert "PM314" not in codes(calibration_error(table, prior=0.1, n_bins=4))
    assert "PM314" not in codes(calibration_error(table, prior=0.1, n_bins=1))


def test_an_error_beyond_one_is_cut_and_directions_are_said_only_if_sure():
    odd = ScoreTable.from_groups(
        positive=[0.0] * 50, unlabeled=[0.9] * 200, scenario="case_control"
    )
    found = calibration_error(odd, prior=0.5, n_bins=2)
    assert found.error == found.debiased == 1.0
    assert found.error in found.interval
    assert found.interval.low < found.interval.high == 1.0
    assert "PM315" in codes(found)
    assert "over-confident overall" in str(found)
    exact = ScoreTable.from_groups(
        positive=[0.5] * 10, unlabeled=[0.5] * 100, scenario="case_control"
    )
    assert "not clearly over- or under-confident" in str(calibration_error(exact, prior=0.5))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1000, 10_000])
def test_limits_hold_with_rare_positives(rows):
    """Normal limits held in 0.5 to 0.87 of the samples here."""
    rng = np.random.default_rng(12)
    x = np.random.default_rng(13).normal(size=400_000)
    made = [expit(1.2 * (4.5 * (x + move) - 10.1 + np.log(0.001 / 0.999))) for move in (4.5, 0.0)]
    truth = 0.001 * made[0].mean() + 0.999 * made[1].mean() - 0.001
    hits = np.zeros(2)
    for _ in range(200):
        hidden = rng.binomial(rows, 0.001)
        unlabeled = np.append(rng.choice(made[0], hidden), rng.choice(made[1], rows - hidden))
        table = ScoreTable.from_groups(
            positive=rng.choice(made[0], 100), unlabeled=unlabeled, scenario="case_control"
        )
        found = calibration_error(table, prior=0.001)
        gaps = []
        for low, high in zip(found.bins.lower, found.bins.upper, strict=True):
            pos, neg = (np.where((s > low) & (s <= high), s, np.nan) for s in made)
            mean = [np.nansum(part) / x.size for part in (pos, neg)]
            share = np.count_nonzero(~np.isnan(pos)) / x.size
            gaps.append(0.001 * mean[0] + 0.999 * mean[1] - 0.001 * share)
        hits += truth in found.signed_interval, np.abs(gaps).sum() in found.interval
    assert np.all(hits >= 0.93 * 200), hits


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
        calibration_error(fine, prior=0.3, interval="bootstrap", n_resamples=0)


def test_results_read_well_and_serialise():
    table = synthetic_table(np.random.default_rng(2), 200, 2000)
    result = calibration_error(table, prior=0.5)
    text = str(result)
    assert text.startswith("Calibration error: ")
    assert "under-confident overall" in text
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
    settings = {"interval": "bootstrap", "n_resamples": 2000, "rng": 0}
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


@pytest.mark.slow
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
            result = calibration_error(table, prior=0.4, n_bins=upper, binning="width", **QUICK)
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


def test_groups_that_even_out_are_no_more_rows_than_there_are():
    """Two labelled rows whose influences cancel within their groups: a design effect of nothing."""
    for seed in range(90, 130):
        rng = np.random.default_rng(seed)
        group, truth = rng.integers(0, 6, 60), rng.random(60) < 0.4
        score = 1 / (1 + np.exp(-(rng.normal(size=60) + truth)))
        label = truth & (rng.random(60) < 0.3)
        case = {"scenario": "case_control"}
        plain = calibration_error(ScoreTable.from_arrays(label, score, **case), prior=0.3)
        table = ScoreTable.from_arrays(label, score, groups=group, **case)
        found = calibration_error(table, prior=0.3)
        assert found.error == plain.error
        assert found.error in found.interval
        assert found.bias_bound.expected >= plain.bias_bound.expected * (1 - 1e-12)
