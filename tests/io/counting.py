"""Rows of any scores, counted in one pass or in several."""

import numpy as np
from hypothesis import strategies as st

from puremetrics import ScoreTable
from puremetrics.io.first_pass import LabelledScores
from puremetrics.io.second_pass import CutCounts

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
