"""An evaluation for people and programs: pages for the terminal, JSON, tables for a paper.

`page_lines` is the page for the terminal, and `short_lines` one screen of it: the verdict, five figures a
model, what matters besides. `model_dict` and its like are plain mappings for JSON. `paper_sentence` is the
sentence for a paper; its figures come as Markdown, LaTeX or CSV (`markdown_table`, `latex_table`,
`csv_text`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from puremetrics.evaluation.trusting import CAUTIONS
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Estimate, Interval
from puremetrics.results.protocol import percent, sentence

if TYPE_CHECKING:
    from puremetrics.comparing.threshold_choice import ThresholdChoice
    from puremetrics.comparing.tipping import TippingPoint
    from puremetrics.evaluation.model import ConfusionMatrix, ModelEvaluation
    from puremetrics.evaluation.records import Evaluation
    from puremetrics.evaluation.trusting import FigureTrust, Grade
    from puremetrics.evaluation.verdict import Verdict
    from puremetrics.evidence import EvidenceTable
    from puremetrics.results import Estimate, Interval, Trust
    from puremetrics.tables.score_table import ScoreTable


__all__ = [
    "bounds_dict",
    "csv_text",
    "evidence_lines",
    "latex_table",
    "markdown_table",
    "model_dict",
    "model_lines",
    "page_lines",
    "paper_sentence",
    "short_lines",
    "trust_dict",
    "unsure",
    "verdict_dict",
]


def page_lines(result: Evaluation) -> list[str]:
    """Return the lines of the page."""
    known = result.prior
    span = f"prior {known.value:.4g}"
    if result.trust.level == "upper_bound":
        span = f"likely prior {known.low:.4g} to {known.high:.4g}"
    elif not known.is_point:
        span += f" ({known.low:.4g} to {known.high:.4g})"
    purity = f"{known.purity:.4g}"
    if known.purity_low < known.purity_high:
        purity += f" ({known.purity_low:.4g} to {known.purity_high:.4g})"
    lines = [sentence(result.trust.words)]
    against = result.trust.level == "contradicted"
    if not against or result.estimate is None:
        told = f"{span}, {result.prior_source}; purity of the labels {purity}"
        if result.label_bias > 1:
            told += f"; label bias up to {result.label_bias:.4g}"
            if result.label_bias_side != "either":
                told += f" towards {result.label_bias_side} scores"
        lines.append(told)
    if result.certain is not None:
        lines.append(
            f"certain with confidence {result.level:g}: the prior is at least {result.certain.low:.4g} and "
            f"at most {result.certain.high:.4g}, whatever the negatives are"
        )
        if result.estimate is not None and result.estimate.separable is not None and not against:
            lines.append(
                f"if no negative looked like a positive, it would be {result.estimate.separable:.4g}"
            )
    elif result.largest_prior is not None:
        lines.append(
            f"largest prior that the data allow, with confidence {result.level:g}: {result.largest_prior:.4g}"
        )
    if result.audit is not None:
        lines += ["", *str(result.audit).splitlines()]
    if result.evidence is not None:
        lines += ["", *str(result.evidence).splitlines()]
    for model in result.models.values():
        lines += ["", *model_lines(model, result.level)]
    if result.ranking is not None and not against:
        lines += ["", *str(result.ranking).splitlines()]
    for name, found in result.drifts.items():
        if result.models[name].trust.level == "contradicted":
            continue
        own = str(found).splitlines()
        if len(result.drifts) > 1:
            own[0] = f"{name}: {own[0]}"
        lines += ["", *own]
    said = ("PM604", "PM206") if against else ("PM604",)
    lines += [str(remark) for remark in result.diagnostics if remark.code not in said]
    return lines


def model_lines(model: ModelEvaluation, level: float, table: bool = True) -> list[str]:
    """Return the lines of one model, with or without the table of its figures."""
    lines = [f"{model.name}: {model.table}"]
    if model.trust.level == "contradicted":
        lines.append(f"  no figures are given. {sentence(model.trust.words)}")
        lines += [f"  {line}" for line in left_out_lines(model)]
        return lines + [f"  {remark}" for remark in model.diagnostics]
    certain = model.trust.level != "upper_bound"
    audited = bool(model.if_random)
    kind = "audited" if audited else "corrected"
    head = f"{kind:>11}   {f'{100 * level:g}% interval':<19}"
    told = model.joined is not None  # bounds, and what would narrow, take labels as random
    last = "if labels are random" if audited else "" if told else "bounds"
    if table:
        lines.append(f"  {'':<24}{'naive':>8}{head}{last:<19}".rstrip())
    for key, estimate in model.corrected.items() if table else ():
        beside = "" if told else _span(model.bounds.get(key))
        if audited:
            other = model.if_random[key]
            beside = f"{other.value:.4f} ({_span(other.interval)})"
        value = f"{_told(model, key, 4):>11}"
        lines.append(
            f"  {_short(estimate):<24}{model.naive[key].value:>8.4f}{value}   "
            f"{_span(estimate.interval):<19}{beside:<19}".rstrip()
        )
    if model.operating_point is not None:
        choice = model.operating_point
        how = (
            "chosen by the labels, not by the audit"
            if audited
            else f"{_CHOSEN}"
            if told
            else "they account for having chosen it"
        )
        lines.append(
            f"  metrics at score >= {choice.threshold:.6g}, the best threshold for {choice.objective}; {how}"
        )
    if model.confusion is not None:
        lines.append(f"  {model.confusion.words(ranged=not certain)}")
    if not certain and model.certain:
        spans = [
            f"{_short(model.corrected[key])} {_span(span)}" for key, span in model.certain.items()
        ]
        lines.append("  over all priors that are possible: " + ", ".join(spans[:2]))
    if model.discoveries and not audited:
        lines.append(f"  {model.discoveries}")
    lines += [f"  {point.words}" for point in model.tipping.values()]
    if model.prior_free:
        shown = [f"{_short(e)} {e.value:.4f}" for e in model.prior_free.values()]
        lines.append("  without a prior: " + ", ".join(shown))
    if model.calibration is not None and not told:
        lines.append("  " + str(model.calibration).splitlines()[0])
    if not audited and not told:
        lines += ["  " + text for text in str(model.narrowing).splitlines()]
    return lines + [f"  {remark}" for remark in model.diagnostics]


_CHOSEN = "chosen as if labels were random, which the intervals do not account for"


def left_out_lines(model: ModelEvaluation) -> list[str]:
    """What each way out of a contradiction would give."""
    lines = []
    for left, figures in model.if_left_out.items():
        given = [
            f"{_short(found)} {'–' if found.value != found.value else f'{found.value:.3f}'} "
            f"({found.low:.3f} to {found.high:.3f})"
            for found in figures.values()
        ]
        lines.append(f"without {left}: {', '.join(given)}")
    return lines


def _short(estimate: Estimate) -> str:
    return estimate.title.split(" (")[0]


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"


_WIDTH = 100
_SHOWN = ("roc_auc", "average_precision", "precision", "recall", "f1")
_TABLES = 3  # models that get a table each; of more, all share one
_REMARKS = 3
# Remarks that change nothing about the figures that are shown.
_QUIET = (
    "PM504",
    "PM606",
    "PM604",
    "PM206",
    "PM141",
    "PM201",
    *CAUTIONS,
)  # the verdict says the last ones


def short_lines(
    result: Evaluation,
    reworded: Callable[[str], str] = str,
    all_figures: str = "details()",
    command: str | None = None,
) -> list[str]:
    """Return the lines of the screen; ``reworded`` puts sentences into the words of who reads them.

    ``all_figures`` is where the other figures are, ``command`` what begins the next step, if anything does;
    by default the call in Python.
    """
    lines = []
    verdict = result.verdict
    for part in verdict.answer:
        lines += _wrapped(reworded(part))
    begins = verdict.command if command is None else command
    if begins:
        lines.append(f"  {begins}")
    if verdict.if_biased:
        lines += _wrapped(reworded(verdict.if_biased))
    lines += _asked_discoveries(result)
    lines += ["", *_wrapped(_rows(result))]
    told = None if result.verdict.best is not None else result.trust  # nothing is said twice
    if len(result.models) > _TABLES:
        lines += _together(result)
    else:
        tables = [_table(m, result.level) for m in result.models.values() if m.trust != told]
        if told is not None and result.evidence is not None:
            tables += [_left_out(m) for m in result.models.values() if m.if_left_out]
        for number, table in enumerate(tables):
            lines += table if number == 0 else ["", *table]
    if result.evidence is not None:
        lines += ["", *evidence_lines(result.evidence)]
    for name, found in result.drifts.items():
        if result.models[name].trust.level == "contradicted":
            continue
        own = str(found).splitlines()
        if len(result.drifts) > 1:
            own[0] = f"{name}: {own[0]}"
        lines += ["", *own]
    remarks = _remarks(result)
    for remark in remarks[:_REMARKS]:
        lines += _wrapped(reworded(str(remark)))
    left = len(remarks) - _REMARKS
    more = f"; {left} more {'remark' if left == 1 else 'remarks'}" if left > 0 else ""
    lines.append(f"All figures{more}: {all_figures}.")
    return lines


_MOST = 44  # characters of a kind of evidence on the screen


def evidence_lines(found: EvidenceTable) -> list[str]:
    """What each kind of evidence says, for a screen: long titles are cut."""
    short = [kind if len(kind) <= _MOST else f"{kind[: _MOST - 1]}…" for kind in found.kinds]
    return str(replace(found, kinds=tuple(short))).splitlines()


def _left_out(model: ModelEvaluation) -> list[str]:
    """What each way out of a contradiction would give, one row each."""
    figures = next(iter(model.if_left_out.values()))
    lines = [f"{model.name:<46}" + "".join(f"{_short(found):>19}" for found in figures.values())]
    for left, own in model.if_left_out.items():
        spans = [f"{found.low:.3f} to {found.high:.3f}" for found in own.values()]
        title = f"  without {left}"
        title = title if len(title) <= _MOST else f"{title[: _MOST - 1]}…"
        lines.append(f"{title:<46}" + "".join(f"{span:>19}" for span in spans))
    return lines


def _asked_discoveries(result: Evaluation) -> list[str]:
    """What checking the best unlabeled rows would find, by the best model, if somebody asked for it."""
    best = result.verdict.best
    if best is None or not result.models[best].wanted.told_rows:
        return []
    return _wrapped(sentence(result.models[best].discoveries))


def _wrapped(text: str) -> list[str]:
    """A sentence in lines."""
    return wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False)


def _rows(result: Evaluation) -> str:
    table = next(iter(result.models.values())).table
    known = result.prior
    prior = f"prior {known.value:.4g}"
    open_ = result.trust.level == "upper_bound"
    if open_ or (result.rests_on_evidence and result.trust.level == "contradicted"):
        prior = f"prior {known.low:.3g} to {known.high:.3g}"
    elif not known.is_point:
        prior = f"prior {known.value:.3g} ({known.low:.3g} to {known.high:.3g})"
    source = result.prior_source
    parts = [str(table).split(" → ")[0] + ": " + _counts(table), f"{prior}, {source}"]
    if known.purity_low < 1:
        span = f"{known.purity:.4g}"
        if known.purity_low < known.purity_high:
            span += f" ({known.purity_low:.4g} to {known.purity_high:.4g})"
        parts.append(f"purity {span}")
    if result.label_bias > 1:
        side = (
            ""
            if result.label_bias_side == "either"
            else f" towards {result.label_bias_side} scores"
        )
        parts.append(f"label bias up to {result.label_bias:.4g}{side}")
    return "; ".join(parts)


def _counts(table: ScoreTable) -> str:
    pos, unl, neg = table.totals
    told = [f"{pos:,.0f} labelled", f"{unl:,.0f} unlabeled"]
    if neg:
        told.append(f"{neg:,.0f} known negatives")
    if table.clusters is not None:
        told.append(f"in {table.clusters.number:,} groups")
    return ", ".join(told)


def _table(model: ModelEvaluation, level: float) -> list[str]:
    """Five rows of one model."""
    if model.trust.level == "contradicted":
        text = f"{model.name}: no figures are given. {sentence(model.trust.words)}"
        return _wrapped(text)
    at = ""
    shown = [key for key in (*_SHOWN, *model.further) if key in model.corrected]
    cut = next((e.threshold for e in model.corrected.values() if e.threshold is not None), None)
    if cut is not None:
        chosen = model.operating_point
        how = ""
        if chosen is not None and not unsure(model):  # else the verdict says what it takes
            how = f", best for {chosen.objective}"
        at = f" (score >= {cut:.4g}{how})"
    kind = "audited" if model.if_random else "corrected"
    head = f"{kind:>11}{percent(level) + ' interval':>19}"
    title = f"{model.name}{at}"
    last = "if labels are random" if model.if_random else "naive"
    lines = [f"{title:<46}{head}{last:>{22 if model.if_random else 9}}"]
    for key in shown:
        found = model.corrected[key]
        ends = found.interval
        span = "" if ends is None else f"{ends.low:.3f} to {ends.high:.3f}"
        body = f"{_told(model, key):>11}{span:>19}"
        title = found.title.split(" (")[0] + key.removeprefix(found.name)
        beside = f"{model.naive[key].value:>9.3f}"
        if model.if_random:
            ends = model.if_random[key].interval
            beside = "" if ends is None else f"{f'{ends.low:.3f} to {ends.high:.3f}':>22}"
        lines.append(f"  {title:<44}{body}{beside}")
    return lines


def unsure(model: ModelEvaluation) -> str:
    """What a threshold that was chosen takes for granted beside the evidence that figures rest on."""
    return "" if model.takes_random_labels or model.joined is None else " if labels are random"


def _told(model: ModelEvaluation, key: str, digits: int = 3) -> str:
    """A figure, or a dash where its interval alone is told."""
    value = model.corrected[key].value
    return f"{value:.{digits}f}" if model.is_told(key) or value != value else "–"


def _together(result: Evaluation) -> list[str]:
    """One row for each of many models, the best first."""
    order = sorted(
        result.models.values(),
        key=lambda m: (m.trust.level == "contradicted", -m.corrected["roc_auc"].value),
    )
    shown = [key for key in _SHOWN if key in order[0].corrected]
    words = {"average_precision": "av. prec."}
    widest = min(max(len(model.name) for model in order), 30)
    head = "".join(f"{words.get(key, key):>11}" for key in shown[1:])
    lines = [f"{'':<{widest}}{'ROC AUC':>10}{percent(result.level) + ' interval':>19}{head}"]
    for model in order:
        name = model.name if len(model.name) <= widest else model.name[: widest - 1] + "…"
        if model.trust.level == "contradicted":
            lines.append(f"{name:<{widest}}   no figures are given: --verbose says why")
            continue
        area = model.corrected["roc_auc"]
        span = (
            "" if area.interval is None else f"{area.interval.low:.3f} to {area.interval.high:.3f}"
        )
        values = [_told(model, key) for key in shown]
        others = "".join(f"{value:>11}" for value in values[1:])
        lines.append(f"{name:<{widest}}{values[0]:>10}{span:>19}{others}")
    return lines


def _remarks(result: Evaluation) -> list[Diagnostic]:
    """Remarks that matter, each kind once."""
    hidden = (
        *_QUIET, *(("PM101", "PM103", "PM503", "PM152") if result.verdict.best is None else ())
    )  # fmt: skip
    every = [*result.diagnostics, *(d for m in result.models.values() for d in m.diagnostics)]
    found: dict[str, Diagnostic] = {}
    for remark in every:
        if remark.code not in hidden:
            found.setdefault(remark.code, remark)
    return list(found.values())


def bounds_dict(bounds: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by name."""
    return {key: {"low": b.low, "high": b.high, "level": b.level} for key, b in bounds.items()}


