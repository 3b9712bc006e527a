"""Every metric of the confusion matrix at one threshold, with its interval.

A metric is a function of the two shares G and F at the threshold, at a prior and a purity. Its interval
carries Agresti–Coull limits of both shares through that function (`sampling.limits`), at every pair of
prior and purity that is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, audited_metric, check_alone
from puremetrics.checking.arguments import check_number, renamed
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads, bias_interval, biased_rate
from puremetrics.correction.listed import listed_estimate
from puremetrics.correction.metric_remarks import between_cuts, over_box, undefined
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.correction.top_metric import PRIOR_FREE, at_top, setting_of, threshold_of_top
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import Formula, at_own_risk, find_formula
from puremetrics.results import Estimate, Interval
from puremetrics.sampling.clustered import at_threshold
from puremetrics.sampling.limits import bounded_interval, moved_inside, recovered_limits
from puremetrics.sampling.list_ranks import Top, bracket_of, check_top, widened
from puremetrics.setting import (
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_table,
    check_uncut,
)
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "check_place",
    "metric",
    "metric_estimate",
    "metric_function",
    "metric_limits",
    "metric_slopes",
    "metric_value",
]

OfShares = Callable[[FloatArray, FloatArray], FloatArray]
Options = dict[str, float]


@renamed(name="statistic")
def metric(
    table: ScoreTable,
    statistic: str,
    *,
    threshold: float | None = None,
    top: float | None = None,
    prior: PriorLike = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    **options: float,
) -> Estimate:
    """Estimate any metric of the confusion matrix at one threshold or budget, with its interval.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if the threshold was not chosen on these data.

    Parameters
    ----------
    table : ScoreTable
    statistic : str
        precision, recall, specificity, f1, fbeta (``beta=``), accuracy, balanced_accuracy, mcc,
        informedness, markedness, positive_likelihood_ratio, negative_likelihood_ratio, lift,
        expected_cost (``cost_fp=``, ``cost_fn=``), net_benefit (``threshold_probability=``, by default the
        threshold itself if it is a probability), npv, fpr, fnr, fdr, jaccard, cohen_kappa,
        geometric_mean, predicted_positive_rate, lee_liu (recall² / share predicted positive, in which the
        prior cancels if the labels are pure) or pseudo_f (F1 / prior).
    threshold : float
        Rows with ``score >= threshold`` are predicted positive.
    top : int or float
        In place of a threshold: the first so many rows of the population are, or such a share of them if
        it is a float up to 1. In case-control the population is the unlabeled rows. Rows tied at the end
        count in proportion (PM112). The interval knows that the last score was found on the same rows.
        Recall, fnr and lift then need no prior, as long as every label is right.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the interval. Left out, it is that of
        the prior's estimate, if it has one.
    confidence_level : float, default 0.95
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
    audit : Audit, optional
        Rows that were checked (`plan_audit`). The estimate then rests on them, and assumes neither a prior
        nor random labels: leave out ``prior`` and ``label_bias``.

    Returns
    -------
    Estimate
        Its value is that of corrected rates moved into [0, 1], so that it fits the other metrics at the
        threshold; ``raw`` is what came out of the rates themselves. The interval carries Agresti–Coull limits
        of both samples' shares through the metric, and is cut to the range that the metric can take.
        Diagnostic PM101 says where values are outside by more than sampling error. ``bias_range`` is what
        biased labels leave open, without sampling error.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 3, 2], unlabeled=[3, 2, 1, 0, 0], scenario="case_control")
    >>> round(float(metric(table, "precision", threshold=2, prior=0.2)), 3)
    0.5
    """
    formula, checked = find_formula(statistic, dict(options))
    budget = check_place(threshold, top)
    if budget is not None:
        check_table(table)
        if audit is None:
            setting, _ = setting_of(
                table, prior, purity, confidence_level, label_bias, label_bias_side,
                prior_free=formula.name in PRIOR_FREE, what=f"{formula.name} of the first rows",
            )  # fmt: skip
            return listed_estimate(setting, at_top(setting, formula, checked, budget))
        check_uncut(table, "metric with an audit")
        threshold = threshold_of_top(table, budget)
    check_uncut(table, "metric")
    at = check_number(threshold, "threshold")
    checked = at_own_risk(formula, checked, at)
    if audit is not None:
        check_alone(prior, label_bias)
        return audited_metric(
            Audited.of(table, audit, purity, confidence_level), formula, checked, at
        )
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    return metric_estimate(setting, formula, checked, at)


def check_place(threshold: object, top: object) -> Top | None:
    """The budget, or None if there is a threshold; there must be one of both."""
    if (threshold is None) == (top is None):
        found = "Neither threshold nor top was" if top is None else "Both threshold and top were"
        raise InputError(
            f"{found} given. Pass threshold=… for rows with such a score, or top=… for the first so many "
            f"rows."
        )
    return None if top is None else check_top(top)


def metric_estimate(
    setting: Setting, formula: Formula, options: Options, threshold: float
) -> Estimate:
    """The metric of a setting, its options checked."""
    if setting.table.clusters is not None:
        slopes = metric_slopes(setting, formula, options, threshold)
        setting = at_threshold(setting, threshold, slopes)
    samples = setting.rows
    around = samples.shares_around(threshold)
    g, f = ((least + most) / 2 for least, most in zip(*around, strict=True))
    unbounded = bool(np.isinf(formula.high))
    compute = metric_function(setting, formula, options, possible=unbounded)
    value = float(compute(np.array([g]), np.array([f]))[0])
    diagnostics = [*setting.diagnostics, *samples.few_positives()]
    if unbounded:
        heads, known = (np.array([g]), np.array([f])), (setting.share, setting.purity)
        errors = rate_errors(*heads, *known, samples.sizes)
        diagnostics += range_diagnostics(*corrected_rates(*heads, *known), errors)
    interval = bracket = biased = None
    if around[0] != around[1]:
        ends = over_box(compute, around)
        if ends is not None:
            bracket = bracket_of(*ends, value)
        diagnostics.append(between_cuts(setting.table, threshold))
    if np.isnan(value):
        diagnostics.append(undefined(formula, g, f, threshold))
    else:
        sizes = samples.sizes_at(threshold)
        limits = metric_limits(setting, samples, formula, options, (g, f), sizes, threshold)
        low, high = widened((min(limits[0], value), max(limits[1], value)), value, bracket)
        interval, remarks = bounded_interval(
            setting, formula, value, low, high, "agresti_coull_mover"
        )
        diagnostics += remarks
    raw = value
    if interval is not None:
        value = _possible_value(setting, formula, options, g, f, raw)
        interval = replace(interval, low=min(interval.low, value), high=max(interval.high, value))
        if not setting.bias.is_random:
            biased = _bias_range(setting, formula, options, threshold, (g, f), value)
            ends = min(interval.low, biased.low), max(interval.high, biased.high)
            interval = replace(interval, low=ends[0], high=ends[1])
    return Estimate(
        name=formula.name,
        title=formula.title,
        value=value,
        interval=interval,
        standard_error=None,
        method="correction",
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        purity=setting.purity,
        threshold=threshold,
        diagnostics=tuple(diagnostics),
        bracket=bracket,
        raw=raw,
        label_bias=setting.bias.most,
        bias_range=biased,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )


def metric_slopes(
    setting: Setting, formula: Formula, options: Options, threshold: float
) -> tuple[float, float]:
    """Derivatives of the metric by the shares of G and F at a threshold."""
    compute = metric_function(setting, formula, options)
    g, f = setting.rows.shares_at(threshold)
    step = 1e-6
    at = compute(np.array([g + step, g - step, g, g]), np.array([f, f, f + step, f - step]))
    with np.errstate(invalid="ignore"):  # a ratio with an empty bottom
        return float(at[0] - at[1]) / (2 * step), float(at[2] - at[3]) / (2 * step)


def _bias_range(
    setting: Setting,
    formula: Formula,
    options: Options,
    threshold: float,
    shares: tuple[float, float],
    value: float,
) -> Interval:
    """The metric at the lowest and at the highest true positive rate that biased labels allow."""
    heads = np.array([shares[0]]), np.array([shares[1]])
    tpr = float(corrected_rates(*heads, setting.share, setting.purity)[0][0])
    found, inside = BiasedHeads(setting), setting.ranked.score >= threshold
    hidden = _unlabeled_head(setting, threshold, *shares)
    ends = []
    for side in SIDES:
        rate = np.array([found.rate_at(tpr, hidden, inside, side)])
        end = float(_of_rates(setting, formula, options, rate, heads[1])[0])
        ends.append(value if np.isnan(end) else moved_inside(formula, end))
    return bias_interval(ends)


def _of_rates(
    setting: Setting, formula: Formula, options: Options, tpr: FloatArray, cmp: FloatArray
) -> FloatArray:
    """The metric at true positive rates, moved into [0, 1] with the false positive rates that follow."""
    fpr = np.clip((cmp - setting.share * tpr) / (1 - setting.share), 0.0, 1.0)
    tpr, prior = np.clip(tpr, 0.0, 1.0), setting.prior
    return formula(
        prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), **options
    )


def _unlabeled_head(setting: Setting, threshold: float, pos: Any, cmp: Any) -> Any:
    """Share of the unlabeled that reach the threshold, as it follows from the other shares."""
    totals = setting.table.totals
    neg = setting.table.heads_at(threshold)[2] / totals[2] if totals[2] > 0 else 0.0
    return setting.design.unlabeled_head(totals, pos, cmp, neg)


def metric_value(setting: Setting, formula: Formula, options: Options, threshold: float) -> float:
    """The metric alone, without interval or remarks."""
    around = setting.rows.shares_around(threshold)
    g, f = ((least + most) / 2 for least, most in zip(*around, strict=True))
    unbounded = bool(np.isinf(formula.high))
    compute = metric_function(setting, formula, options, possible=unbounded)
    raw = float(compute(np.array([g]), np.array([f]))[0])
    return raw if np.isnan(raw) else _possible_value(setting, formula, options, g, f, raw)


def metric_values(
    setting: Setting, formula: Formula, threshold: float, priors: FloatArray, purities: FloatArray
) -> FloatArray:
    """The metric alone at several pairs of prior and purity, as `metric_value` gives it."""
    around = setting.rows.shares_around(threshold)
    heads = [np.array([(least + most) / 2]) for least, most in zip(*around, strict=True)]
    found, raw = (
        metric_function(setting, formula, {}, (priors, purities), possible)(*heads)[:, 0]
        for possible in (True, bool(np.isinf(formula.high)))
    )
    return np.clip(np.where(np.isnan(found), raw, found), formula.low, formula.high)


def _possible_value(
    setting: Setting, formula: Formula, options: Options, g: float, f: float, raw: float
) -> float:
    """The metric of rates that were moved into [0, 1], which fits the other metrics at the threshold."""
    compute = metric_function(setting, formula, options, possible=True)
    value = float(compute(np.array([g]), np.array([f]))[0])
    return moved_inside(formula, raw if np.isnan(value) else value)


def metric_function(
    setting: Setting,
    formula: Formula,
    options: Options,
    pairs: tuple[FloatArray, FloatArray] | None = None,
    possible: bool = False,
    biased: tuple[str, float] | None = None,
) -> OfShares:
    """The metric as a function of the shares G and F at a threshold.

    With ``pairs`` of prior and purity, of shape (k,), values have one more axis in front, of length k.
    With ``possible`` rates are moved into [0, 1] first. A ratio of rates has a pole at 0: beyond it the
    sign flips, and limits must run to infinity instead. With ``biased``, a side and the threshold, it is the
    metric at the lowest or at the highest true positive rate that biased labels allow.
    """
    if pairs is None:
        prior, purity = np.array(setting.prior), np.array(setting.purity)
    else:
        prior, purity = (column[:, None] for column in pairs)
    share = setting.shares_of(prior)

    def compute(pos: FloatArray, cmp: FloatArray) -> FloatArray:
        tpr, fpr = corrected_rates(pos, cmp, share, purity)
        if biased is not None:
            side, threshold = biased
            hidden = _unlabeled_head(setting, threshold, pos, cmp)
            tpr = biased_rate(setting, tpr, hidden, side, prior, purity)
            fpr = (cmp - share * tpr) / (1 - share)
        if possible:
            tpr, fpr = np.clip(tpr, 0.0, 1.0), np.clip(fpr, 0.0, 1.0)
        return formula(
            prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr), **options
        )

    return compute


def metric_limits(
    setting: Setting,
    samples: TwoSamples,
    formula: Formula,
    options: Options,
    shares: tuple[float, float],
    sizes: tuple[float, float] | None = None,
    threshold: float = np.nan,
) -> tuple[float, float]:
    """Smallest and largest limit of the metric over all that is possible.

    A metric need not be monotone in prior and purity: around the most extreme pair the search goes on
    with finer steps. ``threshold`` matters if labels may be biased.
    """
    assumed, unbounded = setting.assumed, bool(np.isinf(formula.high))
    random = setting.bias.is_random
    sides = [None] if random else [None, *((side, threshold) for side in SIDES)]

    def limits(pairs: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        ends = [
            recovered_limits(
                samples,
                metric_function(setting, formula, options, pairs, unbounded, biased),
                *shares,
                setting.level,
                sizes,
            )
            for biased in sides
        ]
        low = np.fmin.reduce([end[0] for end in ends])
        high = np.fmax.reduce([end[1] for end in ends])
        return np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high)

    tried = limits(assumed.arrays())
    ends = [float(np.min(tried[0])), float(np.max(tried[1]))]
    if assumed.is_point:
        return ends[0], ends[1]
    around = [assumed.refined(int(p)) for p in (np.argmin(tried[0]), np.argmax(tried[1]))]
    near = limits(tuple(np.concatenate(columns) for columns in zip(*around, strict=True)))  # type: ignore[arg-type]
    for side, closer in enumerate(near):
        ends[side] = (
            min(ends[0], float(closer.min())) if side == 0 else max(ends[1], float(closer.max()))
        )
    return ends[0], ends[1]
