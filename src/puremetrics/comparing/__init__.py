"""Choosing: between thresholds, models, priors and segments."""

from puremetrics.comparing.comparison import Comparison, compare
from puremetrics.comparing.cross_evaluation import CrossEvaluation, cross_evaluate
from puremetrics.comparing.differences import Difference
from puremetrics.comparing.drifting import Drift, drift
from puremetrics.comparing.ranges import ModelRanking, best_by_prior
from puremetrics.comparing.segment_comparing import compare_segments
from puremetrics.comparing.segment_figures import Homogeneity
from puremetrics.comparing.segment_gaps import SegmentComparison, SegmentGap
from puremetrics.comparing.sensitivity import (
    LabelBiasSensitivity,
    PriorSensitivity,
    PuritySensitivity,
    label_bias_sensitivity,
    prior_sensitivity,
)
from puremetrics.comparing.threshold import choose_threshold
from puremetrics.comparing.threshold_choice import ThresholdChoice
from puremetrics.comparing.tipping import TippingPoint, tipping_point

__all__ = [
    "Comparison",
    "CrossEvaluation",
    "Difference",
    "Drift",
    "Homogeneity",
    "LabelBiasSensitivity",
    "ModelRanking",
    "PriorSensitivity",
    "PuritySensitivity",
    "SegmentComparison",
    "SegmentGap",
    "ThresholdChoice",
    "TippingPoint",
    "best_by_prior",
    "choose_threshold",
    "compare",
    "compare_segments",
    "cross_evaluate",
    "drift",
    "label_bias_sensitivity",
    "prior_sensitivity",
    "tipping_point",
]
