"""Maps against oracles; what a repair gains on held-out data."""

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
from puremetrics.calibration.recalibration import RecalibrationMap, recalibrate
from puremetrics.exceptions import InputError, PuremetricsError, ScoreError, UnsupportedError
from tests.calibration.cases import codes, synthetic_table
from tests.calibration.fits import METHODS, cases, fitted
from tests.oracles import kiryo
from tests.strategies import groups


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
