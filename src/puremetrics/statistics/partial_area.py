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
negatives below the rate. A range that goes to recall 1 has one end, whose place is known from the rows on
either side of it: as many again as there are in the range, less one for that place.

Both are put on McClish's scale (1989), on which chance is ½ and a perfect ranking 1, as scikit-learn does
with ``max_fpr``: ½·(1 + (A − x²/2)/(x − x²/2)), and the same for B with its area at chance, (h − l) − (h²
− l²)/2.

Biased labels: the areas between the pointwise limits of the curve, which enclose; limits beyond them are
as many times wider as some positives may be more likely to be labelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import bias_interval
from puremetrics.correction.curves import Part, curve_with_bias_band, partial_area, roc_curve_of
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import InputError
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Interval
from puremetrics.sampling.bounded import linear_reaches
from puremetrics.sampling.limits import linear_variance
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders
from puremetrics.setting import Setting, TwoSamples
from puremetrics.statistics.statistic import Centre, Influence, Limits, Statistic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["PartialRocAuc"]

_FEWEST = 2.0  # degrees of freedom


@dataclass(frozen=True)
class PartialRocAuc(Statistic):
    """The area below a part of the ROC curve, on McClish's scale."""

    part: Part
    method: str = "indirect"
    name = "partial_roc_auc"
    interval_method = "placements_beta"

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"Partial ROC AUC ({self.part.words})"

    @property
    def low(self) -> float:  # type: ignore[override]
        return self.part.scaled(0.0)

    def check(self, table: ScoreTable) -> None:
        super().check(table)
        if self.method == "direct":
            raise InputError(
                "A partial area lies below a curve, and the direct path need not be one. Use "
                "method='indirect' or 'projected'."
            )

    def value(self, world: Setting) -> float:
        return self.part.scaled(partial_area(roc_curve_of(world, self.method), self.part))

    def influence(self, world: Setting) -> Influence:
        _, on_tpr, on_fpr = _by_rates(world, self.part)
        return _carried(world, self.part, on_tpr, on_fpr)

    def _raw(self, world: Setting) -> float:
        """The scaled area of the path before any repair."""
        return self.part.scaled(_by_rates(world, self.part)[0])

    def centre(self, setting: Setting) -> Centre:
        curve = curve_with_bias_band(setting, roc_curve_of, self.method, in_blocks=True)
        value = self.part.scaled(partial_area(curve, self.part))
        variance = linear_variance(setting.samples, *self.influence(setting))
        error = float(np.sqrt(variance.total))
        raw = self._raw(setting)
        return Centre(self.inside(value), value, error, curve, curve.diagnostics, raw)

    def limits_at(self, world: Setting) -> Limits:
        raw, (down, up) = self._raw(world), _reaches(world, self.part)
        value = self.value(world)
        return min(raw - down, value), max(raw + up, value)

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        """Between the pointwise limits of the curve, which enclose."""
        edges = curve_with_bias_band(setting, roc_curve_of, self.method, in_blocks=True).bias_range
        assert edges is not None
        areas = [self.part.scaled(partial_area(e, self.part)) for e in (edges.lower, edges.upper)]
        return bias_interval([*areas, centre.raw])

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        down, up = _reaches(setting, self.part)
        return [open_.low - setting.bias.most * down, open_.high + setting.bias.most * up]

    def bracket(self, setting: Setting, centre: Centre) -> Interval | None:
        if setting.ranked.hidden is None or self.method == "projected":
            return None
        orders = [
            self.part.scaled(
                partial_area(roc_curve_of(setting, self.method, TwoSamples(order).heads), self.part)
            )
            for order in extreme_orders(setting.ranked)
        ]
        return bracket_of(min(orders), max(orders), centre.raw)

    why_not_audited = "where on the curve the positives of a stratum lie is not known"


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
    elif part.high == 1.0:
        rows = labelled * min(2 * part.perfect, 1.0) - 1
    else:
        rows = labelled * part.perfect
    degrees = max(rows - 1, _FEWEST)
    return student_quantile(degrees, setting.level) / normal_quantile(setting.level)
