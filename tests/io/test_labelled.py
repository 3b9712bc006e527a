"""The first pass: labelled scores, and the cuts made of them."""

import numpy as np
import pytest

from puremetrics.exceptions import InputError
from puremetrics.io.first_pass import LabelledScores


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
