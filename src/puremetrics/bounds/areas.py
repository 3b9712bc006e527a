"""Bounds on the areas under both curves.

Average precision is the step-wise sum Σ (R_i − R_{i−1})·P_i, in which all rows with the same score share
the precision at the last of them, as in scikit-learn and in `average_precision`. With up to 256 different
scores the sum itself is made as small and as large as the limits of all thresholds allow (`tied`).

With more scores it is bounded recall by recall. The threshold that first reaches recall R lies between
those at which the upper and the lower limit of recall do, so the precision there is at most the largest
upper limit of precision between them. It is at least R · positives / (rows in the later head). If the later
head ends with tied rows, either they are what reaches R, and precision is at least that of the lower limit
after them; or an earlier head is, and precision is at least R · positives / (rows before them).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.bounds.contingency import SIDES, HeadCounts, LatentChoice
from puremetrics.bounds.curves import orders, pr_bounds_of, roc_bounds_of, with_kinks
from puremetrics.bounds.extremes import rate_limits
from puremetrics.bounds.tied import tied_precision_bounds
from puremetrics.checking.types import FloatArray
from puremetrics.correction.partial import Part, check_part, partial_area
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
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    max_fpr: float | None = None,
    recall_range: tuple[float, float] | None = None,
) -> Interval:
    """Bounds on the area under the ROC curve: the areas of `roc_bounds`, with its parameters.

    ``label_bias`` and ``label_bias_side`` say how far labels may be from random; see `confusion_bounds`.
    ``max_fpr`` and ``recall_range`` ask for a part of the area on McClish's scale, as in `roc_auc`: one curve
    that lies above another has more of every part, so bounds of a part are parts of the bounds.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = roc_auc_bounds(table, prior=0.25, prior_of="rows")
    >>> round(bounds.low, 3), bounds.high
    (0.083, 1.0)
    """
    part = check_part(max_fpr, recall_range)
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, band, basis, simultaneous, prior_of)
    if part is None:
        return roc_area_bounds(roc_bounds_of(choice))
    every = [_part_bounds(roc_bounds_of(base), part) for base in choice.bases()]
    return min(every, key=lambda interval: interval.width)


def _part_bounds(curves: CurveBounds, part: Part) -> Interval:
    """A part of the areas of both curves as an interval."""
    ends = [part.scaled(partial_area(curve, part)) for curve in (curves.lower, curves.upper)]
    return _between(curves, *ends)


def roc_area_bounds(curves: CurveBounds) -> Interval:
    """The areas of both curves as an interval."""
    return _between(curves, curves.lower.area, curves.upper.area)


def _between(of: CurveBounds | LatentChoice, low: float, high: float) -> Interval:
    """An interval; where nothing is hidden both ends are the same sum, rounded in two ways."""
    return Interval(min(low, high), max(low, high), of.level, "combined", f"bounds_{of.band}")


def average_precision_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    band: str = "exact",
    confidence_level: float = 0.95,
    basis: str = "positives",
    simultaneous: bool = False,
    prior_of: str = "population",
    label_bias: float = 1.0,
    label_bias_side: str = "either",
) -> Interval:
    """Bounds on the average precision, with the parameters of `confusion_bounds`.

    It is the step-wise sum that `average_precision` estimates and scikit-learn computes. Where scores are
    tied it differs from the areas under the curves of `pr_bounds`, which join tied rows by a hyperbola.
    With up to 256 different scores the bounds are sharp for each number of latent positives: nothing
    narrower holds for all labellings that keep within the band at every threshold. ``label_bias`` and
    ``label_bias_side`` say how far labels may be from random.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 1, 0, 0, 0], scenario="case_control")
    >>> bounds = average_precision_bounds(table, prior=0.25)
    >>> 0 < bounds.low < bounds.high == 1
    True
    """
    setting = Setting.of(table, prior, None, confidence_level, label_bias, label_bias_side)
    choice = LatentChoice.of(setting, band, basis, simultaneous, prior_of)
    return precision_area_bounds(choice)


def precision_area_bounds(choice: LatentChoice, curves: CurveBounds | None = None) -> Interval:
    """Bounds on the average precision; ``curves``, those of precision and recall, if they are known."""
    found = [_average(base, curves) for base in choice.bases()]
    low, high = min(found, key=lambda ends: ends[1] - ends[0])
    return _between(choice, min(low, 1.0), min(high, 1.0))


def _average(choice: LatentChoice, curves: CurveBounds | None) -> tuple[float, float]:
    sharp = tied_precision_bounds(choice)
    if sharp is not None:
        return sharp
    table = choice.setting.table
    worst, best = orders(table)
    low, high = _step_sums(worst, choice)
    if best is not worst:
        high = _step_sums(best, choice)[1]
    if table.is_cut or table.is_scanned:  # its ties are unknown, and there may be none
        if curves is None or choice.basis != curves.basis:
            curves = pr_bounds_of(choice, roc_bounds_of(choice))
        low, high = min(low, curves.lower.area), max(high, curves.upper.area)
    return low, high


def _step_sums(table: ScoreTable, choice: LatentChoice) -> tuple[float, float]:
    """Bounds on the step-wise average precision; see the module's docstring."""
    heads, size = with_kinks(table, choice, SIDES)
    least, most = _rising(*(rate_limits(choice, heads, side, size)[1] for side in SIDES))
    rows = np.asarray(sum(choice.setting.design.counted(heads.pos, heads.unl, heads.neg, 0.0)))
    # More latent positives are never fewer in the head: precision is highest with the most of them.
    limits = choice.curve_limits(heads, size)
    found = choice.possible(limits.high[-1, limits.place], heads.unl, choice.high)
    tp = choice.setting.design.counted(heads.pos, heads.unl, heads.neg, found)[0]
    precision = np.divide(tp, rows, out=np.zeros_like(rows), where=rows > 0)
    recall = np.unique(np.concatenate([most, least]))[1:]
    first, last = (
        np.minimum(np.searchsorted(limit, recall - 1e-12), limit.size - 1)
        for limit in (most, least)
    )
    best = _range_maximum(precision, first, np.maximum(last, first))
    high = weighted_sum(np.diff(recall, prepend=0.0), best)
    return _lower_sum(heads, rows, least, most, choice.class_sizes(choice.low)[0]), high


