"""Displays draw exactly what the results hold."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from puremetrics.calibration import calibration_error
from puremetrics.calibration.reliability import reliability_curve
from puremetrics.exceptions import InputError
from puremetrics.plots import (
    CalibrationDisplay,
    DecisionCurveDisplay,
    DiscoveryDisplay,
    HullDisplay,
    LabelBiasDisplay,
    PrecisionRecallDisplay,
    PriorSensitivityDisplay,
    RocCurveDisplay,
)
from tests.plots.drawing import (
    HIDDEN,
    NAIVE,
    SCORE,
    TABLE,
    TRUTH,
    Y,
    assert_drawn,
    caption_of,
    labels_of,
)
from tests.strategies import groups

mpl.use("Agg")


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
        (display.naive_line_, area(TABLE.cut().unlabeled_as_negative(), prior=None).curve),
        (display.truth_line_, area(TRUTH, prior=None).curve),
    ]
    for line, curve in drawn:
        assert_drawn(line, curve.x, curve.y)
    # Vertices at labelled scores are enough: all rows have the same area.
    assert display.naive.value == pytest.approx(area(NAIVE, prior=None).value, abs=1e-12)
    bounds = band(TABLE, prior=(0.33, 0.37))
    lower, upper = bounds.lower.drawn(), bounds.upper.drawn()
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
        x, y = curve.drawn()
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


def test_sensitivity_is_drawn_at_a_purity():
    priors = [0.25, 0.3, 0.35]
    display = PriorSensitivityDisplay.from_table(TABLE, priors=priors, purity=0.95)
    frame = pm.prior_sensitivity(TABLE, priors=priors, purity=0.95).frame()
    assert_drawn(display.line_, frame["prior"], frame["value"])


def test_label_bias_says_what_it_assumes():
    found = LabelBiasDisplay.from_table(
        TABLE, prior=(0.3, 0.35), purity=0.95, ratios=[1, 2], above=0.999
    )
    told = found.caption_.get_text()
    assert "95% of the labelled" in told
    assert "between 0.3 and 0.35" in told
    assert found.tipping_point_ is None  # it does not hold at all, which the caption says
    assert "not above 0.999" in told
    with pytest.raises(InputError, match="ratios is empty"):
        LabelBiasDisplay.from_table(TABLE, prior=0.3, ratios=[])


def test_label_bias_of_an_evaluation():
    found = LabelBiasDisplay.from_evaluation(pm.evaluate(TABLE, prior=0.35))
    wanted = pm.label_bias_sensitivity(TABLE, prior=0.35)
    np.testing.assert_allclose(found.frame()["low"], wanted.low)


def test_discoveries_are_drawn_with_limits_and_truth():
    display = DiscoveryDisplay.from_table(TABLE, prior=0.35, truth=TRUTH, rows=100)
    curve = pm.discovery_curve(TABLE, prior=0.35, rows=100)
    shown = curve.rows <= 100
    assert_drawn(display.line_, curve.rows[shown], curve.finds[shown])
    rows, found = display.truth
    assert rows[-1] == TABLE.total_unl
    assert found[-1] == TRUTH.total_pos - TABLE.total_pos
    inside = rows <= 100
    assert_drawn(display.truth_line_, rows[inside], found[inside])
    assert "hidden positives are in the first" in caption_of(display)
    told = DiscoveryDisplay.from_evaluation(pm.evaluate(TABLE, prior=0.35), ax=display.ax_)
    assert told.curve == pm.discovery_curve(TABLE, prior=0.35, rows=100)


def test_decision_curves_are_drawn_with_both_simple_rules():
    display = DecisionCurveDisplay.from_table(TABLE, prior=0.35, truth=TRUTH)
    curve = pm.net_benefit(TABLE, prior=0.35)
    assert_drawn(display.line_, curve.threshold, curve.net_benefit)
    assert_drawn(display.treat_all_, curve.threshold, curve.treat_all)
    truth = pm.net_benefit(TRUTH, thresholds=curve.threshold)
    assert_drawn(display.truth_line_, curve.threshold, truth.net_benefit)
    scaled = DecisionCurveDisplay.from_table(TABLE, prior=0.35, standardised=True, ax=display.ax_)
    assert_drawn(scaled.line_, curve.threshold, curve.net_benefit / 0.35)
    told = DecisionCurveDisplay.from_evaluation(pm.evaluate(TABLE, prior=0.35), ax=display.ax_)
    assert_drawn(told.line_, curve.threshold, curve.net_benefit)
