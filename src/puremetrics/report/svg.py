"""Plain drawings for readers without JavaScript; the page's script replaces them by live ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from puremetrics.report.thinning import thinned

__all__ = ["line", "unit_chart"]

_SIZE, _LEFT, _TOP, _BOTTOM = 420, 46, 12, 44
_SIDE = _SIZE - _LEFT - 14


def unit_chart(drawn: Sequence[str], x_label: str, y_label: str, label: str) -> str:
    """The unit square with its axes and what is drawn in it."""
    height = _TOP + _SIDE + _BOTTOM
    parts = [
        f'<svg class="static" viewBox="0 0 {_SIZE} {height}" role="img" aria-label="{escape(label)}">'
    ]
    for tick in np.linspace(0, 1, 6):
        x, y = _x(tick), _y(tick)
        parts.append(
            f'<path class="grid" d="M{_x(0):g} {y:g}H{_x(1):g}M{x:g} {_y(0):g}V{_y(1):g}"/>'
        )
        parts.append(f'<text class="tick end" x="{_LEFT - 8}" y="{y + 4:g}">{tick:.1f}</text>')
        parts.append(f'<text class="tick mid" x="{x:g}" y="{_y(0) + 18:g}">{tick:.1f}</text>')
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


def _x(share: float) -> float:
    return _LEFT + _SIDE * float(share)


def _y(share: float) -> float:
    return _TOP + _SIDE * (1 - float(share))
