"""The corrected average precision: precision averaged over gains in recall.

It is the step-wise sum over gains in recall, as in scikit-learn, whose numbers come out on fully labelled
data; the curve is that of `correction.curves.pr_curve`.

**The interval** comes from the linearised variance of the sum, on the logit scale. Precision is held to at
most 1 and does not vary where it is; the variance knows that. For the lower limit it would claim too much,
since a precision just below 1 is held to it in some samples only: part of the variance without holding is
added, the more the more labels there are, because a bias counts the more the smaller the error. Precision
divides by an estimated share and counts each label in its own head, which both bias it upwards where it is
not held to 1: the lower limit starts from the value less that bias.

Positives at the top that no label has shown have no influence on any variance. A safe pair of limits
allows for them (`spacing_limits`, below). Where positives are many it is far too wide and only bounds the
interval; where the comparison sample holds few of them, or labels are few, the interval moves towards it.
With noisy labels, or all rows labelled, the safe pair is that of the variance without holding.

Biased labels: the average precision is not linear in the positives to be found, and its ends are searched for
(`statistics.biased_search`).

**Limits that allow for positives which no label has shown** (`spacing_limits`). Let u = G(x) be the share of
positives that score at least x. Average precision is ∫ u · c(x) du with c = prior / F(x), a quadratic
function of the shares of positives between labelled scores. Given the labelled scores these shares are random
spacings: Dirichlet, one unit for each label. So the law of the sum

    ½ Σ c_i (U_i² − U_{i−1}²) + ½ Σ_tied c_i D_i²,      U_i = D_0 + … + D_i,

has moments in closed form (the second sum is what a step of tied rows adds, gain times precision at its end).
With S_i the sums of the Dirichlet parameters a_i and A their total, for i ≤ j,

    E[U_i² U_j²] · A(A+1)(A+2)(A+3) = S_i (S_i + 1) (S_j + 2) (S_j + 3),

since U_i / U_j is Beta and independent of U_j; likewise for D_i. A Beta law with that mean and variance gives
the limit. Positives that the labels have missed get a spacing of their own, of weight ⅔: for the upper limit
above the highest score, with a precision of up to 1; for the lower limit at the bottom. Without it a sample
that has no label at the top is sure of a low precision: with rare positives that was too low an upper limit
in up to a third of all samples.

The comparison sample errs, too. A row of F lowers the precision of all heads that it is in; the standard
deviation of that sum is taken on the log scale. A head of few rows is skewed, and the error of its inverse
larger than a normal law says: for the upper limit by the ratio of the exact Poisson limit to the normal one.
For the lower one a head has one row more than it shows, which makes its inverse unbiased.

This holds for clean labels and a comparison sample that is the population, as in both scenarios with
unlabeled rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.auditing import Audit, Audited, audited_precision
from puremetrics.auditing.areas import Measured
from puremetrics.auditing.pairs import Paired, Signs, at_all_purities, paired_precision
from puremetrics.bounds.areas import precision_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.correction.biased import SIDES, bias_interval
from puremetrics.correction.curves import (
    METHODS,
    area_of,
    curve_with_bias_band,
    path_of,
    pr_curve_of,
    precision_of,
)
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import beta_quantile, normal_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.bounded import combined_reach, matched_beta_quantile
from puremetrics.sampling.limits import LinearVariance, linear_variance, logit_limits, plain_limits
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders, mixed_precision
from puremetrics.setting import Heads, PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.statistics.biased_search import extreme_heads, refined_heads, tilted_setting
from puremetrics.statistics.catalogue import Ask, estimate_from, find, register
from puremetrics.statistics.roc_area import no_bracket, no_variance
from puremetrics.statistics.statistic import Centre, ExpectedSum, Influence, Limits, Statistic
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["AveragePrecision", "average_precision", "precision_influence", "precision_limits_at"]

# Positives in the comparison sample at which a limit lies halfway to that of the spacings.
_FEW_BELOW, _FEW_ABOVE = 15.0, 6.0
_FEW_LABELS = 8.0  # up to which limits are those of the spacings
_HELD_VARIES = 0.2  # of a derivative, in differences, means over folds and labels that are tilted
_DOUBT = 0.4  # weight, in the lower limit, of the error without holding precision to 1, with many labels;
_DOUBT_LABELS = 50.0  # with so many, half of it
_FEW_HIDDEN = 20  # positives in it below which PM110 warns
_TINY = 1e-100  # its square must not underflow
_SLACK = 1e-12  # of a precision of 1, where biased labels leave no room for negatives


@takes_data
def average_precision(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    method: str = "indirect",
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
    evidence: Any = None,
) -> Estimate:
    """Estimate the average precision: precision averaged over gains in recall.

    It refers to the population of the scenario, so it depends on the prior itself, not only
    through the correction. Parameters are those of `roc_auc`, with ``method`` "indirect" or
    "projected".

    Returns
    -------
    Estimate
        Its ``curve`` is the precision-recall curve whose area, by steps, is the value.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(average_precision(table, prior=0.25)), 3)
    0.5
    """
    statistic = find("average_precision", {"method": method})
    return estimate_from(
        statistic, table, prior, purity, confidence_level, label_bias, label_bias_side, audit,
        prior_of, evidence,
    )  # fmt: skip


@dataclass(frozen=True)
class AveragePrecision(Statistic):
    """Precision averaged over gains in recall; ``method`` says how the path is made a curve."""

    method: str = "indirect"
    name = "average_precision"
    title = "Average precision"
    interval_method = "spacings_beta"
    compared_by = "bootstrap"
    ranked_by_prior = True
    in_blocks = True

    def value(self, world: Setting) -> float:
        return area_of(pr_curve_of, world, self.method)

    def influence(self, world: Setting) -> Influence:
        """With a part of what a precision that is held to 1 would vary: it is not held in every sample."""
        return precision_influence(world, kept=_HELD_VARIES)

    def centre(self, setting: Setting) -> Centre:
        curve = curve_with_bias_band(setting, pr_curve_of, self.method, in_blocks=True)
        remarks = [*curve.diagnostics, *no_bracket(setting.ranked, self.method)]
        error = float(np.sqrt(_held_variance(setting).total))
        if error == 0.0:
            remarks.append(no_variance(self.name))
        remarks += _few_hidden(setting)
        return Centre(curve.area, curve.area, error, curve, tuple(remarks))

    def limits_at(self, world: Setting) -> Limits:
        return precision_limits_at(world, self.value(world))

    def bracket(self, setting: Setting, centre: Centre) -> Interval | None:
        return _bracket(setting, self.method, centre.value)

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        """A search over steps along the ranking, and on from the best."""
        ends = [self._moved(setting, centre.value, heads) for heads in _extreme_heads(setting)]
        return bias_interval([centre.value, *ends])

    def _moved(self, world: Setting, value: float, heads: Heads) -> float:
        """The value, moved by what other heads add before any repair.

        Where positives do not fit among the unlabeled, the repaired curve of other heads jumps, up or down.
        """
        moved = _raw_precision(world, heads) - _raw_precision(world, world.heads)
        return self.inside(value + float(moved))

    def bias_limits(self, setting: Setting, centre: Centre, open_: Interval) -> list[float]:
        """The limits of rows that are tilted so, in all worlds that may be extreme."""
        ends: list[float] = []
        for world in (setting, *setting.extremes()[1:]):
            here = self.value(world)
            for heads in _extreme_heads(world):
                value = self._moved(world, here, heads)
                ends += [value, *precision_limits_at(tilted_setting(world, heads), value)]
        return ends

    def audited(self, audited: Audited) -> Measured:
        return audited_precision(audited)

    def audited_pair(self, paired: Paired, signs: Signs) -> Measured:
        return at_all_purities(paired, lambda end: paired_precision(end, signs))

    def expected_sum(self, positives: FloatArray, rows: FloatArray) -> ExpectedSum:
        return _expected(positives, rows, 1.0)

    def expected_value(
        self, positives: FloatArray, rows: FloatArray, table: ScoreTable, edges: FloatArray
    ) -> ExpectedSum:
        # Rows of one range are not tied: on the average half of them are above a positive there.
        return _expected(positives, rows, 0.5)

    def bounds(self, choice: LatentChoice) -> Interval:
        return precision_area_bounds(choice, pr_bounds_of(choice, roc_bounds_of(choice)))


def _expected(positives: FloatArray, rows: FloatArray, part: float) -> ExpectedSum:
    """The average precision if so much of a positive's own range counts as above it."""
    total, left = max(float(positives.sum()), 1e-9), 1 - part
    heads = np.maximum(np.cumsum(rows[::-1])[::-1] - left * rows, 1e-300)
    found = np.cumsum(positives[::-1])[::-1] - left * positives
    precision = np.minimum(found / heads, 1.0)
    value = float(positives @ precision) / total
    by_found, by_rows = positives / heads, positives * precision / heads
    gain = precision + np.cumsum(by_found) - left * by_found - value
    others = left * by_rows - np.cumsum(by_rows)
    return ExpectedSum.of(value, gain, others, total, positives, rows)


