"""Corrected rates by hand."""

import numpy as np
import pytest

from puremetrics.correction.rates import corrected_rates, range_diagnostics


def test_corrected_rates_by_hand():
    g, f = np.array([0, 0.5, 1]), np.array([0, 0.2, 1])
    a, b = 0.1, 0.9
    tpr, fpr = corrected_rates(g, f, a, b)
    assert tpr == pytest.approx(((1 - a) * g - (1 - b) * f) / (b - a))
    assert fpr == pytest.approx((b * f - a * g) / (b - a))
    assert (tpr[-1], fpr[-1]) == (1, 1)


def test_rates_outside_their_range_are_said_by_hand():
    remarks = range_diagnostics
    assert not remarks(np.array([0.0, 1.0 + 1e-13]), np.array([-1e-13, 1.0]))
    for off in (-1e-6, 1 + 1e-6):  # a little is said, too, but not rounding
        for rates in ([0.5, off], [0.5, 0.5]), ([0.5, 0.5], [0.5, off]):
            assert [d.code for d in remarks(*map(np.array, rates))] == ["PM101"]
    assert "reaches 1.5" in remarks(np.array([-0.2, 1.5]), np.array([0.0, 1.0]))[0].message
    assert "reaches -0.7" in remarks(np.array([-0.7, 1.5]), np.array([0.0, 1.0]))[0].message
