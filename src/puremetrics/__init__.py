"""How good is a binary classifier when the only labels are positive and unlabeled?

Names are loaded when first used: importing puremetrics costs next to nothing.

>>> import puremetrics as pm
>>> table = pm.ScoreTable.from_arrays(
...     [1, 1, 0, 0, 0, 0], [0.9, 0.4, 0.8, 0.5, 0.2, 0.1], scenario="single_training_set"
... )
>>> print(pm.roc_auc(table, prior=0.4))
ROC AUC: 0.7778, 95 % confidence interval ...
  assumes single_training_set, prior 0.4000, share of positives among the unlabeled 0.1000, ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puremetrics.bands import Band, rank_cdf_band
    from puremetrics.bounds import (
        average_precision_bounds,
        confusion_bounds,
        metric_bounds,
        pr_bounds,
        roc_auc_bounds,
        roc_bounds,
    )
    from puremetrics.compare import Comparison, Difference, compare
    from puremetrics.confusion import confusion_at_thresholds, metric
    from puremetrics.correction import average_precision, pr_curve, roc_auc, roc_curve
    from puremetrics.datasets import load_demo
    from puremetrics.exceptions import Diagnostic, PuremetricsError
    from puremetrics.hull import (
        HullLikelihood,
        HullResult,
        HullVariance,
        hull_likelihood,
        hull_variance,
        roc_hull,
    )
    from puremetrics.joint import JointTable
    from puremetrics.resampling import BootstrapResult, bootstrap
    from puremetrics.results import (
        ConfusionBounds,
        ConfusionCounts,
        Curve,
        CurveBounds,
        Estimate,
        Interval,
        PriorEstimate,
    )
    from puremetrics.sensitivity import (
        ModelRanking,
        PriorDerivatives,
        PriorSensitivity,
        best_by_prior,
        largest_prior,
        prior_derivatives,
        prior_sensitivity,
    )
    from puremetrics.table import ScoreTable
    from puremetrics.threshold import ThresholdChoice, choose_threshold

__version__ = "0.1.0"

_MODULE_OF = {
    "Band": "bands",
    "BootstrapResult": "resampling",
    "Comparison": "compare",
    "ConfusionBounds": "results",
    "ConfusionCounts": "results",
    "Curve": "results",
    "CurveBounds": "results",
    "Diagnostic": "exceptions",
    "Difference": "compare",
    "Estimate": "results",
    "HullLikelihood": "hull",
    "HullResult": "hull",
    "HullVariance": "hull",
    "Interval": "results",
    "JointTable": "joint",
    "ModelRanking": "sensitivity",
    "PriorDerivatives": "sensitivity",
    "PriorEstimate": "results",
    "PriorSensitivity": "sensitivity",
    "PuremetricsError": "exceptions",
    "ScoreTable": "table",
    "ThresholdChoice": "threshold",
    "average_precision": "correction",
    "average_precision_bounds": "bounds",
    "best_by_prior": "sensitivity",
    "bootstrap": "resampling",
    "choose_threshold": "threshold",
    "compare": "compare",
    "confusion_at_thresholds": "confusion",
    "confusion_bounds": "bounds",
    "hull_likelihood": "hull",
    "hull_variance": "hull",
    "largest_prior": "sensitivity",
    "load_demo": "datasets",
    "metric": "confusion",
    "metric_bounds": "bounds",
    "pr_bounds": "bounds",
    "pr_curve": "correction",
    "prior_derivatives": "sensitivity",
    "prior_sensitivity": "sensitivity",
    "rank_cdf_band": "bands",
    "roc_auc": "correction",
    "roc_auc_bounds": "bounds",
    "roc_bounds": "bounds",
    "roc_curve": "correction",
    "roc_hull": "hull",
}

__all__ = [
    "Band",
    "BootstrapResult",
    "Comparison",
    "ConfusionBounds",
    "ConfusionCounts",
    "Curve",
    "CurveBounds",
    "Diagnostic",
    "Difference",
    "Estimate",
    "HullLikelihood",
    "HullResult",
    "HullVariance",
    "Interval",
    "JointTable",
    "ModelRanking",
    "PriorDerivatives",
    "PriorEstimate",
    "PriorSensitivity",
    "PuremetricsError",
    "ScoreTable",
    "ThresholdChoice",
    "average_precision",
    "average_precision_bounds",
    "best_by_prior",
    "bootstrap",
    "choose_threshold",
    "compare",
    "confusion_at_thresholds",
    "confusion_bounds",
    "hull_likelihood",
    "hull_variance",
    "largest_prior",
    "load_demo",
    "metric",
    "metric_bounds",
    "pr_bounds",
    "pr_curve",
    "prior_derivatives",
    "prior_sensitivity",
    "rank_cdf_band",
    "roc_auc",
    "roc_auc_bounds",
    "roc_bounds",
    "roc_curve",
    "roc_hull",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'puremetrics' has no attribute {name!r}")
    value = getattr(import_module(f"puremetrics.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
