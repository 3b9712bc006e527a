"""Risks when labels may be biased: what a known side leaves open."""

import numpy as np
import pytest

import puremetrics as pm


@pytest.mark.parametrize("loss", [pm.brier_score, pm.log_loss])
@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
def test_a_known_side_leaves_no_more_open_than_an_unknown_one(loss, scenario):
    rng, compared = np.random.default_rng(0), 0
    for _ in range(40):
        pos, unl = rng.integers(1, 12, 6), rng.integers(5, 60, 6)
        score = np.linspace(0.9, 0.1, 6)
        table = pm.ScoreTable.from_counts(score, n_pos=pos, n_unl=unl, scenario=scenario)
        known = {"prior": float(pos.sum() / (pos.sum() + unl.sum())) + 0.1, "label_bias": 3}
        plain = loss(table, **known)
        either = plain.bias_range
        if plain.value not in either:
            continue  # the labelled rows themselves do not fit among the unlabeled
        compared += 1
        for side in ("high", "low"):
            one = loss(table, **known, label_bias_side=side).bias_range
            assert one.low >= either.low - 1e-12
            assert one.high <= either.high + 1e-12
    assert compared >= 10
