"""Files by name, and columns of them in memory: CSV, Parquet, JSON lines and Arrow, by their ending.

A source is a path, a glob pattern such as ``scores/2026-*.parquet``, or several of them. Every file must have
the columns asked for; one that lacks a column, or holds another type, is named in the error, since reading it
anyway would count its rows as something else.

Bytes that can be read only once, from a pipe or an open file, are kept in a temporary file (`keep_pipe`,
`keep_bytes`).
"""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from puremetrics.checking.arguments import clean, shown
from puremetrics.checking.spelling import nearest
from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.batches import check_finite, read_scores
from puremetrics.io.conditions import name_reader_errors, room_in, scratch_folder
from puremetrics.io.file_parts import file_names, file_part, is_data
from puremetrics.io.parts import read_batches

__all__ = [
    "Progress",
    "column_names",
    "expand",
    "is_pipe",
    "keep_bytes",
    "keep_pipe",
    "keep_pipes",
    "read_columns",
]


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
    with name_reader_errors(f"{clean(str(path))!r}"), path.open("rb") as source:
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


Progress = Callable[[int, int | None], None]


def expand(source: str | Path | Iterable[str | Path], stack: ExitStack | None = None) -> list[Path]:
    """Return the files that paths and glob patterns name, each once, in sorted order per pattern.

    Pipes can be read only once: their bytes are kept in a temporary folder until the ``stack`` is closed.
    """
    given = [source] if isinstance(source, str | Path) else list(source)
    files: dict[Path, None] = {}
    for item in given:
        path = Path(item)
        if "\0" in str(item):
            raise InputError(
                f"The name {shown(str(item))} holds the character NUL. Check the path."
            )
        if path.is_file():
            files[path] = None
            continue
        if stack is not None and (is_pipe(path) or str(item) == "-"):
            files[keep_pipe(path, stack.enter_context(scratch_folder()))] = None
            continue
        _check_local(str(item))
        names = glob.glob(str(item), recursive=True)  # noqa: PTH207 (Path takes no absolute pattern)
        found = sorted(name for name in names if Path(name).is_file())
        if path.is_dir():
            files.update(dict.fromkeys(_in_folder(path)))
            continue
        if not found:
            raise _missing(item)
        files.update({Path(name): None for name in found})
    if not files:
        raise InputError("No file was named. Pass a path or a pattern.")
    return list(files)


def _in_folder(folder: Path) -> list[Path]:
    """The data files of a folder and the folders in it, all of one format, without markers of writers."""
    inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    hidden = [
        any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        for path in inside
    ]
    found = [path for path, own in zip(inside, hidden, strict=True) if not own and is_data(path)]
    if not found:
        raise InputError(
            f"{str(folder)!r} is a folder without a file of scores. Name another folder, or a file."
        )
    kinds = {is_data(path): path for path in found}
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise InputError(
            f"{str(folder)!r} is a folder with files of different formats, such as {one.name!r} and "
            f"{other.name!r}. Pass a pattern for those that belong together, such as "
            f"{str(folder / ('*' + one.suffix))!r}."
        )
    return found


_LOADERS = {
    "s3": "aws s3 cp {} .",
    "gs": "gcloud storage cp {} .",
    "http": "curl -LO {}",
    "https": "curl -LO {}",
    "hdfs": "hdfs dfs -get {} .",
    "abfss": "azcopy copy {} .",
    "az": "azcopy copy {} .",
}


def _check_local(name: str) -> None:
    """Raise for an address on a network: readers are shut off from it on purpose."""
    scheme, found, _ = name.partition("://")
    if not found or not scheme.isalnum():
        return
    command = _LOADERS.get(scheme.lower(), "")
    how = f", for example with: {command.format(shown(name, 300))}" if command else ""
    raise InputError(
        f"{shown(name, 300)} is a network address, and files are never read over a network. Download the "
        f"file first{how}. Then pass the name of the file."
    )


def keep_pipes(names: Iterable[str], stack: ExitStack) -> list[str]:
    """The names with those of pipes replaced by files that hold what came out of them."""
    kept = []
    for name in names:
        once = name == "-" or is_pipe(Path(name))
        kept.append(str(expand(name, stack)[0]) if once else name)
    return kept


def _missing(item: str | Path) -> InputError:
    """Why there is nothing to read."""
    if os.path.islink(item):  # noqa: PTH114 (a name that is too long raises there)
        return InputError(f"{str(item)!r} is a broken or circular link. Check the path.")
    missing = "No file matches" if glob.has_magic(str(item)) else "There is no file"
    return InputError(f"{missing} {shown(str(item), 300)}.{_similar_file(item)} Check the path.")


def _similar_file(item: str | Path) -> str:
    """A file in the same folder whose name is alike."""
    path = Path(item)
    try:
        beside = [other.name for other in path.parent.iterdir()][:2000]
    except (OSError, ValueError):
        return ""
    found = nearest(path.name, beside)
    return "" if found is None else f" Did you mean {str(path.parent / found)!r}?"


def read_columns(
    source: str | Path | Iterable[str | Path],
    columns: list[str],
    *,
    scores: Collection[str] = (),
    where: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the named columns of files as Arrow columns; missing values stay missing.

    Parameters
    ----------
    source : path, pattern, or several
    columns : list of str
    scores : collection of str
        Those of them that hold measurements: floats, even where they look whole.
    where : str, optional
        Keep only rows for which this SQL condition holds, such as ``country = 'NL' AND month >= 3``. It
        may use any column of the file, and nothing else.
    limit : int, optional
        Read at most so many rows of each file, to see what is in them.
    progress : callable, optional
        Called with the bytes of the files read so far and of all files.
    """
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(
            "Reading files needs DuckDB and pyarrow. Install puremetrics[cli]."
        ) from None
    with ExitStack() as stack:
        files = expand(source, stack)
        names = list(dict.fromkeys(columns))
        sizes = [file.stat().st_size for file in files]
        parts = []
        for at, file in enumerate(files):
            part = file_part(file, names, where, scores)
            place = part.place
            if where is not None:
                place += " (counting rows that the condition keeps)"
            batches, rows = [], 0
            for _, row, batch in read_batches([part], names):
                for name in scores:
                    _check_scores(batch.column(name), name, place, row)
                batches.append(batch if limit is None else batch.slice(0, limit - rows))
                rows += batch.num_rows
                if limit is not None and rows >= limit:
                    break
            with name_reader_errors(part.place):
                empty = pyarrow.table({name: pyarrow.nulls(0) for name in names})
                parts.append(
                    pyarrow.Table.from_batches([_plain(b) for b in batches]) if batches else empty
                )
            if progress is not None:
                progress(sum(sizes[: at + 1]), sum(sizes))
    table = _together(files, parts)
    return {name: table.column(name) for name in names}


def column_names(file: Path) -> list[str]:
    """The names of the columns of a file."""
    return file_names(file)


def _check_scores(column: Any, name: str, place: str, row: int) -> None:
    """Raise if a score is no finite number, and name its row."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    check_finite(read_scores(column, name, place, row), name, place, row)


def _plain(batch: Any) -> Any:
    """The batch without dictionaries, whose types differ from file to file."""
    import pyarrow

    columns = [
        column.cast(column.type.value_type) if pyarrow.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


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
