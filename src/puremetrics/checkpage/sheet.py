"""A sheet of rows with what people said of them: read from a file and written to one, whole or not at all.

The columns of `audit plan` come first, ``order``, ``row`` and those that were kept. Then the answers:

- ``positive``: what counts, 1 or 0, empty while there is none. This is what ``evaluate --audit`` reads.
- ``answer``, ``checker``, ``checked_at``: what the first checker said (yes, no, unsure), who and when.
- ``second_answer``, ``second_checker``, ``second_checked_at``: the same of the second one, if there is any.
- ``settled``, ``settled_by``, ``settled_at``: what was agreed where these two differ.

An answer that somebody typed into ``positive`` by hand counts, too.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from puremetrics.checking.answers import NO, YES
from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import is_missing_value
from puremetrics.exceptions import InputError
from puremetrics.planning.sheets import ANSWER, ORDER, ROW, csv_line

__all__ = ["ANSWERS", "Answer", "Answers", "Sheet", "read_sheet", "sheet_bytes", "sheet_of"]

FIRST = ("answer", "checker", "checked_at")
SECOND = ("second_answer", "second_checker", "second_checked_at")
SETTLED = ("settled", "settled_by", "settled_at")
OWN = (ORDER, ROW, ANSWER, *FIRST, *SECOND, *SETTLED)
ANSWERS = ("yes", "no", "unsure")
_CODE = {"yes": "1", "no": "0"}
_MOST = 2**31 - 1  # characters of a cell


@dataclass(frozen=True)
class Answer:
    """What somebody said of a row, and when."""

    said: str
    checker: str = ""
    at: str = ""


@dataclass(frozen=True)
class Answers:
    """All that was said of a row: by the first checker, by the second, and when these two were settled."""

    first: Answer | None = None
    second: Answer | None = None
    settled: Answer | None = None

    @property
    def final(self) -> str:
        """What counts: "yes", "no", or "" while that is not known."""
        if self.settled is not None and self.settled.said in _CODE:
            return self.settled.said
        sure = {one.said for one in (self.first, self.second) if one and one.said in _CODE}
        return sure.pop() if len(sure) == 1 else ""

    @property
    def differ(self) -> bool:
        """Whether two checkers said different things, and nobody has settled that."""
        return bool(self.first and self.second) and not self.final

    @property
    def newest(self) -> Answer | None:
        """The answer that was given last."""
        given = [one for one in (self.first, self.second, self.settled) if one is not None]
        return max(given, key=lambda one: one.at, default=None)


@dataclass(eq=False)
class Sheet:
    """Rows to check, in the order of the draw.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns that were kept.
    places : list of int
        Of each row its place in the data.
    cells : list of tuple of str
        What the columns hold.
    answers : list of Answers
    """

    columns: tuple[str, ...]
    places: list[int]
    cells: list[tuple[str, ...]]
    answers: list[Answers] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.answers = self.answers or [Answers() for _ in self.places]

    def __len__(self) -> int:
        return len(self.places)

    def same_rows(self, other: Sheet) -> bool:
        """Whether another sheet holds the same rows in the same order."""
        return self.places == other.places


def sheet_of(rows: Any, kept: Mapping[str, Any]) -> Sheet:
    """The sheet of rows at some places of the data, with columns of theirs."""
    texts = [[_text(value) for value in np.asarray(column).tolist()] for column in kept.values()]
    cells: list[tuple[str, ...]] = list(zip(*texts, strict=True)) if texts else [()] * len(rows)
    return Sheet(tuple(kept), [int(row) for row in rows], cells)


def _text(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if is_missing_value(value) else str(value)


def read_sheet(path: Path) -> Sheet:
    """Read a sheet as `audit plan` or a checking session wrote it, or a spreadsheet program kept it."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be read: {error.strerror}. Check the path."
        ) from None
    except UnicodeDecodeError:
        raise InputError(
            f"{str(path)!r} is not text in UTF-8. Save the sheet as CSV in UTF-8 again, or make it anew with "
            "puremetrics audit plan."
        ) from None
    before = csv.field_size_limit(_MOST)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
    except csv.Error as error:
        raise InputError(
            f"{str(path)!r} is not a sheet in CSV ({error}). Pass the one that puremetrics audit plan wrote."
        ) from None
    finally:
        csv.field_size_limit(before)
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    head = [name.strip() for name in lines[0]] if lines else []
    lacking = [name for name in (ROW, ANSWER) if name not in head]
    if lacking:
        raise InputError(
            f"{str(path)!r} has no column {lacking[0]!r}, so it is not a sheet of rows to check. Pass what "
            "puremetrics audit plan wrote, or scores with --budget N."
        )
    kept = [(at, name) for at, name in enumerate(head) if name not in OWN]
    made = Sheet(tuple(name for _, name in kept), [], [])
    for number, line in enumerate(lines[1:], start=2):
        cells = line + [""] * (len(head) - len(line))
        own = {name: cells[at].strip() for at, name in enumerate(head) if name in OWN}
        made.places.append(_place(own[ROW], number, path))
        made.cells.append(tuple(cells[at] for at, _ in kept))
        made.answers.append(_answers(own, number, path))
    if not made.places:
        raise InputError(f"{str(path)!r} holds no row. Make it anew with puremetrics audit plan.")
    if len(set(made.places)) < len(made.places):
        twice = next(place for place in made.places if made.places.count(place) > 1)
        raise InputError(
            f"{str(path)!r} holds row {twice} twice. Each row is checked once: remove one of the lines."
        )
    return made


