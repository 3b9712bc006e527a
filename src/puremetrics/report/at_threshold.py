"""The section about the threshold: counts and metrics of every model there."""

from __future__ import annotations

from html import escape
from typing import Any

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.records import COUNT_WORDS
from puremetrics.report import words
from puremetrics.report.pieces import (
    caption,
    figure_span,
    hue,
    model_name,
    naive_span,
    point_or_span,
    section,
    span_of,
)
from puremetrics.report.words import TITLES, count, level_words

__all__ = ["at_threshold"]

_OPEN = 3  # models up to which all are unfolded


def at_threshold(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the section; of many models, all but the best are folded."""
    blocks = [
        _at_threshold(i, model, content["models"][i], evaluation, content["size"])
        for i, model in enumerate(evaluation.models.values())
        if "recall" in model.modelled
    ]
    if not blocks:
        return ""
    return section(
        "threshold-section",
        "At the threshold",
        "".join(blocks) + caption(words.CAPTIONS["threshold"]),
    )


def _at_threshold(
    i: int, model: ModelEvaluation, numbers: dict[str, Any], evaluation: Evaluation, size: float
) -> str:
    at = numbers["at"]["threshold"]
    choice = ""
    if model.operating_point is not None:
        point = model.operating_point
        ends = point.estimate.interval
        within = f" ({words.figure(ends.low)} to {words.figure(ends.high)})" if ends else ""
        choice = (
            f'<p class="note" data-home="{i}">Chosen as the best threshold for '
            f"{escape(point.objective)}. "
            f"Corrected for having chosen it on these rows, {escape(point.objective)} is "
            f"{words.figure(point.estimate.value)}{within}.</p>"
        )
    threshold = figure_span(f"{i}.threshold", at, "plain")
    title = (
        f"<h3>{model_name(model.name)}"
        f'<span class="rule"> score ≥\N{NO-BREAK SPACE}{threshold}</span></h3>'
    )
    content = (
        f'{choice}<div class="split">{_matrix(i, model, numbers, evaluation, size)}'
        f"{_metrics(i, model, numbers, evaluation)}</div>"
    )
    if len(evaluation.models) > _OPEN:
        shown = " open" if model.name == evaluation.verdict.best else ""
        content = f"<details{shown}><summary>{title}</summary>{content}</details>"
    else:
        content = title + content
    return f'<article class="at {hue(i)}" data-model="{i}">{content}</article>'


def _matrix(
    i: int, model: ModelEvaluation, numbers: dict[str, Any], evaluation: Evaluation, size: float
) -> str:
    matrix = model.confusion
    assert matrix is not None

    def cell(key: str) -> str:
        value = getattr(matrix, key)
        ends = matrix.likely.get(key, (value, value))
        shown = point_or_span(model, value, f"{i}.{key}", ends, "count")
        return (
            f'<td class="{key}" data-cell="{i}.{key}">{shown}<span>{COUNT_WORDS[key]}</span>'
            f'<small class="bounds" data-bounds="{i}.{key}"></small></td>'
        )

    return (
        f'<table class="matrix"><caption>Of {count(size)} rows</caption>'
        '<thead><tr><td></td><th scope="col">truly positive</th><th scope="col">truly '
        "negative</th></tr></thead>"
        f'<tbody><tr><th scope="row">flagged</th>{cell("tp")}{cell("fp")}</tr>'
        f'<tr><th scope="row">not flagged</th>{cell("fn")}{cell("tn")}</tr></tbody></table>'
    )


def _metrics(
    i: int, model: ModelEvaluation, numbers: dict[str, Any], evaluation: Evaluation
) -> str:
    truth, rows = numbers["truth"], []
    keys = [key for key in model.modelled if key in TITLES and "roc" not in key]
    keys = [key for key in keys if key != "average_precision"]
    bounded, true = bool(model.bounds), any(key in truth for key in keys)
    for key in keys:
        estimate, bound = model.modelled[key], model.bounds.get(key)
        low, high = estimate.interval or (float("nan"), float("nan"))
        cells = [
            f'<th scope="row">{TITLES[key]}</th>',
            f'<td class="quiet">{naive_span(i, key, model)}</td>',
            f"<td>{point_or_span(model, estimate, f'{i}.{key}', None)}</td>",
            f"<td>{span_of(i, key, low, high)}</td>",
        ]
        if bounded:
            text = (
                "–" if bound is None else f"{words.figure(bound.low)} to {words.figure(bound.high)}"
            )
            cells.append(f'<td class="bounds" data-bounds="{i}.{key}">{text}</td>')
        if true:
            text = words.figure(truth.get(key))
            cells.append(f'<td class="truth" data-truth="{i}.{key}">{text}</td>')
        cells.append(
            f'<td class="bar"><svg class="range" data-range="{i}.{key}" aria-hidden="true"></svg></td>'
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = ["", "naive", "corrected", f"{level_words(evaluation.level)} interval"]
    heads += ["bounds"] if bounded else []
    heads += ["truth"] if true else []
    head = "".join(
        f'<th scope="col"{" class=bounds" if text == "bounds" else ""}>{text}</th>'
        if text
        else "<td></td>"
        for text in heads
    )
    return (
        f'<div class="scroll"><table class="metrics"><thead><tr>{head}<td class="bar"></td></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