def verdict_dict(verdict: Verdict) -> dict[str, Any]:
    """The sentences by what they are about."""
    names = ("best", "caution", "ranking", "meaning", "trust", "next_step", "if_biased", "grade")
    advice = None if verdict.advice is None else verdict.advice.to_dict()
    if advice is not None:
        ways = advice["alternatives"].items()
        advice["alternatives"] = [{"way": way, "width": width} for way, width in ways]
    return {
        **{name: getattr(verdict, name) for name in names},
        "figures": {one.figure: _figure_trust_dict(one) for one in verdict.figures},
        "advice": advice,
    }


def _figure_trust_dict(one: FigureTrust) -> dict[str, Any]:
    return {"grade": one.grade, "rests_on": list(one.rests_on), "width": one.width}


def trust_dict(trust: Trust, grade: Grade) -> dict[str, str]:
    """How far figures can be trusted (grade), what the prior rests on (level), reason and remedy."""
    return {"grade": grade, "level": trust.level, "reason": trust.reason, "settle": trust.settle}


def _tipping_dict(point: TippingPoint) -> dict[str, Any]:
    found = {"target": point.target, "label_bias": point.label_bias, "low": point.low}
    return {**found, "words": point.words}


def model_dict(model: ModelEvaluation) -> dict[str, Any]:
    """Everything about a model."""
    pos, unl, neg = model.table.totals
    choice, calibration = model.operating_point, model.calibration
    modelled = model.joined is None  # what takes labels as random would not rest on the evidence
    narrowing = model.narrowing.to_dict() if modelled else None
    if narrowing is not None:
        del narrowing["diagnostics"]
    curve = model.sensitivity.frame() if modelled else {}
    return {
        "rows": {
            "positive": pos,
            "unlabeled": unl,
            "negative": neg,
            "scenario": model.table.scenario,
        },
        "trust": trust_dict(model.trust, model.grade),
        "naive": model.naive,
        "corrected": model.corrected,
        "if_random": model.if_random,
        "bounds": bounds_dict(model.bounds),
        "certain": bounds_dict(model.certain),
        "tipping": {key: _tipping_dict(point) for key, point in model.tipping.items()},
        "prior_free": dict(model.prior_free),
        "hull": {"area": model.hull.area, "largest_prior": model.hull.largest_prior}
        if modelled
        else None,
        "calibration_error": None if calibration is None or not modelled else calibration.error,
        "operating_point": None if choice is None else _point_dict(model, choice),
        "confusion": model.confusion,
        "discovery": None
        if model.discovery is None or model.discovery_rows is None
        else {
            "rows": model.discovery_rows,
            "estimate": model.discovery.at(model.discovery_rows),
            "curve": model.discovery.frame(),
            "words": model.discoveries,
        },
        "sensitivity": {key: column for key, column in curve.items() if "bound" not in key},
        "narrowing": narrowing,
        "diagnostics": model.diagnostics,
    }


