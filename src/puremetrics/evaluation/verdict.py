"""The answer first: what is known, what is not, how far to trust it, what to do next.

The sentences are made from the results alone and say nothing that these do not hold, so they are the same in
the terminal, in the report, in notebooks and in JSON. What would make every figure wrong (copied rows, scores
of rows that the model was trained on) is said before any of them. Where the prior is not known, what needs
none comes first: who is better, how many of the positives are found, how much of the list holds nine in ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr

from puremetrics.evaluation.narrowing import ENOUGH, MORE, Advice, advice_of, advice_without_figures
from puremetrics.evaluation.showing import unsure
from puremetrics.evaluation.trusting import (
    CAUTIONS,
    GRADES,
    FigureTrust,
    Grade,
    about_labels,
    is_damaged,
)
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Estimate, Interval, Result
from puremetrics.results.protocol import percent, sentence
from puremetrics.statistics.roc_area import RocAuc

if TYPE_CHECKING:
    from puremetrics.auditing import Audit
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation
    from puremetrics.evidence import Joined

__all__ = ["Verdict", "best_model", "listed", "verdict_of"]

_AUC = RocAuc()
_NAMED = 3  # models that are named one by one
_WIDE = 0.3  # an interval that leaves a figure open
_SHORT = 0.15  # an interval beside which a single number is put into words
_MOST_FOUND = 0.9  # of the positives: how much of the list holds them
_FEWEST = 10  # positives, labelled or checked, from which more is told


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
        What that means at the threshold: what is known there, and what is not; empty if there is none.
    trust : str
        How far these figures can be trusted, and what each of them rests on.
    next_step : str
        What would help most; empty if nothing is needed.
    if_biased : str
        How much label bias the figures stand; empty where they rest on none, or allow for some already.
    caution : str
        What makes the figures wrong or meaningless, if anything does; said before them.
    grade : {"high", "good", "fair", "low", "none"}
        How far the best model's figures can be trusted.
    figures : tuple of FigureTrust
        The same for each of them.
    advice : Advice or None
        What ``next_step`` says, as numbers.
    """

    best: str | None
    ranking: str
    meaning: str
    trust: str
    next_step: str
    diagnostics: tuple[Diagnostic, ...] = ()
    caution: str = ""
    if_biased: str = ""
    grade: Grade = "none"
    figures: tuple[FigureTrust, ...] = ()
    advice: Advice | None = None

    @property
    def sentences(self) -> list[str]:
        """All parts that have something to say."""
        return [*self.answer, *([self.if_biased] if self.if_biased else [])]

    @property
    def answer(self) -> list[str]:
        """The parts up to the next step."""
        parts = (self.caution, self.ranking, self.meaning, self.trust, self.next_step)
        return [part for part in parts if part]

    @property
    def command(self) -> str:
        """The Python call that begins what ``next_step`` says; empty if it is no audit."""
        wanted = self.advice is not None and self.advice.rows is not None
        return "plan = evaluation.plan_audit()" if wanted else ""

    def __str__(self) -> str:
        parts = (*self.answer, self.command, self.if_biased)
        return "\n".join(part for part in parts if part)


def best_model(result: Evaluation) -> str | None:
    """The model with the largest ROC area, of those with figures."""
    shown = [name for name, m in result.models.items() if m.trust.level != "contradicted"]
    return max(shown, key=lambda name: _area(result.models[name]).value, default=None)


def verdict_of(result: Evaluation) -> Verdict:
    """The evaluation in a few sentences."""
    best = best_model(result)
    if best is None:
        advice = advice_without_figures(result)
        return Verdict(
            None,
            f"No figures are given. {sentence(result.trust.reason)}",
            "",
            "",
            _next_without_figures(result, advice),
            caution=_caution(result.models.values()),
            advice=advice,
        )
    model = result.models[best]
    caution = _caution(result.models.values())
    needless = model.table.total_unl == 0 or not model.graded or caution
    advice = None if needless else advice_of(model)
    if is_damaged(model):
        ranking, meaning = (
            "The figures below are computed from these rows as they are: do not use them.",
            "",
        )
    else:
        ranking, meaning = _ranking(result, best), _meaning(model, named=len(result.models) > 1)
    return Verdict(
        best,
        ranking,
        meaning,
        _trust(result, model),
        "Next: put that right first, and evaluate again." if caution else _next(model, advice),
        caution=caution,
        if_biased=_if_biased(model),
        grade=model.grade,
        figures=tuple(
            replace(one, tipping=model.tipping.get(name)) for name, one in model.graded.items()
        ),
        advice=advice,
    )


