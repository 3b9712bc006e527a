"""The hull against Table 1 of Lim and Won, a brute-force majorant, and numerical likelihood solvers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError

from .oracles import jain, limwon
from .programs import load
from .strategies import groups, scenarios, settings_for


def table_1():
    pos = [row.score for row in limwon.TABLE_1 if row.label == 1]
    neg = [row.score for row in limwon.TABLE_1 if row.label == 0]
    return pm.ScoreTable.from_groups(
        positive=pos, unlabeled=None, negative=neg, scenario="case_control"
    )


def test_table_1_to_four_decimals_in_all_columns():
    ours = pm.hull_likelihood(table_1())
    columns = {
        "score": ours.score,
        "s_nd": ours.empirical_other,
        "s_d": ours.empirical_pos,
        "s_d_lcm": ours.conditional_pos,
        "posterior": ours.posterior,
        "odds": ours.odds,
        "f_nd_lloyd": ours.density_other,
        "f_d_lloyd": ours.density_pos,
        "s_nd_lloyd": ours.lloyd_other,
        "s_d_lloyd": ours.lloyd_pos,
    }
    for name, column in columns.items():
        expected = np.array([getattr(row, name) for row in limwon.TABLE_1])
        assert np.array_equal(np.isinf(column), np.isinf(expected))
        fine = np.isfinite(expected)
        assert np.abs(column[fine] - expected[fine]).max() <= 0.5e-4 + 1e-9, name


@given(groups(unlabeled=False, max_size=7))
def test_hull_is_the_least_concave_majorant(data):
    hull = pm.roc_hull(data.table("case_control"))
    points = [(float(x), float(y)) for x, y in limwon.empirical_roc(data.pos, data.neg)]
    for x, y in points:
        assert np.interp(x, hull.fpr, hull.tpr) >= y - 1e-12
        assert pm.hull._height(hull.fpr, hull.tpr, np.array([x]))[0] == pytest.approx(
            float(limwon.majorant_at(x, points)), abs=1e-12
        )
    assert np.all(np.diff(hull.slope[np.isfinite(hull.slope)]) <= 1e-9)
    assert (hull.fpr[0], hull.tpr[0], hull.fpr[-1], hull.tpr[-1]) == (0, 0, 1, 1)


@given(groups(unlabeled=False, max_size=5))
def test_both_estimates_maximise_their_likelihood(data):
    table = data.table("case_control")
    ours = pm.hull_likelihood(table)
    both = limwon.unconditional_npmle(data.pos, data.neg)
    pos = np.array([data.pos.count(s) for s in ours.score])
    neg = np.array([data.neg.count(s) for s in ours.score])
    value = likelihood(pos, ours.density_pos) + likelihood(neg, ours.density_other)
    assert value == pytest.approx(both.log_likelihood, abs=1e-5)
    assert ours.density_pos.sum() == pytest.approx(1, abs=1e-12)
    assert ours.density_other.sum() == pytest.approx(1, abs=1e-12)


def likelihood(counts, density):
    used = counts > 0
    return float(np.dot(counts[used], np.log(density[used])))


def test_the_conditional_estimate_maximises_its_likelihood():
    rng = np.random.default_rng(0)
    for _ in range(10):
        pos = sorted(map(float, rng.integers(0, 8, 6)))
        neg = sorted(map(float, rng.integers(0, 6, 5)))
        fit = limwon.conditional_npmle(pos, neg)
        table = pm.ScoreTable.from_groups(
            positive=pos, unlabeled=None, negative=neg, scenario="case_control"
        )
        hull = pm.roc_hull(table)
        # Cells of Eq. (14): positives between neighbouring negative scores, on the hull.
        cuts = sorted(set(neg))
        above = [sum(s > c for s in neg) / len(neg) for c in cuts]
        heights = pm.hull._height(hull.fpr, hull.tpr, np.array(above))
        mass = -np.diff(np.concatenate([[1.0], heights, [0.0]]))
        counts = [sum(s <= cuts[0] for s in pos)]
        counts += [sum(a < s <= b for s in pos) for a, b in pairwise(cuts)]
        counts.append(sum(s > cuts[-1] for s in pos))
        value = likelihood(np.array(counts), mass)
        assert value == pytest.approx(fit.log_likelihood, abs=1e-5)


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


@pytest.mark.slow
def test_variance_parts_are_the_true_ones():
    simulate = load("simulate_hull")
    result = simulate.compare(n_pos=50, n_other=200, repeats=150, n_resamples=150, seed=3)
    middle = slice(20, 81)
    for part in ("pos", "others"):
        ratio = result[f"bootstrap {part}"][middle].mean() / result[f"true {part}"][middle].mean()
        assert 0.75 < ratio < 1.35, part


def test_what_more_data_would_buy():
    rng = np.random.default_rng(2)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 100), unlabeled=rng.normal(0, 1, 5000), scenario="case_control"
    )
    variance = pm.hull_variance(table, prior=0.1, n_resamples=200, rng=0)
    assert variance.area_due_to_pos > 5 * variance.area_due_to_others
    assert variance.with_more(positives=4) < 0.6 * variance.with_more()
    assert variance.with_more(others=np.inf) > 0.9 * variance.with_more()
    assert np.array_equal(variance.total, variance.due_to_pos + variance.due_to_others)
    assert np.all((variance.low <= variance.tpr) & (variance.tpr <= variance.high))
    assert "unlimited other rows" in str(variance)
    with pytest.raises(InputError, match="positive number"):
        variance.with_more(positives=0)


def test_blocks_of_no_length_are_dropped():
    table = pm.ScoreTable.from_groups(
        positive=[0.0, 0.0, 0.0, 0.0, -1.0, 1.0, -1.0],
        unlabeled=[0.0, -1.0],
        scenario="case_control",
    )
    limited = pm.roc_hull(table, prior=0.63, purity=0.9, limit_slope=True)
    assert np.all(limited.posterior <= 1 + 1e-9)
    assert (limited.fpr[0], limited.tpr[-1]) == (0, 1)
