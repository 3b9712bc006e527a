"""The page's static part: every figure of the evaluation as text, with hooks for the script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.records import COUNT_WORDS
from puremetrics.evaluation.verdict import Verdict
from puremetrics.report import words
from puremetrics.report.audits import audit_section
from puremetrics.report.controls import controls
from puremetrics.report.discoveries import discoveries
from puremetrics.report.extras import calibration, drift, free, narrowing, remarks, sensitivity
from puremetrics.report.pieces import (
    caption,
    figure_span,
    hue,
    model_name,
    point_or_span,
    section,
    span_of,
)
from puremetrics.report.svg import area, line, unit_chart
from puremetrics.report.words import TITLES, count, level_words
from puremetrics.results import Interval

__all__ = ["body", "contradicted_body"]

_BANDED = 3  # models up to which every band is drawn
_HEADLINE = ("roc_auc", "average_precision", "f1")
_BOUNDS = (
    "Bounds hold whichever unlabeled rows are positive, as long as the labelled ones are a random "
    "sample of "
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


def body(
    evaluation: Evaluation,
    content: dict[str, Any],
    verdict: Verdict,
    against: Sequence[ModelEvaluation] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return everything between the body tags, the scripts excepted.

    ``against`` are models without figures, because something contradicts them.
    """
    parts = [
        _header(evaluation, content["title"], verdict, notes),
        controls(evaluation, content),
        "<main>",
        audit_section(evaluation),
        _headline(evaluation, content, against),
        _curves(evaluation),
        discoveries(evaluation, content),
        _threshold(evaluation, content),
        calibration(evaluation),
        sensitivity(evaluation),
        free(evaluation),
        narrowing(evaluation),
        drift(evaluation),
        remarks(evaluation, content),
        "</main>",
        _footer(evaluation, content),
        '<p id="live" class="quiet-voice" role="status" aria-live="polite"></p>',
    ]
    return "\n".join(part for part in parts if part)


def contradicted_body(evaluation: Evaluation, title: str, notes: Sequence[str] = ()) -> str:
    """Return the page of models none of which can be given figures: what contradicts what."""
    cards = "".join(_against(i, model) for i, model in enumerate(evaluation.models.values()))
    return "\n".join(
        [
            _header(evaluation, title, evaluation.verdict, notes).replace(
                'id="theme" class="button', 'id="theme" hidden class="button'
            ),
            "<main>",
            section("overview", "What contradicts what", f'<div class="cards">{cards}</div>'),
            free(evaluation),
            "</main>",
        ]
    )


def _against(i: int, model: ModelEvaluation) -> str:
    said = "".join(
        f'<p class="gist"><b>{escape(remark.code)}</b> {escape(remark.message)}</p>'
        for remark in model.diagnostics
    )
    return (
        f'<article class="card {hue(i)}"><h3>{model_name(model.name)}</h3>'
        f'<p class="reason" dir="auto">{escape(words.sentence(model.trust.words))}</p>{said}</article>'
    )


def _header(evaluation: Evaluation, title: str, verdict: Verdict, notes: Sequence[str]) -> str:
    table = next(iter(evaluation.models.values())).table
    sentences = " ".join(words.prior_sentences(evaluation))
    told = "".join(f'<p class="read" dir="auto">{escape(note)}</p>' for note in notes)
    return (
        '<a class="skip" href="#overview">Skip to the figures</a>'
        '<header class="top"><div>'
        f'<p class="kicker">Positive-unlabeled evaluation</p><h1 '
        f'dir="auto">{escape(title)}</h1>'
        f"{_verdict(evaluation, verdict)}"
        f'<p class="read"><strong>{escape(words.rows_read(table))}.</strong> '
        f"{escape(words.scenario_sentence(table))}</p>"
        f'<p class="read" dir="auto">{escape(sentences)}</p>{told}</div>'
        '<button type="button" id="theme" class="button script-only" aria-pressed="false" '
        'aria-label="Dark colours"><span aria-hidden="true">◐</span></button></header>'
    )


