"""Scores as whole numbers in the same order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.io.score_keys import Histogram, keys_of, scores_of


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
