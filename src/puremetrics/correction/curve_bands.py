"""Confidence bands of corrected ROC and precision-recall curves.

Let G be the heads of the labelled rows and H those of the other rows of the comparison sample; in
case-control H is F, in a single training set F = λ·G + (1 − λ)·H with λ the share of labelled rows. Both
corrected rates (`correction.rates`) are linear in G and H, which come from different rows.

**The curve passes through a point (x, y) if some threshold t has these rates.** That fixes the heads g and h
at t, and t is all that is unknown. With ζ the distance of a true head from the observed one in units of its
reach at t, the hypothesis is kept if

    min over t of  ζ_G(t)² + ζ_H(t)² ≤ c²,

c the normal quantile: one condition, since the minimum takes up the other degree of freedom (as in empirical
likelihood for ROC curves: Claeskens, Jing, Peng and Zhou 2003). The band holds all points that are kept: at a
false positive rate a range of true positive rates, at a recall a range of false positive rates, from which
that of precision follows. The local slope of the curve, which is noisy, is not needed. What is kept at one t
is bounded by a quarter of an ellipse up and to the left, and by one down and to the right; along t these run
beside the path of the curve, which is straight between its vertices, and the edges of the band are the upper
left and the lower right envelope of them all.

Reaches are Clopper–Pearson's (Beta laws with one row that may have been missed; of the other rows, which are
many, half a row), with effective sizes where rows have weights or belong to groups. In a single training set
the error of λ is added to that of H.

**Simultaneous**: c is the quantile of the largest |Z(t)|, where Z is the error of the curve at t across its
own direction, Δη·dγ − Δγ·dη, in standard errors. Its law is drawn from Brownian bridges of G and H on a few
hundred places, with a fixed seed. The direction matters little here, as it only says how G and H are mixed.

Uncertain priors and purities are allowed for by `sampling.uncertain`, biased labels what they leave open of
every point that is kept, and buckets of a scan the union over both extreme orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.correction.biased import SIDES, biased_rate
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.quantiles import beta_quantile, normal_quantile
from puremetrics.results import Curve, CurveBand
from puremetrics.sampling.bounded import combined_limits
from puremetrics.sampling.clustered import allow_for_groups_in_heads
from puremetrics.sampling.limits import Mixture, bridge_variance
from puremetrics.sampling.list_ranks import extreme_orders
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import Setting, TwoSamples, check_one_weight

__all__ = ["BAND_KINDS", "check_band", "with_band"]

BAND_KINDS = ("pointwise", "simultaneous")
_VERTICES = 256  # that are all kept
_EVEN = 160  # places at even steps
_NEAR = 40  # places near either end
_ANGLES = 7  # of a quarter of an ellipse
_MISSED = (1.0, 0.5)  # labelled and other rows that may have been missed
_LOOKED_AT = 160  # places, for the critical value
_WINDOW = 0.02  # of the places, over which the direction of the curve is taken
_SOME = 0.5  # rows above and below a place, by which it counts for the critical value


def check_band(band: object) -> str | None:
    """The kind of band that is asked for, or None."""
    return None if band is None else check_choice(band, BAND_KINDS, "band")


def with_band(setting: Setting, curve: Curve, kind: str | None) -> Curve:
    """The curve with its band, if one is asked for."""
    if kind is None:
        return curve
    from scipy.special import ndtr

    check_one_weight(
        setting.table, "A band", "Leave out band=…; roc_auc and metric have intervals that do."
    )
    setting = allow_for_groups_in_heads(setting)
    precision = curve.x_label == "recall"
    grid = _grid()[1:] if precision else _grid()
    lows, highs, corners = [], [], setting.at_extremes()
    for samples in _orders(setting):
        places = _Places.of(samples)
        reach = normal_quantile(setting.level)
        if kind == "simultaneous":
            reach = critical_value(setting, places)
        spreads = []
        for point in corners.points():
            low, high = _edges(point, places, reach, grid, precision)
            if precision and setting.prior_drawn:
                low, high = _with_prior_error(point, places, grid, low, high)
            spreads.append((_edges(point, places, 0.0, grid, precision)[0], low, high))
        middle, low, high = np.moveaxis(np.array(spreads), 0, 1)
        level = float(2 * ndtr(reach) - 1)  # errors of the prior count as far as those of the rows
        low, high = limits_over(corners.assumed, (middle, low, high), level)
        lows.append(low)
        highs.append(high)
    held = _held(curve, grid, setting.prior, precision)
    low = np.clip(np.min([*lows, *held], axis=0), 0.0, 1.0)
    high = np.clip(np.max([*highs, *held], axis=0), 0.0, 1.0)
    band = CurveBand(
        grid, low, high, setting.level, kind, setting.kind, curve.x_label, curve.y_label,
        diagnostics=tuple(setting.samples.few_positives()),
    )  # fmt: skip
    return replace(curve, band=band)


def _with_prior_error(
    point: Setting, places: _Places, grid: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Limits of precision that allow for a prior which was drawn with the rows: squared reaches add up."""
    middle = _edges(point, places, 0.0, grid, True)[0]
    moved = [_edges(world, places, 0.0, grid, True)[0] for world in point.other_populations()]
    below, above = middle - np.min(moved, axis=0), np.max(moved, axis=0) - middle
    return combined_limits(middle, (low, high), below, above)