def _area(model: ModelEvaluation) -> Estimate:
    return model.corrected["roc_auc"]


def _caution(models: Iterable[ModelEvaluation]) -> str:
    """What is wrong with the rows themselves, the worst first, each kind once."""
    every = {remark.code: remark.message for m in models for remark in m.remarks}
    said = [sentence(every[code]) for code in CAUTIONS if code in every]
    return f"Caution: {' '.join(said)}" if said else ""


# -------------------------------------------------------------------- who is better


def _ranking(result: Evaluation, best: str) -> str:
    model, others = result.models[best], [name for name in result.models if name != best]
    if not others:
        return _alone(model)
    told = _figure(model)
    shown = [name for name in others if result.models[name].trust.level != "contradicted"]
    hidden = [name for name in others if name not in shown]
    missing = f" No figures are given for {listed(_few(hidden))}: see below." if hidden else ""
    if not shown:
        return f"{best} has a ROC AUC of {told}.{missing}"
    apart = {name: _apart(result, best, name) for name in shown}
    if any(value is None for value in apart.values()):
        second = max(shown, key=lambda name: _area(result.models[name]).value)
        other = _figure(result.models[second])
        return (
            f"{best} has the largest ROC AUC, {told}; next is {second} with {other}. How sure that is cannot "
            f"be said: the rows of the models are not paired.{missing}"
        )
    sure = [name for name, found in apart.items() if found is not None and found[1]]
    if len(shown) == 1:
        (found,) = (value for value in apart.values() if value is not None)
        return f"{_pair(result, (best, shown[0]), found[0], bool(sure))}{missing}"
    unsure = [name for name in shown if name not in sure]
    if not unsure:
        return f"{best} is the best of {len(shown) + 1} models: ROC AUC {told}.{missing}"
    beside = f"; it is better than {listed(_few(sure))}" if sure else ""
    return (
        f"{best} has the largest ROC AUC of {len(shown) + 1} models, {told}{beside}. Too close to call: "
        f"{listed(_few(unsure))}.{missing}"
    )


def _alone(model: ModelEvaluation) -> str:
    """The lead of a single model: what an audit was planned for, or the ROC area."""
    lead = next(iter(model.graded), "roc_auc")
    if lead not in ("roc_auc", "precision", "recall"):
        found = model.headlines[lead]
        at = "" if found.threshold is None else f" at score >= {found.threshold:.4g}"
        return f"{found.title.split(' (')[0]} is {_with_interval(model, lead)}{at}."
    if (
        model.audited is not None
        and "roc_auc" in model.graded
        and not model.graded["roc_auc"].is_known
    ):
        return ""  # the sentence about the threshold leads, and says that the area is not known
    pairs = ""
    if not _ranged(model, "roc_auc") and _width(_area(model)) <= _SHORT:
        pairs = (
            f": it ranks a positive above a negative in {_share(_area(model).value)} of all pairs"
        )
    return f"ROC AUC {_figure(model)}{pairs}."


def _pair(result: Evaluation, names: tuple[str, str], apart: Interval, sure: bool) -> str:
    """Two models: their areas, and the interval of the difference."""
    first, second = (result.models[name] for name in names)
    mine, other = _area(first).value, _area(second).value
    digits = 2 if mine - other >= 0.095 else 3  # two that count
    span = f"{apart.low:.{digits}f} to {apart.high:.{digits}f} ({percent(result.level)} interval)"
    if _ranged(first, "roc_auc"):  # the prior decides the figures: only their ranges are given
        areas = f"{_figure(first)} against {_figure(second)}"
    else:
        areas = f"{mine:.3f} against {other:.3f}"
    if sure:
        ahead = _ahead(result, names[0])
        return f"{names[0]} is better than {names[1]}{ahead}: ROC AUC {areas}; the difference is {span}."
    return f"{names[0]} and {names[1]} are too close to call: ROC AUC {areas}; the difference is {span}."


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
    beside = result.audit is not None or result.rests_on_evidence
    if result.comparison is None or beside:
        return ""
    areas = {name: _AUC.uncorrected(model.setting) for name, model in result.models.items()}
    return ", whatever the prior" if areas[best] == max(areas.values()) else ""


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _few(names: list[str]) -> list[str]:
    return names if len(names) <= _NAMED else [f"{len(names)} others"]


def _ranged(model: ModelEvaluation, name: str) -> bool:
    """Whether a range is told in place of a number: the prior is open, or nothing much is known."""
    return not model.is_told(name)


