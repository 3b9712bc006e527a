"""Isotonic fits by hand."""

import numpy as np

from puremetrics.numerics import monotone as pava


def test_isotonic_fits_by_hand():
    fit = pava.bounded_isotonic
    assert fit(np.array([3.0, 1, 2]), np.array([1.0, 1, 2])).tolist() == [2, 2, 2]
    assert fit(np.array([1.0, 3, 2, 5]), np.array([1.0, 1, 3, 1])).tolist() == [1, 2.25, 2.25, 5]
    assert fit(np.array([-1.0, 0.5, 2]), np.ones(3), 0, 1).tolist() == [0, 0.5, 1]
    weights = np.array([1.0, 0, 1, 0])
    assert fit(np.array([1.0, 9, 2, 0]), weights).tolist() == [1, 2, 2, 2]
    assert fit(np.array([1.0, 1.5, 2, 7]), weights).tolist() == [1, 1.5, 2, 7]
    assert fit(np.array([2.0, 1, 3]), np.zeros(3), 0, 2.5).tolist() == [2, 2, 2.5]
    blocks = pava.concave_blocks(np.array([1.0, 0, 1, 1]), np.array([0.0, 2, 1, 0]))
    assert blocks.tolist() == [0, 2, 3, 4]


def test_isotonic_fits_outside_the_heavy_entries():
    fit = pava.bounded_isotonic
    assert fit(np.array([-5.0, 1]), np.array([0.0, 1])).tolist() == [-5, 1]
    assert fit(np.array([5.0, 1]), np.array([0.0, 1])).tolist() == [1, 1]
    assert pava.concave_blocks(np.array([0.5, 4]), np.array([0.5, 1])).tolist() == [0, 1, 2]
    assert pava.concave_blocks(np.array([4, 0.5]), np.array([1, 0.5])).tolist() == [0, 2]
