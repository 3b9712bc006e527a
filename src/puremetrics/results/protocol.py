"""What every public result has in common: its protocol, its words, its interval, its trust.

A result is a frozen record of numbers that says what it assumed. Its arrays are read-only. Two results are
equal if they are of one kind and all their numbers agree (NaN equals NaN). ``print`` gives a few lines,
``repr`` one; notebooks show those lines, curves as a small picture, and a table that is folded; `frame` gives
columns, `to_frame` a data frame and `to_dict` valid JSON.

`Result` is that protocol, and `html_of` writes what notebooks show: no script, no style sheet, everything
escaped. `number`, `percent` and `sentence` say how results write numbers. `Interval` is an
interval that says what it is, `Trust` how far an answer can be trusted: a level, and one sentence that says
why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from html import escape
from itertools import groupby
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from puremetrics.exceptions import Diagnostic, MissingDependencyError
from puremetrics.results.picture import Drawing, Picture

__all__ = [
    "LEVELS",
    "Columns",
    "Interval",
    "IntervalKind",
    "Result",
    "Trust",
    "TrustLevel",
    "html_of",
    "in_groups",
    "json_ready",
    "most_trusted",
    "number",
    "percent",
    "sentence",
]


_ROWS_FIRST, _ROWS_LAST, _COLUMNS, _LONGEST_CELL = 8, 4, 12, 32
_LINES_FIRST, _LINES_LAST, _CHARACTERS = 32, 16, 12_000
_TEXT = "padding:1px 14px 1px 0;text-align:left"
_NUMBER = "padding:1px 14px 1px 0;text-align:right"
_ALIGNED = "font-family:monospace;white-space:pre;overflow-x:auto"


def html_of(
    lines: list[str], columns: dict[str, Any], remarks: list[str], picture: str = ""
) -> str:
    """The lines of a result and its remarks, its picture, and its columns as a table that is folded."""
    told = _in_full([*lines, *remarks])
    equal = sum(not line.startswith("  ") for line in told) > 2  # none of these heads the others
    parts = [] if equal else [_headline(told[0])]
    for aligned, some in groupby(told[len(parts) :], _is_aligned):
        if aligned:
            rows = escape("\n".join(some))
            parts.append(f'<div style="{_ALIGNED}">{rows}</div>')
        else:
            parts += [_line(line) for line in some]
    text = f'<div class="puremetrics">{"".join(parts)}{picture}{_table(columns)}</div>'
    return text.encode("utf-8", "replace").decode("utf-8")


def _in_full(lines: list[str]) -> list[str]:
    """All lines; of very many the first and the last, where results say what they conclude."""
    left_out = len(lines) - _LINES_FIRST - _LINES_LAST
    if left_out > 1:
        middle = f"  … {left_out:,} more lines, which print shows …"
        lines = [*lines[:_LINES_FIRST], middle, *lines[-_LINES_LAST:]]
    longest = max(240, _CHARACTERS // max(len(lines), 1))  # names of models have any length
    return [line if len(line) <= longest else line[: longest - 1] + "…" for line in lines]


def _is_aligned(line: str) -> bool:
    """Whether it is set in columns."""
    return line.startswith("  ") and "  " in line.strip()


def _headline(line: str) -> str:
    """The line, its first sentence in bold."""
    first, stop, rest = line.strip().partition(". ")
    return f"<div><b>{escape(first + stop.strip())}</b>{escape(f' {rest}' if rest else '')}</div>"


def _line(line: str) -> str:
    text = escape(line.strip())
    if line.startswith("  "):
        return f'<div style="padding-left:1em;opacity:.8">{text}</div>'
    return f"<div>{text}</div>"


def _table(columns: dict[str, Any]) -> str:
    """The columns, folded; of many rows the first and the last."""
    rows = min((len(column) for column in columns.values()), default=0)
    if not rows:
        return ""
    cut = rows > _ROWS_FIRST + _ROWS_LAST + 1
    shown = [*range(_ROWS_FIRST), *range(rows - _ROWS_LAST, rows)] if cut else list(range(rows))
    cells = []
    for name, column in list(columns.items())[:_COLUMNS]:
        told = _cells(np.asarray(column)[shown])
        told[_ROWS_FIRST:_ROWS_FIRST] = ["⋮"] if cut else []
        look = _NUMBER if np.asarray(column).dtype.kind in "fiu" else _TEXT
        tagged = [("th", name), *(("td", text) for text in told)]
        cells.append(
            [f'<{t} style="{look}">{escape(_shortened(text))}</{t}>' for t, text in tagged]
        )
    body = [f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True)]
    more = len(columns) - len(cells)
    beside = (
        f"<div>… and {more:,} more {'column' if more == 1 else 'columns'}</div>" if more else ""
    )
    return (
        f'<details><summary style="cursor:pointer;opacity:.8">Table of {rows:,} '
        f'{"row" if rows == 1 else "rows"}</summary><div style="overflow-x:auto">'
        '<table style="border-collapse:collapse;margin:.3em 0;white-space:nowrap;'
        f'font-variant-numeric:tabular-nums">{"".join(body)}</table></div>{beside}</details>'
    )


def _cells(column: npt.NDArray[Any]) -> list[str]:
    """How a column is written: whole numbers as such, others to the same digits."""
    kind = column.dtype.kind
    if kind == "b":
        return ["yes" if value else "no" for value in column]
    if kind not in "fiu":
        return [str(value) for value in column]
    whole = bool(np.all((column == np.round(column)) | ~np.isfinite(column)))
    known = {"nan": "–", "inf": "∞", "-inf": "-∞"}
    least = 0.0 if whole else 1e4  # from there on a fraction says nothing
    told = [
        f"{v:,.0f}" if least <= abs(v) < 1e15 else f"{v:,.1f}" if 100 <= abs(v) < 1e4 else number(v)
        for v in column
    ]
    return [known.get(text, text).replace("-", "−") for text in told]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


Columns = dict[str, npt.NDArray[Any]]
_LONGEST_REPR = 120


class Result:
    """Base of the frozen dataclasses that public functions return.

    Subclasses are declared with ``@dataclass(frozen=True, eq=False, repr=False)`` and have a field
    ``diagnostics``. ``parts`` are properties that count when results are compared, like fields.
    ``_picture`` says which columns of `frame` are a curve, for notebooks to draw.
    """

    diagnostics: tuple[Diagnostic, ...]
    parts: ClassVar[tuple[str, ...]] = ()
    _picture: ClassVar[Picture | None] = None

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray | dict):
                _freeze(value)

    def _values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    # ---------------------------------------------------------------- comparing

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Result)
        own = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        compared = [*own, *self.parts]
        return all(_same(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        plain = (float, int, str, bool, type(None))
        parts = [value for value in self._values().values() if isinstance(value, plain)]
        return hash((type(self).__name__, *(p for p in parts if p == p)))

    # ---------------------------------------------------------------- showing

    def __repr__(self) -> str:
        line = str(self).split("\n", 1)[0]
        text = f"{type(self).__name__}: {line}"
        return f"<{text if len(text) <= _LONGEST_REPR else text[: _LONGEST_REPR - 1] + '…'}>"

    def _repr_html_(self) -> str:
        remarks = {f"  {remark}": remark.message for remark in self.diagnostics}
        lines = [line for line in self._told() if line not in remarks]
        more = [r for r, said in remarks.items() if not any(said in line for line in lines)]
        columns, drawing = self.frame(), self._drawing()
        single = min((column.size for column in columns.values()), default=0) == 1
        if single and self._told() == str(self).split("\n"):
            columns = {}  # the lines say it already
        return html_of(lines, columns, more, "" if drawing is None else drawing.svg())

    def _told(self) -> list[str]:
        """The lines of the text that a notebook shows: all, but for rows of the table that it folds."""
        return str(self).split("\n")

    def _drawing(self) -> Drawing | None:
        """The curve that this is, if it is one."""
        return None if self._picture is None else self._picture.of(self, self.frame())

    # ---------------------------------------------------------------- handing on

    def frame(self) -> Columns:
        """Return the numbers as columns, which any data frame library takes."""
        values = self._values()
        arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray) and v.ndim == 1}
        if arrays:
            return arrays
        plain = (float, int, str, bool, np.generic)
        return {k: np.array([v]) for k, v in values.items() if isinstance(v, plain)}

    def to_frame(self) -> Any:
        """Return `frame` as a data frame: of pandas if it is installed, otherwise of polars."""
        columns = self.frame()
        try:
            import pandas
        except ImportError:
            pass
        else:
            return pandas.DataFrame(columns)
        try:
            import polars
        except ImportError:
            raise MissingDependencyError(
                "to_frame needs pandas or polars, and neither is installed. Install one of them, or use "
                "frame(), which returns columns as arrays."
            ) from None
        return polars.DataFrame({name: column.tolist() for name, column in columns.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings that are valid JSON; infinite and undefined ones are None."""
        ready: dict[str, Any] = json_ready(self._values())
        return ready


