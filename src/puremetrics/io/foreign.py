"""What other people's readers say when they give up, as sentences that name the file.

A damaged file can make a reader raise anything at all, so everything that it raises is taken for one. Only
calls of readers stand inside `foreign`: a mistake of this package must not pass for a damaged file.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import clean, shown
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.io.score_text import not_a_number

__all__ = ["first_line", "foreign", "no_room", "room_in", "scratch_folder", "unreadable", "watched"]

_LONGEST = 400
_CELL = re.compile(
    r"CSV Error on Line: (?P<line>\d+)\nOriginal Line: (?P<text>[^\n]*)\n.*?converting column "
    r"\"(?P<name>[^\n]*)\"\. Could not convert string \"(?P<found>[^\n]*)\" to '(?P<kind>[^'\n]*)'",
    re.DOTALL,
)
_LATER = re.compile(r"column (?P<name>'.*') of '.*' holds whole numbers and then (?P<found>.*)")


@contextmanager
def foreign(place: str) -> Iterator[None]:
    """Turn the errors of a reader into a sentence; an interrupted one becomes a KeyboardInterrupt."""
    try:
        yield
    except PuremetricsError:
        raise
    except UnicodeDecodeError:
        raise InputError(f"{place} is not UTF-8 text. Convert it.") from None
    except Exception as error:
        if type(error).__name__ == "InterruptException" or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise unreadable(place, error) from None


def watched(place: str, batches: Iterable[Any]) -> Iterator[Any]:
    """The batches of a reader; whatever goes wrong while they are made names the place."""
    with foreign(place):
        yield from batches


def unreadable(place: str, error: Exception) -> InputError:
    """The sentence for a source that its reader gave up on."""
    _, found, rest = str(error).partition('has duplicate key "')  # of an object in JSON
    if found:
        name = shown(rest.split("\n", 1)[0].rpartition('"')[0])
        return InputError(f"{place} has several columns {name}. Rename all but one.")
    cell = _CELL.search(str(error))
    if cell is not None:
        return _odd_cell(place, cell)
    later = _LATER.search(str(error).partition("\n")[0])
    if later is not None:
        return InputError(
            f"Column {clean(later['name'])} of {place} holds whole numbers and then {shown(later['found'])}. "
            "Write one kind of value in all rows, or drop the others."
        )
    return InputError(
        f"{place} cannot be read: {first_line(error).rstrip('.')}. Check that it is whole and of the format "
        "that its ending says."
    )


def _odd_cell(place: str, cell: re.Match[str]) -> InputError:
    """The sentence for a cell that is not of the type of those above it."""
    found, where = cell["found"], f"line {cell['line']}"
    if found.startswith('"'):  # cut at a comma inside
        whole = re.search(r'"([-+]?\d*,\d+)"', cell["text"])
        found = found.strip('"') if whole is None else whole[1]
    if cell["kind"] in ("DOUBLE", "FLOAT") or cell["kind"].startswith("DECIMAL"):
        return not_a_number(found, cell["name"], place, where)
    kinds = {"BIGINT": "whole numbers", "BOOLEAN": "true and false", "DATE": "dates"}
    above = kinds.get(cell["kind"], cell["kind"].lower())
    return InputError(
        f"Column {shown(cell['name'])} of {place} holds {shown(found)} in {where}, but {above} above it. "
        "Write one kind of value in all rows, or drop the others."
    )


def first_line(error: Exception) -> str:
    """What a reader says of a problem, without the rest of its page."""
    lines = str(error).strip().splitlines()
    said = " ".join(line.strip() for line in lines[:2]) if lines else type(error).__name__
    return clean(said, _LONGEST)


def no_room(folder: str, error: OSError) -> InputError:
    """The sentence for a file that could not be written for want of room or rights."""
    return InputError(
        f"A temporary file cannot be written to {clean(folder)!r}: {error.strerror or error}. Make room "
        "there, or name another folder in TMPDIR."
    )


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, gone afterwards; if there can be none, the error says where and why."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="puremetrics-", ignore_cleanup_errors=True)
    except OSError as error:
        raise no_room(os.environ.get("TMPDIR") or str(error.filename or "/tmp"), error) from None
    with folder as name:
        yield Path(name)


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Name the folder of a temporary file if there is no room for it."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG):
            raise no_room(str(folder.parent), error) from None
        raise
