"""Limits of the curve below the hull, and the interval of its area."""

import math
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.correction.hull import hull_setting
from puremetrics.statistics.hull_variance import _pointwise, curve_limits
from tests.programs import load
from tests.small_tables import CC, SINGLE

AT = np.array([0.0, 0.02, 0.3, 0.9, 1.0])

# ------------------------------------------------------------------ from the definition, on raw rows


def path_of(pos, other):
    """Shares of both groups at falling thresholds, and points between them."""
    scores = sorted({*pos, *other}, reverse=True)
    corners = [(0.0, 0.0)]
    for t in scores:
        corners.append(
            (sum(s >= t for s in pos) / len(pos), sum(s >= t for s in other) / len(other))
        )
    fine = []
    for (g0, o0), (g1, o1) in pairwise(corners):
        fine += [(g0 + k / 8 * (g1 - g0), o0 + k / 8 * (o1 - o0)) for k in range(8)]
    return [*fine, (1.0, 1.0)]


def far(seen, wanted, size, z):
    padded = size + z * z
    centre = (seen * size + z * z / 2) / padded
    found = (centre - wanted) ** 2 * padded / (centre * (1 - centre))
    if wanted < 0.9:
        return found, found
    ratio = seen * math.log(seen / wanted) if seen > 0 else 0.0
    if seen < 1:
        ratio = (
            math.inf if wanted >= 1 else ratio + (1 - seen) * math.log((1 - seen) / (1 - wanted))
        )
    return found, min(found, 2 * size * ratio)


def allowed(pos, other, x, prior, purity, together, steps=100):
    """Heights through which the curve can pass at x; ``together``: the labelled rows belong to F."""
    z = NormalDist().inv_cdf(0.975)
    path, n, m = path_of(pos, other), len(pos), len(other)
    share = n / (n + m) if together else 0.0
    heights = []
    for k in range(steps + 1):
        y = k / steps
        g, f = purity * y + (1 - purity) * x, prior * y + (1 - prior) * x
        o = min(max((f - share * g) / (1 - share), 0.0), 1.0)
        size = m
        if together:
            moved = (f - g) / (1 - share) ** 2
            noise = moved**2 * share * (1 - share) / (n + m)
            size = m / (1 + m * noise / max(o * (1 - o), 1 / m))
        best = min(far(a, g, n, z)[1] + far(b, o, size, z)[0] for a, b in path)
        if best <= z * z:
            heights.append(y)
    return min(heights), max(heights)


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("purity", [1.0, 0.9])
def test_limits_are_the_farthest_points_that_the_rows_allow(scenario, purity):
    rng = np.random.default_rng(5)
    for digits in (8, 0):  # without ties, and with many
        pos, unl = rng.normal(1.2, 1, 25).round(digits), rng.normal(0.2, 1, 60).round(digits)
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)
        x = np.array([0.1, 0.5])
        low, high = _pointwise(hull_setting(table, 0.35, purity), x)
        for i, rate in enumerate(x):
            expected = allowed(list(pos), list(unl), rate, 0.35, purity, scenario == SINGLE)
            assert low[i] == pytest.approx(expected[0], abs=0.02)
            assert high[i] == pytest.approx(expected[1], abs=0.02)


def test_full_labels_need_no_prior():
    """With all labels known the others are the negatives themselves, in both scenarios."""
    rng = np.random.default_rng(6)
    pos, neg = rng.normal(1, 1, 40), rng.normal(0, 1, 80)
    x = np.array([0.05, 0.6])
    found = [
        _pointwise(
            hull_setting(
                pm.ScoreTable.from_groups(
                    positive=pos, unlabeled=None, negative=neg, scenario=name
                ),
                None,
                None,
            ),
            x,
        )
        for name in (CC, SINGLE)
    ]
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-9)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-9)
    for i, rate in enumerate(x):
        expected = allowed(list(pos), list(neg), rate, 0.0, 1.0, False)
        assert found[0][0][i] == pytest.approx(expected[0], abs=0.02)
        assert found[0][1][i] == pytest.approx(expected[1], abs=0.02)


@given(
    pos=st.lists(st.integers(0, 8), min_size=1, max_size=12),
    unl=st.lists(st.integers(0, 8), min_size=2, max_size=30),
    prior=st.floats(0.3, 0.7),
    purity=st.sampled_from([1.0, 0.85]),
    scenario=st.sampled_from([CC, SINGLE]),
)
def test_limits_hold_the_hull_and_the_interval_the_area(pos, unl, prior, purity, scenario):
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)
    if scenario == SINGLE:
        prior = max(prior, len(pos) / (len(pos) + len(unl)))
    if purity - prior < 0.05:
        return
    found = pm.hull_variance(table, prior=prior, purity=purity, fpr=AT, n_resamples=3, rng=0)
    assert np.all((found.low >= 0) & (found.high <= 1))
    assert np.all((found.low <= found.tpr) & (found.tpr <= found.high))
    assert np.all(found.low[1:-1] < found.high[1:-1])
    assert found.interval.low <= found.corrected_area <= found.interval.high
    assert found.interval.low < found.interval.high
    # Ranks are all that counts.
    moved = pm.ScoreTable.from_groups(
        positive=np.exp(pos), unlabeled=np.exp(unl), scenario=scenario
    )
    again = pm.hull_variance(moved, prior=prior, purity=purity, fpr=AT, n_resamples=3, rng=0)
    assert np.array_equal(again.low, found.low)
    assert np.array_equal(again.high, found.high)


