"""Choosing an operating point, and an interval that accounts for having chosen.

The threshold is chosen among the distinct scores (and "predict nothing") to maximise a metric, to minimise
the expected cost, or to maximise one metric subject to limits on others. ``worst_case=True`` judges each
threshold by the least favourable table that the bounds allow (see `bounds`) instead of the point estimate.

The best value on the data is optimistic: the maximum of noisy numbers exceeds the number at the maximum.
The bootstrap shows by how much. In each resample b the choice is repeated, giving a threshold t_b; the
difference d_b between the metric of the resample and that of the data, both at t_b, is drawn from about
the same distribution as the difference between the data and the population at the chosen threshold t. So
the value is corrected by the mean of d_b, and its interval is value(t) − quantiles of d_b (their distance
from the mean stretched as Student's distribution is where few rows are labelled), but no narrower on
either side than the interval of the metric at a threshold fixed beforehand.

Corrected rates outside [0, 1] are moved to its ends before thresholds are compared. Candidates are cut at
the labelled scores. Between two of them only unlabeled rows enter, recall stands
still and the rest changes in one direction, so for metrics that rise with true positives and fall with
false ones the best threshold is a labelled score; limits on such metrics are met best there, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics._validation import (
    FloatArray,
    check_count,
    check_flag,
    check_level,
    check_number,
    shown,
)
from puremetrics.bounds import confusion_bounds
from puremetrics.confusion import (
    bounded_interval,
    confusion_at_thresholds,
    metric_of_shares,
    shares_at,
)
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.formulas import SMALLER_IS_BETTER, Formula, find_formula
from puremetrics.intervals import (
    normal_quantile,
    recovered_limits,
    small_sample,
    student_quantile,
)
from puremetrics.resampling import resampled_tables
from puremetrics.results import ConfusionCounts, Estimate
from puremetrics.scenario import PriorLike, resolve_prior, unlabeled_share
from puremetrics.table import ScoreTable

__all__ = ["ThresholdChoice", "choose_threshold"]


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold, and what it achieves.

    Attributes
    ----------
    threshold : float
        Predict positive where ``score >= threshold``; infinite if predicting nothing is best.
    objective : str
        The metric that was optimised.
    estimate : Estimate
        Its value at the threshold, corrected for having chosen, with its interval.
    apparent : float
        The value that the choice was made by, before that correction.
    tp, fp, fn, tn : float
        The estimated confusion matrix there.
    limits : dict of str to float
        Values of the limited metrics there, if any.
    """

    threshold: float
    objective: str
    estimate: Estimate
    apparent: float
    tp: float
    fp: float
    fn: float
    tn: float
    limits: dict[str, float]

    def __str__(self) -> str:
        lines = [f"score >= {self.threshold:g}", str(self.estimate)]
        lines.append(f"  before the correction for having chosen: {self.apparent:.4f}")
        lines += [f"  {name} there: {value:.4f}" for name, value in self.limits.items()]
        return "\n".join(lines)


