"""Intervals are as long as they need be: coverage and λ95 in simulated samples with known truth."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

SAMPLES = 60


@pytest.fixture(scope="module")
def simulated():
    """Samples of every setting and scenario by what is known of the prior."""
    import simulate_sharpness

    def draw(kind):
        shots = {}
        for setting in simulate_sharpness.SETTINGS:
            for scenario in simulate_sharpness.SCENARIOS:
                _, found = simulate_sharpness.simulated((setting, scenario, kind, SAMPLES))
                for name, own in found.items():
                    shots.setdefault(name, []).extend(own)
        return shots

    return draw


@pytest.mark.parametrize(
    "kind", ["prior known", "audit of 200 rows", "range, truth at an end", "nothing"]
)
def test_no_interval_is_a_quarter_longer_than_needed(simulated, kind):
    from sharpness import sharpness

    for name, shots in simulated(kind).items():
        if name == "prior" and kind != "nothing":
            continue  # that of the rows at hand, and the truth is that of the population
        found = sharpness(shots)
        error = np.sqrt(0.95 * 0.05 / found.count)
        assert found.coverage >= 0.94 - 2 * error, f"{name}, {kind}: coverage {found.coverage:.3f}"
        assert found.lambda95 >= 0.78, f"{name}, {kind}: λ95 {found.lambda95:.2f}"
