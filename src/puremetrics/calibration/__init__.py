"""Calibration without negatives (Kiryo, Futami, Sugiyama 2025): measure it, bound it, repair it."""

from __future__ import annotations

from puremetrics.calibration.error import calibration_error
from puremetrics.calibration.posterior import MixtureCalibration, mixture_calibration_error
from puremetrics.calibration.recalibration import RecalibrationMap, Recalibrator, recalibrate
from puremetrics.calibration.reliability import ReliabilityCurve, reliability_curve
from puremetrics.calibration.results import CalibrationBins, CalibrationResult
from puremetrics.calibration.testing import CalibrationTest, calibration_test
from puremetrics.calibration.theory import (
    BiasBound,
    bias_bound,
    fcmi_bound,
    generalization_bound,
    optimal_bins,
    prior_shift_bound,
)

__all__ = [
    "BiasBound",
    "CalibrationBins",
    "CalibrationResult",
    "CalibrationTest",
    "MixtureCalibration",
    "RecalibrationMap",
    "Recalibrator",
    "ReliabilityCurve",
    "bias_bound",
    "calibration_error",
    "calibration_test",
    "fcmi_bound",
    "generalization_bound",
    "mixture_calibration_error",
    "optimal_bins",
    "prior_shift_bound",
    "recalibrate",
    "reliability_curve",
]
