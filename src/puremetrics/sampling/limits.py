"""Limits that behave in small samples.

For rates at a fixed threshold, G and F are proportions. `agresti_coull` gives each its limits, and
`recovered_limits` carries them through any function of both (MOVER: the method of variance
estimates recovery, which keeps the asymmetry of each limit and needs no derivative).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.results import Interval
from puremetrics.sampling.variance import LinearVariance
from puremetrics.setting import Setting, TwoSamples

__all__ = [
    "agresti_coull",
    "bounded_interval",
    "logit_limits",
    "moved_inside",
    "recovered_limits",
]

OfShares = Callable[[FloatArray, FloatArray], FloatArray]


def logit_limits(
    value: float, variance: LinearVariance, level: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Student limits on the logit scale of (low, high), where ``value`` must lie strictly inside."""
    scaled = (value - low) / (high - low)
    error = np.sqrt(variance.total) / (high - low) / (scaled * (1 - scaled))
    reach = student_quantile(variance.degrees, level) * error
    odds = np.log(scaled / (1 - scaled))
    limits = 1 / (1 + np.exp(-np.clip(odds + np.array([-reach, reach]), -700, 700)))
    return tuple(float(low + (high - low) * limit) for limit in limits)  # type: ignore[return-value]


def agresti_coull(share: float, size: float, level: float) -> tuple[float, float]:
    """Agresti–Coull limits of a proportion; ``size`` may be an effective (weighted) size."""
    z = normal_quantile(level)
    padded = size + z**2
    centre = (share * size + z**2 / 2) / padded
    reach = z * np.sqrt(centre * (1 - centre) / padded)
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


def recovered_limits(
    samples: TwoSamples,
    function: OfShares,
    share_pos: float,
    share_cmp: float,
    level: float,
    sizes: tuple[float, float] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Limits of ``function(G, F)`` at one threshold, from the limits of G and of F.

    ``sizes`` are the effective numbers of rows there; of a table with weights those of
    `TwoSamples.sizes_at`.

    The function takes shares of shape (m,) and returns values of shape (…, m): limits of all of its
    versions, such as those at several priors, come out at once, with shape (…).

    In a single training set G and F are correlated through the labelled rows (`TwoSamples.correlation`).
    """
    size_pos, size_cmp = samples.sizes if sizes is None else sizes
    g_low, g_high = agresti_coull(share_pos, size_pos, level)
    f_low, f_high = agresti_coull(share_cmp, size_cmp, level)
    correlation = samples.correlation(share_pos, share_cmp, (size_pos, size_cmp))
    g = np.array([share_pos, g_low, g_high, share_pos, share_pos])
    f = np.array([share_cmp, share_cmp, share_cmp, f_low, f_high])
    values = np.asarray(function(g, f))
    centre, at_g, at_f = values[..., 0], values[..., 1:3], values[..., 3:5]
    limits = []
    with np.errstate(invalid="ignore"):
        for sign in (-1.0, 1.0):
            by_g, g_side = _farthest(sign * (at_g - centre[..., None]))
            by_f, f_side = _farthest(sign * (at_f - centre[..., None]))
            joint = 2 * correlation * by_g * by_f * np.where(g_side == f_side, 1.0, -1.0)
            reach = np.sqrt(np.maximum(by_g**2 + by_f**2 + joint, 0.0))
            endless = ~np.isfinite(by_g + by_f)
            limits.append(np.where(endless, sign * np.inf, centre + sign * reach))
    undefined = ~np.isfinite(centre)
    if undefined.any():  # a ratio with an empty bottom: all that the corners still say
        corners = function(
            np.array([g_low, g_low, g_high, g_high]), np.array([f_low, f_high, f_low, f_high])
        )
        unknown = np.isnan(corners)
        low = np.where(unknown, np.inf, corners).min(axis=-1)
        high = np.where(unknown, -np.inf, corners).max(axis=-1)
        nothing = unknown.all(axis=-1)
        limits[0] = np.where(undefined, np.where(nothing, -np.inf, low), limits[0])
        limits[1] = np.where(undefined, np.where(nothing, np.inf, high), limits[1])
    return limits[0], limits[1]


def _farthest(moves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The larger of two moves, at least 0, and which of them it is."""
    moves = np.maximum(moves, 0.0)
    side = np.argmax(moves, axis=-1)
    return np.take_along_axis(moves, side[..., None], axis=-1)[..., 0], side


def moved_inside(formula: Formula, value: float) -> float:
    """The value, or the end of the metric's range that it lies beyond."""
    return float(min(max(value, formula.low), formula.high))


def bounded_interval(
    setting: Setting, formula: Formula, value: float, low: float, high: float, method: str
) -> tuple[Interval, list[Diagnostic]]:
    """Cut limits to the range of the quantity, and say when value or limits leave it.

    The interval holds the value, as `moved_inside` gives it. Where all of it lies outside the range, the
    value that was moved keeps its reach: nothing is certain because it is impossible.
    """
    remarks = []
    assumed = f"prior={setting.prior:.4g} and purity={setting.purity:.4g}"
    inside = moved_inside(formula, value)
    ends = moved_inside(formula, low), moved_inside(formula, high)
    if abs(value - inside) > 1e-12 and ends[0] >= ends[1]:
        remarks.append(
            Diagnostic(
                "PM101",
                f"{formula.name} came out at {value:.4g}, outside [{formula.low:g}, {formula.high:g}] by "
                f"more than sampling error: with {assumed} more positives would have to be among the top "
                "scores than there are rows. The prior is too high, or the labels are not a random sample "
                "of the positives.",
            )
        )
    if ends[0] >= ends[1] and high > low:
        remarks.append(
            Diagnostic(
                "PM102",
                f"the whole interval, {low:.4g} to {high:.4g}, lies outside the range of "
                f"{formula.name}: the data contradict {assumed}. Try a smaller prior or check how "
                "labels were given.",
            )
        )
        endless = np.isinf(value)  # a reach from there would be endless, or infinity less infinity
        ends = (
            moved_inside(formula, -np.inf if endless else inside - (value - low)),
            moved_inside(formula, np.inf if endless else inside + (high - value)),
        )
    return setting.interval(min(ends[0], inside), max(ends[1], inside), method), remarks