def _verdict(evaluation: Evaluation, verdict: Verdict) -> str:
    """The answer: who is better, what that means, how far to trust it, what to do next."""
    lines = [f'<p class="answer" dir="auto">{escape(verdict.ranking)}</p>']
    lines += [f'<p dir="auto">{escape(verdict.meaning)}</p>'] if verdict.meaning else []
    for part in (verdict.trust, verdict.next_step):
        first, colon, rest = part.partition(": ")
        if part:
            told = f"<b>{escape(first)}:</b> {escape(rest)}" if colon else escape(part)
            lines.append(f'<p dir="auto">{told}</p>')
    lines = [text.replace(" %", "\N{NO-BREAK SPACE}%") for text in lines]
    lines.append(
        '<p class="note" data-away hidden>These sentences are about the evaluated position of the '
        "sliders.</p>"
    )
    return f'<div class="verdict trust {evaluation.trust.level}">{"".join(lines)}</div>'


def _headline(
    evaluation: Evaluation, content: dict[str, Any], against: Sequence[ModelEvaluation]
) -> str:
    cards = [
        _card(i, model, content["models"][i]) for i, model in enumerate(evaluation.models.values())
    ]
    cards += [_against(len(cards) + i, model) for i, model in enumerate(against)]
    bounded = any(model.bounds for model in evaluation.models.values())
    true = any(model["truth"] for model in content["models"])
    text = (
        "Struck out: what the labels say if every unlabeled row is taken as negative. Large: "
        f"corrected for the positives among them, with its {level_words(evaluation.level)} interval. "
    )
    if evaluation.trust.level == "upper_bound":
        text = (
            "Struck out: what the labels say if every unlabeled row is taken as negative. Large: what is "
            "likely, corrected for the positives among them; their number is not known well enough for a "
            "single figure. Move the prior to see the figure at each. "
        )
    told = _BIASED_BOUNDS if evaluation.label_bias > 1 else _BOUNDS
    text += told if bounded else _NO_BOUNDS
    text += " On the scales from 0 to 1: corrected figure, interval (dark), "
    text += "bounds (pale), " if bounded else ""
    text += f"naive figure (grey){', truth (triangle)' if true else ''}."
    name = "The figures" if evaluation.audit is None else "If labels are random"
    return section("overview", name, f'<div class="cards">{"".join(cards)}</div>{caption(text)}')


def _card(i: int, model: ModelEvaluation, numbers: dict[str, Any]) -> str:
    figures = "".join(
        _headline_figure(i, key, model, numbers["truth"])
        for key in _HEADLINE
        if key in model.modelled
    )
    found = model.modelled["roc_auc"]
    ends = found.interval or (found.value, found.value)
    pairs = point_or_span(model, found, f"{i}.roc_auc", ends, "percent")
    naive = figure_span(f"{i}.naive.roc_auc", model.naive["roc_auc"].value, "percent")
    return (
        f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
        f'<div class="figures">{figures}</div>'
        f'<p class="gist">A random positive scores above a random negative in {pairs} of pairs; '
        f"read naively, the labels say {naive}.</p>{_stands(i, model)}</article>"
    )


def _stands(i: int, model: ModelEvaluation) -> str:
    """How much label bias the headlines stand, and beside it what no labelling can bias."""
    said = " ".join(
        f'<span data-tipping="{i}.{key}">{escape(text)}</span>'
        for key, text in words.tipping_words(model).items()
    )
    lines = [f'<p class="gist">{said}</p>'] if said else []
    found = model.prior_free.get("pulp")
    if found is not None:
        lines.append(
            f'<p class="gist">However labels were given, and without a prior: PULP '
            f"<b>{words.figure(found.value)}</b>{_within(found.interval)}. "
            '<a href="#free">Its companions</a></p>'
        )
    return "".join(lines)


def _within(ends: Interval | None) -> str:
    return "" if ends is None else f" ({words.figure(ends.low)} to {words.figure(ends.high)})"


def _headline_figure(i: int, key: str, model: ModelEvaluation, truth: dict[str, float]) -> str:
    estimate, bound = model.modelled[key], model.bounds.get(key)
    low, high = estimate.interval or (float("nan"), float("nan"))
    where = " at the threshold" if estimate.threshold is not None else ""
    lines = [
        f'<p class="name">{TITLES[key]}<span class="where">{where}</span></p>',
        f'<p class="value"><s>{figure_span(f"{i}.naive.{key}", model.naive[key].value)}</s> '
        f"{point_or_span(model, estimate, f'{i}.{key}', (low, high))}</p>",
        f'<svg class="range" data-range="{i}.{key}" aria-hidden="true"></svg>',
        f'<p class="line own"><span class="tag">interval</span>'
        f"<span>{span_of(i, key, low, high)}</span></p>",
    ]
    if bound is not None:
        lines.append(
            '<p class="line"><span class="tag">bounds</span>'
            f'<span data-bounds="{i}.{key}">{words.figure(bound.low)} to '
            f"{words.figure(bound.high)}</span></p>"
        )
    if key in truth:
        lines.append(
            '<p class="line truth"><span class="tag">truth</span>'
            f'<span data-truth="{i}.{key}">{words.figure(truth[key])}</span></p>'
        )
    return f'<div class="figure">{"".join(lines)}</div>'