def _extreme_heads(world: Setting) -> list[Heads]:
    """The heads with the smallest and with the largest average precision that biased labels allow."""

    def search() -> list[Heads]:
        return [
            refined_heads(world, side, extreme_heads(world, side, _raw_precision), _raw_precision)
            for side in SIDES
        ]

    found: list[Heads] = world.once("extreme precision", search)
    return found


def _asked(ask: Ask) -> AveragePrecision:
    return AveragePrecision(check_choice(ask.take("method", "indirect"), METHODS[1:], "method"))


register("average_precision", _asked)


def precision_limits_at(point: Setting, value: float) -> Limits:
    """Limits with prior and purity taken as known."""
    variance = linear_variance(point.samples, *precision_influence(point))
    by_spacings = point.assumed.clean and point.share == point.prior
    if variance.total == 0.0 and not by_spacings:
        return without_variance(point, value)
    least, most = spacing_limits(point) if by_spacings else _unheld_limits(point, value, variance)
    too_few = point.samples.sizes[0] < _FEWEST - _SLACK_OF_LABELS
    if variance.total == 0.0 or too_few:
        return min(least, value), max(most, value)
    low, high = _linear_limits(point, value, variance)
    low, high = max(low, least), min(high, most) if by_spacings else high
    labels, hidden = point.samples.sizes[0], point.share * point.samples.sizes[1]
    by_labels = max(1 - (_FEW_LABELS / labels) ** 2, 0.0)
    low += (least - low) * (1 - by_labels * hidden / (_FEW_BELOW + hidden))
    high += (most - high) * _FEW_ABOVE / (_FEW_ABOVE + hidden)
    return min(low, value), max(high, value)


