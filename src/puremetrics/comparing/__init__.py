"""Choosing: between thresholds, models, priors and segments."""

from puremetrics.comparing.comparison import Comparison, compare
from puremetrics.comparing.differences import Difference
from puremetrics.comparing.drifting import Drift, drift
from puremetrics.comparing.homogeneity import Homogeneity
from puremetrics.comparing.ranges import ModelRanking, best_by_prior
from puremetrics.comparing.threshold import ThresholdChoice, choose_threshold

__all__ = [
    "Comparison",
    "Difference",
    "Drift",
    "Homogeneity",
    "ModelRanking",
    "ThresholdChoice",
    "best_by_prior",
    "choose_threshold",
    "compare",
    "drift",
]
