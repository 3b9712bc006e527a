"""Sources in memory or on their way: whatever yields Arrow record batches, as one kind of stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from puremetrics.exceptions import InputError
from puremetrics.io.columns import check_columns

__all__ = ["Stream", "is_lazy", "keep_lazy", "stream_of"]

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
