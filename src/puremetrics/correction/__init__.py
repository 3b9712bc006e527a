"""Rates, metrics, curves and areas, corrected for the positives among the unlabeled (Jain, Lim–Won)."""

from puremetrics.correction.areas import roc_auc
from puremetrics.correction.confusion import confusion_at_thresholds
from puremetrics.correction.curves import pr_curve, roc_curve
from puremetrics.correction.hull import HullLikelihood, HullResult, hull_likelihood, roc_hull
from puremetrics.correction.hull_variance import HullVariance, hull_variance
from puremetrics.correction.metric import metric
from puremetrics.correction.precision import average_precision
from puremetrics.correction.published import corrected_auc, corrected_precision

__all__ = [
    "HullLikelihood",
    "HullResult",
    "HullVariance",
    "average_precision",
    "confusion_at_thresholds",
    "corrected_auc",
    "corrected_precision",
    "hull_likelihood",
    "hull_variance",
    "metric",
    "pr_curve",
    "roc_auc",
    "roc_curve",
    "roc_hull",
]
