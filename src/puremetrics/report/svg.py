"""Plain drawings for readers without JavaScript; the page's script replaces them by live ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from puremetrics.report.thinning import thinned
from puremetrics.report.words import count

__all__ = ["area", "counts_chart", "line", "unit_chart"]

_SIZE, _LEFT, _TOP, _BOTTOM = 420, 46, 12, 44
_SIDE = _SIZE - _LEFT - 14


Ticks = Sequence[tuple[float, str]]
_TENTHS = [(float(tick), f"{tick:.1f}") for tick in np.linspace(0, 1, 6)]


def unit_chart(drawn: Sequence[str], x_label: str, y_label: str, label: str) -> str:
    """The unit square with its axes and what is drawn in it."""
    return _chart(drawn, (_TENTHS, _TENTHS), x_label, y_label, label)


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
    keep = thinned(px, py)
    points = [f"{_x(a):.0f} {_y(b):.0f}" for a, b in zip(px[keep], py[keep], strict=True)]
    return f'<path class="{kind}" d="M{"L".join(points)}"/>'


def area(x: Any, low: Any, high: Any, kind: str) -> str:
    """The area between two lines in the unit square."""
    across = np.concatenate([x, x[::-1]])
    outline = np.clip(np.concatenate([high, low[::-1]]), 0, 1)
    points = [f"{_x(a):.0f} {_y(b):.0f}" for a, b in zip(across, outline, strict=True)]
    return f'<path class="{kind}" d="M{"L".join(points)}Z"/>'


def _x(share: float) -> float:
    return _LEFT + _SIDE * float(share)


def _y(share: float) -> float:
    return _TOP + _SIDE * (1 - float(share))
