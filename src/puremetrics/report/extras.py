"""The sections below the curves: prior, what needs none, what would help, audit, calibration, discoveries.

`sensitivity`, `further`, `free`, `narrowing`, `assumed` and `remarks` are about the prior, what needs none,
what would help, what each figure rests on, and remarks. `audit_section` has the figures of an audit, and
`strata` what each stratum said beside what was expected; `calibration` the reliability diagram, on axes that
spread the small scores, and the calibration error of each model; `discoveries` what checking the best
unlabeled rows would find, and how many to check.
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np

from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.evaluation.audited import AuditSummary, span_words
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic
from puremetrics.listing import DiscoveryCurve
from puremetrics.report import words
from puremetrics.report.pieces import (
    area,
    caption,
    counts_chart,
    figure_span,
    grade,
    hue,
    key,
    line,
    model_name,
    root_chart,
    section,
    span_of,
    whiskers,
)
from puremetrics.report.words import TITLES, count, figure, level_words, share
from puremetrics.results import Estimate, Interval

__all__ = [
    "assumed",
    "audit_section",
    "calibration",
    "discoveries",
    "free",
    "further",
    "narrowing",
    "remarks",
    "sensitivity",
    "strata",
]


_OPEN = 3  # models up to which all are unfolded
_RANDOM = " Labels count as a random sample here."
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
        f"{escape(words.CAPTIONS['sensitivity'])}{_RANDOM if evaluation.label_bias > 1 else ''}"
        "</figcaption></figure>"
        f'<div>{ranking}<h3>Area under the hull</h3><table class="plain">{hull}</table>'
        f"{caption(_HULL)}"
        "</div></div>"
    )
    answer = words.sensitivity_answer(evaluation)
    return section("sensitivity-section", "If the prior is wrong", content, answer, "all")


def further(evaluation: Evaluation) -> str:
    """Return the statistics that were asked for beside the figures, as evaluated."""
    models = list(evaluation.models.values())
    asked = {name: one for name, one in models[0].further.items() if name in models[0].corrected}
    if not asked:
        return ""
    rows = []
    for name, one in asked.items():
        cells = []
        for model in models:
            found = model.corrected.get(name)
            told = "" if found is None else f"<b>{figure(found.value)}</b> {_ends(found.interval)}"
            cells.append(f"<td>{told}</td>")
        place = name.removeprefix(one.name)
        rows.append(f'<tr><th scope="row">{escape(one.title + place)}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col">{model_name(model.name)}</th>' for model in models)
    table = (
        f'<table class="plain"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    level = level_words(evaluation.level)
    told = f"With {level} intervals, at the prior of the evaluation: sliders do not move them."
    if evaluation.rests_on_evidence:
        told = f"With {level} intervals, from the same evidence."
    answer = words.further_answer(evaluation)
    return section("further", "Further figures", f"{table}{caption(told)}", answer)


_FREE = (
    "These measures look only at where the labelled positives rank among all rows, and take nothing from the "
    "evidence; they order models, but their size means little by itself. PULP is the chance that random "
    "scores catch fewer labelled rows, averaged over all thresholds, whichever positives got a label: random "
    "scores get about 0.5."
)


def free(evaluation: Evaluation) -> str:
    """Return the measures that need no prior."""
    models = list(evaluation.models.values())
    titles = {
        name: e.title.split(" (")[0] for model in models for name, e in model.prior_free.items()
    }
    if not titles:
        return ""
    rows = []
    for name, title in titles.items():
        cells = []
        for model in models:
            found = model.prior_free.get(name)
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
    about = caption(_FREE if evaluation.rests_on_evidence else words.CAPTIONS["free"])
    content = f'<div class="pair">{table}<div>{about}</div></div>'
    return section("free", "Without a prior", content, words.free_answer(evaluation))


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
            tip = escape(f"{what}: {100 * part:.0f}%")
            bars.append(
                f'<rect class="part{number}" x="{100 * left:.2f}%" width="{100 * part:.2f}%" '
                f'height="14">'
                f"<title>{tip}</title></rect>"
            )
            left += part
        told = ", ".join(f"{100 * part:.0f}% from the {what}" for what, part in parts)
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
        best = blocks.pop(words.best_of(evaluation)[0])
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
        "narrowing",
        "What would narrow it down",
        content + caption(words.CAPTIONS["narrowing"]),
        words.narrowing_answer(evaluation),
        "all",
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


_RANDOM_SAMPLE = (
    "If labelling favoured easy cases, the figures look better than they are. A label bias in the evaluation "
    "says how far that may go, and widens every interval."
)
_GRADES = (
    "High or good: checked rows, or assumptions that somebody stated, and a narrow interval. Fair: it rests "
    "on something that nobody stated. Low: the interval, or the prior, leaves most of it open."
)


def assumed(evaluation: Evaluation) -> str:
    """Return what each headline figure rests on, and how far it can be trusted."""
    _, best = words.best_of(evaluation)
    models = list(evaluation.models.values())
    shown = models if len(models) <= _OPEN else [best]
    rows = []
    for name, one in best.graded.items():
        own = [model.graded.get(name) for model in shown]
        grades = "".join(f"<td>{grade(each.grade) if each else '–'}</td>" for each in own)
        title = TITLES.get(name, best.headlines[name].title)
        needs = escape("; ".join(one.rests_on) or "nothing: every row is labelled")
        rows.append(f'<tr><th scope="row">{escape(title)}</th>{grades}<td>{needs}</td></tr>')
    if len(models) > 1:
        heads = "".join(f'<th scope="col">{model_name(model.name)}</th>' for model in shown)
    else:
        heads = '<th scope="col">trust</th>'
    table = (
        f'<table class="plain"><thead><tr><td></td>{heads}<th scope="col">rests on</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    random = best.takes_random_labels and best.joined is None and best.table.total_unl > 0
    about = f"{_GRADES} {_RANDOM_SAMPLE}" if random else _GRADES
    content = f"{table}{caption(about)}" if rows else caption(about)
    return section("assumed", "What is assumed", content, words.assumed_answer(evaluation))


def remarks(evaluation: Evaluation) -> str:
    """Return every diagnostic with its code, its title and its advice."""
    items: list[tuple[tuple[int, str] | None, Diagnostic]] = [
        (None, remark) for remark in evaluation.diagnostics
    ]
    for i, model in enumerate(evaluation.models.values()):
        items += [
            ((i, model.name), remark)
            for remark in model.diagnostics
            if remark not in evaluation.diagnostics
        ]
        calibrated = model.modelled_calibration
        if calibrated is not None and model.joined is None:
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
    at = share(evaluation.prior.value)
    about = "" if evaluation.rests_on_evidence else f"At the evaluated prior, {at}:"
    told = f'{caption(about) if about else ""}<ul class="remarks">{listed}</ul>'
    return section(
        "remarks",
        "Remarks",
        f'<ul id="live-remarks" class="remarks"></ul>{told if listed else ""}',
        words.remarks_answer([remark for _, remark in items]),
    )


_ABOUT = (
    "From the rows that were checked: assumes neither a prior nor random labels, and the sliders do not "
    "move it. Beside it: what follows if labels are a random sample of the positives. Where the two differ "
    "by more than their intervals, labels are biased."
)
_STRATA = (
    "Expected: positives among the checked rows if labels were a random sample of the positives. Many more "
    "or fewer in some range of scores mean that labels favour others."
)


def audit_section(evaluation: Evaluation) -> str:
    """Return the figures that rest on the checked rows, beside those of random labels."""
    found = evaluation.audit
    assert isinstance(found, AuditSummary)
    level = level_words(evaluation.level)
    cards = []
    for i, model in enumerate(evaluation.models.values()):
        rows = []
        for name, estimate in model.corrected.items():
            if name not in TITLES:
                continue
            other = model.if_random[name]
            rows.append(
                f'<tr><th scope="row">{TITLES[name]}</th><td>{_value(model, estimate)}</td>'
                f"<td>{figure(other.value)} {_ends(other.interval)}</td></tr>"
            )
        other_error = model.calibration_if_random
        if model.calibration is not None and other_error is not None:
            own = model.calibration
            rows.append(
                '<tr><th scope="row">Calibration error</th>'
                f"<td><b>{figure(own.error)}</b> {_ends(own.interval)}</td>"
                f"<td>{figure(other_error.error)} {_ends(other_error.interval)}</td></tr>"
            )
        heads = "".join(
            f'<th scope="col">{text}</th>'
            for text in (f"checked rows, {level} interval", "if labels are random")
        )
        cards.append(
            f'<article class="card {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
            f'<table class="plain"><thead><tr><td></td>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></article>"
        )
    content = f'<div class="cards">{"".join(cards)}</div>{caption(_ABOUT)}'
    return section("audit", "What the audit found", content, words.audit_answer(evaluation, found))


def _value(model: ModelEvaluation, found: Estimate) -> str:
    """A figure with its interval, or the interval alone where it leaves most open."""
    if found.interval is not None and words.is_ranged(model, found):
        return f"<b>{words.told(model, found)}</b>"
    return f"<b>{figure(found.value)}</b> {_ends(found.interval)}"


def strata(evaluation: Evaluation) -> str:
    """Return what was found in each range of scores, and what that says of the labels."""
    found = evaluation.audit
    assert isinstance(found, AuditSummary)
    lines = (
        line.strip().replace(">= ", "≥\N{NO-BREAK SPACE}")
        for line in str(found.labels).splitlines()
    )
    answer, *more = [f"{words.sentence(line)}." for line in lines][:2]
    content = f"{_strata(found)}{caption(' '.join([_STRATA, *more]))}"
    return section("strata", "Are the labels a random sample?", content, answer)


def _strata(found: AuditSummary) -> str:
    rows = []
    for low, high, rows_, checked, positive, expected in zip(*found.frame().values(), strict=True):
        rows.append(
            f'<tr><th scope="row">{escape(span_words(low, high))}</th><td>{count(rows_)}</td>'
            f"<td>{count(checked)}</td><td>{count(positive)}</td><td>{expected:.1f}</td></tr>"
        )
    heads = "".join(
        f'<th scope="col">{text}</th>'
        for text in ("unlabeled rows", "checked", "positive", "expected")
    )
    total = float(np.sum(found.checked))
    return (
        f'<div class="scroll"><table class="plain"><thead><tr><td>scores ({count(total)} rows checked)</td>'
        f"{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f'<span class="ends">({figure(interval.low)} to {figure(interval.high)})</span>'


_TITLE = "Are the scores probabilities?"
_ABOUT_CALIBRATION = (
    "The calibration error is the mean distance between score and share of positives over the bins. Noise in "
    "a bin counts as error whatever its sign; the debiased figure takes that off. Mean score less prior is "
    "positive if the scores are too high on the whole."
)


def calibration(evaluation: Evaluation) -> str:
    """Return the section."""
    rows, drawn, keys = [], [line([0, 1], [0, 1], "diagonal")], []
    for i, model in enumerate(evaluation.models.values()):
        found = model.modelled_calibration
        if found is None:
            continue
        bins = found.bins
        filled = ~np.isnan(bins.positive_rate)
        columns = (bins.mean_score, bins.positive_rate, bins.rate_low, bins.rate_high)
        x, y, least, most = (np.sqrt(np.clip(column[filled], 0, 1)) for column in columns)
        drawn += whiskers(x, np.clip(y, least, most), least, most, hue(i))
        low, high = (words.figure(end) for end in found.interval)
        error = f"{low} to {high}" if words.is_open(model) else words.figure(found.error)
        keys.append(key(f"curve {hue(i)}", f"{model.name} {error}"))
        rows.append(
            f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
            f"<td><b>{figure_span(f'{i}.calibration', found.error)}</b></td>"
            f"<td>{span_of(i, 'calibration', *found.interval)}</td>"
            f"<td>{figure_span(f'{i}.calibration.debiased', found.debiased)}</td>"
            f"<td>{figure_span(f'{i}.calibration.signed', found.signed_error)}</td></tr>"
        )
    answer = words.calibration_answer(evaluation)
    if not rows:
        return section("calibration-section", _TITLE, "", answer)
    level = f"{words.level_words(evaluation.level)} interval"
    heads = ("", "error", level, "debiased", "mean score − prior")
    head = "".join(f'<th scope="col">{text}</th>' if text else "<td></td>" for text in heads)
    keys.append(key("diagonal", "calibrated"))
    chart = root_chart(drawn, "Score", "Share of positives", "Reliability diagram")
    content = (
        f'<div class="pair"><figure class="chart" id="calibration"><div class="legend">{"".join(keys)}</div>'
        f'<div class="plot">{chart}</div>'
        f"<figcaption>{escape(words.CAPTIONS['calibration'])}</figcaption></figure>"
        f'<div><div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{caption(_ABOUT_CALIBRATION)}"
        '<details class="fold script-only"><summary>Bin by bin</summary><div class="scroll">'
        '<table class="plain bins" id="bins"></table></div></details></div></div>'
    )
    return section("calibration-section", _TITLE, content, answer, "all")


_AHEAD = 2.5  # the chart reaches so many times as far as the rows checked
_BANDS = 3  # models up to which every band is drawn
X_LABEL, Y_LABEL = "Unlabeled rows checked, best first", "Positives found"


def discoveries(evaluation: Evaluation, content: dict[str, Any]) -> str:
    """Return the section: a sentence for each model, the slider of rows checked, and the chart."""
    models = [
        (i, model)
        for i, model in enumerate(evaluation.models.values())
        if model.discovery is not None
    ]
    if not models or content["checked"] is None:
        return ""
    text = words.CAPTIONS["discovery"].format(level=words.level_words(evaluation.level))
    told = "".join(_discovery_sentence(i, model) for i, model in models)
    chart = (
        '<figure class="chart" id="found"><div class="legend">'
        f'{_keys(models, evaluation.level)}</div><div class="plot">'
        f"{_drawn(models, content['checked']['home'])}</div></figure>"
    )
    return section(
        "discovery-section",
        "What checking rows would find",
        f'<div class="pair checks"><div>{_slider(content["checked"])}{told}{caption(text)}</div>'
        f"{chart}</div>",
        words.discovery_answer(evaluation),
        "all",
    )


def _keys(models: list[tuple[int, ModelEvaluation]], level: float) -> str:
    keys = [key(f"curve {hue(i)}", model.name) for i, model in models]
    keys += [key("diagonal", "every row positive"), key("random", "random order")]
    return "".join([*keys, key("band grey", f"{words.level_words(level)} limits", "band")])


def _slider(checked: dict[str, Any]) -> str:
    grid, home = checked["grid"], checked["home"]
    most = words.count(grid[-1])
    return (
        '<div class="control script-only"><div class="label"><label for="checked">Rows checked '
        "<small>of the unlabeled ones, best first</small></label>"
        f'<input id="checked-number" type="number" step="any" min="{grid[0]:g}" max="{grid[-1]!r}" '
        f'inputmode="decimal" value="{home:.10g}" aria-label="Rows checked, as a number"></div>'
        f'<input id="checked" type="range" min="0" max="{max(len(grid) - 1, 1)}" step="1" '
        f'value="{grid.index(home)}" aria-describedby="checked-hint"'
        f"{' disabled' if len(grid) < 2 else ''}>"
        f'<p class="hint" id="checked-hint">1 to all {most}, in ever larger steps; '
        "◇ on the curves above</p></div>"
    )


def _discovery_sentence(i: int, model: ModelEvaluation) -> str:
    """The sentence of a model; its range where the prior is not known well enough for one figure."""
    curve, rows = model.discovery, model.discovery_rows
    assert curve is not None
    assert rows is not None
    found = curve.at(rows)
    assert found.interval is not None
    exact = (found.value, found.interval.low, found.interval.high)
    spans = [
        figure_span(f"{i}.found{end}", value, "whole", shown)
        for end, value, shown in zip(
            ("", ".low", ".high"), exact, words.whole_numbers(found), strict=True
        )
    ]
    between = " to ".join(spans[1:])
    told = f"<b>{spans[0]}</b> positives <span>({between})</span>"
    if words.is_open(model):
        told = f'<span class="point">{told}</span><span class="spread"><b>{between}</b> positives</span>'
    given = "If labels are random, checking" if model.if_random else "Checking"
    checked = figure_span(f"{i}.checked", rows, "count")
    return (
        f'<div class="finding {hue(i)}" data-model="{i}"><h3>{model_name(model.name)}</h3>'
        f"<p>{given} the {checked} best unlabeled rows would find {told}.</p></div>"
    )


def reach_of(rows: float, total: float) -> float:
    """How far the chart goes: a round number some way beyond the rows checked, or all."""
    wanted = max(_AHEAD * rows, 10.0)
    base = 10.0 ** math.floor(math.log10(wanted))
    reach = next(step * base for step in (1, 2, 5, 10) if step * base >= wanted * (1 - 1e-9))
    return reach if reach < 0.7 * total else total


def _drawn(models: list[tuple[int, ModelEvaluation]], rows: float) -> str:
    curves: list[tuple[int, DiscoveryCurve]] = [
        (i, model.discovery) for i, model in models if model.discovery is not None
    ]
    first = curves[0][1]
    wide = reach_of(rows, first.unlabeled)
    banded = curves if len(curves) <= _BANDS else curves[:1]
    ends = [np.interp(wide, c.rows, c.finds) for _, c in curves]
    ends += [np.interp(wide, c.rows, c.high) for _, c in banded]
    tall = max(1.04 * float(max(ends)), 1.0)
    parts = []
    for i, curve in banded:
        x, low, high = (_until(curve, wide, column) for column in ("rows", "low", "high"))
        parts.append(area(x / wide, low / tall, high / tall, f"band {hue(i)}"))
    share = first.positives / first.unlabeled
    for slope in (1.0, share):
        end = min(1.0, tall / (slope * wide)) if slope > 0 else 1.0
        parts.append(
            line([0, end], [0, slope * end * wide / tall], "diagonal" if slope == 1.0 else "random")
        )
    for i, curve in curves:
        x, y = (_until(curve, wide, column) for column in ("rows", "finds"))
        parts.append(line(x / wide, y / tall, f"curve {hue(i)}"))
    parts.append(line([rows / wide] * 2, [0, 1], "cross"))
    label = f"Positives found by the number of unlabeled rows checked, up to {words.count(wide)}"
    return counts_chart(parts, (wide, tall), X_LABEL, Y_LABEL, label)


def _until(curve: DiscoveryCurve, end: float, column: str) -> Any:
    """A column of the curve up to a number of rows."""
    values, inside = getattr(curve, column), curve.rows < end
    return np.append(values[inside], np.interp(end, curve.rows, values))
