"""Writing a file whole or not at all: a killed run leaves the old one, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from puremetrics.exceptions import InputError

__all__ = ["check_target", "whole_file", "write_text"]


@contextmanager
def whole_file(target: Path, *, sync: bool = False) -> Iterator[BinaryIO]:
    """A file to write into, which takes the target's place once all of it is written.

    It gets the rights that any new file of this user has. With ``sync`` it is on the disk before it
    appears under its name.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # a temporary file is private
        with os.fdopen(handle, "wb") as out:
            yield out
            if sync:
                out.flush()
                os.fsync(out.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all."""
    target = Path(path).resolve()  # a link stays one
    check_target(target)
    if target.exists() and not target.is_file():  # a pipe or a terminal cannot be replaced
        target.write_text(text, encoding="utf-8")
        return
    with whole_file(target) as out:
        out.write(text.encode("utf-8"))


def check_target(target: Path) -> None:
    """Raise if a file cannot be written there."""
    if not target.parent.is_dir():
        raise InputError(
            f"There is no folder {str(target.parent)!r} to write {target.name!r} into."
        )
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder. Name a file to write.")
