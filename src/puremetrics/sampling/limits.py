"""Variance and limits of a statistic, from the influence of its rows.

**Variance** (`linear_variance`). Every estimator in the correction is a smooth function of two empirical
distributions: G of the labelled positives and F of the comparison sample (see `scenarios`). The function
takes its influence values, one per row of the table for each of the two, and returns the sampling variance.
In case-control G and F are independent samples. In a single training set they share the labelled rows, whose
influence is the sum of both; the number of labelled rows counts as random. With propensities G is a ratio of
sums weighted by 1 / propensity (Hájek), while F counts every row once: a labelled row then adds its weight
times the influence through G, plus that through F. The estimand is that of the population which the rows were
drawn from; for the rows at hand themselves the intervals are wider than need be (`bounds` are about those).

**Limits that behave in small samples.** For rates at a fixed threshold, G and F are proportions.
`agresti_coull` gives each its limits, and `recovered_limits` carries them through any function of both
(MOVER: the method of variance estimates recovery, which keeps the asymmetry of each limit and needs no
derivative).

**Whole distributions at once** (`Mixture`, `bridge_variance`): how far they may be off, as the largest error
along them, in standard errors. The error of the share of a sample above a score, as a function of the score,
is a Brownian bridge in the limit: what the rows of each stretch add, less their share of the sum. A statistic
along the scores whose errors mix several such bridges has a largest error whose law is drawn here, with a
fixed seed. Rows with weights, or that belong to groups, add their squared weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Interval
from puremetrics.setting import Setting, TwoSamples

__all__ = [
    "LinearVariance",
    "Mixture",
    "agresti_coull",
    "bounded_interval",
    "bridge_variance",
    "contributions",
    "linear_variance",
    "logit_limits",
    "move_into_range",
    "plain_limits",
    "recovered",
    "recovered_limits",
]


class LinearVariance(NamedTuple):
    """A variance with its effective degrees of freedom, and the part due to each sample."""

    total: float
    degrees: float
    from_positives: float
    from_others: float


def contributions(
    samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What one row of weight 1 adds to the error of an estimator, through G and through F; by table row.

    ``on_pos`` and ``on_cmp`` are its influence values through G and F; they need not be centred. In a
    single training set a labelled row adds both, each with the weight that it has there.
    """
    total_cmp = samples.total_cmp
    more_pos, more_cmp = samples.row_corrections
    mean_pos = weighted_sum(samples.pos, on_pos) / samples.total_pos
    mean_cmp = weighted_sum(samples.cmp, on_cmp) / total_cmp
    via_pos = (on_pos - mean_pos) / samples.total_pos * more_pos
    via_cmp = (on_cmp - mean_cmp) / total_cmp * more_cmp
    return via_pos, via_cmp


def linear_variance(samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray) -> LinearVariance:
    """Variance of an estimator with influence ``on_pos`` through G and ``on_cmp`` through F.

    With weights the variance is that of a ratio of weighted sums (squared weights), as for
    inverse-propensity or sampling weights.
    """
    via_pos, via_cmp = contributions(samples, on_pos, on_cmp)
    size_pos, size_others = samples.row_sizes
    from_positives = _from_labelled(samples, via_pos, via_cmp)
    if samples.one_sample:
        size_others = max(size_others - size_pos, 2.0)
    from_others = weighted_sum(samples.others[1], via_cmp**2)
    total = from_positives + from_others
    spread = from_positives**2 / max(size_pos - 1, 1.0) + from_others**2 / max(size_others - 1, 1.0)
    degrees = total**2 / spread if spread > 0 else 1.0
    return LinearVariance(total, degrees, from_positives, from_others)


def _from_labelled(samples: TwoSamples, via_pos: FloatArray, via_cmp: FloatArray) -> float:
    """Sum over the labelled rows of the square of what each adds."""
    if not samples.one_sample:
        return weighted_sum(samples.pos_squares, via_pos**2)
    if not samples.table.has_propensities:
        return weighted_sum(samples.pos_squares, (via_pos + via_cmp) ** 2)
    own = weighted_sum(samples.pos_squares, via_pos**2)
    both = weighted_sum(samples.products, via_pos * via_cmp)
    return own + 2 * both + weighted_sum(samples.own_squares, via_cmp**2)


