"""Small pieces of HTML that several sections share. Text from outside is escaped here.

Among them are plain drawings for readers without JavaScript, which the page's script replaces by live ones
(`unit_chart`, `root_chart`, `counts_chart`), and fewer points for the same drawing (`thinned`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.evaluation import Evaluation, ModelEvaluation
from puremetrics.report import words
from puremetrics.report.words import count
from puremetrics.results import Estimate

__all__ = [
    "area",
    "caption",
    "counts_chart",
    "figure_span",
    "grade",
    "hue",
    "key",
    "line",
    "model_name",
    "moved_note",
    "naive_span",
    "point_or_span",
    "range_bar",
    "root_chart",
    "section",
    "span_of",
    "thinned",
    "unit_chart",
    "whiskers",
]


_HUES = 6


def hue(index: int) -> str:
    """The class that gives a model its colour and line pattern."""
    return f"m{index % _HUES}"


def model_name(name: str) -> str:
    """A model's name, isolated from the direction of the text around it; long ones are cut by the style."""
    shown = name if len(name) <= 200 else name[:199] + "…"
    return f'<bdi class="model" title="{escape(shown)}">{escape(shown)}</bdi>'


def figure_span(path: str, value: float, kind: str = "figure", told: str | None = None) -> str:
    """A number that the script keeps up to date, with its full precision beside the text."""
    if told is not None:
        text = told
    elif kind == "percent":
        text = f"{100 * value:.1f}%"
    elif kind == "count":
        text = words.count(round(value, 1)) if abs(value) < 99.95 else words.count(round(value))
    elif kind == "plain":
        text = f"{value:.6g}"
    else:
        text = words.figure(value)
    kept = "" if kind == "figure" else f' data-kind="{kind}"'
    return f'<span data-fig="{path}"{kept} data-value="{float(value)!r}">{escape(text)}</span>'


def span_of(i: int, key: str, low: float, high: float) -> str:
    """The interval of a figure."""
    ends = figure_span(f"{i}.{key}.low", low), figure_span(f"{i}.{key}.high", high)
    return f'<span class="span">{ends[0]} to {ends[1]}</span>'


def naive_span(i: int, key: str, model: ModelEvaluation) -> str:
    """The naive figure, struck out unless the corrected one reads the same."""
    naive, found = model.naive[key].value, model.modelled[key]
    told = model.table.total_unl > 0 and words.is_ranged(model, found)
    same = words.figure(naive) == words.figure(found.value) and not told
    look = ' class="same"' if same else ""
    return f'<s data-naive="{i}.{key}"{look}>{figure_span(f"{i}.naive.{key}", naive)}</s>'


def point_or_span(
    model: ModelEvaluation,
    found: Estimate | float,
    path: str,
    ends: Iterable[float] | None,
    kind: str = "figure",
) -> str:
    """A figure in bold; its range where a single number would say more than is known (`style.css`)."""
    point = figure_span(path, float(found), kind)
    ranged = words.is_ranged(model, found) if isinstance(found, Estimate) else words.is_open(model)
    if not ranged:
        return f"<b>{point}</b>"
    spread = ""
    if ends is not None:
        names = (f"{path}.low", f"{path}.high")
        shown = [figure_span(*end, kind) for end in zip(names, ends, strict=True)]
        spread = f'<b class="spread">{" to ".join(shown)}</b>'
    return f'<b class="point">{point}</b>{spread}'


def grade(name: str) -> str:
    """How far something can be trusted, in one word with its colour."""
    return f'<span class="grade {name}">{name}</span>'


def section(key: str, title: str, content: str, answer: str = "", home: str = "") -> str:
    """A titled section that opens with its answer.

    ``home`` says what the answer is about: "all" if it is untrue once prior or purity are moved, the number
    of a model if also once its threshold is.
    """
    heading = f'<h2 id="{key}-title">{title}</h2>'
    where = f' data-home="{home}"' if home else ""
    lead = f'<p class="lead" dir="auto"{where}>{escape(answer)}</p>' if answer else ""
    return f'<section id="{key}" aria-labelledby="{key}-title">{heading}{lead}{content}</section>'


