"""How good is a binary classifier when the only labels are positive and unlabeled?

Names are loaded when first used: importing puremetrics costs next to nothing.

>>> import puremetrics as pm
>>> table = pm.ScoreTable.from_arrays(
...     [1, 1, 0, 0, 0, 0], [0.9, 0.4, 0.8, 0.5, 0.2, 0.1], scenario="single_training_set"
... )
>>> print(pm.roc_auc(table, prior=0.4))
ROC AUC: 0.7778, 95% confidence interval ...
  assumes single_training_set, prior 0.4000, share of positives among the unlabeled 0.1000, ...
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from puremetrics.assuming import Assumptions, assume
    from puremetrics.auditing import Audit
    from puremetrics.bounds import (
        Band,
        average_precision_bounds,
        confusion_bounds,
        metric_bounds,
        metric_curve_bounds,
        pr_bounds,
        rank_cdf_band,
        roc_auc_bounds,
        roc_bounds,
    )
    from puremetrics.calibration import (
        BiasBound,
        CalibrationBins,
        CalibrationResult,
        CalibrationTest,
        MixtureCalibration,
        RecalibrationMap,
        Recalibrator,
        ReliabilityCurve,
        bias_bound,
        calibration_error,
        calibration_test,
        fcmi_bound,
        generalization_bound,
        mixture_calibration_error,
        optimal_bins,
        prior_shift_bound,
        recalibrate,
        reliability_curve,
    )
    from puremetrics.comparing import (
        Comparison,
        CrossEvaluation,
        Difference,
        Drift,
        Homogeneity,
        LabelBiasSensitivity,
        ModelRanking,
        PriorSensitivity,
        SegmentComparison,
        SegmentGap,
        ThresholdChoice,
        TippingPoint,
        best_by_prior,
        choose_threshold,
        compare,
        compare_segments,
        cross_evaluate,
        drift,
        label_bias_sensitivity,
        prior_sensitivity,
        tipping_point,
    )
    from puremetrics.correction import (
        HullLikelihood,
        HullResult,
        confusion_at_thresholds,
        hull_likelihood,
        pr_curve,
        roc_curve,
        roc_hull,
    )
    from puremetrics.datasets import load_demo
    from puremetrics.evaluation import (
        ConfusionMatrix,
        Evaluation,
        ModelEvaluation,
        Narrowing,
        evaluate,
    )
    from puremetrics.evidence import (
        EvidenceTable,
        Investigated,
        Judged,
        KnownNegatives,
        LabelSources,
        PublishedPrior,
        RandomLabels,
    )
    from puremetrics.exceptions import Diagnostic, PuremetricsError
    from puremetrics.io.scan import scan
    from puremetrics.listing import (
        DecisionCurve,
        DiscoveryCurve,
        boyce_index,
        discovery_curve,
        net_benefit,
    )
    from puremetrics.planning import AuditPath, AuditPlan, follow_audit, plan_audit
    from puremetrics.priors import (
        LabelAudit,
        LabellingCheck,
        LeastLabelBias,
        PopulationsCheck,
        PriorDerivatives,
        PropensityEstimate,
        audit_labels,
        check_labelling,
        combine,
        estimate_prior,
        estimate_prior_from_features,
        estimate_propensity,
        largest_prior,
        least_label_bias,
        out_of_fold_scores,
        prior_derivatives,
        prior_from_audit,
        prior_from_propensities,
        rows_to_audit,
    )
    from puremetrics.ranking import RankingEstimate
    from puremetrics.results import (
        ConfusionBounds,
        ConfusionCounts,
        Curve,
        CurveBand,
        CurveBounds,
        Estimate,
        Interval,
        PriorEstimate,
    )
    from puremetrics.sampling.bootstrap import BootstrapResult, bootstrap
    from puremetrics.statistics import (
        HullVariance,
        PulpSignificance,
        Statistic,
        average_precision,
        bedroc,
        brier_score,
        corrected_auc,
        corrected_precision,
        enrichment_factor,
        hull_variance,
        lee_liu,
        log_loss,
        mean_f1,
        mean_mutual_information,
        mean_pearson,
        metric,
        naive_auc,
        naive_average_precision,
        ndcg,
        pseudo_f,
        pulp,
        pulp_significance,
        rie,
        roc_auc,
    )
    from puremetrics.tables.joint import JointTable
    from puremetrics.tables.score_table import ScoreTable
    from puremetrics.tables.segments import Segments

__version__ = "0.1.0"

_NAMES_OF = {  # by module
    "assuming": "Assumptions assume",
    "auditing": "Audit",
    "bounds": (
        "Band average_precision_bounds confusion_bounds metric_bounds metric_curve_bounds "
        "pr_bounds rank_cdf_band roc_auc_bounds roc_bounds"
    ),
    "calibration": (
        "BiasBound CalibrationBins CalibrationResult CalibrationTest MixtureCalibration "
        "RecalibrationMap Recalibrator ReliabilityCurve bias_bound calibration_error "
        "calibration_test fcmi_bound generalization_bound mixture_calibration_error optimal_bins "
        "prior_shift_bound recalibrate reliability_curve"
    ),
    "comparing": (
        "Comparison CrossEvaluation Difference Drift Homogeneity LabelBiasSensitivity "
        "ModelRanking PriorSensitivity SegmentComparison SegmentGap ThresholdChoice "
        "TippingPoint best_by_prior choose_threshold compare compare_segments cross_evaluate "
        "drift label_bias_sensitivity prior_sensitivity tipping_point"
    ),
    "correction": (
        "HullLikelihood HullResult confusion_at_thresholds hull_likelihood pr_curve roc_curve "
        "roc_hull"
    ),
    "datasets": "load_demo",
    "evaluation": "ConfusionMatrix Evaluation ModelEvaluation Narrowing evaluate",
    "evidence": (
        "EvidenceTable Investigated Judged KnownNegatives LabelSources PublishedPrior RandomLabels"
    ),
    "exceptions": "Diagnostic PuremetricsError",
    "io.scan": "scan",
    "listing": "DecisionCurve DiscoveryCurve boyce_index discovery_curve net_benefit",
    "planning": "AuditPath AuditPlan follow_audit plan_audit",
    "priors": (
        "LabelAudit LabellingCheck LeastLabelBias PopulationsCheck PriorDerivatives PropensityEstimate "
        "audit_labels check_labelling combine estimate_prior estimate_prior_from_features "
        "estimate_propensity largest_prior least_label_bias out_of_fold_scores "
        "prior_derivatives prior_from_audit prior_from_propensities rows_to_audit"
    ),
    "ranking": "RankingEstimate",
    "results": (
        "ConfusionBounds ConfusionCounts Curve CurveBand CurveBounds Estimate Interval "
        "PriorEstimate"
    ),
    "sampling.bootstrap": "BootstrapResult bootstrap",
    "statistics": (
        "HullVariance PulpSignificance Statistic average_precision bedroc brier_score "
        "corrected_auc corrected_precision enrichment_factor hull_variance lee_liu log_loss "
        "mean_f1 mean_mutual_information mean_pearson metric naive_auc "
        "naive_average_precision ndcg pseudo_f pulp pulp_significance rie roc_auc"
    ),
    "tables.joint": "JointTable",
    "tables.score_table": "ScoreTable",
    "tables.segments": "Segments",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "Assumptions",
    "Audit",
    "AuditPath",
    "AuditPlan",
    "Band",
    "BiasBound",
    "BootstrapResult",
    "CalibrationBins",
    "CalibrationResult",
    "CalibrationTest",
    "Comparison",
    "ConfusionBounds",
    "ConfusionCounts",
    "ConfusionMatrix",
    "CrossEvaluation",
    "Curve",
    "CurveBand",
    "CurveBounds",
    "DecisionCurve",
    "Diagnostic",
    "Difference",
    "DiscoveryCurve",
    "Drift",
    "Estimate",
    "Evaluation",
    "EvidenceTable",
    "Homogeneity",
    "HullLikelihood",
    "HullResult",
    "HullVariance",
    "Interval",
    "Investigated",
    "JointTable",
    "Judged",
    "KnownNegatives",
    "LabelAudit",
    "LabelBiasSensitivity",
    "LabelSources",
    "LabellingCheck",
    "LeastLabelBias",
    "MixtureCalibration",
    "ModelEvaluation",
    "ModelRanking",
    "Narrowing",
    "PopulationsCheck",
    "PriorDerivatives",
    "PriorEstimate",
    "PriorSensitivity",
    "PropensityEstimate",
    "PublishedPrior",
    "PulpSignificance",
    "PuremetricsError",
    "RandomLabels",
    "RankingEstimate",
    "RecalibrationMap",
    "Recalibrator",
    "ReliabilityCurve",
    "ScoreTable",
    "SegmentComparison",
    "SegmentGap",
    "Segments",
    "Statistic",
    "ThresholdChoice",
    "TippingPoint",
    "assume",
    "audit_labels",
    "average_precision",
    "average_precision_bounds",
    "bedroc",
    "best_by_prior",
    "bias_bound",
    "bootstrap",
    "boyce_index",
    "brier_score",
    "calibration_error",
    "calibration_test",
    "check_labelling",
    "choose_threshold",
    "combine",
    "compare",
    "compare_segments",
    "confusion_at_thresholds",
    "confusion_bounds",
    "corrected_auc",
    "corrected_precision",
    "cross_evaluate",
    "discovery_curve",
    "drift",
    "enrichment_factor",
    "estimate_prior",
    "estimate_prior_from_features",
    "estimate_propensity",
    "evaluate",
    "fcmi_bound",
    "follow_audit",
    "generalization_bound",
    "hull_likelihood",
    "hull_variance",
    "label_bias_sensitivity",
    "largest_prior",
    "least_label_bias",
    "lee_liu",
    "load_demo",
    "log_loss",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "metric",
    "metric_bounds",
    "metric_curve_bounds",
    "mixture_calibration_error",
    "naive_auc",
    "naive_average_precision",
    "ndcg",
    "net_benefit",
    "optimal_bins",
    "out_of_fold_scores",
    "plan_audit",
    "pr_bounds",
    "pr_curve",
    "prior_derivatives",
    "prior_from_audit",
    "prior_from_propensities",
    "prior_sensitivity",
    "prior_shift_bound",
    "pseudo_f",
    "pulp",
    "pulp_significance",
    "rank_cdf_band",
    "recalibrate",
    "reliability_curve",
    "rie",
    "roc_auc",
    "roc_auc_bounds",
    "roc_bounds",
    "roc_curve",
    "roc_hull",
    "rows_to_audit",
    "scan",
    "tipping_point",
]


# Parts of the reference: pm.priors, pm.theory … are loaded when first used, too.
_PARTS = (
    "bounds", "calibration", "comparing", "datasets", "listing", "plots", "priors", "results", "sklearn",
    "statistics", "theory",
)  # fmt: skip


def __getattr__(name: str) -> _Any:
    if name in _PARTS:
        return _import_module(f"puremetrics.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'puremetrics' has no attribute {name!r}")
    value = getattr(_import_module(f"puremetrics.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
