"""The largest prior that the ranks allow."""

import numpy as np
import pytest

import puremetrics as pm


@pytest.mark.slow
@pytest.mark.parametrize(("share", "shift"), [(0.02, 4), (0.1, 2), (0.3, 4), (0.6, 1.5)])
def test_the_largest_prior_holds(share, shift):
    rng = np.random.default_rng(2)
    misses, limits = 0, []
    for _ in range(300):
        latent = rng.random(2000) < share
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(shift, 1, 300),
            unlabeled=rng.normal(size=2000) + shift * latent,
            scenario="case_control",
        )
        limit = pm.largest_prior(table)
        misses += limit.prior < latent.mean()
        limits.append(limit.prior)
    assert misses / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
    if shift == 4:
        assert np.median(limits) < 1.25 * share + 0.02  # and it is worth having


def test_noisy_labels_lower_the_limit_in_proportion():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(3, 1, 300),
        unlabeled=np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    clean = pm.largest_prior(table).prior
    assert pm.largest_prior(table, purity=1.0).prior == clean
    assert pm.largest_prior(table, purity=0.8).prior == pytest.approx(0.8 * clean)
    assert pm.largest_prior(table, purity=(0.6, 0.8)).prior == pytest.approx(0.8 * clean)
