"""Metrics at a threshold that the same rows chose."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.comparing.threshold_choice import account_for_choice, gains_of
from puremetrics.numerics.formulas import METRICS
from puremetrics.results import ConfusionCounts
from tests.small_tables import CC


def counts(rows):
    columns = np.array(rows, dtype=float)
    return ConfusionCounts(np.arange(columns.shape[-1], dtype=float), *columns)


def test_gains_are_taken_at_the_place_that_each_resample_chose():
    here = counts([[0, 3, 4], [0, 1, 4], [4, 1, 0], [4, 3, 0]])
    again = ConfusionCounts(
        here.threshold,
        *(np.array([column, column]) for column in ([0, 4, 4], [0, 0, 4], [4, 0, 0], [4, 4, 0])),
    )
    place = np.array([1, 2])
    found = gains_of([METRICS["precision"], METRICS["recall"]], again, here, place)
    assert found == pytest.approx(np.array([[1 - 3 / 4, 0.0], [1 - 3 / 4, 0.0]]))


def test_the_mean_gain_is_taken_off_and_its_spread_widens_the_interval():
    table = pm.ScoreTable.from_groups(positive=range(20, 60), unlabeled=range(50), scenario=CC)
    plain = pm.metric(table, "precision", threshold=30, prior=0.3)
    gains = np.array([0.1, 0.2, 0.3, np.nan])
    found = account_for_choice(plain, METRICS["precision"], gains, 1.0)
    assert found.value == pytest.approx(plain.value - 0.2)
    assert found.interval.low <= plain.interval.low - 0.2 + 1e-12
    assert found.interval.high >= found.value
    still = account_for_choice(plain, METRICS["precision"], np.zeros(5), 1.0)
    assert tuple(still.interval) == pytest.approx(tuple(plain.interval))
    assert account_for_choice(plain, METRICS["precision"], np.array([np.nan]), 1.0) is plain


def test_evaluate_tells_metrics_that_account_for_the_choice():
    rng = np.random.default_rng(1)
    unlabeled = np.concatenate([rng.normal(1.5, 1, 60), rng.normal(0, 1, 240)])
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 30), unlabeled=unlabeled, scenario=CC
    )
    model = pm.evaluate(table, prior=0.2).models["model"]
    point = model.operating_point
    assert model.corrected["f1"].value == pytest.approx(point.estimate.value, abs=1e-9)
    fixed = pm.metric(table, "f1", threshold=point.threshold, prior=0.2)
    assert model.corrected["f1"].value < fixed.value
    assert model.corrected["f1"].interval.method == "bootstrap_of_the_choice"
    given = pm.evaluate(table, prior=0.2, threshold=point.threshold).models["model"]
    assert given.corrected["f1"].value == pytest.approx(fixed.value)


@pytest.mark.slow
def test_intervals_at_a_chosen_threshold_hold_more_often():
    rng = np.random.default_rng(2)
    held = {"fixed": 0, "chosen": 0}
    repeats = 60
    for _ in range(repeats):
        hidden = rng.random(300) < 0.4
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(1, 1, 30), unlabeled=rng.normal(1.0 * hidden, 1), scenario=CC
        )
        model = pm.evaluate(table, prior=0.4).models["model"]
        at = model.operating_point.threshold
        sample = rng.normal(size=200_000)
        tpr, fpr = (sample + 1 >= at).mean(), (sample >= at).mean()
        truth = 2 * 0.4 * tpr / (0.4 * tpr + 0.6 * fpr + 0.4)
        held["chosen"] += truth in model.corrected["f1"].interval
        held["fixed"] += truth in pm.metric(table, "f1", threshold=at, prior=0.4).interval
    assert held["chosen"] >= held["fixed"]
    assert held["chosen"] >= 0.88 * repeats
