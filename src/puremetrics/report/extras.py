"""The sections below the curves: probabilities, the prior, what needs none, what would help, remarks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from puremetrics.comparing import Drift, Homogeneity
from puremetrics.evaluation import Evaluation
from puremetrics.exceptions import DIAGNOSTIC_CODES, Diagnostic
from puremetrics.report import words
from puremetrics.report.pieces import caption, figure_span, hue, model_name, section, span_of
from puremetrics.report.svg import line, unit_chart
from puremetrics.report.words import figure, share

__all__ = ["calibration", "drift", "free", "narrowing", "remarks", "sensitivity"]

_SEGMENTS = 60


def calibration(evaluation: Evaluation) -> str:
    """Return the reliability diagram with the calibration error of each model."""
    rows, drawn = [], [line([0, 1], [0, 1], "diagonal")]
    for i, model in enumerate(evaluation.models.values()):
        found = model.modelled_calibration
        if found is None:
            continue
        bins = found.bins
        filled = ~np.isnan(bins.positive_rate)
        drawn.append(line(bins.mean_score[filled], bins.positive_rate[filled], f"curve {hue(i)}"))
        rows.append(
            f'<tr class="{hue(i)}" data-model="{i}"><th scope="row">{model_name(model.name)}</th>'
            f"<td><b>{figure_span(f'{i}.calibration', found.error)}</b></td>"
            f"<td>{span_of(i, 'calibration', *found.interval)}</td>"
            f"<td>{figure_span(f'{i}.calibration.debiased', found.debiased)}</td>"
            f"<td>{figure_span(f'{i}.calibration.signed', found.signed_error)}</td></tr>"
        )
    if not rows:
        text = "The scores are not probabilities between 0 and 1, so there is no calibration to measure."
        return section("calibration-section", "Are the scores probabilities?", caption(text))
    heads = (
        "",
        "error",
        f"{words.level_words(evaluation.level)} interval",
        "debiased",
        "mean score − prior",
    )
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    about = (
        "The calibration error is the mean distance between score and share of positives over the "
        "bins. Noise in a "
        "bin counts as error whatever its sign; the debiased figure takes that off. Mean score less "
        "prior is "
        "positive if the scores are too high on the whole."
    )
    content = (
        '<div class="pair"><figure class="chart" id="calibration"><div class="legend"></div><div '
        'class="plot">'
        f"{unit_chart(drawn, 'Score', 'Share of positives', 'Reliability diagram')}</div>"
        f"<figcaption>{escape(words.CAPTIONS['calibration'])}</figcaption></figure>"
        f'<div><div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div>{caption(about)}<div class="scroll '
        f'script-only"><table class="plain bins" id="bins"></table></div></div></div>'
    )
    return section("calibration-section", "Are the scores probabilities?", content)


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
        f"{caption('The most that mixing thresholds could reach at this prior; optimistic with few rows.')}"
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
        bought = [
            ("now", narrow.width),
            ("twice the labelled positives", narrow.twice_the_labels),
            ("twice the other rows", narrow.twice_the_rows),
        ]
        bought += [(f"the prior from {n} random rows", w) for n, w in narrow.audits.items()]
        bought += [(f"an audit of {n} planned rows", w) for n, w in narrow.planned_audits.items()]
        bought += [(f"an audit of {n} random rows", w) for n, w in narrow.random_audits.items()]
        rows = "".join(
            f'<tr><th scope="row">{what}</th><td>{figure(width, 4)}</td></tr>'
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
    content = (
        f'<div class="cards" data-home="all">{"".join(blocks)}</div>'
        '<p class="note" data-away hidden>Hidden: this was computed at the evaluated position of the '
        "sliders. Reset to see it.</p>"
    )
    return section(
        "narrowing", "What would narrow it down", content + caption(words.CAPTIONS["narrowing"])
    )


def _next_step(text: str) -> str:
    return f'<p class="gist">{escape(text)}.</p>' if text else ""


def drift(evaluation: Evaluation) -> str:
    """Return the segments side by side, if the evaluation has them."""
    if evaluation.drift is None:
        return ""
    if len(evaluation.drifts) < 2:
        content = _segments(evaluation.drift)
    else:
        content = "".join(
            f"<h3>{model_name(name)}</h3>{_segments(found)}"
            for name, found in evaluation.drifts.items()
        )
    content += (
        '<p class="note" data-away hidden>Hidden: this was computed at the evaluated position of the '
        "sliders. Reset to see it.</p>"
    )
    about = f"{words.CAPTIONS['drift']} Prior {evaluation.drift.prior_source}."
    return section("drift", "Segment by segment", content + caption(about))


def _segments(found: Drift) -> str:
    """The segments of one model."""
    frame = found.columns
    rows = []
    for at in _listed(found):
        segment = frame["segment"][at]
        row = {key: column[at] for key, column in frame.items()}
        bar = _bar(row["auc_low"], row["auc_high"], row["auc"], row["naive_auc"])
        prior = _bar(row["prior_low"], row["prior_high"], row["prior"], None)
        missing = found.reasons.get(segment)
        why = "" if missing is None else f'<br><small dir="auto">{escape(missing)}</small>'
        rows.append(
            f'<tr><th scope="row">{model_name(str(segment))}{why}</th><td>{words.count(row["rows"])}</td>'
            f"<td>{words.count(row['positives'])}</td>"
            f'<td class="quiet"><s>{figure(row["naive_auc"])}</s></td>'
            f"<td><b>{figure(row['auc'])}</b> {_ends(row['auc_low'], row['auc_high'])}</td>"
            f'<td class="bar">{bar}</td>'
            f"<td>{figure(row['prior'])} {_ends(row['prior_low'], row['prior_high'])}</td>"
            f'<td class="bar">{prior}</td></tr>'
        )
    more = len(frame["segment"]) - len(rows)
    heads = (found.by, "rows", "labelled", "naive", "ROC AUC", "", "prior", "")
    head = "".join(
        f'<th scope="col">{model_name(text)}</th>' if text else "<td></td>" for text in heads
    )
    told = "".join(f"<li>{escape(_homogeneity(test))}</li>" for test in found.tests)
    if more > 0:
        told += f"<li>{more} earlier segments that do not stand out are not listed.</li>"
    aside = set(found.reasons) - set(frame["segment"])
    if aside:
        told += f"<li>{len(aside)} segments hold no positive, or nothing else, and have no numbers.</li>"
    return (
        f'<div data-home="all"><div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><ul class="list">{told}</ul></div>'
    )


def _listed(found: Drift) -> list[int]:
    """Places of the segments that are shown: those that stand out, and the last ones, in order."""
    segments = found.columns["segment"]
    odd = {key for test in found.tests for key in test.outliers}
    places = [at for at, key in enumerate(segments) if key in odd][:_SEGMENTS]
    others = [at for at in reversed(range(len(segments))) if at not in set(places)]
    return sorted(places + others[: _SEGMENTS - len(places)])


def _homogeneity(test: Homogeneity) -> str:
    """Say whether segments differ."""
    what = {"naive_auc": "Naive AUC", "auc": "ROC AUC", "prior": "Prior"}.get(test.name, test.name)
    if not test.differ:
        return f"{what}: the segments differ no more than by chance (p = {test.p_value:.2g})."
    named = ", ".join(str(key) for key in test.outliers[:8])
    more = f" and {len(test.outliers) - 8} more" if len(test.outliers) > 8 else ""
    out = f"; {named}{more} stand out" if named else "; no single one stands out"
    return f"{what}: the segments differ by more than chance (p = {test.p_value:.2g}){out}."


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f'<span class="span quiet">{figure(low)} to {figure(high)}</span>'


def _bar(low: float | None, high: float | None, value: float | None, naive: float | None) -> str:
    """An interval on the unit range; nothing where a number is missing."""
    if low is None or high is None or value is None:
        return ""
    drawn = [
        '<path class="base" d="M0 9H130"/>',
        f'<rect class="sure" x="{130 * low:.1f}" y="6" width="{max(130 * (high - low), 1):.1f}" '
        f'height="6"/>',
        f'<circle class="dot" cx="{130 * value:.1f}" cy="9" r="4"/>',
    ]
    if naive is not None:
        drawn.insert(1, f'<path class="tick-naive" d="M{130 * naive:.1f} 3V15"/>')
    return f'<svg class="range fixed m0" viewBox="-5 0 140 18" aria-hidden="true">{"".join(drawn)}</svg>'


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
