"""What every estimator does with propensities is right, or refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import UnsupportedError
from puremetrics.numerics.quantiles import small_sample
from puremetrics.sampling.limits import contributions, linear_variance
from puremetrics.setting import TwoSamples
from puremetrics.statistics.roc_area import area_influence, raw_area
from tests.estimators import ESTIMATORS
from tests.oracles import hajek
from tests.test_invariances import EXAMPLES, outcome, rows, same, table_of

SCENARIOS = ["case_control", "single_training_set"]
EACH = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.name)
REFUSED = {"UnsupportedError"}


def chances(seed, size, low=0.1):
    return np.round(np.random.default_rng(seed).uniform(low, 1.0, size), 3)


def drawn(seed=0, size=400, low=0.15, prior=0.3):
    """One sample with propensities that rise with the score."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < prior
    score = np.round(1 / (1 + np.exp(-rng.normal(1.5 * truth - 0.7, 1.0))), 3)
    chance = low + (1 - low) * score
    y = (truth & (rng.random(size) < chance)).astype(int)
    return y, score, chance, truth


@EACH
@settings(max_examples=EXAMPLES)
@given(data=rows(), chance=st.sampled_from([1.0, 0.5, 0.037]))
def test_equal_propensities_change_nothing(estimator, data, chance):
    y, scores, scenario, prior = data
    with_them = table_of(y, scores, scenario, propensity=np.where(y == 1, chance, np.nan))
    found = outcome(estimator, with_them, prior)
    if found in REFUSED:
        return
    assert same(found, outcome(estimator, table_of(y, scores, scenario), prior), 1e-12)


@EACH
@settings(max_examples=EXAMPLES)
@given(data=rows(), seed=st.integers(0, 2**16), scale=st.floats(0.01, 1.0))
def test_only_ratios_of_propensities_matter(estimator, data, seed, scale):
    y, scores, scenario, prior = data
    chance = chances(seed, y.size)
    first = outcome(estimator, table_of(y, scores, scenario, propensity=chance), prior)
    again = outcome(estimator, table_of(y, scores, scenario, propensity=scale * chance), prior)
    assert same(first, again, 1e-8)


@EACH
@settings(max_examples=EXAMPLES)
@given(data=rows(), seed=st.integers(0, 2**16))
def test_in_case_control_they_are_weights(estimator, data, seed):
    y, scores, _, prior = data
    if estimator.function in ("naive_auc", "check_labelling"):
        return  # takes labels as they are
    prior = min(prior, 0.6)
    chance = chances(seed, y.size)
    weight = np.where(y == 1, 1 / chance, 1.0)
    weight[y == 1] /= weight[y == 1].mean()
    found = outcome(estimator, table_of(y, scores, "case_control", propensity=chance), prior)
    wanted = outcome(estimator, table_of(y, scores, "case_control", sample_weight=weight), prior)
    assert same(found, wanted, 1e-9)


