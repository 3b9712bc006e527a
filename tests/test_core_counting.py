"""Buckets, their brackets, and the counts they are made of, by hand."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import brackets
from puremetrics.exceptions import InputError
from puremetrics.io import buckets
from puremetrics.io.cuts import CutCounts, Cuts
from puremetrics.io.keys import Histogram, keys_of
from puremetrics.io.labelled import LabelledScores


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
    assert brackets.widened((0.4, 0.6), 0.5, bracket) == pytest.approx((0.35, 0.68))
    assert brackets.widened((0.4, 0.6), 0.5, None) == (0.4, 0.6)
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


# ------------------------------------------------------------------------------ buckets


def test_shares_and_hidden_orders_by_hand():
    pos, others = np.array([1, 3, 0]), np.array([5, 0, 5])
    p, o = buckets.mixture(pos, others)
    assert (p.tolist(), o.tolist()) == ([0.25, 0.75, 0], [0.5, 0, 0.5])
    none = buckets.mixture(np.zeros(2, np.int64), np.array([1, 1]))
    assert none[0].tolist() == [0, 0]
    low, high = np.array([1.0, 2, 4]), np.array([1.5, 3, 4])
    both = np.array([2, 1, 1])
    assert buckets.hidden_order(both, both, low, high).tolist() == [0.25, 1 / 16, 0]


def test_equal_steps_lie_strictly_inside():
    def steps(first, last, pieces):
        return buckets._equal_steps(*(np.array(x) for x in (first, last, pieces))).tolist()

    assert steps([0, 100], [8, 106], [4, 3]) == [2, 4, 6, 102, 104]
    assert steps([10], [13], [99]) == [11, 12]  # no more pieces than there are keys
    assert steps([10, 20], [11, 20], [5, 5]) == []  # nothing lies between
    assert steps([0], [10], [1]) == []


def test_runs_that_hide_too_much_are_split_by_hand(monkeypatch):
    monkeypatch.setattr(buckets, "_BUDGET", 8)
    pos, others = np.array([8, 0]), np.array([8, 0])
    low, high = np.array([1.0, 2.0]), np.array([1.75, 2.0])
    # All of the mass in one run: half of the budget and two, so six pieces of equal width.
    cuts = buckets.split_runs(pos, others, low, high, 4)
    assert cuts.tolist() == [1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75]
    # A quarter and three quarters of the mass: 1 + 2 and 3 + 2 pieces.
    pos, low, high = np.array([1, 3]), np.array([1.0, 2.0]), np.array([1.75, 3.25])
    cuts = buckets.split_runs(pos, pos, low, high, 4)
    assert cuts.tolist() == [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25]
    # Together they may hide 1/4 of the mass of a bucket, and single scores hide nothing.
    assert buckets.split_runs(np.array([1, 9]), np.array([9, 1]), low, high, 1).size == 0
    assert buckets.split_runs(pos, pos, low, low, 4).size == 0


def test_runs_at_the_limits_are_not_split():
    low, high = np.array([1.0, 2.0]), np.array([1.5, 2.0])
    both = np.array([1, 3])  # the first run hides 1/16 of the area, the second is a single score
    assert buckets.split_runs(both, both, low, high, 4).size == 0  # 0.25/4 may be hidden
    assert buckets.split_runs(both, both, low, high, 5).size > 0
    low, high, both = np.array([1.0, 2, 3]), np.array([1.5, 2.5, 3.5]), np.array([2, 1, 1])
    cuts = buckets.split_runs(both, both, low, high, 2)  # too much, but only one run is heavy
    assert (cuts.min(), cuts.max()) == (1, 1.5)
    # Eight equal runs hide 1/8 together, too much for four buckets, but each is a bucket's half.
    ends, both = np.arange(8.0), np.ones(8, dtype=np.int64)
    assert buckets.split_runs(both, both, ends, ends + 0.5, 4).size == 0
    assert buckets.split_runs(both, both, ends, ends + 0.5, 5).size > 0


def test_edges_of_bins_hold_no_more_than_their_share():
    # Bins of equal counts, two of which reach a step of 1/(4 · buckets) together.
    bins = keys_of(np.array([1.0, 1.25, 1.5, 1.75])) >> 42
    counts = np.array([[1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
    one = buckets.fine_edges(Histogram(bins, counts), 1)
    assert one.tolist() == [1, 1.25, 1.5, 1.75]  # each holds 1/4: a step each
    two = buckets.fine_edges(Histogram(bins, counts), 2)  # each holds two steps of 1/8
    width = float(np.diff(np.array([1.25, 1.25 + 2.0**-10]))[0])
    for start in (1.0, 1.25, 1.5, 1.75):
        inside = two[(two >= start) & (two < start + 0.25)]
        assert inside[0] == start
        assert inside.size == 3  # its start, its middle, its end
        assert inside[1] - start == pytest.approx((inside[2] - start) / 2)
        assert inside[2] - start == pytest.approx(width)


@pytest.mark.parametrize(("most", "size"), [(5, 2000), (40, 2000), (200, 2000), (4000, 20_000)])
def test_groups_are_as_fine_as_their_number_allows(most, size):
    rng = np.random.default_rng(most)
    pos, others = rng.integers(0, 5, size), rng.integers(0, 5, size)
    starts = buckets.coarse_groups(pos, others, most)
    assert 0.9 * most <= starts.size <= most
    assert starts[0] == 0
    assert np.all(np.diff(starts) > 0)
    p, o = buckets.mixture(pos, others)
    mass = np.add.reduceat(p + o, starts)
    assert mass.max() <= 16 / most + (p + o).max()
    few = buckets.coarse_groups(pos[:most], others[:most], most)
    assert few.tolist() == list(range(most))


def test_groups_grow_until_they_would_hide_too_much_by_hand():
    share = np.array([0, 0.25, 0.5, 0.75, 1.0])
    for limit, starts in ((0.0, [0, 1, 2, 3]), (0.25, [0, 2]), (0.3, [0, 2]), (0.5625, [0, 3]),
                          (1.0, [0])):  # fmt: skip
        assert buckets._grown(share, share, limit, 8).tolist() == starts
    assert buckets._grown(share, share, 1.0, 16).tolist() == [0, 2]  # mass at most 16/most
    one_kind = np.zeros(5)  # without positives there is no order to hide, only mass
    assert buckets._grown(one_kind, share, 0.0, 8).tolist() == [0]


def test_equal_rows_are_joined_into_equal_groups():
    same = np.ones(4000, dtype=np.int64)
    assert buckets.coarse_groups(same, same, 4).tolist() == [0, 1000, 2000, 3000]


# ------------------------------------------------------------------------------ counts


def labelled_state(score, codes, **settings):
    state = LabelledScores(**settings)
    state.update(np.array(score), np.array(codes, dtype=np.int8))
    return state


def test_cuts_by_hand():
    state = labelled_state([0.9, 0.4, 0.9, 0.25, 1.0], [0, 1, 2, 2, 1], histogram=False)
    assert state.totals.tolist() == [1, 2, 2]
    assert (state.low, state.high, state.rows) == (0.25, 1.0, 5)
    cuts = state.cuts()
    assert cuts.score.tolist() == [0.25, 0.9]
    assert (cuts.n_pos.tolist(), cuts.n_neg.tolist()) == ([0, 1], [1, 1])
    assert cuts.exact
    assert not cuts.sums  # whether scores are probabilities is known with a histogram only
    for score, sums in (([0.0, 1.0], True), ([-0.1, 0.5], False), ([0.5, 1.1], False)):
        cuts = labelled_state(score, [0, 1]).cuts()
        assert cuts.sums is sums
        # Probabilities are cut at multiples of 1/2520, inside of the range of the scores.
        inside = np.isin(np.arange(1, 2520) / 2520, cuts.score).sum()
        assert (inside == 2519) == sums
        assert cuts.score.min() >= score[0]
        assert cuts.score.max() <= score[1]


def test_more_labelled_scores_than_the_limit_become_buckets():
    score, codes = [0.1, 0.2, 0.3, 0.2], [0, 0, 2, 0]
    assert not labelled_state(score, codes, max_labelled=3).too_many  # three distinct ones
    state = labelled_state(score, codes, max_labelled=2)
    assert state.too_many
    cuts = state.cuts()
    assert not cuts.exact
    assert (cuts.score.min(), cuts.score.max()) == (0.1, 0.3)
    with pytest.raises(InputError, match="more than 2 distinct"):
        labelled_state(score, codes, max_labelled=2, histogram=False).cuts()


@pytest.mark.parametrize("copies", [1, 30])  # fewer rows than cuts, and more
@pytest.mark.parametrize("exact", [True, False])
def test_counts_at_and_between_cuts_by_hand(copies, exact):
    score = np.repeat([0.0, 0.25, 0.25, 0.375, 0.5, 1.0], copies)
    codes = np.repeat(np.array([1, 0, 1, 1, 2, 1], dtype=np.int8), copies)
    at = np.array([0.25, 0.5] if copies > 1 else [0.25, 0.5, *np.arange(2.0, 40)])
    n_pos, n_neg = ((at == end) * copies for end in (0.25, 0.5))
    totals = (copies, 4 * copies, copies)
    known = (n_pos, n_neg) if exact else (None, None)
    state = CutCounts(Cuts(at, *known, totals, True))
    state.update(score, codes)
    assert state.rows == 6 * copies
    table = state.to_table("case_control")
    assert table.score.tolist() == [1, 0.5, 0.375, 0.25, 0]
    assert table.highest.tolist() == [1, 0.5, 0.375, 0.25, 0]
    assert table.n_pos.tolist() == [0, 0, 0, copies, 0]
    assert table.n_unl.tolist() == [copies, 0, copies, copies, copies]
    assert table.n_neg.tolist() == [0, copies, 0, 0, 0]
    sums = table.score_sums()
    assert sums[1].tolist() == [copies, 0, 0.375 * copies, 0.25 * copies, 0]


def test_sums_that_pass_half_of_the_range_of_integers_stay_exact():
    # A row of score 1 is 2⁴⁰; the lower halves carry into the upper ones when they are stored.
    cuts = Cuts(np.array([2.0]), np.array([0]), np.array([0]), (0, 50, 0), True)
    one, two = CutCounts(cuts), CutCounts(cuts)
    third = 1 / 3
    one.update(np.full(50, third))
    for _ in range(50):
        two.update(np.array([third]))
    assert one.to_bytes() == two.to_bytes()
    assert (
        one._run_sums()[0][0] == two._run_sums()[0][0] == pytest.approx(50 * third, abs=50 / 2**41)
    )


def test_sources_that_changed_between_the_passes_are_refused():
    cuts = Cuts(np.array([0.5]), np.array([2]), np.array([0]), (2, 1, 0), False)
    state = CutCounts(cuts)
    state.update(np.array([0.5, 0.1, 0.2]))  # as many rows, but fewer at the labelled score
    with pytest.raises(InputError, match="Fewer rows have a labelled score"):
        state.to_table("case_control")
    state.update(np.array([0.5]))
    with pytest.raises(InputError, match="4 rows were counted, but the first pass saw 3"):
        state.to_table("case_control")
    loose = CutCounts(Cuts(np.array([0.5]), None, None, (2, 1, 0), False))
    loose.update(np.array([0.5, 0.1, 0.2]), np.array([0, 1, 1]))  # a label has changed
    with pytest.raises(InputError, match="the source has changed"):
        loose.to_table("case_control")


@pytest.mark.parametrize("cuts", [[-1.0, 1.0], [-1.0, *range(1, 40)]])  # cuts looked up, or rows
def test_both_zeros_count_alike(cuts):
    stored = []
    for zero in (0.0, -0.0):
        size = len(cuts)
        none = np.zeros(size, np.int64)
        state = CutCounts(Cuts(np.array(cuts), none, none, (0, 2, 0), False))
        state.update(np.array([zero, zero]))
        stored.append(state.to_bytes())
    assert stored[0] == stored[1]


def test_buckets_do_not_depend_on_what_the_other_rows_are_called():
    rng = np.random.default_rng(2)
    score, codes = rng.random(3000), (rng.random(3000) > 0.3).astype(np.int8)
    tables = []
    for negatives in (0.0, 0.4):
        named = np.where((codes == 1) & (rng.random(3000) < negatives), 2, codes).astype(np.int8)
        totals = tuple(int((named == group).sum()) for group in range(3))
        cuts = Cuts(np.arange(0, 1, 1 / 64), None, None, totals, True, buckets=9)
        state = CutCounts(cuts)
        state.update(score, named)
        tables.append(state.to_table("case_control"))
        assert tables[-1].score.size <= 9
    assert tables[0].score.tolist() == tables[1].score.tolist()
    assert tables[0].n_pos.tolist() == tables[1].n_pos.tolist()
    assert tables[0].n_unl.tolist() == (tables[1].n_unl + tables[1].n_neg).tolist()
