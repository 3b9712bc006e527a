"""Rows to draw, and what a figure shows of them."""

import matplotlib as mpl
import numpy as np
import pytest

import puremetrics as pm
from puremetrics.plots import (
    CalibrationDisplay,
    DecisionCurveDisplay,
    DiscoveryDisplay,
    HullDisplay,
    PrecisionRecallDisplay,
    PriorSensitivityDisplay,
    RocCurveDisplay,
)

mpl.use("Agg")


DISPLAYS = {
    RocCurveDisplay: {"prior": 0.35},
    PrecisionRecallDisplay: {"prior": 0.35},
    CalibrationDisplay: {"prior": 0.35},
    PriorSensitivityDisplay: {"priors": [0.25, 0.3, 0.35]},
    DecisionCurveDisplay: {"prior": 0.35},
    DiscoveryDisplay: {"prior": 0.35},
    HullDisplay: {"prior": 0.35, "rng": 0, "n_resamples": 20},
}


each_display = pytest.mark.parametrize("display", DISPLAYS, ids=lambda d: d.__name__)


def make_rows(seed=0, rows=400):
    rng = np.random.default_rng(seed)
    hidden = (rng.random(rows) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-rng.normal(2.5 * hidden - 1.5, 1.0)))
    y = hidden * (rng.random(rows) < 0.5)
    return y, score.round(2), hidden


Y, SCORE, HIDDEN = make_rows()


TABLE = pm.ScoreTable.from_arrays(Y, SCORE, scenario="single_training_set")


TRUTH = pm.ScoreTable.from_arrays(
    HIDDEN, SCORE, scenario="single_training_set", unlabeled_label=None, neg_label=0
)


NAIVE = TABLE.unlabeled_as_negative()


def assert_drawn(line, x, y):
    np.testing.assert_array_equal(line.get_xdata(), x)
    np.testing.assert_array_equal(line.get_ydata(), y)


def labels_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def caption_of(display):
    return display.caption_.get_text().replace("\n", " ")