def _figure(model: ModelEvaluation) -> str:
    return _with_interval(model, "roc_auc")


def _with_interval(model: ModelEvaluation, name: str) -> str:
    found = model.corrected[name]
    ends = found.interval
    if ends is None:
        return f"{found.value:.3f}"
    if _ranged(model, name):
        return f"between {ends.low:.3f} and {ends.high:.3f}"
    return f"{found.value:.3f} ({ends.low:.3f} to {ends.high:.3f})"


def _lower_title(found: Estimate) -> str:
    """The title as it stands inside a sentence: "ROC AUC", "precision"."""
    title = found.title.split(" (")[0]
    return title if any(c.isupper() or c.isdigit() for c in title[1:]) else title.lower()


# -------------------------------------------------------------------- what it means


def _meaning(model: ModelEvaluation, named: bool) -> str:
    """What is known at the threshold, then what is not."""
    precision, recall = (model.headlines.get(name) for name in ("precision", "recall"))
    unknown = _unknown(model)
    if precision is None or recall is None or precision.threshold is None:
        return _not_known(unknown)
    who = model.name if named else "the model"
    chosen = model.operating_point
    best = "" if chosen is None else f" (best for {chosen.objective}{unsure(model)})"
    at = f"at score >= {precision.threshold:.4g}{best}, "
    parts = []
    is_open = _width(precision) > _WIDE or _ranged(model, "precision")
    if is_open:
        unknown = [f"how many of the flagged rows are positive ({_range(precision)})", *unknown]
    else:
        parts.append(
            f"about {_out_of(precision.value)} of the rows that {who} flags are positive "
            f"({_range(precision)})"
        )
    flagged = _flagged(model, precision.threshold)
    if _width(recall) > _WIDE:
        if model.audited is None:
            unknown.append(f"how many of the positives are found ({_range(recall)})")
    elif is_open and flagged > 0:
        parts.append(
            f"{who} flags {_share(flagged)} of the rows and finds {_share(recall.value)} of all positives "
            f"({_range(recall)}), {recall.value / flagged:.2g} times as many as random rows would"
        )
    else:
        parts.append(f"it finds {_share(recall.value)} of all positives ({_range(recall)})")
    if not parts:
        return _not_known(unknown, _why_open(model))
    more = _most_found(model) if is_open else ""
    known = f"{at}{' and '.join(parts)}{more}."
    known = f"{_known(model)}: {known}" if is_open else known[0].upper() + known[1:]
    return " ".join(part for part in (known, _not_known(unknown, _why_open(model))) if part)


def _known(model: ModelEvaluation) -> str:
    """What is known, and what that takes if nobody has said so."""
    sure = model.audited is not None or model.joined is not None or _stated(model)
    return "Known" if sure else "Known if labels are random"


def _stated(model: ModelEvaluation) -> bool:
    """Whether somebody said how labels were given."""
    return model.wanted.labels_stated or model.table.has_propensities


def _not_known(figures: list[str], why: str = "") -> str:
    return f"Not known: {listed(figures)}{why}." if figures else ""


def _unknown(model: ModelEvaluation) -> list[str]:
    """Headline figures of an audit that it says little about; precision has a sentence of its own."""
    if model.audited is None:
        return []
    graded = dict(model.graded)
    graded.pop("precision", None)
    others = [
        name
        for name, one in graded.items()
        if not one.is_known or (model.headlines[name].threshold is not None and one.width > _WIDE)
    ]
    said = []
    for name in others:
        found, random = model.headlines[name], model.if_random[name]
        said.append(
            f"{_lower_title(found)} ({_ends(found)}, or {_ends(random)} if labels are random)"
        )
    return said


def _ends(found: Estimate) -> str:
    """An interval in percent, if the figure is a share of rows."""
    ends = found.interval
    if ends is None or found.threshold is not None:
        return _range(found)
    return f"{ends.low:.3f} to {ends.high:.3f}"


def _why_open(model: ModelEvaluation) -> str:
    known = model.setting.assumed
    if model.audited is not None:
        audit = model.audited.audit
        planned = "" if audit.target is None else f", planned for {_words_of(audit.target)}"
        return f", from {audit.n_checked} checked rows{planned}"
    if model.joined is not None:
        return ", with the evidence that was passed"
    if known.is_point:
        return ""
    return (
        f", because the share of positives may be anything from {known.low:.2g} to {known.high:.2g}"
    )


