"""Segments side by side: every model on one axis, in time where the segments are dates."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from html import escape
from typing import Any

from puremetrics.comparing import Drift
from puremetrics.evaluation import Evaluation
from puremetrics.report import words
from puremetrics.report.pieces import caption, hue, key, model_name, section
from puremetrics.report.words import figure

__all__ = ["day_of", "drift", "round_ticks"]

_SEGMENTS = 60  # rows of a table
_WIDE, _TALL, _LEFT, _RIGHT, _TOP, _BOTTOM = 1100, 250, 50, 16, 12, 44
_APART = 96  # pixels between labels below the axis, at least
_SHADED = 3  # models up to which every band is drawn
_PERIOD = re.compile(r"(\d{4})(?:-?Q([1-4])|-(\d{1,2})(?:-(\d{1,2}))?|-W(\d{2}))?(?:[T ].*)?")


def drift(evaluation: Evaluation) -> str:
    """Return the section, if the evaluation has segments."""
    if evaluation.drift is None:
        return ""
    drifts = evaluation.drifts or {"model": evaluation.drift}
    hues = {name: hue(i) for i, name in enumerate(evaluation.models)}
    shown = {name: found for name, found in drifts.items() if name in hues}
    keys = "".join(key(f"curve {hues[name]}", name) for name in shown) if len(shown) > 1 else ""
    keys += key("band grey", f"{words.level_words(evaluation.level)} interval", "band")
    charts = "".join(
        f'<figure class="chart"><h3>{title}</h3>{_chart(shown, hues, name, title)}</figure>'
        for name, title in (("auc", "ROC AUC"), ("prior", "Prior"))
        if name == "auc" or _differs(shown, name)
    )
    told = "".join(_told(name, found, len(shown) > 1) for name, found in shown.items())
    tables = "".join(
        (f"<h3>{model_name(name)}</h3>" if len(shown) > 1 else "") + _table(found)
        for name, found in shown.items()
    )
    content = (
        f'<div data-home="all"><div class="legend">{keys}</div>{charts}<ul class="list">{told}</ul>'
        f'<details class="fold"><summary>The segments in numbers</summary>{tables}</details></div>'
        '<p class="note" data-away hidden>Hidden: this was computed at the evaluated position of the '
        "sliders. Reset to see it.</p>"
    )
    about = f"{words.CAPTIONS['drift']} Prior {evaluation.drift.prior_source}."
    answer = words.segments_answer(evaluation)
    return section("drift", "Segment by segment", content + caption(about), answer, "all")


def day_of(segment: Any) -> float | None:
    """The day in the middle of a period, counted from some day; None if it names no date.

    >>> day_of("2024-03-02") - day_of("2024-03-01"), day_of("north"), day_of("2024-13")
    (1.0, None, None)
    >>> round(day_of("2025") - day_of("2024")), round(day_of("2024-Q2") - day_of("2024-Q1"))
    (366, 91)
    """
    found = _PERIOD.fullmatch(str(segment).strip())
    if found is None:
        return None
    year, quarter, month, day, week = (None if g is None else int(g) for g in found.groups())
    if year is None or not 1600 <= year <= 2400:
        return None
    try:
        if day is not None and month is not None:
            return float(date(year, month, day).toordinal())
        if week is not None:
            return float(date.fromisocalendar(year, week, 4).toordinal())
        if quarter is not None:
            return _middle(year, 3 * quarter - 2, 3)
        return _middle(year, 1, 12) if month is None else _middle(year, month, 1)
    except ValueError:
        return None


def _middle(year: int, month: int, months: int) -> float:
    first = date(year, month, 1).toordinal()
    after = month + months
    last = date(year + (after > 12), after - 12 if after > 12 else after, 1).toordinal()
    return (first + last - 1) / 2


def _places(shown: Mapping[str, Drift]) -> dict[Any, float]:
    """Where each segment lies between 0 and 1: by its date, or one after the other."""
    segments = list(
        dict.fromkeys(key for found in shown.values() for key in found.columns["segment"])
    )
    days = [day_of(segment) for segment in segments]
    if len(segments) > 1 and all(day is not None for day in days):
        first, last = min(d for d in days if d is not None), max(d for d in days if d is not None)
        if last > first:
            return {
                s: ((d or 0.0) - first) / (last - first)
                for s, d in zip(segments, days, strict=True)
            }
    return {segment: (n + 0.5) / len(segments) for n, segment in enumerate(segments)}


def _is_time(shown: Mapping[str, Drift]) -> bool:
    segments = {key for found in shown.values() for key in found.columns["segment"]}
    return len(segments) > 1 and all(day_of(segment) is not None for segment in segments)


def _chart(shown: Mapping[str, Drift], hues: Mapping[str, str], name: str, title: str) -> str:
    places, timed = _places(shown), _is_time(shown)
    columns = [found.columns[part] for found in shown.values() for part in (f"{name}_low", name)]
    tops = [found.columns[f"{name}_high"] for found in shown.values()]
    known = [float(v) for c in columns + tops for v in c if v is not None and math.isfinite(v)]
    if not known:
        return '<p class="caption">No segment has a figure.</p>'
    ticks = round_ticks(min(known), max(known))
    least, most = ticks[0], ticks[-1]

    def x(place: float) -> float:
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * place

    def y(value: float) -> float:
        inside = min(max(value, least), most)
        return _TOP + (_TALL - _TOP - _BOTTOM) * (1 - (inside - least) / (most - least))

    parts = []
    for tick in ticks:
        parts.append(f'<path class="grid" d="M{_LEFT} {y(tick):.0f}H{_WIDE - _RIGHT}"/>')
        parts.append(
            f'<text class="tick end" x="{_LEFT - 8}" y="{y(tick) + 4:.0f}">{tick:.2f}</text>'
        )
    last = -math.inf
    for segment, place in sorted(places.items(), key=lambda one: one[1]):
        at = min(max(x(place), _LEFT + 22), _WIDE - 36)
        if at - last < _APART:
            continue
        last, text = at, str(segment)
        text = text if len(text) <= 12 else text[:11] + "…"
        parts.append(
            f'<text class="tick mid" x="{at:.0f}" y="{_TALL - _BOTTOM + 18}">{escape(text)}</text>'
        )
    by = next(iter(shown.values())).by
    parts.append(
        f'<text class="axis mid" x="{_WIDE / 2}" y="{_TALL - 6}">{escape(str(by)[:60])}</text>'
    )
    for number, (model, found) in enumerate(shown.items()):
        apart = 0.0 if timed else (number - (len(shown) - 1) / 2) * min(9.0, 60 / len(places))
        parts += _drawn(found, name, hues[model], timed and len(shown) <= _SHADED, timed, (
            lambda segment, apart=apart: x(places[segment]) + apart), y)  # fmt: skip
    label = f"{title} by segment"
    return (
        f'<svg class="static segments" viewBox="0 0 {_WIDE} {_TALL}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def round_ticks(least: float, most: float) -> list[float]:
    """At most seven round numbers between 0 and 1, from below the least to above the most.

    >>> round_ticks(0.78, 0.99), round_ticks(0.1, 0.1)
    ([0.75, 0.8, 0.85, 0.9, 0.95, 1.0], [0.1, 0.11])
    """
    for step in (0.01, 0.02, 0.05, 0.1, 0.2):
        first = max(math.floor(least / step + 1e-9), 0)
        last = min(max(math.ceil(most / step - 1e-9), first + 1), round(1 / step))
        first = min(first, last - 1)
        if last - first <= 6:
            break
    return [round(step * n, 2) for n in range(first, last + 1)]


def _differs(shown: Mapping[str, Drift], name: str) -> bool:
    """Whether the segments have figures of their own, rather than one that was given."""
    values = {v for found in shown.values() for v in found.columns[name] if v is not None}
    return len(values) > 1


def _drawn(
    found: Drift, name: str, look: str, shaded: bool, joined: bool, x: Any, y: Any
) -> list[str]:
    """A band and a line in time; dots and bars of segments without an order."""
    rows = [
        (x(segment), value, low, high)
        for segment, value, low, high in zip(
            *(found.columns[key] for key in ("segment", name, f"{name}_low", f"{name}_high")),
            strict=True,
        )
        if value is not None and math.isfinite(value)
    ]
    rows = sorted(rows, key=lambda row: row[0])
    ranged = [row for row in rows if row[2] is not None and row[3] is not None]
    parts = []
    if shaded and ranged:
        up = "L".join(f"{a:.0f} {y(high):.0f}" for a, _, _, high in ranged)
        down = "L".join(f"{a:.0f} {y(low):.0f}" for a, _, low, _ in reversed(ranged))
        parts.append(f'<path class="band {look}" d="M{up}L{down}Z"/>')
    elif not joined:
        bars = "".join(f"M{a:.0f} {y(low):.0f}V{y(high):.0f}" for a, _, low, high in ranged)
        parts.append(f'<path class="bars {look}" d="{bars}"/>' if bars else "")
    if joined and len(rows) > 1:
        course = "L".join(f"{a:.0f} {y(value):.0f}" for a, value, _, _ in rows)
        parts.append(f'<path class="curve {look}" d="M{course}"/>')
    if len(rows) <= _SEGMENTS or not joined:
        parts += [
            f'<circle class="bead {look}" cx="{a:.0f}" cy="{y(value):.0f}" r="3.2"/>'
            for a, value, _, _ in rows
        ]
    return parts


def _told(name: str, found: Drift, named: bool) -> str:
    """What the tests say about the segments of a model."""
    who = f"{model_name(name)}: " if named else ""
    items = [f"<li>{who}{escape(words.homogeneity_words(test))}</li>" for test in found.tests]
    aside = set(found.reasons) - set(found.columns["segment"])
    if aside:
        items.append(
            f"<li>{who}{len(aside)} segments hold no positive, or nothing else, and have no numbers.</li>"
        )
    return "".join(items)


def _table(found: Drift) -> str:
    """The segments of one model in numbers."""
    frame, rows = found.columns, []
    for at in _listed(found):
        row = {key: column[at] for key, column in frame.items()}
        missing = found.reasons.get(row["segment"])
        why = "" if missing is None else f'<br><small dir="auto">{escape(missing)}</small>'
        rows.append(
            f'<tr><th scope="row">{model_name(str(row["segment"]))}{why}</th>'
            f"<td>{words.count(row['rows'])}</td><td>{words.count(row['positives'])}</td>"
            f'<td class="quiet">{figure(row["naive_auc"])}</td>'
            f"<td><b>{figure(row['auc'])}</b> {_span(row['auc_low'], row['auc_high'])}</td>"
            f"<td>{figure(row['prior'])} {_span(row['prior_low'], row['prior_high'])}</td></tr>"
        )
    more = len(frame["segment"]) - len(rows)
    heads = (found.by, "rows", "labelled", "naive", "ROC AUC", "prior")
    head = "".join(f'<th scope="col">{model_name(text)}</th>' for text in heads)
    note = f"{more} earlier segments that do not stand out are not listed."
    return (
        f'<div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{caption(note) if more > 0 else ''}"
    )


def _listed(found: Drift) -> list[int]:
    """Places of the segments that are shown: those that stand out, and the last ones, in order."""
    segments = found.columns["segment"]
    odd = {key for test in found.tests for key in test.outliers}
    places = [at for at, key in enumerate(segments) if key in odd][:_SEGMENTS]
    others = [at for at in reversed(range(len(segments))) if at not in set(places)]
    return sorted(places + others[: _SEGMENTS - len(places)])


def _span(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f'<span class="span quiet">{figure(low)} to {figure(high)}</span>'
