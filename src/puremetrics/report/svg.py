"""Plain drawings for readers without JavaScript; the page's script replaces them by live ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.report.thinning import thinned
from puremetrics.report.words import count

__all__ = [
    "area",
    "counts_chart",
    "key",
    "line",
    "range_bar",
    "root_chart",
    "unit_chart",
    "whiskers",
]

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
    """The same with axes that count from 0 up to these numbers."""
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
