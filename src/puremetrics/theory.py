"""Theory: bounds on the calibration error, its truth in a model, published numbers corrected, derivatives.

What the papers prove, assume or convert, mostly as functions of a few numbers. All of it can be imported from
the top, too.

>>> import puremetrics as pm
>>> pm.theory.optimal_bins(prior=0.3, n_pos=500, n_unl=5000)
14
"""

from __future__ import annotations

from puremetrics.calibration.posterior import MixtureCalibration, mixture_calibration_error
from puremetrics.calibration.theory import (
    BiasBound,
    bias_bound,
    fcmi_bound,
    generalization_bound,
    optimal_bins,
    prior_shift_bound,
)
from puremetrics.priors.derivatives import PriorDerivatives, prior_derivatives
from puremetrics.statistics.published import corrected_auc, corrected_precision

__all__ = [
    "BiasBound",
    "MixtureCalibration",
    "PriorDerivatives",
    "bias_bound",
    "corrected_auc",
    "corrected_precision",
    "fcmi_bound",
    "generalization_bound",
    "mixture_calibration_error",
    "optimal_bins",
    "prior_derivatives",
    "prior_shift_bound",
]
