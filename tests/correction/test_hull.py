"""The hull against a brute-force majorant, and its pieces by hand."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.correction import hull as hulls
from puremetrics.correction.hull import _above
from puremetrics.exceptions import InputError
from puremetrics.setting import TwoSamples
from tests.oracles import jain, limwon
from tests.small_tables import CC, SINGLE, tables
from tests.strategies import groups, scenarios, settings_for


@given(groups(unlabeled=False, max_size=7))
def test_hull_is_the_least_concave_majorant(data):
    hull = pm.roc_hull(data.table("case_control"))
    points = [(float(x), float(y)) for x, y in limwon.empirical_roc(data.pos, data.neg)]
    for x, y in points:
        assert np.interp(x, hull.fpr, hull.tpr) >= y - 1e-12
        assert hulls.height(hull.fpr, hull.tpr, np.array([x]))[0] == pytest.approx(
            float(limwon.majorant_at(x, points)), abs=1e-12
        )
    assert np.all(np.diff(hull.slope[np.isfinite(hull.slope)]) <= 1e-9)
    assert (hull.fpr[0], hull.tpr[0], hull.fpr[-1], hull.tpr[-1]) == (0, 0, 1, 1)


@st.composite
def cases(draw):
    data = draw(groups())
    scenario = draw(scenarios)
    prior, purity = draw(settings_for(data, scenario))
    assume(purity - prior > 0.05)
    return data, scenario, prior, purity


@given(cases())
def test_hull_and_correction_commute(case):
    data, scenario, prior, purity = case
    hull = pm.roc_hull(data.table(scenario), prior=prior, purity=purity)
    raw = [
        (float(x), float(y))
        for x, y in jain.raw_path(*data, scenario=scenario, prior=prior, purity=purity)
    ]
    # The hull of the corrected path: maximise every direction over its points.
    for angle in np.linspace(0.01, np.pi / 2 - 0.01, 15):
        along = np.array([-np.cos(angle) * purity, np.sin(angle) * purity])
        best = max(along[0] * x + along[1] * y for x, y in raw)
        ours = max(along[0] * hull.fpr + along[1] * hull.tpr)
        assert ours == pytest.approx(best, abs=1e-8)


@given(cases())
def test_slope_limit_and_posteriors(case):
    data, scenario, prior, purity = case
    assume(prior > 0.02)
    table = data.table(scenario)
    hull = pm.roc_hull(table, prior=prior, purity=purity)
    limited = pm.roc_hull(table, prior=prior, purity=purity, limit_slope=True)
    assert limited.fpr.min() >= -1e-9
    assert np.all(np.diff(limited.fpr) >= -1e-9)
    assert limited.area <= hull.area + 1e-9
    assert np.all(limited.posterior <= 1 + 1e-6)
    # Posteriors average to the prior over the population.
    mass = prior * np.diff(limited.tpr) + (1 - prior) * np.diff(limited.fpr)
    assert np.dot(mass, limited.posterior) == pytest.approx(prior, abs=1e-6)
    if purity == 1.0 and not limited.limited:
        assert hull.largest_prior >= prior * (1 - 1e-9)


def test_first_slope_bounds_the_prior():
    rng = np.random.default_rng(1)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(4, 1, 2000),
        unlabeled=np.concatenate([rng.normal(4, 1, 3000), rng.normal(0, 1, 7000)]),
        scenario="case_control",
    )
    # The plug-in rests on the few rows of the first block; it must not exceed the confidence limit.
    assert 0.1 < pm.roc_hull(table).largest_prior < pm.largest_prior(table).prior < 0.36
    assert pm.roc_hull(table).posterior is None


@given(groups(unlabeled=False), st.sampled_from([0.2, 1.0, 5.0]), st.floats(0.1, 0.9))
def test_best_threshold_has_the_least_cost(data, cost, prior):
    table = data.table("case_control")
    hull = pm.roc_hull(table)
    chosen = hull.best_threshold(cost_fp=cost, cost_fn=1.0, prior=prior)

    def expected(threshold):
        missed = np.mean([s < threshold for s in data.pos])
        alarms = np.mean([s >= threshold for s in data.neg])
        return prior * missed + cost * (1 - prior) * alarms

    everywhere = [expected(t) for t in [np.inf, *data.pos, *data.neg]]
    assert expected(chosen) == pytest.approx(min(everywhere), abs=1e-9)


def test_bad_input_of_the_hull():
    hull = pm.roc_hull(
        pm.ScoreTable.from_groups(positive=[2], unlabeled=[1], scenario="case_control")
    )
    with pytest.raises(InputError, match="depends on the prior"):
        hull.best_threshold()
    with pytest.raises(InputError, match="cost_fn > 0"):
        hull.best_threshold(prior=0.5, cost_fn=0)


def test_blocks_of_no_length_are_dropped():
    table = pm.ScoreTable.from_groups(
        positive=[0.0, 0.0, 0.0, 0.0, -1.0, 1.0, -1.0],
        unlabeled=[0.0, -1.0],
        scenario="case_control",
    )
    limited = pm.roc_hull(table, prior=0.63, purity=0.9, limit_slope=True)
    assert np.all(limited.posterior <= 1 + 1e-9)
    assert (limited.fpr[0], limited.tpr[-1]) == (0, 1)


def test_heights_of_a_concave_curve_by_hand():
    x, y = np.array([0, 0.0, 0.5, 1]), np.array([0, 0.4, 0.8, 1.0])
    at = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    assert hulls.height(x, y, at) == pytest.approx([0.4, 0.6, 0.8, 0.9, 1.0])
    up = np.array([0, 1.0, 1.0]), np.array([0, 0.5, 1.0])  # vertical at its end
    assert hulls.height(*up, np.array([0.5, 1.0])) == pytest.approx([0.25, 1.0])
    assert _above(np.array([0.5, 0.3, 0.2])) == pytest.approx([0, 0.5, 0.8])


def test_majorants_and_the_largest_prior_by_hand():
    table = tables()[CC]  # positives 5 4 2, unlabeled 4 3 1 1
    f, g, threshold = hulls.majorant(TwoSamples(table))
    assert f == pytest.approx([0, 0, 0.5, 1])  # the vertex (1/4, 2/3) lies on a straight line
    assert g == pytest.approx([0, 1 / 3, 1, 1])
    assert threshold.tolist() == [math.inf, 5, 2, 1]
    assert pm.roc_hull(table).largest_prior == 0
    # Against all nine rows the steepest slope is that of the labelled rows themselves, 3.
    assert pm.roc_hull(tables()[SINGLE]).largest_prior == pytest.approx(1 / 3)
    upside = pm.ScoreTable.from_groups(positive=[0, 0], unlabeled=[2, 1], scenario=CC)
    assert pm.roc_hull(upside).largest_prior == 1
    labels = pm.ScoreTable.from_groups(positive=[3], unlabeled=None, negative=[1], scenario=CC)
    assert pm.roc_hull(labels).largest_prior == 1


def test_slopes_beyond_what_the_prior_allows_are_cut():
    f, g = np.array([0, 0.1, 0.5, 1]), np.array([0, 0.6, 0.9, 1.0])
    threshold = np.array([math.inf, 3, 2, 1])
    # Slope 6 first; at most 1/0.25 is possible. The line of slope 4 meets the piece of slope 3/4
    # where 4 x = 0.6 + 0.75 (x - 0.1).
    x = 0.525 / 3.25
    cut = hulls._between_slopes(f, g, threshold, 0.25, 1.0)
    assert cut[0] == pytest.approx([0, x, 0.5, 1])
    assert cut[1] == pytest.approx([0, 4 * x, 0.9, 1])
    np.testing.assert_array_equal(cut[2], [math.inf, math.nan, 2, 1])
    for share in (0.0, 0.1, 1 / 6):  # as steep as 6 is possible
        same = hulls._between_slopes(f, g, threshold, share, 1.0)
        assert same[0] is f
    # Purity 0.7: the last piece has slope 0.2, but at least 0.3/0.75 = 0.4 is possible; seen from
    # (1, 1) the line of slope 0.4 meets the piece of slope 3/4 at 0.6 + 0.4 x = 0.525 + 0.75 x.
    cut = hulls._between_slopes(f, g, threshold, 0.25, 0.7)
    steep = 2.8
    x1, x2 = 0.525 / (steep - 0.75), 0.075 / 0.35
    assert x2 < x1  # the lines meet before the curve does: one corner is left
    assert np.all(np.diff(cut[0]) >= 0)
    cut = hulls._between_slopes(f, g, threshold, 0.1, 0.7)  # slopes from 1/3 to 7
    x2 = (1 - 1 / 3 - 0.525) / (0.75 - 1 / 3)
    assert cut[0] == pytest.approx([0, 0.1, x2, 1])
    assert cut[1] == pytest.approx([0, 0.6, 0.525 + 0.75 * x2, 1])


def test_slopes_and_posteriors_by_hand():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario=CC
    )
    found = pm.roc_hull(table)
    assert found.slope.tolist() == pytest.approx([math.inf, 1, 0])
    assert found.posterior.tolist() == pytest.approx([1, 0.5, 0])
    assert found.area == pytest.approx(1 - 1 / 3 * 1 / 3 / 2)
    assert found.best_threshold(cost_fn=3) == 2  # slopes above 1/3
    assert found.best_threshold(cost_fp=3) == 4
    assert found.best_threshold(cost_fp=0) == 2


def test_a_vertex_of_the_cut_is_no_threshold():
    table = pm.ScoreTable.from_groups(
        positive=[9, 8, 7, 6, 2],
        unlabeled=[9.5, 7.5, 5, 4, 3, 2, 1, 0, 0, 0],
        scenario="case_control",
    )
    limited = pm.roc_hull(table, prior=0.5, limit_slope=True)
    assert limited.limited
    assert np.isnan(limited.threshold).sum() == 1
    assert limited.best_threshold(cost_fp=10, cost_fn=1) == np.inf  # predicting nothing costs 0.5
    for costs in ({"cost_fp": 10}, {"cost_fp": 1}, {"cost_fn": 5}):
        assert not np.isnan(limited.best_threshold(**costs))
