"""Displays draw exactly what the results hold, where they are asked to, and leave nothing behind."""

import subprocess
import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from puremetrics.calibration import calibration_error
from puremetrics.calibration.reliability import reliability_curve
from puremetrics.exceptions import InputError, MissingDependencyError, UnsupportedError
from puremetrics.plots import (
    CalibrationDisplay,
    HullDisplay,
    PrecisionRecallDisplay,
    PriorSensitivityDisplay,
    RocCurveDisplay,
)
from puremetrics.plots._curves import drawn_points
from tests.strategies import groups

DISPLAYS = {
    RocCurveDisplay: {"prior": 0.35},
    PrecisionRecallDisplay: {"prior": 0.35},
    CalibrationDisplay: {"prior": 0.35},
    PriorSensitivityDisplay: {"priors": [0.25, 0.3, 0.35]},
    HullDisplay: {"prior": 0.35, "rng": 0, "n_resamples": 20},
}
each_display = pytest.mark.parametrize("display", DISPLAYS, ids=lambda d: d.__name__)


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    assert plt.get_fignums() == []
    yield
    assert len(plt.get_fignums()) <= 1, "a display made more than one figure"
    plt.close("all")
    assert dict(mpl.rcParams) == before


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


# -------------------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize(
    ("kind", "area", "band"),
    [
        (RocCurveDisplay, pm.roc_auc, pm.roc_bounds),
        (PrecisionRecallDisplay, pm.average_precision, pm.pr_bounds),
    ],
)
def test_curves_are_those_of_the_results(kind, area, band):
    display = kind.from_table(TABLE, prior=(0.33, 0.37), truth=TRUTH, name="model")
    drawn = [
        (display.line_, area(TABLE, prior=(0.33, 0.37)).curve),
        (display.naive_line_, area(NAIVE, prior=None).curve),
        (display.truth_line_, area(TRUTH, prior=None).curve),
    ]
    for line, curve in drawn:
        assert_drawn(line, curve.x, curve.y)
    bounds = band(TABLE, prior=(0.33, 0.37))
    lower, upper = drawn_points(bounds.lower), drawn_points(bounds.upper)
    corners = display.band_.get_xy()  # with the first one again, where it is needed to close
    expected = np.array([np.concatenate([a, b[::-1]]) for a, b in zip(lower, upper, strict=True)]).T
    np.testing.assert_array_equal(corners[: len(expected)], expected)
    assert len(corners) - len(expected) in (0, 1)
    assert display.ax_.get_aspect() == 1.0
    assert display.ax_.get_xlim() == display.ax_.get_ylim() == pytest.approx((-0.012, 1.012))


def test_precision_goes_by_steps_with_the_area_of_the_estimate():
    display = PrecisionRecallDisplay.from_table(TABLE, prior=0.35)
    assert display.line_.get_drawstyle() == "steps-pre"
    drawn = display.line_.get_path().vertices  # of the data; steps are made when rendering
    area = np.sum(np.diff(drawn[:, 0]) * drawn[1:, 1])
    assert area == pytest.approx(display.estimate.value, abs=1e-12)
    assert_drawn(display.chance_level_, [0, 1], [0.35, 0.35])


@given(groups(max_size=30, negatives=False))
def test_hyperbolae_are_sampled_between_their_vertices(data):
    smallest = len(data.pos) / (len(data.pos) + len(data.unl))
    table = data.table("single_training_set")
    bounds = pm.pr_bounds(table, prior=smallest + 0.4 * (1 - smallest))
    for curve in (bounds.lower, bounds.upper):
        x, y = drawn_points(curve)
        assert np.all(np.isin(curve.x, x))
        assert np.all(np.isin(curve.y, y))
        assert np.all(np.diff(x) >= 0)
        assert x.size >= curve.x.size
        chords = np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2
        assert chords == pytest.approx(curve.area, abs=2e-3)


def test_calibration_draws_its_bins():
    display = CalibrationDisplay.from_table(TABLE, prior=0.35, n_bins=5, truth=TRUTH)
    curve = reliability_curve(TABLE, prior=0.35, n_bins=5)
    assert_drawn(display.line_, curve.score, curve.rate)
    bars = np.array(display.limits_.get_segments())
    np.testing.assert_array_equal(bars[:, 0], np.column_stack([curve.score, curve.low]))
    np.testing.assert_array_equal(bars[:, 1], np.column_stack([curve.score, curve.high]))
    naive, truth = (reliability_curve(t, prior=None, n_bins=5) for t in (NAIVE, TRUTH))
    assert_drawn(display.naive_line_, naive.score, naive.rate)
    assert_drawn(display.truth_line_, truth.score, truth.rate)
    error = calibration_error(TABLE, prior=0.35, n_bins=5)
    assert labels_of(display)[0] == (
        f"estimate: calibration error {error.error:.3f} "
        f"({error.interval.low:.3f} to {error.interval.high:.3f})"
    )


def test_isotonic_calibration_draws_steps():
    display = CalibrationDisplay.from_table(TABLE, prior=0.35, method="isotonic")
    curve = reliability_curve(TABLE, prior=0.35, method="isotonic")
    edges = np.column_stack([curve.lower, curve.upper]).ravel()
    assert_drawn(display.line_, edges, np.repeat(curve.rate, 2))
    assert "Band:" in caption_of(display)


