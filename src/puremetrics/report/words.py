"""The page's sentences: what was read, what each figure assumes, and the answer that opens each section.

An answer (`curves_answer`, `threshold_answer` …) is one sentence with the number that its section is about,
of the best model where there are several. Where a single number would say more than is known it gives a
range (`is_ranged`). All of them are about the evaluation as it was made: the page hides those that a slider
would make untrue.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np

from puremetrics import __version__
from puremetrics.checking.types import FloatArray
from puremetrics.comparing import Homogeneity
from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.audited import AuditSummary
from puremetrics.evaluation.trusting import graded
from puremetrics.evaluation.verdict import best_model, listed
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic
from puremetrics.results import Estimate, Interval
from puremetrics.results.protocol import sentence
from puremetrics.statistics.catalogue import find
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "CAPTIONS",
    "TITLES",
    "assumed_answer",
    "audit_answer",
    "best_of",
    "bias_answer",
    "bias_sentence",
    "calibration_answer",
    "chosen_sentence",
    "count",
    "curves_answer",
    "discovery_answer",
    "figure",
    "free_answer",
    "further_answer",
    "homogeneity_words",
    "is_open",
    "is_ranged",
    "level_words",
    "moved_sentence",
    "narrowing_answer",
    "percent",
    "population",
    "prior_sentences",
    "provenance_answer",
    "random_answer",
    "remarks_answer",
    "rows_read",
    "scenario_sentence",
    "segments_answer",
    "sensitivity_answer",
    "sentence",
    "share",
    "threshold_answer",
    "tipping_words",
    "told",
    "whole_numbers",
]

TITLES = {
    "roc_auc": "ROC AUC",
    "average_precision": "Average precision",
    "precision": "Precision",
    "recall": "Recall",
    "specificity": "Specificity",
    "f1": "F1 score",
    "accuracy": "Accuracy",
    "mcc": "Matthews corr.",
}

CAPTIONS = {
    "roc": "Each point is a threshold: the share of the positives it finds against the share of the "
    "negatives it flags. Grey: unlabeled rows treated as negative. Solid: corrected, which assumes that the "
    "labelled rows are a random sample of the positives. Thin: the convex hull, what picking one of two "
    "thresholds at random could reach; it is optimistic on the rows it was fitted to.",
    "pr": "Precision is the share of the flagged rows that are positive; recall is the share of the "
    "positives that are flagged. This curve depends on the prior twice: through the correction, and because "
    "precision counts positives in the population.",
    "calibration": "Of the rows scored around 0.3, are 30% positive? Points are bins of equal mass with "
    "their limits; on the diagonal the scores are probabilities. The bins stay those of the evaluated prior. "
    "Assumes that scores were not fitted on these rows.",
    "sensitivity": "The same rows at every prior. Where the line is steep, knowing the prior better pays off "
    "more than anything else. Shaded: confidence interval with the prior taken as known.",
    "discovery": "Shaded: {level} limits of the number that checking these rows will find, at each number "
    "of rows by itself. Dotted: every row positive. Dashed: rows in random order.",
    "threshold": "A row is flagged if it scores at least the threshold. Counts are estimates for the "
    "population, so they need not be whole.",
    "free": "These measures look only at where the labelled positives rank among all rows. They need no "
    "prior and do not move with the sliders; they order models, but their size means little by itself. PULP "
    "is the chance that random scores catch fewer labelled rows, averaged over all thresholds, whichever "
    "positives got a label: no label bias touches it, and random scores get about 0.5. Lee–Liu "
    "alone takes labels as random.",
    "narrowing": "Widths with more data are rough, and assume that new rows would be drawn like these. An "
    "audit is another interval, from rows checked by hand: it assumes neither a prior nor random labels, and "
    "may be narrower or wider than the one above.",
    "drift": "The same evaluation on each segment of the rows, model by model, with a prior of its own. "
    "Assumes that the labelled rows of each segment are a random sample of its positives; if labelling "
    "changed from one to the next, segments differ without the model having changed.",
}


def figure(value: float | None, digits: int = 3) -> str:
    """Three decimals; a real minus sign; a dash for what is undefined."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}f}".replace("-", "−")


