"""Confidence limits of the ROC curve at given false positive rates, by inverting a test.

A majorant lies too high, by an amount that the bootstrap does not show: the bootstrap of a least concave
majorant is inconsistent (Kosorok 2008). So the limits do not start from the hull. They ask through which
points the curve can pass, as empirical likelihood does for two samples without correction (Claeskens, Jing,
Peng, Zhou 2003).

Let a be the share of positives in the comparison sample F and b the purity. If the curve of positives against
negatives passes through (x, y), then at some threshold t (Jain, Eqs. (1) and (2), inverted)

    F(t) = a·y + (1 − a)·x,        G(t) = b·y + (1 − b)·x.

At a known t both shares are binomial, and the sum of their two squared standardised distances is χ² with two
degrees of freedom. The best t takes one of them away: the limits are the farthest y at which the minimum over
t stays below the quantile of χ² with one degree. No slope is estimated, and the curve need not be concave.

Distances are those of Agresti and Coull, with z²/2 successes and failures added. That pulls a share towards
½, and heights next to 1 would be given up too soon: from 0.9 on the likelihood ratio counts where it is
smaller.

In a single training set the labelled rows are part of F. With c their share, the other rows reach
(F − c·G)/(1 − c), independent of G. That uses c as observed; where the prior is that of the population, the
error of c adds to the variance, and n_F is reduced accordingly.

Upper limits are raised to their own least concave majorant. Where the true curve is concave that changes
little; where it is not, they hold for the hull of the true curve as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.hull import height
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.pava import concave_blocks
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.setting import Setting

__all__ = ["curve_limits"]

_LEAST_SPREAD = 1e-30  # of a share of exactly 0 or 1, at levels near 0
_THRESHOLDS = 33  # tried for each height
_HEIGHTS = 28  # and twice as many of these, on each side of the estimate
_NEAR_ONE = 0.9
_KNOTS = np.concatenate([[0.0, 0.01, 0.02, 0.05], np.arange(1, 11) / 10])


class _Path(NamedTuple):
    """The two samples as a path: shares of the labelled and of the other rows above each threshold."""

    pos: FloatArray
    other: FloatArray
    along: FloatArray
    sizes: tuple[float, float]
    labelled: float  # share of the labelled rows in the comparison sample
    random_share: bool

    @staticmethod
    def of(setting: Setting) -> _Path:
        samples = setting.samples
        counts, _ = samples.others
        running = np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])
        pos, other = samples.heads.pos, running / running[-1]
        rows = float(samples.total_pos), float(running[-1])
        inside = rows[0] / sum(rows) if samples.one_sample else 0.0
        sizes = rows[0] / samples.effect[0], rows[1] / samples.effect[1]
        random_share = samples.one_sample and setting.table.total_unl > 0
        return _Path(pos, other, pos + other, sizes, inside, random_share)


def curve_limits(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pointwise limits of the ROC curve and of its hull, at prior, purity and level of the setting."""
    at = np.union1d(fpr, _KNOTS)
    low, high = _pointwise(setting, at)
    raised = np.maximum.accumulate(np.concatenate([[0.0], high[1:]]))
    raised[-1] = 1.0
    ends = concave_blocks(np.diff(at), np.diff(raised))
    place = np.searchsorted(at, fpr)
    return low[place], np.clip(
        np.maximum(height(at[ends], raised[ends], fpr), high[place]), 0.0, 1.0
    )


