"""Frozen results. They hold numbers and say what was assumed; they compute nothing from data."""

from puremetrics.results.curve import (
    ConfusionBounds,
    ConfusionCounts,
    Curve,
    CurveBand,
    CurveBounds,
)
from puremetrics.results.estimate import Described, Estimate, Named, PriorEstimate
from puremetrics.results.protocol import (
    Columns,
    Interval,
    IntervalKind,
    Result,
    Trust,
    json_ready,
    most_trusted,
)

__all__ = [
    "Columns",
    "ConfusionBounds",
    "ConfusionCounts",
    "Curve",
    "CurveBand",
    "CurveBounds",
    "Described",
    "Estimate",
    "Interval",
    "IntervalKind",
    "Named",
    "PriorEstimate",
    "Result",
    "Trust",
    "json_ready",
    "most_trusted",
]