def told(model: ModelEvaluation, found: Estimate) -> str:
    """A figure; its range where a single number would say more than is known."""
    if found.interval is not None and is_ranged(model, found):
        return f"{figure(found.interval.low)} to {figure(found.interval.high)}"
    return figure(found.value)


def count(value: float) -> str:
    """A number of rows with commas between thousands."""
    whole = float(value).is_integer()
    return (f"{value:,.0f}" if whole else f"{value:,.1f}").replace("-", "−")


def share(value: float) -> str:
    """A share to four significant digits."""
    return f"{value:.4g}"


def level_words(level: float) -> str:
    """The confidence level in per cent."""
    return f"{100 * level:g}%"


def population(table: ScoreTable) -> str:
    """Whom the prior is about."""
    return table.design.population(table.totals)


def rows_read(table: ScoreTable) -> str:
    """What was read, in one line."""
    parts = [f"{count(table.total_pos)} labelled positive"]
    if table.total_unl > 0:
        parts.append(f"{count(table.total_unl)} unlabeled")
    if table.total_neg > 0:
        parts.append(f"{count(table.total_neg)} known negative")
    kind = "weighted rows" if table.weighted else "rows"
    groups = "" if table.clusters is None else f" in {count(table.clusters.number)} groups"
    return f"{count(table.total)} {kind}{groups}: {', '.join(parts)}"


def scenario_sentence(table: ScoreTable) -> str:
    """The scenario in plain words."""
    return table.design.sentence


def bias_sentence(evaluation: Evaluation) -> str:
    """How biased labels may be, if they are not taken as random."""
    favoured = {
        "high": ", higher scores rather than lower ones",
        "low": ", lower scores rather than higher ones",
    }
    design = next(iter(evaluation.models.values())).table.design
    said = design.favoured(f"up to {share(evaluation.label_bias)}", "may")
    return f"Some positives {said}{favoured.get(evaluation.label_bias_side, '')}."


def moved_sentence(evaluation: Evaluation) -> str:
    """What is said of figures elsewhere than as evaluated, if labels were not taken as random there."""
    if evaluation.label_bias == 1:
        return ""
    return (
        "Moved figures take labels as a random sample; the label bias of "
        f"{share(evaluation.label_bias)} applies to the figures as evaluated."
    )


def tipping_words(model: ModelEvaluation) -> dict[str, str]:
    """How much label bias the headlines of a model stand, the first in full and the others shorter."""
    said: dict[str, str] = {}
    for key, point in model.tipping.items():
        fails = f"{point.subject} could {point.condition}."
        if said and point.words == fails:
            said[key] = f"{fails.partition(' if ')[0]} at {point.brief}."
        else:
            said[key] = point.words
    return said


def prior_sentences(evaluation: Evaluation) -> list[str]:
    """Which prior was used, where it came from, and how large it could be."""
    known, source = evaluation.prior, evaluation.prior_source
    about = population(next(iter(evaluation.models.values())).table)
    taken = {f"from the {what}": f"taken from the {what}" for what in ("audit", "evidence")}
    said = {"estimate": "estimated", **taken}.get(source, source)
    if source == "labels":
        said = "taken from the labels, as no row is unlabeled"
    text = f"The prior, {share(known.value)} of {about}, was {said}"
    if evaluation.trust.level == "upper_bound":
        text = f"Likely prior of {about}: {share(known.low)} to {share(known.high)}, {said}."
    elif evaluation.trust.level == "contradicted" and evaluation.estimate is not None:
        return []
    elif known.is_point:
        text += " and counts as known."
    else:
        text += f"; it may lie between {share(known.low)} and {share(known.high)}."
    sentences = [text]
    if known.purity_low < 1:
        ends = f"{100 * known.purity_low:.4g} to {100 * known.purity_high:.4g}"
        shown = ends if known.purity_low < known.purity_high else f"{100 * known.purity:.4g}"
        sentences.append(f"{shown}% of the labelled rows are taken to be truly positive.")
    if evaluation.label_bias > 1:
        sentences.append(bias_sentence(evaluation))
    if evaluation.largest_prior is not None:
        sentences.append(
            f"The data allow at most {share(evaluation.largest_prior)} "
            f"(confidence {level_words(evaluation.level)})."
        )
    return sentences


