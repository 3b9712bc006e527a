"""Writing a file whole or not at all: a killed run leaves the old one, or none."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from puremetrics.exceptions import InputError

__all__ = ["check_target", "same_file", "whole_file", "write_text"]


@contextmanager
def whole_file(target: Path, *, sync: bool = False) -> Iterator[BinaryIO]:
    """A file to write into, which takes the target's place once all of it is written.

    It keeps the rights of the file that it replaces; a new one gets those that any new file of this user has.
    With ``sync`` it is on the disk before it appears under its name.
    """
    with _named(target):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
                out.flush()
                if sync:
                    os.fsync(out.fileno())
            Path(name).chmod(_mode_of(target))  # a temporary file is private until it is whole
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all."""
    target = Path(os.path.realpath(path))  # a link stays one
    check_target(target)
    content = text.encode("utf-8", "backslashreplace")  # half a character has no code
    if target.exists() and not target.is_file():  # a pipe or a terminal cannot be replaced
        with _named(target):
            target.write_bytes(content)
        return
    with whole_file(target) as out:
        out.write(content)


def check_target(target: Path) -> None:
    """Raise if a file cannot be written there."""
    target = Path(os.path.realpath(target))
    if "\0" in str(target):
        raise InputError(
            f"The name {str(target)!r} holds the character NUL. Choose another file name."
        )
    if not target.parent.is_dir():
        raise InputError(
            f"There is no folder {str(target.parent)!r} to write {target.name!r} into. Choose another."
        )
    with _named(target):
        if target.is_dir():
            raise InputError(f"{str(target)!r} is a folder. Name a file to write.")
        if target.is_symlink():
            raise InputError(f"{str(target)!r} is a circular link. Name a file to write.")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied", str(target))
        if target.exists() and not target.is_file():
            return
        with tempfile.TemporaryFile(dir=target.parent):
            pass  # better now than after the work


def same_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, by links of any kind."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    with suppress(OSError):
        return one.samefile(other)
    return False


def _mode_of(target: Path) -> int:
    with suppress(OSError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """Name the file in what the system says of it."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{str(target)!r} cannot be written: {error.strerror or error}. Choose another file name, or "
            "check permissions and free space."
        ) from None
