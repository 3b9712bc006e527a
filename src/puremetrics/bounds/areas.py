"""Bounds on the areas under both curves.

The step-wise average precision Σ (R_i − R_{i−1})·P_i is bounded by itself: the threshold that first
reaches recall R lies between those at which the upper and the lower limit of recall do, so P_i is at
most the largest upper limit of precision between them, and at least R · positives / (rows in the later
head).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import (
    orders,
    pr_bounds_of,
    rate_limits,
    roc_bounds_of,
    with_kinks,
)
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Curve, CurveBounds, Interval
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "average_precision_bounds",
    "precision_area_bounds",
    "roc_area_bounds",
    "roc_auc_bounds",
]


def roc_auc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> Interval:
    """Bounds on the area under the ROC curve: the areas of `roc_bounds`, with its parameters.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_auc_bounds(table, prior=0.25)
    >>> round(bounds.low, 3), bounds.high
    (0.083, 1.0)
    """
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    return roc_area_bounds(roc_bounds_of(choice))


def roc_area_bounds(curves: CurveBounds) -> Interval:
    """The areas of both curves as an interval."""
    ends = curves.lower.area, curves.upper.area
    return Interval(*ends, curves.level, "combined", f"bounds_{curves.band}")


def average_precision_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
) -> Interval:
    """Bounds on the average precision, with the parameters of `confusion_bounds`.

    They hold for the area under the hyperbolae of `pr_bounds` and for the step-wise sum of
    scikit-learn, which differs from it where scores are tied.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = average_precision_bounds(table, prior=0.25)
    >>> 0 < bounds.low < bounds.high == 1
    True
    """
    setting = Setting.of(table, prior, confidence_level=confidence_level)
    choice = LatentChoice.of(setting, band, basis, simultaneous)
    return precision_area_bounds(choice, pr_bounds_of(choice, roc_bounds_of(choice)))


def precision_area_bounds(choice: LatentChoice, curves: CurveBounds) -> Interval:
    """Bounds on the average precision, by hyperbolae and by steps."""
    worst, best = orders(choice.setting.table)
    low, high = _step_sums(worst, choice)
    if best is not worst:
        high = _step_sums(best, choice)[1]
    low, high = min(low, curves.lower.area), max(high, curves.upper.area)
    return Interval(low, min(high, 1.0), choice.level, "combined", f"bounds_{choice.band}")


def _step_sums(table: ScoreTable, choice: LatentChoice) -> tuple[float, float]:
    """Bounds on the step-wise average precision; see the module's docstring."""
    heads = with_kinks(table, choice, ("lower", "upper"))
    least = rate_limits(choice, heads, "lower")[1]
    most = rate_limits(choice, heads, "upper")[1]
    precision = np.zeros(heads.unl.size)
    for latent in choice.latents:
        tp, fp, _, _ = choice.entries(heads, choice.x(heads, latent, "upper"), latent)
        reached = tp + fp
        share = np.divide(tp, reached, out=np.zeros_like(tp), where=reached > 0)
        precision = np.maximum(precision, share)
    recall = np.unique(np.concatenate([most, least]))[1:]
    first, last = (
        np.minimum(np.searchsorted(limit, recall - 1e-12), limit.size - 1)
        for limit in (most, least)
    )
    best = _range_maximum(precision, first, np.maximum(last, first))
    high = weighted_sum(np.diff(recall, prepend=0.0), best)
    # Lower: where labelled rows are tied, all of them are in the head before recall rises.
    positives = choice.class_sizes(choice.latents[0])[0]
    rows = sum(choice.setting.design.counted(heads.pos, heads.unl, heads.neg, 0.0))
    tied = np.concatenate([[False], (np.diff(heads.pos) > 0) | (np.diff(heads.neg) > 0)])
    before = np.flatnonzero(tied)
    recall = np.insert(least, before, least[before - 1])
    reached = np.insert(rows + 1.0, before, rows[before] + 1.0) / positives
    curve = Curve("", recall, recall, recall, "", "", "hyperbolic", reached=reached)
    return curve.area, high


def _range_maximum(values: FloatArray, first: Any, last: Any) -> FloatArray:
    """Largest of values[first[i] : last[i] + 1] for every i, from maxima over powers of two."""
    levels = [values]
    while 2 ** len(levels) <= values.size:
        half = 2 ** (len(levels) - 1)
        previous = levels[-1]
        levels.append(np.maximum(previous[:-half], previous[half:]))
    level = np.floor(np.log2(last - first + 1)).astype(np.int64)
    result = np.empty(first.size)
    for i, maxima in enumerate(levels):
        rows = np.flatnonzero(level == i)
        result[rows] = np.maximum(maxima[first[rows]], maxima[last[rows] + 1 - 2**i])
    return result