def _point_dict(model: ModelEvaluation, choice: ThresholdChoice) -> dict[str, Any]:
    """The threshold that was chosen, with the figure and the counts there."""
    estimate: Estimate | None = choice.estimate
    counts: ThresholdChoice | ConfusionMatrix = choice
    if model.joined is not None and model.confusion is not None:
        estimate, counts = model.corrected.get(choice.objective), model.confusion
    found = {key: getattr(counts, key) for key in ("tp", "fp", "fn", "tn")}
    return {
        "threshold": choice.threshold, "objective": choice.objective, "estimate": estimate, **found
    }  # fmt: skip


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def paper_sentence(result: Evaluation, model: str | None = None) -> str:
    """What a paper would say of one model: figure, interval, bounds, prior and its source, assumptions."""
    from puremetrics import __version__

    name = model if model is not None else result.verdict.best or next(iter(result.models))
    if name not in result.models:
        raise InputError(
            f"There is no model {name!r} in this evaluation. Pass one of "
            f"{', '.join(map(repr, result.models))}."
        )
    found = result.models[name]
    if found.trust.level == "contradicted":
        return f"No figures are reported for {name}: {found.trust.reason}"
    parts = [
        _figure_in_words(found.corrected["roc_auc"], result.level, not found.is_told("roc_auc"))
    ]
    for key in ("average_precision", "f1"):
        if key in found.corrected:
            told = _figure_in_words(found.corrected[key], None, not found.is_told(key))
            cut = found.corrected[key].threshold
            parts.append(told if cut is None else f"{told} at score >= {cut:.4g}")
    bounds = found.bounds.get("roc_auc")
    certain = ""
    if bounds is not None and not found.if_random and found.joined is None:
        certain = (
            f" Whichever unlabeled rows are positive, the ROC AUC lies between {bounds.low:.3f} and "
            f"{bounds.high:.3f}."
        )
    pos, unl, neg = found.table.totals
    rows = f"{pos:.0f} labelled positive and {unl:.0f} unlabeled rows"
    if neg:
        rows += f" and {neg:.0f} known negatives"
    scenario = found.table.scenario.replace("_", " ").replace("case control", "case-control")
    return (
        f"On {rows} ({scenario}), {name} has {', '.join(parts[:-1])} and {parts[-1]}.{certain} "
        f"{_assumed(result, found)} Computed with puremetrics {__version__}."
    )


