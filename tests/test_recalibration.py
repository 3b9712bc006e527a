"""Maps, risks and the reliability curve against oracles; what a repair gains on held-out data."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit, logit

from puremetrics import ScoreTable
from puremetrics.calibration import calibration_error
from puremetrics.calibration.posterior import isotonic_posterior
from puremetrics.calibration.recalibration import RecalibrationMap, recalibrate
from puremetrics.calibration.recalibrator import Recalibrator
from puremetrics.calibration.reliability import reliability_curve
from puremetrics.calibration.risk import brier_score, log_loss
from puremetrics.exceptions import InputError, PuremetricsError, ScoreError, UnsupportedError

from .oracles import kiryo
from .strategies import groups, scenarios, settings_for
from .test_binning import probability_groups
from .test_calibration import codes, synthetic_table

METHODS = ["isotonic", "platt", "temperature", "beta"]


@st.composite
def cases(draw, source=probability_groups, **options):
    data = draw(source(**options))
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.05)
    return data, {"scenario": scenario, "prior": prior, "purity": purity}


def fitted(function, data, known, **options):
    table = data.table(known["scenario"])
    return function(table, prior=known["prior"], purity=known["purity"], **options)


def squared(s, y):
    return (s - y) ** 2


def logarithmic(s, y):
    s = min(max(s, 1e-15), 1 - 1e-15)
    return -math.log(s) if y else -math.log1p(-s)


# Risks


@given(cases())
def test_risks_equal_the_oracle(case):
    data, known = case
    for function, loss, largest in ((brier_score, squared, 1.0), (log_loss, logarithmic, 40.0)):
        unbiased, corrected = kiryo.risk(*data, **known, loss=loss)
        scale = 1e-12 * largest / (known["purity"] - known["prior"])
        raw = fitted(function, data, known, nonnegative=False)
        cut = fitted(function, data, known)
        assert raw.value == pytest.approx(unbiased, abs=scale)
        assert cut.value == pytest.approx(corrected, abs=scale)
        assert ("PM307" in codes(cut)) == (cut.value != raw.value)
        assert 0 <= cut.interval.low <= cut.interval.high


def test_full_labels_give_scikit_learns_scores():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    y, s = (rng.random(300) < 0.4).astype(int), rng.random(300)
    table = ScoreTable.from_arrays(
        y, s, scenario="single_training_set", unlabeled_label=7, neg_label=0
    )
    brier, loss = brier_score(table, prior=None), log_loss(table, prior=None)
    assert brier.value == pytest.approx(metrics.brier_score_loss(y, s), abs=1e-12)
    assert loss.value == pytest.approx(metrics.log_loss(y, s), abs=1e-12)


def test_certain_scores_are_remarked_in_the_log_loss():
    table = ScoreTable.from_groups(
        positive=[1.0, 0.9], unlabeled=[0.0, 0.3, 0.5], scenario="case_control"
    )
    assert "PM308" in codes(log_loss(table, prior=0.3))
    assert "PM308" not in codes(brier_score(table, prior=0.3))
    with pytest.raises(InputError, match="eps"):
        log_loss(table, prior=0.3, eps=0.7)
    outside = ScoreTable.from_groups(positive=[2.0], unlabeled=[1.0], scenario="case_control")
    with pytest.raises(ScoreError, match="brier_score needs probabilities"):
        brier_score(outside, prior=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_intervals_of_the_risks_hold_the_truth(scenario):
    rng = np.random.default_rng(1)
    hits = np.zeros(2)
    grid = np.linspace(-9, 9, 20_001)
    density = (np.exp(-((grid - 1) ** 2) / 2) + np.exp(-((grid + 1) ** 2) / 2)) / 2
    density /= density.sum()
    s, p = expit(-0.5 + 1.5 * grid), expit(2 * grid)
    truth = (
        density @ (p * (1 - s) ** 2 + (1 - p) * s**2),
        density @ -(p * np.log(s) + (1 - p) * np.log1p(-s)),
    )
    for _ in range(400):
        if scenario == "case_control":
            table = synthetic_table(rng, 100, 1000)
        else:
            y = rng.random(1000) < 0.5
            score = expit(-0.5 + 1.5 * (rng.normal(size=1000) + np.where(y, 1, -1)))
            seen = y & (rng.random(1000) < 0.3)
            table = ScoreTable.from_groups(
                positive=score[seen], unlabeled=score[~seen], scenario=scenario
            )
        for i, function in enumerate((brier_score, log_loss)):
            hits[i] += truth[i] in function(table, prior=0.5).interval
    assert np.all(hits >= 0.93 * 400), hits


# Maps


@given(cases(source=groups))
def test_the_isotonic_map_equals_the_oracle(case):
    data, known = case
    oracle = kiryo.isotonic_posterior(*data, **known)
    to_probability = fitted(recalibrate, data, known)
    found = to_probability(sorted(oracle))
    expected = [float(oracle[s]) for s in sorted(oracle)]
    assert found == pytest.approx(expected, abs=1e-12 / (known["purity"] - known["prior"]))


@given(cases(), st.sampled_from(METHODS))
def test_maps_rise_stay_in_range_and_survive_json(case, method):
    data, known = case
    to_probability = fitted(recalibrate, data, known, method=method)
    grid = np.linspace(0, 1, 201)
    values = to_probability(grid)
    assert np.all(np.diff(values) >= 0)
    assert np.all((values >= 0) & (values <= 1))
    again = RecalibrationMap.from_json(to_probability.to_json())
    assert np.array_equal(again.predict(grid), values)
    assert again.to_json() == to_probability.to_json()
    assert str(again) == str(to_probability)
    assert to_probability.transform(grid[:, None]).shape == (201, 1)
    assert to_probability.fit() is to_probability


@given(cases(source=groups))
def test_isotonic_needs_only_the_ranking(case):
    data, known = case
    first = fitted(recalibrate, data, known)
    table = data.table(known["scenario"])
    moved = ScoreTable.from_counts(
        np.arctan(table.score), n_pos=table.n_pos, n_unl=table.n_unl, n_neg=table.n_neg,
        scenario=table.scenario,
    )  # fmt: skip
    second = recalibrate(moved, prior=known["prior"], purity=known["purity"])
    assert np.array_equal(first(table.score), second(np.arctan(table.score)))
    cut = recalibrate(table.cut(), prior=known["prior"], purity=known["purity"])
    assert np.array_equal(first(table.score), cut(table.score))


def label_likelihood(data, known, to_probability):
    """Log-likelihood of which rows carry a label, row by row from its definition."""
    prior, purity = known["prior"], known["purity"]
    nested = known["scenario"] == "single_training_set"
    ratio = len(data.pos) / (sum(map(len, data)) if nested else len(data.unl))
    total = 0.0
    rows = [(s, True) for s in data.pos] + [(s, False) for s in data.unl]
    rows += [(s, False) for s in data.neg] if nested else []
    for (_, labelled), p in zip(rows, to_probability([s for s, _ in rows]), strict=True):
        chance = ratio * (purity * p / prior + (1 - purity) * (1 - p) / (1 - prior))
        if not nested:
            chance /= 1 + chance
        total += math.log(chance if labelled else max(1 - chance, 1e-12))
    return total


@given(cases(), st.sampled_from(["platt", "temperature", "beta"]), st.integers(0, 2))
def test_no_nearby_map_makes_the_labels_more_likely(case, method, which):
    data, known = case
    assume(known["prior"] > 0.02)
    best = fitted(recalibrate, data, known, method=method)
    assume("PM310" not in codes(best))
    top = label_likelihood(data, known, best)
    name = list(best.parameters)[min(which, len(best.parameters) - 1)]
    for step in (-0.01, 0.01):
        moved = best.parameters[name] + step
        if name in ("slope", "a", "b") and moved < 0:
            continue
        nearby = replace(best, parameters={**best.parameters, name: moved})
        assert label_likelihood(data, known, nearby) <= top + 1e-6


def test_full_labels_give_logistic_regression():
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(6)
    y = rng.random(500) < 0.4
    s = expit(rng.normal(size=500) + 1.5 * y)
    table = ScoreTable.from_groups(
        positive=s[y], unlabeled=[], negative=s[~y], scenario="case_control"
    )
    found = recalibrate(table, prior=float(y.mean()), method="platt")
    plain = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit(s)[:, None], y)
    assert found.parameters["slope"] == pytest.approx(plain.coef_[0, 0], abs=1e-4)
    assert found.parameters["intercept"] == pytest.approx(plain.intercept_[0], abs=1e-4)


def test_platt_recovers_the_true_map():
    table = synthetic_table(np.random.default_rng(3), 20_000, 100_000)
    to_probability = recalibrate(table, prior=0.5, method="platt")
    # σ(−0.5 + 1.5·x) is the score and σ(2·x) the truth: slope 4/3 and intercept 2/3
    assert to_probability.parameters["slope"] == pytest.approx(4 / 3, abs=0.05)
    assert to_probability.parameters["intercept"] == pytest.approx(2 / 3, abs=0.05)
    raw = ScoreTable.from_counts(
        logit(table.score), n_pos=table.n_pos, n_unl=table.n_unl, scenario="case_control"
    )
    identity = recalibrate(raw, prior=0.5, method="platt")
    assert identity.link == "identity"
    assert identity.parameters["slope"] == pytest.approx(
        to_probability.parameters["slope"], abs=1e-6
    )


def test_fragile_fits_are_remarked_and_wrong_input_explained():
    separated = ScoreTable.from_groups(
        positive=[0.99, 0.98], unlabeled=[0.01, 0.02, 0.03, 0.6], scenario="case_control"
    )
    assert "PM310" in codes(recalibrate(separated, prior=0.9, method="platt"))
    assert "PM311" in codes(recalibrate(separated, prior=0.9))
    upside_down = ScoreTable.from_groups(
        positive=[0.1, 0.2], unlabeled=[0.5, 0.7, 0.9], scenario="case_control"
    )
    for method in ("isotonic", "platt"):
        assert "PM312" in codes(recalibrate(upside_down, prior=0.3, method=method))
    anything = ScoreTable.from_groups(positive=[3.0], unlabeled=[-1, 2], scenario="case_control")
    with pytest.raises(ScoreError, match="Beta calibration needs probabilities"):
        recalibrate(anything, prior=0.3, method="beta")
    with pytest.raises(UnsupportedError, match="before cut"):
        recalibrate(separated.cut(), prior=0.3, method="platt")
    with pytest.raises(PuremetricsError, match="method='spline' is unknown"):
        recalibrate(separated, prior=0.3, method="spline")
    fitted_map = recalibrate(separated, prior=0.3, method="platt")
    with pytest.raises(ScoreError, match="fitted on probabilities"):
        fitted_map([0.5, 1.5])
    with pytest.raises(ScoreError, match="NaN"):
        fitted_map([np.nan])
    with pytest.raises(InputError, match="not JSON"):
        RecalibrationMap.from_json("{")
    with pytest.raises(InputError, match="not a recalibration map"):
        RecalibrationMap.from_json(json.dumps({"method": "platt"}))


def test_the_transformer_works_in_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    selection = pytest.importorskip("sklearn.model_selection")
    rng = np.random.default_rng(4)
    truth = rng.random(600) < 0.5
    y = (truth & (rng.random(600) < 0.5)).astype(int)
    x = (rng.normal(size=600) + truth)[:, None]
    model = Recalibrator(prior=0.5, scenario="single_training_set", method="platt")
    copy = base.clone(model)
    assert copy.get_params() == model.get_params()
    assert repr(copy) == repr(model)
    with pytest.raises(InputError, match="not fitted"):
        model.transform(x)
    pipe = pipeline.make_pipeline(preprocessing.StandardScaler(), model)
    out = pipe.fit(x, y).transform(x)
    assert out.shape == (600, 1)
    assert np.mean(out) == pytest.approx(0.5, abs=0.1)
    assert np.array_equal(model.fit_transform(x, y), model.transform(x))

    def spread(estimator, X, y):
        return float(np.std(estimator.transform(X)))

    scores = selection.cross_val_score(pipe, x, y, scoring=spread, cv=3)
    assert np.all(np.isfinite(scores))
    assert model.set_params(method="isotonic").method == "isotonic"
    with pytest.raises(InputError, match="no parameter"):
        model.set_params(colour="red")
    fixed = recalibrate(
        ScoreTable.from_arrays(y, x[:, 0], scenario="single_training_set"), prior=0.5
    )
    both = np.stack([1 - expit(x[:, 0]), x[:, 0]], axis=1)
    assert np.array_equal(fixed.transform(both), fixed.transform(x))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_recalibration_lowers_the_error_on_held_out_data(method):
    rng = np.random.default_rng(5)
    beta = (0.0, 0.8) if method == "temperature" else (-1.5, 0.8)  # it cannot undo a shift
    before, after = [], []
    for _ in range(8):
        fit_on, judge_on = (synthetic_table(rng, 1000, 6000, beta) for _ in range(2))
        to_probability = recalibrate(fit_on, prior=0.5, method=method)
        before.append(calibration_error(judge_on, prior=0.5).debiased)
        after.append(calibration_error(to_probability.apply(judge_on), prior=0.5).debiased)
    assert np.mean(after) < 0.3 * np.mean(before), (np.mean(before), np.mean(after))


# Reliability curve


@given(cases())
def test_the_binned_curve_is_that_of_the_bins(case):
    data, known = case
    curve = fitted(reliability_curve, data, known, n_bins=4)
    bins = fitted(calibration_error, data, known, n_bins=4).bins
    filled = ~np.isnan(bins.positive_rate)
    assert np.array_equal(curve.rate, bins.positive_rate[filled])
    assert np.all((curve.low >= 0) & (curve.high <= 1) & (curve.low <= curve.high))
    assert curve.share.sum() == pytest.approx(1)


@given(cases())
def test_the_isotonic_curve_rises_through_its_steps(case):
    data, known = case
    curve = fitted(reliability_curve, data, known, method="isotonic")
    steps = isotonic_posterior(data.table(known["scenario"]), known["prior"], known["purity"])
    assert np.all(np.diff(curve.rate) > 0)
    assert set(curve.rate) <= set(steps.value)
    assert curve.share.sum() == pytest.approx(1)
    assert list(curve.frame()) == ["lower", "upper", "score", "rate", "low", "high", "share"]
    assert "Reliability curve (isotonic)" in str(curve)
