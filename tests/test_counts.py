"""Mergeable counts: equal bytes however rows are grouped, and tables with the bits of those in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puremetrics import ScoreTable, average_precision, roc_auc
from puremetrics.brackets import extreme_orders
from puremetrics.exceptions import InputError
from puremetrics.io.cuts import CutCounts, Cuts
from puremetrics.io.keys import Histogram, keys_of, scores_of
from puremetrics.io.labelled import LabelledScores
from puremetrics.io.packing import pack, unpack
from puremetrics.io.segmented import SegmentedCounts, SegmentedCuts, SegmentedScores
from tests.oracles import buckets as oracle

SCORES = st.one_of(
    st.integers(0, 4).map(lambda i: i / 4),
    st.floats(0, 1),
    st.floats(-1e300, 1e300, allow_nan=False),
    st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 1.0, np.nextafter(1.0, 0)]),
)
PROBABILITIES = st.one_of(st.integers(0, 8).map(lambda i: i / 8), st.floats(0, 1))


@st.composite
def rows(draw, scores=SCORES, max_size=40):
    size = draw(st.integers(2, max_size))
    score = np.array(draw(st.lists(scores, min_size=size, max_size=size)))
    codes = draw(st.lists(st.sampled_from([0, 1, 1, 2]), min_size=size, max_size=size))
    codes[0], codes[1] = 0, 1
    return score, np.array(codes, dtype=np.int8)


def grouped(draw, size):
    """Cut points of the rows, and an order of the pieces."""
    places = sorted(draw(st.lists(st.integers(0, size), max_size=5)))
    pieces = list(zip([0, *places], [*places, size], strict=True))
    return draw(st.permutations(pieces))


def first_state(score, codes, max_labelled=10**6):
    state = LabelledScores(max_labelled)
    state.update(score, codes)
    return state


def counted(score, codes, cuts):
    state = CutCounts(cuts)
    state.update(score, codes)
    return state


def scanned(score, codes, scenario="case_control", max_labelled=10**6, buckets=16384, pieces=4096):
    cuts = first_state(score, codes, max_labelled).cuts(buckets=buckets, pieces=pieces)
    for _ in range(8):
        state = counted(score, codes, cuts)
        finer = state.refined()
        if finer is None:
            break
        cuts = finer
    return state.to_table(scenario)


def in_memory(score, codes, scenario="case_control"):
    return ScoreTable.from_groups(
        positive=score[codes == 0],
        unlabeled=score[codes == 1],
        negative=score[codes == 2],
        scenario=scenario,
    )


@given(st.data(), rows(), st.sampled_from([10**6, 3]))
def test_states_do_not_depend_on_order_or_grouping(data, drawn, max_labelled):
    score, codes = drawn
    whole = first_state(score, codes, max_labelled)
    merged = LabelledScores(max_labelled)
    for start, stop in grouped(data.draw, score.size):
        merged = first_state(score[start:stop], codes[start:stop], max_labelled).merge(merged)
    assert merged.to_bytes() == whole.to_bytes()
    cuts = whole.cuts(pieces=7, buckets=4)
    assert merged.cuts(pieces=7, buckets=4).to_bytes() == cuts.to_bytes()
    second = CutCounts(cuts)
    for start, stop in grouped(data.draw, score.size):
        second = counted(score[start:stop], codes[start:stop], cuts).merge(second)
    assert second.to_bytes() == counted(score, codes, cuts).to_bytes()


@pytest.mark.parametrize("max_labelled", [10**6, 3])
def test_many_rows_in_any_grouping_give_the_same_bytes(max_labelled):
    rng = np.random.default_rng(0)
    score, codes = rng.random(20_000), rng.choice(3, 20_000, p=[0.01, 0.98, 0.01]).astype(np.int8)
    cuts = first_state(score, codes, max_labelled).cuts(pieces=50, buckets=20)
    assert cuts.score.size < 4 * 2000  # each piece has the cuts looked up in its rows
    whole = counted(score, codes, cuts)
    for pieces in (2, 3, 10):
        parts = [counted(score[i::pieces], codes[i::pieces], cuts) for i in rng.permutation(pieces)]
        merged = parts[0]
        for part in parts[1:]:
            merged = part.merge(merged)
        one = CutCounts(cuts)
        for i in range(pieces):
            one.update(score[i::pieces], codes[i::pieces])
        assert merged.to_bytes() == one.to_bytes() == whole.to_bytes()


@given(rows(), st.sampled_from([10**6, 2]))
def test_bytes_give_the_state_back(drawn, max_labelled):
    score, codes = drawn
    state = first_state(score, codes, max_labelled)
    assert LabelledScores.from_bytes(state.to_bytes()).to_bytes() == state.to_bytes()
    cuts = state.cuts(pieces=5, buckets=4)
    again = Cuts.from_bytes(cuts.to_bytes())
    assert again.to_bytes() == cuts.to_bytes()
    second = counted(score, codes, cuts)
    assert CutCounts.from_bytes(second.to_bytes(), again).to_bytes() == second.to_bytes()


@given(rows(), st.sampled_from(["case_control", "single_training_set"]), st.sampled_from([3, 4096]))
def test_cut_tables_have_the_bits_of_those_in_memory(drawn, scenario, pieces):
    score, codes = drawn
    table = scanned(score, codes, scenario, pieces=pieces)
    expected = in_memory(score, codes, scenario)
    assert table.cut().equals(expected.cut())
    assert table.totals == expected.totals
    assert not np.any(np.signbit(table.score) & (table.score == 0))


@given(rows(PROBABILITIES))
def test_sums_and_ends_of_runs(drawn):
    score, codes = drawn
    table = scanned(score, codes, pieces=3)
    for group, total in enumerate(table.score_sums()):
        assert total.sum() == pytest.approx(score[codes == group].sum(), abs=1e-11)
    for low, high, centre, size in zip(
        table.score,
        table.highest,
        table.centre,
        table.n_pos + table.n_unl + table.n_neg,
        strict=True,
    ):
        inside = score[(score >= low) & (score <= high)]
        assert inside.size == size
        assert inside.min() == low
        assert inside.max() == high
        assert centre == pytest.approx(inside.mean(), abs=1e-12)


def test_more_rows_than_cuts_and_more_cuts_than_rows_count_alike():
    rng = np.random.default_rng(0)
    score = rng.integers(0, 50, 400) / 50
    codes = rng.integers(0, 3, 400).astype(np.int8)
    state = first_state(score, codes)
    cuts = state.cuts()
    one = CutCounts(cuts)
    for i in range(score.size):
        one.update(score[i : i + 1])
    assert cuts.score.size > 4
    assert one.to_bytes() == counted(score, None, cuts).to_bytes()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_keys_order_like_scores(values):
    score = np.array(values) + 0.0
    keys = keys_of(score)
    assert np.array_equal(np.argsort(keys, kind="stable"), np.argsort(score, kind="stable"))
    assert np.array_equal(scores_of(keys), score)


def test_edges_cut_equal_masses():
    rng = np.random.default_rng(0)
    for score in (
        rng.random(20_000),
        rng.normal(size=20_000),
        np.exp(10 * rng.normal(size=20_000)),
    ):
        histogram = Histogram.of(score, np.empty(0), np.empty(0))
        edges = histogram.equal_mass_edges(50)
        inside = np.diff(np.searchsorted(np.sort(score), edges), prepend=0, append=score.size)
        assert inside.max() < 2.5 * score.size / 50


# ------------------------------------------------------------------------------------- errors


def test_damaged_bytes_are_refused():
    data = first_state(np.array([0.5, 0.2]), np.array([0, 1], dtype=np.int8)).to_bytes()
    broken = bytearray(data)
    broken[len(data) // 2] ^= 1
    with pytest.raises(InputError, match="damaged"):
        LabelledScores.from_bytes(bytes(broken))
    with pytest.raises(InputError, match="damaged"):
        LabelledScores.from_bytes(data[:-5])
    with pytest.raises(InputError, match="no saved counts"):
        LabelledScores.from_bytes(b"anything at all, but not counts")
    with pytest.raises(InputError, match="hold labelled scores, not cuts"):
        Cuts.from_bytes(data)
    newer = bytearray(pack("cuts", {}, {}))
    newer[4] = 9
    with pytest.raises(InputError, match="format 9"):
        unpack(bytes(newer), "cuts")


def test_counts_that_do_not_belong_together_are_refused():
    score, codes = np.array([0.5, 0.2, 0.1]), np.array([0, 1, 1], dtype=np.int8)
    cuts = first_state(score, codes).cuts()
    other = first_state(score[:2], codes[:2]).cuts()
    with pytest.raises(InputError, match="different cuts"):
        CutCounts(cuts).absorb(CutCounts(other))
    with pytest.raises(InputError, match="other cuts"):
        CutCounts.from_bytes(CutCounts(other).to_bytes(), cuts)
    with pytest.raises(InputError, match="different settings"):
        LabelledScores(5).merge(LabelledScores(6))
    with pytest.raises(InputError, match=r"first pass saw 3"):
        counted(score[:2], None, cuts).to_table("case_control")
    changed = score.copy()
    changed[0] = 0.15
    with pytest.raises(InputError, match="changed"):
        counted(changed, None, cuts).to_table("case_control")
    with pytest.raises(InputError, match="NaN"):
        first_state(np.array([np.nan, 1.0]), codes[:2])
    with pytest.raises(InputError, match="pass codes"):
        CutCounts(first_state(score, codes, 0).cuts()).update(score)


# ------------------------------------------------------------------------------------- buckets


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
    assert "exactly, it lies between" in str(found)
    assert found.bracket.kind == "resolution"
    assert found.to_dict()["bracket"]["level"] == 1.0
    assert bare.bracket is None
    assert found.value == bare.value
    assert found.interval.low < bare.interval.low
    assert found.interval.high > bare.interval.high
    codes = [d.code for d in roc_auc(table, prior=0.1, method="projected").diagnostics]
    assert "PM606" in codes


# ------------------------------------------------------------------------------------- segments


@given(st.data(), rows())
def test_segmented_states_merge_like_plain_ones(data, drawn):
    score, codes = drawn
    keys = ["a", "b", None]
    segment = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=score.size, max_size=score.size))
    )
    whole = SegmentedScores()
    whole.update(score, codes, segment, keys)
    merged = SegmentedScores()
    for start, stop in grouped(data.draw, score.size):
        part = SegmentedScores()
        part.update(score[start:stop], codes[start:stop], segment[start:stop], keys)
        merged = part.merge(merged)
    assert merged.to_bytes() == whole.to_bytes()
    assert SegmentedScores.from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()
    cuts = whole.cuts(pieces=5)
    cuts = SegmentedCuts.from_bytes(cuts.to_bytes())
    counts = SegmentedCounts(cuts)
    for start, stop in grouped(data.draw, score.size):
        part = SegmentedCounts(cuts)
        part.update(score[start:stop], None, segment[start:stop], keys)
        counts = part.merge(counts)
    again = SegmentedCounts.from_bytes(counts.to_bytes(), cuts)
    assert again.to_bytes() == counts.to_bytes()
    for i, key in enumerate(keys):
        own = segment == i
        if not {0, 1} <= set(np.minimum(codes[own], 1)):
            continue
        table = again.to_segments("k", "case_control")[key]
        assert table.cut().equals(in_memory(score[own], codes[own]).cut())