def test_a_range_of_priors_widens_the_limits():
    rng = np.random.default_rng(7)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 50), unlabeled=rng.normal(0.3, 1, 400), scenario=CC
    )
    kwargs = {"n_resamples": 20, "fpr": [0.1, 0.5], "rng": 0}
    middle = pm.hull_variance(table, prior=0.2, **kwargs)
    around = pm.hull_variance(table, prior=(0.1, 0.3), **kwargs)
    assert np.all(around.low <= middle.low)
    assert np.all(around.high >= middle.high)
    assert around.interval.kind == "combined"
    assert around.interval.width > middle.interval.width


def test_little_known_is_said():
    rng = np.random.default_rng(8)
    few = pm.ScoreTable.from_groups(
        positive=rng.normal(2, 1, 12), unlabeled=rng.normal(0.8, 1, 100), scenario=CC
    )
    found = pm.hull_variance(few, prior=0.4, n_resamples=5, rng=0)
    assert {"PM105", "PM111"} <= {remark.code for remark in found.diagnostics}
    assert "PM111" in str(found)
    many = pm.ScoreTable.from_groups(
        positive=rng.normal(2, 1, 2000), unlabeled=rng.normal(0, 1, 9000), scenario=CC
    )
    assert not pm.hull_variance(many, prior=0.01, n_resamples=5, rng=0).diagnostics


def test_many_rows_find_the_curve():
    rng = np.random.default_rng(9)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 100_000), unlabeled=rng.normal(0, 1, 100_000), scenario=CC
    )
    x = np.array([0.01, 0.05, 0.2, 0.5])
    normal = NormalDist()
    truth = np.array([normal.cdf(1 + normal.inv_cdf(rate)) for rate in x])
    low, high = curve_limits(hull_setting(table, 0.0, None), x)
    assert np.all((low < truth) & (truth < high))
    assert np.all(high - low < 0.02)


def test_upper_limits_hold_for_the_hull_of_a_curve_that_is_not_concave():
    """A tenth of the positives score below all others: the hull runs straight to (1, 1)."""
    rng = np.random.default_rng(11)
    pos = np.concatenate([rng.normal(4, 1, 900), np.full(100, -9.0) + rng.random(100)])
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=rng.normal(0, 1, 3000), scenario=CC)
    setting = hull_setting(table, 0.0, None)
    x = np.array([0.1, 0.5, 0.8])
    _, alone = _pointwise(setting, x)
    _, high = curve_limits(setting, x)
    assert alone[1:] == pytest.approx([0.918, 0.918], abs=0.01)
    corner, level = 0.02, 0.9
    hull = level + (1 - level) * (x - corner) / (1 - corner)
    assert np.all(high >= hull)
    found = pm.hull_variance(table, prior=0.0, fpr=x, n_resamples=50, rng=0)
    assert found.interval.low < 0.9 < 0.95 < found.interval.high  # the curve's area, and the hull's


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_the_area_less_its_bias_by_hand(scenario):
    rng = np.random.default_rng(12)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 40), unlabeled=rng.normal(0.2, 1, 300), scenario=scenario
    )
    found = pm.hull_variance(table, prior=0.2, n_resamples=40, rng=0)
    excess = sum(values[:, -1].mean() - found.area for values in found.replicates.values())
    assert excess > 0
    assert found.corrected_area == pytest.approx(found.area - 2 * excess)
    direct = pm.roc_auc(table, prior=0.2, method="direct").interval
    upper = found.corrected_area + NormalDist().inv_cdf(0.975) * found.with_more()
    assert tuple(found.interval) == pytest.approx((direct.low, max(direct.high, upper)))


@pytest.mark.slow
@pytest.mark.parametrize("auc", [0.76, 0.9])
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_limits_and_interval_cover_where_the_hull_is_biased(scenario, auc):
    """Where the area ± 1.96 standard errors held in 0.61 to 0.79 of samples, and the curve in 0.85."""
    worlds = load("worlds")
    world = worlds.World(scenario, auc, 0.3, 40, 400)
    normal, rng = NormalDist(), np.random.default_rng(10)
    x = np.array([0.01, 0.05, 0.1, 0.5])
    truth = np.array([normal.cdf(world.shift + normal.inv_cdf(rate)) for rate in x])
    repeats, points, areas, naive, bias = 200, np.zeros(x.size), 0, 0, []
    for _ in range(repeats):
        found = pm.hull_variance(world.table(rng), prior=0.3, fpr=x, n_resamples=30, rng=rng)
        points += (found.low <= truth) & (truth <= found.high)
        areas += world.area in found.interval
        naive += abs(found.area - world.area) <= 1.96 * found.with_more()
        bias.append((found.area - world.area, found.corrected_area - world.area))
    assert points.min() / repeats >= 0.92  # 0.95 less two standard errors
    assert areas / repeats >= 0.92
    assert naive / repeats < 0.9
    assert abs(np.mean(bias, axis=0)[1]) < 0.5 * np.mean(bias, axis=0)[0]
