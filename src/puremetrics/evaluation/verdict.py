"""The answer first: who is better and by how much, what that means, how far to trust it, what to do next.

The sentences are made from the results alone and say nothing that these do not hold, so they are the same in
the terminal, in the report, in notebooks and in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.results import Estimate, Interval, Result
from puremetrics.results.protocol import percent, sentence
from puremetrics.statistics.roc_area import RocAuc

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation

__all__ = ["Verdict", "best_model", "verdict_of"]

_AUC = RocAuc()
_NAMED = 3  # models that are named one by one
_WIDE = 0.3  # an interval that is told as a range
_NARROW = 0.02  # an interval of the AUC that needs no narrowing
_BUDGET = 200


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Result):
    """An evaluation in a few sentences.

    Attributes
    ----------
    best : str or None
        The model with the largest ROC area; None if no model has figures.
    ranking : str
        How good it is, and by how much it is better than the others.
    meaning : str
        What that means at the threshold; empty if there is none.
    trust : str
        How far these figures can be trusted, and why.
    next_step : str
        What would help most; empty if nothing is needed.
    """

    best: str | None
    ranking: str
    meaning: str
    trust: str
    next_step: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """All parts that have something to say."""
        return [part for part in (self.ranking, self.meaning, self.trust, self.next_step) if part]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def best_model(result: Evaluation) -> str | None:
    """The model with the largest ROC area, of those with figures."""
    shown = [name for name, m in result.models.items() if m.trust.level != "contradicted"]
    return max(shown, key=lambda name: _area(result.models[name]).value, default=None)


def verdict_of(result: Evaluation) -> Verdict:
    """The evaluation in a few sentences."""
    best = best_model(result)
    if best is None:
        trust = result.trust
        return Verdict(
            None,
            f"No figures are given. {sentence(trust.reason)}",
            "",
            "",
            f"Next: {_small(trust.settle)}" if trust.settle else "",
        )
    model = result.models[best]
    return Verdict(
        best,
        _ranking(result, best),
        _meaning(model, named=len(result.models) > 1),
        _trust(result, model),
        _next(result, model),
    )


def _area(model: ModelEvaluation) -> Estimate:
    return model.corrected["roc_auc"]


# -------------------------------------------------------------------- who is better


def _ranking(result: Evaluation, best: str) -> str:
    model, others = result.models[best], [name for name in result.models if name != best]
    told = _figure(model, result.level)
    if not others:
        pairs = ""
        if not _ranged(model):
            pairs = f": it ranks a positive above a negative in {_share(_area(model).value)} of all pairs"
        return f"ROC AUC {told}{pairs}."
    shown = [name for name in others if result.models[name].trust.level != "contradicted"]
    hidden = [name for name in others if name not in shown]
    missing = f" No figures are given for {_names(hidden)}: see below." if hidden else ""
    if not shown:
        return f"{best} has a ROC AUC of {told}.{missing}"
    apart = {name: _apart(result, best, name) for name in shown}
    if any(value is None for value in apart.values()):
        second = max(shown, key=lambda name: _area(result.models[name]).value)
        against = _figure(result.models[second], result.level)
        return (
            f"{best} has the largest ROC AUC, {told}; next is {second} with {against}. How sure that is "
            f"cannot be said: the rows of the models are not paired.{missing}"
        )
    sure = [name for name, found in apart.items() if found is not None and found[1]]
    level = percent(result.level)
    if len(shown) == 1:
        (found,) = (value for value in apart.values() if value is not None)
        told_of = {name: _figure(result.models[name], result.level) for name in (best, shown[0])}
        mine, other = (_area(result.models[name]).value for name in (best, shown[0]))
        digits = 2 if mine - other >= 0.095 else 3  # two that count
        span = f"{level} interval {found[0].low:.{digits}f} to {found[0].high:.{digits}f}"
        told, apart_by = (
            f"{mine:.3f} against {other:.3f}",
            f" of {mine - other:.{digits}f} ({span})",
        )
        if _ranged(model):  # the prior decides the figures: only their ranges are given
            told, apart_by = f"{told_of[best]} against {told_of[shown[0]]}", f", {span}"
        how = "is better than" if sure else "cannot be told apart from"
        ahead = _ahead(result, best) if sure else ""
        return f"{best} {how} {shown[0]}{ahead}: ROC AUC {told}, a difference{apart_by}.{missing}"
    unsure = [name for name in shown if name not in sure]
    if not unsure:
        return f"{best} is the best of {len(shown) + 1} models: ROC AUC {told}.{missing}"
    beside = f"; it is better than {_names(sure)}" if sure else ""
    return (
        f"{best} has the largest ROC AUC of {len(shown) + 1} models, {told}{beside}. {_names(unsure)} cannot "
        f"be told apart from it.{missing}"
    )


def _apart(result: Evaluation, best: str, other: str) -> tuple[Interval, bool] | None:
    """The interval of the difference, and whether it is beyond chance; None if rows are not paired."""
    if result.comparison is None:
        return None
    for pair in result.comparison.differences:
        if {pair.first, pair.second} == {best, other}:
            ends = pair.interval
            if pair.first != best:
                ends = Interval(-ends.high, -ends.low, ends.level, ends.kind, ends.method)
            return ends, pair.adjusted_p_value < 1 - result.level and ends.low > 0
    return None


def _ahead(result: Evaluation, best: str) -> str:
    """Whether the best model is the best at every prior: uncorrected areas tell their order."""
    if result.comparison is None or result.audit is not None:
        return ""
    areas = {name: _AUC.uncorrected(model.setting) for name, model in result.models.items()}
    return ", whatever the prior" if areas[best] == max(areas.values()) else ""


def _names(names: list[str]) -> str:
    if len(names) > _NAMED:
        return f"{len(names)} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _ranged(model: ModelEvaluation) -> bool:
    return model.trust.level == "upper_bound"


def _figure(model: ModelEvaluation, level: float) -> str:
    found = _area(model)
    ends = found.interval
    if ends is None:
        return f"{found.value:.3f}"
    span = f"{ends.low:.3f} to {ends.high:.3f}"
    return (
        f"between {span.replace(' to ', ' and ')}"
        if _ranged(model)
        else f"{found.value:.3f} ({span})"
    )


# -------------------------------------------------------------------- what it means


def _meaning(model: ModelEvaluation, named: bool) -> str:
    precision, recall = (model.corrected.get(name) for name in ("precision", "recall"))
    if precision is None or recall is None or precision.threshold is None:
        return ""
    if not np.isfinite([precision.value, recall.value]).all():
        return ""
    who = model.name if named else "the model"
    flags = f"of the rows that {who} flags are positive"
    if _ranged(model):
        told = f"{_range(precision)} {flags}"
    elif _width(precision) > _WIDE:
        told = f"some {_share(precision.value)} {flags} ({_range(precision)})"
    else:
        told = f"about {_out_of(precision.value)} {flags} ({_range(precision)})"
    chosen = model.operating_point
    best = "" if chosen is None else f" (best for {chosen.objective})"
    return (
        f"At score >= {precision.threshold:.4g}{best}, {told}, and it finds {_share(recall.value)} of all "
        f"positives ({_range(recall)})."
    )


def _out_of(share: float) -> str:
    """A share as people say it.

    >>> _out_of(0.905), _out_of(0.004), _out_of(0.996)
    ('9 in 10', '1 in 250', '99 in 100')
    """
    if share >= 0.95:
        return f"{min(int(100 * share), 99)} in 100"
    if share >= 0.07:
        return f"{round(10 * share)} in 10"
    return f"1 in {round(1 / share)}" if share > 1e-6 else "none"


def _share(value: float) -> str:
    if value > 0.995:
        return f"{100 * value:.3g} %"
    return f"{100 * value:.0f} %" if value >= 0.095 else f"{100 * value:.2g} %"


def _range(estimate: Estimate) -> str:
    if estimate.interval is None:
        return "no interval"
    low, high = 100 * estimate.interval.low, 100 * estimate.interval.high
    digits = 0 if high >= 10 else 1
    return f"{low:.{digits}f} to {high:.{digits}f} %"


def _width(estimate: Estimate) -> float:
    return 1.0 if estimate.interval is None else estimate.interval.width


# -------------------------------------------------------------------- how far to trust it


def _trust(result: Evaluation, model: ModelEvaluation) -> str:
    trust, known = result.trust, result.prior
    level = model.trust.level
    if model.table.total_unl == 0:
        return "Every row is labelled, so nothing had to be assumed."
    if level == "audited":
        labels = getattr(result.audit, "labels", None)
        told = "" if labels is None else f" {str(labels).splitlines()[0]}."
        return f"Trust: high. {sentence(trust.reason)} Neither a prior nor random labels are assumed.{told}"
    bias = model.tipping.get("roc_auc")
    if bias is not None and len(result.models) > 1:
        bias = replace(bias, subject=f"{model.name}'s {bias.subject}")
    stands = "" if bias is None else f" {bias.words}"
    if level == "known":
        what = f"the prior of {known.value:.4g} {'is' if known.is_point else 'and its range are'} right"
        return f"Trust: good if {what} and labels are a random sample of the positives.{stands}"
    if level == "identified":
        span = "" if known.is_point else f" ({known.low:.2g} to {known.high:.2g})"
        return (
            f"Trust: fair. The prior is not known: {known.value:.2g}{span} was read off the very scores that "
            f"are judged: {trust.reason.split(', so ')[0].rstrip('.')}. Labels are taken as random.{stands}"
        )
    most = "" if trust.limit is None else f" The prior is at most {trust.limit:.3g}."
    return f"Trust: low, so ranges are given. {sentence(trust.reason)}{most}"


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


# -------------------------------------------------------------------- what to do next


def _next(result: Evaluation, model: ModelEvaluation) -> str:
    if model.table.total_unl == 0:
        return ""
    area = _area(model)
    if model.trust.level == "audited":
        if _width(area) <= 0.1:
            return ""
        return "Next: check more rows if the intervals are too wide (plan_audit)."
    planned = model.narrowing.planned_audits
    if planned:
        rows = _BUDGET if _BUDGET in planned else max(planned)
        return (
            f"Next: check {rows} unlabeled rows by hand (puremetrics audit plan, or plan_audit). They test "
            f"the prior and whether labels are random, and give an AUC that rests on neither, to about "
            f"±{planned[rows] / 2:.3f}."
        )
    if _width(area) <= _NARROW:
        return ""
    parts = {
        "more labelled positives": model.narrowing.due_to_positives,
        "more unlabeled rows": model.narrowing.due_to_others,
        "a prior from checked rows (prior_from_audit)": model.narrowing.due_to_prior,
        "checking whether labels are random (audit_labels)": model.narrowing.due_to_bias,
    }
    most = max(parts, key=lambda name: parts[name])
    return f"Next: {most} would narrow the interval most."
