"""Limits where prior and purity are uncertain: errors add up in squares, ranges are for the value."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.numerics.quantiles import wilson
from puremetrics.results import Place
from puremetrics.sampling.limits import linear_variance, recovered
from puremetrics.sampling.uncertain import (
    PriorByHead,
    correlation_with_prior,
    factor_of_reach,
    least_factor,
    limits_over,
    scale_of_errors,
)
from puremetrics.setting import Assumed, Setting
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.threshold_metric import metric_function
from tests.oracles import uncertain as slow

SCENARIOS = ("case_control", "single_training_set")
numbers = st.floats(-2, 2)
reaches = st.floats(0.01, 1.5)


def assumed(places, level=0.95):
    """What is assumed if places have so many errors of three pairs each."""
    made = []
    for number, errors in enumerate(places):
        pairs = [
            tuple((number + 0.1 * (e + 1) + 0.01 * k, 1.0) for k in range(3)) for e in range(errors)
        ]
        made.append(Place((float(number), 1.0), tuple(pairs)))
    flat = [p for place in made for p in (place.pair, *(q for e in place.errors for q in e))]
    return Assumed(0.0, 0.0, 1.0, pairs=tuple(flat), places=tuple(made), error_level=level)


@given(
    st.lists(st.tuples(numbers, reaches, reaches, st.integers(0, 2)), min_size=1, max_size=4),
    st.data(),
)
def test_the_rule_is_that_of_the_definition(drawn, data):
    known = assumed([errors for *_, errors in drawn])
    middle = np.empty(len(known.pairs))
    low, high = np.full(middle.size, np.nan), np.full(middle.size, np.nan)
    places = []
    for (at, errors), (value, down, up, _) in zip(known.placed, drawn, strict=True):
        middle[at], low[at], high[at] = value, value - down, value + up
        moved = [data.draw(st.lists(numbers, min_size=3, max_size=3)) for _ in errors]
        for numbers_of, values in zip(errors, moved, strict=True):
            middle[list(numbers_of)] = values
        places.append((value, *slow.with_errors(value, value - down, value + up, moved)))
    found = limits_over(known, (middle, low, high), 0.95)
    if known.is_point:
        assert found == (low[0], high[0])
        return
    assert found == pytest.approx(
        slow.limits(places, 0.95), abs=6e-4 * max(d + u for _, d, u in places)
    )


@given(st.lists(st.tuples(numbers, reaches, reaches), min_size=1, max_size=5), st.floats(0.6, 0.99))
def test_fewer_places_never_give_a_longer_interval_than_one_of_them(drawn, level):
    centres, below, above = np.array(drawn).T
    factor = factor_of_reach(centres, below, above, level)
    assert least_factor(level) - 1e-12 <= factor <= 1
    low, high = (centres - factor * below).min(), (centres + factor * above).max()
    assert high - low >= (below + above).max() * (1 - 1e-6)
    assert slow.held(drawn, low, high, level) >= level - 1e-6


def test_a_wide_range_needs_one_side_only_and_a_point_both():
    one = np.ones(2)
    assert factor_of_reach(np.array([0.0, 1e6]), one, one, 0.95) == pytest.approx(
        1.6449 / 1.95996, abs=1e-4
    )
    assert factor_of_reach(np.array([0.0, 0.0]), one, one, 0.95) == 1.0
    assert factor_of_reach(np.array([0.0]), one[:1], one[:1], 0.95) == 1.0
    assert factor_of_reach(np.array([0.0, 9.0]), one, np.array([1.0, np.inf]), 0.95) == 1.0


def sample(scenario, seed=0, labels=60, rows=1500, prior=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < prior
    scores = rng.normal(1.5 * truth, 1)
    if scenario == "single_training_set":
        y = truth & (rng.random(rows) < labels / (prior * rows))
        return pm.ScoreTable.from_arrays(y.astype(int), scores, scenario=scenario)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, labels), unlabeled=scores, scenario=scenario
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_audited_prior_adds_in_squares(scenario):
    table = sample(scenario)
    prior = pm.prior_from_audit(200, 40, table=table)
    for asked in (
        find("precision", threshold=1.0),
        find("roc_auc"),
        find("brier_score"),
        find("f1", top=100),
    ):
        if asked.of_probabilities:
            continue
        found, known = (asked.estimate(asked.assume(table, p)) for p in (prior, prior.prior))
        middle = asked.plain(asked.assume(table, prior.prior))
        down, up = middle - known.low, known.high - middle
        # The audit's own error, and that of the rows at hand as a sample of the population.
        for limits in (tuple(prior.interval), wilson(prior.prior, prior.of_rows, 0.95)):
            ends = [asked.plain(asked.assume(table, end)) for end in limits]
            down = np.hypot(down, max(middle - min(ends), 0.0))
            up = np.hypot(up, max(max(ends) - middle, 0.0))
        assert found.low == pytest.approx(middle - down, abs=2e-3)
        assert found.high == pytest.approx(middle + up, abs=2e-3)
        assert found.interval.kind == "combined"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_levels_of_the_prior_and_of_the_interval_may_differ(scenario):
    table = sample(scenario)
    same, other = (
        pm.metric(table, "precision", threshold=1.0, prior=pm.prior_from_audit(
            200, 40, table=table, method="jeffreys", confidence_level=level))
        for level in (0.95, 0.8)
    )  # fmt: skip
    assert other.interval.width == pytest.approx(same.interval.width, rel=0.03)


def test_the_prior_itself_comes_out_with_its_own_interval():
    for scenario in SCENARIOS:
        prior = pm.estimate_prior(sample(scenario))
        known = Setting.of(sample(scenario), prior).assumed
        assert known.beyond_range
        priors = known.arrays()[0]
        low, high = limits_over(known, (priors, priors, priors), 0.95)
        assert (low, high) == pytest.approx(tuple(prior.interval), abs=1e-4)
        assert scale_of_errors(known, 0.95) >= 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_correlation_is_that_of_many_samples(scenario):
    asked, found = find("roc_auc"), []
    told = []
    for seed in range(40):
        table = sample(scenario, seed)
        prior = pm.estimate_prior(table)
        setting = Setting.of(table, prior)
        told.append(asked.correlation_with_prior(setting))
        found.append((asked.plain(setting.at(0.2)), prior.separable))
    measured = np.corrcoef(np.array(found).T)[0, 1]
    assert np.mean(told) < -0.2
    assert np.mean(told) == pytest.approx(measured, abs=0.3)  # both have an error of 0.1


def test_other_rows_are_not_correlated():
    table, other = sample("case_control"), sample("case_control", 1)
    prior = pm.estimate_prior(other)
    asked = find("roc_auc")
    assert asked.correlation_with_prior(Setting.of(other, prior)) < 0
    assert asked.correlation_with_prior(Setting.of(table, prior)) == 0
    setting = Setting.of(other, prior)
    influence = asked.influence(setting.at(setting.prior))
    assert linear_variance(setting.samples, *influence).total > 0
    assert correlation_with_prior(setting.at(0.2), setting.samples, *influence) == 0


@given(st.integers(0, 10**6), st.sampled_from(SCENARIOS))
def test_a_known_prior_never_gives_a_longer_interval_than_an_estimated_one(seed, scenario):
    table = sample(scenario, seed, labels=30, rows=300)
    assume(table.total_pos >= 5)
    prior = pm.estimate_prior(table)
    for asked in (find("roc_auc"), find("average_precision"), find("f1", threshold=1.0)):
        open_, known = (asked.estimate(asked.assume(table, p)) for p in (prior, prior.prior))
        assert open_.low <= open_.value <= open_.high
        assert open_.interval.width >= known.interval.width * 0.998


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_shares_at_a_threshold_go_with_the_prior_as_their_influence_says(scenario):
    table = sample(scenario)
    prior = pm.estimate_prior(table)
    setting = Setting.of(table, prior)
    by_head = PriorByHead.of(setting)
    samples = setting.rows
    for threshold in (-1.0, 0.3, 1.0, 2.2):
        inside = (samples.table.score >= threshold).astype(float)
        none = np.zeros_like(inside)
        wanted = [
            correlation_with_prior(setting, samples, *influence)
            for influence in ((inside, none), (none, inside))
        ]
        # Ranges of the estimate are cut at labelled scores, and rows within one count in proportion.
        assert by_head.correlations(*samples.shares_at(threshold)) == pytest.approx(
            wanted, abs=0.02
        )
    assert by_head.correlations(0.0, 0.0) == by_head.correlations(1.0, 1.0) == (0.0, 0.0)
    assert PriorByHead.of(Setting.of(table, 0.2)) is None


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", ["precision", "f1", "mcc", "specificity"])
def test_parts_of_a_reach_give_the_correlation_with_anything(scenario, name):
    """Beside the derivative: with correlations of 0.3 and −0.5 of the two shares with some number."""
    asked, ofs = find(name, threshold=1.0), (0.3, -0.5)
    setting = Setting.of(sample(scenario), 0.2)
    samples = setting.rows
    shares = samples.shares_at(1.0)
    compute = metric_function(setting, asked.formula, asked.options)
    found = recovered(samples, compute, *shares, setting.level)
    slopes = asked.slopes(setting)
    inside = (samples.table.score >= 1.0).astype(float)
    none = np.zeros_like(inside)
    errors = [
        np.sqrt(linear_variance(samples, *influence).total)
        for influence in ((inside, none), (none, inside))
    ]
    total = np.sqrt(linear_variance(samples, *asked.influence(setting)).total)
    wanted = sum(s * e * of for s, e, of in zip(slopes, errors, ofs, strict=True)) / total
    assert float(found.shared(ofs)[0]) == pytest.approx(wanted, abs=0.12)
    assert float(found.shared(ofs)[1]) == pytest.approx(wanted, abs=0.12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_prior_of_the_same_scores_never_shortens_below_a_known_one(scenario):
    table = sample(scenario)
    prior = pm.estimate_prior(table)
    for asked in (find("precision", threshold=1.0), find("f1", threshold=1.0), find("roc_auc")):
        open_, known = (asked.estimate(asked.assume(table, p)) for p in (prior, prior.prior))
        assert open_.interval.width >= known.interval.width * (1 - 1e-9)
