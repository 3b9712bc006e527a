"""Partial areas under the ROC curve: up to a false positive rate, or over a range of recall.

With γ and η the true and false positive rates along the ranking,

    A(x) = ∫ γ dη over η ≤ x        = mean over positives of (x − η)₊,
    B(l, h) = ∫ (1 − η) dγ over l ≤ γ ≤ h = (h − l) − mean over negatives of (h − γ)₊ − (l − γ)₊,

so neither has a jump at the end of its range, and the influence of a row is plain: what it adds itself,
and what it moves of the others by being one more above them. Through Jain's correction both become
influences on G and F. Limits are those of bounded means; the value is the area under the repaired curve,
as for `roc_auc`.

Where the part of the curve rests on few rows, its end is hardly known, and reaches are as much longer as
Student's limits with so many rows are: the labelled ones above the end, or in the range of recall, and the
negatives below the rate.

Both are put on McClish's scale (1989), on which chance is ½ and a perfect ranking 1, as scikit-learn does
with ``max_fpr``: ½·(1 + (A − x²/2)/(x − x²/2)), and the same for B with its area at chance, (h − l) − (h²
− l²)/2.

Biased labels: the areas between the pointwise limits of the curve, which enclose; limits beyond them are
as many times wider as some positives may be more likely to be labelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import bias_interval
from puremetrics.correction.curves import banded, roc_curve_of
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Curve, Estimate
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.clustered import robust
from puremetrics.sampling.limits import bounded_interval, linear_variance, moved_inside
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders, widened
from puremetrics.setting import Setting, TwoSamples

__all__ = [
    "Part",
    "check_part",
    "partial_area",
    "partial_estimate",
    "partial_influence",
    "partial_value",
]

_FEWEST = 2.0  # degrees of freedom


@dataclass(frozen=True)
class Part:
    """Which part of the curve: false positive rates up to ``fpr``, or recalls from ``low`` to ``high``."""

    fpr: float | None = None
    low: float = 0.0
    high: float = 1.0

    @property
    def chance(self) -> float:
        """The area of a random ranking."""
        if self.fpr is not None:
            return self.fpr**2 / 2
        return self.perfect - (self.high**2 - self.low**2) / 2

    @property
    def perfect(self) -> float:
        """The area of a perfect one."""
        return self.fpr if self.fpr is not None else self.high - self.low

    def scaled(self, area: float) -> float:
        """An area on McClish's scale."""
        return (1 + (area - self.chance) / (self.perfect - self.chance)) / 2

    @property
    def formula(self) -> Formula:
        """Name and range."""
        what = (
            f"FPR up to {self.fpr:g}"
            if self.fpr is not None
            else f"recall {self.low:g} to {self.high:g}"
        )
        return Formula(
            "partial_roc_auc", f"Partial ROC AUC ({what})", self.scaled(0.0), 1.0, np.asarray
        )


def check_part(max_fpr: object, recall_range: object) -> Part | None:
    """Which part is asked for; None for the whole curve."""
    if max_fpr is not None and recall_range is not None:
        raise InputError("Both max_fpr and recall_range were given. Pass one of them.")
    if max_fpr is not None:
        rate = check_number(max_fpr, "max_fpr")
        if not 0 < rate <= 1:
            raise InputError(f"max_fpr={rate:g} must lie above 0 and be at most 1.")
        return None if rate == 1 else Part(rate)
    if recall_range is None:
        return None
    pair = recall_range.tolist() if isinstance(recall_range, np.ndarray) else recall_range
    ends = list(pair) if isinstance(pair, tuple | list) else []
    if len(ends) != 2:
        raise InputError(f"recall_range={shown(recall_range)} must be a pair such as (0.8, 1).")
    low, high = (check_number(end, "an end of recall_range") for end in ends)
    if not 0 <= low < high <= 1:
        raise InputError(
            f"recall_range=({low:g}, {high:g}) must rise from its lower to its higher end, within 0 and 1."
        )
    return None if (low, high) == (0, 1) else Part(None, low, high)