def _grid() -> FloatArray:
    """Where the band is told: closer near both ends."""
    near, far = np.geomspace(1e-4, 0.01, 25)[:-1], np.geomspace(1e-3, 0.01, 6)[:-1]
    return np.unique(np.concatenate([[0.0], near, np.linspace(0.01, 1.0, 100), 1 - far]))


def _orders(setting: Setting) -> Iterator[TwoSamples]:
    yield setting.samples
    if setting.ranked.hidden is not None:
        for order in extreme_orders(setting.ranked):
            yield TwoSamples(order, setting.samples.effect)


@dataclass(frozen=True)
class _Places:
    """Heads along the ranking at a few hundred places, with the effective numbers of rows behind them.

    ``pos`` and ``others`` are shares of labelled and of other rows at or above a place; ``errors`` their
    cumulative squared weights over the squared totals; ``labelled`` is λ, and ``share_error`` its variance.
    """

    pos: FloatArray
    others: FloatArray
    neg: FloatArray
    errors: tuple[FloatArray, FloatArray]
    labelled: float
    share_error: float

    @classmethod
    def of(cls, samples: TwoSamples) -> _Places:
        rest, rest_squares = samples.others
        weighted = samples.weighted
        columns = [
            _running(samples.pos), _running(rest), _running(samples.table.n_neg),
            _running(samples.pos_squares if weighted else samples.pos),
            _running(rest_squares if weighted else rest),
        ]  # fmt: skip
        totals = [max(float(column[-1]), 1e-300) for column in columns]
        scales = [*totals[:3], totals[0] ** 2, totals[1] ** 2]
        place = (columns[0] / totals[0] + columns[1] / totals[1]) / 2
        at = _chosen(place, samples.sizes)
        pos, others, neg, own, other = (
            np.interp(at, place, column / scale)
            for column, scale in zip(columns, scales, strict=True)
        )
        labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        error = labelled * (1 - labelled) / samples.sizes[1]
        return cls(pos, others, neg, (own, other), labelled, error)

    def cmp(self, pos: FloatArray, others: FloatArray) -> FloatArray:
        """F from G and H."""
        return self.labelled * pos + (1 - self.labelled) * others

    def sizes(self) -> tuple[FloatArray, FloatArray]:
        """Effective numbers of rows behind G and H at each place."""
        own = _size(self.pos, self.errors[0])
        other = _size(self.others, self.errors[1])
        if self.labelled:
            smooth = (self.others * other + 1) / (other + 2)
            spread = smooth * (1 - smooth)
            by_share = ((self.pos - self.others) / (1 - self.labelled)) ** 2 * self.share_error
            other = spread / (spread / other + by_share)
        return own, other


def _running(column: CountArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(column, dtype=np.float64)])


def _chosen(place: FloatArray, sizes: tuple[float, float]) -> FloatArray:
    """Places where heads are looked at: those of all rows if they are few, even steps, more near the ends."""
    least = max(min(0.1 / max(sizes), 1e-3), 1e-8)
    near = np.geomspace(least, 0.02, _NEAR)
    parts = [np.linspace(0, 1, _EVEN + 1), near, 1 - near]
    if place.size <= _VERTICES:
        parts.append(place)
    return np.unique(np.clip(np.concatenate(parts), 0.0, 1.0))


def _size(share: FloatArray, errors: FloatArray) -> FloatArray:
    """Number of equal rows whose share would vary as much."""
    total = float(errors[-1])
    variance = bridge_variance(share, errors)
    plain = np.full(share.size, 1 / total)
    spread = share * (1 - share)
    some = (variance > 0) & (spread > 1e-12)
    return np.asarray(np.divide(spread, variance, out=plain, where=some))


