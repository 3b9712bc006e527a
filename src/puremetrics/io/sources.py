"""What can be scanned, as parts that yield Arrow record batches.

Sources in memory or on their way are whatever yields Arrow record batches, as one sort of stream (`Stream`).
Parquet and Arrow files are read by pyarrow, a few row groups at a time and in several threads; other files,
and whatever has a condition, go through DuckDB. What can be read only once is first written to a temporary
file, reduced to the columns that are needed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.conditions import (
    ascii_lower,
    check_columns,
    columns_in,
    connected,
    filtered,
    name_errors_of_batches,
    name_reader_errors,
    room_in,
    scratch_folder,
)
from puremetrics.io.file_parts import arrow_batches, file_part, relation_units
from puremetrics.io.files import expand, keep_bytes
from puremetrics.io.parts import BATCH_ROWS, UNIT_ROWS, Part, Unit, read_batches, sliced, sound

__all__ = [
    "Part",
    "Stream",
    "Unit",
    "is_lazy",
    "keep_lazy",
    "open_source",
    "read_batches",
    "stream_of",
]


_BATCH_ROWS = 1 << 18


class Stream(NamedTuple):
    """``open`` returns the schema and the batches; ``again`` says whether it may be called twice."""

    open: Callable[[], tuple[Any, Iterable[Any]]]
    again: bool


def stream_of(source: Any, columns: list[str]) -> Stream:
    """The stream of a source; a dataset yields the given columns only."""
    import pyarrow as pa

    if isinstance(source, pa.Table | pa.RecordBatch):
        return Stream(lambda: (source.schema, _batches(source)), True)
    root = type(source).__module__.split(".")[0]
    if root == "pyarrow" and hasattr(source, "get_fragments"):
        return Stream(lambda: _of_reader(source.scanner(columns=columns).to_reader()), True)
    if root == "pyarrow" and hasattr(source, "to_reader"):
        return Stream(lambda: _of_reader(source.to_reader()), False)
    if hasattr(source, "__arrow_c_stream__"):
        again = root in ("pandas", "polars")
        return Stream(lambda: _of_reader(pa.RecordBatchReader.from_stream(source)), again)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | dict):
        return Stream(lambda: _of_items(source), False)
    raise _unknown(source)


def is_lazy(source: Any) -> bool:
    """Whether a source is a query of polars that has not been run."""
    return type(source).__module__.split(".")[0] == "polars" and hasattr(source, "sink_parquet")


def keep_lazy(frame: Any, columns: list[str], folder: Path) -> Path:
    """Run a query of polars into a file, a piece at a time; only the columns that are needed are computed."""
    known = frame.collect_schema().names()
    check_columns("the source", known, columns)
    target = folder / "rows.parquet"
    chosen = frame.select(columns)
    try:
        chosen.sink_parquet(target)
    except Exception as error:  # an older polars cannot do so with every query
        if type(error).__name__ != "InvalidOperationError":
            raise
        chosen.collect().write_parquet(target)
    return target


def _unknown(source: Any) -> InputError:
    return InputError(
        f"A {type(source).__name__} cannot be scanned. Pass a path, a pattern such as "
        "'part-*.parquet', a list of paths, a file opened in binary mode, a DuckDB relation, a pyarrow "
        "dataset, an iterator of record batches, or anything with the Arrow stream interface (polars "
        "1.3, pandas 2.2 or newer, pyarrow)."
    )


def _of_reader(reader: Any) -> tuple[Any, Iterable[Any]]:
    return reader.schema, reader


def _of_items(source: Iterable[Any]) -> tuple[Any, Iterable[Any]]:
    """Batches, tables or frames, one after the other."""
    items = iter(source)
    first = next(items, None)
    if first is None:
        raise InputError("The source yields no batch, not even an empty one. Check it.")
    batches = _batches(first, source)
    head = next(batches, None)
    schema = _schema(first, source) if head is None else head.schema
    rest = (batch for item in items for batch in _batches(item, source))
    return schema, chain([] if head is None else [head], batches, rest)


def _schema(item: Any, source: Any) -> Any:
    import pyarrow as pa

    return item.schema if hasattr(item, "schema") else pa.table(item).schema


def _batches(item: Any, source: Any = None) -> Iterator[Any]:
    import pyarrow as pa

    if isinstance(item, pa.RecordBatch):
        return iter([item])
    if isinstance(item, pa.Table):
        return iter(item.to_batches(_BATCH_ROWS))
    if hasattr(item, "__arrow_c_stream__"):
        return iter(pa.RecordBatchReader.from_stream(item))
    if hasattr(item, "__arrow_c_array__"):
        return iter([pa.record_batch(item)])
    raise _unknown(item if source is None else source)


@contextlib.contextmanager
def open_source(
    source: Any,
    columns: list[str],
    where: str | None,
    *,
    scores: Collection[str] = (),
    once: bool = False,
) -> Iterator[list[Part]]:
    """Yield the parts of a source; temporary files are gone afterwards.

    ``scores`` are those of the columns that hold measurements. With ``once`` parts are read a single
    time, and a stream is not kept in a file for that.
    """
    _check_pyarrow()
    with contextlib.ExitStack() as stack:
        if isinstance(source, str | Path) or (
            isinstance(source, Sequence)
            and source
            and all(isinstance(item, str | Path) for item in source)
        ):
            files = expand(source, stack)
            yield [file_part(path, columns, where, scores) for path in files]
            return
        root = type(source).__module__.split(".")[0]
        if root in ("duckdb", "_duckdb") and hasattr(source, "to_arrow_reader"):
            yield [_relation(source, where)]
            return
        if root == "pyarrow" and hasattr(source, "get_fragments") and where is None:
            yield _fragments(source)
            return
        if hasattr(source, "read") and not hasattr(source, "__arrow_c_stream__"):
            folder = stack.enter_context(scratch_folder())
            with name_reader_errors("the open file"):
                kept = keep_bytes(source, folder, str(getattr(source, "name", "the open file")))
            yield [file_part(kept, columns, where, scores)]
            return
        used = set() if where is None else columns_in(where)
        if is_lazy(source):
            folder = stack.enter_context(scratch_folder())
            with name_reader_errors("the source"), room_in(folder):
                names = source.collect_schema().names()
                needed = [n for n in names if n in columns or ascii_lower(n) in used]
                kept = keep_lazy(source, list(dict.fromkeys([*columns, *needed])), folder)
            yield [file_part(kept, columns, where, scores, "the source")]
            return
        needed = [*columns]
        if where is not None and hasattr(source, "get_fragments"):
            needed += [
                n for n in source.schema.names if ascii_lower(n) in used and n not in columns
            ]
        stream = stream_of(source, needed)
        if where is not None or not (stream.again or once):
            folder = stack.enter_context(scratch_folder())
            with name_reader_errors("the source"), room_in(folder):
                spilled = _spilled(stream, columns, where, folder)
            yield [spilled]
            return
        yield [_stream(stream)]


def _check_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Reading files and streams needs pyarrow. Install puremetrics[cli]."
        ) from None


def _relation(relation: Any, where: str | None) -> Part:
    place = "the relation"
    check_columns(place, relation.columns, [])
    found = relation if where is None else filtered(relation, where, place)

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        check_columns(place, list(found.columns), columns, fold=True)
        yield from relation_units(found, columns, place, most)

    return Part(place, units)


def _fragments(dataset: Any) -> list[Part]:
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # of a dataset that was filtered
        raise InputError(
            "A filtered dataset cannot be split into its files. Pass the dataset itself, and the "
            "condition as where=…, in SQL."
        ) from None
    return [_fragment(fragment, dataset.schema) for fragment in fragments]


def _fragment(fragment: Any, schema: Any) -> Part:
    import pyarrow as pa
    import pyarrow.dataset

    place = f"{getattr(fragment, 'path', 'the dataset')!r}"

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        with name_reader_errors(place):
            held = pa.dataset.get_partition_keys(fragment.partition_expression)
            own = fragment.physical_schema.names
        check_columns(place, [*own, *(name for name in held if name not in own)], columns)
        with name_reader_errors(place):
            scanner = fragment.scanner(
                schema=schema, columns=columns, batch_size=BATCH_ROWS, use_threads=False
            )
        yield from sliced(scanner.to_batches, columns, place, most)

    return Part(place, units)


def _stream(stream: Stream) -> Part:
    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        with name_reader_errors("the source"):
            schema, batches = stream.open()
        check_columns("the source", list(schema.names), columns)
        yield from sliced(lambda: batches, columns, "the source", most)

    return Part("the source", units)


def _spilled(stream: Stream, columns: list[str], where: str | None, folder: Path) -> Part:
    """Write a stream to a temporary file, so that it can be read again."""
    import pyarrow as pa

    place, path = "the source", folder / "rows.arrow"
    schema, batches = stream.open()
    names = list(schema.names)
    check_columns(place, names, columns)
    if where is None:
        _write(path, schema, (sound(batch, columns, place) for batch in batches), columns)
    else:
        check_columns(place, names, names, fold=True)
        checked = (sound(batch, names, place) for batch in name_errors_of_batches(place, batches))
        with connected() as connection:
            relation = connection.from_arrow(pa.RecordBatchReader.from_batches(schema, checked))
            reader = filtered(relation, where, place).to_arrow_reader(BATCH_ROWS)
            _write(path, reader.schema, reader, columns)

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        yield from sliced(lambda: arrow_batches(path, columns), columns, place, most)

    return Part(place, units)


def _write(path: Path, schema: Any, batches: Any, columns: list[str]) -> None:
    import pyarrow as pa

    own = pa.schema([schema.field(schema.get_field_index(name)) for name in columns])
    with path.open("wb") as out, pa.ipc.new_file(out, own) as writer:
        for batch in batches:
            writer.write_batch(batch.select(columns))
