"""The sections below the curves: the prior, what needs none, what would help, remarks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic
from puremetrics.report import words
from puremetrics.report.pieces import caption, figure_span, hue, model_name, section
from puremetrics.report.words import figure, share

__all__ = ["free", "narrowing", "remarks", "sensitivity"]


_OPEN = 3  # models up to which all are unfolded
_HULL = (
    "The largest area that picking one of two thresholds at random, row by row, could give at this prior. "
    "With few rows it is optimistic."
)


def sensitivity(evaluation: Evaluation) -> str:
    """Return the area over the prior, live with a script and as a table without."""
    rows = []
    for i, model in enumerate(evaluation.models.values()):
        curve = model.sensitivity
        cells = "".join(
            f"<td>{figure(value)}<br><small>at {share(prior)}</small></td>"
            for prior, value in zip(curve.prior[::2], curve.value[::2], strict=True)
        )
        rows.append(
            f'<tr class="{hue(i)}"><th scope="row">{model_name(model.name)}</th>{cells}</tr>'
        )
    table = f'<div class="scroll"><table class="plain no-script">{"".join(rows)}</table></div>'
    ranking = ""
    if evaluation.ranking is not None:
        items = "".join(
            f"<li>prior {share(low)} to {share(high)}: {model_name(best)}</li>"
            for low, high, best in evaluation.ranking.ranges
        )
        contradicted = "".join(
            f"<li>the ranking of {model_name(name)} contradicts priors of {share(limit)} and above</li>"
            for name, limit in evaluation.ranking.contradicted.items()
            if np.isfinite(limit)
        )
        ranking = (
            '<h3>Best model by ROC AUC</h3><ul class="list">' + items + contradicted + "</ul>"
            '<p class="caption">Point estimates at the evaluated purity; a lead within the intervals may '
            "be chance.</p>"
        )
    hull = "".join(
        f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
        f"<td>{figure_span(f'{i}.hull', model.hull.area)}</td></tr>"
        for i, model in enumerate(evaluation.models.values())
    )
    content = (
        '<div class="pair wide"><figure class="chart" id="sensitivity"><div class="legend"></div>'
        f'<div class="plot">{table}</div><figcaption>'
        f"{escape(words.CAPTIONS['sensitivity'])}{words.WITH_BIAS}</figcaption></figure>"
        f'<div>{ranking}<h3>Area under the hull</h3><table class="plain">{hull}</table>'
        f"{caption(_HULL)}"
        "</div></div>"
    )
    return section("sensitivity-section", "If the prior is wrong", content)


def free(evaluation: Evaluation) -> str:
    """Return the measures that need no prior."""
    models = list(evaluation.models.values())
    titles = {
        key: e.title.split(" (")[0] for model in models for key, e in model.prior_free.items()
    }
    if not titles:
        return ""
    rows = []
    for key, title in titles.items():
        cells = []
        for model in models:
            found = model.prior_free.get(key)
            text = "–" if found is None else f"<b>{figure(found.value)}</b>"
            if found is not None and found.interval is not None:
                low, high = found.interval
                text += f' <span class="span quiet">{figure(low)} to {figure(high)}</span>'
            cells.append(f"<td>{text}</td>")
        rows.append(f'<tr><th scope="row">{escape(title)}</th>{"".join(cells)}</tr>')
    head = "".join(f'<th scope="col">{model_name(model.name)}</th>' for model in models)
    table = (
        f'<div class="scroll"><table class="plain"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    about = caption(words.CAPTIONS["free"])
    return section("free", "Without a prior", f'<div class="pair">{table}<div>{about}</div></div>')


def narrowing(evaluation: Evaluation) -> str:
    """Return where the interval's width comes from, and what would shrink it."""
    blocks = []
    for i, model in enumerate(evaluation.models.values()):
        narrow = model.narrowing
        parts = (
            ("labelled positives", narrow.due_to_positives),
            ("other rows", narrow.due_to_others),
            ("uncertain prior", narrow.due_to_prior),
            *([("label bias", narrow.due_to_bias)] if narrow.due_to_bias > 0 else []),
        )
        bars, left = [], 0.0
        for number, (what, part) in enumerate(parts):
            tip = escape(f"{what}: {100 * part:.0f} %")
            bars.append(
                f'<rect class="part{number}" x="{100 * left:.2f}%" width="{100 * part:.2f}%" '
                f'height="14">'
                f"<title>{tip}</title></rect>"
            )
            left += part
        told = ", ".join(f"{100 * part:.0f} % from the {what}" for what, part in parts)
        bought: list[tuple[str, float | None]] = [
            ("now", narrow.width),
            ("twice the labelled positives", narrow.twice_the_labels),
            ("twice the other rows", narrow.twice_the_rows),
        ]
        now = narrow.width
        bought += _bought("the prior from", "random rows", narrow.audits, now)
        bought += _bought("an audit of", "planned rows", narrow.planned_audits, now)
        bought += _bought("an audit of", "random rows", narrow.random_audits, now)
        rows = "".join(
            f'<tr><th scope="row">{what}</th>'
            f"<td>{'would not help' if width is None else figure(width, 4)}</td></tr>"
            for what, width in bought
        )
        keys = "".join(
            f'<span class="key"><i class="part{n}"></i>{what}</span>'
            for n, (what, _) in enumerate(parts)
        )
        blocks.append(
            f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
            f'<svg class="shares" role="img" aria-label="{escape(told)}">{"".join(bars)}</svg>'
            f'<div class="legend">{keys}</div><p class="gist">{told[0].upper() + told[1:]}.</p>'
            f'<table class="plain"><thead><tr><td></td><th scope="col">width</th></tr></thead>'
            f"{rows}</table>{_next_step(narrow.next_step)}"
            "</article>"
        )
    if len(blocks) > _OPEN:
        first = list(evaluation.models).index(
            evaluation.verdict.best or next(iter(evaluation.models))
        )
        best = blocks.pop(first)
        blocks = [
            f"{best}</div>"
            '<details class="fold" data-home="all"><summary>The other models</summary><div class="cards">',
            *blocks,
            "</div></details><div>",
        ]
    content = (
        f'<div class="cards" data-home="all">{"".join(blocks)}</div>'
        '<p class="note" data-away hidden>Hidden: this was computed at the evaluated position of the '
        "sliders. Reset to see it.</p>"
    )
    return section(
        "narrowing", "What would narrow it down", content + caption(words.CAPTIONS["narrowing"])
    )


