"""What can be scanned, as parts that yield Arrow record batches.

Parquet and Arrow files are read by pyarrow, a few row groups at a time and in several threads; other
files, and whatever has a condition, go through DuckDB. What can be read only once is first written to a
temporary file, reduced to the columns that are needed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.io.columns import check_columns, folded
from puremetrics.io.conditions import columns_in, filtered
from puremetrics.io.duck import connected
from puremetrics.io.file_parts import arrow_batches, file_part, relation_units
from puremetrics.io.files import expand
from puremetrics.io.foreign import foreign, room_in, scratch_folder, watched
from puremetrics.io.parts import BATCH_ROWS, UNIT_ROWS, Part, Unit, read_batches, sliced, sound
from puremetrics.io.pipes import keep_bytes
from puremetrics.io.streams import Stream, is_lazy, keep_lazy, stream_of

__all__ = ["Part", "Unit", "open_source", "read_batches"]


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
            with foreign("the open file"):
                kept = keep_bytes(source, folder, str(getattr(source, "name", "the open file")))
            yield [file_part(kept, columns, where, scores)]
            return
        used = set() if where is None else columns_in(where)
        if is_lazy(source):
            folder = stack.enter_context(scratch_folder())
            with foreign("the source"), room_in(folder):
                names = source.collect_schema().names()
                needed = [n for n in names if n in columns or folded(n) in used]
                kept = keep_lazy(source, list(dict.fromkeys([*columns, *needed])), folder)
            yield [file_part(kept, columns, where, scores, "the source")]
            return
        needed = [*columns]
        if where is not None and hasattr(source, "get_fragments"):
            needed += [n for n in source.schema.names if folded(n) in used and n not in columns]
        stream = stream_of(source, needed)
        if where is not None or not (stream.again or once):
            folder = stack.enter_context(scratch_folder())
            with foreign("the source"), room_in(folder):
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
        with foreign(place):
            held = pa.dataset.get_partition_keys(fragment.partition_expression)
            own = fragment.physical_schema.names
        check_columns(place, [*own, *(name for name in held if name not in own)], columns)
        with foreign(place):
            scanner = fragment.scanner(
                schema=schema, columns=columns, batch_size=BATCH_ROWS, use_threads=False
            )
        yield from sliced(scanner.to_batches, columns, place, most)

    return Part(place, units)


def _stream(stream: Stream) -> Part:
    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        with foreign("the source"):
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
        checked = (sound(batch, names, place) for batch in watched(place, batches))
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
