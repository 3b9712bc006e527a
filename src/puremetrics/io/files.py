"""Columns of files, through DuckDB: CSV, Parquet, JSON lines and Arrow, by their ending.

A source is a path, a glob pattern such as ``scores/2026-*.parquet``, or several of them. Every file must
have the columns asked for; one that lacks a column, or holds another type, is named in the error, since
reading it anyway would count its rows as something else.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.columns import check_columns

__all__ = [
    "Progress",
    "expand",
    "first_line",
    "open_file",
    "read_columns",
    "reading",
    "unreadable",
]

_READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
    ".json": "read_json",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
}
_PACKED = (".gz", ".zst")

Progress = Callable[[int, int | None], None]


def expand(source: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the files that paths and glob patterns name, each once, in sorted order per pattern."""
    given = [source] if isinstance(source, str | Path) else list(source)
    files: dict[Path, None] = {}
    for item in given:
        path = Path(item)
        if path.is_file():
            files[path] = None
            continue
        names = glob.glob(str(item), recursive=True)  # noqa: PTH207 (Path takes no absolute pattern)
        found = sorted(name for name in names if Path(name).is_file())
        if path.is_dir():
            raise InputError(
                f"{str(path)!r} is a folder. Pass a pattern for the files in it, such as "
                f"{str(path / '*.parquet')!r}."
            )
        if not found:
            missing = "No file matches" if glob.has_magic(str(item)) else "There is no file"
            raise InputError(f"{missing} {str(item)!r}. Check the path.")
        files.update({Path(name): None for name in found})
    if not files:
        raise InputError("No file was named. Pass a path or a pattern.")
    return list(files)


def open_file(connection: Any, file: Path) -> Any:
    """Return a DuckDB relation of one file, read by its ending."""
    endings = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in _PACKED]
    reader = _READERS.get(endings[-1] if endings else "")
    if reader is None:
        raise InputError(
            f"{file.name!r} ends in none of {', '.join(sorted(_READERS))}, so its format is "
            "unknown. Rename or convert it."
        )
    if reader == "arrow":
        return connection.from_arrow(_arrow(file))
    # Without skip=0 the reader drops leading lines that do not fit the ones below, header and all.
    strict = ", skip=0, comment=''" if reader == "read_csv" else ""
    return connection.sql(f"SELECT * FROM {reader}($path{strict})", params={"path": _literal(file)})


def read_columns(
    source: str | Path | Iterable[str | Path],
    columns: list[str],
    *,
    where: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the named columns of files as Arrow columns; missing values stay missing.

    Parameters
    ----------
    source : path, pattern, or several
    columns : list of str
    where : str, optional
        Keep only rows for which this SQL condition holds, such as ``country = 'NL' AND month >= 3``. It
        may use any column of the file.
    limit : int, optional
        Read at most so many rows of each file, to see what is in them.
    progress : callable, optional
        Called with the bytes of the files read so far and of all files.
    """
    files = expand(source)
    names = list(dict.fromkeys(columns))
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    sizes = [file.stat().st_size for file in files]
    parts = []
    with _connection() as connection:
        for at, file in enumerate(files):
            with reading(file):
                relation = open_file(connection, file)
                check_columns(repr(file.name), relation.columns, names)
                if where is not None:
                    relation = _filtered(file, relation, where)
                relation = relation.project(quoted)
                parts.append(
                    (relation if limit is None else relation.limit(limit)).to_arrow_table()
                )
            if progress is not None:
                progress(sum(sizes[: at + 1]), sum(sizes))
    table = _together(files, parts)
    return {name: table.column(name) for name in names}


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Turn the errors of the readers into a sentence that names the file."""
    import duckdb
    import pyarrow

    try:
        yield
    except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
        raise unreadable(repr(file.name), error) from None
    except UnicodeDecodeError:
        raise InputError(f"{file.name!r} is not UTF-8 text. Convert it.") from None


def unreadable(place: str, error: Exception) -> InputError:
    """The sentence for a source that its reader gave up on."""
    return InputError(
        f"{place} cannot be read: {first_line(error).rstrip('.')}. Check that it is whole and of the format "
        "that its ending says."
    )


def first_line(error: Exception) -> str:
    """What a reader says of a problem, without the rest of its page."""
    lines = str(error).strip().splitlines()
    return " ".join(line.strip() for line in lines[:2]) if lines else type(error).__name__


@contextmanager
def _connection() -> Iterator[Any]:
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Reading files needs DuckDB and pyarrow. Install puremetrics[cli]."
        ) from None
    connection = duckdb.connect()
    try:
        yield connection
    finally:
        connection.close()


def _filtered(file: Path, relation: Any, where: str) -> Any:
    import duckdb

    try:
        return relation.filter(where)
    except duckdb.Error as error:
        first = first_line(error)
        raise InputError(
            f"The condition {where!r} does not fit {file.name!r}: {first} Its columns are: "
            f"{', '.join(relation.columns)}."
        ) from None


def _together(files: list[Path], parts: list[Any]) -> Any:
    """One table of all files, or an error that names the file whose types differ."""
    import pyarrow

    for at, part in enumerate(parts):  # of an empty column the type is only a guess
        for place, name in enumerate(part.column_names):
            if part.column(place).null_count == part.num_rows:
                part = part.set_column(place, name, pyarrow.nulls(part.num_rows))
        parts[at] = part
    for at, part in enumerate(parts):
        try:
            pyarrow.unify_schemas([parts[0].schema, part.schema], promote_options="permissive")
        except pyarrow.ArrowException:
            differing = next(
                name
                for name in part.column_names
                if part.schema.field(name).type != parts[0].schema.field(name).type
            )
            raise InputError(
                f"Column {differing!r} is {part.schema.field(differing).type} in {files[at].name!r} but "
                f"{parts[0].schema.field(differing).type} in {files[0].name!r}. Convert one of them."
            ) from None
    return pyarrow.concat_tables(parts, promote_options="permissive")


def _arrow(file: Path) -> Any:
    """Rows of an Arrow file (or stream: the same ending serves both)."""
    import pyarrow

    with pyarrow.memory_map(str(file)) as source:
        try:
            return pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:
            source.seek(0)
            return pyarrow.ipc.open_stream(source).read_all()


def _literal(file: Path) -> str:
    """The path with the characters that DuckDB would take for a pattern made literal."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(file))