def _figure_in_words(estimate: Estimate, level: float | None, ranged: bool) -> str:
    title = estimate.title.split(" (")[0]
    title = title if title[:3].isupper() or title[1:2].isdigit() else title.lower()
    ends = estimate.interval
    if ends is None:
        return f"a {title} of {estimate.value:.3f}"
    word = "" if level is None else f"{percent(level)} interval "
    article = "an" if title[0] in "aeioFAR" and not title.startswith("ROC") else "a"
    if ranged:
        return f"{article} {title} between {ends.low:.3f} and {ends.high:.3f}"
    return f"{article} {title} of {estimate.value:.3f} ({word}{ends.low:.3f} to {ends.high:.3f})"


def _assumed(result: Evaluation, model: ModelEvaluation) -> str:
    if model.table.total_unl == 0:
        return "All rows are labelled."
    if model.if_random:
        n = next(iter(model.corrected.values())).n_checked
        return (
            f"The figures rest on {n} rows that were checked by hand, and assume neither a prior nor random "
            "labels."
        )
    known = result.prior
    if model.joined is not None:
        kinds = "; ".join(f"{k.title} (right if {k.assumes})" for k in model.joined.evidence)
        return (
            f"The figures rest on {kinds}. The prior that follows is {known.value:.4g} ({known.low:.4g} to "
            f"{known.high:.4g})."
        )
    span = f"{known.value:.4g}" if known.is_point else f"{known.low:.4g} to {known.high:.4g}"
    source = "was given" if result.prior_source == "given" else f"was {result.prior_source}"
    purity = "" if known.purity_low == 1 else f", the labels to have purity {known.purity:.4g}"
    bias = ""
    if result.label_bias > 1:
        bias = f", up to a label bias of {result.label_bias:.4g}"
    return (
        f"The prior ({span}) {source}; labels are taken to be a random sample of the positives{bias}"
        f"{purity}."
    )


