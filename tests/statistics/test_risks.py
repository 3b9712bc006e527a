"""Risks against their oracle and scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

from puremetrics import ScoreTable, brier_score, log_loss
from puremetrics.exceptions import InputError, ScoreError
from tests.calibration.cases import codes, synthetic_table
from tests.calibration.fits import cases, fitted
from tests.oracles import kiryo


def squared(s, y):
    return (s - y) ** 2


def logarithmic(s, y):
    s = min(max(s, 1e-15), 1 - 1e-15)
    return -math.log(s) if y else -math.log1p(-s)


# Risks
@given(cases())
def test_risks_equal_the_oracle(case):
    data, known = case
    for function, loss, most, largest in (
        (brier_score, squared, 1.0, 1.0),
        (log_loss, logarithmic, 40.0, math.inf),
    ):
        unbiased, corrected = kiryo.risk(*data, **known, loss=loss, largest=largest)
        scale = 1e-12 * most / (known["purity"] - known["prior"])
        raw = fitted(function, data, known, nonnegative=False)
        cut = fitted(function, data, known)
        assert raw.value == pytest.approx(unbiased, abs=scale)
        assert cut.value == pytest.approx(corrected, abs=scale)
        assert "PM307" in codes(cut) or cut.value == pytest.approx(raw.value, abs=2e-9)
        assert "PM307" not in codes(cut) or cut.value != raw.value
        assert cut.value <= largest
        assert 0 <= cut.interval.low <= cut.interval.high


def test_a_brier_score_is_at_most_1():
    table = ScoreTable.from_groups(
        positive=[0.0, 0.05, 0.1], unlabeled=[0.95, 0.9, 1.0, 1.0], scenario="case_control"
    )
    raw = brier_score(table, prior=0.5, purity=0.7, nonnegative=False)
    held = brier_score(table, prior=0.5, purity=0.7)
    assert raw.value > 1
    assert held.value == 1.0
    assert "PM307" in codes(held)
    assert held.interval.high == 1.0


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
