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
    from puremetrics.confusion import confusion_at_thresholds, metric
    from puremetrics.correction import average_precision, pr_curve, roc_auc, roc_curve
    from puremetrics.datasets import load_demo
    from puremetrics.exceptions import Diagnostic, PuremetricsError
    from puremetrics.results import ConfusionCounts, Curve, Estimate, Interval, PriorEstimate
    from puremetrics.table import ScoreTable

__version__ = "0.1.0"

_MODULE_OF = {
    "ConfusionCounts": "results",
    "Curve": "results",
    "Diagnostic": "exceptions",
    "Estimate": "results",
    "Interval": "results",
    "PriorEstimate": "results",
    "PuremetricsError": "exceptions",
    "ScoreTable": "table",
    "average_precision": "correction",
    "confusion_at_thresholds": "confusion",
    "load_demo": "datasets",
    "metric": "confusion",
    "pr_curve": "correction",
    "roc_auc": "correction",
    "roc_curve": "correction",
}

__all__ = [
    "ConfusionCounts",
    "Curve",
    "Diagnostic",
    "Estimate",
    "Interval",
    "PriorEstimate",
    "PuremetricsError",
    "ScoreTable",
    "average_precision",
    "confusion_at_thresholds",
    "load_demo",
    "metric",
    "pr_curve",
    "roc_auc",
    "roc_curve",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'puremetrics' has no attribute {name!r}")
    value = getattr(import_module(f"puremetrics.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