def _bought(
    what: str, rows: str, widths: dict[int, float], now: float
) -> list[tuple[str, float | None]]:
    """What checking rows would buy; one line where it buys nothing, however many are checked."""
    if widths and all(figure(width, 4) == figure(now, 4) for width in widths.values()):
        return [(f"{what} up to {words.count(max(widths))} {rows}", None)]
    return [(f"{what} {words.count(n)} {rows}", width) for n, width in widths.items()]


def _next_step(text: str) -> str:
    return f'<p class="gist">{escape(text)}.</p>' if text else ""


def remarks(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return every diagnostic with its code, its title and its advice."""
    items: list[tuple[tuple[int, str] | None, Diagnostic]] = [
        (None, remark) for remark in evaluation.diagnostics
    ]
    for i, model in enumerate(evaluation.models.values()):
        items += [((i, model.name), remark) for remark in model.diagnostics]
        calibrated = model.modelled_calibration
        if calibrated is not None:
            seen = {remark.code for remark in model.diagnostics}
            items += [
                ((i, model.name), remark)
                for remark in calibrated.diagnostics
                if remark.code not in seen
            ]
    listed = "".join(
        f'<li><span class="code">{escape(remark.code)}</span><div><b>'
        + (f'<span class="{hue(who[0])}">{model_name(who[1])}</span>: ' if who else "")
        + f"{escape(DIAGNOSTIC_CODES.get(remark.code, ''))}</b>"
        f'<p dir="auto">{escape(remark.message)}</p></div></li>'
        for who, remark in items
    )
    text = listed or '<li class="none">Nothing speaks against these figures.</li>'
    at = share(evaluation.prior.value)
    return section(
        "remarks",
        "Remarks",
        f'<ul id="live-remarks" class="remarks"></ul><p class="caption">At the evaluated prior, '
        f"{at}:</p>"
        f'<ul class="remarks">{text}</ul>',
    )
