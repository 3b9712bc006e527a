"""Choosing an operating point, and an interval that accounts for having chosen.

The threshold is chosen among the distinct scores (and "predict nothing") to maximise a metric, to minimise
the expected cost, or to maximise one metric subject to limits on others. ``worst_case=True`` judges each
threshold by the least favourable table that the bounds allow (see `comparing.threshold_choice`) instead of
the point estimate.

The best value on the data is optimistic: the maximum of noisy numbers exceeds the number at the maximum. The
bootstrap shows by how much. In each resample b the choice is repeated, giving a threshold t_b; the difference
d_b between the metric of the resample and that of the data, both at t_b, is drawn from about the same
distribution as the difference between the data and the population at the chosen threshold t. So the value is
corrected by the mean of d_b, and its interval is value(t) − quantiles of d_b (their distance from the mean
stretched as Student's distribution is where few rows are labelled), but no narrower on either side than the
interval of the metric at a threshold fixed beforehand.

Corrected rates outside [0, 1] are moved to its ends before thresholds are compared. Candidates are cut at the
labelled scores. Between two of them only unlabeled rows enter, recall stands still and the rest changes in
one direction, so for metrics that rise with true positives and fall with false ones the best threshold is a
labelled score; limits on such metrics are met best there, too. Of more than some thousand labelled scores,
resamples choose between as many blocks of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, check_alone
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.checking.arguments import check_flag, check_resamples
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.audited_threshold import audited_choice
from puremetrics.comparing.threshold_choice import (
    Judged,
    ThresholdChoice,
    account_for_choice,
    best_place,
    check_limits,
    edge_remark,
    few_rows_factor,
    gains_of,
    moved_range,
    of_counts,
    places_of,
    worst_of,
)
from puremetrics.correction.rates import confusion_of, corrected_rates
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import Formula, find_formula
from puremetrics.results import ConfusionCounts, Estimate
from puremetrics.sampling.limits import bounded_interval
from puremetrics.sampling.resampling import (
    DEFAULT_RESAMPLES,
    resampled_counts,
    resampled_tables,
)
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.statistics.threshold_metric import ThresholdMetric, metric_limits
from puremetrics.tables.framing import takes_data
from puremetrics.tables.merging import block_ends, merged_blocks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ThresholdChoice", "choice_of", "choose_threshold"]

_COLUMNS = ("threshold", "tp", "fp", "fn", "tn")
_MOST_CANDIDATES = 4096  # thresholds that resamples choose from


@takes_data  # type: ignore[arg-type]  # because of **options
def choose_threshold(
    table: ScoreTable,
    *,
    objective: str,
    prior: PriorLike = None,
    purity: PurityLike = None,
    subject_to: Mapping[str, tuple[str, float]] | None = None,
    worst_case: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Any = 0,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    **options: float,
) -> ThresholdChoice:
    """Choose the threshold that is best for a metric, with an interval that accounts for the choice.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    objective : str
        A metric of `metric`; rates of errors and costs are minimised, all others maximised.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. The choice is made at the middle of a range, which widens the interval;
        in the worst case it is made over the whole range.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; likewise.
    subject_to : mapping, optional
        Limits such as ``{"precision": (">=", 0.9)}``, or a budget: ``{"top": ("<=", 100)}`` allows
        thresholds that at most the first 100 rows of the population reach (or such a share of them).
    worst_case : bool, default False
        Judge each threshold by the least favourable table that is possible (clean labels only), for the
        objective and for every limit by itself: the worse end of `metric_curve_bounds`.
    confidence_level : float, default 0.95
    n_resamples : int, default 500
    rng : int or Generator, default 0
        A second run says the same; None draws anew.
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`.
    audit : Audit, optional
        Rows that were checked. Then neither a prior nor random labels are assumed: thresholds are judged by
        the positives that the audit found, and resamples are of its answers.
    options
        Of the metric: ``beta``, ``cost_fp``, ``cost_fn``, ``threshold_probability``.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(20, 60), unlabeled=range(50), scenario="case_control")
    >>> choice = choose_threshold(table, objective="f1", prior=0.2, rng=0)
    >>> choice.estimate.value <= choice.apparent
    True
    """
    check_table(table)
    formula, checked = find_formula(objective, dict(options))
    limits = check_limits(subject_to, table.design.population_size(table.totals))
    check_flag(worst_case, "worst_case")
    if audit is not None:
        check_alone(prior, label_bias)
        if worst_case:
            raise InputError(
                "worst_case is about what is possible without an audit. Leave out worst_case or audit."
            )
        audited = Audited.of(table, audit, purity, confidence_level)
        resamples = check_resamples(n_resamples, smallest=1)
        return audited_choice(audited, formula, checked, limits, resamples, rng)
    setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
    if worst_case and not setting.assumed.clean:
        raise InputError("worst_case uses the bounds, which assume clean labels: pass purity=1.")
    resamples = check_resamples(n_resamples, smallest=1)
    return choice_of(setting, formula, checked, limits, worst_case, resamples, rng)


def choice_of(
    setting: Setting,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]] | None = None,
    worst_case: bool = False,
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Any = 0,
    also: Sequence[Formula] = (),
) -> ThresholdChoice:
    """The best threshold of a setting; ``also`` are other metrics to be told there."""
    limits = limits or {}
    fixed, ranked, level = setting.at(setting.prior), setting.ranked, setting.level
    worst = LatentChoice.of(setting.on(ranked)) if worst_case else None
    judged = _judged(fixed, ranked, worst, formula, options, limits)
    values = judged.values
    chosen = best_place(formula, judged, limits)
    apparent = float(values[chosen])
    threshold = float(judged.counts.threshold[chosen])
    metric = ThresholdMetric(formula, threshold, options)
    coarse, place_of, candidates, known = ranked, chosen, values, judged.counts
    if ranked.score.size > _MOST_CANDIDATES:
        heads = setting.heads
        ends = block_ends((heads.pos[1:] + heads.cmp[1:]) / 2, _MOST_CANDIDATES)
        ends = np.union1d(ends, [chosen]) if chosen > 0 else ends
        kept = np.append(0, ends)
        coarse, candidates = merged_blocks(ranked, ends), values[kept]
        known = ConfusionCounts(*(getattr(known, name)[kept] for name in _COLUMNS))
        place_of = int(np.searchsorted(kept, chosen))
    found, gains = [], []
    for again in _redrawn(fixed, coarse, worst, formula, options, limits, n_resamples, rng):
        place = places_of(again, formula, limits, place_of)
        redrawn = np.atleast_2d(again.values)[np.arange(place.size), place]
        found.append(redrawn - candidates[place])
        gains.append(gains_of(also, again.counts, known, place))
    differences = np.concatenate(found)
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        differences = np.zeros(1)
    error = (1 - level) / 2
    value = apparent - float(differences.mean())
    few = few_rows_factor(setting.table.total_pos, level)
    low, high = value - few * (
        np.quantile(differences, [1 - error, error]) - float(differences.mean())
    )
    if not worst_case:
        shares = setting.samples.shares_at(threshold)
        ends = metric_limits(fixed, setting.samples, metric, shares)
        low, high = min(low, value - (apparent - ends[0])), max(high, value + (ends[1] - apparent))
    for point in [] if worst_case or setting.assumed.is_point else _corners(setting):
        there = confusion_of(point, point.samples).possible()
        shift = float(there.metric(formula.name, **options)[chosen]) - apparent
        low, high = min(low, low + shift), max(high, high + shift)
    interval, remarks = bounded_interval(
        setting, metric, value, float(low), float(high), "bootstrap_of_the_choice"
    )
    value = metric.inside(value)
    biased = None
    if not setting.bias.is_random and not worst_case:
        plain = metric.estimate(fixed)
        biased = moved_range(plain.bias_range, formula, plain.value - value)
    return ThresholdChoice(
        threshold=threshold,
        objective=formula.name,
        estimate=Estimate.of(
            metric,
            value,
            interval,
            {**setting.told(), "n_groups": None, "design_effect": None},
            threshold=threshold,
            standard_error=float(differences.std(ddof=1)) if differences.size > 1 else None,
            method="worst_case" if worst_case else "correction",
            diagnostics=(*setting.diagnostics, *remarks, *edge_remark(chosen, values)),
            bias_range=biased,
        ),
        apparent=apparent,
        tp=float(judged.counts.tp[chosen]),
        fp=float(judged.counts.fp[chosen]),
        fn=float(judged.counts.fn[chosen]),
        tn=float(judged.counts.tn[chosen]),
        limits={name: float(reached[chosen]) for name, reached in judged.limited.items()},
        metrics=_metrics(setting, also, threshold, np.concatenate(gains, axis=-1), few),
    )


def _metrics(
    setting: Setting, also: Sequence[Formula], threshold: float, gains: FloatArray, few: float
) -> dict[str, Estimate]:
    """Other metrics at a threshold that was chosen, and accounted for."""
    if not np.isfinite(threshold):
        return {}
    plain = {each.name: ThresholdMetric(each, threshold).estimate(setting) for each in also}
    return {
        each.name: account_for_choice(plain[each.name], each, own, few)
        for each, own in zip(also, gains, strict=True)
    }


def _judged(
    setting: Setting,
    table: ScoreTable,
    worst: LatentChoice | None,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
) -> Judged:
    """What thresholds are judged by: possible counts, or the least favourable ones."""
    if worst is not None:
        return worst_of(worst, table, formula, options, limits)
    on = setting.on(table)
    return of_counts(confusion_of(on, on.samples).possible(), formula, options, limits)


def _redrawn(
    setting: Setting,
    table: ScoreTable,
    worst: LatentChoice | None,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
    n_resamples: int,
    rng: Any,
) -> Iterator[Judged]:
    """Resampled tables, many at a time: arrays of shape (resamples, thresholds)."""
    drawn = ("pos", "unl", "neg")
    if worst is not None:
        for resampled in resampled_tables(table, drawn, n_resamples, fixed_sizes=True, rng=rng):
            yield worst_of(worst, resampled, formula, options, limits)
        return
    used = setting.design.compared(table.totals)
    size = setting.population_size
    positives, negatives = setting.prior * size, (1 - setting.prior) * size
    threshold = np.concatenate([[np.inf], table.score])
    for batch in resampled_counts(table, drawn, n_resamples, fixed_sizes=True, rng=rng):
        compared = sum(group for group, member in zip(batch, used, strict=True) if member)
        heads = [np.cumsum(column, axis=1) for column in (batch[0], compared)]
        g, f = (np.pad(head, ((0, 0), (1, 0))) / head[:, -1:] for head in heads)
        tpr, fpr = corrected_rates(g, f, setting.share, setting.purity)
        tp, fp = positives * tpr, negatives * fpr
        fn, tn = positives * (1 - tpr), negatives * (1 - fpr)
        counts = ConfusionCounts(threshold, tp, fp, fn, tn).possible()
        yield of_counts(counts, formula, options, limits)


def _corners(setting: Setting) -> list[Setting]:
    """The setting at the ends of its ranges, as far as they are possible together."""
    known = setting.assumed
    ends = {
        (prior, purity)
        for prior in (known.low, known.high)
        for purity in (known.purity_low, known.purity_high)
    }
    points = setting.points()
    return [p for p in points if (p.prior, p.purity) in ends] or points
