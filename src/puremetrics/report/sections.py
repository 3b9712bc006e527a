"""The page's static part: every figure of the evaluation as text, with hooks for the script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.verdict import Verdict
from puremetrics.report import words
from puremetrics.report.at_threshold import at_threshold, controls
from puremetrics.report.discoveries import discoveries
from puremetrics.report.extras import (
    audit_section,
    calibration,
    free,
    narrowing,
    remarks,
    sensitivity,
)
from puremetrics.report.if_biased import if_biased
from puremetrics.report.overview import against_card, header, overview, said
from puremetrics.report.pieces import area, hue, line, section, unit_chart
from puremetrics.report.pieces import key as legend_key
from puremetrics.report.segmenting import drift
from puremetrics.report.words import level_words

__all__ = ["body", "contradicted_body"]

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
    first = [
        '<div class="page first">',
        said(evaluation, verdict, notes),
        overview(evaluation, content, against),
        "</div>",
    ]
    if (
        evaluation.audit is not None
    ):  # what was checked comes before what follows if labels are random
        first = [
            '<div class="page first alone">',
            said(evaluation, verdict, notes),
            "</div>",
            '<div class="page">',
            audit_section(evaluation),
            overview(evaluation, content, against),
            "</div>",
        ]
    parts = [
        header(content["title"]),
        "<main>",
        *first,
        controls(evaluation, content),
        '<div class="page">',
        _curves(evaluation),
        discoveries(evaluation, content),
        at_threshold(evaluation, content),
        calibration(evaluation),
        sensitivity(evaluation),
        if_biased(evaluation, content),
        free(evaluation),
        narrowing(evaluation),
        drift(evaluation),
        remarks(evaluation, content),
        last,
        '</div><p id="live" class="quiet-voice" role="status" aria-live="polite"></p>',
        "</main>",
        _footer(content),
    ]
    return _tied("\n".join(part for part in parts if part))


def _tied(html: str) -> str:
    """No line ends between a number and its per cent sign."""
    return re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", html)


def contradicted_body(
    evaluation: Evaluation, title: str, notes: Sequence[str] = (), last: str = ""
) -> str:
    """Return the page of models none of which can be given figures: what contradicts what."""
    cards = "".join(against_card(i, model) for i, model in enumerate(evaluation.models.values()))
    return _tied(
        "\n".join(
            [
                header(title).replace(
                    'id="theme" class="button', 'id="theme" hidden class="button'
                ),
                '<main><div class="page first alone">',
                said(evaluation, evaluation.verdict, notes),
                '</div><div class="page">',
                section("overview", "What contradicts what", f'<div class="cards">{cards}</div>'),
                free(evaluation),
                last,
                "</div></main>",
            ]
        )
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
    return section("curves", "The curves", f'<div class="pair">{figures}</div>')


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
        "The sliders recompute every figure in this page from the counts it carries, with the "
        "library's own "
        "formulas; the results agree with the library's."
    )
    if deviation > 1e-9:
        exact = (
            "This page carries the counts in blocks, because there are many labelled scores. At a "
            "moved prior the areas "
            f"under the curves and their limits are within about {deviation:.1g} of the library's; "
            f"all else agrees with it."
        )
    return (
        "<footer><div><p>All corrected figures rest on one assumption: the labelled positives are a "
        "random sample of "
        "all positives, up to the purity. If labelling favoured easy cases, the figures look better than "
        "they are; a label bias in the evaluation says how far that may go, and widens every interval.</p>"
        f"<p>{exact} At a moved prior or purity these count as exactly known, and intervals show "
        f"sampling error "
        "alone. The page makes no network request.</p></div></footer>"
    )
