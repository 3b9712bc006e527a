"""A checking session: who has answered what, which row comes next, and every answer on disk before the next.

**What a checker gets** (`Session.todo`). Rows that nobody has answered, in the order of the draw; of those
that are given to two checkers also the ones that somebody else has answered. Rows where two checkers differ
come at the end, to be settled.

**On disk.** The whole sheet is written beside its name, synchronised and put in its place, before an answer
counts as given. If that fails the answer is taken back and the reason told. A file that another program
changed meanwhile is read first: rows that were answered there keep those answers.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from puremetrics.checking.arguments import check_number, clean
from puremetrics.checkpage.sheet import (
    ANSWERS,
    Answer,
    Answers,
    Sheet,
    line_starts,
    read_sheet,
    sheet_bytes,
)
from puremetrics.exceptions import InputError
from puremetrics.io.writing import check_target, whole_file

__all__ = ["ChangedError", "Session", "Undone"]

_REMEMBERED = 1000  # numbers of requests, and answers that can be taken back
_WORDS = {"yes": "positive", "no": "negative", "unsure": "unsure"}


class Undone(NamedTuple):
    """An answer that was taken back: where, and what is there now."""

    row: int
    answers: Answers


class ChangedError(InputError):
    """A row that was answered elsewhere since the page last heard of it."""


class Session:
    """Rows that one person checks, with the answers of all.

    Parameters
    ----------
    sheet : Sheet
    output : Path
        The file that answers are kept in. If there is one with the same rows, it is continued.
    checker : str
        Who answers now.
    overlap : float, default 0
        Share of the rows, in percent, that two people check.
    now : callable
        Tells the time of an answer.
    """

    def __init__(
        self,
        sheet: Sheet,
        output: Path,
        *,
        checker: str = "",
        overlap: float = 0.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        share = check_number(overlap, "overlap")
        if not 0 <= share <= 100:
            raise InputError(
                f"overlap={share:g} must be a percentage between 0 and 100: the share of rows that two "
                "people check."
            )
        if share and not checker:
            raise InputError("Rows that two people check need to know who answers: pass checker=….")
        self.sheet, self.output = sheet, Path(os.path.realpath(output))
        self.checker = clean(checker, 80)
        self.overlap = share / 100
        self._now, self._lock = now, threading.RLock()
        self._starts = line_starts(sheet)
        self._requests: deque[str] = deque(maxlen=_REMEMBERED)
        self._before: deque[tuple[int, Answers]] = deque(maxlen=_REMEMBERED)
        self._seen: tuple[int, int, int] | None = None
        self.version = 0  # grows with every change
        self.changed_at = [0] * len(sheet)  # the version at which each row changed last
        self.notes: list[str] = []
        self.listeners: list[Callable[[], None]] = []
        check_target(self.output)
        if self.output.exists():
            self._continue()

    # ---------------------------------------------------------------- what there is

    def __len__(self) -> int:
        return len(self.sheet)

    @property
    def answers(self) -> list[Answers]:
        """All that was said, row by row."""
        return self.sheet.answers

    @property
    def final(self) -> list[str]:
        """What counts of each row: "yes", "no" or ""."""
        return [given.final for given in self.answers]

    def is_double(self, row: int) -> bool:
        """Whether a row is given to two checkers: evenly spread, so that any first part has its share."""
        return int((row + 1) * self.overlap + 1e-9) > int(row * self.overlap + 1e-9)

    def own(self, row: int) -> Answer | None:
        """What this checker has said of a row."""
        given = self.answers[row]
        for one in (given.first, given.second):
            if one is not None and (one.checker == self.checker or not self.overlap):
                return one
        return None

    def todo(self) -> list[int]:
        """Rows that this checker has, answered or not, in order."""
        return [row for row in range(len(self)) if self._mine(row)]

    def _mine(self, row: int) -> bool:
        given = self.answers[row]
        if given.first is None or self.own(row) is not None:
            return True
        return self.is_double(row) and given.second is None

    def differing(self) -> list[int]:
        """Rows that one checker called positive and another negative, settled or not."""
        return [
            row
            for row, given in enumerate(self.answers)
            if given.first
            and given.second
            and {given.first.said, given.second.said} == {"yes", "no"}
        ]

    def state(self) -> dict[str, Any]:
        """What a page needs to know of all rows; what somebody else said stays hidden until both answered."""
        with self._lock:
            rows = self.todo()
            differ = self.differing()
            own = [self.own(row) for row in rows]
            return {
                "version": self.version,
                "rows": rows,
                "said": [None if one is None else one.said for one in own],
                "double": [row for row in rows if self.overlap and self.is_double(row)],
                "total": len(self),
                "answered": sum(1 for given in self.answers if given.final),
                "differ": [
                    {
                        "row": row,
                        "first": _told(self.answers[row].first),
                        "second": _told(self.answers[row].second),
                        "settled": None
                        if self.answers[row].settled is None
                        else self.answers[row].settled.said,  # type: ignore[union-attr]
                    }
                    for row in differ
                ],
                "notes": self.notes[-3:],
            }

    # ---------------------------------------------------------------- what changes it

    def say(
        self,
        row: int,
        said: str | None,
        *,
        base: int | None = None,
        request: str = "",
        settle: bool = False,
    ) -> int:
        """Answer a row, and return the version then; it is on disk when this returns.

        Parameters
        ----------
        row : int
            Which row of the sheet, from 0.
        said : {"yes", "no", "unsure", None}
            None takes an answer back.
        base : int, optional
            The version that whoever answers has seen: a row that changed since then is not overwritten.
        request : str, optional
            Names the request: one that comes again changes nothing.
        settle : bool
            Decide between two answers that differ.
        """
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(self):
            raise InputError(
                f"There is no row {row!r} in this sheet of {len(self)}. Reload the page."
            )
        if said is not None and said not in ANSWERS:
            raise InputError(
                f"An answer is one of {', '.join(ANSWERS)}, not {clean(str(said), 40)!r}."
            )
        with self._lock:
            if request and request in self._requests:
                return self.version
            self._take_in()
            if base is not None and self.changed_at[row] > base:
                raise ChangedError(
                    f"Row {row + 1} was answered elsewhere a moment ago: it now says "
                    f"{self._word(row, settle)}. Your answer was not kept; give it again if it is right."
                )
            before = self.answers[row]
            self._put(row, self._with(row, said, settle))
            self._before.append((row, before))
            if request:
                self._requests.append(request)
            return self.version

    def undo(self) -> Undone | None:
        """Take back what this checker said last; None if there is nothing."""
        with self._lock:
            self._take_in()
            if self._before:
                row, before = self._before[-1]
                self._put(row, before)
                self._before.pop()
                return Undone(row, before)
            given = [(own.at, row) for row in range(len(self)) if (own := self.own(row))]
            if not given:
                return None
            row = max(given)[1]
            self._put(row, self._with(row, None, False))
            return Undone(row, self.answers[row])

    def take(self, other: Sheet, name: str) -> int:
        """Take in the answers that somebody else gave on a sheet of the same rows; return how many.

        Answers to rows that are open come first; to rows that somebody has answered they are second answers.
        """
        if not self.sheet.same_rows(other):
            raise InputError(
                f"{name!r} holds answers to other rows than this sheet. Pass one that was made from it."
            )
        with self._lock:
            self._take_in()
            before, taken = list(self.answers), 0
            for row, given in enumerate(other.answers):
                for one in (given.first, given.second):
                    own = self.answers[row]
                    if one is None or one in (own.first, own.second):
                        continue
                    if own.first is None:
                        self.answers[row] = Answers(one)
                    elif own.second is None and own.first.checker != one.checker:
                        self.answers[row] = Answers(own.first, one)
                    else:
                        continue
                    taken += 1
                    self.version += 1
                    self.changed_at[row] = self.version
            try:
                self._write()
            except BaseException:
                self.sheet.answers[:] = before
                raise
        return taken

    def save(self) -> None:
        """Write the sheet as it is now."""
        with self._lock:
            self._write()

    # ---------------------------------------------------------------- inside

    def _word(self, row: int, settle: bool) -> str:
        given = self.answers[row]
        one = given.settled if settle else self.own(row)
        return _WORDS[one.said] if one else "nothing"

    def _with(self, row: int, said: str | None, settle: bool) -> Answers:
        given = self.answers[row]
        made = None
        if said is not None:
            at = self._now().astimezone(UTC).isoformat(timespec="milliseconds")
            made = Answer(said, self.checker, at)
        if settle:
            if not (given.first and given.second):
                raise InputError(f"Row {row + 1} has only one answer: there is nothing to settle.")
            return Answers(given.first, given.second, made)
        own = self.own(row)
        if own is None and not self._mine(row):
            raise ChangedError(
                f"Row {row + 1} was checked by somebody else meanwhile. Go on with the next."
            )
        if given.first is None or own is given.first:
            if made is None and given.second is not None:
                return Answers(given.second)
            return Answers(made, given.second)
        return Answers(given.first, made)

    def _put(self, row: int, answers: Answers) -> None:
        before = self.answers[row]
        self.answers[row] = answers
        try:
            self._write()
        except BaseException:
            self.answers[row] = before
            raise
        self.version += 1
        self.changed_at[row] = self.version
        for listener in self.listeners:
            listener()

    def _write(self) -> None:
        content = sheet_bytes(self.sheet, self._starts, second=bool(self.overlap))
        with whole_file(self.output, sync=True) as out:
            out.write(content)
        _sync_folder(self.output.parent)
        self._seen = _stamp(self.output)

    def _continue(self) -> None:
        """Go on where the file of answers ends."""
        found = read_sheet(self.output)
        if not self.sheet.same_rows(found):
            raise InputError(
                f"{str(self.output)!r} holds answers to other rows ({len(found)}) than this sheet "
                f"({len(self)}). Choose another file with -o, or pass the sheet that it belongs to."
            )
        for row, given in enumerate(found.answers):
            if given.first is not None:
                self.answers[row] = given
        self._seen = _stamp(self.output)

    def _take_in(self) -> None:
        """Read the file first if another program has changed it, and write it again if it has vanished."""
        if self._seen is None:
            return
        stamp = _stamp(self.output)
        if stamp == self._seen:
            return
        if stamp is None:
            self._note(f"{self.output.name} had vanished; it was written again with all answers.")
            self._write()
            return
        try:
            found = read_sheet(self.output)
        except InputError as error:
            raise InputError(
                f"{self.output.name} was changed by another program, and is no longer a sheet of answers "
                f"({error}) Nothing was written over it. Move it away, then answer again."
            ) from None
        if not self.sheet.same_rows(found):
            raise InputError(
                f"{self.output.name} was replaced by a sheet with other rows. Nothing was written over it. "
                "Move it away, then answer again."
            )
        taken = 0
        for row, given in enumerate(found.answers):
            if given != self.answers[row] and given.first is not None:
                self.answers[row], taken = given, taken + 1
                self.version += 1
                self.changed_at[row] = self.version
        self._seen = stamp
        if taken:
            self._before.clear()
            self._note(
                f"{self.output.name} was changed by another program: {taken} "
                f"{'answer was' if taken == 1 else 'answers were'} taken over from it."
            )

    def _note(self, text: str) -> None:
        self.notes.append(text)


def _told(given: Answer | None) -> dict[str, str]:
    return {"said": "", "by": ""} if given is None else {"said": given.said, "by": given.checker}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes whenever a file is written."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _sync_folder(folder: Path) -> None:
    """Have the new name on disk as well, where the system can do that."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
