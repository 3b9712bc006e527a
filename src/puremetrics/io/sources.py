"""What can be scanned, as parts that yield Arrow record batches.

Parquet and Arrow files are read by pyarrow, a few row groups at a time and in several threads; other
files, and whatever has a condition, go through DuckDB. A stream that can be read only once is first
written to a temporary file, reduced to the columns that are needed.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from puremetrics.exceptions import InputError, MissingDependencyError, PuremetricsError
from puremetrics.io.columns import check_columns
from puremetrics.io.files import expand, first_line, open_file, unreadable

__all__ = ["Part", "Unit", "open_source", "read_batches"]

BATCH_ROWS = 1 << 18
UNIT_ROWS = 36 << 18  # no more than are sorted at a time
_WHOLE_GROUP = 1 << 21
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".arrows", ".feather", ".ipc")
_PACKED = (".gz", ".zst")


@dataclass(frozen=True)
class Unit:
    """Rows that one thread reads: record batches from a row number on."""

    first_row: int
    batches: Callable[[], Iterator[Any]]


class Units(Protocol):
    """Gives the units of a part."""

    def __call__(self, columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]: ...


@dataclass(frozen=True)
class Part:
    """A file, or a whole stream: a name for messages, and its rows in units.

    ``units`` takes the names of the columns, and how many rows a unit may hold if it holds them already.
    ``identity`` changes when the content does; None if that
    cannot be told.
    """

    place: str
    units: Units = field(repr=False)
    rows: int | None = None
    identity: tuple[Any, ...] | None = None
    problems: tuple[type[Exception], ...] = ()


@contextlib.contextmanager
def open_source(
    source: Any, columns: list[str], where: str | None, *, once: bool = False
) -> Iterator[list[Part]]:
    """Yield the parts of a source; temporary files are gone afterwards.

    With ``once`` they are read a single time, and a stream is not kept in a file for that.
    """
    pa = _pyarrow()
    if isinstance(source, str | Path):
        yield [_file(path, columns, where) for path in expand(source)]
        return
    if isinstance(source, Sequence) and source and all(isinstance(s, str | Path) for s in source):
        yield [_file(path, columns, where) for path in expand(source)]
        return
    root = type(source).__module__.split(".")[0]
    if root in ("duckdb", "_duckdb") and hasattr(source, "to_arrow_reader"):
        filtered = source if where is None else _checked(lambda: source.filter(where), "where")
        yield [_relation("the relation", lambda: (filtered, None))]
        return
    if root == "pyarrow" and hasattr(source, "get_fragments") and where is None:
        try:
            fragments = list(source.get_fragments())
        except ValueError:  # of a dataset that was filtered
            raise InputError(
                "A filtered dataset cannot be split into its files. Pass the dataset itself, and the "
                "condition as where=…, in SQL."
            ) from None
        yield [_fragment(fragment, source.schema) for fragment in fragments]
        return
    if not hasattr(source, "__arrow_c_stream__") and not hasattr(source, "get_fragments"):
        raise InputError(
            f"A {type(source).__name__} cannot be scanned. Pass a path, a pattern such as "
            "'part-*.parquet', a list of paths, a DuckDB relation, a pyarrow dataset, or anything with "
            "the Arrow stream interface (polars, pandas 2.2 or newer, pyarrow)."
        )
    rereadable = (
        once or root in ("pandas", "polars") or isinstance(source, pa.Table | pa.RecordBatch)
    )
    if where is not None or not rereadable:
        with _spilled(source, columns, where) as part:
            yield [part]
        return
    yield [_stream(source)]


def read_batches(parts: list[Part], columns: list[str]) -> Iterator[tuple[str, int, Any]]:
    """The rows of all parts, some at a time: where they are, from which row on, and they themselves."""
    for part in parts:
        row = 0
        try:
            for unit in part.units(columns, BATCH_ROWS):
                for batch in unit.batches():
                    for start in range(0, batch.num_rows, BATCH_ROWS):
                        piece = batch.slice(start, BATCH_ROWS)
                        yield part.place, row, piece
                        row += piece.num_rows
        except PuremetricsError:
            raise
        except part.problems as error:
            raise unreadable(part.place, error) from None


# ------------------------------------------------------------------------------------- files


def _file(path: Path, columns: list[str], where: str | None) -> Part:
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    ending = endings[-1] if endings else ""
    stat = path.stat()
    identity = (str(path.resolve()), stat.st_size, stat.st_mtime_ns)
    if ending in _PARQUET and where is None and not _in_path(path, columns):
        return _parquet(path, identity)
    if ending in _ARROW and where is None:
        return _arrow_file(path, identity)

    def relation() -> Any:
        connection = _duckdb().connect()
        found = open_file(connection, path)
        if where is not None:
            found = _checked(lambda: found.filter(where), f"where={where!r} on {path.name!r}")
        return found, connection

    return _relation(f"{path.name!r}", relation, identity)


def _in_path(path: Path, columns: list[str]) -> bool:
    """Whether a folder such as ``month=5`` holds the value of a column."""
    return any(part.partition("=")[0] in columns and "=" in part for part in path.parts[:-1])


def _parquet(path: Path, identity: tuple[Any, ...]) -> Part:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = f"{path.name!r}"
    with _named(place, pa.ArrowException, OSError), pq.ParquetFile(path) as file:
        metadata, names = file.metadata, file.schema_arrow.names
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        check_columns(place, list(names), columns)
        first, pending = 0, 0
        group: list[int] = []
        for i, size in enumerate(sizes):
            if group and pending + size > UNIT_ROWS:
                yield Unit(first, _row_groups(path, tuple(group), columns))
                first, pending, group = first + pending, 0, []
            group.append(i)
            pending += size
        if group:
            yield Unit(first, _row_groups(path, tuple(group), columns))

    return Part(place, units, sum(sizes), identity, (pa.ArrowException, OSError))


def _row_groups(
    path: Path, groups: tuple[int, ...], columns: list[str]
) -> Callable[[], Iterator[Any]]:
    def batches() -> Iterator[Any]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path, pre_buffer=False, memory_map=True) as file:
            for group in groups:
                if file.metadata.row_group(group).num_rows <= _WHOLE_GROUP:
                    read = file.read_row_group(group, columns=columns, use_threads=False)
                    yield from read.to_batches()
                else:
                    yield from file.iter_batches(
                        BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False
                    )

    return batches


def _arrow_file(path: Path, identity: tuple[Any, ...]) -> Part:
    import pyarrow as pa

    place = f"{path.name!r}"

    def batches() -> Iterator[Any]:
        with pa.memory_map(str(path)) as mapped:
            try:
                file = pa.ipc.open_file(mapped)
            except pa.ArrowInvalid:
                mapped.seek(0)
                yield from pa.ipc.open_stream(mapped)
                return
            for i in range(file.num_record_batches):
                yield file.get_batch(i)

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        yield from _sliced(batches, columns, place, most)

    return Part(place, units, None, identity, (pa.ArrowException, OSError))


def _fragment(fragment: Any, schema: Any) -> Part:
    import pyarrow as pa
    import pyarrow.dataset

    place = f"{getattr(fragment, 'path', 'the dataset')!r}"

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        held = pa.dataset.get_partition_keys(fragment.partition_expression)
        check_columns(place, [*fragment.physical_schema.names, *held], columns)
        scanner = fragment.scanner(
            schema=schema, columns=columns, batch_size=BATCH_ROWS, use_threads=False
        )
        yield from _sliced(scanner.to_batches, columns, place, most)

    return Part(place, units, None, None, (pa.ArrowException, OSError))


# ------------------------------------------------------------------------------------- streams


def _stream(source: Any) -> Part:
    import pyarrow as pa

    def batches() -> Iterator[Any]:
        if isinstance(source, pa.Table | pa.RecordBatch):
            table = pa.table(source)
            yield from table.to_batches(BATCH_ROWS)
        else:
            yield from pa.RecordBatchReader.from_stream(source)

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        yield from _sliced(batches, columns, "the source", most)

    return Part("the source", units, problems=(pa.ArrowException, OSError))


def _sliced(
    batches: Callable[[], Iterator[Any]], columns: list[str], place: str, most: int
) -> Iterator[Unit]:
    """Units of a source that is read by one thread: each holds its rows already."""
    row = 0
    waiting: list[Any] = []
    first = 0
    for batch in batches():
        if not row and not waiting:
            check_columns(place, list(batch.schema.names), columns)
        for start in range(0, batch.num_rows, BATCH_ROWS):
            piece = batch.slice(start, BATCH_ROWS)
            waiting.append(piece)
            row += piece.num_rows
            if row - first >= most:
                yield Unit(first, _given(waiting))
                waiting, first = [], row
    if waiting:
        yield Unit(first, _given(waiting))


def _given(batches: list[Any]) -> Callable[[], Iterator[Any]]:
    return lambda: iter(batches)


def _relation(
    place: str,
    open_relation: Callable[[], Any],
    identity: tuple[Any, ...] | None = None,
) -> Part:
    """A DuckDB relation; the second value of ``open_relation`` is a connection to close, or None."""
    duckdb = _duckdb()

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        relation, connection = open_relation()
        try:
            check_columns(place, list(relation.columns), columns)
            quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
            reader = relation.project(quoted).to_arrow_reader(BATCH_ROWS)
            yield from _sliced(lambda: iter(reader), columns, place, most)
        finally:
            if connection is not None:
                connection.close()

    import pyarrow as pa

    return Part(place, units, None, identity, (duckdb.Error, pa.ArrowException, OSError))


@contextlib.contextmanager
def _spilled(source: Any, columns: list[str], where: str | None) -> Iterator[Part]:
    """Write a stream to a temporary file, so that it can be read again."""
    import pyarrow as pa

    connection = None
    with tempfile.TemporaryDirectory(prefix="puremetrics-") as folder:
        path = Path(folder) / "rows.arrow"
        try:
            if where is not None:
                connection = _duckdb().connect()
                arrow = source
                if not hasattr(source, "get_fragments"):
                    arrow = pa.RecordBatchReader.from_stream(source)
                relation = connection.from_arrow(arrow)
                filtered = _checked(lambda: relation.filter(where), "where")
                reader = _checked(lambda: filtered.to_arrow_reader(BATCH_ROWS), "where")
            else:
                reader = pa.RecordBatchReader.from_stream(source)
            check_columns("the source", list(reader.schema.names), columns)
            indices = [reader.schema.get_field_index(name) for name in columns]
            schema = pa.schema([reader.schema.field(i) for i in indices])
            with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, schema) as writer:
                for batch in reader:
                    writer.write_batch(batch.select(columns))
        except (pa.ArrowException, *_duckdb_errors()) as error:
            raise unreadable("The source", error) from None
        finally:
            if connection is not None:
                connection.close()
        part = _arrow_file(path, ())
        yield Part("the source", part.units, None, None, part.problems)


# ------------------------------------------------------------------------------------- helpers


@contextlib.contextmanager
def _named(place: str, *problems: type[Exception]) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except problems as error:
        raise unreadable(place, error) from None


def _checked(act: Callable[[], Any], name: str) -> Any:
    try:
        return act()
    except _duckdb().Error as error:
        raise InputError(
            f"{name} cannot be applied: {first_line(error).rstrip('.')}. Use an SQL condition on columns of "
            "the source."
        ) from None


def _duckdb_errors() -> tuple[type[Exception], ...]:
    try:
        import duckdb
    except ImportError:
        return ()
    return (duckdb.Error,)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "Reading this source needs DuckDB. Install puremetrics[cli]."
        ) from None
    return duckdb


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError("Scanning needs pyarrow. Install puremetrics[cli].") from None
    return pyarrow
