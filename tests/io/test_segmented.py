"""Counts of segments merge like plain ones."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.exceptions import InputError
from puremetrics.io import segment_passes as segment_counts
from puremetrics.io.packing import pack_segments
from puremetrics.io.segment_passes import SegmentedCounts, SegmentedCuts, SegmentedScores
from tests.io.counting import grouped, in_memory, rows


@pytest.mark.parametrize("many", [0, 10**9], ids=["by segment", "by row"])
@given(data=st.data(), drawn=rows())
def test_segmented_states_merge_like_plain_ones(many, data, drawn):
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
        with mock.patch.object(segment_counts, "_MANY_ROWS", many):
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


def counted(score, codes, segment, keys):
    """Both passes over rows."""
    state = SegmentedScores()
    state.update(score, codes, segment, keys)
    return second_pass(state, score, segment, keys)


def second_pass(state, score, segment, keys):
    """The counts, which must fit the first pass."""
    counts = SegmentedCounts(state.cuts())
    counts.update(score, None, segment, keys)
    counts.to_segments("k", "case_control")
    return counts


def test_small_and_large_segments_are_counted_alike():
    rng = np.random.default_rng(3)
    score = np.round(rng.normal(size=20_000), 2)
    codes = rng.choice([0, 1, 2], size=20_000, p=[0.1, 0.8, 0.1]).astype(np.int8)
    segment = rng.integers(40, size=20_000)
    keys = [f"s{i}" for i in range(40)]
    found = []
    for many in (0, 10**9):
        with mock.patch.object(segment_counts, "_MANY_ROWS", many):
            found.append(counted(score, codes, segment, keys))
    assert found[0].to_bytes() == found[1].to_bytes()
    tables = found[0].to_segments("k", "case_control")
    for i, key in enumerate(keys):
        own = segment == i
        assert tables[key].cut().equals(in_memory(score[own], codes[own]).cut())


def test_a_source_that_changes_between_the_passes():
    score, codes = np.array([3.0, 2, 1, 0]), np.array([0, 1, 0, 1], dtype=np.int8)
    segment, keys = np.array([0, 0, 1, 1]), ["a", "b"]
    state = SegmentedScores()
    state.update(score, codes, segment, keys)
    for changed, where, words in (
        (score, np.array([0, 0, 1, 2]), "Segment 'c' was not there"),
        (score, np.array([0, 0, 0, 1]), "do not have as many rows"),
        (score + 0.5, segment, "do not have as many rows"),
    ):
        with pytest.raises(InputError, match=words):
            second_pass(state, changed, where, ["a", "b", "c"])


def test_states_that_somebody_made_up():
    state = SegmentedScores()
    state.update(
        np.array([3.0, 2, 1]), np.array([0, 1, 0], np.int8), np.array([0, 0, 1]), ["a", "b"]
    )
    total = state.total.to_bytes()
    cells = {"totals": np.array([[1, 1, 0]]), "number": np.array([5]), "score": np.array([3.0]),
             "counts": np.array([[1], [0]])}  # fmt: skip
    with pytest.raises(InputError, match="not what this package writes"):
        SegmentedScores.from_bytes(pack_segments("segmented scores", ["a"], total, cells))
    total = state.cuts().total.to_bytes()
    for ends in ([0, 7], [1, 1], [2, 1]):
        cuts = {"totals": np.array([[1, 1, 0]]), "ends": np.array(ends), "score": np.array([3.0]),
                "counts": np.array([[1], [0]])}  # fmt: skip
        with pytest.raises(InputError, match="not what this package writes"):
            SegmentedCuts.from_bytes(pack_segments("segmented cuts", ["a"], total, cuts))
