"""The chance of as many hits against Fisher's tail."""

import pytest

from puremetrics import ScoreTable
from puremetrics import statistics as ranking
from tests.oracles import pulp as oracle


def test_significance_is_fishers_tail_and_does_not_underflow():
    table = ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=[4, 3, 1], negative=[0, 0], scenario="single_training_set"
    )
    found = ranking.pulp_significance(table, threshold=4)
    assert (found.predicted, found.hits, found.total, found.labelled) == (3, 2, 8, 3)
    assert found.p_value == pytest.approx(float(oracle.pulp_pvalue(8, 3, 3, 2)), abs=1e-15)
    assert found.value == pytest.approx(1 - found.p_value)
    assert found.expected == pytest.approx(9 / 8)
    nothing = ranking.pulp_significance(table, threshold=9)
    assert (nothing.p_value, nothing.log_p_value, nothing.hits) == (1.0, 0.0, 0)
    huge = ScoreTable.from_counts(
        [1, 0], n_pos=[5000, 0], n_unl=[5000, 990_000], scenario="case_control"
    )
    found = ranking.pulp_significance(huge, threshold=1)
    assert found.p_value == 0.0
    assert -1e5 < found.log_p_value < -1e4
    assert "10^" in str(found)