def _words_of(name: str) -> str:
    """A statistic in a sentence."""
    words = {"roc_auc": "ROC AUC", "f1": "F1", "prior": "the prior"}
    return words.get(name, name.replace("_", " "))


def _flagged(model: ModelEvaluation, threshold: float) -> float:
    """Share of the population's rows that reach the threshold."""
    return float(model.setting.rows.shares_at(threshold)[1])


def _most_found(model: ModelEvaluation) -> str:
    """How much of the list holds nine in ten positives, if labels are random."""
    table, labelled = model.table, int(model.table.total_pos)
    counted = table.whole and not (table.has_propensities or table.weighted or table.is_cut)
    random = model.setting.bias.is_random and model.setting.assumed.clean
    if not model.takes_random_labels or not counted or not random or labelled < _FEWEST:
        return ""
    # As many labelled rows as hold nine in ten of the positives: k of m with a binomial chance.
    chances = bdtr(np.arange(labelled + 1), labelled, _MOST_FOUND)
    tail = (1 - model.setting.level) / 2
    first, last = int(np.searchsorted(chances, tail)), int(np.searchsorted(chances, 1 - tail)) + 1
    shares = [1.0 if k > labelled else _head_of(model, k) for k in (max(first, 1), last)]
    value = _head_of(model, int(np.ceil(_MOST_FOUND * labelled)))
    return (
        f"; nine in ten positives are in the first {_share(value)} of the list ({_span(*shares)})"
    )


def _head_of(model: ModelEvaluation, labelled: int) -> float:
    """Share of the population's rows down to the lowest of so many labelled rows."""
    rank = np.array([model.table.total_pos + 1 - labelled])
    return _flagged(model, float(model.table.scores_of("pos", rank)[0]))


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
        return f"{100 * value:.3g}%"
    return f"{100 * value:.0f}%" if value >= 0.095 else f"{100 * value:.2g}%"


def _range(estimate: Estimate) -> str:
    if estimate.interval is None:
        return "no interval"
    return _span(estimate.interval.low, estimate.interval.high)


def _span(low: float, high: float) -> str:
    digits = 0 if high >= 0.1 else 1
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}%"


def _width(estimate: Estimate) -> float:
    return 1.0 if estimate.interval is None else estimate.interval.width


# -------------------------------------------------------------------- how far to trust it


def _trust(result: Evaluation, model: ModelEvaluation) -> str:
    """The grade, what each figure rests on, and how much label bias it stands."""
    if model.table.total_unl == 0:
        return f"Trust: {model.grade}. Every row is labelled, so nothing had to be assumed."
    if model.audited is not None:
        return _trust_in_audit(result, model)
    if is_damaged(model):
        return "Trust: low, because of the rows themselves, whatever is assumed of them."
    if model.joined is not None:
        kinds = "; ".join(
            f"{kind.title} (right if {kind.assumes})" for kind in model.joined.evidence
        )
        return f"{_grades(model)} The figures rest on {kinds}."
    parts = (_grades(model), _labels(model), _prior(result, model))
    return " ".join(part for part in parts if part)


def _trust_in_audit(result: Evaluation, model: ModelEvaluation) -> str:
    assert model.audited is not None
    audit = model.audited.audit
    picked = next((d.message for d in audit.diagnostics if d.code == "PM131"), None)
    if picked is not None:
        return f"Trust: low. {sentence(picked)}"
    labels = getattr(result.audit, "labels", None)
    told = "" if labels is None else f" {str(labels).splitlines()[0]}."
    if audit.n_positive < _FEWEST:
        told = " Too few of them are positive to tell whether labels are random."
    return (
        f"{_grades(model)} {_checked(audit)} Neither a prior nor random labels are assumed.{told}"
    )


def _checked(audit: Audit) -> str:
    """How many rows were checked, and what they were chosen for."""
    chosen = (
        "" if audit.target in (None, "prior") else f", chosen to tell {_words_of(audit.target)},"
    )
    verb = "was" if audit.n_positive == 1 else "were"
    return f"{audit.n_checked} rows{chosen} were checked, and {audit.n_positive} {verb} positive."


def _grades(model: ModelEvaluation) -> str:
    """The grade of all figures, or of each where they differ: the worst first, or what was audited."""
    by_grade: dict[Grade, list[str]] = {}
    for name, one in model.graded.items():
        by_grade.setdefault(one.grade, []).append(_lower_title(model.headlines[name]))
    if len(by_grade) <= 1:
        return f"Trust: {model.grade}."
    order = sorted(by_grade, key=GRADES.index)
    if model.audited is not None:
        first = next(iter(model.graded.values())).grade
        order = [first, *(grade for grade in order if grade != first)]
    return f"Trust: {', '.join(f'{grade} for {listed(by_grade[grade])}' for grade in order)}."