def _linear_limits(point: Setting, value: float, variance: LinearVariance) -> Limits:
    """Limits from the variance of a precision that is held to 1; see the module's docstring."""
    held = _held_variance(point)
    labels = point.samples.sizes[0]
    doubt = _DOUBT * labels / (labels + _DOUBT_LABELS)
    error = np.sqrt(held.total) * (1 - doubt) + np.sqrt(variance.total) * doubt
    below = held._replace(total=float(error) ** 2)
    low = max(_both_scales(value / _inflation(point, held=True), below, point.level, 0))
    above = _both_scales(value, held, point.level, 1)
    return low, max(above) if value > 0.5 else above[0]


def _unheld_limits(point: Setting, value: float, variance: LinearVariance) -> Limits:
    """Limits from the variance of a precision that is not held to 1.

    Near 1 the raw sum varies more than its repaired value, which cannot pass 1, and the logit scale
    would stretch that into a uselessly low limit. Not so the upper end there: the repair biases the
    value downwards, so the farther one is taken.
    """
    low = max(_both_scales(value / _inflation(point), variance, point.level, 0))
    above = _both_scales(value, variance, point.level, 1)
    return low, (max if value > 0.5 else min)(above)


def _both_scales(centre: float, variance: LinearVariance, level: float, side: int) -> Limits:
    """The lower (0) or upper (1) limit on the logit scale, where there is one, and on the plain scale."""
    plain = plain_limits(centre, variance, level)[side]
    if variance.total > 0 and 0 < centre < 1:
        return logit_limits(centre, variance, level)[side], plain
    return plain, plain


