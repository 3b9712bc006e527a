"""Rows of a plan drawn on a Spark cluster: where they lie, in one job.

A row's number comes from its identifier, so that neither the partitions nor their order matter. Each task
keeps the rows of every stratum with the smallest keys; the driver does the same with what the tasks kept.
Nothing is sorted or sent around besides. One row more than wanted is kept of each stratum: if the last
one that is drawn has a twin with the same identifier, and so with the same key, both are seen.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.io.batches import RowReader
from puremetrics.io.files import Progress
from puremetrics.io.random_rows import Keys, Reservoir, Sampling, numbers_of, objects
from puremetrics.io.spark import (
    STATE,
    context_of,
    earlier,
    error_of,
    selected,
    state_row,
    tasks_of,
)

__all__ = ["sample_batches", "sample_frame"]

_BATCH_ROWS = 1 << 18
_FOUND = b"found"


def sample_frame(
    frame: Any,
    sampling: Sampling,
    reader: RowReader,
    id: str | None,
    where: str | None,
    progress: Progress | None,
) -> Reservoir:
    """Return the rows of a data frame with the smallest keys, one more of each stratum than wanted."""
    if id is None:
        raise InputError(
            "Rows of a Spark data frame have no position, so drawn rows can be found only by an identifier. "
            "Pass id=…, a column with a different value in every row."
        )
    sampling = replace(sampling, wanted=sampling.wanted + (sampling.wanted > 0))
    columns = list(dict.fromkeys([*reader.columns, *sampling.kept]))
    found = selected(frame, columns, where)
    tasks = tasks_of(context_of(frame.sparkSession))
    states = found.coalesce(tasks).mapInArrow(_task(sampling, reader, id), STATE).collect()
    rows, problem = Reservoir(sampling.wanted), None
    for state in states:
        if state["problem"] is not None:
            problem = earlier(problem, state)
        elif problem is None:
            _absorb(rows, zlib.decompress(bytes(state["state"])))
    if problem is not None:
        raise error_of(problem)
    if progress is not None:
        progress(rows.seen, rows.seen)
    return rows


def sample_batches(
    batches: Iterable[Any], sampling: Sampling, reader: RowReader, id: str, place: str
) -> bytes:
    """What is kept of some record batches, as bytes."""
    rows, row = Reservoir(sampling.wanted), 0
    kinds: dict[str, Any] = {}
    for batch in batches:
        kinds = {f"kept {name}": batch.schema.field(name).type for name in sampling.kept}
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            piece = batch.slice(start, _BATCH_ROWS)
            chunk = reader.read(piece, place=place, first_row=row)
            sampling.take(rows, chunk, piece, _numbering(piece.column(id), id, place, row))
            row += piece.num_rows
    rows.seen = row
    return _to_bytes(rows, kinds)


def _numbering(column: Any, name: str, place: str, first_row: int) -> Callable[[Any], Keys]:
    import pyarrow as pa

    def numbers(at: Any) -> Keys:
        own = column.take(pa.array(at, pa.int64()))
        if own.null_count:
            row = first_row + int(at[np.flatnonzero(own.is_null().to_numpy(False))[0]]) + 1
            raise InputError(
                f"Column {name!r} has no value in row {row} of {place}, which is unlabeled. Name a column "
                "that identifies every row."
            )
        return numbers_of(own, name)

    return numbers


def _task(
    sampling: Sampling, reader: RowReader, id: str
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def sample(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        try:
            kept = sample_batches(batches, sampling, reader, id, f"partition {partition}")
        except PuremetricsError as error:  # raised here, Spark would repeat the task in vain
            yield state_row(partition, None, error)
            return
        yield state_row(partition, kept, None)

    return sample


def _to_bytes(rows: Reservoir, kinds: dict[str, Any]) -> bytes:
    """What was counted and kept, as an Arrow stream: identifiers keep their type."""
    import pyarrow as pa

    held = {
        name: pa.array(column.tolist(), kinds[name]) if name in kinds else pa.array(column)
        for name, column in rows.rows().items()
    }
    table = pa.table(held).replace_schema_metadata(
        {_FOUND: json.dumps([rows.seen, *rows.found.tolist()])}
    )
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return bytes(out.getvalue())


def _absorb(rows: Reservoir, data: bytes) -> None:
    """Put in what a task counted and kept."""
    import pyarrow as pa

    table = pa.ipc.open_stream(data).read_all()
    seen, *found = json.loads(table.schema.metadata[_FOUND])
    held = {}
    for name in table.column_names:
        column = table.column(name)
        held[name] = objects(column) if name.startswith("kept ") else column.to_numpy()
    rows.seen += seen
    rows.absorb(found, held)