def _labels(model: ModelEvaluation) -> str:
    """What is assumed of the labels, and whether anybody said so."""
    given, right = about_labels(model)
    if _stated(model):
        return f"All figures need this: {given}, and {right}."
    return (
        f"All figures take for granted that {given} and {right}; nobody has confirmed it (if you know it, "
        "pass label_bias=1)."
    )


def _prior(result: Evaluation, model: ModelEvaluation) -> str:
    """Which figures need the prior, and where it comes from."""
    names = [name for name, one in model.graded.items() if one.needs_prior]
    if not names:
        return ""
    known = model.setting.assumed
    value = f"{known.value:.4g}" if known.is_point else f"{known.low:.3g} to {known.high:.3g}"
    source = f" ({value}, {result.prior_source})"
    if result.trust.level in ("identified", "upper_bound"):
        source = ", which was estimated from the scores being evaluated"
    titles = listed([_lower_title(model.headlines[name]) for name in names])
    titles = titles[:1].upper() + titles[1:]
    return f"{titles} also need{'s' if len(names) == 1 else ''} the prior{source}."


def _if_biased(model: ModelEvaluation) -> str:
    """How much label bias the figures stand that are stated as numbers and do not allow for bias yet."""
    if not model.setting.bias.is_random or is_damaged(model):
        return ""
    said = []
    for name, one in model.graded.items():
        point = model.tipping.get(name)
        if point is None or not one.is_known or point.low <= 1.0:
            continue
        title = _lower_title(model.headlines[name])
        if point.low == np.inf:
            said.append(f"{title} stays above {point.target:g} however biased the labels are")
        elif any("could fall" in other for other in said):
            said.append(f"{title} below {point.target:g} at {point.brief}")
        else:
            said.append(f"{title} could {point.condition}")
    return f"If labels are not random: {'; '.join(said)}." if said else ""


# -------------------------------------------------------------------- what to do next


def _next(model: ModelEvaluation, advice: Advice | None) -> str:
    if advice is None:
        return ""
    figure = _lower_title(model.headlines[advice.figure])
    if advice.kind == "nothing":
        if advice.width > ENOUGH:
            return f"Next: no simple step is known to narrow {figure} much."
        if model.audited is not None or advice.rows is None:
            return f"Next: nothing more is needed for {figure}."
        return (
            f"Next: nothing more is needed, if the assumptions hold; {advice.rows} rows checked by hand "
            "would test them."
        )
    other = "" if model.audited is None else "other "
    what = {
        "audit": f"check {advice.rows} {other}unlabeled rows by hand",
        "prior": "find the share of positives from another source (pass prior=…)",
        "labels": f"get {advice.times} times as many {MORE['labels']}",
        "rows": f"get {advice.times} times as many {MORE['rows']}",
    }[advice.kind]
    others = [f"{way} would give about {width:.2g}" for way, width in advice.alternatives.items()]
    beside = f" Instead, {listed(others)}." if others else ""
    if model.joined is not None and advice.kind == "audit":
        what += " and add the answers to this evidence"
    return (
        f"Next: {what}. The interval of {figure}, {advice.width:.2g} wide now, would be about "
        f"{advice.expected:.2g} wide.{beside}"
    )


def _next_without_figures(result: Evaluation, advice: Advice | None) -> str:
    if advice is not None and advice.kind == "reverse":
        return "Next: if low scores mean positive, negate the scores."
    joined = next(iter(result.models.values())).joined
    if joined is not None and joined.disagreements:
        return _next_to_settle(joined, advice)
    if advice is not None:
        return (
            f"Next: check {advice.rows} unlabeled rows by hand, drawn at random: they tell the share of "
            "positives, and whether the labels are a random sample."
        )
    return f"Next: {_small(result.trust.settle)}" if result.trust.settle else ""


def _next_to_settle(joined: Joined, advice: Advice | None) -> str:
    """What tells which of two kinds of evidence is wrong."""
    clash = joined.disagreements[0]
    both = " or ".join(joined.evidence[kind].title for kind in clash[:2])
    if advice is None:
        return f"Next: find out which is wrong, {both}, and leave it out."
    return (
        f"Next: check {advice.rows} unlabeled rows by hand, drawn at random, and pass them as one more kind "
        f"of evidence: they tell which is wrong, {both}."
    )


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