# -------------------------------------------------------------------- numbers in sentences

_NAME = 40  # characters of a model's name in a sentence
_WIDE = 0.5  # of a range: a single number inside means nothing
_MUCH = 0.5  # of a calibration error: scores are off in one direction


def best_of(evaluation: Evaluation) -> tuple[int, ModelEvaluation]:
    """The model with the largest ROC area, and its place; the first one where none has figures."""
    name = best_model(evaluation) or next(iter(evaluation.models))
    return list(evaluation.models).index(name), evaluation.models[name]


def is_ranged(model: ModelEvaluation, found: Estimate) -> bool:
    """Whether a range stands in place of a figure.

    It does where the figure rests on a prior that is not known well enough, and where its interval leaves so
    much open that a single number would mean nothing.
    """
    if found.interval is None:
        return False
    if found.name not in model.statistics:
        return is_open(model)
    one = graded(model, {found.name: found})[found.name]
    return not one.is_known or (is_open(model) and one.needs_prior)


def is_open(model: ModelEvaluation) -> bool:
    """Whether counts and all else that the prior decides are told as ranges."""
    return model.trust.level == "upper_bound"


def listed_best_first(evaluation: Evaluation, most: int = 2) -> list[ModelEvaluation]:
    """The best model and the ones that follow it in the evaluation, few enough for one sentence."""
    place, best = best_of(evaluation)
    others = [model for i, model in enumerate(evaluation.models.values()) if i != place]
    return [best, *others] if len(others) < most else [best]


def _named(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def _who(evaluation: Evaluation, model: ModelEvaluation) -> str:
    return _named(model.name) if len(evaluation.models) > 1 else "the model"


def _of(evaluation: Evaluation, model: ModelEvaluation) -> str:
    """Whose figure it is, where several models could be meant."""
    return f" of {_named(model.name)}" if len(evaluation.models) > 1 else ""


def _within(value: float, ends: Interval | None, ranged: bool) -> str:
    """A number with its interval, or the interval alone."""
    if ends is None:
        return figure(value)
    low, high = figure(ends.low), figure(ends.high)
    return f"between {low} and {high}" if ranged else f"{figure(value)} ({low} to {high})"


def percent(value: float) -> str:
    """A share in per cent, in two digits that count.

    >>> percent(0.1234), percent(0.0123), percent(0.9987), percent(0.0)
    ('12%', '1.2%', '99.9%', '0%')
    """
    if value > 0.995:
        return f"{100 * value:.3g}%"
    return f"{100 * value:.0f}%" if value >= 0.095 else f"{100 * value:.2g}%"


def _percents(value: float, low: float, high: float, ranged: bool) -> str:
    """A share with its interval in per cent, or the interval alone."""
    ends = f"{percent(low).removesuffix('%')} {'and' if ranged else 'to'} {percent(high)}"
    return f"between {ends}" if ranged else f"{percent(value)} ({ends})"


def _small(title: str) -> str:
    """A title inside a sentence.

    >>> _small("Average precision"), _small("ROC AUC"), _small("F1 score")
    ('average precision', 'ROC AUC', 'F1 score')
    """
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def _if_random(model: ModelEvaluation, text: str) -> str:
    """A sentence about what follows from the labels, beside an audit that says something else."""
    return f"If labels are random, {text[0].lower()}{text[1:]}" if model.if_random else text


# -------------------------------------------------------------------- the answer of each section


def curves_answer(evaluation: Evaluation) -> str:
    """How many negatives are flagged before nine in ten positives are found.

    The interval holds the false positive rates at which the band of the curve holds 0.9, which gives it the
    level of the band.
    """
    said: list[str] = []
    for model in listed_best_first(evaluation):
        found = model.modelled["roc_auc"]
        if found.curve is None:
            continue
        value, band = _reaching(found.curve.x, found.curve.y), model.bands.get("roc_auc")
        if band is None:
            told = percent(value)
        else:
            low, high = _reaching(band.x, band.high), _reaching(band.x, band.low)
            low, high = min(low, value), max(high, value)
            told = _percents(value, low, high, is_ranged(model, found) or high - low > _WIDE)
        who = _who(evaluation, model)
        said.append(f"{who} {told}" if said else f"{who} also flags {told} of the negatives")
    if not said:
        return ""
    return _if_random(
        best_of(evaluation)[1], f"To find 90% of the positives, {', and '.join(said)}."
    )


def _reaching(x: FloatArray, y: FloatArray, level: float = 0.9) -> float:
    """Where a rising line first reaches the level."""
    rising = np.maximum.accumulate(y)
    k = int(np.searchsorted(rising, level))
    if k in (0, rising.size):
        return float(x[min(k, rising.size - 1)])
    part = (level - rising[k - 1]) / (rising[k] - rising[k - 1])
    return float(x[k - 1] + part * (x[k] - x[k - 1]))


def discovery_answer(evaluation: Evaluation) -> str:
    """How many of the best unlabeled rows are positive, beside random ones."""
    told = [m for m in listed_best_first(evaluation, 1) if m.discovery is not None]
    model = told[0] if told else next(m for m in evaluation.models.values() if m.discovery)
    curve, rows = model.discovery, model.discovery_rows
    assert curve is not None
    assert rows is not None
    value, low, high = whole_numbers(curve.at(rows))
    which = f"Of the {count(rows)} unlabeled rows that {_who(evaluation, model)} ranks highest"
    within = curve.at(rows).interval
    if is_open(model) or (within is not None and within.width > _WIDE * rows):
        return _if_random(model, f"{which}, between {low} and {high} are positive.")
    chance = rows * curve.positives / curve.unlabeled
    random = f"; of as many random ones, about {chance:,.0f}" if rows < curve.unlabeled else ""
    return _if_random(model, f"{which}, about {value} are positive ({low} to {high}){random}.")


def whole_numbers(found: Estimate) -> tuple[str, str, str]:
    """A number of rows and its limits, which round inwards: a count that they hold is a whole number."""
    assert found.interval is not None
    low = min(math.ceil(found.interval.low - 1e-9), found.value)
    high = max(math.floor(found.interval.high + 1e-9), found.value)
    return f"{found.value:,.0f}", f"{low:,.0f}", f"{high:,.0f}"


_LITTLE = 0.01  # what a metric may lose at thresholds that are about as good
_STEPS = 2000  # thresholds that are looked at


def threshold_answer(evaluation: Evaluation, model: ModelEvaluation) -> str:
    """Which threshold is best and how much depends on it; what a given one does."""
    at, of = model.modelled["recall"].threshold, _of(evaluation, model)
    assert at is not None
    point = model.operating_point
    if point is None:
        precision, recall = model.modelled["precision"], model.modelled["recall"]
        parts = [
            f"{_of_flagged(model, precision)} of the rows flagged are positive",
            f"{_of_flagged(model, recall)} of the positives are flagged",
        ]
        who = f" by {_named(model.name)}" if of else ""
        return _if_random(
            model, f"At the given threshold, {share(at)}, {' and '.join(parts)}{who}."
        )
    name = _metric_name(point.objective, point.estimate)
    found = model.modelled.get(point.objective, point.estimate)
    told = _within(found.value, found.interval, is_ranged(model, found))
    alike = _about_as_good(model, point.objective)
    near = ""
    if alike is not None:
        low, high = (f"{end:.3g}" for end in alike)
        near = f", and less than {_LITTLE:g} lower anywhere from {low} to {high}"
    return _if_random(
        model, f"The best threshold{of} for {name} is {share(at)}: {name} is {told} there{near}."
    )


def _of_flagged(model: ModelEvaluation, found: Estimate) -> str:
    if found.interval is None:
        return percent(found.value)
    low, high = found.interval
    return _percents(found.value, low, high, is_ranged(model, found))


def _metric_name(objective: str, found: Estimate) -> str:
    """A metric as a sentence names it."""
    named = {"f1": "F1", "mcc": "the Matthews correlation"}
    return named.get(objective, found.title.split(" (")[0].lower())


def _about_as_good(model: ModelEvaluation, objective: str) -> tuple[float, float] | None:
    """The thresholds around the chosen one at which the metric is nearly as high; None of no others."""
    world, scores, home = (
        model.setting.at(model.setting.prior),
        model.setting.ranked.score,
        model.threshold,
    )
    if home is None or objective not in model.statistics:
        return None

    def loss(threshold: float) -> float:
        return best - find(objective, threshold=threshold).value(world)

    best = find(objective, threshold=home).value(world)
    place, stride, ends = (
        int(np.argmin(np.abs(scores - home))),
        max(scores.size // _STEPS, 1),
        [home],
    )
    for step in (stride, -stride):
        for other in range(place + step, scores.size if step > 0 else -1, step):
            if not loss(float(scores[other])) <= _LITTLE:  # so that an undefined value ends it, too
                break
            ends.append(float(scores[other]))
    low, high = min(ends), max(ends)
    return (low, high) if f"{low:.3g}" != f"{high:.3g}" else None


def chosen_sentence(evaluation: Evaluation) -> str:
    """What allows for the threshold's having been chosen on these rows, and what does not."""
    model = next(m for m in evaluation.models.values() if "recall" in m.modelled)
    if model.operating_point is None:
        return "The threshold was given: intervals take it as fixed before these rows were seen."
    return (
        "The threshold was chosen on these rows, which makes it look better than it is: the figures and "
        "intervals in the table allow for that. The counts do not, and at a threshold that you move to all "
        "figures take it as given."
    )


def calibration_answer(evaluation: Evaluation) -> str:
    """How far scores are from probabilities."""
    said: list[str] = []
    for model in listed_best_first(evaluation):
        found = model.modelled_calibration
        if found is None:
            continue
        told = _within(found.error, found.interval, is_open(model))
        if said:
            said.append(f"those of {_named(model.name)} by {told}")
            continue
        lean = ""
        low, high = found.signed_interval
        if (low > 0 or high < 0) and abs(found.signed_error) >= _MUCH * found.error:
            lean = f", mostly too {'high' if found.signed_error > 0 else 'low'}"
        of = _of(evaluation, model)
        said.append(f"Read as probabilities, the scores{of} are off by {told} on average{lean}")
    if not said:
        return "The scores are not probabilities between 0 and 1, so there is no calibration to measure."
    return _if_random(best_of(evaluation)[1], f"{'; '.join(said)}.")


_OFF = 0.1  # by which the prior may be wrong, of itself


def sensitivity_answer(evaluation: Evaluation) -> str:
    """What the ROC area would be at other priors."""
    _, model = best_of(evaluation)
    known, table = evaluation.prior, model.table
    if table.total_unl == 0:
        return "Every row is labelled, so no figure rests on a prior."
    least, most = table.design.prior_limits(table.totals, known.purity)
    most = min(most, 0.98 * known.purity)
    of = _of(evaluation, model)
    ends = (known.low, known.high)
    if known.low < known.high:
        low, high = (figure(value) for value in _areas(model, ends))
        text = (
            f"Over the range of the prior, {share(ends[0])} to {share(ends[1])}, the ROC AUC{of} goes from "
            f"{low} to {high}"
        )
    else:
        ends = max((1 - _OFF) * known.value, least), min((1 + _OFF) * known.value, most)
        low, high = (figure(value) for value in _areas(model, ends))
        text = (
            f"With a prior of {share(ends[0])} or {share(ends[1])} in place of {share(known.value)}, the ROC "
            f"AUC{of} would be {low} or {high}"
        )
    if evaluation.ranking is not None:
        ranking = evaluation.ranking
        if ranking.dominant is not None:
            text += f"; {_named(ranking.dominant)} is best at every prior"
        elif ranking.crossings:
            text += f"; the best model changes at prior {share(ranking.crossings[0])}"
    return f"{text}."


def _areas(model: ModelEvaluation, priors: tuple[float, float]) -> list[float]:
    """The ROC area at these priors."""
    at = np.array(priors)
    purities = np.full(at.size, model.setting.purity)
    return [float(v) for v in model.statistics["roc_auc"].values_over(model.setting, at, purities)]


def bias_answer(
    evaluation: Evaluation, model: ModelEvaluation, curves: Mapping[str, Mapping[str, Any]]
) -> str:
    """What the first headline could be if some positives were twice as likely to be labelled."""
    name, curve = next(iter(curves.items()))
    title = f"{_small(TITLES[name])}{_of(evaluation, model)}"
    biases = list(curve["label_bias"])
    place = biases.index(2.0) if 2.0 in biases else len(biases) - 1
    times = "twice" if biases[place] == 2 else f"{share(biases[place])} times"
    low, high = figure(curve["low"][place]), figure(curve["high"][place])
    first = f"{figure(curve['low'][0])} to {figure(curve['high'][0])}"
    return (
        f"If {model.table.design.preferred(times)}, the {title} could be anywhere from {low} to {high}, not "
        f"only {first}."
    )


def free_answer(evaluation: Evaluation) -> str:
    """How far the ranking is from a random one, by the labels alone."""
    said = []
    for model in listed_best_first(evaluation):
        found = model.prior_free.get("pulp")
        if found is not None:
            told = _within(found.value, found.interval, ranged=False)
            said.append(f"{told} for {_who(evaluation, model)}")
    if not said:
        return ""
    return (
        f"PULP, the chance of finding more labelled rows than random scores do, is {listed(said)}."
    )


def narrowing_answer(evaluation: Evaluation) -> str:
    """Where most of the width of the ROC area's interval comes from, and what would narrow it most."""
    _, model = best_of(evaluation)
    found, table = model.narrowing, model.table
    parts = {
        f"from having {count(table.total_pos)} labelled positives": found.due_to_positives,
        f"from having {count(table.total - table.total_pos)} other rows": found.due_to_others,
        "from not knowing the prior": found.due_to_prior,
        "from the label bias": found.due_to_bias,
    }
    source = max(parts, key=lambda each: parts[each])
    text = (
        f"The interval of the ROC AUC{_of(evaluation, model)} is {figure(found.width)} wide, "
        f"{100 * parts[source]:.0f}% of it {source}"
    )
    ways = {
        "twice as many labelled positives": found.twice_the_labels,
        "twice as many other rows": found.twice_the_rows,
    }
    for what, widths in (
        ("the prior from {} random rows", found.audits),
        ("an audit of {} planned rows", found.planned_audits),
    ):
        ways |= {what.format(count(rows)): width for rows, width in widths.items()}
    way = min(ways, key=lambda each: ways[each])
    if ways[way] >= 0.98 * found.width:
        return f"{text}; none of these would narrow it much."
    return f"{text}; {way} would make it about {figure(ways[way])}."


def further_answer(evaluation: Evaluation) -> str:
    """The first of the figures that were asked for."""
    _, model = best_of(evaluation)
    name = next((name for name in model.further if name in model.corrected), None)
    if name is None:
        return ""
    found = model.corrected[name]
    told = _within(found.value, found.interval, is_ranged(model, found))
    return f"{model.further[name].title}{_of(evaluation, model)} is {told}."


def audit_answer(evaluation: Evaluation, found: AuditSummary) -> str:
    """What was checked, and what it makes of the figure that leads."""
    _, model = best_of(evaluation)
    name = next(iter(model.graded), "roc_auc")
    estimate, other = model.corrected[name], model.if_random[name]
    title = _small(estimate.title.split(" (")[0])
    told = _within(estimate.value, estimate.interval, not model.graded[name].is_known)
    return (
        f"{count(found.n_positive)} of {count(found.n_checked)} checked rows are positive, which puts {title}"
        f"{_of(evaluation, model)} at {told}; random labels would mean {figure(other.value)}."
    )


def random_answer(evaluation: Evaluation) -> str:
    """What follows from the labels, beside what an audit says."""
    _, model = best_of(evaluation)
    found = model.modelled["roc_auc"]
    told = _within(found.value, found.interval, is_ranged(model, found))
    beside = ""
    if "roc_auc" in model.corrected:
        beside = f"; the checked rows say {figure(model.corrected['roc_auc'].value)}"
    return (
        f"If labels were a random sample of the positives, the ROC AUC{_of(evaluation, model)} would be "
        f"{told}{beside}."
    )


def segments_answer(evaluation: Evaluation) -> str:
    """Whether the ROC area differs between segments."""
    drifts = evaluation.drifts
    name = best_model(evaluation)
    found = drifts.get(name or "", evaluation.drift)
    if found is None:
        return ""
    of = f"{_named(name)}: " if name is not None and name in drifts and len(drifts) > 1 else ""
    tests = {test.name: test for test in found.tests}
    test = tests.get("auc") or next(iter(tests.values()), None)
    if test is None:
        return f"{of}{len(found.columns['segment'])} segments, too few with figures to compare."
    return f"{of}{homogeneity_words(test)}"


def homogeneity_words(test: Homogeneity) -> str:
    """Whether segments differ."""
    what = {"naive_auc": "Naive AUC", "auc": "ROC AUC", "prior": "Prior"}.get(test.name, test.name)
    if not test.differ:
        return f"{what}: the segments differ no more than by chance (p = {test.p_value:.2g})."
    named = ", ".join(str(key) for key in test.outliers[:8])
    more = f" and {len(test.outliers) - 8} more" if len(test.outliers) > 8 else ""
    out = f"; {named}{more} stand out" if named else "; no single one stands out"
    return f"{what}: the segments differ by more than chance (p = {test.p_value:.2g}){out}."


def remarks_answer(remarks: list[Diagnostic]) -> str:
    """How many remarks there are, and the first."""
    if not remarks:
        return "Nothing speaks against these figures."
    first = DIAGNOSTIC_CODES.get(remarks[0].code, remarks[0].message)
    if len(remarks) == 1:
        return f"One remark: {first}."
    return f"{len(remarks)} remarks; the first: {first}."


def assumed_answer(evaluation: Evaluation) -> str:
    """What must be true for the figures: what all of them need, then what some need beside it."""
    _, model = best_of(evaluation)
    found = model.graded
    needs = [each for one in found.values() for each in one.rests_on]
    if not needs:
        return "Every row is labelled, so nothing had to be assumed."
    shared = [n for n in dict.fromkeys(needs) if all(n in one.rests_on for one in found.values())]
    said = f"All figures here hold if {listed(shared)}" if shared else ""
    own: dict[str, list[str]] = {}
    for name, one in found.items():
        for each in one.rests_on:
            if each not in shared:
                own.setdefault(each, []).append(_small(TITLES.get(name, name)))
    for each, names in own.items():
        verb = "needs" if len(names) == 1 else "need"
        said += f"{'; ' if said else ''}{listed(names)} also {verb}: {each}"
    return f"{sentence(said)}."


def provenance_answer(evaluation: Evaluation, when: datetime) -> str:
    """Rows, version and date."""
    table = next(iter(evaluation.models.values())).table
    date = when.strftime("%Y-%m-%d %H:%M %Z").rstrip()
    return f"{count(table.total)} rows, evaluated with puremetrics {__version__} on {date}."
