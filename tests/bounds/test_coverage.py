"""Bounds hold the truth as often as they say, in simulations."""

import pytest

from tests.programs import load

simulate = load("simulate_bounds")


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        simulate.Setting(1000, 50, 1000, 1.0),
        simulate.Setting(50, 500, 500, 1.0),
        simulate.Setting(200, 200, 200, 2.5),
        simulate.Setting(50, 500, 500, 1.0, ties=True),
    ],
    ids=str,
)
def test_bounds_cover_the_truth(setting):
    repeats = 400
    covered = setting.coverage(repeats, seed=3)
    slack = 3 * (0.94 * 0.06 / repeats) ** 0.5
    assert covered["rates, exact"] >= 0.94 - slack
    assert covered["AUC, exact"] >= 0.95
    if setting.latent < setting.labelled:  # the paper's band is not one for the latent positives
        assert covered["rates, bootstrap"] < 0.8
