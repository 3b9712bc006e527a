"""The first screen: the verdict, the figures beside it, and what was read.

With many models `league` puts them in one chart: sorted dots with their intervals on one axis, and the
figures beside them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.verdict import Verdict
from puremetrics.report import words
from puremetrics.report.pieces import (
    caption,
    figure_span,
    grade,
    hue,
    model_name,
    moved_note,
    naive_span,
    point_or_span,
    range_bar,
    section,
    span_of,
)
from puremetrics.report.words import TITLES, level_words
from puremetrics.results import Interval

__all__ = ["CARDS", "against_card", "header", "league", "overview", "said"]


_WIDE, _EDGE = 220, 8


def league(evaluation: Evaluation) -> str:
    """Return the chart as a table, one row a model, the largest ROC area first."""
    order = sorted(
        enumerate(evaluation.models.values()), key=lambda one: -one[1].modelled["roc_auc"].value
    )
    least = axis_start([_ends(model)[0] for _, model in order])
    keys = [key for key in _HEADLINE if key in order[0][1].modelled]
    heads = "".join(f'<th scope="col" class="num">{TITLES[key]}</th>' for key in keys)
    rows = "".join(_row(i, model, least, keys) for i, model in order)
    return (
        '<table class="league"><thead><tr><th scope="col">Model</th>'
        f'<td class="bar" aria-hidden="true">{_axis(least)}</td>{heads}</tr></thead>'
        f'<tbody id="league">{rows}</tbody></table>'
    )


def axis_start(lows: list[float]) -> float:
    """A round number below all of these, so that the axis shows where they differ.

    >>> axis_start([0.62, 0.7]), axis_start([0.93]), axis_start([0.2])
    (0.6, 0.9, 0.2)
    """
    return min(max(math.floor(10 * min(lows) + 1e-9) / 10, 0.0), 0.9)


def _row(i: int, model: ModelEvaluation, least: float, keys: list[str]) -> str:
    found, cells = model.modelled["roc_auc"], []
    for key in keys:
        told = model.modelled.get(key)
        if told is None:
            cells.append('<td class="num">–</td>')
            continue
        ends = told.interval or (told.value, told.value)
        point = point_or_span(model, told, f"{i}.{key}", ends)
        cells.append(f'<td class="num">{point} {span_of(i, key, *ends)}</td>')
    dot = _dot(i, least, found.value, _ends(model), model.naive["roc_auc"].value)
    return (
        f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
        f'<td class="bar">{dot}</td>{"".join(cells)}</tr>'
    )


def _ends(model: ModelEvaluation) -> tuple[float, float]:
    found = model.modelled["roc_auc"]
    low, high = found.interval or (found.value, found.value)
    return low, high


def _x(value: float, least: float) -> float:
    inside = min(max(value, least), 1.0)
    return _EDGE + (_WIDE - 2 * _EDGE) * (inside - least) / (1 - least)


def _dot(i: int, least: float, value: float, ends: tuple[float, float], naive: float) -> str:
    low, high = (_x(end, least) for end in ends)
    drawn = [f'<path class="base" d="M{_EDGE} 9H{_WIDE - _EDGE}"/>']
    if naive >= least:
        drawn.append(f'<path class="tick-naive" d="M{_x(naive, least):.1f} 4V14"/>')
    drawn.append(
        f'<rect class="sure" x="{low:.1f}" y="6" width="{max(high - low, 1):.1f}" height="6" rx="1"/>'
        f'<circle class="dot" cx="{_x(value, least):.1f}" cy="9" r="4"/>'
    )
    return (
        f'<svg class="range" data-league="{i}" viewBox="0 0 {_WIDE} 18" aria-hidden="true">'
        f"{''.join(drawn)}</svg>"
    )


def _axis(least: float) -> str:
    middle = (least + 1) / 2
    ticks = "".join(
        f'<text class="{place}" x="{_x(at, least):.1f}" y="12">{words.figure(at, 2).rstrip("0").rstrip(".")}'
        f'</text><path class="base" d="M{_x(at, least):.1f} 14V18"/>'
        for at, place in ((least, ""), (middle, "mid"), (1.0, "end"))
    )
    return f'<svg class="range" data-league="axis" viewBox="0 0 {_WIDE} 18">{ticks}</svg>'


CARDS = 3  # models that get a card each; more share one chart
_STRUCK = '<span class="struck">Crossed out: unlabeled rows counted as negative</span>'
_HEADLINE = ("roc_auc", "average_precision", "f1")
_BOUNDS = (
    "Bounds hold whichever unlabeled rows are positive, as long as the labelled ones are a random sample of "
    "the positives."
)
_BIASED_BOUNDS = (
    "Intervals and bounds allow for labels that are biased as far as stated; bounds hold whichever unlabeled "
    "rows are positive."
)
_NO_BOUNDS = (
    "Bounds whichever unlabeled rows are positive are left out: they need unlabeled rows, whole counts, "
    "clean labels, and a prior whose range leaves some of the rows positive."
)


def header(title: str) -> str:
    """The title, and the switch between light and dark."""
    return (
        '<a class="skip" href="#overview">Skip to the figures</a>'
        '<header class="top"><div>'
        '<p class="kicker">Positive-unlabeled evaluation</p>'
        f'<h1 dir="auto">{escape(title)}</h1></div>'
        '<button type="button" id="theme" class="button script-only" aria-pressed="false" '
        'aria-label="Dark mode"><span aria-hidden="true">◐</span></button></header>'
    )


def said(evaluation: Evaluation, verdict: Verdict, notes: Sequence[str]) -> str:
    """The verdict, what was read, and the prior."""
    table = next(iter(evaluation.models.values())).table
    sentences = " ".join(words.prior_sentences(evaluation))
    told = "".join(f'<p class="read" dir="auto">{escape(note)}</p>' for note in notes)
    return (
        f'<div class="said">{_verdict(verdict, moves=not evaluation.rests_on_evidence)}<div>'
        f'<p class="read"><strong>{escape(words.rows_read(table))}.</strong> '
        f'<span class="scenario">{escape(words.scenario_sentence(table))}</span></p>'
        f'<p class="read" dir="auto">{escape(sentences)}</p>{told}</div></div>'
    )


def _verdict(verdict: Verdict, *, moves: bool) -> str:
    """The answer: what is wrong, who is better, what that means, how far to trust it, what to do next."""
    lines = (
        [f'<p class="caution" dir="auto">{_labelled(verdict.caution)}</p>']
        if verdict.caution
        else []
    )
    told = [part for part in (verdict.ranking, verdict.meaning) if part]
    looks = (' class="answer"', "")
    lines += [
        f'<p{look} dir="auto">{escape(part)}</p>' for look, part in zip(looks, told, strict=False)
    ]
    lines += [_trust(verdict.trust, verdict.if_biased)] if verdict.trust else []
    lines += [f'<p dir="auto">{_labelled(verdict.next_step)}</p>'] if verdict.next_step else []
    lines = [text.replace("&gt;= ", "≥\N{NO-BREAK SPACE}") for text in lines]
    if moves:
        lines.append(
            '<p class="note" data-away hidden>These sentences are about the evaluated position of the '
            "sliders.</p>"
        )
    return f'<div class="verdict trust {verdict.grade}">{"".join(lines)}</div>'


def _labelled(text: str) -> str:
    """A sentence whose first word says what it is about, such as "Next: …"."""
    first, colon, rest = text.partition(": ")
    return f"<b>{escape(first)}:</b> {escape(rest)}" if colon else escape(text)


def _trust(text: str, if_biased: str) -> str:
    """The grades, in their colours; what they rest on and what they stand is folded on small screens."""
    grades, _, reasons = text.partition(". ")
    first = re.sub(
        r"\b(high|good|fair|low|none)\b(?= for |,|$)",
        lambda match: grade(match[1]),
        _labelled(grades.removesuffix(".")),
    )
    told = "".join(f'<p dir="auto">{escape(part)}</p>' for part in (reasons, if_biased) if part)
    if not told:
        return f'<p dir="auto">{first}.</p>'
    return f'<details class="why" open><summary>{first}</summary>{told}</details>'


def against_card(i: int, model: ModelEvaluation) -> str:
    """A model without figures: what contradicts what."""
    remarks = "".join(
        f'<p class="gist"><b>{escape(remark.code)}</b> {escape(remark.message)}</p>'
        for remark in model.diagnostics
    )
    return (
        f'<article class="card {hue(i)}"><h3>{model_name(model.name)}</h3>'
        f'<p class="reason" dir="auto">{escape(words.sentence(model.trust.words))}</p>{remarks}</article>'
    )


def overview(
    evaluation: Evaluation, content: dict[str, Any], against: Sequence[ModelEvaluation]
) -> str:
    """The figures: a card for each of a few models, one chart for more of them."""
    models = list(evaluation.models.values())
    if len(models) <= CARDS:
        cards = [_card(i, model, content["models"][i]) for i, model in enumerate(models)]
    else:
        cards = [league(evaluation)]
        told = "".join(
            f'<div class="{hue(i)}" data-model="{i}"><h3>{model_name(m.name)}</h3>'
            f"{_in_short(i, m)}{_in_words(i, m)}</div>"
            for i, m in enumerate(models)
        )
        cards.append(
            f'<details class="more"><summary>Each model in words</summary>{told}</details>'
        )
    cards += [against_card(len(models) + i, model) for i, model in enumerate(against)]
    bounded = any(model.bounds for model in models)
    switch = (
        '<label class="switch"><input type="checkbox" id="show-bounds"> Show bounds</label>'
        if bounded
        else ""
    )
    struck = _STRUCK if len(models) <= CARDS and not content["fixed"] else ""
    name = "The figures" if evaluation.audit is None else "If labels are random"
    answer = (
        "" if evaluation.audit is None else words.random_answer(evaluation)
    )  # else the verdict is
    return section(
        "overview",
        name,
        '<p id="against" class="against-note" role="status" hidden></p>'
        f'{moved_note(evaluation)}<div class="cards">{"".join(cards)}</div>'
        f'<div class="under">{switch}{struck}'
        f'<details class="more"><summary>How to read the figures</summary>'
        f"{caption(_how(evaluation, content, bounded))}</details></div>",
        answer,
        "all",
    )


def _how(evaluation: Evaluation, content: dict[str, Any], bounded: bool) -> str:
    level = level_words(evaluation.level)
    text = (
        "Crossed out: what the labels say if every unlabeled row is treated as negative. Large: "
        f"corrected for the positives among them, with its {level} interval. "
    )
    if any(model["ranged"] for model in content["models"]):
        text += (
            "Where a single number would say more than is known, the interval stands in its place. "
        )
    if any(words.is_open(model) for model in evaluation.models.values()):
        text += "Move the prior to see the figure at each. "
    biased = _BIASED_BOUNDS if evaluation.label_bias > 1 else _BOUNDS
    text += biased if bounded else _NO_BOUNDS
    if len(evaluation.models) > CARDS:
        return (
            f"{text} Models are sorted by their ROC AUC: dot, interval (dark), naive figure (grey)."
        )
    true = any(model["truth"] for model in content["models"])
    text += " On the scales from 0 to 1: corrected figure, interval (dark), "
    text += "bounds if shown (pale), " if bounded else ""
    return f"{text}naive figure (grey){', truth (triangle)' if true else ''}."


def _card(i: int, model: ModelEvaluation, numbers: dict[str, Any]) -> str:
    figures = "".join(
        _figure(i, key, model, numbers["truth"]) for key in _HEADLINE if key in model.modelled
    )
    at = numbers["at"]
    rule = ""
    if at is not None:
        threshold = figure_span(f"{i}.threshold", at["threshold"], "plain")
        rule = f'<span class="rule">F1 at score ≥\N{NO-BREAK SPACE}{threshold}</span>'
    return (
        f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}{rule}</h3>'
        f'<div class="figures">{figures}</div>'
        f'<details class="more"><summary>Explain</summary>{_in_words(i, model)}</details></article>'
    )


def _in_words(i: int, model: ModelEvaluation) -> str:
    found = model.modelled["roc_auc"]
    ends = found.interval or (found.value, found.value)
    pairs = point_or_span(model, found, f"{i}.roc_auc", ends, "percent")
    naive = figure_span(f"{i}.naive.roc_auc", model.naive["roc_auc"].value, "percent")
    return (
        f'<p class="gist">A random positive scores above a random negative in {pairs} of pairs; '
        f"read naively, the labels say {naive}.</p>{_without_labels(model)}"
    )


def _in_short(i: int, model: ModelEvaluation) -> str:
    """What the chart of many models has no room for."""
    found = model.modelled["average_precision"]
    low, high = found.interval or (found.value, found.value)
    point = point_or_span(model, found, f"{i}.average_precision", None)
    naive = [
        f"{TITLES[key]} {figure_span(f'{i}.naive.{key}', model.naive[key].value)}"
        for key in ("roc_auc", "average_precision")
    ]
    return (
        f'<p class="gist">Average precision {point}, {span_of(i, "average_precision", low, high)}. Read '
        f"naively: {naive[0]}, {naive[1][0].lower()}{naive[1][1:]}.</p>"
    )


def _without_labels(model: ModelEvaluation) -> str:
    """What no labelling can bias."""
    found = model.prior_free.get("pulp")
    if found is None:
        return ""
    return (
        f'<p class="gist">However labels were given, and without a prior: PULP '
        f"<b>{words.figure(found.value)}</b>{_within(found.interval)}. "
        '<a href="#free">Its companions</a></p>'
    )


def _within(ends: Interval | None) -> str:
    return "" if ends is None else f" ({words.figure(ends.low)} to {words.figure(ends.high)})"


def _figure(i: int, key: str, model: ModelEvaluation, truth: dict[str, float]) -> str:
    estimate, bound = model.modelled[key], model.bounds.get(key)
    low, high = estimate.interval or (float("nan"), float("nan"))
    naive, ends = model.naive[key].value, None if bound is None else tuple(bound)
    lines = [
        f'<p class="name">{TITLES[key]}</p>',
        f'<p class="value">{naive_span(i, key, model)} '
        f"{point_or_span(model, estimate, f'{i}.{key}', (low, high))}</p>",
        range_bar(f"{i}.{key}", estimate.value, (low, high), naive, ends, truth.get(key)),
        f'<p class="line own"><span class="tag">interval</span>{span_of(i, key, low, high)}</p>',
    ]
    if words.is_ranged(
        model, estimate
    ):  # the interval stands above: the naive figure takes its place
        lines.append(
            f'<p class="line was"><span class="tag">naive</span>{naive_span(i, key, model)}</p>'
        )
    if bound is not None:
        lines.append(
            '<p class="line bounds"><span class="tag">bounds</span>'
            f'<span data-bounds="{i}.{key}">{words.figure(bound.low)} to '
            f"{words.figure(bound.high)}</span></p>"
        )
    if key in truth:
        lines.append(
            '<p class="line truth"><span class="tag">truth</span>'
            f'<span data-truth="{i}.{key}">{words.figure(truth[key])}</span></p>'
        )
    return f'<div class="figure">{"".join(lines)}</div>'