def _limits(
    share: FloatArray, size: FloatArray, reach: float, missed: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of a share by Beta laws with a row more that may have been missed."""
    from scipy.special import ndtr

    tail, inside, outside = float(ndtr(-reach)), share * size, (1 - share) * size
    low, high = np.zeros(share.size), np.ones(share.size)
    some = inside > 1e-9
    low[some] = beta_quantile(inside[some], outside[some] + missed, tail)
    some = outside > 1e-9
    high[some] = 1 - beta_quantile(outside[some], inside[some] + missed, tail)
    return np.minimum(low, share), np.maximum(high, share)


def _edges(
    point: Setting, places: _Places, reach: float, grid: FloatArray, precision: bool
) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper edge at one pair of prior and purity."""
    sizes = places.sizes()
    (g_low, g_high), (h_low, h_high) = (
        _limits(head, size, reach, missed)
        for head, size, missed in zip((places.pos, places.others), sizes, _MISSED, strict=True)
    )
    angle = np.linspace(0, np.pi / 2, _ANGLES)[:, None]
    across, along = np.cos(angle), np.sin(angle)
    pos_here, others_here = places.pos, places.others
    ends = {
        "low": (
            pos_here - across * (pos_here - g_low),
            others_here + along * (h_high - others_here),
        ),
        "high": (
            pos_here + across * (g_high - pos_here),
            others_here - along * (others_here - h_low),
        ),
    }
    found = {}
    for side in SIDES:
        pos, others = ends[side]
        cmp = places.cmp(pos, others)
        tpr, fpr = corrected_rates(pos, cmp, point.share, point.purity)
        if not point.bias.is_random:
            hidden = point.design.unlabeled_head(point.table.totals, pos, cmp, places.neg)
            moved = biased_rate(point, tpr, hidden, side)
            tpr = np.concatenate([tpr, moved])
            fpr = np.concatenate([fpr, (cmp - point.share * moved) / (1 - point.share)])
        found[side] = _envelope(fpr, tpr, grid, side, across=precision)
    if not precision:
        return found["low"], found["high"]
    low, high = (precision_at(grid, fpr, point.prior) for fpr in (found["low"], found["high"]))
    return low, high


def _envelope(
    fpr: FloatArray, tpr: FloatArray, grid: FloatArray, side: str, across: bool
) -> FloatArray:
    """The edge of all paths together: true positive rates at false ones, or ``across`` the reverse."""
    if side == "high":
        x = np.minimum.accumulate(fpr[:, ::-1], axis=1)[:, ::-1]
        y = np.maximum.accumulate(tpr, axis=1)
    else:
        x = np.maximum.accumulate(fpr, axis=1)
        y = np.minimum.accumulate(tpr[:, ::-1], axis=1)[:, ::-1]
    x, y = np.clip(x, 0.0, 1.0), np.clip(y, 0.0, 1.0)
    if across:
        at = grid + (-1e-9 if side == "high" else 1e-9)
        edges = [np.interp(at, v, u) for u, v in zip(x, y, strict=True)]
        return np.asarray(np.min(edges, axis=0) if side == "high" else np.max(edges, axis=0))
    at = grid + (1e-12 if side == "high" else -1e-12)
    edges = [np.interp(at, u, v) for u, v in zip(x, y, strict=True)]
    return np.asarray(np.max(edges, axis=0) if side == "high" else np.min(edges, axis=0))


def precision_at(recall: FloatArray, fpr: FloatArray, prior: float) -> FloatArray:
    """Precision at recalls with these false positive rates."""
    found = prior * recall
    return np.asarray(found / np.maximum(found + (1 - prior) * np.clip(fpr, 0.0, 1.0), 1e-300))


def _held(curve: Curve, grid: FloatArray, prior: float, precision: bool) -> list[FloatArray]:
    """What the band must hold: the estimated curve, and what biased labels leave open of it."""
    curves = [curve]
    if curve.bias_range is not None:
        curves += [curve.bias_range.lower, curve.bias_range.upper]
    held = []
    for one in curves:
        x = np.maximum.accumulate(one.x)
        if precision:
            place = np.minimum(np.searchsorted(x, grid - 1e-12), x.size - 1)
            held.append(one.y[place])
        else:
            held.append(np.interp(grid, x, np.maximum.accumulate(one.y)))
    return held


def critical_value(setting: Setting, places: _Places) -> float:
    """Quantile of the largest error along the curve, in standard errors; at least that of one point."""
    share, purity, labelled = setting.share, setting.purity, places.labelled
    tpr, fpr = corrected_rates(places.pos, places.cmp(places.pos, places.others), share, purity)
    run, rise = _direction(places, np.maximum.accumulate(fpr), np.maximum.accumulate(tpr))
    by_pos = run * (1 - share) + rise * share
    by_cmp = -run * (1 - purity) - rise * purity
    on_pos, on_others = by_pos + labelled * by_cmp, (1 - labelled) * by_cmp
    on_share = (places.pos - places.others) * by_cmp
    own, other = places.errors
    size, others = 1 / float(own[-1]), 1 / float(other[-1])
    kept = (size * np.minimum(places.pos, 1 - places.pos) >= _SOME) | (
        others * np.minimum(places.others, 1 - places.others) >= _SOME
    )
    few = np.unique(np.linspace(0, places.pos.size - 1, _LOOKED_AT).astype(int))
    error = Mixture(few.size)
    error.add_bridge(on_pos[few], places.pos[few], own[few])
    error.add_bridge(on_others[few], places.others[few], other[few])
    error.add_number(on_share[few], places.share_error)
    return error.largest(setting.level, kept[few])


def _direction(places: _Places, fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far the curve runs and rises around each place, over a window of the ranking."""
    along = (places.pos + places.others) / 2
    ends = [np.clip(along + sign * _WINDOW, 0.0, 1.0) for sign in (-1, 1)]
    run, rise = (
        np.maximum(np.interp(ends[1], along, rate) - np.interp(ends[0], along, rate), 1e-9)
        for rate in (fpr, tpr)
    )
    length = np.hypot(run, rise)
    return run / length, rise / length
