"""The corrected average precision: precision averaged over gains in recall.

It is the step-wise sum over gains in recall, as in scikit-learn, whose numbers come out on fully labelled
data; the curve is that of `curves.pr_curve`.

The interval is that of `precision_limits`, which allows for positives at the top that no label has shown. A
second one uses the linearised variance of the raw sum, on the logit scale. It serves where labels are
noisy or all rows labelled; and where the comparison sample holds fifty positives or more, the lower limit
lies halfway between both if the second one is closer. Precision divides by an estimated share, which biases
it upwards where few rows have been reached: that lower limit starts from the value less the bias.

Precision is held to at most 1, and does not vary where it is. The standard error knows that. For a limit it
would claim too much, since a precision just below 1 is held to it in some samples only: the second lower
limit takes the mean of the two standard errors, with and without.
"""

from __future__ import annotations

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_precision, check_alone
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.correction.areas import no_bracket, no_variance, without_variance
from puremetrics.correction.biased import SIDES, bias_interval
from puremetrics.correction.biased_precision import precision_heads, tilted_setting
from puremetrics.correction.curves import (
    METHODS,
    area_of,
    banded,
    path_of,
    pr_curve_of,
    precision_of,
)
from puremetrics.correction.precision_limits import spacing_limits
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.quantiles import student_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.clustered import robust
from puremetrics.sampling.limits import (
    LinearVariance,
    bounded_interval,
    linear_variance,
    logit_limits,
)
from puremetrics.sampling.list_ranks import bracket_of, extreme_orders, mixed_precision, widened
from puremetrics.setting import PriorLike, PurityLike, Setting, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "average_precision",
    "precision_estimate",
    "precision_influence",
    "precision_limits_at",
]

_ENOUGH = 50  # positives in the comparison sample for the linearised lower limit
_FEW_HIDDEN = 20  # positives in it below which PM110 warns
_TINY = 1e-100  # its square must not underflow
_SLACK = 1e-12  # of a precision of 1, where biased labels leave no room for negatives
_AP = Formula("average_precision", "Average precision", 0.0, 1.0, np.asarray)


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
    if audit is not None:
        check_alone(prior, label_bias)
        return audited_precision(Audited.of(table, audit, purity, confidence_level))
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    return precision_estimate(setting, check_choice(method, METHODS[1:], "method"))


def precision_estimate(setting: Setting, method: str = "indirect") -> Estimate:
    """The average precision of a setting, with its curve and interval."""
    setting = robust(setting, *precision_influence(setting))
    curve = banded(setting, pr_curve_of, method, in_blocks=True)
    value = curve.area
    remarks = [*curve.diagnostics, *setting.samples.few_positives()]
    remarks += no_bracket(setting.ranked, method)
    error, ends_here = precision_limits_at(setting, value)
    if error == 0.0:
        remarks.append(no_variance(_AP.name))
    remarks += _few_hidden(setting)
    limits = [ends_here]
    for point in setting.points()[1:]:
        limits.append(precision_limits_at(point, area_of(pr_curve_of, point, method))[1])
    biased = None
    if not setting.bias.is_random:
        for point in setting.extremes():
            values = []
            for side in SIDES:
                heads = precision_heads(point, side)
                values.append(area_of(pr_curve_of, point, method, heads))
                limits.append(precision_limits_at(tilted_setting(point, heads), values[-1])[1])
            biased = biased or bias_interval(values)
            limits.append((min(values), max(values)))
    bracket = _bracket(setting, method, value)
    low, high = min(ends[0] for ends in limits), max(ends[1] for ends in limits)
    low, high = widened((low, high), value, bracket)
    interval, out_of_range = bounded_interval(setting, _AP, value, low, high, "spacings_beta")
    return Estimate(
        name=_AP.name,
        title=_AP.title,
        value=value,
        interval=interval,
        standard_error=setting.standard_error(error),
        method=method,
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        purity=setting.purity,
        curve=curve,
        diagnostics=(*setting.diagnostics, *remarks, *out_of_range),
        bracket=bracket,
        label_bias=setting.bias.most,
        bias_range=biased,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )


def precision_limits_at(point: Setting, value: float) -> tuple[float, tuple[float, float]]:
    """Standard error and limits with prior and purity taken as known."""
    variance, inflation = _variance(point)
    held = linear_variance(point.samples, *precision_influence(point, held=True))
    error = float(np.sqrt(held.total))
    if not (point.assumed.clean and point.share == point.prior):
        if variance.total == 0.0:
            return error, without_variance(point, value)
        return error, _limits(value, variance, inflation, point.level)
    low, high = spacing_limits(point)
    if variance.total > 0 and point.prior * point.samples.sizes[1] >= _ENOUGH:
        between = variance._replace(total=((error + np.sqrt(variance.total)) / 2) ** 2)
        low += max(_limits(value, between, inflation, point.level)[0] - low, 0.0) / 2
    return error, (min(low, value), max(high, value))