def sheet_bytes(
    sheet: Sheet, prefixes: Sequence[str] | None = None, *, second: bool = False
) -> bytes:
    """The sheet as CSV; ``prefixes`` are its lines up to the answers, if they were made before."""
    start = prefixes if prefixes is not None else line_starts(sheet)
    some = second or any(one.second or one.settled for one in sheet.answers)
    names = (ANSWER, *FIRST, *(SECOND + SETTLED if some else ()))
    out = [f"{start[0]},{','.join(names)}\n"]
    for begun, given in zip(start[1:], sheet.answers, strict=True):
        parts = [_CODE.get(given.final, ""), *_cells(given.first)]
        if some:
            parts += [*_cells(given.second), *_cells(given.settled)]
        out.append(f"{begun},{csv_line(parts)}\n")
    return "".join(out).encode("utf-8", "backslashreplace")


def line_starts(sheet: Sheet) -> list[str]:
    """The head and the lines of a sheet up to the answers, which do not change while rows are checked."""
    found = [csv_line([ORDER, ROW, *sheet.columns])]
    for number, (place, cells) in enumerate(zip(sheet.places, sheet.cells, strict=True), start=1):
        found.append(csv_line([str(number), str(place), *cells]))
    return found


def _cells(given: Answer | None) -> tuple[str, str, str]:
    return ("", "", "") if given is None else (given.said, given.checker, given.at)


def _delimiter(text: str) -> str:
    head = text.split("\n", 1)[0]
    return max(",;\t", key=head.count)


def _place(text: str, line: int, path: Path) -> int:
    try:
        found = int(text)
    except ValueError:
        found = -1
    if found < 0:
        raise InputError(
            f"Line {line} of {str(path)!r} has {shown(text)} in the column {ROW!r}. Keep that column as it "
            "was written: it says which row was checked."
        )
    return found


def _answers(own: dict[str, str], line: int, path: Path) -> Answers:
    by = [
        _answer(own.get(names[0], ""), own.get(names[1], ""), own.get(names[2], ""), line, path)
        for names in (FIRST, SECOND, SETTLED)
    ]
    found = Answers(*by)
    typed = _answer(own[ANSWER], "", "", line, path)
    if typed is None or typed.said == found.final:
        return found
    if found.first is None:  # only typed in, by whoever had the sheet
        return Answers(typed)
    if found.second is None:
        return Answers(Answer(typed.said, found.first.checker, found.first.at))
    return Answers(found.first, found.second, typed)


def _answer(said: str, checker: str, at: str, line: int, path: Path) -> Answer | None:
    word = said.lower()
    if not word:
        return None
    if word in YES or word in NO:
        return Answer("yes" if word in YES else "no", checker, at)
    if word in ("unsure", "?"):
        return Answer("unsure", checker, at)
    raise InputError(
        f"Line {line} of {str(path)!r} has the answer {shown(said)}. Write 1 or 0, yes or no, and leave it "
        "empty if the row was not checked."
    )
