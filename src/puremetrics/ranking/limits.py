"""Limits of a ranking measure, from the influence of its rows.

Student's limits on the logit scale of the values that rankings of these rows can take. A ranking without a
mistake at one end shows no sampling error there, though the next sample may have one. So one row of each
group is added at both ends, and the scale reaches beyond the possible values by the effect of one row.

Where do these rows go? Next to the rows that were seen there, they describe samples like this one. At the
very ends they describe what no sample of this size can exclude: that a few positives rank below all
negatives. A limit goes that far, but not further than the one of Clopper and Pearson for as many rows that
all are as good or as bad as can be: no mean of values in the same range varies more.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.beta import beta_quantile
from puremetrics.ranking.influence import Pair, Spread
from puremetrics.ranking.rows import Ranked
from puremetrics.sampling.limits import logit_limits

__all__ = ["limits_of"]


def limits_of(
    ranked: Ranked, ends: tuple[float, float], value: float, spread: Spread, level: float
) -> tuple[float, float] | None:
    """Both limits, between the worst and the best value; None if no row can change its rank."""
    if ranked.pos.size < 2:
        return None
    worst, best = ends
    near = _student(ranked, ends, value, spread, level, far=None)
    if near is None:
        return None
    limits = list(near)
    for side in (0, 1):
        far = _student(ranked, ends, value, spread, level, far=side)
        if far is not None:
            bound = _extreme(ranked, ends, value, level)[side]
            limits[side] = (
                min(near[0], max(far[0], bound)) if side == 0 else max(near[1], min(far[1], bound))
            )
    low, high = max(min(limits[0], value), worst), min(max(limits[1], value), best)
    return min(low, value), max(high, value)


def _student(
    ranked: Ranked,
    ends: tuple[float, float],
    value: float,
    spread: Spread,
    level: float,
    far: int | None,
) -> tuple[float, float] | None:
    """Limits with rows added next to others, or where they lower (0) or raise (1) the value most."""
    found = []
    for rows, beyond in spread.versions():
        added = _added(rows, beyond, far)
        found.append((ranked.padded_variance(rows, added), rows, added))
    variance, rows, added = max(found, key=lambda part: part[0].total)
    variance = variance._replace(total=max(variance.total, spread.bent))
    if variance.total <= 0:
        return None
    worst, best = ends
    reach = (np.ptp(np.concatenate(group)) for group in zip(rows, added, strict=True))
    one = max(float(way) / count for way, count in zip(reach, ranked.samples.sizes, strict=True))
    one = max(one, 1e-12 * (best - worst))  # so that floats can tell the value from the best one
    inside = min(max(value, worst), best)  # sums of many rows may go beyond by rounding
    return logit_limits(inside, variance, level, worst - one, best + one)


def _added(rows: Pair, beyond: Pair, far: int | None) -> Pair:
    """Influence of the added rows, of both groups: at the top and at the bottom."""
    near = tuple(group[[0, -1]] for group in rows)
    if far is None:
        return near[0], near[1]
    chosen = np.minimum if far == 0 else np.maximum
    return _chosen(chosen, near[0], beyond[0]), _chosen(chosen, near[1], beyond[1])


def _chosen(better: np.ufunc, near: FloatArray, beyond: FloatArray) -> FloatArray:
    return np.asarray(better(near, beyond))


def _extreme(
    ranked: Ranked, ends: tuple[float, float], value: float, level: float
) -> tuple[float, float]:
    """Limits of Clopper and Pearson for the share of the way from the worst to the best value."""
    worst, best = ends
    sizes = ranked.samples.sizes
    count = 1 / sum(1 / size for size in sizes)
    way = min(max((value - worst) / (best - worst), 0.0), 1.0) if best > worst else 0.5
    good, bad, tail = count * way, count * (1 - way), (1 - level) / 2
    low = beta_quantile(good, bad + 1, tail) if good > 0 else 0.0
    high = beta_quantile(good + 1, bad, 1 - tail) if bad > 0 else 1.0
    return worst + low * (best - worst), worst + high * (best - worst)
