"""Quantiles and small-sample factors by hand."""

import math

import pytest

from puremetrics.numerics.quantiles import normal_quantile, small_sample, student_quantile


def test_quantiles_by_hand():
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert student_quantile(10, 0.95) == pytest.approx(2.228138851964939)


def test_small_samples_by_hand():
    assert small_sample(5) == pytest.approx(math.sqrt(5 / 4))
    assert (small_sample(1), small_sample(0.5)) == (1.0, 1.0)
