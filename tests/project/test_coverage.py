"""Nominal 95% intervals hold the truth at least 93% of the time (the full table is in docs/)."""

import pytest

from tests.programs import load

Setting = load("simulate_coverage").Setting
REPEATS = 1200
# Three standard errors below 0.93 at this number of repeats: a failure is not bad luck.
FLOOR = 0.93 - 3 * (0.93 * 0.07 / REPEATS) ** 0.5

SETTINGS = [
    Setting("case_control", 0.76, 0.05, 30, 300),
    Setting("case_control", 0.98, 0.05, 30, 5000),
    Setting("case_control", 0.9, 0.2, 500, 500),
    Setting("case_control", 0.98, 0.5, 30, 300),
    Setting("case_control", 0.9, 0.2, 100, 1000, levels=10),
    Setting("case_control", 0.76, 0.5, 30, 300, levels=10),
    Setting("case_control", 0.9, 0.2, 100, 1000, purity=0.9),
    Setting("single_training_set", 0.9, 0.2, 30, 300),
    Setting("single_training_set", 0.98, 0.5, 100, 1000),
    Setting("single_training_set", 0.76, 0.2, 100, 1000, purity=0.9),
]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_intervals_cover(setting):
    for name, (share, _) in setting.coverage(REPEATS, seed=11).items():
        assert share >= FLOOR, f"{name} covers only {share:.3f}"
