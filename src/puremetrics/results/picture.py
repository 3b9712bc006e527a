"""A curve as a small picture: inline SVG for notebooks, made of strings alone.

A result says with one `Picture` which of its columns are a curve; `Drawing` holds the lines and bands
themselves, and its `svg` writes them. Everything has the colour of the text around it, so that a picture
suits light and dark notebooks; lines that must be told apart have dashes, and colours that stand out from
either. Points are thinned along the line as it is drawn, so that no picture is large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Drawing", "Picture", "steps_after", "steps_before"]

Floats = npt.NDArray[np.float64]
Points = tuple[Floats, Floats]
Gapped = tuple[Floats, Floats, Floats]  # x, y, and how many points before have no place
Span = tuple[float, float]

_WIDTH, _HEIGHT, _ROW = 320, 220, 14  # in pixels; _ROW is that of a row of the legend
_LETTER = 5.6  # about the width of one
_MOST_LINES, _MOST_NAMED = 8, 5  # more cannot be told apart
_MOST_POINTS, _ALL_POINTS = 160, 800  # of a line, and of all lines together
_FEW_POINTS = 20  # up to so many are dots as well
_SHADES = 0.2, 0.1  # of bands
_LOOKS = (
    ("currentColor", ""),
    ("#3987e5", "6 2"),
    ("#c96a14", "2 2"),
    ("#2d9467", "8 2 2 2"),
    ("#c2559b", "4 4"),
)  # colour and dashes; each stands out from white and from black


class Picture(NamedTuple):
    """Which columns of a result's frame are a curve.

    Names and titles may hold attributes of the result, as in ``"{0.y_label}"``.

    Attributes
    ----------
    x, y : str, and tuple of str
        Columns: where points lie, and the lines.
    bands : tuple of (str, str) or (str, str, str)
        Columns between which a band lies, and what it is called where there are several; the narrowest first.
    x_title, y_title : str
        What the axes are called, if not as the columns are.
    diagonal : bool
        Whether x and y are shares that agree on the diagonal, which is drawn.
    """

    x: str
    y: tuple[str, ...] = ()
    bands: tuple[tuple[str, ...], ...] = ()
    x_title: str = ""
    y_title: str = ""
    diagonal: bool = False

    def of(self, result: Any, columns: Mapping[str, Any]) -> Drawing:
        """The lines and bands of a result with such columns."""
        x_name = self.x.format(result)
        names = [name.format(result) for name in self.y]
        x = columns[x_name]
        return Drawing(
            x_title=self.x_title.format(result) or x_name,
            y_title=self.y_title.format(result) or ", ".join(names),
            lines={name: (x, columns[name]) for name in names},
            bands=[
                ("".join(name), (x, columns[low]), (x, columns[high]))
                for low, high, *name in self.bands
            ],
            diagonal=self.diagonal,
        )


@dataclass(frozen=True)
class Drawing:
    """Lines and bands that share their axes.

    Attributes
    ----------
    x_title, y_title : str
        What the axes show.
    lines, beside : mapping of str to (x, y)
        Lines by name; those ``beside`` are there to compare with and may leave the picture.
    bands : sequence of (str, (x, low), (x, high))
        What each band is called, if that must be said, and both its edges.
    mark : float or None
        Where an upright line stands.
    diagonal : bool
        Whether both axes run from 0 to 1, with a line from corner to corner.
    unit : bool
        Whether both axes run from 0 to 1.
    ends : (float, float)
        Where the axis of y ends at the latest, below and above, whatever lies beyond.
    """

    x_title: str
    y_title: str
    lines: dict[str, Points] = field(default_factory=dict)
    bands: Sequence[tuple[str, Points, Points]] = ()
    beside: dict[str, Points] = field(default_factory=dict)
    mark: float | None = None
    diagonal: bool = False
    unit: bool = False
    ends: Span = (-np.inf, np.inf)

    def svg(self) -> str:
        """The picture; nothing if there are not two points to join."""
        with np.errstate(all="ignore"):
            every = self.lines | self.beside
            lines = [_finite(*points) for points in list(every.values())[:_MOST_LINES]]
            bands = [_pieces(low, high) for _, low, high in self.bands]
            edges = [edge for pieces in bands for piece in pieces for edge in piece]
            shown = [p for p in (*lines[: len(self.lines)], *edges) if p[0].size]
            if not any(points[0].size > 1 for points in shown):
                return ""
            square = self.diagonal or self.unit
            across = _span([points[0] for points in shown], square)
            up = _span([np.clip(points[1], *self.ends) for points in shown], square)
            if not np.isfinite([across[1] - across[0], up[1] - up[0]]).all():
                return ""
            legend = _Legend.of(list(every), [name for name, *_ in self.bands])
            most = min(_MOST_POINTS, _ALL_POINTS // (len(lines) + len(edges)))
            axes = _Axes(across, up, len(legend.rows), most)
            inside = self._shaded(axes, bands) + self._guides(axes) + _drawn(axes, lines)
            return self._page(axes, axes.cut(inside) + legend.svg(), self._said(lines, bands))

    def _page(self, axes: _Axes, contents: str, said: str) -> str:
        told = escape(said, quote=True)
        return (
            f'<svg role="img" aria-label="{told}" viewBox="0 0 {_WIDTH} {axes.height}" '
            f'width="{_WIDTH}" height="{axes.height}" font-size="10" fill="currentColor" '
            'stroke-linejoin="round" style="display:block;max-width:100%;height:auto;margin:.4em 0">'
            f"<title>{told}</title>{axes.svg(self.x_title, self.y_title)}{contents}</svg>"
        )

    def _shaded(self, axes: _Axes, bands: list[list[tuple[Gapped, Gapped]]]) -> str:
        """The bands, with their edges if there is no line inside them."""
        parts = []
        for place, pieces in enumerate(bands):
            shade = _SHADES[min(place, 1)]
            for low, high in pieces:
                there, back = axes.path(high), axes.path((low[0][::-1], low[1][::-1], low[2]))
                parts.append(f'<path d="{there}L{back[1:]}Z" fill-opacity="{shade}"/>')
                if not self.lines:
                    edges = (axes.path(edge) for edge in (low, high))
                    parts += [_stroke(edge, width=1.0, opacity=0.6) for edge in edges]
        return "".join(parts)

    def _guides(self, axes: _Axes) -> str:
        """The diagonal and the mark."""
        guides = [((0.0, 1.0), (0.0, 1.0))] if self.diagonal else []
        if self.mark is not None and axes.x[0] <= self.mark <= axes.x[1]:
            guides.append(((self.mark, self.mark), axes.y))
        paths = (axes.path((np.array(x), np.array(y), np.zeros(2))) for x, y in guides)
        return "".join(_stroke(path, dashes="3 3", width=1.0, opacity=0.5) for path in paths)

    def _said(self, lines: list[Gapped], bands: list[list[tuple[Gapped, Gapped]]]) -> str:
        """What the picture shows, for those who do not see it."""
        text = f"{self.y_title} against {self.x_title}"
        names = [_cut(name.replace("_", " "), 40) for name in (*self.lines, *self.beside)]
        if len(names) > 1:
            more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            return f"{text}: {', '.join(names[:_MOST_NAMED])}{more}"
        if lines and lines[0][0].size:
            x, y, _ = lines[0]
            told = " to ".join(f"{y[at]:.3g} at {x[at]:.3g}" for at in (0, -1))
            return f"{text}: {told}" + (", within a band" if any(bands) else "")
        pieces = next(pieces for pieces in bands if pieces)
        ends = [(pieces[0], 0), (pieces[-1], -1)]
        told = " and ".join(
            f"{low[1][at]:.3g} to {high[1][at]:.3g} at {low[0][at]:.3g}" for (low, high), at in ends
        )
        return f"{text}: a band, {told}"


def steps_before(x: Floats, y: Floats) -> Points:
    """Points of a line in which each value reaches back to the previous x."""
    return np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]


def steps_after(x: Floats, y: Floats) -> Points:
    """Points of a line in which each value holds up to the next x."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


