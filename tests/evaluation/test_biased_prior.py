"""What label bias does to an estimated prior."""

import numpy as np

import puremetrics as pm


def test_a_bias_does_not_cut_the_prior_of_weighted_rows():
    rng = np.random.default_rng(2)
    y = np.r_[np.ones(80, int), np.zeros(800, int)]
    score = rng.normal(size=880) + 2 * y
    table = pm.ScoreTable.from_arrays(
        y, score, scenario="case_control", sample_weight=rng.uniform(0.5, 2, 880)
    )
    random, biased = (pm.evaluate(table, label_bias=g).prior for g in (1, 1.01))
    assert biased.low <= random.low
    assert biased.high >= random.high
