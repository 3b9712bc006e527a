"""Bytes that can be read only once, from a pipe or an open file: kept in a temporary file."""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path
from typing import Any, BinaryIO

from puremetrics.checking.arguments import clean
from puremetrics.exceptions import InputError
from puremetrics.io.foreign import foreign, room_in

__all__ = ["is_pipe", "keep_bytes", "keep_pipe"]

_LOOK = 1 << 12


def is_pipe(path: Path) -> bool:
    """Whether a path leads to a pipe, a terminal or the like."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def keep_pipe(path: Path, folder: Path) -> Path:
    """Copy what comes out of a pipe; ``-`` is standard input."""
    if str(path) == "-":
        return keep_bytes(sys.stdin.buffer, folder, "standard input")
    with foreign(f"{clean(str(path))!r}"), path.open("rb") as source:
        return keep_bytes(source, folder, path.name)


def keep_bytes(source: Any, folder: Path, name: str) -> Path:
    """Copy an open binary file; its format is told by how it begins, unless the name ends in one."""
    first = source.read(_LOOK)
    if not isinstance(first, bytes):
        raise InputError(
            "The open file yields text. Open it in binary mode, or pass its path instead."
        )
    plain = clean(Path(name).name, 60).replace("/", "_") or "source"
    ending = "" if Path(plain).suffix else _ending(first)
    target = folder / f"{plain}{ending}"
    with room_in(folder), target.open("wb") as out:
        out.write(first)
        _copy(source, out)
    return target


def _copy(source: Any, out: BinaryIO) -> None:
    shutil.copyfileobj(source, out, 1 << 20)


def _ending(first: bytes) -> str:
    """The ending that files of this format have."""
    if first.startswith(b"PAR1"):
        return ".parquet"
    if first.startswith(b"ARROW1") or first.startswith(b"\xff\xff\xff\xff"):
        return ".arrow"
    if first.startswith(b"\x1f\x8b"):
        return ".csv.gz"
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        return ".csv.zst"
    return ".jsonl" if first.lstrip()[:1] in (b"{", b"[") else ".csv"
