"""Rates, metrics, curves and areas, corrected for the positives among the unlabeled (Jain, Lim–Won)."""

from puremetrics.correction.curves import pr_curve, roc_curve
from puremetrics.correction.hull import HullLikelihood, HullResult, hull_likelihood, roc_hull
from puremetrics.correction.rates import confusion_at_thresholds

__all__ = [
    "HullLikelihood",
    "HullResult",
    "confusion_at_thresholds",
    "hull_likelihood",
    "pr_curve",
    "roc_curve",
    "roc_hull",
]
