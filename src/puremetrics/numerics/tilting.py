"""The most extreme distribution within a factor Γ of a given one: small linear programs, solved exactly.

Given shares g, values h and Γ, which f ∝ g·v with v in [1, Γ] makes Σ f·h largest? With s the normalising
factor, s·g ≤ f ≤ Γ·s·g and Σ f = 1. For any s the answer is greedy: every row keeps s·g, and what is left of
1 goes to the rows with the largest values. As a function of s the maximum is concave and made of straight
pieces, so tangents find its peak in a few steps.

Without further limits the peak has v = Γ above a cut of the values and 1 below, and the maximum is the
expectile of h at Γ/(1 + Γ): where Γ·Σ g·(h − e)₊ = Σ g·(e − h)₊.

Limits of two kinds may come on top: ``caps`` of single rows (f ≤ cap), or caps of heads (f_1 + … + f_k ≤ cap
for rows in the order of h, where the values fall from the top). Both leave the greedy form as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.sums import weighted_sum

__all__ = [
    "capped_rows",
    "capped_steps",
    "extreme_step",
    "extreme_tilt",
    "feasible_ratio",
    "filled_heads",
    "nearest_steps",
    "shifted",
]

_STEPS = 200  # far beyond what a concave function of straight pieces needs
_SLACK = 1e-12  # of a cap, which is a ratio of counts
_SAME = 1e-13  # means that differ by less are equal
_FLAT = 1e-12  # a slope that is 0 but for rounding
Fill = Callable[
    [float], tuple[FloatArray, float, float]
]  # what comes out, its value and slope by s


def shifted(share: FloatArray, ratio: float | FloatArray) -> FloatArray:
    """A share moved by log(ratio) on the logit scale: the largest head that a tilt by ``ratio`` gives."""
    return np.asarray(ratio * share / (ratio * share + (1.0 - share)))


def extreme_tilt(share: FloatArray, values: FloatArray, ratio: float) -> FloatArray:
    """The distribution with the largest mean of ``values``; rows in any order.

    ``share`` are the given shares (they add up to 1), ``ratio`` is Γ.
    """
    some = np.flatnonzero(share > 0)
    order = some[np.argsort(-values[some], kind="stable")]
    result = np.zeros_like(share)
    result[order] = extreme_step(share[order], values[order], ratio)
    return result


def extreme_step(share: FloatArray, values: FloatArray, ratio: float) -> FloatArray:
    """The distribution with the largest mean if v is Γ in a head of the rows as they come, and 1 after it."""
    head, sums = np.cumsum(share), np.cumsum(share * values)
    means = (sums[-1] + (ratio - 1) * sums) / (head[-1] + (ratio - 1) * head)
    best = float(means.max())
    # Of cuts that are equally good the last: rows with equal values are not tilted against each other.
    cut = int(np.flatnonzero(means >= best - _SAME * max(1.0, abs(best)))[-1]) + 1
    found = share.copy()
    found[:cut] *= ratio
    return np.asarray(found / found.sum())


def feasible_ratio(share: FloatArray, caps: FloatArray) -> float:
    """The smallest Γ at which some tilt of ``share`` keeps below the caps of all rows; infinite if none."""
    some = share > 0
    g, cap = share[some], caps[some]
    most = min(1.0, float(np.min(cap / g)))
    if most <= 0 or float(cap.sum()) < 1 - _SLACK:
        return np.inf
    if most >= 1:
        return 1.0
    return max(_needed(g, cap) / most, 1.0)


def capped_rows(
    share: FloatArray, values: FloatArray, ratio: float, caps: FloatArray
) -> FloatArray | None:
    """As `extreme_tilt`, with a cap on every row; None if the caps leave no tilt within ``ratio``."""
    least = feasible_ratio(share, caps)
    if least > ratio * (1 + _SLACK):
        return None
    ratio = max(ratio, least)
    some = np.flatnonzero(share > 0)
    order = some[np.argsort(-values[some], kind="stable")]
    g, h, cap = share[order], values[order], caps[order]
    high = min(1.0, float(np.min(cap / g)))
    low = _least_scale(g, cap, ratio, high)
    fixed = weighted_sum(g, h)

    def fill(s: float) -> tuple[FloatArray, float, float]:
        room = np.minimum((ratio - 1) * s * g, cap - s * g)
        below = room < (ratio - 1) * s * g  # held by the cap
        filled = np.cumsum(room)
        budget = 1.0 - s
        last = min(int(np.searchsorted(filled, budget)), g.size - 1)
        extra = np.where(np.arange(g.size) < last, room, 0.0)
        extra[last] = max(budget - (filled[last - 1] if last else 0.0), 0.0)
        price = float(h[last])
        growth = np.where(below, -g, (ratio - 1) * g)[:last]
        slope = fixed - price * float(g.sum()) + weighted_sum(growth, h[:last] - price)
        found = s * g + extra
        return found, weighted_sum(found, h), slope

    found = _peak(fill, low, high)
    result = np.zeros_like(share)
    result[order] = found / found.sum()
    return result


def capped_steps(
    share: FloatArray, values: FloatArray, ratio: float, caps: FloatArray
) -> FloatArray:
    """The distribution with the largest mean if v does not rise along the rows and every row has a cap.

    Caps are at least ``share``, so that there is always one. v is a mixture of steps, and where caps bind of
    several.
    """
    some = np.flatnonzero(share > 0)
    g, h = share[some], values[some]
    result = share.copy()
    result[some] = _falling(g, ratio, caps[some], np.append(-g * h, 0.0))
    return result


def nearest_steps(
    share: FloatArray, target: FloatArray, ratio: float, caps: FloatArray
) -> FloatArray:
    """The distribution nearest to a target, by Σ|f − target|, if v does not rise along the rows.

    Every row has a cap of at least its ``share``.
    """
    some = np.flatnonzero(share > 0)
    g, aim = share[some], target[some]
    size = some.size
    # One more variable a row, its distance from the target: at least f − target, and at least target − f.
    apart = np.zeros((2 * size, 2 * size + 1))
    rows = np.arange(size)
    apart[rows, rows], apart[size + rows, rows] = g, -g
    apart[rows, size + 1 + rows] = apart[size + rows, size + 1 + rows] = -1.0
    cost = np.concatenate([np.zeros(size + 1), np.ones(size)])
    result = share.copy()
    result[some] = _falling(g, ratio, caps[some], cost, (apart, np.concatenate([aim, -aim])))
    return result


def _falling(
    share: FloatArray,
    ratio: float,
    caps: FloatArray,
    cost: FloatArray,
    more: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """The distribution of least cost whose v falls along the rows: a linear program in v itself.

    Variables are v by row times a scale, the scale, and others of the cost's, none of them negative; v falls,
    and lies between 1 and the ratio. ``more`` are inequalities of all variables, and what they keep below.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csc_array, vstack

    size = share.size
    rows = np.arange(size - 1)
    steps = [rows, rows], [rows, rows + 1], [np.full(size - 1, -1.0), np.ones(size - 1)]
    place, column, entry = (np.concatenate(part) for part in steps)
    place = np.concatenate([place, [size - 1, size - 1, size, size]])
    column = np.concatenate([column, [size, size - 1, 0, size]])
    entry = np.concatenate([entry, [1.0, -1.0, 1.0, -ratio]])
    falls = coo_array((entry, (place, column)), shape=(size + 1, cost.size)).tocsc()
    below = np.zeros(size + 1)
    if more is not None:
        falls, below = vstack([falls, csc_array(more[0])]), np.concatenate([below, more[1]])
    total = np.zeros((1, cost.size))
    total[0, :size] = share
    found = linprog(
        cost,
        A_ub=falls,
        b_ub=below,
        A_eq=total,
        b_eq=[1.0],
        bounds=[*((0.0, float(top)) for top in caps / share), *(cost.size - size) * [(0.0, None)]],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        return share  # labels at random, which are always possible
    return np.asarray(share * found.x[:size] / float(share @ found.x[:size]))


def filled_heads(
    share: FloatArray, weights: FloatArray, ratio: float, caps: FloatArray
) -> FloatArray:
    """Heads of the tilt that makes Σ weights · head largest while every head keeps below its cap.

    Rows are in falling order of their values and ``weights``, the falls from one value to the next, are not
    negative. Caps rise to 1 and are at least the heads of ``share``, so that there is always a tilt.
    """
    heads = np.minimum(np.cumsum(share), 1.0)
    heads[-1] = 1.0
    rest = 1.0 - heads
    some = rest > 0
    low = 1.0 / ratio
    if some.any():
        low = max(low, float(np.max((1 - caps[some]) / rest[some])) / ratio)
    low = min(low, 1.0)

    def fill(s: float) -> tuple[FloatArray, float, float]:
        # Every row keeps s·g, so a head must leave room for what the rows below it add before their caps.
        room, later = _running_minimum((caps - s * heads)[::-1])
        room, later = room[::-1], heads.size - 1 - later[::-1]
        most = ratio * s * heads
        lowest, at = _running_minimum(np.minimum(room + s * heads - most, 0.0))
        by_fill, by_rest = most + lowest, 1.0 - s * rest
        full = by_fill >= by_rest
        found = np.where(full, by_rest, by_fill)
        by_cap = heads[at] - heads[later[at]] - ratio * heads[at]
        slopes = np.where(full, -rest, ratio * heads + np.where(lowest < 0, by_cap, 0.0))
        found[-1], slopes[-1] = 1.0, 0.0
        return found, weighted_sum(weights, found), weighted_sum(weights, slopes)

    return _peak(fill, low, 1.0)


def _running_minimum(values: FloatArray) -> tuple[FloatArray, Any]:
    """The least value so far, and the place of it."""
    least = np.minimum.accumulate(values)
    return least, np.maximum.accumulate(np.where(values == least, np.arange(values.size), 0))


def _needed(g: FloatArray, cap: FloatArray) -> float:
    """The smallest x at which Σ min(x·g, cap) reaches 1: in rising order of cap/g rows reach their caps."""
    order = np.argsort(cap / g)
    g, cap = g[order], cap[order]
    reached = np.concatenate([[0.0], np.cumsum(cap)[:-1]])
    left = np.cumsum(g[::-1])[::-1]
    needed = (1.0 - reached) / left  # if all rows from here on are below their caps
    below = needed <= cap / g * (1 + _SLACK)
    if not below.any():  # the caps add up to 1 but for rounding, so that every row is at its own
        return float(cap[-1] / g[-1])
    return float(needed[int(np.argmax(below))])


def _least_scale(g: FloatArray, cap: FloatArray, ratio: float, high: float) -> float:
    """The smallest s at which Σ min(Γ·s·g, cap) reaches 1."""
    return min(_needed(g, cap) / ratio, high)


def _peak(fill: Fill, low: float, high: float) -> FloatArray:
    """What comes out at the peak of a concave function of straight pieces, by crossing tangents."""
    found, value, slope = fill(low)
    if slope <= _FLAT or low >= high:
        return found
    other, other_value, other_slope = fill(high)
    if other_slope >= -_FLAT:
        return other
    best = max((value, found), (other_value, other), key=lambda pair: pair[0])
    for _ in range(_STEPS):
        at = (other_value - value + slope * low - other_slope * high) / (slope - other_slope)
        if not low < at < high:
            break
        here, here_value, here_slope = fill(at)
        best = max(best, (here_value, here), key=lambda pair: pair[0])
        top = min(value + slope * (at - low), other_value + other_slope * (at - high))
        if abs(here_slope) <= _FLAT:
            return here
        if here_value >= top - 1e-15 * abs(top):
            break
        if here_slope > 0:
            low, value, slope = at, here_value, here_slope
        else:
            high, other_value, other_slope = at, here_value, here_slope
    return best[1]
