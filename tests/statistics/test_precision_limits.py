"""Limits of average precision from spacings: moments by definition, and what labels may have missed."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.setting import Setting
from puremetrics.statistics.precision_area import quadratic_moments, spacing_limits
from tests.small_tables import CC, SINGLE


def dirichlet_moment(parameters, powers):
    """E[Π D_i^p_i] of a Dirichlet law: a ratio of rising factorials."""
    rising = lambda x, n: float(np.prod([x + k for k in range(n)]))  # noqa: E731
    top = np.prod([rising(a, p) for a, p in zip(parameters, powers, strict=True)])
    return top / rising(sum(parameters), sum(powers))


def by_definition(parameters, slope, tied):
    """Mean and variance of the sum, each square written out as products of spacings."""
    size = len(parameters)
    terms = {}  # coefficient of D_i D_j in the sum

    def add(i, j, factor):
        terms[i, j] = terms.get((i, j), 0.0) + factor

    for i in range(size):
        for a, b in product(range(i + 1), repeat=2):
            add(a, b, slope[i] / 2)
        for a, b in product(range(i), repeat=2):
            add(a, b, -slope[i] / 2)
        if tied[i]:
            add(i, i, slope[i] / 2)

    def mean_of(places):
        return dirichlet_moment(parameters, np.bincount(places, minlength=size))

    mean = sum(c * mean_of([i, j]) for (i, j), c in terms.items())
    square = sum(
        c * d * mean_of([i, j, k, m]) for (i, j), c in terms.items() for (k, m), d in terms.items()
    )
    return mean, square - mean**2


@given(
    st.lists(st.tuples(st.floats(0.3, 6), st.floats(0, 3), st.booleans()), min_size=1, max_size=4)
)
def test_moments_of_the_sum_are_those_of_its_definition(spacings):
    parameters, slope, tied = (np.array(column) for column in zip(*spacings, strict=True))
    found = quadratic_moments(parameters, slope, tied)
    assert found == pytest.approx(by_definition(parameters, slope, tied), rel=1e-7, abs=1e-9)


def test_labels_that_have_missed_the_top_do_not_rule_out_high_precision():
    """Rare positives: no label among the rows at the top, where the precision may be high."""
    table = pm.ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[0, 6, 4], n_unl=[2, 200, 9798], scenario=CC
    )
    found = pm.average_precision(table, prior=0.001)
    # A fifth of the positives up there would give a precision of one half or more.
    assert found.value < 0.05 < 0.1 < found.interval.high


def test_one_label_knows_next_to_nothing():
    for scenario in (CC, SINGLE):
        table = pm.ScoreTable.from_groups(
            positive=[5.0], unlabeled=np.linspace(-3, 6, 200), scenario=scenario
        )
        low, high = pm.average_precision(table, prior=0.1).interval
        assert low < 0.12
        assert high > 0.8


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_many_rows_leave_narrow_limits_around_the_truth(scenario):
    rng = np.random.default_rng(0)
    positive = rng.normal(2, 1, 20_000)
    unlabeled = np.concatenate([rng.normal(2, 1, 40_000), rng.normal(0, 1, 160_000)])
    table = pm.ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario=scenario)
    prior = 0.2 if scenario == CC else 60_000 / 220_000
    low, high = spacing_limits(Setting.of(table, prior))
    value = pm.average_precision(table, prior=prior).value
    assert low < value < high
    assert high - low < 0.05


def test_a_warning_says_that_hardly_any_row_is_positive():
    table = pm.ScoreTable.from_groups(
        positive=np.arange(50.0), unlabeled=np.arange(1000.0), scenario=CC
    )
    few = pm.average_precision(table, prior=0.001)
    assert "about 1 of the 1000 rows" in next(
        d.message for d in few.diagnostics if d.code == "PM110"
    )
    assert "PM110" not in {d.code for d in pm.average_precision(table, prior=0.3).diagnostics}


def test_the_standard_error_knows_that_precision_is_held_to_one():
    rng = np.random.default_rng(3)
    values, errors = [], []
    for _ in range(150):
        hidden = rng.random(300) < 0.5
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(1.8, 1, 30), unlabeled=rng.normal(1.8 * hidden, 1), scenario=CC
        )
        found = pm.average_precision(table, prior=0.5)
        values.append(found.value)
        errors.append(found.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.35)