def choose_threshold(
    table: ScoreTable,
    *,
    objective: str,
    prior: PriorLike,
    purity: float = 1.0,
    subject_to: Mapping[str, tuple[str, float]] | None = None,
    worst_case: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 200,
    rng: Any = None,
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
        P(y = 1) in the population. The choice is made at the middle of a range, which widens the interval.
    purity : float, default 1
        Share of true positives among the labelled.
    subject_to : mapping, optional
        Limits such as ``{"precision": (">=", 0.9)}``.
    worst_case : bool, default False
        Judge thresholds by the least favourable table of `confusion_bounds` (clean labels only).
    confidence_level : float, default 0.95
    n_resamples : int, default 200
    rng : int or Generator, optional
    options
        Of the metric: ``beta``, ``cost_fp``, ``cost_fn``.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(20, 60), unlabeled=range(50), scenario="case_control")
    >>> choice = choose_threshold(table, objective="f1", prior=0.2, rng=0)
    >>> choice.estimate.value <= choice.apparent
    True
    """
    formula, checked = find_formula(objective, dict(options))
    level = check_level(confidence_level)
    limits = _check_limits(subject_to)
    if check_flag(worst_case, "worst_case") and purity != 1.0:
        raise InputError("worst_case uses the bounds, which assume clean labels: pass purity=1.")
    known = resolve_prior(table, prior, purity)
    ranked = table.cut()

    def counts_of(t: ScoreTable) -> ConfusionCounts:
        if worst_case:
            return confusion_bounds(t, prior=known.value, confidence_level=level).lower
        return _possible(confusion_at_thresholds(t, prior=known.value, purity=known.purity))

    counts = counts_of(ranked)
    values = counts.metric(formula.name, **checked)
    chosen = _best(formula, values, counts, limits)
    apparent = float(values[chosen])
    differences = np.empty(check_count(n_resamples, "n_resamples"))
    drawn = ("pos", "unl", "neg")
    for i, resampled in enumerate(
        resampled_tables(ranked, drawn, n_resamples, fixed_sizes=True, rng=rng)
    ):
        redrawn = counts_of(resampled)
        again = redrawn.metric(formula.name, **checked)
        place = _best(formula, again, redrawn, limits, fallback=chosen)
        differences[i] = again[place] - values[place] if np.isfinite(again[place]) else np.nan
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        differences = np.zeros(1)
    error = (1 - level) / 2
    value = apparent - float(differences.mean())
    few = small_sample(table.total_pos) * (
        student_quantile(max(table.total_pos - 1, 1.0), level) / normal_quantile(level)
    )
    low, high = value - few * (
        np.quantile(differences, [1 - error, error]) - float(differences.mean())
    )
    if not worst_case:
        fixed = recovered_limits(
            ranked,
            metric_of_shares(ranked, formula, checked, known.value, known.purity),
            *shares_at(ranked, float(counts.threshold[chosen])),
            level,
        )
        low, high = (
            min(low, value - (apparent - fixed[0])),
            max(high, value + (fixed[1] - apparent)),
        )
    for end in () if known.is_point else (known.low, known.high):
        there = _possible(confusion_at_thresholds(ranked, prior=end, purity=known.purity))
        shift = float(there.metric(formula.name, **checked)[chosen]) - apparent
        low, high = min(low, low + shift), max(high, high + shift)
    interval, remarks = bounded_interval(
        value, float(low), float(high), formula, level, known, "bootstrap_of_the_choice"
    )
    threshold = float(counts.threshold[chosen])
    return ThresholdChoice(
        threshold=threshold,
        objective=formula.name,
        estimate=Estimate(
            name=formula.name,
            title=formula.title,
            value=value,
            interval=interval,
            standard_error=float(differences.std(ddof=1)) if differences.size > 1 else None,
            method="worst_case" if worst_case else "correction",
            scenario=table.scenario,
            prior=known.value,
            unlabeled_share=unlabeled_share(table, known.value, known.purity),
            purity=known.purity,
            threshold=threshold,
            diagnostics=(*known.diagnostics, *remarks, *_edge(chosen, values)),
        ),
        apparent=apparent,
        tp=float(counts.tp[chosen]),
        fp=float(counts.fp[chosen]),
        fn=float(counts.fn[chosen]),
        tn=float(counts.tn[chosen]),
        limits={name: float(counts.metric(name)[chosen]) for name in limits},
    )


def _check_limits(
    subject_to: Mapping[str, tuple[str, float]] | None,
) -> dict[str, tuple[str, float]]:
    limits = {}
    if not isinstance(subject_to, Mapping | None):
        raise InputError(
            f"subject_to={shown(subject_to)} must map metrics to limits, such as "
            "{'precision': ('>=', 0.9)}."
        )
    for name, limit in (subject_to or {}).items():
        formula, _ = find_formula(name, {})
        fine = isinstance(limit, tuple) and len(limit) == 2 and limit[0] in (">=", "<=")
        if not fine:
            raise InputError(
                f"subject_to[{name!r}]={shown(limit)} is not a limit. Write it as ('>=', 0.9) or ('<=', 0.1)."
            )
        limits[formula.name] = (limit[0], check_number(limit[1], f"subject_to[{name!r}]"))
    return limits


def _possible(counts: ConfusionCounts) -> ConfusionCounts:
    """Move entries into their range: an impossible table must not win because it is impossible."""
    positives, negatives = counts.tp + counts.fn, counts.fp + counts.tn
    tp, fp = np.clip(counts.tp, 0.0, positives), np.clip(counts.fp, 0.0, negatives)
    return ConfusionCounts(counts.threshold, tp, fp, positives - tp, negatives - fp)


def _best(
    formula: Formula,
    values: FloatArray,
    counts: ConfusionCounts,
    limits: dict[str, tuple[str, float]],
    fallback: int | None = None,
) -> int:
    """Index of the best threshold that meets the limits; the highest one of equals.

    A ratio is infinite where no false positive is left, which says more about few rows than about the
    scores; such thresholds are passed over.
    """
    allowed = np.isfinite(values)
    for name, (sign, limit) in limits.items():
        reached = counts.metric(name)
        with np.errstate(invalid="ignore"):
            allowed &= reached >= limit if sign == ">=" else reached <= limit
    if not allowed.any():
        if fallback is not None:
            return fallback
        listed = ", ".join(f"{name} {sign} {limit:g}" for name, (sign, limit) in limits.items())
        if not listed:
            raise InputError(
                f"{formula.title} has no finite value at any threshold. Choose another objective or prior."
            )
        raise InputError(f"No threshold meets {listed}. Loosen the limits.")
    gain = -values if formula.name in SMALLER_IS_BETTER else values
    return int(np.argmax(np.where(allowed, gain, -np.inf)))


def _edge(chosen: int, values: FloatArray) -> list[Diagnostic]:
    if 0 < chosen < values.size - 1:
        return []
    what = "nothing" if chosen == 0 else "everything"
    return [
        Diagnostic(
            "PM501",
            f"the best choice is to predict {what} positive: at this prior and these costs the scores "
            "do not help. Check the prior, the costs, and whether the objective is the one you mean.",
        )
    ]
