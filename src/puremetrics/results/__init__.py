"""Frozen results. They hold numbers and say what was assumed; they compute nothing from data."""

from puremetrics.results.counts import ConfusionBounds, ConfusionCounts
from puremetrics.results.curve import Curve, CurveBand, CurveBounds
from puremetrics.results.estimate import Estimate
from puremetrics.results.interval import Interval, IntervalKind
from puremetrics.results.prior import PriorEstimate
from puremetrics.results.protocol import Columns, Result, json_ready
from puremetrics.results.trust import Trust, most_trusted

__all__ = [
    "Columns",
    "ConfusionBounds",
    "ConfusionCounts",
    "Curve",
    "CurveBand",
    "CurveBounds",
    "Estimate",
    "Interval",
    "IntervalKind",
    "PriorEstimate",
    "Result",
    "Trust",
    "json_ready",
    "most_trusted",
]
