"""What a metric at a threshold is worth if the same rows chose the threshold.

Every resample chooses its own threshold. How much better a metric seems there, on the resample, than the rows
at hand say, is how much better the rows at hand make it seem than it is. The mean of that is taken off the
metric, and its spread widens the interval that a threshold fixed beforehand would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.quantiles import normal_quantile, small_sample, student_quantile
from puremetrics.results import ConfusionCounts, Estimate, Interval
from puremetrics.sampling.limits import moved_inside

__all__ = ["accounted", "few_rows", "gains_of", "moved_range"]

Places = npt.NDArray[np.intp]


def gains_of(
    formulas: Sequence[Formula], redrawn: ConfusionCounts, here: ConfusionCounts, place: Places
) -> FloatArray:
    """How much better each metric seems on each resample, at the place it chose: (metrics, resamples)."""
    rows = np.arange(place.size)
    there = tuple(
        np.atleast_2d(getattr(redrawn, name))[rows, place] for name in ("tp", "fp", "fn", "tn")
    )
    same = tuple(getattr(here, name)[place] for name in ("tp", "fp", "fn", "tn"))
    return np.array([formula(*there) - formula(*same) for formula in formulas])


def few_rows(labelled: float, level: float) -> float:
    """Factor on a spread of resamples of so many labelled rows."""
    quantile = student_quantile(max(labelled - 1, 1.0), level) / normal_quantile(level)
    return float(small_sample(labelled) * quantile)


def accounted(plain: Estimate, formula: Formula, gains: FloatArray, few: float) -> Estimate:
    """The estimate at a fixed threshold, made to account for the choice."""
    known = gains[np.isfinite(gains)]
    if plain.interval is None or not known.size:
        return plain
    bias, tail = float(known.mean()), (1 - plain.interval.level) / 2
    value = moved_inside(formula, plain.value - bias)
    below, above = few * (np.quantile(known, [1 - tail, tail]) - bias)
    low = moved_inside(formula, min(plain.interval.low - bias, value - below))
    high = moved_inside(formula, max(plain.interval.high - bias, value - above))
    interval = replace(
        plain.interval,
        low=min(low, value),
        high=max(high, value),
        method="bootstrap_of_the_choice",
    )
    return replace(
        plain,
        value=value,
        interval=interval,
        bias_range=moved_range(plain.bias_range, formula, bias),
    )


def moved_range(found: Interval | None, formula: Formula, by: float) -> Interval | None:
    """What biased labels leave open, moved with the value."""
    if found is None:
        return None
    low, high = (moved_inside(formula, end - by) for end in found)
    return replace(found, low=low, high=high)
