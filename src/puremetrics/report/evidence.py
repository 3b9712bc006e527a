"""The page of an evaluation that rests on evidence: what each kind says, then the figures that follow.

It has one picture, the prior as each kind of evidence sees it (`forest`): a line for each, from its lower to
its upper limit, on one axis, and all of them together below. The rest of a report takes labels as a random
sample of the positives: curves, bounds, calibration, sliders. None of that is on this page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.model import COUNT_WORDS
from puremetrics.evaluation.showing import unsure
from puremetrics.evidence import EvidenceTable
from puremetrics.report import words
from puremetrics.report.extras import free, further, remarks
from puremetrics.report.overview import against_card, header, said
from puremetrics.report.pieces import (
    caption,
    figure_span,
    grade,
    hue,
    model_name,
    range_bar,
    section,
)
from puremetrics.report.words import TITLES, count, figure, level_words

__all__ = ["evidence_body", "forest"]

_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_HEADLINE = ("roc_auc", "average_precision", "f1")
_TICKS = (1.0, 2.0, 5.0, 10.0)
_MOST_TICKS = 6
_ROOM = 0.04  # of the axis, beyond the outermost limits
_ABOUT = (
    "Lines reach from the lower to the upper limit ({level}).{shaded} The last column says how "
    "wide the interval would be if that kind were left out: the wider, the more it is worth."
)
_LEFT_OUT = (
    "Curves, bounds, calibration and sliders are not on this page: they take labels as a random sample of "
    "the positives and would not rest on this evidence. The page makes no network request."
)
_GRADES = (
    "Good: stated assumptions and an interval at most 0.3 wide (high, if all of it was checked by chance). "
    "Fair: up to 0.5 wide. Low: wider. No grade says whether what is assumed is true."
)
_COUNTS = "Counts are the best estimate for all rows, and need not be whole."


def evidence_body(
    evaluation: Evaluation,
    title: str,
    against: Sequence[ModelEvaluation],
    notes: Sequence[str] = (),
    last: str = "",
) -> str:
    """Return everything between the body tags; ``against`` are models without figures."""
    verdict, found = evaluation.verdict, evaluation.evidence
    assert found is not None
    every = bool(against) and len(against) == len(evaluation.models)
    cards = "".join(against_card(i, model) for i, model in enumerate(against))
    figures = "" if every else _figures(evaluation, cards)
    first = "page first alone" if every or len(evaluation.models) > 1 else "page first"
    reasons = _without(list(against), evaluation.level) if every else ""
    parts = [
        header(title).replace('id="theme" class="button', 'id="theme" hidden class="button'),
        f'<main><div class="{first}">',
        said(evaluation, verdict, notes),
        figures,
        '</div><div class="page">',
        _evidence(evaluation, found),
        reasons,
        "" if every else _at_threshold(evaluation),
        "" if every else further(evaluation),
        free(evaluation),
        "" if every else _assumed(evaluation, found),
        remarks(evaluation),
        last,
        f"</div></main><footer><div><p>{escape(_LEFT_OUT)}</p></div></footer>",
    ]
    return "\n".join(part for part in parts if part)


# -------------------------------------------------------------------- the picture


def forest(found: EvidenceTable, level: float) -> str:
    """Return what each kind says as a table with a line for each, all together at the end."""
    start, end = _axis(found)
    together = found.together
    clashing = {kind for pair in found.contradicting for kind in pair}
    rows = []
    ends = zip(found.value, found.low, found.high, strict=True)
    for i, (value, low, high) in enumerate(ends):
        look = ' class="clash"' if i in clashing else ""
        without = "" if np.isnan(found.without[i]) else f"{figure(found.without[i])} wide"
        rows.append(
            f'<tr{look}><th scope="row">{escape(_capital(found.kinds[i]))}'
            f"<small>right if {escape(found.assumes[i])}</small></th>"
            f'<td class="drawn">{_line(value, low, high, together, start, end)}</td>'
            f"<td>{_told(value, low, high)}</td>"
            f'<td class="worth"><span class="tag">without it: </span>{without or "–"}</td></tr>'
        )
    rows.append(
        '<tr class="joint"><th scope="row">All together</th>'
        f'<td class="drawn">{_line(*together, together, start, end, "joint")}</td>'
        f"<td>{_told(*together)}</td><td></td></tr>"
    )
    heads = f"alone, {level_words(level)} interval", "interval without it"
    return (
        '<table class="forest"><thead><tr><td></td><td class="drawn"></td>'
        f'<th scope="col">{heads[0]}</th><th scope="col">{heads[1]}</th></tr></thead>'
        f'<tbody>{"".join(rows)}</tbody><tfoot aria-hidden="true"><tr><td></td>'
        f'<td class="drawn">{_ticks(start, end)}</td><td></td><td></td></tr></tfoot></table>'
    )


def _axis(found: EvidenceTable) -> tuple[float, float]:
    """Where the axis starts and ends: just beyond all that the kinds say which say something."""
    says = ~np.isnan(found.value)
    low = [*found.low[says], found.together[1]]
    high = [*found.high[says], found.together[2]]
    room = _ROOM * (max(high) - min(low))
    start = min(low) - room
    return max(start, 0.0) if min(low) >= 0 else start, max(high) + room


def _place(value: float, start: float, end: float) -> float:
    """Per cent of the axis."""
    return 100 * min(max((value - start) / (end - start), 0.0), 1.0)


def _line(
    value: float,
    low: float,
    high: float,
    together: tuple[float, float, float],
    start: float,
    end: float,
    look: str = "kind",
) -> str:
    drawn = []
    if not np.isnan(together[0]):  # what contradicts itself is no common range
        left, right = (_place(limit, start, end) for limit in together[1:])
        wide = f'x="{left:.2f}%" width="{right - left:.2f}%"'
        drawn.append(f'<rect class="all" {wide} y="0" height="100%"/>')
    x = [_place(limit, start, end) for limit in (low, high)]
    if look == "kind" and np.isnan(value):
        drawn.append('<line class="open" x1="0" x2="100%" y1="50%" y2="50%"/>')
    else:
        kind = f"{look} split" if np.isnan(value) else look
        drawn.append(f'<line class="{kind}" x1="{x[0]:.2f}%" x2="{x[1]:.2f}%" y1="50%" y2="50%"/>')
    if not np.isnan(value):
        drawn.append(
            f'<circle class="{look}" cx="{_place(value, start, end):.2f}%" cy="50%" r="5"/>'
        )
    return f'<svg aria-hidden="true">{"".join(drawn)}</svg>'


def _ticks(start: float, end: float) -> str:
    """Round numbers along the axis."""
    base = 10.0 ** np.floor(np.log10((end - start) / _MOST_TICKS))
    step = next(t * base for t in _TICKS if (end - start) / (t * base) <= _MOST_TICKS)
    at = np.arange(np.ceil(start / step - 1e-9), np.floor(end / step + 1e-9) + 1) * step
    digits = max(int(np.ceil(-np.log10(step) - 1e-9)), 0)
    drawn = ['<line class="base" x1="0" x2="100%" y1="0.5" y2="0.5"/>']
    for tick in at:
        x = _place(float(tick), start, end)
        side = "start" if x < 3 else "end" if x > 97 else "middle"
        drawn.append(f'<line class="base" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="5"/>')
        drawn.append(
            f'<text class="tick" text-anchor="{side}" x="{x:.2f}%" y="19">{figure(tick, digits)}</text>'
        )
    return f"<svg>{''.join(drawn)}</svg>"


def _told(value: float, low: float, high: float) -> str:
    """A number with its limits; where it has no value, the limits, or that it tells nothing."""
    span = f"{figure(low)} to {figure(high)}"
    if not np.isnan(value):
        return f'<b>{figure(value)}</b> <span class="ends">({span})</span>'
    return f'<span class="ends">{span}</span>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# -------------------------------------------------------------------- the sections


def _evidence(evaluation: Evaluation, found: EvidenceTable) -> str:
    clashes = "".join(
        f'<p class="against-note">{escape(words.sentence(found.kinds[one]))} and '
        f"{escape(found.kinds[other])} contradict each other: one of them is wrong.</p>"
        for one, other in found.contradicting
    )
    about = _ABOUT.format(
        level=level_words(evaluation.level), shaded="" if clashes else " Shaded: all together."
    )
    if any(np.isnan(found.value)):
        about += " Dotted: a kind that leaves it open by itself."
    return section(
        "evidence",
        "The prior, as each kind of evidence sees it",
        f"{clashes}{forest(found, evaluation.level)}{caption(about)}",
        _answer(found),
    )


def _answer(found: EvidenceTable) -> str:
    """What all say together, and which kind is worth most."""
    value, low, high = found.together
    number = len(found.kinds)
    if found.contradicting:
        return (
            "Evidence that contradicts itself is not averaged: there is no value, and the range below, "
            f"{figure(low)} to {figure(high)}, holds what is left when one or the other is left out."
        )
    together = f"the prior is {figure(value)} ({figure(low)} to {figure(high)})"
    if number == 1:
        return f"By {found.kinds[0]}, {together}."
    most = int(np.nanargmax(found.without))
    many = _NUMBERS.get(number, str(number))
    said = f"Put together, the {many} kinds of evidence say that {together}"
    if found.without[most] > 1.1 * (high - low):
        said += (
            f". Most is owed to {found.kinds[most]}: without it the interval would be "
            f"{figure(found.without[most])} wide, not {figure(high - low)}"
        )
    return f"{said}."


def _figures(evaluation: Evaluation, cards: str) -> str:
    told = [
        (i, m) for i, m in enumerate(evaluation.models.values()) if m.trust.level != "contradicted"
    ]
    shown = "".join(_card(i, model) for i, model in told)
    level = level_words(evaluation.level)
    how = (
        "Crossed out: what the labels say if every unlabeled row is treated as negative. Large: what the "
        f"evidence says, with its {level} interval."
    )
    return section(
        "overview", "The figures", f'<div class="cards">{shown}{cards}</div>{caption(how)}'
    )


def _card(i: int, model: ModelEvaluation) -> str:
    shown = []
    for key in _HEADLINE:
        found = model.corrected.get(key)
        if found is None or found.interval is None:
            continue
        naive, ends = model.naive[key].value, (found.low, found.high)
        ranged = not model.is_told(key)
        value = f"<b>{figure(found.value)}</b>"
        if ranged:
            value = f'<b class="range">{figure(found.low)} to {figure(found.high)}</b>'
        shown.append(
            f'<div class="figure"><p class="name">{TITLES[key]}</p>'
            f'<p class="value"><s>{figure(naive)}</s> {value}</p>'
            f"{range_bar(f'{i}.{key}', found.value, ends, naive, None, None)}"
            '<p class="line"><span class="tag">interval</span>'
            f'<span class="span">{figure(found.low)} to {figure(found.high)}</span></p></div>'
        )
    rule = ""
    if model.threshold is not None:
        rule = f'<span class="rule">F1 at score ≥\N{NO-BREAK SPACE}{model.threshold:.6g}</span>'
    return (
        f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}{rule}</h3>'
        f'<div class="figures">{"".join(shown)}</div></article>'
    )


def _at_threshold(evaluation: Evaluation) -> str:
    told = [
        (i, m)
        for i, m in enumerate(evaluation.models.values())
        if m.confusion is not None and m.trust.level != "contradicted"
    ]
    if not told:
        return ""
    blocks = "".join(_model_at_threshold(i, model, evaluation.level) for i, model in told)
    chosen = [m.operating_point for _, m in told if m.operating_point is not None]
    about = _COUNTS
    if chosen:
        taken = f", {unsure(told[0][1]).strip()}" if unsure(told[0][1]) else ""
        about = (
            f"The threshold is the best for {chosen[0].objective} on these rows{taken}; intervals take it as "
            f"given. {about}"
        )
    answer = ""
    first = told[0][1]
    precision, recall = (first.corrected.get(key) for key in ("precision", "recall"))
    if precision is not None and recall is not None:
        who = f"{first.name} flags" if len(told) > 1 else "flagged"
        answer = (
            f"Of the rows {who}, {words.percent(precision.low)} to {words.percent(precision.high)} are "
            f"positive; {words.percent(recall.low)} to {words.percent(recall.high)} of the positives are "
            "found."
        )
    return section("threshold-section", "At the threshold", blocks + caption(about), answer)


def _model_at_threshold(i: int, model: ModelEvaluation, level: float) -> str:
    matrix = model.confusion
    assert matrix is not None
    assert model.threshold is not None

    def cell(key: str) -> str:
        shown = figure_span(f"{i}.{key}", getattr(matrix, key), "count")
        return f'<td class="{key}"><b>{shown}</b><span>{COUNT_WORDS[key]}</span></td>'

    size = matrix.tp + matrix.fp + matrix.fn + matrix.tn
    rows = []
    for key, found in model.corrected.items():
        if found.threshold is None or key not in TITLES:
            continue
        value = figure(found.value) if model.is_told(key) else "–"
        naive, ends = model.naive[key].value, (found.low, found.high)
        bar = range_bar(f"{i}.{key}", found.value, ends, naive, None, None)
        rows.append(
            f'<tr><th scope="row">{TITLES[key]}</th><td class="quiet"><s>{figure(naive)}</s></td>'
            f"<td><b>{value}</b></td><td>{figure(found.low)} to {figure(found.high)}</td>"
            f'<td class="bar">{bar}</td></tr>'
        )
    return (
        f'<article class="at {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}'
        f'<span class="rule"> score ≥\N{NO-BREAK SPACE}{model.threshold:.6g}</span></h3><div class="split">'
        f'<table class="matrix"><caption>Of {count(round(size))} rows</caption>'
        '<thead><tr><td></td><th scope="col">truly positive</th><th scope="col">truly '
        "negative</th></tr></thead>"
        f'<tbody><tr><th scope="row">flagged</th>{cell("tp")}{cell("fp")}</tr>'
        f'<tr><th scope="row">not flagged</th>{cell("fn")}{cell("tn")}</tr></tbody></table>'
        '<div class="scroll"><table class="metrics"><thead><tr><td></td><th scope="col">naive</th>'
        f'<th scope="col">from the evidence</th><th scope="col">{level_words(level)} interval</th>'
        f'<td class="bar"></td></tr></thead><tbody>{"".join(rows)}</tbody></table></div></div></article>'
    )


def _assumed(evaluation: Evaluation, found: EvidenceTable) -> str:
    """What must be true for the figures, and how far each of them can be trusted."""
    items = "".join(
        f"<li><b>{escape(_capital(kind))}</b>: {escape(assumes)}.</li>"
        for kind, assumes in zip(found.kinds, found.assumes, strict=True)
    )
    models = [m for m in evaluation.models.values() if m.trust.level != "contradicted"]
    names = list(dict.fromkeys(name for model in models for name in model.graded))
    heads = "".join(f'<th scope="col">{model_name(model.name)}</th>' for model in models)
    rows = []
    for name in names:
        cells = [model.graded.get(name) for model in models]
        told = "".join(f"<td>{grade(one.grade) if one else '–'}</td>" for one in cells)
        rows.append(f'<tr><th scope="row">{escape(TITLES.get(name, name))}</th>{told}</tr>')
    table = (
        f'<table class="plain"><thead><tr><th scope="col">trust</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    content = f'<ul class="list">{items}</ul>{table}{caption(_GRADES)}'
    return section("assumed", "What is assumed", content, "All figures here rest on this.")


def _without(models: Sequence[ModelEvaluation], level: float) -> str:
    """What the figures would be without one or the other kind that contradicts."""
    tables = []
    for i, model in enumerate(models):
        if not model.if_left_out:
            continue
        titles = [TITLES.get(name, name) for name in next(iter(model.if_left_out.values()))]
        heads = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
        rows = "".join(
            f'<tr><th scope="row">without {escape(left)}</th>'
            + "".join(
                f"<td>{_told(found.value, found.low, found.high)}</td>" for found in own.values()
            )
            + "</tr>"
            for left, own in model.if_left_out.items()
        )
        tables.append(
            f'<h3 class="{hue(i)}">{model_name(model.name)}</h3><div class="scroll">'
            f'<table class="plain"><thead><tr><td></td>{heads}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
    if not tables:
        return ""
    return section(
        "left-out",
        "What each way out would give",
        "".join(tables),
        "Both cannot be right, so the figures are told once without each of them, with "
        f"{level_words(level)} intervals.",
    )
