"""Reliability curves are those of bins and of isotonic steps."""

import numpy as np
import pytest
from hypothesis import given

from puremetrics.calibration import calibration_error
from puremetrics.calibration.posterior import isotonic_posterior
from puremetrics.calibration.reliability import reliability_curve
from puremetrics.setting import Setting
from tests.calibration.fits import cases, fitted


# Reliability curve
@given(cases())
def test_the_binned_curve_is_that_of_the_bins(case):
    data, known = case
    curve = fitted(reliability_curve, data, known, n_bins=4)
    bins = fitted(calibration_error, data, known, n_bins=4).bins
    filled = ~np.isnan(bins.positive_rate)
    assert np.array_equal(curve.rate, bins.positive_rate[filled])
    assert np.all((curve.low >= 0) & (curve.high <= 1) & (curve.low <= curve.high))
    assert curve.share.sum() == pytest.approx(1)


@given(cases())
def test_the_isotonic_curve_rises_through_its_steps(case):
    data, known = case
    curve = fitted(reliability_curve, data, known, method="isotonic")
    setting = Setting.of(data.table(known["scenario"]), known["prior"], known["purity"])
    steps = isotonic_posterior(setting)
    assert np.all(np.diff(curve.rate) > 0)
    assert set(curve.rate) <= set(steps.value)
    assert curve.share.sum() == pytest.approx(1)
    assert list(curve.frame()) == ["lower", "upper", "score", "rate", "low", "high", "share"]
    assert "Reliability curve (isotonic)" in str(curve)