def _curves(evaluation: Evaluation) -> str:
    drawn: dict[str, list[str]] = {"roc": [], "pr": []}
    if len(evaluation.models) <= _BANDED:
        for i, model in enumerate(evaluation.models.values()):
            for kind, band in zip(drawn, model.bands.values(), strict=False):
                drawn[kind].append(area(band.x, band.low, band.high, f"band {hue(i)}"))
    for i, model in enumerate(evaluation.models.values()):
        for kind, key in (("roc", "roc_auc"), ("pr", "average_precision")):
            for source, look in ((model.naive, "naive"), (model.modelled, "curve")):
                curve = source[key].curve
                if curve is not None:
                    drawn[kind].append(
                        line(curve.x, curve.y, f"{look} {hue(i)}", steps=kind == "pr")
                    )
    axes = {
        "roc": ("False positive rate", "True positive rate"),
        "pr": ("Recall", "Precision"),
    }
    names = {"roc": "ROC curve", "pr": "Precision and recall"}
    level = level_words(evaluation.level)
    shaded = (
        f'<span class="with-bounds"> Shaded: {level} confidence at each point, at the evaluated '
        "prior.</span>"
        if any(model.bands for model in evaluation.models.values())
        else ""
    )
    figures = "".join(
        f'<figure class="chart" id="{kind}"><h3>{names[kind]}</h3><div class="legend"></div>'
        f'<div class="plot">{unit_chart(drawn[kind], *axes[kind], names[kind])}</div>'
        f"<figcaption>{escape(words.CAPTIONS[kind])}{shaded}{words.WITH_BIAS}</figcaption></figure>"
        for kind in ("roc", "pr")
    )
    return section("curves", "The curves", f'<div class="pair">{figures}</div>')


def _threshold(evaluation: Evaluation, content: dict[str, Any]) -> str:
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
    return (
        f'<article class="at {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}'
        f'<span class="rule"> score ≥ {threshold}</span></h3>{choice}'
        f'<div class="split">{_matrix(i, model, numbers, evaluation, size)}'
        f"{_metrics(i, model, numbers, evaluation)}</div></article>"
    )


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
            f'<small data-bounds="{i}.{key}"></small></td>'
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
            f'<td class="quiet"><s>{figure_span(f"{i}.naive.{key}", model.naive[key].value)}</s></td>',
            f"<td>{point_or_span(model, estimate, f'{i}.{key}', None)}</td>",
            f"<td>{span_of(i, key, low, high)}</td>",
        ]
        if bounded:
            text = (
                "–" if bound is None else f"{words.figure(bound.low)} to {words.figure(bound.high)}"
            )
            cells.append(f'<td data-bounds="{i}.{key}">{text}</td>')
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
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return (
        f'<div class="scroll"><table class="metrics"><thead><tr>{head}<td class="bar"></td></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _footer(evaluation: Evaluation, content: dict[str, Any]) -> str:
    deviation = max(model["deviation"] for model in content["models"])
    exact = (
        "The sliders recompute every figure in this page from the counts it carries, with the "
        "library's own "
        "formulas; the results agree with the library's."
    )
    if deviation > 1e-9:
        exact = (
            "This page carries the counts in blocks, because there are many labelled scores. At a "
            "moved prior or label bias the areas "
            f"under the curves and their limits are within about {deviation:.1g} of the library's; "
            f"all else agrees with it."
        )
    return (
        "<footer><div><p>All corrected figures rest on one assumption: the labelled positives are a "
        "random sample of "
        "all positives, up to the purity. If labelling favoured easy cases, they are too good: the label "
        "bias says how far that may go, and widens every interval.</p>"
        f"<p>{exact} At a moved prior or purity these count as exactly known, and intervals show "
        f"sampling error "
        "alone. The page makes no network request.</p></div></footer>"
    )
