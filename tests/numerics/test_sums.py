"""Sums of products."""

import numpy as np

from puremetrics.numerics.sums import weighted_sum


def test_weighted_sums_by_hand():
    assert weighted_sum(np.array([1, 2]), np.array([0.5, 3.0])) == 6.5
