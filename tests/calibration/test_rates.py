"""Limits of the steps of an isotonic fit against exact binomial tails, and in simulation."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from puremetrics import ScoreTable
from puremetrics.calibration import reliability_curve
from tests.calibration.cases import synthetic_table


def exact_limits(hits, rows, error):
    """Shares at which as many hits, or as few, have a chance of half the error."""
    low = brentq(lambda p: binom.sf(hits - 1, rows, p) - error / 2, 0, 1) if hits else 0.0
    high = brentq(lambda p: binom.cdf(hits, rows, p) - error / 2, 0, 1) if hits < rows else 1.0
    return low, high


def test_limits_of_steps_are_those_of_clopper_and_pearson():
    positive = np.repeat([0.2, 0.5, 0.9], [2, 10, 28])
    unlabeled = np.repeat([0.1, 0.2, 0.5, 0.9], [300, 100, 60, 40])
    separate = ScoreTable.from_groups(
        positive=positive, unlabeled=unlabeled, scenario="case_control"
    )
    found = reliability_curve(separate, prior=0.1, method="isotonic")
    assert found.upper[-1] == 1.0
    groups = [(0, 300), (2, 100), (10, 60), (28, 40)]
    for i, (hits, others) in enumerate(groups):
        error = 0.025 if i in (0, 3) else 0.05
        ends = exact_limits(hits, hits + others, error)
        expected = [0.1 * p / (1 - p) * 500 / 40 for p in ends]
        assert (found.low[i], found.high[i]) == pytest.approx(np.clip(expected, 0, 1), rel=1e-6)
    single = ScoreTable.from_groups(
        positive=positive, unlabeled=unlabeled, scenario="single_training_set"
    )
    found = reliability_curve(single, prior=0.3, method="isotonic")
    for i, (hits, others) in enumerate(groups):
        error = 0.025 if i in (0, 3) else 0.05
        ends = exact_limits(hits, hits + others, error)
        expected = [0.3 * p * 540 / 40 for p in ends]
        assert (found.low[i], found.high[i]) == pytest.approx(np.clip(expected, 0, 1), rel=1e-6)


def test_rates_lie_inside_their_limits_and_a_range_widens_them():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = synthetic_table(rng, 20, 200)
        plain = reliability_curve(table, prior=0.5, method="isotonic")
        wide = reliability_curve(table, prior=(0.45, 0.55), purity=(0.9, 1.0), method="isotonic")
        for curve in (plain, wide):
            assert np.all((curve.low <= curve.rate) & (curve.rate <= curve.high))
            assert np.all((curve.low >= 0) & (curve.high <= 1) & (curve.low < curve.high))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_the_top_step_is_covered(scenario, shift):
    """Limits for bins that are given held in 0.63 to 0.88 of the samples here."""
    rng = np.random.default_rng(1)
    hits = {"top": [], "bottom": [], "between": []}
    x = np.sort(np.random.default_rng(2).normal(size=400_000))
    for _ in range(300):
        y = rng.random(1200) < 0.3
        raw = rng.normal(size=y.size) + shift * y
        score = np.tanh(raw / 4) / 2 + 0.5
        if scenario == "single_training_set":
            seen = y & (rng.random(y.size) < 0.3)
            table = ScoreTable.from_groups(
                positive=score[seen], unlabeled=score[~seen], scenario=scenario
            )
        else:
            extra = np.tanh((rng.normal(size=100) + shift) / 4) / 2 + 0.5
            table = ScoreTable.from_groups(positive=extra, unlabeled=score, scenario=scenario)
        curve = reliability_curve(table, prior=0.3, method="isotonic")
        for i in range(curve.rate.size):
            ends = [
                np.arctanh(np.clip(2 * e - 1, -1 + 1e-15, 1 - 1e-15)) * 4
                for e in (curve.lower[i], curve.upper[i])
            ]
            pos, neg = (
                np.diff(np.searchsorted(x + move, ends))[0] / x.size for move in (shift, 0.0)
            )
            truth = 0.3 * pos / max(0.3 * pos + 0.7 * neg, 1e-300)
            at = "top" if i == curve.rate.size - 1 else "bottom" if i == 0 else "between"
            if pos + neg > 0:
                hits[at].append(curve.low[i] - 1e-3 <= truth <= curve.high[i] + 1e-3)
    for at, found in hits.items():
        assert np.mean(found) >= 0.93, (at, np.mean(found))