def partial_area(curve: Curve, part: Part) -> float:
    """The area of that part below a curve."""
    if part.fpr is not None:
        x, y = _until(curve.x, curve.y, part.fpr)
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    area = 0.0
    for end, sign in ((part.high, 1.0), (part.low, -1.0)):
        y, x = _until(curve.y, curve.x, end)
        area += sign * (end - float(np.sum(np.diff(y) * (x[1:] + x[:-1])) / 2))
    return area


def _until(x: FloatArray, y: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """A polyline with rising x up to where x reaches the end."""
    last = int(np.searchsorted(x, end, side="right"))
    if last == x.size:
        return x, y
    start, stop = last - 1, last
    part = (end - x[start]) / (x[stop] - x[start])
    between = y[start] + part * (y[stop] - y[start])
    return np.append(x[:last], end), np.append(y[:last], between)


def _below(first: FloatArray, last: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """Mean of (end − v)₊, and the share with v < end, for v running straight from first to last."""
    low, high = np.minimum(first, last), np.maximum(first, last)
    width = high - low
    crosses = (low < end) & (high > end)
    under = np.maximum(end - low, 0.0)
    safe = np.where(crosses, width, 1.0)
    mean = np.where(crosses, under**2 / (2 * safe), np.maximum(end - (low + high) / 2, 0.0))
    share = np.where(crosses, under / safe, np.where(high <= end, 1.0, 0.0))
    return mean, np.where((width == 0) & (low >= end), 0.0, share)


def _summed_below(values: FloatArray) -> FloatArray:
    """Sum over all rows below each, and half of itself."""
    return np.asarray(np.cumsum(values[::-1])[::-1] - values / 2)


def _by_rates(setting: Setting, part: Part) -> tuple[float, FloatArray, FloatArray]:
    """The raw area, and the influence of each row through γ and through η."""
    tpr, fpr = corrected_rates(setting.heads.pos, setting.heads.cmp, setting.share, setting.purity)
    if part.fpr is not None:
        mean, share = _below(fpr[:-1], fpr[1:], part.fpr)
        gain = np.diff(tpr)
        return weighted_sum(gain, mean), mean, -_summed_below(gain * share)
    high, high_share = _below(tpr[:-1], tpr[1:], part.high)
    low, low_share = _below(tpr[:-1], tpr[1:], part.low)
    gain = np.diff(fpr)
    area = part.perfect - weighted_sum(gain, high - low)
    return area, _summed_below(gain * (high_share - low_share)), low - high


def partial_influence(setting: Setting, part: Part) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the scaled area, through G and F."""
    _, on_tpr, on_fpr = _by_rates(setting, part)
    return _carried(setting, part, on_tpr, on_fpr)


def _carried(
    setting: Setting, part: Part, on_tpr: FloatArray, on_fpr: FloatArray
) -> tuple[FloatArray, FloatArray]:
    scale = 2 * (part.perfect - part.chance) * setting.gap
    share, purity = setting.share, setting.purity
    return (
        ((1 - share) * on_tpr - share * on_fpr) / scale,
        (purity * on_fpr - (1 - purity) * on_tpr) / scale,
    )


def _reaches(setting: Setting, part: Part) -> tuple[float, float]:
    """How far the raw area, scaled, may lie below and above."""
    _, on_tpr, on_fpr = _by_rates(setting, part)
    samples = setting.samples
    labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    on_pos, on_cmp = _carried(setting, part, on_tpr, on_fpr)
    corners = [
        _carried(setting, part, np.array([own]), np.array([other]))
        for own, other in _corners(setting, part, on_tpr, on_fpr)
    ]
    first = [float(x[0] + labelled * y[0]) for x, y in corners]
    second = [float(y[0]) for _, y in corners]
    both = on_pos + labelled * on_cmp
    spans = (
        (min(float(both.min()), *first), max(float(both.max()), *first)),
        (min(float(on_cmp.min()), *second), max(float(on_cmp.max()), *second)),
    )
    down, up = linear_reaches(samples, on_pos, on_cmp, setting.level, spans)
    few = _few(setting, part)
    return few * down, few * up


def _corners(
    setting: Setting, part: Part, on_tpr: FloatArray, on_fpr: FloatArray
) -> list[tuple[float, float]]:
    """Influences through γ and η of rows above all others, and below: some may have been missed there.

    A positive below all negatives takes from the last recalls all that is left of the curve.
    """
    if part.fpr is not None:
        return [(part.fpr, float(on_fpr.min(initial=0.0))), (0.0, 0.0)]
    tpr, fpr = corrected_rates(setting.heads.pos, setting.heads.cmp, setting.share, setting.purity)
    reached = float(np.clip(fpr[int(np.argmax(tpr >= 1 - 1e-12))], 0.0, 1.0))
    last = reached - 1 if part.high == 1.0 else 0.0
    return [(float(on_tpr.max(initial=0.0)), -part.perfect), (last, 0.0)]


def _few(setting: Setting, part: Part) -> float:
    """How much wider Student's limits are with the rows that this part of the curve rests on."""
    labelled, others = setting.samples.sizes
    others *= max(1 - setting.share, 0.0)
    curve = setting.heads
    tpr, fpr = corrected_rates(curve.pos, curve.cmp, setting.share, setting.purity)
    if part.fpr is not None:
        inside = float(
            np.clip(tpr[np.searchsorted(np.maximum.accumulate(fpr), part.fpr) - 1], 0.0, 1.0)
        )
        rows = min(labelled * inside, others * part.fpr)
    else:
        rows = labelled * part.perfect
    degrees = max(rows - 1, _FEWEST)
    return student_quantile(degrees, setting.level) / normal_quantile(setting.level)


def partial_value(setting: Setting, part: Part, method: str = "indirect") -> float:
    """The scaled area below the repaired curve."""
    return part.scaled(partial_area(roc_curve_of(setting, method), part))


def partial_estimate(setting: Setting, part: Part, method: str = "indirect") -> Estimate:
    """The scaled partial area of a setting, with its interval."""
    if method == "direct":
        raise InputError(
            "A partial area is that below a curve, and the direct path need not be one. Use "
            "method='indirect' or "
            "'projected'."
        )
    if setting.table.clusters is not None:
        setting = robust(setting, *partial_influence(setting, part))
    curve = banded(setting, roc_curve_of, method, in_blocks=True)
    value, formula = part.scaled(partial_area(curve, part)), part.formula
    ends = [value]
    for point in setting.points():
        raw = part.scaled(_by_rates(point, part)[0])
        down, up = _reaches(point, part)
        ends += [raw - down, raw + up, partial_value(point, part, method)]
    biased = None
    if curve.bias_range is not None:
        edges = [
            part.scaled(partial_area(edge, part))
            for edge in (curve.bias_range.lower, curve.bias_range.upper)
        ]
        biased = bias_interval([*edges, value])
        down, up = _reaches(setting, part)
        ends += [biased.low - setting.bias.most * down, biased.high + setting.bias.most * up]
    bracket = None
    if setting.ranked.hidden is not None and method != "projected":
        orders = [
            part.scaled(partial_area(roc_curve_of(setting, method, TwoSamples(order).heads), part))
            for order in extreme_orders(setting.ranked)
        ]
        bracket = bracket_of(min(orders), max(orders), value)
    low, high = widened((min(ends), max(ends)), value, bracket)
    interval, remarks = bounded_interval(setting, formula, value, low, high, "placements_beta")
    variance = linear_variance(setting.samples, *partial_influence(setting, part))
    return Estimate(
        name=formula.name,
        title=formula.title,
        value=moved_inside(formula, value),
        interval=interval,
        standard_error=setting.standard_error(float(np.sqrt(variance.total))),
        method=method,
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        purity=setting.purity,
        diagnostics=(
            *setting.diagnostics,
            *curve.diagnostics,
            *setting.samples.few_positives(),
            *remarks,
        ),
        bracket=bracket,
        raw=part.scaled(_by_rates(setting, part)[0]),
        label_bias=setting.bias.most,
        bias_range=biased,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )
