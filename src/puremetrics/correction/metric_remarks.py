"""What a metric at a threshold has to say about itself: merged scores, and values that do not exist."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import Formula
from puremetrics.tables.score_table import ScoreTable

__all__ = ["between_cuts", "over_box", "undefined"]

OfShares = Callable[[FloatArray, FloatArray], FloatArray]


def over_box(compute: OfShares, around: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Smallest and largest value between two heads: at the corners, and on a grid in between."""
    grids = [np.linspace(least, most, 17) for least, most in zip(*around, strict=True)]
    values = compute(*np.meshgrid(*grids))
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else None


def between_cuts(table: ScoreTable, threshold: float) -> Diagnostic:
    """PM603: the scan has merged scores on both sides of the threshold."""
    place = int(np.searchsorted(-table.score, -threshold, side="right"))
    return Diagnostic(
        "PM603",
        f"the scan has merged the scores from {table.score[place]:g} to {table.highest[place]:g}, so how "
        f"many of them reach {threshold:g} is known within limits only. Use {table.score[place]:g} as "
        "the threshold, where all is exact.",
    )


def undefined(formula: Formula, g: float, f: float, threshold: float) -> Diagnostic:
    """PM103: the metric has no value at this threshold."""
    if (g, f) in ((0, 0), (1, 1)):
        what = "no row" if g == 0 else "every row"
        why = f"where {what} is predicted positive. Choose a threshold inside the range of the scores."
    else:
        why = "where a corrected rate is negative. Try a smaller prior, or a threshold with more rows."
    return Diagnostic("PM103", f"{formula.name} is undefined at threshold {threshold:g}, {why}")
