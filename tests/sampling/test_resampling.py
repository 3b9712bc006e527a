"""Resampled tables: which groups are drawn, and their moments."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.sampling.resampling import resampled_tables
from tests.sampling.cases import make


def test_groups_are_kept_or_drawn_as_asked():
    table = make().cut()
    for resampled in resampled_tables(table, ("pos",), 5, rng=1):
        assert resampled.total_pos == 60
        assert np.array_equal(resampled.n_unl, table.n_unl)
        assert not np.array_equal(resampled.n_pos, table.n_pos)
        assert np.array_equal(resampled.score, table.score)
    sizes = {t.total_pos for t in resampled_tables(make(scenario="single_training_set"),
                                                   ("pos", "unl"), 20, rng=1)}  # fmt: skip
    assert len(sizes) > 5  # one sample: the number of labelled rows is random
    totals = {t.total for t in resampled_tables(make(scenario="single_training_set"),
                                                ("pos", "unl"), 20, rng=1)}  # fmt: skip
    assert totals == {360}
    poisson = {t.total_unl for t in resampled_tables(table, ("unl",), 20, "poisson", rng=1)}
    assert len(poisson) > 5


def test_counts_have_the_moments_of_resampling():
    table = pm.ScoreTable.from_counts(
        [3, 2, 1], n_pos=[5, 3, 2], n_unl=[1, 10, 9], scenario="case_control"
    )
    for scheme, variance in (("multinomial", 5 * 0.5), ("poisson", 5)):
        draws = np.array(
            [t.n_pos for t in resampled_tables(table, ("pos",), 20_000, scheme, rng=0)]
        )
        assert draws.mean(axis=0) == pytest.approx([5, 3, 2], abs=0.06)
        assert draws[:, 0].var() == pytest.approx(variance, rel=0.05)
