"""The average precision: its variance, limits and bracket by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.correction.rates import corrected_rates
from puremetrics.io.score_keys import Cuts
from puremetrics.io.second_pass import CutCounts
from puremetrics.sampling.limits import LinearVariance, logit_limits, plain_limits
from puremetrics.setting import Setting, TwoSamples
from puremetrics.statistics import precision_area as precision
from tests.correction.cases import TOLERANCE
from tests.oracles import jain
from tests.small_tables import CC, SINGLE, tables
from tests.strategies import groups


@given(groups(negatives=False), st.floats(0.01, 0.2))
def test_average_precision_is_the_raw_sum_where_nothing_needs_repair(data, prior):
    data = data._replace(unl=data.unl + 3 * data.pos)  # every positive is tied with unlabeled rows
    raw = pm.roc_curve(data.table("case_control"), prior=prior, method="direct")
    assert np.all(np.diff(raw.x) >= 0)
    expected = jain.average_precision_steps(*data, scenario="case_control", prior=prior)
    for method in ("indirect", "projected"):
        estimate = pm.average_precision(data.table("case_control"), prior=prior, method=method)
        assert estimate.value == pytest.approx(float(expected), abs=TOLERANCE)


def test_limits_on_both_scales_by_hand():
    t = 2.228138851964939
    variance = LinearVariance(0.01, 10.0, 0.004, 0.006)
    assert plain_limits(0.4, variance, 0.95) == pytest.approx((0.4 - 0.1 * t, 0.4 + 0.1 * t))
    for side, sign in ((0, -1), (1, 1)):
        logit = logit_limits(0.4, variance, 0.95)[side]
        found = precision._both_scales(0.4, variance, 0.95, side)
        assert found == pytest.approx((logit, 0.4 + sign * 0.1 * t))
        for value in (0.0, 1.0):  # no logit there
            found = precision._both_scales(value, variance, 0.95, side)
            assert found == pytest.approx((value + sign * 0.1 * t,) * 2)


@pytest.mark.parametrize(
    ("value", "outer"), [(0.4, min), (0.5, min), (0.8, max)], ids=["low", "half", "high"]
)
def test_limits_without_holding_precision_by_hand(value, outer):
    table = pm.ScoreTable.from_groups(positive=[9, 6, 3, 1], unlabeled=range(8), scenario=CC)
    setting, variance = Setting.of(table, 0.2), LinearVariance(0.01, 10.0, 0.004, 0.006)
    start = value / precision._inflation(setting)  # the bias is taken off below only
    low, high = precision._unheld_limits(setting, value, variance)
    assert low == max(precision._both_scales(start, variance, 0.95, 0)) < value
    assert high == outer(precision._both_scales(value, variance, 0.95, 1)) > value


def test_many_positives_leave_little_of_the_limits_by_spacings():
    """With a thousand hidden positives the interval is that of the variance, with ten it is between both."""
    for rows, share in ((20_000, 0.02), (200, 0.3)):
        rng = np.random.default_rng(3)
        hidden = rng.random(rows) < 0.05
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(1.5, 1, 60), unlabeled=rng.normal(1.5 * hidden, 1), scenario=CC
        )
        found = pm.average_precision(table, prior=0.05)
        setting = Setting.of(table, 0.05)
        variance = precision.linear_variance(
            setting.samples, *precision.precision_influence(setting)
        )
        low, high = precision._linear_limits(setting, found.value, variance)
        least, most = precision.spacing_limits(setting)
        assert least <= found.low <= max(low, least)
        assert min(high, most) <= found.high <= most
        assert found.low == pytest.approx(max(low, least), abs=share * found.value)


@pytest.mark.parametrize("name", [CC, SINGLE])
def test_influence_on_average_precision_is_its_derivative(name):
    """Σ gain · precision changes by the influence of a row if a little weight is put on that row."""
    rng = np.random.default_rng(1)
    pos, unl = rng.normal(1, 1, 12), np.append(rng.normal(0.5, 1, 30), np.arange(4, 12))
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=name)
    heads = TwoSamples(table).heads
    prior, purity = 0.25, 0.95
    whole = Setting.of(table, prior, purity)
    setting = replace(whole, samples=whole.rows)  # every row, not those at the cuts
    on_pos, on_cmp = precision.precision_influence(setting)

    def raw(pos, cmp):
        tpr, fpr = corrected_rates(pos, cmp, prior, purity)
        assert np.all(fpr[1:] > 0)  # else precision would be held to 1
        found = prior * tpr[1:]
        return float(np.sum(np.diff(tpr) * np.maximum(found, 0) / (found + (1 - prior) * fpr[1:])))

    step = 1e-6
    for row in range(3, table.score.size, 4):
        bump = np.concatenate([[0.0], np.arange(table.score.size) >= row]) * step
        by_pos = (raw(heads.pos + bump, heads.cmp) - raw(heads.pos - bump, heads.cmp)) / (2 * step)
        by_cmp = (raw(heads.pos, heads.cmp + bump) - raw(heads.pos, heads.cmp - bump)) / (2 * step)
        assert on_pos[row] == pytest.approx(by_pos, abs=1e-5)
        assert on_cmp[row] == pytest.approx(by_cmp, abs=1e-5)


@pytest.mark.parametrize("scores", [[9, 6, 3, 1], [0, -1, -2, -3], [10, 9, 8.5, 1]])
def test_two_biases_raise_the_average_precision_by_hand(scores):
    unl, prior = np.array([10, 8, 7, 6, 5, 4, 2, 0]), 0.2
    table = pm.ScoreTable.from_groups(positive=scores, unlabeled=unl, scenario=CC)
    setting = Setting.of(table, prior)
    total = deflated = held = 0.0
    for k, score in enumerate(sorted(scores, reverse=True), 1):
        rows = (unl >= score).mean()  # of the unlabeled, which are the population
        reached = max(rows, prior * k / 4)  # a precision of 1 at most
        share = prior * k / 4 / reached
        # A labelled row does not count itself, and E[1/Q] exceeds 1/Q by its relative variance.
        alone = prior * (k - 1) / 3 / reached
        excess = rows * (1 - rows) / 8 / reached**2
        total, deflated = total + share / 4, deflated + alone / 4 / (1 + excess)
        held += 1 / 4 if share >= 1 else alone / 4 / (1 + excess)  # no bias where it is held to 1
    assert precision._inflation(setting) == pytest.approx(total / deflated)
    assert precision._inflation(setting, held=True) == pytest.approx(total / held)


def test_a_single_labelled_row_has_no_others():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=[4, 2, 1], scenario=CC)
    assert precision._inflation(Setting.of(table, 0.3)) == 1.0


def test_variance_of_heads_given_the_labelled_by_hand():
    both = tables()
    share = np.array([0, 1, 2, 2, 4, 4]) / 4  # of the unlabeled, by head
    assert precision._head_variance(TwoSamples(both[CC])) == pytest.approx(share * (1 - share) / 4)
    # All but the labelled positives vary: 6 of the 9 rows.
    share = np.array([0, 1, 2, 2, 5, 6]) / 6
    expected = share * (1 - share) / 6 * (6 / 9) ** 2
    assert precision._head_variance(TwoSamples(both[SINGLE])) == pytest.approx(expected)


def test_pieces_of_a_path_that_buckets_leave_open():
    table = pm.ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[1, 0, 2], n_unl=[2, 3, 1], scenario=CC, resolution=0.5
    )
    assert table.hidden.tolist() == [True, False, True]
    threshold = np.array([math.inf, 3, 2, 1])
    assert precision._open_pieces(table, threshold).tolist() == [True, False, True]
    # A row of which the path has two pieces is open as a whole.
    threshold = np.array([math.inf, 2, 2, 0.5])
    assert precision._open_pieces(table, threshold).tolist() == [True, True, False]


def test_the_upper_end_of_a_bracket_by_hand():
    """A tie on top that the repair splits: its pieces count with the precision of their ends."""
    score = np.repeat([0.9, 0.9, 0.52, 0.58, 0.1, 0.1], [1, 3, 8, 2, 1, 15])
    codes = np.repeat(np.array([0, 1, 0, 1, 0, 1], dtype=np.int8), [1, 3, 8, 2, 1, 15])
    counts = CutCounts(Cuts(np.array([0.1, 0.4, 0.7, 0.9]), None, None, (10, 20, 0), False))
    counts.update(score, codes)
    table = counts.to_table(CC)
    assert table.hidden.tolist() == [False, True, False]

    def at(x, y):
        return 0.1 * y / (0.1 * y + 0.9 * x)

    # Positives first: (0, 0), the tie at (0.14/0.9, 0.1), back to x = 0.06/0.9 at the height 0.9, ….
    x = 0.06 / 0.9
    y = 0.1 * x / (0.14 / 0.9)  # where the tie leaves sight
    high = y * at(x, y) + (0.1 - y) * at(x, 0.1)
    high += 0.8 * at(x, 0.9) + 0.1 * 0.1
    found = pm.average_precision(table, prior=0.1)
    assert found.bracket.high == pytest.approx(high)
    assert found.bracket.low <= found.value <= found.bracket.high
