"""Displays draw where they are asked to, say what they assume, and leave nothing behind."""

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, MissingDependencyError, UnsupportedError
from puremetrics.plots import (
    CalibrationDisplay,
    PrecisionRecallDisplay,
    PriorSensitivityDisplay,
    RocCurveDisplay,
)
from tests.plots.drawing import (
    DISPLAYS,
    HIDDEN,
    SCORE,
    TABLE,
    TRUTH,
    Y,
    assert_drawn,
    caption_of,
    each_display,
    labels_of,
)

mpl.use("Agg")


@each_display
def test_predictions_and_table_give_the_same_figure(display):
    options = DISPLAYS[display]
    axes = plt.figure().subplots(1, 2)
    one = display.from_table(TABLE, **options, truth=TRUTH, ax=axes[0])
    two = display.from_predictions(
        Y, SCORE, scenario="single_training_set", truth=HIDDEN, **options, ax=axes[1]
    )
    assert len(one.ax_.lines) == len(two.ax_.lines) > 2
    for a, b in zip(one.ax_.lines, two.ax_.lines, strict=True):
        assert_drawn(a, b.get_xdata(), b.get_ydata())
    assert labels_of(one) == labels_of(two)
    assert caption_of(one) == caption_of(two)


class Model:
    """A classifier whose scores are given."""

    classes_ = ("spam", "unknown")

    def predict_proba(self, rows):
        return np.column_stack([rows, 1 - rows])


class Ranker(Model):
    def decision_function(self, rows):
        return 1 - rows  # speaks for the second class


@each_display
@pytest.mark.parametrize("model", [Model(), Ranker()])
def test_estimators_are_scored_for_the_positive_class(display, model):
    options = DISPLAYS[display] | {"scenario": "single_training_set"}
    names = {"pos_label": "spam", "unlabeled_label": "unknown"}
    y = np.where(Y == 1, "spam", "unknown")
    found = display.from_estimator(model, SCORE, y, **names, **options)
    table = display.from_table(TABLE, **DISPLAYS[display], name=type(model).__name__, ax=found.ax_)
    np.testing.assert_allclose(found.line_.get_ydata(), table.line_.get_ydata(), rtol=1e-12)
    assert labels_of(found)[0].startswith(type(model).__name__)


def test_scikit_learn_estimators_are_drawn():
    linear = pytest.importorskip("sklearn.linear_model")
    model = linear.LogisticRegression().fit(SCORE[:, None], Y)
    options = {"scenario": "single_training_set", "prior": 0.35}
    roc = RocCurveDisplay.from_estimator(model, SCORE[:, None], Y, **options)
    plain = pm.roc_curve(TABLE, prior=0.35)  # the model keeps the order of the score
    np.testing.assert_allclose(roc.line_.get_ydata(), plain.y, atol=1e-12)
    reliability = CalibrationDisplay.from_estimator(model, SCORE[:, None], Y, **options, ax=roc.ax_)
    assert reliability.line_.get_xdata().max() <= 1


def test_estimators_that_give_no_score_are_refused():
    options = {"scenario": "single_training_set", "prior": 0.35}
    with pytest.raises(InputError, match="no decision_function or predict_proba"):
        RocCurveDisplay.from_estimator(object(), SCORE, Y, **options)
    with pytest.raises(InputError, match="pos_label=1 is not among the classes"):
        RocCurveDisplay.from_estimator(Model(), SCORE, Y, **options)


@each_display
def test_axes_are_honoured_and_no_figure_is_made(display):
    figure = mpl.figure.Figure()
    left, right = figure.subplots(1, 2)
    drawn = display.from_table(TABLE, **DISPLAYS[display], ax=right)
    assert drawn.ax_ is right
    assert drawn.figure_ is figure
    assert not left.lines
    assert plt.get_fignums() == []
    again = drawn.plot()
    assert again is drawn
    assert len(plt.get_fignums()) == 1
    assert drawn.figure_.get_layout_engine() is not None
    figure.canvas.draw()
    drawn.figure_.canvas.draw()


def test_legend_says_the_estimate_with_its_interval():
    display = RocCurveDisplay.from_table(TABLE, prior=0.35, name="forest", truth=TRUTH)
    auc, bounds = pm.roc_auc(TABLE, prior=0.35), pm.roc_auc_bounds(TABLE, prior=0.35)
    low, high = auc.interval
    assert labels_of(display) == [
        f"forest: AUC {auc.value:.3f} ({low:.3f} to {high:.3f})",
        f"forest, bounds: AUC {bounds.low:.3f} to {bounds.high:.3f}",
        f"forest, unlabeled treated as negative: AUC {display.naive.value:.3f}",
        f"forest, true labels: AUC {display.truth.value:.3f}",
    ]
    assert display.plot(legend=False, ax=display.ax_).legend_ is None


