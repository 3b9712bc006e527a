"""The page's static part: every figure of the evaluation as text, with hooks for the script.

`body` puts it together. `at_threshold` is the section about the threshold, with counts and metrics of every
model there; `controls` the bar of sliders: prior, purity, threshold, and which models are shown. The sentence
that opens each section is in `words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.model import COUNT_WORDS
from puremetrics.evaluation.verdict import Verdict
from puremetrics.report import words
from puremetrics.report.extras import (
    assumed,
    audit_section,
    calibration,
    discoveries,
    free,
    further,
    narrowing,
    remarks,
    sensitivity,
    strata,
)
from puremetrics.report.if_biased import if_biased
from puremetrics.report.overview import CARDS, against_card, header, overview, said
from puremetrics.report.pieces import (
    area,
    caption,
    figure_span,
    hue,
    line,
    model_name,
    moved_note,
    naive_span,
    point_or_span,
    section,
    span_of,
    unit_chart,
)
from puremetrics.report.pieces import key as legend_key
from puremetrics.report.segmenting import drift
from puremetrics.report.words import TITLES, count, level_words, population, share

__all__ = ["at_threshold", "body", "contradicted_body", "controls"]


_OPEN = 3  # models up to which all are unfolded


def at_threshold(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the section; of many models, all but the best are folded."""
    told = [
        (i, model)
        for i, model in enumerate(evaluation.models.values())
        if "recall" in model.modelled
    ]
    if not told:
        return ""
    first, best = words.best_of(evaluation)
    if "recall" not in best.modelled:
        first, best = told[0]
    blocks = [
        _at_threshold(i, model, content["models"][i], evaluation, content["size"], i == first)
        for i, model in told
    ]
    about = f"{words.chosen_sentence(evaluation)} {words.CAPTIONS['threshold']}"
    return section(
        "threshold-section",
        "At the threshold",
        moved_note(evaluation) + "".join(blocks) + caption(about),
        words.threshold_answer(evaluation, best),
        str(first),
    )


def _at_threshold(
    i: int,
    model: ModelEvaluation,
    numbers: dict[str, Any],
    evaluation: Evaluation,
    size: float,
    leads: bool,
) -> str:
    """Counts and metrics of a model; ``leads`` if the section opens with it."""
    at = numbers["at"]["threshold"]
    choice = ""
    if not leads:
        answer = escape(words.threshold_answer(evaluation, model))
        choice = f'<p class="note" dir="auto" data-home="{i}">{answer}</p>'
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
        shown = " open" if leads else ""
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


_CHIPS = 6  # models that are named in the bar


