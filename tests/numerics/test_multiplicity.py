"""Holm's procedure by hand."""

import numpy as np
import pytest

from puremetrics.numerics.quantiles import holm_adjusted, holm_rejected


def test_holm_steps_down():
    assert holm_rejected(np.array([0.001, 0.2, 0.02, 0.9]), 0.05) == [0]
    assert holm_rejected(np.array([0.001, 0.2, 0.012, 0.9]), 0.05) == [0, 2]
    assert holm_rejected(np.array([0.5]), 0.05) == []
    assert holm_rejected(np.array([0.001, 0.002]), 0.05) == [0, 1]


def test_adjusted_p_values_keep_their_order_and_stay_below_one():
    assert holm_adjusted(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.06, 0.06])
    assert holm_adjusted(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]
    assert holm_rejected(np.array([0.012, 0.001]), 0.05) == [1, 0]  # the most extreme first
