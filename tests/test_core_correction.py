"""Areas, average precision, and their variances and limits, by hand."""

import math

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import confusion, correction, intervals
from puremetrics.intervals import LinearVariance
from puremetrics.io.cuts import CutCounts, Cuts

from .test_core_scenario import CC, SINGLE, tables


def test_placements_are_shares_above_and_below_with_ties_half():
    heads = confusion.heads_of(tables()[CC])  # positives 5 4 2, unlabeled 4 3 1 1
    below, above = correction.area_influence(heads, 0.5)
    # By score 5, 4, 3, 2, 1, 0.
    assert 0.5 * below == pytest.approx([1, 1 - 1 / 8, 1 - 3 / 8, 1 - 1 / 2, 1 - 3 / 4, 0])
    assert 0.5 * above == pytest.approx([1 / 6, 1 / 2, 2 / 3, 5 / 6, 1, 1])
    area, _ = correction._uncorrected_area(tables()[CC], heads, 1.0)
    assert area == pytest.approx((4 + 3.5 + 2) / 12)  # of twelve pairs, a tie is half a win


@pytest.mark.parametrize(("purity", "weight"), [(1.0, 0.25), (0.9, 1.0)])
def test_a_pseudo_row_of_one_half_is_added_to_each_sample(purity, weight):
    for name, size in ((CC, 4), (SINGLE, 9)):
        table = tables()[name]
        heads = confusion.heads_of(table)
        area, found = correction._uncorrected_area(table, heads, purity)
        plain = intervals.linear_variance(table, *correction.area_influence(heads))
        extra = weight * (0.5 - area) ** 2 * (1 / 3**2 + 1 / size**2)
        assert found.total == pytest.approx(plain.total + extra)


def test_direct_areas_invert_the_mixture():
    truth, prior, purity = 0.8, 0.2, 0.9
    mixed = 0.5 + (purity - prior) * (truth - 0.5)  # pairs of two of one class win half the time
    assert correction._direct_area(mixed, purity - prior) == pytest.approx(truth)
    assert correction._direct_area(0.5, 0.3) == pytest.approx(0.5)


def test_limits_without_variance_by_hand():
    table = tables()[CC]  # the smaller sample has 3 rows
    low, high = correction._without_variance(table, 1.0, 0.95)
    assert low == pytest.approx(0.025 ** (1 / 3))  # three of three are alike with a chance of 0.025
    assert high == 1.0
    assert correction._without_variance(table, 0.0, 0.95) == pytest.approx((0, 1 - low))
    none = LinearVariance(0.0, 1.0, 0.0, 0.0)
    assert correction._area_limits(table, 1.0, none, 0.95) == pytest.approx((low, 1.0))
    some = LinearVariance(0.01, 10.0, 0.004, 0.006)
    assert correction._area_limits(table, 1.0, some, 0.95) == pytest.approx((low, 1.0))
    inside = correction._area_limits(table, 0.7, some, 0.95)
    assert inside == pytest.approx(intervals.logit_limits(0.7, some, 0.95))


def test_limits_of_average_precision_by_hand():
    t = 2.228138851964939
    variance = LinearVariance(0.01, 10.0, 0.004, 0.006)
    assert correction._plain(0.4, variance, 0.95) == pytest.approx((0.4 - 0.1 * t, 0.4 + 0.1 * t))
    logit = intervals.logit_limits
    assert correction._logit_or_plain(0.4, variance, 0.95) == logit(0.4, variance, 0.95)
    for value in (0.0, 1.0):  # no logit there
        found = correction._logit_or_plain(value, variance, 0.95)
        assert found == pytest.approx((value - 0.1 * t, value + 0.1 * t))
    for value, outer in ((0.4, min), (0.5, min), (0.8, max)):
        low, high = correction._precision_limits(value, variance, 1.1, 0.95)
        start = value / 1.1  # the bias is taken off below only
        assert low == pytest.approx(max(logit(start, variance, 0.95)[0], start - 0.1 * t))
        assert high == pytest.approx(outer(logit(value, variance, 0.95)[1], value + 0.1 * t))


def test_curves_are_joined_to_both_corners():
    x, y, t = np.array([0.0, 0.5]), np.array([0.2, 0.9]), np.array([3.0, 2])
    joined = correction._join_corners(x, y, t)
    assert [part.tolist() for part in joined] == [
        [0, 0, 0.5, 1], [0, 0.2, 0.9, 1], [math.inf, 3, 2, 2]
    ]  # fmt: skip
    for whole in (([0.0, 1], [0.0, 1]), ([0.0, 0.3, 1], [0.0, 0.6, 1])):
        again = correction._join_corners(*map(np.array, whole), np.arange(float(len(whole[0]))))
        assert (again[0].tolist(), again[1].tolist()) == whole
    # A curve may miss a corner along one axis only.
    late = correction._join_corners(np.array([0.1, 1.0]), np.array([0, 0.8]), t)
    assert late[0].tolist() == [0, 0.1, 1, 1]
    assert late[1].tolist() == [0, 0, 0.8, 1]


def test_precision_of_rates_by_hand():
    found = correction._precision(np.array([0, 0, 0.5]), np.array([0, 0.5, 1]), 0.25)
    assert found == pytest.approx([1, 1, 0.25 / (0.25 + 0.375)])


