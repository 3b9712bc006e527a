"""Pieces of the hull by hand: heights, limits, slopes that the prior allows."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import hull

from .test_core_scenario import CC, SINGLE, tables


def test_heights_of_a_concave_curve_by_hand():
    x, y = np.array([0, 0.0, 0.5, 1]), np.array([0, 0.4, 0.8, 1.0])
    at = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    assert hull._height(x, y, at) == pytest.approx([0.4, 0.6, 0.8, 0.9, 1.0])
    up = np.array([0, 1.0, 1.0]), np.array([0, 0.5, 1.0])  # vertical at its end
    assert hull._height(*up, np.array([0.5, 1.0])) == pytest.approx([0.25, 1.0])
    assert hull._above(np.array([0.5, 0.3, 0.2])) == pytest.approx([0, 0.5, 0.8])


def test_majorants_and_the_largest_prior_by_hand():
    table = tables()[CC]  # positives 5 4 2, unlabeled 4 3 1 1
    f, g, threshold = hull._majorant(table)
    assert f == pytest.approx([0, 0, 0.5, 1])  # the vertex (1/4, 2/3) lies on a straight line
    assert g == pytest.approx([0, 1 / 3, 1, 1])
    assert threshold.tolist() == [math.inf, 5, 2, 1]
    assert hull._reciprocal(table) == 0
    # Against all nine rows the steepest slope is that of the labelled rows themselves, 3.
    assert hull._reciprocal(tables()[SINGLE]) == pytest.approx(1 / 3)
    upside = pm.ScoreTable.from_groups(positive=[0, 0], unlabeled=[2, 1], scenario=CC)
    assert hull._reciprocal(upside) == 1
    labels = pm.ScoreTable.from_groups(positive=[3], unlabeled=None, negative=[1], scenario=CC)
    assert hull._reciprocal(labels) == 1


def test_slopes_beyond_what_the_prior_allows_are_cut():
    f, g = np.array([0, 0.1, 0.5, 1]), np.array([0, 0.6, 0.9, 1.0])
    threshold = np.array([math.inf, 3, 2, 1])
    # Slope 6 first; at most 1/0.25 is possible. The line of slope 4 meets the piece of slope 3/4
    # where 4 x = 0.6 + 0.75 (x - 0.1).
    x = 0.525 / 3.25
    cut = hull._between_slopes(f, g, threshold, 0.25, 1.0)
    assert cut[0] == pytest.approx([0, x, 0.5, 1])
    assert cut[1] == pytest.approx([0, 4 * x, 0.9, 1])
    assert cut[2].tolist() == [math.inf, 2, 2, 1]
    for share in (0.0, 0.1, 1 / 6):  # as steep as 6 is possible
        same = hull._between_slopes(f, g, threshold, share, 1.0)
        assert same[0] is f
    # Purity 0.7: the last piece has slope 0.2, but at least 0.3/0.75 = 0.4 is possible; seen from
    # (1, 1) the line of slope 0.4 meets the piece of slope 3/4 at 0.6 + 0.4 x = 0.525 + 0.75 x.
    cut = hull._between_slopes(f, g, threshold, 0.25, 0.7)
    steep = 2.8
    x1, x2 = 0.525 / (steep - 0.75), 0.075 / 0.35
    assert x2 < x1  # the lines meet before the curve does: one corner is left
    assert np.all(np.diff(cut[0]) >= 0)
    cut = hull._between_slopes(f, g, threshold, 0.1, 0.7)  # slopes from 1/3 to 7
    x2 = (1 - 1 / 3 - 0.525) / (0.75 - 1 / 3)
    assert cut[0] == pytest.approx([0, 0.1, x2, 1])
    assert cut[1] == pytest.approx([0, 0.6, 0.525 + 0.75 * x2, 1])


def test_limits_of_heights_by_hand():
    from statistics import NormalDist

    normal, z = NormalDist(), NormalDist().inv_cdf(0.975)
    n, height, error, lifted = 50, 0.7, 0.08, 0.03
    inside = (height * n + 2) / (n + 4)
    ends = []
    for sign, start in ((-1, inside - 2 * lifted), (1, inside)):
        place = normal.inv_cdf(start)
        ends.append(normal.cdf(place + sign * z * error / normal.pdf(place)))
    found = hull._height_limits(np.array([height]), np.array([error]), np.array([lifted]), n, 0.95)
    assert found[0][0] == pytest.approx(ends[0])
    assert found[1][0] == pytest.approx(max(ends[1], height + z * error))
    # Resamples that agree do not make the height certain: the error is at least that of n + 4 rows.
    alike = hull._height_limits(np.array([1.0]), np.zeros(1), np.zeros(1), n, 0.95)
    inside = (n + 2) / (n + 4)
    place = normal.inv_cdf(min(inside, 0.99))
    reach = z * math.sqrt(inside * (1 - inside) / (n + 4))
    assert alike[0][0] == pytest.approx(normal.cdf(place - reach / normal.pdf(place)))
    assert alike[1][0] == 1
    # The limits stay within the unit interval, and around the height.
    wide = hull._height_limits(np.array([0.0, 0.5, 1]), np.full(3, 9.0), np.full(3, 0.9), n, 0.95)
    assert np.all(wide[0] >= 0)
    assert np.all(wide[1] <= 1)
    assert np.all(wide[0] <= [0, 0.5, 1])


def test_standard_errors_with_more_rows_by_hand():
    one = np.zeros(1)
    spread = hull.HullVariance(one, one, one + 0.3, one + 0.2, one, one, 0.95, 0.8, 0.03, 0.06, {})
    assert spread.total.tolist() == [0.5]
    assert spread.with_more() == pytest.approx(0.3)
    assert spread.with_more(positives=3, others=2) == pytest.approx(0.2)
    assert spread.with_more(others=math.inf) == pytest.approx(math.sqrt(0.03))
    assert spread.with_more(positives=math.inf) == pytest.approx(math.sqrt(0.06))


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
        heights = hull._height(whole.fpr, whole.tpr, np.array([0.3, 0.6]))
        assert found.tpr == pytest.approx(np.clip(heights, 0, 1))
        for group, part in (("pos", found.due_to_pos), ("others", found.due_to_others)):
            values = found.replicates[group]
            assert values.shape == (3, 3)  # resamples; two heights and the area
            spread = ((values - values.mean(axis=0)) ** 2).sum(axis=0) / 2
            assert part == pytest.approx(spread[:2])
    assert pm.hull_variance(table, n_resamples=2, rng=0).fpr == pytest.approx(np.arange(101) / 100)


def test_likelihood_estimates_by_hand():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario=CC
    )
    found = pm.hull_likelihood(table)  # blocks {5, 4}, {3, 2}, {1, 0}
    assert found.odds.tolist() == [math.inf, math.inf, 1, 1, 0, 0]
    # With as many positives as others, a block of posterior π gives each row's mass to them as
    # π and 1 − π, over 3.
    assert found.density_pos == pytest.approx(np.array([1, 1, 0.5, 0.5, 0, 0]) / 3)
    assert found.density_other == pytest.approx(np.array([0, 0, 0.5, 0.5, 1, 1]) / 3)
    assert found.lloyd_pos == pytest.approx(np.array([0, 1, 2, 2.5, 3, 3]) / 3)
    assert found.lloyd_other == pytest.approx(np.array([0, 0, 0, 0.5, 1, 2]) / 3)
    assert found.empirical_pos == pytest.approx(np.array([0, 1, 2, 2, 3, 3]) / 3)
    assert found.empirical_other == pytest.approx(np.array([0, 0, 0, 1, 1, 2]) / 3)
    # The hull rises to 2/3 at once, and is 1 from 1/3 on.
    assert found.conditional_pos == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1, 1, 1])
