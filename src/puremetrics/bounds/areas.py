"""Bounds on the areas under both curves.

Average precision is the step-wise sum Σ (R_i − R_{i−1})·P_i, in which all rows with the same score share the
precision at the last of them, as in scikit-learn and in `average_precision`. With up to 256 different scores
the sum itself is made as small and as large as the limits of all thresholds allow (`tied_precision_bounds`).

With more scores it is bounded recall by recall. The threshold that first reaches recall R lies between those
at which the upper and the lower limit of recall do, so the precision there is at most the largest upper limit
of precision between them. It is at least R · positives / (rows in the later head). If the later head ends
with tied rows, either they are what reaches R, and precision is at least that of the lower limit after them;
or an earlier head is, and precision is at least R · positives / (rows before them).

**Tied scores** (`tied_precision_bounds`): sharp bounds on the step-wise average precision. With tp_i true
positives among the r_i rows at or above the i-th score, average precision times the number of positives is

    g = Σ tp_i · (tp_i − tp_{i−1}) / r_i = ½ Σ (tp_i − tp_{i−1})² / r_i + ½ Σ tp_i² · (1/r_i − 1/r_{i+1}),

a convex function of the tp_i, as r grows. Its extremes are looked for over all whole x_i between the limits
of each threshold, with 0 ≤ x_i − x_{i−1} ≤ unlabeled rows at the i-th score.

Smallest: with w_i(x) the smallest ½ Σ … up to the i-th score, w_i is convex and comes from w_{i−1} plus a
multiple of x² by an infimal convolution with the parabola of the step, which merges their sorted slopes.
Largest: a convex function is largest at a vertex. There each x_i is at one of its own limits, or it follows
from that of a neighbour because all or none of the rows in between are positive. So few values of x_i are
possible, and the best way through them is found score by score.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from puremetrics.bounds.contingency import SIDES, HeadCounts, LatentChoice, rate_limits, whole_heads
from puremetrics.bounds.curves import orders, pr_bounds_of, roc_bounds_of, with_kinks
from puremetrics.checking.arguments import renamed
from puremetrics.checking.types import FloatArray
from puremetrics.correction.curves import Part, check_part, partial_area
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Curve, CurveBounds, Interval
from puremetrics.setting import PriorLike, Setting
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "MOST_LEVELS",
    "average_precision_bounds",
    "precision_area_bounds",
    "roc_area_bounds",
    "roc_auc_bounds",
    "tied_precision_bounds",
]


MOST_LEVELS = 256  # different scores up to which it is worth the time
_STEPS = 1500  # scores times numbers of latent positives
_MOST_WAYS = 300_000  # ways from one score to the next
_MOST_STATES = (
    3_000_000  # possible x and steps to them, over all scores and numbers of latent positives
)


class _Levels(NamedTuple):
    """Limits of x at every score from the empty head on; new rows; rows and known positives reached."""

    low: FloatArray
    high: FloatArray
    new: FloatArray
    reached: FloatArray
    known: FloatArray


def tied_precision_bounds(choice: LatentChoice) -> tuple[float, float] | None:
    """Smallest and largest average precision.

    None if ties are unknown, if there are too many scores, or if nothing keeps within the limits of all
    thresholds at once, which hold one by one.
    """
    table = choice.setting.table
    if table.is_cut or table.is_scanned or table.cut().score.size > MOST_LEVELS:
        return None  # a cut table has no more scores, and does not take all rows to make
    levels = table.score.size
    if levels > MOST_LEVELS:
        return None
    heads = whole_heads(table)
    counted = choice.setting.design.counted
    known = np.broadcast_to(counted(heads.pos, 0, 0, 0.0)[0], heads.pos.shape)
    reached = np.asarray(sum(counted(heads.pos, heads.unl, heads.neg, 0.0)))
    new = np.diff(heads.unl, prepend=0.0)
    for cells in (_STEPS, 0):
        nodes = choice.nodes(levels, cells, cells)
        low, high = choice.x_at(heads, nodes)
        step = int(nodes.size <= choice.high - choice.low)  # each number to the next, or each alone
        low, high = low[: nodes.size - step], high[step:]
        before = np.concatenate([np.zeros((low.shape[0], 1)), low[:, :-1]], axis=1)
        if np.sum(np.minimum(high - before, new) + high - low + 1) <= _MOST_STATES:
            break
    else:
        return None
    ends = []
    for lowest, highest in zip(low, high, strict=True):
        given = _Levels(lowest, highest, new, reached, known)
        states, least = _vertices(given), _smallest(given)
        if states is None:
            return None
        if least is not None:
            ends.append((least, _largest(given, states)))
    if not ends:
        return None
    return min(end[0] for end in ends), min(max(end[1] for end in ends), 1.0)


def _inverse(reached: float) -> float:
    return 1.0 / reached if reached > 0 else 0.0


def _smallest(levels: _Levels) -> float | None:
    first, w = 0, np.zeros(1)  # w[j] belongs to x = first + j
    for i in range(1, levels.new.size):
        low, high = int(levels.low[i]), int(levels.high[i])
        last, per = first + w.size - 1, _inverse(levels.reached[i])
        if i > 1:
            tp = np.arange(first, last + 1) + levels.known[i - 1]
            w = w + tp * tp * (0.5 * (_inverse(levels.reached[i - 1]) - per))
        gain = levels.known[i] - levels.known[i - 1]
        count = min(int(levels.new[i]), max(high - first, 0))
        slopes = (np.arange(count) + gain + 0.5) * per
        merged = np.sort(np.concatenate([np.diff(w), slopes]), kind="stable")
        start = w[0] + 0.5 * gain * gain * per
        w = start + np.concatenate([[0.0], np.cumsum(merged)])
        w = w[max(low - first, 0) : max(high - first + 1, 0)]
        first = max(low, first)
        if not w.size:
            return None
    tp = np.arange(first, first + w.size) + levels.known[-1]
    return float(np.min((w + 0.5 * tp * tp * _inverse(levels.reached[-1])) / tp))


def _largest(levels: _Levels, states: list[FloatArray]) -> float:
    value, x = np.zeros(1), np.zeros(1)
    for i in range(1, levels.new.size):
        rise = states[i][None, :] - x[:, None]
        gain = rise + (levels.known[i] - levels.known[i - 1])
        tp = states[i] + levels.known[i]
        ways = value[:, None] + gain * (tp * _inverse(levels.reached[i]))
        value = np.where((rise >= 0) & (rise <= levels.new[i]), ways, -np.inf).max(axis=0)
        reachable = value > -np.inf
        x, value = states[i][reachable], value[reachable]
    return float(np.max(value / (x + levels.known[-1])))


def _vertices(levels: _Levels) -> list[FloatArray] | None:
    """Values that x can have at each score, at a limit of its own or following from one; None if too many."""
    size = levels.new.size
    down, up = [np.zeros(1)] * size, [np.zeros(1)] * size
    for i in range(1, size):
        down[i] = _with(levels, i, down[i - 1], down[i - 1] + levels.new[i])
    # Of the number of latent positives, which is the last x, every value is possible.
    up[-1] = down[-1] = np.arange(levels.low[-1], levels.high[-1] + 1)
    for i in range(size - 2, 0, -1):
        up[i] = _with(levels, i, up[i + 1], up[i + 1] - levels.new[i + 1])
    found = [np.union1d(*pair) for pair in zip(down, up, strict=True)]
    ways = max(a.size * b.size for a, b in itertools.pairwise(found))
    return found if ways <= _MOST_WAYS else None


def _with(levels: _Levels, i: int, *more: FloatArray) -> FloatArray:
    low, high = levels.low[i], levels.high[i]
    values = np.unique(np.concatenate([[low, high], *more]))
    return np.asarray(values[(values >= low) & (values <= high)])


@renamed(band="rank_limits")
@takes_data
def roc_auc_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
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
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
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
    return Interval(
        min(low, high), max(low, high), of.level, "combined", f"bounds_{of.rank_limits}"
    )


@renamed(band="rank_limits")
@takes_data
def average_precision_bounds(
    table: ScoreTable,
    *,
    prior: PriorLike,
    rank_limits: str = "exact",
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
    choice = LatentChoice.of(setting, rank_limits, basis, simultaneous, prior_of)
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
