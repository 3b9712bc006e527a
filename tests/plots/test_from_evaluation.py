"""Displays draw what an evaluation holds, and compute nothing again."""

from unittest import mock

import numpy as np
import pytest
from matplotlib.figure import Figure

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.plots import (
    CalibrationDisplay,
    HullDisplay,
    PrecisionRecallDisplay,
    PriorSensitivityDisplay,
    RocCurveDisplay,
)

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [40, 160])
SCORES = {
    "a": 1 / (1 + np.exp(-RNG.normal(size=200) - 2 * (np.arange(200) < 80))),
    "b": RNG.normal(size=200),
}
EVALUATION = pm.evaluate(
    {n: pm.ScoreTable.from_arrays(Y, s, scenario="case_control") for n, s in SCORES.items()},
    prior=0.2,
)
HELD = {
    RocCurveDisplay: lambda model: model.corrected["roc_auc"].curve.frame(),
    PrecisionRecallDisplay: lambda model: model.corrected["average_precision"].curve.frame(),
    PriorSensitivityDisplay: lambda model: model.sensitivity.frame(),
    HullDisplay: lambda model: model.hull.frame(),
}


@pytest.mark.parametrize("display", HELD, ids=lambda display: display.__name__)
def test_what_is_held_is_drawn(display):
    with mock.patch("puremetrics.setting.setting.resolve", side_effect=AssertionError):
        drawn = display.from_evaluation(EVALUATION, "a", ax=Figure().subplots())
    expected = HELD[display](EVALUATION.models["a"])
    assert list(drawn.frame()) == list(expected)
    for name, column in expected.items():
        np.testing.assert_array_equal(drawn.frame()[name], column)
    assert drawn.name == "a"


def test_calibration_is_drawn_for_probabilities_only():
    drawn = CalibrationDisplay.from_evaluation(EVALUATION, "a", ax=Figure().subplots())
    bins = EVALUATION.models["a"].calibration.bins
    np.testing.assert_array_equal(drawn.frame()["rate"], bins.positive_rate)
    with pytest.raises(InputError, match="not probabilities"):
        CalibrationDisplay.from_evaluation(EVALUATION, "b")


@pytest.mark.parametrize("name", [None, "c"])
def test_the_model_must_be_named(name):
    with pytest.raises(InputError, match="'a', 'b'"):
        RocCurveDisplay.from_evaluation(EVALUATION, name)