def _held_variance(point: Setting) -> LinearVariance:
    """Variance of a precision that does not vary where it is held to 1."""
    return linear_variance(point.samples, *precision_influence(point, kept=0.0))


def without_variance(setting: Setting, value: float) -> tuple[float, float]:
    """Limits where all rows agree: n alike are not yet surprising if a share up to 1 − doubt differs."""
    doubt = ((1 - setting.level) / 2) ** (1 / min(setting.samples.sizes))
    return value * doubt, 1 - (1 - value) * doubt


def precision_influence(setting: Setting, kept: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the raw average precision Σ (γ_i − γ_{i−1})·prior·γ_i / Q_i.

    Q_i = prior·γ_i + (1 − prior)·η_i is the share predicted positive. A row's influence through G (or F)
    is the sum of the derivatives by that head over all thresholds at or below the row. Where precision is
    held to 1, that part of its derivative by the false positive rate is ``kept``.
    """
    prior, purity, share = setting.prior, setting.purity, setting.share
    gap = purity - share
    by_pos, by_cmp = ((1 - share) / gap, -share / gap), ((purity - 1) / gap, purity / gap)
    gain, found, bottom = _parts(setting)
    precision = np.maximum(found, 0.0) / bottom
    part = 1.0 if kept == 1.0 else np.where(_varies(found, bottom), 1.0, kept)
    slope_tpr = np.where(found > 0, prior * (bottom - found) / bottom**2, 0.0)
    slope_fpr = -part * (1 - prior) * np.maximum(found, 0.0) / bottom**2
    on_tpr = precision - np.append(precision[1:], 0.0) + gain * slope_tpr
    on_fpr = gain * slope_fpr
    influence = []
    for tpr_part, fpr_part in (by_pos, by_cmp):
        by_head = tpr_part * on_tpr + fpr_part * on_fpr
        influence.append(np.cumsum(by_head[::-1])[::-1])
    return influence[0], influence[1]


class _Parts(NamedTuple):
    """Gains in recall, and shares of the population found and predicted positive, at every head."""

    gain: FloatArray
    found: FloatArray
    reached: FloatArray


def _parts(setting: Setting) -> _Parts:
    """What the raw average precision is made of; precision is held to at most 1."""

    def make() -> _Parts:
        heads, prior = setting.heads, setting.prior
        tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
        found = prior * tpr[1:]
        reached = found + (1 - prior) * fpr[1:]
        return _Parts(np.diff(tpr), found, np.maximum(np.maximum(reached, found), _TINY))

    parts: _Parts = setting.once("parts of the average precision", make)
    return parts


def _few_hidden(setting: Setting) -> list[Diagnostic]:
    """PM110 if hardly any row of the comparison sample is positive, so that its top cannot be counted."""
    rows = setting.samples.sizes[1]
    count = setting.share * rows
    if setting.share == 0 or count >= _FEW_HIDDEN:
        return []
    return [
        Diagnostic(
            "PM110",
            f"at this prior only about {count:.2g} of the {rows:.6g} rows that precision is computed from "
            "are positive, so the share of rows at the top is poorly known and the interval is approximate. "
            "More unlabeled rows would help most.",
        )
    ]


def _inflation(setting: Setting, held: bool = False) -> float:
    """The factor by which two biases raise the raw average precision.

    E[1/Q̂] > 1/Q, to second order, and each labelled positive is counted in its own head. With ``held`` a
    precision that is held to 1 has neither.
    """
    samples, heads, share, purity = setting.samples, setting.heads, setting.share, setting.purity
    gain, found, bottom = _parts(setting)
    size_pos, size_cmp = samples.sizes
    excess = _head_variance(samples) / np.maximum(bottom, 1 / size_cmp) ** 2
    others = np.maximum(size_pos * heads.pos[1:] - 1, 0.0) / max(size_pos - 1, 1.0)
    without = corrected_rates(others, heads.cmp[1:], share, purity)[0]
    precision = np.maximum(found, 0.0) / bottom
    unbiased = np.maximum(setting.prior * without, 0.0) / bottom / (1 + excess)
    if held:
        unbiased = np.where(_varies(found, bottom), unbiased, precision)
    total, deflated = weighted_sum(gain, precision), weighted_sum(gain, unbiased)
    return max(float(total / deflated), 1.0) if total > 0 and deflated > 0 else 1.0


def _varies(found: FloatArray, bottom: FloatArray) -> BoolArray:
    """At which heads precision is not held to 1."""
    return np.asarray(found < bottom * (1 - _SLACK))


def _head_variance(samples: TwoSamples) -> FloatArray:
    """Variance of the share of F in each head, given the labelled positives."""
    counts, squares = samples.others
    total = float(counts.sum())
    head = np.cumsum(counts) / total
    weight = total / samples.total_cmp
    return np.asarray(head * (1 - head) * weight**2 * float(squares.sum()) / total**2)


def _bracket(setting: Setting, method: str, value: float) -> Interval | None:
    """Between the sums of the lowest and of the highest precision possible at each gain in recall.

    The curve of the rows themselves lies between those of the two extreme orders, so at each recall its
    precision does, too; but where inside a bucket its steps end is unknown. There the extreme
    precision of the piece counts; so it does where a tied row has been split by the repair.
    """
    table, prior = setting.ranked, setting.prior
    if table.hidden is None or method == "projected":
        return None
    ends = []
    for largest, order in enumerate(extreme_orders(table)):
        path = path_of(setting, TwoSamples(order).heads, method)
        precision = precision_of(path.fpr, path.tpr, prior)
        if largest:
            precision[0] = precision[min(1, precision.size - 1)]
        else:
            precision[(path.fpr == 0) & (path.tpr == 0)] = 0.0
        ends.append(
            mixed_precision(
                precision, path.tpr, _open_pieces(table, path.threshold), largest=bool(largest)
            )
        )
    return bracket_of(ends[0], ends[1], value)


def _open_pieces(table: ScoreTable, threshold: FloatArray) -> BoolArray:
    """Which pieces of a path belong to buckets, or to rows of which the path has several pieces."""
    assert table.hidden is not None
    inside = np.isin(threshold[1:], table.score[table.hidden])
    several = threshold[1:][1:] == threshold[1:][:-1]
    return np.asarray(inside | np.append(several, False) | np.insert(several, 0, False))


def _raw_precision(setting: Setting, heads: Heads) -> FloatArray:
    """Σ gain in recall · precision, held to at most 1, of each row of heads; before any repair."""
    prior = setting.prior
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    tpr_after, fpr_after = tpr[..., 1:], fpr[..., 1:]
    reached = prior * tpr_after + (1 - prior) * np.maximum(fpr_after, 0.0)
    precision = np.divide(prior * tpr_after, reached, out=np.ones_like(reached), where=reached > 0)
    return np.asarray(np.sum(np.diff(tpr) * np.clip(precision, 0.0, 1.0), axis=-1))


_MISSED = 2 / 3  # weight of the spacing that no label has shown
_FEW_ROWS = 1000.0  # up to which a limit is searched for
_FEWEST = 3.0  # labels; below, spacings say nothing about the curve
_SLACK_OF_LABELS = 1e-9  # of numbers of labels, which weights make sums of fractions


def quadratic_moments(
    parameters: FloatArray, slope: FloatArray, tied: BoolArray
) -> tuple[float, float]:
    """Mean and variance of the sum in the module's docstring, for Dirichlet spacings; O(spacings)."""
    a, running = parameters, np.cumsum(parameters)
    total = running[-1]
    two, four = total * (total + 1), (total + 2) * (total + 3)
    on_heads = (slope - np.append(slope[1:], 0.0)) / 2
    on_steps = np.where(tied, slope / 2, 0.0)
    first, second = running * (running + 1), (running + 2) * (running + 3)
    own = a * (a + 1)
    heads, steps = on_heads * first / two, on_steps * own / two
    upto_heads, upto_steps = np.cumsum(heads), np.cumsum(steps)
    mean = float(upto_heads[-1] + upto_steps[-1])
    outer, ratio = on_heads * second / four, two / four
    before = np.concatenate([[0.0], upto_heads[:-1]])
    after = upto_steps[-1] - upto_steps
    terms = outer * (2 * before + heads + 2 * upto_steps)
    terms += steps * (on_steps * (a + 2) * (a + 3) / four - ratio * steps)
    terms += 2 * ratio * heads * after
    square = float(np.sum(terms)) + ratio * float(upto_steps[-1]) ** 2
    return mean, max(square - mean**2, 0.0)


class _Heads(NamedTuple):
    """At each labelled score: labels there, rows of F up to it, its share of F, and whether others tie."""

    labels: FloatArray
    others: FloatArray
    found: FloatArray
    tied: BoolArray
    place: npt.NDArray[np.intp]


def spacing_limits(setting: Setting) -> tuple[float, float]:
    """Limits of average precision at the prior of the setting; with one or two labels, 0 and 1."""
    if setting.prior <= 0:
        return 0.0, 0.0
    heads, unit = _heads_of(setting)
    tail, z = (1 - setting.level) / 2, normal_quantile(setting.level)
    labelled = float(heads.labels.sum())
    if labelled < _FEWEST - _SLACK_OF_LABELS:
        return 0.0, 1.0
    reached = np.cumsum(heads.labels) / labelled
    ends = []
    for upper in (False, True):
        rows = heads.found + (0.0 if upper else 1.0) * unit
        slope = np.minimum(setting.prior / np.maximum(rows, unit / 2), 1 / reached)
        missed = _missed(setting.prior, labelled, unit, tail) if upper else None
        own, kept = _spacings(heads, slope, setting.prior, missed)
        mean, variance = quadratic_moments(own.parameters, own.slope, own.tied)
        by_pos = abs(matched_beta_quantile(mean, variance, 1 - tail if upper else tail) - mean)
        gain = _gains(own)[kept]
        error = _error_of_others(
            setting, heads, gain * np.minimum(own.slope[kept], 1 / reached), rows, upper
        )
        if mean <= 0:
            ends.append(mean)
            continue
        grown = np.exp(min(z * error / mean, 700.0)) if upper else np.exp(-z * error / mean)
        reach = combined_reach(by_pos, mean * abs(float(grown) - 1))
        ends.append(mean + reach if upper else mean - reach)
    return max(ends[0], 0.0), min(ends[1], 1.0)


class _Spacings(NamedTuple):
    parameters: FloatArray
    slope: FloatArray
    tied: BoolArray


def _heads_of(setting: Setting) -> tuple[_Heads, float]:
    """Labelled scores with their heads, and the share of one row in F; sizes are effective ones."""
    samples = setting.samples
    size_pos, size_cmp = samples.sizes
    pos, others = (np.asarray(c, dtype=np.float64) for c in (samples.pos, samples.others[0]))
    place = np.flatnonzero(pos > 0)
    labels = pos[place] * (size_pos / samples.total_pos)
    running = np.cumsum(others)[place] * (size_cmp / samples.total_cmp)
    found = np.cumsum(np.asarray(samples.cmp, dtype=np.float64))[place] / samples.total_cmp
    squares = np.asarray(samples.pos_squares, dtype=np.float64)[place]
    several = pos[place] ** 2 > (1 + _SLACK_OF_LABELS) * squares  # more than one labelled row
    tied = (others[place] > 0) | several
    return _Heads(labels, running, found, tied, place), 1 / size_cmp


def _missed(prior: float, labelled: float, unit: float, tail: float) -> float:
    """Slope of the spacing above the highest label, whose positives may be the very first rows.

    The precision of a share u up there is u · prior / F, with half a row for F at least, and at most 1. The
    slope is the one that gives the same sum at the largest share that may be there.
    """
    share = beta_quantile(_MISSED, labelled, 1 - tail)
    certain = unit / 2 / prior  # share at which the precision reaches 1
    whole = share**2 / 2 / certain if share <= certain else share - certain / 2
    return float(2 * whole / share**2)


def _spacings(
    heads: _Heads, slope: FloatArray, prior: float, missed: float | None
) -> tuple[_Spacings, slice]:
    """All spacings with the missed one, and which of them are those of the labels."""
    if missed is None:
        parts = np.append(heads.labels, _MISSED), np.append(slope, prior)
        return _Spacings(*parts, np.append(heads.tied, False)), slice(0, -1)
    before = np.concatenate([slope[:1], slope[:-1]])
    between = np.where(heads.tied, slope, (slope + before) / 2)  # F is smaller higher up
    parts = np.append(_MISSED, heads.labels), np.append(missed, between)
    return _Spacings(*parts, np.append(False, heads.tied)), slice(1, None)


def _gains(own: _Spacings) -> FloatArray:
    """What one unit of slope adds to the sum, at the mean shares."""
    share = own.parameters / own.parameters.sum()
    running = np.cumsum(share)
    before = running - share
    return np.asarray(np.where(own.tied, share * running, (running**2 - before**2) / 2))


def _error_of_others(
    setting: Setting, heads: _Heads, precision: FloatArray, rows: FloatArray, upper: bool
) -> float:
    """Standard deviation of the sum due to the rows of F that carry no label."""
    samples = setting.samples
    others = np.asarray(samples.others[0], dtype=np.float64)
    total, size_cmp = float(others.sum()), samples.sizes[1]
    weight = total / samples.total_cmp
    by_head = precision / np.maximum(rows, 1 / size_cmp) * weight
    if upper:
        by_head = by_head * _skew(heads.others, setting.level)
    below = np.append(np.cumsum(by_head[::-1])[::-1], 0.0)
    reached = below[np.searchsorted(heads.place, np.arange(others.size), side="left")]
    mean = float(weighted_sum(others, reached)) / total
    spread = float(weighted_sum(others, (reached - mean) ** 2)) + 0.5 * (below[0] - mean) ** 2
    return float(np.sqrt(spread / (total + 0.5) / (size_cmp * weight)))


def _skew(rows: FloatArray, level: float) -> FloatArray:
    """Reach of the exact lower Poisson limit of a number of rows, on the log scale, over the normal one."""
    from scipy.special import gammaincinv

    count, z = np.maximum(rows, 1.0), -normal_quantile(level)
    root, q = np.sqrt(count), z * z
    # Cornish and Fisher's expansion: for many rows as good as the search, and much faster.
    limit = count + root * z + (q - 1) / 3 + z * (q - 7) / (36 * root)
    limit -= (3 * q**2 + 7 * q - 16) / (810 * count)
    limit += z * (9 * q**2 + 256 * q - 433) / (38880 * count * root)
    limit += (12 * q**3 - 243 * q**2 - 923 * q + 1472) / (204120 * count**2)
    few = (count <= _FEW_ROWS) | (count <= 40 * q)
    limit[few] = gammaincinv(count[few], (1 - level) / 2)
    return np.asarray(np.maximum(np.log(count / limit) * root / -z, 1.0))