class Ranged(Protocol):
    """A name, and between which values the quantity can lie."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def low(self) -> float:
        """The least value."""

    @property
    def high(self) -> float:
        """The largest value."""


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
    return float(low + (high - low) * limits[0]), float(low + (high - low) * limits[1])


def plain_limits(value: float, variance: LinearVariance, level: float) -> tuple[float, float]:
    """Student limits on the scale of the value itself."""
    reach = student_quantile(variance.degrees, level) * float(np.sqrt(variance.total))
    return value - reach, value + reach


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
    """Limits of ``function(G, F)`` at one threshold, from the limits of G and of F; see `Recovered`."""
    found = recovered(samples, function, share_pos, share_cmp, level, sizes)
    return found.low, found.high


class Recovered(NamedTuple):
    """Limits, and how much of the reach below and above is due to G and to F.

    A part is positive if the statistic rises with the share, so that Σ part · correlation is the correlation
    of the statistic with whatever the two shares are correlated with.
    """

    low: FloatArray
    high: FloatArray
    parts: tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

    def shared(self, correlations: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """Correlations of the errors down and up with something that G and F are correlated with."""
        down, up = (
            sum(part * own for part, own in zip(parts, correlations, strict=True))
            for parts in self.parts
        )
        return np.asarray(down), np.asarray(up)


def recovered(
    samples: TwoSamples,
    function: OfShares,
    share_pos: float,
    share_cmp: float,
    level: float,
    sizes: tuple[float, float] | None = None,
) -> Recovered:
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
    limits, parts = [], []
    with np.errstate(invalid="ignore", divide="ignore"):
        for sign in (-1.0, 1.0):
            by_g, g_side = _farthest(sign * (at_g - centre[..., None]))
            by_f, f_side = _farthest(sign * (at_f - centre[..., None]))
            joint = 2 * correlation * by_g * by_f * np.where(g_side == f_side, 1.0, -1.0)
            reach = np.sqrt(np.maximum(by_g**2 + by_f**2 + joint, 0.0))
            endless = ~np.isfinite(by_g + by_f)
            limits.append(np.where(endless, sign * np.inf, centre + sign * reach))
            some = ~endless & (reach > 0)
            of_g, of_f = (
                np.where(some, by / reach, 0.0) * np.where((side == 0) == (sign < 0), 1.0, -1.0)
                for by, side in ((by_g, g_side), (by_f, f_side))
            )
            parts.append((of_g, of_f))
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
    return Recovered(limits[0], limits[1], (parts[0], parts[1]))


def _farthest(moves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The larger of two moves, at least 0, and which of them it is."""
    moves = np.maximum(moves, 0.0)
    side = np.argmax(moves, axis=-1)
    return np.take_along_axis(moves, side[..., None], axis=-1)[..., 0], side


def move_into_range(formula: Ranged, value: float) -> float:
    """The value, or the end of the metric's range that it lies beyond."""
    return float(min(max(value, formula.low), formula.high))


def bounded_interval(
    setting: Setting, formula: Ranged, value: float, low: float, high: float, method: str
) -> tuple[Interval, list[Diagnostic]]:
    """Cut limits to the range of the quantity, and say when value or limits leave it.

    The interval holds the value, as `move_into_range` gives it. Where all of it lies outside the range, the
    value that was moved keeps its reach: nothing is certain because it is impossible.
    """
    remarks = []
    assumed = f"prior={setting.prior:.4g} and purity={setting.purity:.4g}"
    inside = move_into_range(formula, value)
    ends = move_into_range(formula, low), move_into_range(formula, high)
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
                f"the whole interval, {low:.4g} to {high:.4g}, lies outside the range of {formula.name}: "
                f"the data contradict {assumed}. Try a smaller prior, or check how the rows were labelled.",
            )
        )
        endless = np.isinf(value)  # a reach from there would be endless, or infinity less infinity
        ends = (
            move_into_range(formula, -np.inf if endless else inside - (value - low)),
            move_into_range(formula, np.inf if endless else inside + (high - value)),
        )
    return setting.interval(min(ends[0], inside), max(ends[1], inside), method), remarks


_DRAWS = 2000
_SEED = 0
_NONE = 1e-12  # a variance so small beside the largest one is rounding


def bridge_variance(
    share: FloatArray, errors: FloatArray, total: float | None = None
) -> FloatArray:
    """Variance of shares, from their cumulative squared weights over the squared total of weights."""
    whole = float(errors[-1]) if total is None else total
    return np.asarray(errors * (1 - share) ** 2 + (whole - errors) * share**2)


class Mixture:
    """The error of a statistic at several places, as a sum of independent parts."""

    def __init__(self, places: int) -> None:
        self._rng = np.random.default_rng(_SEED)
        self._error = np.zeros((_DRAWS, places), dtype=np.float32)
        self.variance: FloatArray = np.zeros(places)

    def add_bridge(
        self,
        factor: FloatArray,
        share: FloatArray,
        errors: FloatArray,
        total: float | None = None,
    ) -> None:
        """Add ``factor`` times the error of the shares of a sample.

        ``errors`` are as in `bridge_variance`; their ``total`` is the last of them unless it is given.
        """
        whole = float(errors[-1]) if total is None else total
        steps = np.sqrt(np.maximum(np.diff(errors, prepend=0.0), 0.0))
        left = np.sqrt(max(whole - float(np.sum(steps**2)), 0.0))
        drawn = self._rng.standard_normal(self._error.shape, dtype=np.float32)
        drawn *= steps.astype(np.float32)
        np.cumsum(drawn, axis=1, out=drawn)
        last = drawn[:, -1:] + self._draws() * np.float32(left)
        drawn -= last * share.astype(np.float32)
        drawn *= factor.astype(np.float32)
        self._error += drawn
        self.variance = self.variance + factor**2 * bridge_variance(share, errors, whole)

    def add_number(self, factor: FloatArray, variance: float) -> None:
        """Add ``factor`` times the error of a number, which is the same at all places."""
        if variance <= 0:
            return
        self._error += self._draws() * (factor * np.sqrt(variance)).astype(np.float32)
        self.variance = self.variance + factor**2 * variance

    def _draws(self) -> FloatArray:
        """One draw each."""
        return np.asarray(self._rng.standard_normal((_DRAWS, 1), dtype=np.float32))

    def largest(self, level: float, kept: BoolArray) -> float:
        """Quantile of the largest error at places that are kept; at least that of a single one."""
        least = normal_quantile(level)
        kept = kept & (self.variance > _NONE * float(self.variance.max(initial=0.0)))
        if not kept.any():
            return least
        scaled = self._error[:, kept] / np.sqrt(self.variance[kept]).astype(np.float32)
        return max(float(np.quantile(np.abs(scaled, out=scaled).max(axis=1), level)), least)
