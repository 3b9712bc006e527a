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
        metric_curve_bounds,
        pr_bounds,
        roc_auc_bounds,
        roc_bounds,
    )
    from puremetrics.calibration import (
        BiasBound,
        CalibrationBins,
        CalibrationResult,
        RecalibrationMap,
        Recalibrator,
        ReliabilityCurve,
        bias_bound,
        brier_score,
        calibration_error,
        generalization_bound,
        log_loss,
        optimal_bins,
        prior_shift_bound,
        recalibrate,
        reliability_curve,
    )
    from puremetrics.comparison import Comparison, Difference, compare
    from puremetrics.confusion import confusion_at_thresholds, metric
    from puremetrics.correction import average_precision, pr_curve, roc_auc, roc_curve
    from puremetrics.datasets import load_demo
    from puremetrics.drifting import Drift, Homogeneity, drift
    from puremetrics.evaluation import (
        ConfusionMatrix,
        Evaluation,
        ModelEvaluation,
        Narrowing,
        evaluate,
    )
    from puremetrics.exceptions import Diagnostic, PuremetricsError
    from puremetrics.hull import (
        HullLikelihood,
        HullResult,
        HullVariance,
        hull_likelihood,
        hull_variance,
        roc_hull,
    )
    from puremetrics.io.scan import scan
    from puremetrics.joint import JointTable
    from puremetrics.labelling import LabellingCheck, check_labelling
    from puremetrics.priors import (
        combine,
        estimate_prior,
        estimate_prior_from_features,
        out_of_fold_scores,
        prior_from_audit,
        rows_to_audit,
    )
    from puremetrics.ranking import (
        PulpSignificance,
        RankingEstimate,
        lee_liu,
        mean_f1,
        mean_mutual_information,
        mean_pearson,
        naive_auc,
        naive_average_precision,
        pseudo_f,
        pulp,
        pulp_significance,
    )
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
    from puremetrics.segments import Segments
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
    "BiasBound": "calibration",
    "BootstrapResult": "resampling",
    "CalibrationBins": "calibration",
    "CalibrationResult": "calibration",
    "Comparison": "comparison",
    "ConfusionBounds": "results",
    "ConfusionCounts": "results",
    "ConfusionMatrix": "evaluation",
    "Curve": "results",
    "CurveBounds": "results",
    "Diagnostic": "exceptions",
    "Difference": "comparison",
    "Drift": "drifting",
    "Estimate": "results",
    "Evaluation": "evaluation",
    "Homogeneity": "drifting",
    "HullLikelihood": "hull",
    "HullResult": "hull",
    "HullVariance": "hull",
    "Interval": "results",
    "JointTable": "joint",
    "LabellingCheck": "labelling",
    "ModelEvaluation": "evaluation",
    "ModelRanking": "sensitivity",
    "Narrowing": "evaluation",
    "PriorDerivatives": "sensitivity",
    "PriorEstimate": "results",
    "PriorSensitivity": "sensitivity",
    "PulpSignificance": "ranking",
    "PuremetricsError": "exceptions",
    "RankingEstimate": "ranking",
    "RecalibrationMap": "calibration",
    "Recalibrator": "calibration",
    "ReliabilityCurve": "calibration",
    "ScoreTable": "table",
    "Segments": "segments",
    "ThresholdChoice": "threshold",
    "average_precision": "correction",
    "average_precision_bounds": "bounds",
    "best_by_prior": "sensitivity",
    "bias_bound": "calibration",
    "bootstrap": "resampling",
    "brier_score": "calibration",
    "calibration_error": "calibration",
    "check_labelling": "labelling",
    "choose_threshold": "threshold",
    "combine": "priors",
    "compare": "comparison",
    "confusion_at_thresholds": "confusion",
    "confusion_bounds": "bounds",
    "drift": "drifting",
    "estimate_prior": "priors",
    "estimate_prior_from_features": "priors",
    "evaluate": "evaluation",
    "generalization_bound": "calibration",
    "hull_likelihood": "hull",
    "hull_variance": "hull",
    "largest_prior": "sensitivity",
    "lee_liu": "ranking",
    "load_demo": "datasets",
    "log_loss": "calibration",
    "mean_f1": "ranking",
    "mean_mutual_information": "ranking",
    "mean_pearson": "ranking",
    "metric": "confusion",
    "metric_bounds": "bounds",
    "metric_curve_bounds": "bounds",
    "naive_auc": "ranking",
    "naive_average_precision": "ranking",
    "optimal_bins": "calibration",
    "out_of_fold_scores": "priors",
    "pr_bounds": "bounds",
    "pr_curve": "correction",
    "prior_derivatives": "sensitivity",
    "prior_from_audit": "priors",
    "prior_sensitivity": "sensitivity",
    "prior_shift_bound": "calibration",
    "pseudo_f": "ranking",
    "pulp": "ranking",
    "pulp_significance": "ranking",
    "rank_cdf_band": "bands",
    "recalibrate": "calibration",
    "reliability_curve": "calibration",
    "roc_auc": "correction",
    "roc_auc_bounds": "bounds",
    "roc_bounds": "bounds",
    "roc_curve": "correction",
    "roc_hull": "hull",
    "rows_to_audit": "priors",
    "scan": "io.scan",
}

__all__ = [
    "Band",
    "BiasBound",
    "BootstrapResult",
    "CalibrationBins",
    "CalibrationResult",
    "Comparison",
    "ConfusionBounds",
    "ConfusionCounts",
    "ConfusionMatrix",
    "Curve",
    "CurveBounds",
    "Diagnostic",
    "Difference",
    "Drift",
    "Estimate",
    "Evaluation",
    "Homogeneity",
    "HullLikelihood",
    "HullResult",
    "HullVariance",
    "Interval",
    "JointTable",
    "LabellingCheck",
    "ModelEvaluation",
    "ModelRanking",
    "Narrowing",
    "PriorDerivatives",
    "PriorEstimate",
    "PriorSensitivity",
    "PulpSignificance",
    "PuremetricsError",
    "RankingEstimate",
    "RecalibrationMap",
    "Recalibrator",
    "ReliabilityCurve",
    "ScoreTable",
    "Segments",
    "ThresholdChoice",
    "average_precision",
    "average_precision_bounds",
    "best_by_prior",
    "bias_bound",
    "bootstrap",
    "brier_score",
    "calibration_error",
    "check_labelling",
    "choose_threshold",
    "combine",
    "compare",
    "confusion_at_thresholds",
    "confusion_bounds",
    "drift",
    "estimate_prior",
    "estimate_prior_from_features",
    "evaluate",
    "generalization_bound",
    "hull_likelihood",
    "hull_variance",
    "largest_prior",
    "lee_liu",
    "load_demo",
    "log_loss",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "metric",
    "metric_bounds",
    "metric_curve_bounds",
    "naive_auc",
    "naive_average_precision",
    "optimal_bins",
    "out_of_fold_scores",
    "pr_bounds",
    "pr_curve",
    "prior_derivatives",
    "prior_from_audit",
    "prior_sensitivity",
    "prior_shift_bound",
    "pseudo_f",
    "pulp",
    "pulp_significance",
    "rank_cdf_band",
    "recalibrate",
    "reliability_curve",
    "roc_auc",
    "roc_auc_bounds",
    "roc_bounds",
    "roc_curve",
    "roc_hull",
    "rows_to_audit",
    "scan",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'puremetrics' has no attribute {name!r}")
    value = getattr(import_module(f"puremetrics.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
