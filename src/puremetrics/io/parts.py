"""Parts of a source: a file, or a whole stream, as units of Arrow record batches that a thread reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from puremetrics.io.conditions import check_columns, name_errors_of_batches, name_reader_errors

__all__ = ["BATCH_ROWS", "UNIT_ROWS", "Part", "Unit", "Units", "read_batches", "sliced", "sound"]

BATCH_ROWS = 1 << 18
UNIT_ROWS = 36 << 18  # no more than are sorted at a time


@dataclass(frozen=True)
class Unit:
    """Rows that one thread reads: record batches from a row number on."""

    first_row: int
    batches: Callable[[], Iterator[Any]]


class Units(Protocol):
    """Gives the units of a part."""

    def __call__(self, columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        """Return the units, of these columns."""


@dataclass(frozen=True)
class Part:
    """A file, or a whole stream: a name for messages, and its rows in units.

    ``units`` takes the names of the columns, and how many rows a unit may hold if it holds them already.
    ``identity`` changes when the content does; None if that cannot be told. Whatever goes wrong in a reader
    is raised as an error that names the place.
    """

    place: str
    units: Units = field(repr=False)
    rows: int | None = None
    identity: tuple[Any, ...] | None = None


def read_batches(parts: list[Part], columns: list[str]) -> Iterator[tuple[str, int, Any]]:
    """The rows of all parts, some at a time: where they are, from which row on, and they themselves."""
    for part in parts:
        row = 0
        for unit in part.units(columns, BATCH_ROWS):
            for batch in unit.batches():
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    piece = batch.slice(start, BATCH_ROWS)
                    yield part.place, row, piece
                    row += piece.num_rows


def sound(batch: Any, columns: list[str], place: str) -> Any:
    """Some columns of a batch, once their offsets and indices were found to stay inside their buffers.

    Arrow data come as they are from files and other libraries. One damaged offset ends the process.
    """
    check_columns(place, list(batch.schema.names), columns)
    with name_reader_errors(place):
        batch = batch.select(columns)
        batch.validate(full=True)
    return batch


def sliced(
    batches: Callable[[], Iterable[Any]], columns: list[str], place: str, most: int
) -> Iterator[Unit]:
    """Units of a source that is read by one thread: each holds its rows already."""
    row, first = 0, 0
    waiting: list[Any] = []
    for given in name_errors_of_batches(place, batches()):
        batch = sound(given, columns, place)
        for start in range(0, batch.num_rows, BATCH_ROWS):
            piece = batch.slice(start, BATCH_ROWS)
            waiting.append(piece)
            row += piece.num_rows
            if row - first >= most:
                yield Unit(first, _held(waiting))
                waiting, first = [], row
    if waiting:
        yield Unit(first, _held(waiting))


def _held(batches: list[Any]) -> Callable[[], Iterator[Any]]:
    return lambda: iter(batches)
