"""DuckDB, shut off from everything but the file that is read.

A connection may open the files that it was made for and no others, loads no extensions, does not look at
Python's variables, and nobody can change that afterwards. Conditions are checked besides (`conditions`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import shown
from puremetrics.exceptions import InputError, MissingDependencyError

__all__ = ["connected", "duckdb_module", "literal", "native", "quoted", "text_of"]

_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def duckdb_module() -> Any:
    """The module, or an error that says how to get it."""
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "Reading this source needs DuckDB. Install puremetrics[cli]."
        ) from None
    return duckdb


@contextmanager
def connected(*files: Path) -> Iterator[Any]:
    """A connection that can open these files and nothing else."""
    connection = duckdb_module().connect(config=_CLOSED)
    try:
        names = [name for file in files for name in dict.fromkeys((native(file), literal(file)))]
        connection.execute(f"SET allowed_paths = [{', '.join(map(text_of, names))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def literal(file: Path) -> str:
    """The path with the characters that DuckDB would take for a pattern made literal."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in native(file))


def native(file: Path) -> str:
    """The path as libraries take it: in UTF-8, whatever encoding Python believes that names are in."""
    try:
        return os.fsencode(file).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"The name {shown(file.name)} is not in UTF-8, and no reader can open it. Rename the file."
        ) from None


def quoted(name: str) -> str:
    """A name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text_of(value: str) -> str:
    """Text as a constant in SQL."""
    return "'" + value.replace("'", "''") + "'"