def precision_influence(setting: Setting, held: bool = False) -> tuple[FloatArray, FloatArray]:
    """Influence of each row on the raw average precision Σ (γ_i − γ_{i−1})·prior·γ_i / Q_i.

    Q_i = prior·γ_i + (1 − prior)·η_i is the share predicted positive. A row's influence through G (or F)
    is the sum of the derivatives by that head over all thresholds at or below the row. With ``held`` a
    precision that is held to 1 has no derivative.
    """
    heads, prior, purity, share = setting.heads, setting.prior, setting.purity, setting.share
    tpr, _ = corrected_rates(heads.pos, heads.cmp, share, purity)
    by_pos = corrected_rates(np.array(1.0), np.array(0.0), share, purity)
    by_cmp = corrected_rates(np.array(0.0), np.array(1.0), share, purity)
    found, bottom = _found_and_reached(setting)
    gain, precision = np.diff(tpr), np.maximum(found, 0.0) / bottom
    varies = found < bottom * (1 - _SLACK) if held else np.ones(found.shape, dtype=np.bool_)
    slope_tpr = np.where(found > 0, prior * (bottom - found) / bottom**2, 0.0)
    slope_fpr = np.where(varies, -(1 - prior) * np.maximum(found, 0.0) / bottom**2, 0.0)
    on_tpr = precision - np.append(precision[1:], 0.0) + gain * slope_tpr
    on_fpr = gain * slope_fpr
    influence = []
    for tpr_part, fpr_part in (by_pos, by_cmp):
        by_head = tpr_part * on_tpr + fpr_part * on_fpr
        influence.append(np.cumsum(by_head[::-1])[::-1])
    return influence[0], influence[1]


def _found_and_reached(setting: Setting) -> tuple[FloatArray, FloatArray]:
    """Shares of the population found and predicted positive; precision is held to at most 1."""
    heads, prior = setting.heads, setting.prior
    tpr, fpr = corrected_rates(heads.pos[1:], heads.cmp[1:], setting.share, setting.purity)
    found = prior * tpr
    reached = found + (1 - prior) * fpr
    return found, np.maximum(np.maximum(reached, found), _TINY)


def _few_hidden(setting: Setting) -> list[Diagnostic]:
    """PM110 if hardly any row of the comparison sample is positive, so that its top cannot be counted."""
    rows = setting.samples.sizes[1]
    count = setting.share * rows
    if setting.share == 0 or count >= _FEW_HIDDEN:
        return []
    return [
        Diagnostic(
            "PM110",
            f"at this prior only about {count:.2g} of the {rows:.6g} rows that precision is counted among "
            "are positive, so the share of rows at the top is hardly known and the interval approximate. "
            "More unlabeled rows would help most.",
        )
    ]


def _variance(setting: Setting) -> tuple[LinearVariance, float]:
    """Variance of the raw average precision, and the factor by which two biases raise it.

    E[1/Q̂] > 1/Q, to second order, and each labelled positive is counted in its own head.
    """
    samples, heads, share, purity = setting.samples, setting.heads, setting.share, setting.purity
    gain = np.diff(corrected_rates(heads.pos, heads.cmp, share, purity)[0])
    found, bottom = _found_and_reached(setting)
    size_pos, size_cmp = samples.sizes
    excess = _head_variance(samples) / np.maximum(bottom, 1 / size_cmp) ** 2
    others = np.maximum(size_pos * heads.pos[1:] - 1, 0.0) / max(size_pos - 1, 1.0)
    without = corrected_rates(others, heads.cmp[1:], share, purity)[0]
    without = np.maximum(setting.prior * without, 0.0)
    total = weighted_sum(gain, np.maximum(found, 0.0) / bottom)
    deflated = weighted_sum(gain, without / bottom / (1 + excess))
    inflation = total / deflated if total > 0 and deflated > 0 else 1.0
    return linear_variance(samples, *precision_influence(setting)), max(inflation, 1.0)


def _head_variance(samples: TwoSamples) -> FloatArray:
    """Variance of the share of F in each head, given the labelled positives."""
    counts, squares = samples.others
    total = float(counts.sum())
    head = np.cumsum(counts) / total
    weight = total / samples.total_cmp
    return np.asarray(head * (1 - head) * weight**2 * float(squares.sum()) / total**2)


def _limits(
    value: float, variance: LinearVariance, inflation: float, level: float
) -> tuple[float, float]:
    """Limits of average precision: each end is the tighter one of the logit and the plain scale.

    Near 1 the raw sum varies more than its repaired value, which cannot pass 1, and the logit scale
    would stretch that into a uselessly low limit. Not so the upper end there: the repair biases the
    value downwards, so the farther one is taken.
    """
    ends = [
        (_logit_or_plain(centre, variance, level)[side], _plain(centre, variance, level)[side])
        for side, centre in enumerate((value / inflation, value))
    ]
    return max(ends[0]), (max if value > 0.5 else min)(ends[1])


def _logit_or_plain(value: float, variance: LinearVariance, level: float) -> tuple[float, float]:
    if variance.total > 0 and 0 < value < 1:
        return logit_limits(value, variance, level)
    return _plain(value, variance, level)


def _plain(value: float, variance: LinearVariance, level: float) -> tuple[float, float]:
    reach = student_quantile(variance.degrees, level) * float(np.sqrt(variance.total))
    return value - reach, value + reach


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
