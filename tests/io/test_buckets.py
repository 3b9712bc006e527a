"""Buckets: what they hide, how they are split and joined."""

import numpy as np
import pytest

from puremetrics import average_precision, roc_auc
from puremetrics.io import score_keys as buckets
from puremetrics.io.score_keys import Cuts, Histogram, keys_of
from puremetrics.io.second_pass import CutCounts
from tests.io.counting import counted, first_state, in_memory, scanned


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
        assert buckets._greedy_ends(share, share, limit, 8).tolist() == starts
    assert buckets._greedy_ends(share, share, 1.0, 16).tolist() == [0, 2]  # mass at most 16/most
    one_kind = np.zeros(5)  # without positives there is no order to hide, only mass
    assert buckets._greedy_ends(one_kind, share, 0.0, 8).tolist() == [0]


def test_equal_rows_are_joined_into_equal_groups():
    same = np.ones(4000, dtype=np.int64)
    assert buckets.coarse_groups(same, same, 4).tolist() == [0, 1000, 2000, 3000]


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


def shape(number, rng):
    """Scores of a random model, in one of eight shapes; labels 0, 1, 2."""
    size = int(rng.integers(500, 12_000))
    codes = rng.choice(3, size, p=[0.3, 0.6, 0.1]).astype(np.int8)
    codes[:2] = 0, 1
    z = rng.normal(size=size) * rng.uniform(0.5, 4)
    z += 3 * rng.random() * (codes == 0) * (rng.random(size) < 0.8)
    probability = 1 / (1 + np.exp(-z))
    shapes = (
        lambda: z,
        lambda: probability,
        lambda: 1 / (1 + np.exp(-10 * z)),  # near 0 and 1
        lambda: np.round(z, 1),
        lambda: np.digitize(z, np.linspace(-3, 3, 299)).astype(float),  # a tree of 300 leaves
        lambda: np.where(rng.random(size) < 0.4, 0.3, probability),  # one heavy score
        lambda: 1 - np.exp(-np.exp(3 * z)),
        lambda: np.exp(20 * z),
    )
    return shapes[number % 8](), codes


@pytest.mark.slow
def test_brackets_contain_the_exact_value_for_200_shapes():
    rng = np.random.default_rng(1)
    widths = []
    for number in range(200):
        score, codes = shape(number, rng)
        scenario = ("case_control", "single_training_set")[number // 8 % 2]
        count = int(rng.choice([16, 64, 256, 1024]))
        exact = in_memory(score, codes, scenario)
        table = scanned(score, codes, scenario, max_labelled=3, buckets=count)
        purity = (1.0, 0.9)[number // 16 % 2]
        for method in ("direct", "indirect"):
            expected = roc_auc(exact, prior=0.4, purity=purity, method=method).value
            found = roc_auc(table, prior=0.4, purity=purity, method=method)
            low, high = found.bracket or (found.value, found.value)
            assert low - 1e-12 <= expected <= high + 1e-12
        widths.append((high - low) * count)
        expected = average_precision(exact, prior=0.4, purity=purity).value
        found = average_precision(table, prior=0.4, purity=purity)
        low, high = found.bracket or (found.value, found.value)
        assert low - 1e-12 <= expected <= high + 1e-12
        assert table.score.size <= count or table.hidden is None
    assert max(widths) <= 1.25 / (0.9 - 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_brackets_of_16384_buckets_are_narrow(number):
    rng = np.random.default_rng(number)
    parts = [shape(number, rng) for _ in range(60)]
    score, codes = (np.concatenate([part[i] for part in parts]) for i in range(2))
    table = scanned(score, codes, max_labelled=3)
    naive = table.unlabeled_as_negative()
    found = roc_auc(naive, prior=None)
    expected = roc_auc(in_memory(score, codes).unlabeled_as_negative(), prior=None).value
    low, high = found.bracket or (found.value, found.value)
    assert low - 1e-12 <= expected <= high + 1e-12
    assert high - low <= 1e-4


def test_a_heavy_score_among_many_is_counted_apart():
    rng = np.random.default_rng(0)
    score = np.where(rng.random(30_000) < 0.5, 0.3, rng.random(30_000))
    codes = rng.choice(2, 30_000).astype(np.int8)
    table = scanned(score, codes, max_labelled=3, buckets=100)
    heavy = np.flatnonzero(table.score == 0.3)
    assert heavy.size == 1
    assert table.highest[heavy[0]] == 0.3
    assert table.n_unl[heavy[0]] == np.count_nonzero(score[codes == 1] == 0.3)
    assert roc_auc(table, prior=0.2, method="direct").bracket.width <= 1.1 / 100 / 0.8


def test_scores_that_share_their_leading_bits_are_told_apart():
    rng = np.random.default_rng(0)
    score = 0.5 + 1e-9 * rng.random(20_000)
    codes = rng.choice(2, 20_000).astype(np.int8)
    table = scanned(score, codes, max_labelled=3, buckets=100)
    assert roc_auc(table, prior=0.2, method="direct").bracket.width <= 1.1 / 100 / 0.8
    assert (
        counted(score, codes, first_state(score, codes, 3).cuts(buckets=100)).refined() is not None
    )


def test_few_values_are_exact_even_in_buckets():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 300, 20_000) / 300
    codes = rng.choice(3, 20_000).astype(np.int8)
    table = scanned(score, codes, max_labelled=3)
    assert table.hidden is None
    assert roc_auc(table, prior=0.2).bracket is None
    assert table.cut().equals(in_memory(score, codes).cut())