def _cells(result: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and one row for each model: value and interval of every metric."""
    first = next(iter(result.models.values()))
    titles = ["model", *(e.title.split(" (")[0] for e in first.corrected.values())]
    rows = []
    for name, model in result.models.items():
        row = [name]
        for key, found in model.corrected.items():
            ends = found.interval
            span = "" if ends is None else f"{ends.low:.3f} to {ends.high:.3f}"
            if model.trust.level == "contradicted":
                row.append("–")
            elif span and not model.is_told(key):
                row.append(span)
            else:
                row.append(f"{found.value:.3f} ({span})" if span else f"{found.value:.3f}")
        rows.append(row)
    return titles, rows


def markdown_table(result: Evaluation) -> str:
    """The verdict, and one row for each model."""
    titles, rows = _cells(result)
    lines = [f"- {part}" for part in result.verdict.sentences]
    lines += ["", "| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in rows:
        lines.append(
            "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
        )
    return "\n".join(lines) + "\n"


def latex_table(result: Evaluation) -> str:
    """A tabular (booktabs) with one row for each model, and the sentence for the caption as a comment."""
    titles, rows = _cells(result)
    lines = [
        "% " + paper_sentence(result).replace("\n", " "),
        r"\begin{tabular}{l" + "r" * (len(titles) - 1) + "}",
        r"\toprule",
        " & ".join(_escaped(title) for title in titles) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(_escaped(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text).replace("–", "--")


def csv_text(result: Evaluation) -> str:
    """One line for each model and metric."""
    columns = result.frame()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        writer.writerow(["" if value != value else value for value in row])
    return out.getvalue()
