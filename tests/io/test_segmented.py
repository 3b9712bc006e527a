"""Counts of segments merge like plain ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.io.segmented import SegmentedCounts, SegmentedCuts, SegmentedScores
from tests.io.counting import grouped, in_memory, rows


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