def controls(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the bar; the script shows it, since without one it can do nothing."""
    home = content["home"]
    about = population(next(iter(evaluation.models.values())).table).removeprefix("the ")
    told = f'<span class="blue">▮ evaluated {share(home["prior"])}</span>'
    told += ' <span class="amber" id="prior-zone"></span>'
    meaning = f"positives of {about}"
    clean = '1 if no label is wrong <span class="amber" id="purity-zone"></span>'
    parts = [
        _slider("prior", "Prior", meaning, told, content, _marks("prior", content)),
        _slider(
            "purity",
            "Purity",
            "labels that are right",
            clean,
            content,
            _marks("purity", content),
        ),
    ]
    with_threshold = [(i, m) for i, m in enumerate(content["models"]) if m["at"] is not None]
    if with_threshold:
        options = "".join(
            f'<option value="{i}">{escape(m["name"][:60])}</option>' for i, m in with_threshold
        )
        parts.append(
            '<div class="control"><div class="label"><label for="threshold">Threshold '
            "<small>lowest score flagged</small></label>"
            '<input id="threshold-number" type="number" step="any" inputmode="decimal" '
            'aria-label="Threshold, as a score"></div>'
            '<input id="threshold" type="range" min="0" max="1" step="1" value="0">'
            f'<p class="hint">of <select id="active" aria-label="Model whose threshold is moved">{options}'
            "</select>; drag it on the charts, too</p></div>"
        )
    chips = "".join(
        f'<label class="chip {hue(i)}"><input type="checkbox" data-show="{i}" checked>'
        f"{model_name(model['name'])}</label>"
        for i, model in enumerate(content["models"])
    )
    return (
        '<div class="deck script-only" role="group" aria-label="What is assumed">'
        '<button type="button" id="deck-open" class="deck-bar" aria-expanded="false" '
        'aria-controls="deck-body">'
        '<span id="bar-values"></span><span class="chevron" aria-hidden="true">▴</span></button>'
        f'<div id="deck-body"><div class="controls">{"".join(parts)}</div>'
        f'<div class="status">{_shown(chips, len(content["models"]))}'
        '<p id="state" class="state"></p>'
        '<button type="button" id="reset" class="button" disabled>Reset</button></div></div></div>'
        '<p class="printed"></p>'
    )


def _shown(chips: str, models: int) -> str:
    """Which models are shown; of many, folded, so that the bar stays low."""
    group = f'<div class="chips" role="group" aria-label="Models shown">{chips}</div>'
    if models <= _CHIPS:
        return group
    return f'<details class="fold"><summary>Models shown</summary>{group}</details>'


def _slider(
    key: str, title: str, meaning: str, hint: str, content: dict[str, Any], marks: str
) -> str:
    value, grid = content["home"][key], content["grid"][key]
    place = int(np.argmin(np.abs(np.array(grid) - value)))
    off = " disabled" if content["fixed"] or len(grid) < 2 else ""
    return (
        f'<div class="control"><div class="label"><label for="{key}">{title} <small>{meaning}</small></label>'
        f'<input id="{key}-number" type="number" step="any" min="0" max="1" inputmode="decimal" '
        f'value="{share(value)}" aria-label="{title}, as a number"{off}></div>'
        f'<div class="track">{marks}<input id="{key}" type="range" min="0" max="{max(len(grid) - 1, 1)}" '
        f'step="1" value="{place}" aria-describedby="{key}-hint"{off}></div>'
        f'<p class="hint" id="{key}-hint">{hint}</p></div>'
    )


def _marks(key: str, content: dict[str, Any]) -> str:
    """Behind the slider: the evaluated position and its range; the script adds what the data rule out."""
    grid, home = np.array(content["grid"][key]), content["home"]
    if grid.size < 2:
        return ""

    def place(value: float) -> float:
        return 100 * float(np.interp(value, grid, np.linspace(0, 1, grid.size)))

    drawn = []
    low, high = home["purities"] if key == "purity" else (home["low"], home["high"])
    if low < high:
        left, right = place(low), place(high)
        drawn.append(
            f'<rect class="range-of-prior" x="{left:.2f}%" width="{right - left:.2f}%" y="8" height="6"/>'
        )
    drawn.append(
        f'<rect class="evaluated" x="{place(home[key]):.2f}%" y="14" width="2" height="8" '
        'transform="translate(-1)"/>'
    )
    zones = f'<g id="{key}-zones"></g>'
    return f'<svg class="marks" aria-hidden="true">{zones}{"".join(drawn)}</svg>'


_BANDED = 3  # models up to which every band is drawn


def body(
    evaluation: Evaluation,
    content: dict[str, Any],
    verdict: Verdict,
    against: Sequence[ModelEvaluation] = (),
    notes: Sequence[str] = (),
    last: str = "",
) -> str:
    """Return everything between the body tags, the scripts excepted.

    ``against`` are models without figures, because something contradicts them; ``last`` is the last section.
    """
    many = " alone" if len(evaluation.models) + len(against) > CARDS else ""
    opening = said(evaluation, verdict, notes)
    figures = overview(evaluation, content, against)
    if evaluation.audit is None:
        first = [f'<div class="page first{many}">', opening, figures, "</div>"]
    else:  # what was checked comes before what follows if labels are random
        checked = [audit_section(evaluation), "</div>", '<div class="page">', strata(evaluation)]
        first = [f'<div class="page first{many}">', opening, *checked, figures, "</div>"]
    parts = [
        header(content["title"]),
        "<main>",
        *first,
        controls(evaluation, content),
        '<div class="page">',
        _curves(evaluation),
        discoveries(evaluation, content),
        at_threshold(evaluation, content),
        further(evaluation),
        _beside(calibration(evaluation), sensitivity(evaluation)),
        if_biased(evaluation, content),
        _beside(free(evaluation), narrowing(evaluation)),
        drift(evaluation),
        assumed(evaluation),
        _beside(remarks(evaluation), last),
        '</div><p id="live" class="quiet-voice" role="status" aria-live="polite"></p>',
        "</main>",
        _footer(content),
    ]
    return "\n".join(part for part in parts if part)


def _beside(*sections: str) -> str:
    """Sections that share a row on paper; on a screen they follow each other."""
    return f'<div class="beside">{"".join(sections)}</div>'


def contradicted_body(
    evaluation: Evaluation, title: str, notes: Sequence[str] = (), last: str = ""
) -> str:
    """Return the page of models none of which can be given figures: what contradicts what."""
    cards = "".join(against_card(i, model) for i, model in enumerate(evaluation.models.values()))
    return "\n".join(
        [
            header(title).replace('id="theme" class="button', 'id="theme" hidden class="button'),
            '<main><div class="page first alone">',
            said(evaluation, evaluation.verdict, notes),
            '</div><div class="page">',
            section(
                "overview",
                "Why there are no figures",
                f'<div class="cards">{cards}</div>',
                "What is assumed and what the data say cannot both be true.",
            ),
            free(evaluation),
            last,
            "</div></main>",
        ]
    )


def _curves(evaluation: Evaluation) -> str:
    drawn: dict[str, list[str]] = {"roc": [], "pr": []}
    if len(evaluation.models) <= _BANDED:
        for i, model in enumerate(evaluation.models.values()):
            for kind, band in zip(drawn, model.bands.values(), strict=False):
                drawn[kind].append(area(band.x, band.low, band.high, f"band {hue(i)}"))
    for i, model in enumerate(evaluation.models.values()):
        for kind, key in (("roc", "roc_auc"), ("pr", "average_precision")):
            few = len(evaluation.models) <= _BANDED
            looks = ((model.naive, "naive"),) if few else ()
            for source, look in (*looks, (model.modelled, "curve")):
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
        f'<figure class="chart" id="{kind}"><h3>{names[kind]}</h3><div class="legend">'
        f"{_keys(evaluation, kind)}</div>"
        f'<div class="plot">{unit_chart(drawn[kind], *axes[kind], names[kind])}</div>'
        f"<figcaption>{escape(words.CAPTIONS[kind])}{shaded}</figcaption></figure>"
        for kind in ("roc", "pr")
    )
    return section(
        "curves",
        "The curves",
        f'<div class="pair">{figures}</div>',
        words.curves_answer(evaluation),
        "all",
    )


def _keys(evaluation: Evaluation, kind: str) -> str:
    """The legend of readers without a script."""
    of = {"roc": "roc_auc", "pr": "average_precision"}[kind]
    keys = [
        legend_key(f"curve {hue(i)}", f"{name} {words.told(model, model.modelled[of])}")
        for i, (name, model) in enumerate(evaluation.models.items())
    ]
    if len(evaluation.models) <= _BANDED:
        keys.append(legend_key("naive m0", "naive"))
        if any(model.bands for model in evaluation.models.values()):
            keys.append(legend_key("band grey", f"{level_words(evaluation.level)} band", "band"))
    return "".join(keys)


def _footer(content: dict[str, Any]) -> str:
    deviation = max(model["deviation"] for model in content["models"])
    exact = (
        "The sliders recompute every figure in this page from the counts it carries, with the library's own "
        "formulas; the results agree with the library's."
    )
    if deviation > 1e-9:
        exact = (
            "This page carries the counts in blocks, because there are many labelled scores. At a moved "
            f"prior the areas under the curves and their limits are within about {deviation:.1g} of the "
            "library's; all else agrees with it."
        )
    return (
        f"<footer><div><p>{exact} At a moved prior or purity these count as exactly known, and intervals "
        "show sampling error alone. The page makes no network request.</p></div></footer>"
    )