def _rising(least: FloatArray, most: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Limits of recall, which never falls: the tightest that rise, or if they cross, those around all."""
    low, high = np.maximum.accumulate(least), np.minimum.accumulate(most[::-1])[::-1]
    if np.all(low <= high):
        return low, high
    return np.minimum.accumulate(least[::-1])[::-1], np.maximum.accumulate(most)


def _lower_sum(
    heads: HeadCounts, rows: FloatArray, least: FloatArray, most: FloatArray, positives: float
) -> float:
    """The lower bound: a hyperbola along unlabeled runs, and a step where labelled rows are."""
    tied = np.concatenate([[False], (np.diff(heads.pos) > 0) | (np.diff(heads.neg) > 0)])
    at = np.flatnonzero(tied)
    before, after = least[at - 1], least[at]
    recall = np.insert(least, at, before)
    reached = np.insert(rows + 1.0, at, rows[at] + 1.0) / positives
    runs = Curve("", recall, recall, recall, "", "", "hyperbolic", reached=reached).area
    runs -= float(np.sum((after**2 - before**2) / 2 / (rows[at] + 1.0))) * positives
    fewer, all_rows = rows[at - 1], np.maximum(rows[at], 1.0)
    earlier = np.clip(np.minimum(after * fewer / all_rows, most[at - 1]), before, after)
    steps = (after - earlier) * after / all_rows
    steps += (earlier**2 - before**2) / 2 / np.maximum(fewer, 1.0)
    return runs + positives * float(np.sum(steps))


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
