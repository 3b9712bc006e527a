"""Confidence limits of the ROC curve at given false positive rates, by empirical likelihood.

A majorant lies too high, by an amount that no bootstrap of it shows: the bootstrap of the least concave
majorant is inconsistent (Kosorok 2008). So the limits do not start from the hull. They ask which heights y
the rows allow (Claeskens, Jing, Peng, Zhou 2003, for two samples without correction).

Let a be the share of positives in the comparison sample F and b the purity. If the curve of positives against
negatives passes through (x, y), the curve of G against F passes at some threshold t through

    F(t) = a·y + (1 − a)·x,        G(t) = b·y + (1 − b)·x                  (Jain, Eqs. (1) and (2), inverted).

At a known t both shares are binomial, and twice the log likelihood ratio is

    2·n_G·KL(Ĝ(t), G) + 2·n_F·KL(F̂(t), F).

Its minimum over t has a χ² distribution of one degree, because two shares were given and one threshold was
fitted. The limits are the farthest heights at which it stays below the quantile. No slope is estimated, the
limits stay within [0, 1], and they are valid whether the curve is concave or not.

In a single training set the labelled rows are part of F. With c their share, the other rows reach
(F − c·G)/(1 − c), independent of G. That share uses c as observed; if the prior is that of the population, the
error of c adds to the variance, which is accounted for by a smaller n_F.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.setting import Setting

__all__ = ["curve_limits"]

_THRESHOLDS = 49  # tried for each height
_HEIGHTS = 28  # tried on each side of the estimate


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
        sizes = float(samples.total_pos), float(running[-1])
        inside = sizes[0] / sum(sizes) if samples.one_sample else 0.0
        random_share = samples.one_sample and setting.table.total_unl > 0
        return _Path(pos, other, pos + other, sizes, inside, random_share)


def curve_limits(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pointwise limits of the ROC curve at prior and purity of the setting, at its level."""
    path = _Path.of(setting)
    share, purity = setting.share, setting.purity
    first, last = _crossings(setting, fpr)
    limit = normal_quantile(setting.level)
    even = np.linspace(0.0, 1.0, _HEIGHTS)
    steps = np.unique(np.concatenate([even**3, 1 - even**2]))  # dense at both ends
    ends = []
    for start, end in ((np.minimum(first, last), 0.0), (np.maximum(first, last), 1.0)):
        heights = start[:, None] + (end - start)[:, None] * steps
        distance = np.sqrt(_ratio(path, share, purity, fpr[:, None], heights))
        ends.append(_last_inside(heights, distance, limit))
    return ends[0], ends[1]


def _crossings(setting: Setting, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Heights at which the corrected path first and last reaches the false positive rates, in [0, 1]."""
    heads = setting.samples.heads
    tpr, rate = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    most, least = np.maximum.accumulate(rate), np.minimum.accumulate(rate[::-1])[::-1]
    found = []
    for column, side in ((most, "left"), (least, "right")):
        after = np.searchsorted(column, fpr, side="left" if side == "left" else "right")
        after = np.clip(after, 1, rate.size - 1)
        run = rate[after] - rate[after - 1]
        part = np.divide(fpr - rate[after - 1], run, out=np.ones_like(fpr), where=run > 0)
        step = tpr[after] - tpr[after - 1]
        found.append(np.clip(tpr[after - 1] + np.clip(part, 0.0, 1.0) * step, 0.0, 1.0))
    return found[0], found[1]


def _ratio(
    path: _Path, share: float, purity: float, fpr: FloatArray, tpr: FloatArray
) -> FloatArray:
    """Twice the log likelihood ratio of curves through the points (fpr, tpr), the best threshold taken."""
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
    # Beyond both places at which one of the shares fits exactly, both fit worse.
    places = [
        place
        for column, at in ((path.pos, wanted_pos), (path.other, wanted))
        for place in _places(column, path.along, at)
    ]
    low, high = np.minimum.reduce(places), np.maximum.reduce(places)
    along = low[..., None] + (high - low)[..., None] * np.linspace(0.0, 1.0, _THRESHOLDS)
    ratio = _distance(np.interp(along, path.along, path.pos), wanted_pos[..., None], size_pos)
    other = _distance(np.interp(along, path.along, path.other), wanted[..., None], sizes[..., None])
    return np.asarray((ratio + other).min(axis=-1))


def _places(column: FloatArray, along: FloatArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where along the path a share is first and last equal to ``at``."""
    first = np.clip(np.searchsorted(column, at, side="left"), 0, column.size - 1)
    last = np.clip(np.searchsorted(column, at, side="right") - 1, 0, column.size - 1)
    before = np.maximum(first - 1, 0)
    run = column[first] - column[before]
    part = np.divide(at - column[before], run, out=np.ones_like(at), where=run > 0)
    start = along[before] + np.clip(part, 0.0, 1.0) * (along[first] - along[before])
    return start, np.where(column[last] == at, along[last], start)


MODE = "ac"


def _distance(seen: FloatArray, given: FloatArray, size: Any) -> FloatArray:
    from scipy.special import rel_entr

    z2 = 3.8414588
    padded = size + z2
    centre = (seen * size + z2 / 2) / padded
    ac = (centre - given) ** 2 / (centre * (1 - centre) / padded)
    if MODE == "ac":
        return ac
    kl = 2 * size * np.maximum(rel_entr(seen, given) + rel_entr(1 - seen, 1 - given), 0.0)
    if MODE == "kl":
        return kl
    return np.minimum(ac, kl)


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
