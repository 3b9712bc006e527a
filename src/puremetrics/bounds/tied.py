"""Sharp bounds on the step-wise average precision of tied scores.

With tp_i true positives among the r_i rows at or above the i-th score, average precision times the number of
positives is

    g = Σ tp_i · (tp_i − tp_{i−1}) / r_i = ½ Σ (tp_i − tp_{i−1})² / r_i + ½ Σ tp_i² · (1/r_i − 1/r_{i+1}),

a convex function of the tp_i, as r grows. Its extremes are looked for over all whole x_i between the limits
of each threshold, with 0 ≤ x_i − x_{i−1} ≤ unlabeled rows at the i-th score.

Smallest: with w_i(x) the smallest ½ Σ … up to the i-th score, w_i is convex and comes from w_{i−1} plus a
multiple of x² by an infimal convolution with the parabola of the step, which merges their sorted slopes.
Largest: a convex function is largest at a vertex. There each x_i is at one of its own limits, or it follows
from that of a neighbour because all or none of the rows in between are positive. So few values of x_i
are possible, and the best way through them is found score by score.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from puremetrics.bounds.contingency import LatentChoice, whole_heads
from puremetrics.checking.types import FloatArray

__all__ = ["MOST_LEVELS", "tied_precision_bounds"]

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
