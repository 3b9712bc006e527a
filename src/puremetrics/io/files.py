"""Columns of a file, through DuckDB: CSV, Parquet and JSON lines, by their ending."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from puremetrics.exceptions import InputError, MissingDependencyError

__all__ = ["read_columns", "write_text"]

_READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
    ".json": "read_json",
}


def read_columns(path: str | Path, columns: list[str]) -> dict[str, Any]:
    """Return the named columns of a file as numpy arrays; missing values stay missing."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"There is no file {str(file)!r}. Check the path.")
    endings = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in (".gz", ".zst")]
    reader = _READERS.get(endings[-1] if endings else "")
    if reader is None:
        raise InputError(
            f"{file.name!r} ends in none of {', '.join(sorted(_READERS))}, so its format is "
            "unknown. Rename or convert it."
        )
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "Reading files needs DuckDB. Install puremetrics[cli]."
        ) from None
    connection = duckdb.connect()
    try:
        relation = connection.sql(f"SELECT * FROM {reader}($path)", params={"path": str(file)})
        for name in columns:
            if name not in relation.columns:
                raise InputError(
                    f"{file.name!r} has no column {name!r}. It has: {', '.join(relation.columns)}."
                )
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns))
        table = relation.project(quoted).to_arrow_table()
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"{file.name!r} cannot be read: {first}") from None
    finally:
        connection.close()
    return {name: table.column(name) for name in dict.fromkeys(columns)}


def write_text(path: str | Path, text: str) -> None:
    """Write a file whole or not at all: a killed run leaves the old file, or none."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(
            f"There is no folder {str(target.parent)!r} to write {target.name!r} into."
        )
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # a temporary file is private
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
