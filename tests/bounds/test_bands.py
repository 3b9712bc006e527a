"""Bands on the ranks of the latent positives."""

import numpy as np

import puremetrics as pm


def test_resampling_agrees_with_its_exact_limit():
    table = pm.ScoreTable.from_groups(
        positive=range(50), unlabeled=range(20), scenario="case_control"
    )
    exact = pm.rank_cdf_band(table, rank_limits="bootstrap")
    drawn = pm.rank_cdf_band(table, rank_limits="bootstrap", n_resamples=20_000, rng=1)
    assert np.abs(exact.lower - drawn.lower).max() <= 0.02 + 1e-12
    assert np.abs(exact.upper - drawn.upper).max() <= 0.02 + 1e-12
    assert np.mean(exact.lower == drawn.lower) > 0.9


def test_simultaneous_bands_are_wider():
    table = pm.ScoreTable.from_groups(
        positive=range(100), unlabeled=range(300), scenario="case_control"
    )
    point = pm.rank_cdf_band(table, prior=0.5, prior_of="rows")
    joint = pm.rank_cdf_band(table, prior=0.5, simultaneous=True, prior_of="rows")
    middle = slice(30, 70)
    assert np.all(joint.upper[middle] > point.upper[middle])
    assert joint.simultaneous