def json_ready(value: Any) -> Any:
    """Plain Python for JSON: arrays as lists, results as mappings, infinite and undefined numbers as null."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Diagnostic):
        return {"code": value.code, "message": value.message}
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.ndarray):
        plain = value.tolist()
        return [json_ready(item) for item in plain] if value.ndim else json_ready(plain)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return str(value)


def _freeze(value: Any) -> None:
    """Make an array read-only, or all arrays of a mapping."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
        return
    for item in value.values():
        if isinstance(item, np.ndarray | dict):
            _freeze(item)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
            return False
        floats = first.dtype.kind == "f" and second.dtype.kind == "f"
        return np.array_equal(first, second, equal_nan=floats)
    if type(first) is not type(second) and not isinstance(first, float | int):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(v, second[k]) for k, v in first.items())
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _same(a, b) for a, b in zip(first, second, strict=True)
        )
    if hasattr(first, "equals"):  # a table
        return bool(first.equals(second))
    return bool(first == second or (first != first and second != second))


def number(value: float) -> str:
    """Format to four significant decimals without exponent for ordinary sizes."""
    if not np.isfinite(value) or value == 0:
        return f"{value:g}"
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def percent(level: float) -> str:
    """A confidence level in per cent."""
    return f"{100 * level:g}%"


