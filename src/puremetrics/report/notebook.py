"""A compact table for notebooks: it needs no script, survives sanitising, takes the notebook's colours."""

from __future__ import annotations

from html import escape

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.report.words import (
    TITLES,
    figure,
    is_open,
    is_ranged,
    level_words,
    prior_sentences,
    rows_read,
    sentence,
    tipping_words,
)

__all__ = ["notebook"]

_CELL = (
    "padding:2px 14px 2px 0;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"
)
_LEFT = "padding:2px 14px 2px 0;text-align:left;white-space:nowrap"
_QUIET = "opacity:.6"


def notebook(evaluation: Evaluation) -> str:
    """Return the evaluation as a small static table of HTML, for `_repr_html_`.

    >>> from puremetrics import ScoreTable
    >>> from puremetrics.evaluation import evaluate
    >>> table = ScoreTable.from_groups(
    ...     positive=range(40, 80), unlabeled=range(60), scenario="case_control")
    >>> "ROC AUC" in notebook(evaluate(table, prior=0.2))
    True
    """
    parts = [_model(name, model, evaluation.level) for name, model in evaluation.models.items()]
    codes = [d.code for d in evaluation.diagnostics]
    codes += [d.code for model in evaluation.models.values() for d in model.diagnostics]
    told = (
        f"Remarks: {', '.join(dict.fromkeys(codes))}; print the evaluation to read them. "
        if codes
        else ""
    )
    table = next(iter(evaluation.models.values())).table
    lines = [f"{rows_read(table)}, {table.scenario}.", *prior_sentences(evaluation)]
    first = escape(" ".join(lines))
    answer, *others = evaluation.verdict.sentences
    lead = f"<b>{escape(answer)}</b>" + "".join(f"<br>{escape(part)}" for part in others)
    page = "to_html() gives the page with sliders."
    if evaluation.rests_on_evidence:
        page = "to_html() gives the page with what each kind of evidence says."
    return (
        (
            f'<div class="puremetrics"><div style="margin-bottom:.4em">{lead}</div>'
            f"<div>{first}</div>{''.join(parts)}"
            f'<div style="margin-top:.5em;{_QUIET}">{escape(told)}{page}</div></div>'
        )
        .encode("utf-8", "replace")
        .decode("utf-8")
    )


def _model(name: str, model: ModelEvaluation, level: float) -> str:
    shown = name if len(name) <= 80 else name[:79] + "…"
    at = model.corrected["recall"].threshold if "recall" in model.corrected else None
    where = "" if at is None else f" · metrics at score ≥ {at:.6g}"
    content = (
        f'<table style="border-collapse:collapse;margin:0">{"".join(_rows(model, level))}</table>'
    )
    stands = " ".join(tipping_words(model).values())
    if stands:
        content += f'<div style="margin-top:.3em">{escape(stands)}</div>'
    if model.trust.level == "contradicted":
        where, content = "", f"<div>{escape(sentence(model.trust.words))}</div>"
    return (
        f'<div style="margin:.6em 0 .2em"><b><bdi>{escape(shown)}</bdi></b>'
        f'<span style="{_QUIET}">{where}</span></div>{content}'
    )


def _rows(model: ModelEvaluation, level: float) -> list[str]:
    """The rows of a model's table; of ranges alone, where the prior is not known well enough."""
    ranged, bounded = is_open(model), bool(model.bounds)
    corrected = ["likely"] if ranged else ["corrected", f"{level_words(level)} interval"]
    head = ["", "naive", *corrected, *(["bounds"] if bounded else [])]
    rows = ["".join(f'<th style="{_CELL};{_QUIET}">{text}</th>' for text in head)]
    for key, estimate in model.corrected.items():
        ends = estimate.interval
        span = f"{figure(ends.low)} to {figure(ends.high)}" if ends else "–"
        row = [f'<td style="{_CELL};{_QUIET}"><s>{figure(model.naive[key].value)}</s></td>']
        if ranged:
            row.append(f'<td style="{_CELL}"><b>{span}</b></td>')
        elif is_ranged(model, estimate):
            row.append(f'<td style="{_CELL}"></td><td style="{_CELL}"><b>{span}</b></td>')
        else:
            row.append(f'<td style="{_CELL}"><b>{figure(estimate.value)}</b></td>')
            row.append(f'<td style="{_CELL}">{span}</td>')
        if bounded:
            bound = model.bounds.get(key)
            text = f"{figure(bound.low)} to {figure(bound.high)}" if bound else "–"
            row.append(f'<td style="{_CELL};{_QUIET}">{text}</td>')
        title = escape(TITLES.get(key, estimate.title))
        rows.append(f'<th style="{_LEFT};font-weight:normal">{title}</th>{"".join(row)}')
    return [f"<tr>{row}</tr>" for row in rows]
