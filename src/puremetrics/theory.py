"""Theory without rows: bounds on the calibration error, published numbers corrected, and derivatives.

What the papers prove or convert, as functions of a few numbers; all of it can be imported from the top, too.

>>> import puremetrics as pm
>>> pm.theory.optimal_bins(prior=0.3, n_pos=500, n_unl=5000)
14
"""

from __future__ import annotations

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
    "PriorDerivatives",
    "bias_bound",
    "corrected_auc",
    "corrected_precision",
    "fcmi_bound",
    "generalization_bound",
    "optimal_bins",
    "prior_derivatives",
    "prior_shift_bound",
]