@pytest.mark.parametrize("statistic", ["roc_auc", "average_precision"])
def test_prior_sensitivity_draws_its_frame(statistic):
    priors = [0.25, 0.3, 0.35]
    display = PriorSensitivityDisplay.from_table(
        TABLE, statistic=statistic, priors=priors, truth=TRUTH
    )
    frame = pm.prior_sensitivity(TABLE, statistic=statistic, priors=priors).frame()
    assert_drawn(display.line_, frame["prior"], frame["value"])
    for line, side in zip(display.bound_lines_, ("bound low", "bound high"), strict=True):
        assert_drawn(line, frame["prior"], frame[side])
    corners = {tuple(corner) for corner in display.band_.get_paths()[0].vertices}
    for side in ("low", "high"):
        assert set(zip(frame["prior"], frame[side], strict=True)) <= corners
    limit = pm.largest_prior(TABLE).prior
    assert display.largest_prior_.get_xdata() == [limit, limit]
    assert f"largest prior the data allow: {limit:.3f}" in labels_of(display)
    assert display.truth_point_.get_xdata()[0] == pytest.approx(HIDDEN.mean())
    assert display.ax_.get_xlim()[1] > limit


def test_hull_draws_vertices_and_limits():
    options = {"prior": 0.35, "rng": 0, "n_resamples": 20}
    display = HullDisplay.from_table(TABLE, **options, truth=TRUTH)
    hull = pm.roc_hull(TABLE, prior=0.35, limit_slope=True)
    spread = pm.hull_variance(TABLE, **options)
    assert_drawn(display.line_, hull.fpr, hull.tpr)
    corners = {tuple(corner) for corner in display.band_.get_paths()[0].vertices}
    for side in (spread.low, spread.high):
        assert set(zip(spread.fpr, side, strict=True)) <= corners
    curve = pm.roc_curve(TABLE, prior=0.35)
    assert_drawn(display.curve_line_, curve.x, curve.y)
    naive, truth = pm.roc_hull(TABLE), pm.roc_hull(TRUTH)
    assert_drawn(display.naive_line_, naive.fpr, naive.tpr)
    assert_drawn(display.truth_line_, truth.fpr, truth.tpr)
    assert f"Standard error of the area: {spread.with_more():.3f}" in caption_of(display)


def test_hull_without_a_prior_says_that_it_is_not_corrected():
    display = HullDisplay.from_table(TABLE, variance=False)
    assert display.naive_line_ is None
    assert display.band_ is None
    assert "not corrected" in caption_of(display)


# ------------------------------------------------------------------------- how displays are made


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


# ------------------------------------------------------------------------ legends and captions


def test_legend_says_the_estimate_with_its_interval():
    display = RocCurveDisplay.from_table(TABLE, prior=0.35, name="forest", truth=TRUTH)
    auc, bounds = pm.roc_auc(TABLE, prior=0.35), pm.roc_auc_bounds(TABLE, prior=0.35)
    low, high = auc.interval
    assert labels_of(display) == [
        f"forest: AUC {auc.value:.3f} ({low:.3f} to {high:.3f})",
        f"forest, bounds: AUC {bounds.low:.3f} to {bounds.high:.3f}",
        f"forest, unlabeled taken as negative: AUC {display.naive.value:.3f}",
        f"forest, true labels: AUC {display.truth.value:.3f}",
    ]
    assert display.plot(legend=False, ax=display.ax_).legend_ is None


@pytest.mark.parametrize(
    ("scenario", "options", "sentence"),
    [
        ("single_training_set", {"prior": 0.35}, "35 % of all rows are positive"),
        ("case_control", {"prior": 0.2}, "20 % of the unlabeled rows are positive"),
        ("case_control", {"prior": 0.2, "purity": 0.9}, "90 % of the labelled rows are truly"),
        ("case_control", {"prior": (0.1, 0.3)}, "about 20 % of the unlabeled rows"),
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
    assert "No band: Bounds and their bands count rows" in caption_of(weighted)
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


def test_values_outside_the_unit_square_stay_visible():
    display = RocCurveDisplay.from_table(TABLE, prior=0.4, method="direct")
    assert display.line_.get_xdata().min() < -0.012  # beyond the margin of the axes
    assert display.ax_.get_xlim()[0] < display.line_.get_xdata().min()
    assert "outside 0 to 1" in caption_of(display)


def test_values_far_outside_do_not_shrink_the_unit_square():
    table = pm.ScoreTable.from_groups(
        positive=[0.9, 0.9, 0.9, 0.2], unlabeled=[0.9, 0.3, 0.2, 0.1], scenario="case_control"
    )
    display = CalibrationDisplay.from_table(table, prior=0.8, binning="width", n_bins=4)
    assert display.line_.get_ydata().max() > 2  # drawn as it is
    assert display.ax_.get_ylim()[1] == pytest.approx(1.112)
    assert "some beyond the axes" in caption_of(display)


def test_true_curves_of_case_control_are_weighed_at_the_prior_of_the_unlabeled():
    display = PrecisionRecallDisplay.from_predictions(
        Y, SCORE, scenario="case_control", prior=0.25, truth=HIDDEN
    )
    assert display.truth.prior == pytest.approx(HIDDEN[Y == 0].mean())


def test_an_estimate_without_a_curve_is_refused():
    estimate = pm.metric(TABLE, "recall", threshold=0.5, prior=0.35)
    with pytest.raises(InputError, match="carries no curve"):
        RocCurveDisplay(estimate=estimate).plot()


# ------------------------------------------------------------------------------------- imports


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
