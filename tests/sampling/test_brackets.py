"""What buckets hide, against every order of their rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics import ScoreTable, average_precision, roc_auc
from puremetrics.sampling import list_ranks as brackets
from puremetrics.sampling.list_ranks import extreme_orders
from tests.oracles import buckets as oracle


def bucketed():
    return pm.ScoreTable.from_counts(
        [2.0, 1.0], n_pos=[2, 1], n_unl=[1, 3], scenario="case_control", resolution=0.5
    )


def test_extreme_orders_hide_nothing_but_ties():
    for order in brackets.extreme_orders(bucketed()):
        assert order.hidden is None
        assert order.resolution == 0  # the order is what was assumed: nothing is left open
        assert order.is_cut  # but unlabeled rows of a bucket are a run of scores, not a tie
        assert order.totals == bucketed().totals


def test_brackets_widen_limits_by_hand():
    bracket = brackets.bracket_of(0.45, 0.58, 0.5)
    assert (bracket.low, bracket.high) == (0.45, 0.58)
    assert brackets.widen_limits((0.4, 0.6), 0.5, bracket) == pytest.approx((0.35, 0.68))
    assert brackets.widen_limits((0.4, 0.6), 0.5, None) == (0.4, 0.6)
    outside = brackets.bracket_of(0.6, 0.3, 0.5)  # the value reported is always inside
    assert (outside.low, outside.high) == (0.5, 0.5)


def test_precision_with_open_segments_by_hand():
    precision, recall = np.array([1, 0.5, 0.8]), np.array([0, 0.25, 1.0])
    closed, second = np.array([False, False]), np.array([False, True])
    for largest in (False, True):
        found = brackets.mixed_precision(precision, recall, closed, largest=largest)
        assert found == pytest.approx(0.25 * 0.5 + 0.75 * 0.8)
    for largest, end in ((False, 0.5), (True, 0.8)):
        found = brackets.mixed_precision(precision, recall, second, largest=largest)
        assert found == pytest.approx(0.25 * 0.5 + 0.75 * end)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3))
def test_brackets_are_the_extremes_over_all_orders(drawn):
    drawn = [(1, 1), *drawn]
    table = ScoreTable.from_counts(
        np.arange(len(drawn))[::-1],
        n_pos=[p for p, _ in drawn],
        n_unl=[0] * len(drawn),
        n_neg=[o for _, o in drawn],
        scenario="single_training_set",
        resolution=0.5,
    )
    rankings = list(oracle.orders([pair for pair in drawn if any(pair)]))
    areas = [oracle.area(ranking) for ranking in rankings]
    bracket = roc_auc(table, prior=None).bracket
    assert bracket.low == pytest.approx(min(areas), abs=1e-12)
    assert bracket.high == pytest.approx(max(areas), abs=1e-12)
    means = [oracle.average_precision(ranking) for ranking in rankings]
    bracket = average_precision(table, prior=None).bracket
    assert bracket.low <= min(means) + 1e-12
    assert bracket.high >= max(means) - 1e-12


def test_extreme_orders_keep_the_totals():
    table = ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[2, 0, 3], n_unl=[1, 4, 2], scenario="case_control", resolution=1.0
    )
    worst, best = extreme_orders(table)
    assert worst.totals == best.totals == table.totals
    assert roc_auc(worst, prior=0.1).value < roc_auc(table, prior=0.1).value
    assert roc_auc(best, prior=0.1).value > roc_auc(table, prior=0.1).value


def test_estimates_say_what_buckets_hide():
    table = ScoreTable.from_counts(
        [3.0, 2.0, 1.0],
        n_pos=[20, 5, 9],
        n_unl=[10, 40, 60],
        scenario="case_control",
        resolution=1.0,
    )
    plain = ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[20, 5, 9], n_unl=[10, 40, 60], scenario="case_control"
    )
    found, bare = roc_auc(table, prior=0.1), roc_auc(plain, prior=0.1)
    assert "the exact value lies between" in str(found)
    assert found.bracket.kind == "resolution"
    assert found.to_dict()["bracket"]["level"] == 1.0
    assert bare.bracket is None
    assert found.value == bare.value
    assert found.interval.low < bare.interval.low
    assert found.interval.high > bare.interval.high
    codes = [d.code for d in roc_auc(table, prior=0.1, method="projected").diagnostics]
    assert "PM606" in codes