@dataclass(frozen=True)
class _Axes:
    """Where numbers lie in the picture, and what is written around them."""

    x: Span
    y: Span
    rows: int  # of the legend, above the axes
    most: int  # points of a line

    @property
    def height(self) -> int:
        return _HEIGHT + _ROW * self.rows

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge."""
        widest = max(len(text) for _, text in _ticks(*self.y, 5))
        return 10 + _LETTER * widest, 24 + _ROW * self.rows, _WIDTH - 14, self.height - 36

    def across(self, x: Any) -> Any:
        left, _, right, _ = self.box
        share = (x - self.x[0]) / (self.x[1] - self.x[0])
        return left + (right - left) * np.clip(share, -9, 9)  # far outside is far enough

    def down(self, y: Any) -> Any:
        _, top, _, bottom = self.box
        share = (y - self.y[0]) / (self.y[1] - self.y[0])
        return bottom - (bottom - top) * np.clip(share, -9, 9)

    def path(self, points: Gapped) -> str:
        """The line as SVG writes it, begun anew after each gap; of many points, those even along it."""
        x, y, gaps = self.across(points[0]), self.down(points[1]), points[2]
        if x.size > self.most:
            length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
            kept = np.searchsorted(length, np.linspace(0.0, length[-1], self.most)[:-1])
            x, y, gaps = (column[np.append(np.unique(kept), -1)] for column in (x, y, gaps))
        begins = np.append(True, np.diff(gaps) != 0)
        steps = zip(np.where(begins, "M", "L"), x, y, strict=True)
        return "".join(f"{letter}{_short(a)},{_short(b)}" for letter, a, b in steps)

    def cut(self, contents: str) -> str:
        """Contents that end at the axes, but for half the width of a dot.

        An inner svg cuts what leaves it, without an id that another picture on the page could have as well.
        """
        left, top, right, bottom = self.box
        x, y, width, height = map(_short, (left - 3, top - 3, right - left + 6, bottom - top + 6))
        place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
        return f'<svg {place} viewBox="{x} {y} {width} {height}">{contents}</svg>'

    def svg(self, x_title: str, y_title: str) -> str:
        """Ticks, a faint line at each of y, and what the axes are called."""
        left, _, right, bottom = map(_short, self.box)
        below = self.box[3]
        parts = []
        for value, text in _ticks(*self.y, 5):
            at = _short(self.down(value))
            parts.append(_stroke(f"M{left},{at}H{right}", width=1.0, opacity=0.13))
            parts.append(_text(text, self.box[0] - 5, self.down(value) + 3.5, "end", 0.75))
        for value, text in _ticks(*self.x, 6):
            parts.append(
                _stroke(f"M{_short(self.across(value))},{bottom}v4", width=1.0, opacity=0.5)
            )
            parts.append(_text(text, self.across(value), below + 14, "middle", 0.75))
        parts.append(_stroke(f"M{left},{bottom}H{right}", width=1.0, opacity=0.5))
        parts.append(_text(_cut(y_title, 50), 0, self.box[1] - 12))
        parts.append(_text(_cut(x_title, 46), self.box[2], below + 30, "end"))
        return "".join(parts)


class _Legend(NamedTuple):
    """Names beside a piece of their line, or of their band, in rows that fit."""

    rows: list[list[tuple[str, str]]]  # a piece as SVG, which starts at its place, and a name

    @classmethod
    def of(cls, lines: list[str], bands: list[str]) -> _Legend:
        """Of lines if there are several, and of the bands that have a name."""
        several = len(lines) > 1
        told = [
            (_stroke("M0,-3.5h18", *look), name)
            for look, name in zip(_LOOKS, lines if several else [], strict=False)
        ]
        told += [("", f"and {len(lines) - _MOST_NAMED} more")] if len(lines) > _MOST_NAMED else []
        told += [
            (f'<path d="M0,-8h18v9h-18Z" fill-opacity="{_SHADES[min(place, 1)]}"/>', name)
            for place, name in enumerate(bands)
            if name
        ]
        rows: list[list[tuple[str, str]]] = []
        room = 0.0
        for piece, name in told:
            shown = _cut(name.replace("_", " "), 34)
            room -= 34 + _LETTER * len(shown)
            if room < 0:
                rows.append([])
                room = _WIDTH - 34 - _LETTER * len(shown)
            rows[-1].append((piece, shown))
        return cls(rows)

    def svg(self) -> str:
        parts = []
        for number, row in enumerate(self.rows):
            at, down = 0.0, 10 + _ROW * number
            for piece, name in row:
                parts.append(f'<g transform="translate({_short(at)} {down})">{piece}')
                parts.append(f"{_text(name, 22 if piece else 0, 0)}</g>")
                at += 34 + _LETTER * len(name)
        return "".join(parts)


def _drawn(axes: _Axes, lines: list[Gapped]) -> str:
    """Lines, the first on top, and their points if there are few; those without a name are faint."""
    parts = []
    for place, points in reversed(list(enumerate(lines))):
        if not points[0].size:
            continue
        if place >= _MOST_NAMED:
            parts.append(_stroke(axes.path(points), width=0.8, opacity=0.3))
            continue
        colour, dashes = _LOOKS[place]
        parts.append(_stroke(axes.path(points), colour, dashes))
        if points[0].size <= _FEW_POINTS:
            places = zip(axes.across(points[0]), axes.down(points[1]), strict=True)
            dots = ((_short(x), _short(y)) for x, y in places)
            parts += [f'<circle cx="{x}" cy="{y}" r="2.2" fill="{colour}"/>' for x, y in dots]
    return "".join(parts)


def _finite(x: Any, y: Any) -> Gapped:
    """The points that have a place, with how many before them have none."""
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = np.isfinite(across) & np.isfinite(up)
    return across[known], up[known], np.cumsum(~known)[known].astype(np.float64)


def _pieces(low: Points, high: Points) -> list[tuple[Gapped, Gapped]]:
    """The parts of a band between its gaps, each with its lower and its upper edge."""
    if np.size(low[0]) == np.size(high[0]):
        known = np.isfinite([*low, *high]).all(axis=0)  # where one edge is missing there is no band
        low, high = ((np.where(known, x, np.nan), y) for x, y in (low, high))
        lower, upper = _finite(*low), _finite(*high)
    else:  # two curves with points of their own
        lower, upper = ((x, y, 0 * run) for x, y, run in (_finite(*low), _finite(*high)))
    pieces = [(_of_run(lower, run), _of_run(upper, run)) for run in np.unique(lower[2])]
    return [piece for piece in pieces if all(edge[0].size > 1 for edge in piece)]


def _of_run(points: Gapped, run: float) -> Gapped:
    x, y, runs = points
    here = runs == run
    return x[here], y[here], runs[here]


def _span(columns: list[Floats], unit: bool) -> Span:
    """Ends of an axis: 0 and 1 of what are shares of all sizes, otherwise a little beyond the numbers."""
    low = float(min(column.min() for column in columns))
    high = float(max(column.max() for column in columns))
    if low >= 0 and high <= 1 and (unit or high - low > 0.6):
        return 0.0, 1.0
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    room = 0.03 * (high - low)
    return low - room if low else low, high + room


def _ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round numbers between two ends, at most so many, and how they are written."""
    size = 10.0 ** np.floor(np.log10((high - low) / most))
    wide = (high - low) / (most - 1 + 1e-9)
    step = next(size * times for times in (1, 2, 5, 10, 20) if size * times >= wide)
    values = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0
    largest = max(abs(low), abs(high))
    unit, sign = (1e6, "M") if 1e6 <= largest < 1e10 else (1.0, "")
    digits = max(0, int(-np.floor(np.log10(step / unit) + 1e-9)))
    plain = digits <= 5 and largest < 1e10
    told = [f"{v / unit:,.{digits}f}{sign if v else ''}" if plain else f"{v:.3g}" for v in values]
    return [(float(v), t.replace("-", "−")) for v, t in zip(values, told, strict=True)]


def _stroke(
    path: str,
    colour: str = "currentColor",
    dashes: str = "",
    width: float = 1.6,
    opacity: float = 1.0,
) -> str:
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    more += f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{more}/>'


def _text(text: str, x: float, y: float, anchor: str = "start", opacity: float = 1.0) -> str:
    faint = f' opacity="{opacity:g}"' if opacity < 1 else ""
    place = f'x="{_short(x)}" y="{_short(y)}" text-anchor="{anchor}"'
    return f"<text {place}{faint}>{escape(text)}</text>"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