def caption(text: str) -> str:
    """What the figures above assume."""
    return f'<p class="caption">{escape(text)}</p>'


def moved_note(evaluation: Evaluation) -> str:
    """What moved figures take labels as, if that differs from what was evaluated; the script shows it."""
    text = words.moved_sentence(evaluation)
    return f'<p class="note" data-moved hidden>{escape(text)}</p>' if text else ""


def thinned(x: FloatArray, y: FloatArray, reach: float = 0.0008) -> Any:
    """Vertices of a simpler line that stays within ``reach`` of this one (Douglas and Peucker)."""
    keep = np.zeros(x.size, dtype=bool)
    keep[[0, -1]] = True
    todo = [(0, x.size - 1)]
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        dx, dy = x[last] - x[first], y[last] - y[first]
        px, py = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
        length = float(np.hypot(dx, dy))
        away = np.hypot(px, py) if length == 0 else np.abs(dx * py - dy * px) / length
        worst = int(np.argmax(away))
        if away[worst] > reach:
            middle = first + 1 + worst
            keep[middle] = True
            todo += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


_SIZE, _LEFT, _TOP, _BOTTOM = 420, 46, 12, 44
_SIDE = _SIZE - _LEFT - 14


Ticks = Sequence[tuple[float, str]]
_ROOTS = [(float(np.sqrt(v)), f"{v:g}") for v in (0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1)]
_TENTHS = [(float(tick), f"{tick:.1f}") for tick in np.linspace(0, 1, 6)]


def unit_chart(drawn: Sequence[str], x_label: str, y_label: str, label: str) -> str:
    """The unit square with its axes and what is drawn in it."""
    return _chart(drawn, (_TENTHS, _TENTHS), x_label, y_label, label)


def root_chart(drawn: Sequence[str], x_label: str, y_label: str, label: str) -> str:
    """The unit square on axes of square roots, which spread what is small."""
    return _chart(drawn, (_ROOTS, _ROOTS), x_label, y_label, label)


def whiskers(x: Any, y: Any, low: Any, high: Any, look: str) -> list[str]:
    """Dots on bars, and a thin line through them."""
    bars = "".join(
        f"M{_x(a):.0f} {_y(b):.0f}V{_y(c):.0f}" for a, b, c in zip(x, low, high, strict=True)
    )
    dots = [
        f'<circle class="bead {look}" cx="{_x(a):.0f}" cy="{_y(b):.0f}" r="3.2"/>'
        for a, b in zip(x, y, strict=True)
    ]
    return [f'<path class="whisker {look}" d="{bars}"/>', line(x, y, f"thin {look}"), *dots]


def counts_chart(
    drawn: Sequence[str], most: tuple[float, float], x_label: str, y_label: str, label: str
) -> str:
    """A plain drawing with axes that count from 0 up to these numbers."""
    return _chart(drawn, (_counts(most[0]), _counts(most[1])), x_label, y_label, label)


def _counts(most: float) -> list[tuple[float, str]]:
    """Round numbers up to the largest, by their places on the axis."""
    base = 10.0 ** np.floor(np.log10(most / 5))
    step = next(s * base for s in (1, 2, 5, 10) if s * base >= 0.75 * most / 5)
    values = np.arange(0.0, most * (1 + 1e-9), step)
    return [(float(value / most), count(round(float(value), 9))) for value in values]


def _chart(
    drawn: Sequence[str], ticks: tuple[Ticks, Ticks], x_label: str, y_label: str, label: str
) -> str:
    height = _TOP + _SIDE + _BOTTOM
    parts = [
        f'<svg class="static" viewBox="0 0 {_SIZE} {height}" role="img" aria-label="{escape(label)}">'
    ]
    for place, text in ticks[1]:
        y = _y(place)
        parts.append(f'<path class="grid" d="M{_x(0):g} {y:g}H{_x(1):g}"/>')
        parts.append(f'<text class="tick end" x="{_LEFT - 8}" y="{y + 4:g}">{text}</text>')
    for place, text in ticks[0]:
        x = _x(place)
        parts.append(f'<path class="grid" d="M{x:g} {_y(0):g}V{_y(1):g}"/>')
        parts.append(f'<text class="tick mid" x="{x:g}" y="{_y(0) + 18:g}">{text}</text>')
    parts.append(
        f'<text class="axis mid" x="{_x(0.5):g}" y="{height - 6}">{escape(x_label)}</text>'
    )
    parts.append(
        f'<text class="axis mid" transform="translate(12 {_y(0.5):g}) rotate(-90)">{escape(y_label)}</text>'
    )
    return "".join([*parts, *drawn, "</svg>"])