def _pointwise(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    path = _Path.of(setting)
    first, last = _crossings(setting, fpr)
    limit = normal_quantile(setting.level)
    even = np.linspace(0.0, 1.0, _HEIGHTS)
    steps = np.unique(np.concatenate([even**3, 1 - even**2]))  # dense at both ends
    ends = []
    for start, end in ((np.minimum(first, last), 0.0), (np.maximum(first, last), 1.0)):
        heights = start[:, None] + (end - start)[:, None] * steps
        distance = np.sqrt(_statistic(path, setting, fpr[:, None], heights, limit**2 / 2))
        ends.append(_last_inside(heights, distance, limit))
    return ends[0], ends[1]


def _crossings(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Heights at which the corrected path first and last reaches the false positive rates, in [0, 1]."""
    heads = setting.samples.heads
    tpr, rate = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    most, least = np.maximum.accumulate(rate), np.minimum.accumulate(rate[::-1])[::-1]
    found = []
    for after in (np.searchsorted(most, fpr), np.searchsorted(least, fpr, side="right")):
        after = np.clip(after, 1, rate.size - 1)
        run = rate[after] - rate[after - 1]
        part = np.divide(fpr - rate[after - 1], run, out=np.ones_like(fpr), where=run > 0)
        step = tpr[after] - tpr[after - 1]
        found.append(np.clip(tpr[after - 1] + np.clip(part, 0.0, 1.0) * step, 0.0, 1.0))
    return found[0], found[1]


def _statistic(
    path: _Path, setting: Setting, fpr: FloatArray, tpr: FloatArray, added: float
) -> FloatArray:
    """How far curves through the points (fpr, tpr) are from the rows, at the best threshold."""
    share, purity = setting.share, setting.purity
    wanted_pos = np.clip(purity * tpr + (1 - purity) * fpr, 0.0, 1.0)
    wanted_cmp = share * tpr + (1 - share) * fpr
    rest = 1 - path.labelled
    wanted = np.clip((wanted_cmp - path.labelled * wanted_pos) / rest, 0.0, 1.0)
    size_pos, size = path.sizes
    sizes = np.full_like(wanted, size)
    if path.random_share:
        slope = (wanted_cmp - wanted_pos) / rest**2
        noise = slope**2 * path.labelled * rest / (size + size_pos)
        sizes = size / (1 + size * noise / np.maximum(wanted * (1 - wanted), 1 / size))
    # Beyond all places at which one of the shares, or its centre, fits exactly, everything fits worse.
    places = [
        place
        for column, at, rows in ((path.pos, wanted_pos, size_pos), (path.other, wanted, sizes))
        for pulled in (0.0, added)
        for place in _places(column, path.along, np.clip(at + (2 * at - 1) * pulled / rows, 0, 1))
    ]
    low, high = np.minimum.reduce(places), np.maximum.reduce(places)
    along = low[..., None] + (high - low)[..., None] * np.linspace(0.0, 1.0, _THRESHOLDS)
    corners = path.along[np.minimum(np.searchsorted(path.along, along), path.along.size - 1)]
    along = np.concatenate([along, corners], axis=-1)  # the best threshold is often a corner
    seen, wanted_pos = np.interp(along, path.along, path.pos), wanted_pos[..., None]
    first = _distance(seen, wanted_pos, size_pos, added)
    if np.any(wanted_pos >= _NEAR_ONE):
        first = np.minimum(first, _near_one(seen, wanted_pos, size_pos))
    seen = np.interp(along, path.along, path.other)
    second = _distance(seen, wanted[..., None], sizes[..., None], added)
    return np.asarray((first + second).min(axis=-1))


def _places(column: FloatArray, along: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where along the path a share is first and last equal to ``at``."""
    first = np.clip(np.searchsorted(column, at, side="left"), 0, column.size - 1)
    last = np.clip(np.searchsorted(column, at, side="right") - 1, 0, column.size - 1)
    before = np.maximum(first - 1, 0)
    run = column[first] - column[before]
    part = np.divide(at - column[before], run, out=np.ones_like(at), where=run > 0)
    start = along[before] + np.clip(part, 0.0, 1.0) * (along[first] - along[before])
    return start, np.where(column[last] == at, along[last], start)


def _distance(seen: FloatArray, given: FloatArray, size: Any, added: float) -> FloatArray:
    """Squared standardised distance of a share, with ``added`` successes and failures (Agresti, Coull)."""
    padded = size + 2 * added
    centre = (seen * size + added) / padded
    spread = np.maximum(centre * (1 - centre), _LEAST_SPREAD)
    return np.asarray((centre - given) ** 2 * padded / spread)


def _near_one(seen: FloatArray, given: FloatArray, size: float) -> FloatArray:
    """The likelihood ratio where the share is close to 1, and no limit elsewhere."""
    from scipy.special import rel_entr

    ratio = rel_entr(seen, given) + rel_entr(1 - seen, 1 - given)
    return np.asarray(np.where(given >= _NEAR_ONE, 2 * size * np.maximum(ratio, 0.0), np.inf))


def _last_inside(heights: FloatArray, distance: FloatArray, limit: float) -> FloatArray:
    """The farthest height of each row within the limit, between the last one inside and the next."""
    inside = distance <= limit
    last = heights.shape[1] - 1 - np.argmax(inside[:, ::-1], axis=1)
    last = np.where(inside.any(axis=1), last, 0)
    rows, after = np.arange(last.size), np.minimum(last + 1, heights.shape[1] - 1)
    near, far = distance[rows, last], distance[rows, after]
    run = np.where(np.isfinite(far), far - near, 0.0)
    part = np.divide(limit - near, run, out=np.zeros_like(run), where=run > 0)
    part = np.clip(part, 0.0, 1.0)
    return np.asarray(heights[rows, last] + part * (heights[rows, after] - heights[rows, last]))
