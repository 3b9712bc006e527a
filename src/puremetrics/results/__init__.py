"""Frozen results. They hold numbers and say what was assumed; they compute nothing from data."""

from puremetrics.results.curve import (
    ConfusionBounds,
    ConfusionCounts,
    Curve,
    CurveBand,
    CurveBounds,
)
from puremetrics.results.estimate import (
    Described,
    Estimate,
    Named,
    Pair,
    Place,
    PriorEstimate,
    RowEffects,
)
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
    "Pair",
    "Place",
    "PriorEstimate",
    "Result",
    "RowEffects",
    "Trust",
    "json_ready",
    "most_trusted",
]
