"""The Lipschitz constant that bins suggest."""

import numpy as np
import pytest
from scipy.special import expit

from puremetrics import ScoreTable
from puremetrics.calibration import calibration_error
from tests.calibration.cases import synthetic_table


@pytest.mark.parametrize("beta", [(-0.5, 1.5), (-0.2, 1.9)])
def test_the_papers_models_are_steeper_than_one(beta):
    """The truth is σ(2·x) and the score σ(β0 + β1·x); their slopes reach 1.52 and 1.14."""
    x = np.linspace(-6, 6, 100_001)
    truth = np.max(np.gradient(expit(2 * x)) / np.gradient(expit(beta[0] + beta[1] * x)))
    table = synthetic_table(np.random.default_rng(0), 30_000, 200_000, beta)
    bound = calibration_error(table, prior=0.5).bias_bound
    assert bound.estimated
    assert bound.lipschitz == pytest.approx(truth, rel=0.05)
    assert "a guess from the data" in str(bound)
    given = calibration_error(table, prior=0.5, lipschitz=1.0).bias_bound
    assert not given.estimated
    assert "guess" not in str(given)
    assert given.expected < bound.expected


def test_a_calibrated_model_keeps_one_and_odd_tables_have_it_too():
    table = synthetic_table(np.random.default_rng(1), 30_000, 200_000, (0.0, 2.0))
    found = calibration_error(table, prior=0.5).bias_bound.lipschitz
    assert 1.0 <= found < 1.2
    ends = ScoreTable.from_groups(
        positive=[1.0] * 20, unlabeled=[0.0] * 80 + [1.0] * 20, scenario="case_control"
    )
    assert calibration_error(ends, prior=0.2, n_bins=2).bias_bound.lipschitz == 1.0
