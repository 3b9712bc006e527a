"""Quantiles and small-sample factors by hand."""

import math

import pytest
from mpmath import mp

from puremetrics.numerics.quantiles import normal_quantile, small_sample, student_quantile


def test_quantiles_by_hand():
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert student_quantile(10, 0.95) == pytest.approx(2.228138851964939)


def test_small_samples_by_hand():
    assert small_sample(5) == pytest.approx(math.sqrt(5 / 4))
    assert (small_sample(1), small_sample(0.5)) == (1.0, 1.0)


@pytest.mark.parametrize("degrees", [1.0, 1.3, 3.3, 10.0, 29.5, 120.3, 1e4])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_students_quantile_is_exact_with_any_scipy(degrees, level):
    found = student_quantile(degrees, level)
    with mp.workdps(30):
        beyond = mp.betainc(
            mp.mpf(degrees) / 2, mp.mpf("0.5"), 0, degrees / (degrees + mp.mpf(found) ** 2),
            regularized=True,
        )  # fmt: skip
        assert abs(1 - beyond - mp.mpf(level)) < 1e-13
