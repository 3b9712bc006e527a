"""Prior of the population and share among the unlabeled, in both scenarios."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.scenario import (
    comparison_counts,
    comparison_total,
    population_prior,
    population_size,
    prior_limits,
    resolve_prior,
    unlabeled_share,
)

from .strategies import groups, scenarios


@given(groups(), scenarios, st.floats(0, 1), st.sampled_from([1.0, 0.8]))
def test_conversions_are_inverse_and_count_positives(data, scenario, share, purity):
    table = data.table(scenario)
    prior = population_prior(table, share, purity)
    assert unlabeled_share(table, prior, purity) == pytest.approx(share, abs=1e-9)
    if scenario == "case_control":
        assert prior == share
    else:
        positives = purity * len(data.pos) + share * len(data.unl)
        assert prior * table.total == pytest.approx(positives)
    low, high = prior_limits(table, purity)
    assert low - 1e-12 <= prior <= high + 1e-12


@given(groups(), scenarios)
def test_the_comparison_sample_and_the_population(data, scenario):
    table = data.table(scenario)
    counts, squares = comparison_counts(table)
    rows = len(data.unl) if scenario == "case_control" else table.total
    assert counts.sum() == squares.sum() == comparison_total(table) == rows
    assert population_size(table) == rows


def test_results_echo_the_share_with_noisy_labels():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="single_training_set"
    )
    estimate = pm.roc_auc(table, prior=0.5, purity=0.75)
    assert estimate.unlabeled_share == pytest.approx((0.5 * 10 - 0.75 * 4) / 6)
    assert resolve_prior(table, (0.4, 0.6)).value == 0.5
