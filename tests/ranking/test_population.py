"""Lee–Liu and pseudo-F describe the population that the scenario speaks of."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import puremetrics as pm
from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from tests.oracles import pulp as oracle
from tests.ranking.cases import lee_liu_term, of_population, pseudo_f_term, simulated
from tests.strategies import groups

CC, STS = "case_control", "single_training_set"


@given(data=groups(max_size=5), prior=st.floats(0.001, 0.999))
def test_case_control_counts_rows_of_the_unlabeled_alone(data, prior):
    table = data.table(CC)
    wanted = of_population(lee_liu_term, data.pos, data.unl)
    assert ranking.lee_liu(table).value == pytest.approx(float(wanted), abs=1e-12)
    wanted = of_population(pseudo_f_term(prior), data.pos, data.unl)
    assert ranking.pseudo_f(table, prior=prior).value == pytest.approx(float(wanted), abs=1e-11)


@given(data=groups(max_size=5), part=st.floats(0.0, 1.0))
def test_a_single_training_set_counts_all_rows(data, part):
    rest = [*data.unl, *data.neg]
    table = data.table(STS)
    wanted = oracle.mean_over_tie_breaking(oracle.lee_liu_strict, data.pos, rest)
    assert ranking.lee_liu(table).value == pytest.approx(float(wanted), abs=1e-12)
    prior = (len(data.pos) + part * len(data.unl)) / (len(data.pos) + len(rest))
    if prior < 1:
        strict = partial(oracle.pseudo_f_strict, prior=prior)
        wanted = oracle.mean_over_tie_breaking(strict, data.pos, rest)
        assert ranking.pseudo_f(table, prior=prior).value == pytest.approx(float(wanted), abs=1e-9)


@given(data=groups(max_size=5, unlabeled=False))
@settings(max_examples=20, deadline=None)
def test_without_unlabeled_rows_all_rows_stand_for_the_population(data):
    table = data.table(CC)
    wanted = oracle.mean_over_tie_breaking(oracle.lee_liu_strict, data.pos, data.neg)
    assert ranking.lee_liu(table).value == pytest.approx(float(wanted), abs=1e-12)
    found = ranking.pseudo_f(table, prior=0.3)
    assert found.value == ranking.pseudo_f(table).value
    assert "PM402" in [remark.code for remark in found.diagnostics]


def curves(prior, shift=2.0):
    """Recall, and the share of the population at or above a score, on a fine grid."""
    score = np.linspace(-9, 9 + shift, 400_001)
    recall = norm.sf(score - shift)
    return recall, prior * recall + (1 - prior) * norm.sf(score)


def mean_over_population(term, prior):
    recall, flagged = curves(prior)
    terms = term(recall, flagged)
    return float(np.sum((terms[1:] + terms[:-1]) / 2 * -np.diff(flagged)))


def drawn(rng, labelled, unlabeled, prior, scenario=CC):
    hidden = rng.random(unlabeled) < prior
    return ScoreTable.from_groups(
        positive=rng.normal(2, 1, labelled),
        unlabeled=rng.normal(2.0 * hidden, 1),
        scenario=scenario,
    )


@pytest.mark.parametrize("labelled", [500, 5000, 50_000])
def test_the_number_of_labelled_rows_does_not_matter_in_case_control(labelled):
    """N(2, 1) against N(0, 1), prior 0.1: the population's means are 2.054 and 3.496."""
    prior = 0.1
    wanted = {
        "lee_liu": mean_over_population(lambda r, f: r**2 / f, prior),
        "pseudo_f": mean_over_population(lambda r, f: 2 * r / (f + prior), prior),
    }
    assert wanted["lee_liu"] == pytest.approx(2.054, abs=1e-3)
    assert wanted["pseudo_f"] == pytest.approx(3.496, abs=1e-3)
    table = drawn(np.random.default_rng(1), labelled, 20_000, prior)
    for found in (ranking.lee_liu(table), ranking.pseudo_f(table, prior=prior)):
        assert found.value == pytest.approx(wanted[found.name], rel=0.04)
        assert wanted[found.name] in found.interval