def test_which_estimators_take_propensities():
    y, score, chance, _ = drawn()
    taken = {}
    for scenario in SCENARIOS:
        table = table_of(y, score, scenario, propensity=chance)
        results = {e.name: outcome(e, table, 0.3) for e in ESTIMATORS}
        taken[scenario] = {name for name, found in results.items() if not isinstance(found, str)}
        assert {found for found in results.values() if isinstance(found, str)} <= REFUSED
    weights = {e.name for e in ESTIMATORS if e.weights}
    assert taken["case_control"] >= weights
    biased = {e.name for e in ESTIMATORS if "biased labels" in e.name or e.name == "tipping_point"}
    assert taken["single_training_set"] == weights - {"calibration_error"} - biased
    assert taken["case_control"] - weights <= {
        f"estimate_prior {m}" for m in ("combined", "slope", "best_bin")
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
@given(data=rows(negatives=False), seed=st.integers(0, 2**16))
def test_shares_and_area_are_those_of_the_definition(scenario, data, seed):
    y, scores, _, _ = data
    chance = chances(seed, y.size)
    samples = TwoSamples(table_of(y, scores, scenario, propensity=chance))
    for threshold in (0.2, 0.5, 0.65):
        wanted = hajek.shares(y, scores, chance, scenario, threshold)
        assert samples.shares_at(threshold) == pytest.approx(wanted, abs=1e-12)
    area = hajek.area(y, scores, chance, scenario)
    assert raw_area(TwoSamples(samples.table.cut())) == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@settings(max_examples=20)
@given(data=rows(negatives=False), seed=st.integers(0, 2**16))
def test_the_variance_is_the_sum_of_squared_slopes(scenario, data, seed):
    y, scores, _, _ = data
    chance = chances(seed, y.size)
    samples = TwoSamples(table_of(y, scores, scenario, propensity=chance))
    found = linear_variance(samples, *area_influence(samples.heads))
    slopes = np.array(hajek.slopes(hajek.area, y, scores, chance, scenario))
    small = [small_sample(size) for size in samples.sizes]
    errors = slopes[:, 0] * small[0] + slopes[:, 1] * small[1]
    assert found.total == pytest.approx(float(np.sum(errors**2)), rel=1e-5, abs=1e-12)
    assert found.from_positives == pytest.approx(
        float(np.sum(errors[y == 1] ** 2)), rel=1e-5, abs=1e-12
    )
    assert len(contributions(samples, *area_influence(samples.heads))) == 2


@given(
    data=rows(negatives=False),
    seed=st.integers(0, 2**16),
    threshold=st.sampled_from([0.2, 0.5, 0.8]),
)
def test_the_correlation_of_both_shares_is_that_of_their_slopes(data, seed, threshold):
    y, scores, _, _ = data
    chance, single = chances(seed, y.size), hajek.SINGLE
    samples = TwoSamples(table_of(y, scores, single, propensity=chance))

    def share(which):
        return lambda *args: hajek.shares(*args[:4], threshold, args[4])[which]

    by_g = np.array(hajek.slopes(share(0), y, scores, chance, single))[:, 0]
    by_f = np.array(hajek.slopes(share(1), y, scores, chance, single))[:, 1]
    shares = samples.shares_at(threshold)
    if 0 < shares[0] < 1 and 0 < shares[1] < 1:
        wanted = np.sum(by_g * by_f) / np.sqrt(np.sum(by_g**2) * np.sum(by_f**2))
        assert samples.correlation(*shares) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("statistic", ["roc_auc", "average_precision", "brier_score", "f1"])
def test_models_are_compared_with_propensities(scenario, statistic):
    y, score, chance, _ = drawn(size=600)
    other = np.round(np.clip(score + np.random.default_rng(1).normal(0, 0.15, y.size), 0, 1), 3)
    at = {"threshold": 0.5} if statistic == "f1" else {}
    args = {"prior": 0.3 if scenario == "single_training_set" else 0.15, "n_resamples": 80, **at}
    models = {"a": score, "b": other}

    def difference(propensity, interval):
        joint = pm.JointTable.from_arrays(y, models, scenario=scenario, propensity=propensity)
        return pm.compare(joint, statistic=statistic, interval=interval, **args)

    plain, even = difference(None, "analytic"), difference(np.full(y.size, 0.4), "analytic")
    for first, second in zip(plain.differences, even.differences, strict=True):
        assert second.value == pytest.approx(first.value, abs=1e-12)
        assert second.interval.low == pytest.approx(first.interval.low, abs=1e-12)
    found, again = (difference(chance, way).differences[0] for way in ("analytic", "bootstrap"))
    assert again.value == pytest.approx(found.value, abs=1e-12)
    if statistic != "average_precision":
        assert found.interval.width == pytest.approx(again.interval.width, rel=0.35)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_bootstrap_of_rows_agrees(scenario):
    """The standard error is the spread of tables whose rows were drawn again."""
    y, score, chance, _ = drawn(size=900)
    rng = np.random.default_rng(3)
    areas = []
    for _ in range(300):
        if scenario == "single_training_set":
            picked = rng.integers(y.size, size=y.size)
        else:
            picked = np.concatenate(
                [rng.choice(np.flatnonzero(y == k), int(np.sum(y == k))) for k in (0, 1)]
            )
        table = table_of(y[picked], score[picked], scenario, propensity=chance[picked])
        areas.append(pm.roc_auc(table, prior=0.3, method="direct").value)
    found = pm.roc_auc(table_of(y, score, scenario, propensity=chance), prior=0.3, method="direct")
    assert found.standard_error == pytest.approx(np.std(areas), rel=0.15)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_labels_of_low_scores_do_not_look_backwards(scenario):
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(1.2 * truth - 0.7, 1.0)))
    chance = 0.6 * (1 - score) ** 3 + 0.01
    y = (truth & (rng.random(4000) < chance)).astype(int)
    plain, weighted = (table_of(y, score, scenario, propensity=e) for e in (None, chance))
    assert pm.naive_auc(plain).value < 0.45
    prior = {"prior": 0.3, "threshold": 0.5}
    assert pm.evaluate(plain, **prior).trust.level == "contradicted"
    assert pm.evaluate(weighted, **prior).trust.level == "known"


