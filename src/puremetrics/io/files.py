"""Files by name, and columns of them in memory: CSV, Parquet, JSON lines and Arrow, by their ending.

A source is a path, a glob pattern such as ``scores/2026-*.parquet``, or several of them. Every file must
have the columns asked for; one that lacks a column, or holds another type, is named in the error, since
reading it anyway would count its rows as something else.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import shown
from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.file_parts import file_part
from puremetrics.io.foreign import foreign, scratch_folder
from puremetrics.io.parts import read_batches
from puremetrics.io.pipes import is_pipe, keep_pipe

__all__ = ["Progress", "expand", "keep_pipes", "read_columns"]

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
        names = glob.glob(str(item), recursive=True)  # noqa: PTH207 (Path takes no absolute pattern)
        found = sorted(name for name in names if Path(name).is_file())
        if path.is_dir():
            raise InputError(
                f"{str(path)!r} is a folder. Pass a pattern for the files in it, such as "
                f"{str(path / '*.parquet')!r}."
            )
        if not found:
            raise _missing(item)
        files.update({Path(name): None for name in found})
    if not files:
        raise InputError("No file was named. Pass a path or a pattern.")
    return list(files)


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
        return InputError(
            f"{str(item)!r} is a link that leads nowhere, or round in circles. Check the path."
        )
    missing = "No file matches" if glob.has_magic(str(item)) else "There is no file"
    return InputError(f"{missing} {shown(str(item), 300)}. Check the path.")


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
            batches, rows = [], 0
            for _, _, batch in read_batches([part], names):
                batches.append(batch if limit is None else batch.slice(0, limit - rows))
                rows += batch.num_rows
                if limit is not None and rows >= limit:
                    break
            with foreign(part.place):
                empty = pyarrow.table({name: pyarrow.nulls(0) for name in names})
                parts.append(
                    pyarrow.Table.from_batches([_plain(b) for b in batches]) if batches else empty
                )
            if progress is not None:
                progress(sum(sizes[: at + 1]), sum(sizes))
    table = _together(files, parts)
    return {name: table.column(name) for name in names}


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