def test_both_scenarios_describe_one_population():
    """The same population, sampled in both ways."""
    rng, prior = np.random.default_rng(3), 0.3
    apart = drawn(rng, 20_000, 40_000, prior)
    positive = rng.random(40_000) < prior
    score, labelled = rng.normal(2.0 * positive, 1), positive & (rng.random(40_000) < 0.5)
    together = ScoreTable.from_arrays(labelled, score, scenario=STS)
    assert ranking.lee_liu(apart).value == pytest.approx(ranking.lee_liu(together).value, rel=0.03)
    values = [ranking.pseudo_f(table, prior=prior).value for table in (apart, together)]
    assert values[0] == pytest.approx(values[1], rel=0.03)


@pytest.mark.parametrize("scenario", [CC, STS])
def test_scale_and_curve_follow_the_population(scenario):
    flags = [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1]
    table = ScoreTable.from_arrays(flags, -np.arange(12.0), scenario=scenario)
    rows = 7 if scenario == CC else 12
    for found in (ranking.lee_liu(table), ranking.pseudo_f(table, prior=0.45)):
        assert found.total == rows
        assert found.curve.area == pytest.approx(found.value, abs=1e-12)
        assert found.curve.x == pytest.approx(np.arange(rows + 2) / (rows + 1))
        assert found.worst <= found.chance <= found.best
        term = lee_liu_term if found.name == "lee_liu" else pseudo_f_term(0.45)
        if scenario == CC:
            for end, positive, rest in (
                ("best", [9] * 5, range(7)), ("worst", [-1] * 5, range(7)),
            ):  # fmt: skip
                wanted = of_population(term, positive, [float(x) for x in rest])
                assert getattr(found, end) == pytest.approx(float(wanted), abs=1e-12)
            wanted = of_population(term, [1.0] * 5, [1.0] * 7)
            assert found.chance == pytest.approx(float(wanted), abs=1e-12)


@given(data=groups(max_size=6), prior=st.floats(0.05, 0.6))
def test_one_threshold_is_one_term(data, prior):
    table = data.table(CC)
    for threshold in {*data.unl}:
        recall = sum(s >= threshold for s in data.pos) / len(data.pos)
        flagged = sum(s >= threshold for s in data.unl) / len(data.unl)
        if not prior * recall <= flagged <= 1 - prior * (1 - recall):
            continue  # more positives than rows: metric says so, and moves the rates
        found = pm.metric(table, "lee_liu", threshold=threshold, prior=prior)
        assert found.value == pytest.approx(recall**2 / flagged, abs=1e-9)
        assert found.interval.low <= found.value <= found.interval.high
        found = pm.metric(table, "pseudo_f", threshold=threshold, prior=prior)
        assert found.value == pytest.approx(2 * recall / (flagged + prior), abs=1e-9)


@pytest.mark.parametrize("scenario", [CC, STS])
def test_the_prior_cancels_in_lee_liu_with_clean_labels(scenario):
    table = simulated(np.random.default_rng(0), 30, 200, scenario=scenario)
    found = [pm.metric(table, "lee_liu", threshold=0.5, prior=p) for p in (0.2, 0.3, 0.5)]
    assert found[0].value == pytest.approx(found[1].value, rel=1e-12)
    assert found[0].value == pytest.approx(found[2].value, rel=1e-12)
    noisy = pm.metric(table, "lee_liu", threshold=0.5, prior=0.3, purity=0.8)
    assert noisy.value != pytest.approx(found[0].value, rel=1e-3)


@pytest.mark.parametrize("digits", [None, 1, 0])
def test_standard_errors_are_those_of_samples(digits):
    """In case-control both samples are independent, and both count."""
    rng = np.random.default_rng(4)
    values, errors = {}, {}
    for _ in range(300):
        table = simulated(rng, 150, 150, 1.0, digits)
        for found in (ranking.lee_liu(table), ranking.pseudo_f(table, prior=0.2)):
            values.setdefault(found.name, []).append(found.value)
            errors.setdefault(found.name, []).append(found.standard_error)
    for name, some in values.items():
        assert np.median(errors[name]) == pytest.approx(np.std(some), rel=0.15), name
