"""Values along a grid of priors, on blocks of rows, against the same at every prior by itself."""

import numpy as np
import pytest

import puremetrics as pm

AREAS = {"roc_auc": pm.roc_auc, "average_precision": pm.average_precision}


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(2)
    truth = rng.random(120_000) < 0.2
    y = (truth & (rng.random(truth.size) < 0.4)).astype(int)
    first = rng.normal(size=truth.size) + 1.3 * truth
    second = first + rng.normal(size=truth.size)
    return {
        name: pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
        for name, score in (("a", first), ("b", second))
    }


@pytest.mark.parametrize("statistic", sorted(AREAS))
def test_sensitivity_of_very_many_labels_is_that_of_each_prior(tables, statistic):
    table = tables["a"]
    assert table.cut().score.size > 8192
    grid = np.linspace(0.1, 0.24, 21)
    found = pm.prior_sensitivity(table, statistic=statistic, priors=grid[::-1])
    assert found.prior.tolist() == grid[::-1].tolist()
    for place in (0, 3, 7, 10, 20):
        alone = AREAS[statistic](table, prior=float(found.prior[place]))
        width = alone.interval.width
        exact = pm.prior_sensitivity(table, statistic=statistic, priors=found.prior[[place]])
        assert found.value[place] == pytest.approx(alone.value, abs=0.01 * width)
        assert found.low[place] == pytest.approx(alone.interval.low, abs=0.06 * width)
        assert found.high[place] == pytest.approx(alone.interval.high, abs=0.06 * width)
        assert found.bound_low[place] == pytest.approx(exact.bound_low[0], abs=0.2 * width)
        assert found.bound_high[place] == pytest.approx(exact.bound_high[0], abs=0.2 * width)
        if place in (0, 10, 20):
            assert found.value[place] == pytest.approx(alone.value, abs=1e-12)


@pytest.mark.parametrize("statistic", sorted(AREAS))
def test_rankings_of_very_many_labels_are_those_of_each_prior(tables, statistic):
    grid = np.linspace(0.1, 0.24, 13)
    found = pm.best_by_prior(tables, statistic=statistic, priors=grid)
    for name, table in tables.items():
        alone = [AREAS[statistic](table, prior=float(prior)) for prior in grid]
        for value, estimate in zip(found.values[name], alone, strict=True):
            assert value == pytest.approx(estimate.value, abs=0.02 * estimate.interval.width)


def test_no_prior_at_all():
    table = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[1, 2], scenario="case_control")
    assert pm.prior_sensitivity(table, priors=[]).value.size == 0