@pytest.mark.parametrize("name", [CC, SINGLE])
def test_influence_on_average_precision_is_its_derivative(name):
    """Σ gain · precision changes by the influence of a row if a little weight is put on that row."""
    rng = np.random.default_rng(1)
    pos, unl = rng.normal(1, 1, 12), np.append(rng.normal(0.5, 1, 30), np.arange(4, 12))
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=name)
    heads = confusion.heads_of(table)
    prior, purity = 0.25, 0.95
    on_pos, on_cmp = correction.precision_influence(table, heads, prior, purity)

    def raw(pos, cmp):
        tpr, fpr = confusion.corrected_rates(pos, cmp, prior, purity)
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


@pytest.mark.parametrize("scores", [[9, 6, 3, 1], [0, -1, -2, -3]])
def test_two_biases_raise_the_average_precision_by_hand(scores):
    unl, prior = np.array([10, 8, 7, 6, 5, 4, 2, 0]), 0.2
    table = pm.ScoreTable.from_groups(positive=scores, unlabeled=unl, scenario=CC)
    ranked = table.cut()
    _, found = correction._precision_variance(ranked, confusion.heads_of(ranked), prior, 1.0)
    total = deflated = 0.0
    for k, score in enumerate(sorted(scores, reverse=True), 1):
        reached = (unl >= score).mean()  # of the unlabeled, which are the population
        precision = prior * k / 4 / reached
        # A labelled row does not count itself, and E[1/Q] exceeds 1/Q by its relative variance.
        alone = prior * (k - 1) / 3 / reached
        excess = reached * (1 - reached) / 8 / reached**2
        total, deflated = total + precision / 4, deflated + alone / 4 / (1 + excess)
    assert found == pytest.approx(total / deflated)


def test_a_single_labelled_row_has_no_others():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=[4, 2, 1], scenario=CC)
    heads = confusion.heads_of(table)
    assert correction._precision_variance(table, heads, 0.3, 1.0)[1] == 1.0


def test_variance_of_heads_given_the_labelled_by_hand():
    both = tables()
    share = np.array([0, 1, 2, 2, 4, 4]) / 4  # of the unlabeled, by head
    assert correction._head_variance(both[CC]) == pytest.approx(share * (1 - share) / 4)
    # All but the labelled positives vary: 6 of the 9 rows.
    share = np.array([0, 1, 2, 2, 5, 6]) / 6
    expected = share * (1 - share) / 6 * (6 / 9) ** 2
    assert correction._head_variance(both[SINGLE]) == pytest.approx(expected)


def test_pieces_of_a_path_that_buckets_leave_open():
    table = pm.ScoreTable.from_counts(
        [3.0, 2.0, 1.0], n_pos=[1, 0, 2], n_unl=[2, 3, 1], scenario=CC, resolution=0.5
    )
    assert table.hidden.tolist() == [True, False, True]
    threshold = np.array([math.inf, 3, 2, 1])
    assert correction._open_pieces(table, threshold).tolist() == [True, False, True]
    # A row of which the path has two pieces is open as a whole.
    threshold = np.array([math.inf, 2, 2, 0.5])
    assert correction._open_pieces(table, threshold).tolist() == [True, True, False]


def test_standard_errors_are_stretched_by_the_correction():
    table = tables()[CC]
    for prior, purity in ((0.2, 1.0), (0.2, 0.9)):
        found = pm.roc_auc(table, prior=prior, purity=purity, method="direct")
        _, variance = correction._uncorrected_area(table, confusion.heads_of(table), purity)
        assert found.standard_error == pytest.approx(math.sqrt(variance.total) / (purity - prior))
        assert found.value == pytest.approx(
            correction._direct_area((4 + 3.5 + 2) / 12, purity - prior)
        )


def test_the_upper_end_of_a_bracket_by_hand():
    """A tie on top that the repair splits: its pieces count with the precision of their ends."""
    score = np.repeat([0.9, 0.9, 0.52, 0.58, 0.1, 0.1], [1, 3, 8, 2, 1, 15])
    codes = np.repeat(np.array([0, 1, 0, 1, 0, 1], dtype=np.int8), [1, 3, 8, 2, 1, 15])
    counts = CutCounts(Cuts(np.array([0.1, 0.4, 0.7, 0.9]), None, None, (10, 20, 0), False))
    counts.update(score, codes)
    table = counts.to_table(CC)
    assert table.hidden.tolist() == [False, True, False]

    def precision(x, y):
        return 0.1 * y / (0.1 * y + 0.9 * x)

    # Positives first: (0, 0), the tie at (0.14/0.9, 0.1), back to x = 0.06/0.9 at the height 0.9, ….
    x = 0.06 / 0.9
    y = 0.1 * x / (0.14 / 0.9)  # where the tie leaves sight
    high = y * precision(x, y) + (0.1 - y) * precision(x, 0.1)
    high += 0.8 * precision(x, 0.9) + 0.1 * 0.1
    found = pm.average_precision(table, prior=0.1)
    assert found.bracket.high == pytest.approx(high)
    assert found.bracket.low <= found.value <= found.bracket.high
