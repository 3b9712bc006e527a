"""Numbers of bins and bounds against the paper's theorems."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from puremetrics.calibration import calibration_error
from puremetrics.calibration.theory import (
    bias_bound,
    generalization_bound,
    optimal_bins,
)
from puremetrics.exceptions import InputError
from tests.calibration.cases import codes, synthetic_table
from tests.oracles import kiryo


@given(st.floats(0.01, 0.99), st.integers(1, 10**6), st.integers(1, 10**6))
@example(1 / 3, 30, 30)
def test_the_number_of_bins_is_the_papers(prior, n_pos, n_unl):
    found, exact = (
        optimal_bins(prior=prior, n_pos=n_pos, n_unl=n_unl),
        kiryo.optimal_bins(prior, n_pos, n_unl),
    )
    # The float 1/3 is a hair below a third: what is meant to be an exact cube is one here.
    cube = found**3 * (prior**2 / n_pos + 1 / n_unl)
    assert found == exact or (found == exact - 1 and cube > 1 - 1e-8)


def test_exact_cubes_are_not_rounded_up():
    for side in range(2, 3000):
        assert optimal_bins(prior=0.0, n_pos=1, n_unl=side**3) == side


@pytest.mark.parametrize("binning", ["mass", "width"])
def test_bounds_equal_the_theorems(binning):
    sizes = {"n_pos": 70, "n_unl": 900, "prior": 0.3, "n_bins": 8, "binning": binning}
    bound = bias_bound(**sizes, lipschitz=2.5, delta=0.1)
    at = (70, 900, 0.3, 8, 2.5, binning)
    assert bound.expected == pytest.approx(kiryo.theorem_1(*at), rel=1e-14)
    assert bound.probable == pytest.approx(kiryo.theorem_1(*at, delta=0.1), rel=1e-14)
    assert bound.binning_part + bound.sampling_part == pytest.approx(bound.expected)
    general = generalization_bound(**sizes, lipschitz=2.5, fcmi=3.0, fcmi_unlabeled=2.0)
    assert general.expected == pytest.approx(kiryo.theorem_3(*at, 3.0, 2.0), rel=1e-14)
    assert "Lipschitz with constant 2.5" in str(bound)
    with pytest.raises(InputError, match="cannot tell more"):
        generalization_bound(**sizes, fcmi=1.0, fcmi_unlabeled=2.0)


def test_the_result_carries_theorem_1():
    table = synthetic_table(np.random.default_rng(0), 100, 1000)
    result = calibration_error(table, prior=0.5, lipschitz=3.0, binning="mass")
    expected = kiryo.theorem_1(100, 1000, 0.5, result.n_bins, 3.0, "mass")
    assert float(result.bias_bound) == pytest.approx(expected, rel=1e-12)
    balanced = calibration_error(table, prior=0.5, lipschitz=3.0)
    assert balanced.bias_bound.theorem == "by analogy with Theorem 1"
    assert balanced.bias_bound.binning_part == pytest.approx(2 * 4 / balanced.n_bins)
    assert float(balanced.bias_bound) > expected
    few = calibration_error(table, prior=0.5, n_bins=600, binning="mass")
    assert few.bias_bound is None
    assert "PM304" in codes(few)


@pytest.mark.parametrize(
    ("beta", "truth"), [((-0.5, 1.5), 0.0744433), ((-0.2, 1.9), 0.0234589), ((0.0, 2.0), 0.0)]
)
def test_the_synthetic_truth_by_quadrature(beta, truth):
    assert kiryo.synthetic_truth(*beta, points=20_001) == pytest.approx(truth, abs=5e-8)