def sentence(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]


def in_groups(number_of: int | None, effect: float | None) -> list[str]:
    """A line about the groups that rows belong to; none if they are independent."""
    if number_of is None or effect is None:
        return []
    return [
        f"  rows belong to {number_of} groups: {number(effect)} times the variance of independent rows"
    ]


IntervalKind = Literal["confidence", "identification", "combined", "resolution"]


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """An interval that says what it is.

    Attributes
    ----------
    low, high : float
        Its ends, within the range that the quantity can take.
    level : float
        Nominal coverage, such as 0.95; 1 for a pure identification interval.
    kind : {"confidence", "identification", "combined", "resolution"}
        Sampling error; what the data cannot tell however many there are (an uncertain prior);
        both; or what the buckets of a reader hide.
    method : str
        How it was computed.
    """

    low: float
    high: float
    level: float
    kind: IntervalKind
    method: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        found = super().to_dict()
        del found["diagnostics"]
        return found

    def words(self) -> str:
        """The interval within a sentence: "95% confidence interval 0.9 to 1"."""
        return (
            f"{percent(self.level)} {self.kind} interval {number(self.low)} to {number(self.high)}"
        )

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, spec: str) -> str:
        return f"{self.low:{spec}} to {self.high:{spec}}" if spec else str(self)

    def __str__(self) -> str:
        return f"{number(self.low)} to {number(self.high)} ({self.level:.3g} {self.kind})"


TrustLevel = Literal["known", "audited", "evidence", "identified", "upper_bound", "contradicted"]
LEVELS: tuple[TrustLevel, ...] = (
    "known", "audited", "evidence", "identified", "upper_bound", "contradicted",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Trust(Result):
    """How far an answer can be trusted.

    Attributes
    ----------
    level : {"known", "audited", "evidence", "identified", "upper_bound", "contradicted"}
        "known": the prior was given. "audited": rows that were checked say it. "evidence": several kinds of
        evidence that was passed say it together. "identified": it was
        estimated, and the classes are far enough apart for that. "upper_bound": it was estimated from classes
        that overlap, where negatives that look like positives would count as positives; if the purity of the
        labels was estimated with it, it may be off either way. "contradicted":
        what was assumed and what the data say cannot both be true.
    reason : str
        One sentence.
    limit : float or None
        At level "upper_bound": the largest prior that the data allow, where it is known.
    settle : str
        What would settle the question, where something would: one sentence, or nothing.
    """

    level: TrustLevel
    reason: str
    settle: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    limit: float | None = None

    @property
    def words(self) -> str:
        """Reason, limit and remedy."""
        most = "" if self.limit is None else f" The prior is at most {self.limit:.3g}."
        return f"{self.reason}{most} {self.settle}".strip()

    def __str__(self) -> str:
        return self.words[:1].upper() + self.words[1:]


def most_trusted(*found: Trust) -> Trust:
    """The one with the highest level; the first of equals."""
    return min(found, key=lambda trust: LEVELS.index(trust.level))