@pytest.mark.parametrize(
    ("scenario", "options", "sentence"),
    [
        ("single_training_set", {"prior": 0.35}, "35% of all rows are positive"),
        ("case_control", {"prior": 0.2}, "20% of the unlabeled rows are positive"),
        ("case_control", {"prior": 0.2, "purity": 0.9}, "90% of the labelled rows are truly"),
        ("case_control", {"prior": (0.1, 0.3)}, "about 20% of the unlabeled rows"),
    ],
)
@pytest.mark.parametrize("display", [RocCurveDisplay, PrecisionRecallDisplay, CalibrationDisplay])
def test_captions_say_what_is_assumed(display, scenario, options, sentence):
    drawn = display.from_predictions(Y, SCORE, scenario=scenario, **options)
    assert sentence in caption_of(drawn)
    assert drawn.plot(ax=drawn.ax_, caption=False).caption_ is None


def test_missing_bounds_are_explained_or_refused():
    noisy = RocCurveDisplay.from_table(TABLE, prior=0.35, purity=0.95)
    assert noisy.band_ is None
    assert "No band: bounds need labels without error" in caption_of(noisy)
    with pytest.raises(InputError, match="bounds=True"):
        RocCurveDisplay.from_table(TABLE, prior=0.35, purity=0.95, bounds=True)
    weights = {"scenario": "single_training_set", "sample_weight": np.full(Y.size, 1.5)}
    weighted = PrecisionRecallDisplay.from_predictions(
        Y, SCORE, prior=0.35, **weights, ax=noisy.ax_, truth=HIDDEN
    )
    assert "No band: A bound counts rows one by one" in caption_of(weighted)
    assert weighted.truth.prior == pytest.approx(HIDDEN.mean())
    with pytest.raises(UnsupportedError):
        PrecisionRecallDisplay.from_predictions(Y, SCORE, prior=0.35, **weights, bounds=True)
    assert RocCurveDisplay.from_table(TABLE, prior=0.35, bounds=False, ax=noisy.ax_).band_ is None


def test_full_labels_assume_nothing():
    display = RocCurveDisplay.from_table(TRUTH, prior=None)
    assert display.naive is None
    assert "All rows are labelled." in caption_of(display)


def test_two_models_share_axes():
    options = {"prior": 0.35, "naive": False}
    one = RocCurveDisplay.from_table(TABLE, **options, name="a")
    two = RocCurveDisplay.from_table(TABLE, **options, name="b", ax=one.ax_, linewidth=3)
    assert one.line_.get_color() != two.line_.get_color()
    assert one.line_.get_linestyle() != two.line_.get_linestyle()
    assert two.line_.get_linewidth() == 3
    assert len(labels_of(two)) == 4
    assert len(one.ax_.texts) == 1  # one caption, nothing said twice
    assert caption_of(two).count("Assumes") == 1
    three = RocCurveDisplay.from_table(TABLE, **options, color="red", ax=one.ax_)
    assert three.line_.get_color() == "red"
    assert one.chance_level_ is two.chance_level_


def test_captions_explain_only_what_is_drawn():
    display = RocCurveDisplay.from_table(
        TABLE, prior=0.35, plot_bounds=False, plot_naive=False, plot_chance_level=False
    )
    assert len(display.ax_.lines) == 1
    assert not display.ax_.patches
    assert "Shaded" not in caption_of(display)
    assert "dashes" not in caption_of(display)
    trace = PriorSensitivityDisplay.from_table(
        TABLE, priors=[0.3, 0.35], plot_bounds=False, ax=plt.figure(num=1).add_subplot()
    )
    assert "Dotted" not in caption_of(trace)


def test_matplotlib_is_loaded_when_something_is_drawn():
    code = (
        "import sys, puremetrics; assert 'puremetrics.plots' not in sys.modules\n"
        "import puremetrics.plots; print('matplotlib' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_missing_matplotlib_is_named(monkeypatch):
    display = RocCurveDisplay(estimate=pm.roc_auc(TABLE, prior=0.35))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match=r"puremetrics\[plots\]"):
        display.plot()


@each_display
def test_true_labels_without_scores_are_explained(display):
    with pytest.raises(InputError, match="truth is a table of the true labels here, not ndarray"):
        display.from_table(TABLE, **DISPLAYS[display], truth=np.asarray(HIDDEN))
