"""Mergeable counts: equal bytes however rows are grouped, and tables with the bits of those in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.exceptions import InputError
from puremetrics.io.first_pass import LabelledScores
from puremetrics.io.score_keys import Cuts
from puremetrics.io.second_pass import CutCounts
from tests.io.counting import PROBABILITIES, counted, first_state, grouped, in_memory, rows, scanned


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
    with pytest.raises(InputError, match="the source changed"):
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