def line(x: Any, y: Any, kind: str, *, steps: bool = False) -> str:
    """A polyline in the unit square, or steps that reach back to the point before."""
    px, py = (np.clip(np.asarray(v, dtype=np.float64), 0, 1) for v in (x, y))
    if steps:
        px = np.repeat(px, 2)[:-1]
        py = np.concatenate([py[:1], np.repeat(py[1:], 2)])
    keep = thinned(px, py, 0.5 / _SIDE)  # half a pixel
    return f'<path class="{kind}" d="{_course(px[keep], py[keep])}"/>'


def area(x: Any, low: Any, high: Any, kind: str) -> str:
    """The area between two lines in the unit square."""
    across = np.concatenate([x, x[::-1]])
    outline = np.clip(np.concatenate([high, low[::-1]]), 0, 1)
    return f'<path class="{kind}" d="{_course(across, outline)}z"/>'


def _course(x: FloatArray, y: FloatArray) -> str:
    """Lines from pixel to pixel, each by how far it goes, which is short to write."""
    at = np.rint(np.column_stack([_LEFT + _SIDE * x, _TOP + _SIDE * (1 - y)])).astype(int)
    steps = np.diff(at, axis=0)
    moves = " ".join(f"{dx} {dy}" for dx, dy in steps[steps.any(axis=1)].tolist())
    return f"M{at[0, 0]} {at[0, 1]}" + (f"l{moves}" if moves else "")


def key(look: str, text: str, kind: str = "line") -> str:
    """One entry of a legend."""
    drawn = {
        "line": f'<path class="{look}" d="M1 6H25"/>',
        "band": f'<rect class="{look}" x="1" y="1" width="24" height="10"/>',
    }[kind]
    return (
        f'<span class="key {look}"><svg width="26" height="12" aria-hidden="true">{drawn}</svg>'
        f'<bdi class="model" title="{escape(text[:200])}">{escape(text[:200])}</bdi></span>'
    )


def range_bar(
    path: str,
    value: float,
    ends: Sequence[float],
    naive: float,
    bounds: Sequence[float] | None,
    truth: float | None,
) -> str:
    """Bounds, interval, figure, naive figure and truth on the range from 0 to 1."""

    def x(v: float) -> float:
        return 138 * min(max(v, 0.0), 1.0)

    def box(low: float, high: float, y: float, look: str) -> str:
        if not np.isfinite([low, high]).all():
            return ""
        wide = max(x(high) - x(low), 1.0)
        return f'<rect class="{look}" x="{x(low):.1f}" y="{y}" width="{wide:.1f}" height="{20 - 2 * y}"/>'

    drawn = ['<path class="base" d="M0 10H138"/>']
    drawn += [box(bounds[0], bounds[1], 4, "possible")] if bounds is not None else []
    drawn.append(box(ends[0], ends[1], 6.5, "sure"))
    drawn += [f'<path class="tick-naive" d="M{x(naive):.1f} 5V15"/>'] if np.isfinite(naive) else []
    if np.isfinite(value):
        drawn.append(
            f'<rect class="dot" x="{x(value) - 1.5:.1f}" y="3" width="3" height="14" rx="1"/>'
        )
    if truth is not None and np.isfinite(truth):
        drawn.append(f'<path class="diamond" d="M{x(truth):.1f} 4l4 -5h-8z"/>')
    return (
        f'<svg class="range" data-range="{path}" viewBox="-6 0 150 18" aria-hidden="true">'
        f"{''.join(drawn)}</svg>"
    )


def _x(share: float) -> float:
    return _LEFT + _SIDE * float(share)


def _y(share: float) -> float:
    return _TOP + _SIDE * (1 - float(share))
