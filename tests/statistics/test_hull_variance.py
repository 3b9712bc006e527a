"""The variance of the hull by group, its limits, and what more rows would buy."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import HullVariance
from puremetrics.correction.hull import height
from puremetrics.exceptions import InputError
from tests.programs import load
from tests.small_tables import CC, SINGLE


@pytest.mark.slow
def test_variance_parts_are_the_true_ones():
    simulate = load("hull_worlds")
    result = simulate.compare(n_pos=50, n_other=200, repeats=150, n_resamples=150, seed=3)
    middle = slice(20, 81)
    ratios = {
        name: result[name][middle].mean() / result[f"true {name.split()[1]}"][middle].mean()
        for name in ("bootstrap pos", "allowed pos", "bootstrap others")
    }
    assert 0.75 < ratios["bootstrap pos"] < ratios["allowed pos"]
    assert 0.9 < ratios["allowed pos"] < 1.15
    assert 0.75 < ratios["bootstrap others"] < 1.35


def test_what_more_data_would_buy():
    rng = np.random.default_rng(2)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 100), unlabeled=rng.normal(0, 1, 5000), scenario="case_control"
    )
    variance = pm.hull_variance(table, prior=0.1, n_resamples=200, rng=0)
    assert variance.area_due_to_pos > 5 * variance.area_due_to_others
    assert variance.with_more(positives=4) < 0.6 * variance.with_more()
    assert variance.with_more(others=np.inf) > 0.9 * variance.with_more()
    assert np.array_equal(variance.total, variance.due_to_pos + variance.due_to_others)
    assert np.all((variance.low <= variance.tpr) & (variance.tpr <= variance.high))
    assert "unlimited other rows" in str(variance)
    with pytest.raises(InputError, match="positive number"):
        variance.with_more(positives=0)


def test_standard_errors_with_more_rows_by_hand():
    one = np.zeros(1)
    spread = HullVariance(one, one, one + 0.3, one + 0.2, one, one, 0.95, 0.8, 0.03, 0.06, {})
    assert spread.total.tolist() == [0.5]
    assert spread.with_more() == pytest.approx(0.3)
    assert spread.with_more(positives=3, others=2) == pytest.approx(0.2)
    assert spread.with_more(others=math.inf) == pytest.approx(math.sqrt(0.03))
    assert spread.with_more(positives=math.inf) == pytest.approx(math.sqrt(0.06))


@pytest.mark.parametrize("name", [CC, SINGLE])
def test_the_variance_is_about_the_hull_itself(name):
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 20), unlabeled=rng.normal(0, 1, 50), scenario=name
    )
    for prior in (None, 0.4):
        whole = pm.roc_hull(table, prior=prior)
        found = pm.hull_variance(table, prior=prior, n_resamples=3, rng=0, fpr=[0.3, 0.6])
        assert found.area == pytest.approx(whole.area)
        heights = height(whole.fpr, whole.tpr, np.array([0.3, 0.6]))
        assert found.tpr == pytest.approx(np.clip(heights, 0, 1))
        spreads = {}
        for group, values in found.replicates.items():
            assert values.shape == (3, 3)  # resamples; two heights and the area
            spreads[group] = ((values - values.mean(axis=0)) ** 2).sum(axis=0) / 2
        assert found.due_to_others == pytest.approx(spreads["others"][:2])
        # Resampled positives vary too little: what is kept of the variance is a third of it or more.
        assert np.all(found.due_to_pos >= spreads["pos"][:2] - 1e-15)
        assert np.all(found.due_to_pos <= 3 * spreads["pos"][:2] + 1e-15)
    assert pm.hull_variance(table, n_resamples=2, rng=0).fpr == pytest.approx(np.arange(101) / 100)
