"""Reading all parts of a source once, in several threads, with what is counted added up as it comes.

What is added up are integers, distinct scores, lowest and highest ones: the result does not depend on the
number of threads or on which of them is first. An error is that of the first row in the order of the source.

`Checkpoint` saves the states of finished files, so that a later run need not read them again.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from puremetrics.exceptions import InputError
from puremetrics.io.batches import Chunk, RowReader, check_finite
from puremetrics.io.packing import STRANGE
from puremetrics.io.parts import Part, Unit
from puremetrics.io.writing import whole_file

__all__ = ["CHUNK_ROWS", "Checkpoint", "Pass", "Progress", "RowBuffer", "Work", "count_batches"]


class Checkpoint:
    """A folder of saved states, each under the digest of all that it depends on."""

    def __init__(self, folder: str | Path, *settings: Any) -> None:
        self.folder = Path(folder)
        self.settings = settings
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass  # better now than after the first file has been read
        except OSError as error:
            raise InputError(
                f"The folder {str(self.folder)!r} cannot be written to: {error.strerror or error}. Pass "
                "another one for checkpoints."
            ) from None

    def _path(self, identity: Any, step: str) -> Path:
        text = repr((self.settings, identity, step)).encode()
        return self.folder / f"{hashlib.blake2b(text, digest_size=16).hexdigest()}.counts"

    def name(self, identity: Any, step: str) -> str:
        """The file of a state, for messages."""
        return str(self._path(identity, step))

    def load(self, identity: Any, step: str) -> bytes | None:
        """Return what was saved; None if nothing was."""
        with contextlib.suppress(FileNotFoundError):
            return self._path(identity, step).read_bytes()
        return None

    def save(self, identity: Any, step: str, data: bytes) -> None:
        """Save a state whole or not at all."""
        with whole_file(self._path(identity, step), sync=True) as out:
            out.write(data)


CHUNK_ROWS = 36 << 18
_FIRST_ROWS = 1 << 21  # the first pass does not sort, and is quicker on rows that stay in the cache
_BATCH_ROWS = 1 << 18
Progress = Callable[[int, int | None], None]


class Work(Protocol):
    """What a pass does: make an empty state, count a chunk (in any thread), add up (in one)."""

    labels: bool
    first: bool

    def empty(self) -> Any:
        """Return a state of no rows."""

    def count(self, state: Any, chunk: Chunk) -> Any:
        """Return what a chunk adds; the state is only looked at."""

    def add(self, state: Any, counted: Any) -> None:
        """Add what `count` returned."""

    def absorb(self, state: Any, other: Any) -> None:
        """Add another state."""

    def to_bytes(self, state: Any) -> bytes:
        """Return a state as checked bytes."""

    def from_bytes(self, data: bytes) -> Any:
        """Return the state that `to_bytes` stored."""


@dataclass
class Pass:
    """Reads parts; remembers how many rows were read, for the progress."""

    reader: RowReader
    parts: list[Part]
    threads: int
    progress: Progress | None
    checkpoint: Checkpoint | None
    done: int = 0
    expected: int | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[RowBuffer] = []
        self._kinds: dict[str, tuple[str, str]] = {}

    def run(self, work: Work, step: str) -> Any:
        """Return the state of all parts."""
        total = work.empty()
        if self.checkpoint is None:
            self._read(self.parts, work, total)
            return total
        for part in self.parts:
            if part.identity is None:
                raise InputError(f"A checkpoint needs files, but {part.place} is not a file.")
            saved = self.checkpoint.load(part.identity, step)
            if saved is not None:
                try:
                    state = work.from_bytes(saved)
                except STRANGE as problem:
                    name = self.checkpoint.name(part.identity, step)
                    said = (
                        problem if isinstance(problem, InputError) else "Saved counts are damaged."
                    )
                    raise InputError(f"{said} Remove {name!r} first.") from None
            else:
                state = work.empty()
                self._read([part], work, state)
                self.checkpoint.save(part.identity, step, work.to_bytes(state))
            work.absorb(total, state)
        return total

    def _read(self, parts: list[Part], work: Work, state: Any) -> None:
        waiting: deque[Future[None]] = deque()
        stop = threading.Event()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                units, problem = self._units(parts, work), None
                while problem is None:
                    try:
                        part, unit = next(units)
                    except StopIteration:
                        break
                    except Exception as error:
                        problem = error  # rows before it may be wrong, too, and come first
                        continue
                    waiting.append(pool.submit(self._count, part, unit, work, state, stop))
                    while len(waiting) > self.threads + 1:
                        waiting.popleft().result()
                while waiting:
                    waiting.popleft().result()
                if problem is not None:
                    raise problem
            except BaseException:
                stop.set()
                for later in waiting:
                    later.cancel()
                raise

    def release(self) -> None:
        """Give the memory for rows back."""
        self._free.clear()

    def _units(self, parts: list[Part], work: Work) -> Iterator[tuple[Part, Unit]]:
        columns = self.reader.columns
        if not work.labels:
            columns = [
                name for name in columns if name != self.reader.label or name in self._kept()
            ]
        for part in parts:
            for unit in part.units(columns):
                yield part, unit

    def _kept(self) -> tuple[str | None, ...]:
        return (*self.reader.score_columns, self.reader.by, self.reader.groups)

    def _count(self, part: Part, unit: Unit, work: Work, state: Any, stop: threading.Event) -> None:
        rows = self._free.pop() if self._free else RowBuffer(self.reader.scores)
        rows.clear()
        try:
            self._fill(rows, part, unit, work, state, stop)
        finally:
            self._free.append(rows)  # fresh memory costs more than what is done in it

    def _fill(
        self,
        rows: RowBuffer,
        part: Part,
        unit: Unit,
        work: Work,
        state: Any,
        stop: threading.Event,
    ) -> None:
        row = unit.first_row
        room = min(_FIRST_ROWS, rows.room) if work.first else rows.room
        for batch in unit.batches():
            if stop.is_set():
                return
            self._check_kinds(batch, part.place, work.labels)
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                piece = batch.slice(start, _BATCH_ROWS)
                read = self.reader.read(
                    piece, place=part.place, first_row=row, labels=work.labels, finite=False
                )
                if rows.size + read.rows > room:
                    self._take(rows, part, row, work, state)
                rows.append(read)
                row += piece.num_rows
        if rows.size:
            self._take(rows, part, row, work, state)

    def _take(self, rows: RowBuffer, part: Part, end: int, work: Work, state: Any) -> None:
        chunk = rows.chunk()
        try:
            counted = work.count(state, chunk)
        except InputError:  # of a score without a place in the ranking, the row can be named
            for name, score in chunk.scores.items():
                check_finite(score, name, part.place, end - rows.size)
            raise
        with self._lock:
            work.add(state, counted)
            self.done += rows.size
            if self.progress is not None:
                self.progress(self.done, self.expected)
        rows.clear()

    def _check_kinds(self, batch: Any, place: str, labels: bool) -> None:
        """A column must hold the same kind of values in every file."""
        schema = batch.schema
        for name in self.reader.columns:
            if name not in schema.names or (name == self.reader.label and not labels):
                continue
            if batch.column(name).null_count == batch.num_rows:
                continue  # of an empty column the type is only a guess
            kind = _kind(schema.field(name).type)
            with self._lock:
                first = self._kinds.setdefault(name, (kind, place))
            if "missing" not in (kind, first[0]) and kind != first[0]:
                raise InputError(
                    f"Column {name!r} holds {kind} in {place} but {first[0]} in {first[1]}. "
                    "Convert one of them."
                )


def count_batches(
    batches: Iterable[Any], reader: RowReader, work: Work, state: Any, *, place: str
) -> None:
    """Count record batches one after the other into a state, a few million rows at a time."""
    rows, row = RowBuffer(reader.scores), 0
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            piece = batch.slice(start, _BATCH_ROWS)
            read = reader.read(piece, place=place, first_row=row, labels=work.labels)
            row += piece.num_rows
            if rows.size + read.rows > rows.room:
                work.add(state, work.count(state, rows.chunk()))
                rows.clear()
            rows.append(read)
    if rows.size:
        work.add(state, work.count(state, rows.chunk()))


class RowBuffer:
    """Rows put one after the other, up to ``room``; the scores may be sorted in place."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.room = max(CHUNK_ROWS // -(-len(names) // 4), min(CHUNK_ROWS, _BATCH_ROWS))
        self._scores = {name: np.empty(self.room) for name in names}
        self._codes = np.empty(self.room, dtype=np.int8)
        self.clear()

    def clear(self) -> None:
        """Forget the rows, and keep the memory."""
        self.size = 0
        self._labelled = False
        self._segments: list[Any] = []
        self._ids: list[Any] = []
        self._keys: dict[Any, int] = {}

    def append(self, chunk: Chunk) -> None:
        """Add rows; -0.0 becomes 0.0."""
        end = self.size + chunk.rows
        for name, score in chunk.scores.items():
            np.add(score, 0.0, out=self._scores[name][self.size : end])
        if chunk.codes is not None:
            self._labelled = True
            self._codes[self.size : end] = chunk.codes
        if chunk.segment is not None:
            keys = [self._keys.setdefault(key, len(self._keys)) for key in chunk.keys]
            self._segments.append(np.array(keys, dtype=np.int64)[chunk.segment])
        if chunk.ids is not None:
            self._ids.append(chunk.ids)
        self.size = end

    def chunk(self) -> Chunk:
        """The rows, as views of the memory."""
        return Chunk(
            {name: scores[: self.size] for name, scores in self._scores.items()},
            self._codes[: self.size] if self._labelled else None,
            np.concatenate(self._segments) if self._segments else None,
            list(self._keys),
            np.concatenate(self._ids) if self._ids else None,
        )


def _kind(type_: Any) -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_null(type_):
        return "missing"
    if pa.types.is_boolean(type_):
        return "booleans"
    if pa.types.is_floating(type_) or pa.types.is_integer(type_) or pa.types.is_decimal(type_):
        return "numbers"
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "text"
    return "text" if "string" in str(type_) else str(type_)