def test_an_evaluation_takes_the_prior_of_the_propensities():
    y, score, chance, truth = drawn(size=3000)
    found = pm.evaluate(table_of(y, score, "single_training_set", propensity=chance), threshold=0.5)
    assert found.prior_source == "given by the propensities"
    assert found.prior.low < truth.mean() < found.prior.high
    assert found.trust.level == "identified"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_evaluation_leaves_out_what_it_cannot_weigh(scenario):
    y, score, chance, _ = drawn()
    table = table_of(y, score, scenario, propensity=chance)
    found = pm.evaluate(table, prior=0.3, threshold=0.5)
    model = found.models["model"]
    alone = pm.roc_auc(table, prior=0.3)
    assert model.corrected["roc_auc"].value == alone.value
    assert (model.calibration is None) == (scenario == "single_training_set")
    assert "ROC AUC" in found._repr_html_()
    if scenario == "single_training_set":
        with pytest.raises(UnsupportedError, match="two weights of a labelled row"):
            found.to_html()
    else:
        assert "<html" in found.to_html()


def _curves(result):
    return [result.area]  # vertices on a straight line come and go with rounding


def _frames(result):
    return [column for column in result.frame().values() if np.asarray(column).dtype.kind == "f"]


OTHERS = {
    "confusion_at_thresholds": lambda t: _frames(pm.confusion_at_thresholds(t, prior=0.3)),
    "roc_curve": lambda t: _curves(pm.roc_curve(t, prior=0.3)),
    "pr_curve": lambda t: _curves(pm.pr_curve(t, prior=0.3)),
    "prior_derivatives": lambda t: _frames(pm.prior_derivatives(t, prior=0.3)),
    "prior_sensitivity": lambda t: _frames(
        pm.prior_sensitivity(t, priors=[0.25, 0.3], bounds=False)
    ),
    "best_by_prior": lambda t: _frames(pm.best_by_prior({"a": t, "b": t.flipped().flipped()})),
    "roc_hull": lambda t: _frames(pm.roc_hull(t)),
    "hull_likelihood": lambda t: _frames(pm.hull_likelihood(t)),
    "isotonic": lambda t: [pm.recalibrate(t, prior=0.3, method="isotonic").value],
    "platt": lambda t: list(pm.recalibrate(t, prior=0.3, method="platt").parameters.values()),
    "beta": lambda t: list(pm.recalibrate(t, prior=0.3, method="beta").parameters.values()),
    "drift": lambda t: _frames(pm.drift(pm.Segments("x", {1: t, 2: t}, t, {}), prior=0.3)),
    "evaluate": lambda t: [
        (e.value, *e.interval)
        for e in pm.evaluate(t, prior=0.3, threshold=0.5).models["model"].corrected.values()
    ],
    "noisy": lambda t: [
        (e.value, *e.interval)
        for e in pm.evaluate(t, prior=0.3, purity=0.95, threshold=0.5)
        .models["model"]
        .corrected.values()
    ],
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_results_do_not_change_with_equal_propensities(name, scenario):
    y, score, _, _ = drawn()
    plain, even = (
        table_of(y, score, scenario, propensity=chance) for chance in (None, np.full(y.size, 0.3))
    )
    found, wanted = OTHERS[name](even), OTHERS[name](plain)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert np.asarray(a) == pytest.approx(np.asarray(b), rel=1e-9, abs=1e-9, nan_ok=True)
