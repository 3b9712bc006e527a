"""The same states on a Spark cluster: counted where the rows are, added up in a tree.

Each task counts its rows into one state by `mapInArrow`; states are then merged a few at a time, on the
executors, until few are left. Nothing but counts at the cuts reaches the driver. Since states hold
integers, distinct scores, lowest and highest ones, neither the partitions, nor their order, nor a task
that had to be repeated on another executor changes a bit of the result.

An error in the rows comes back as a row of its own: raising it in a task would make Spark repeat
the task in vain and bury the sentence in a stack trace.

Executors need numpy, pyarrow (which `mapInArrow` itself asks for) and this package; `ship_package` sends
it to those that lack it.
"""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import listed, shown
from puremetrics.exceptions import InputError, LabelError, PuremetricsError, ScoreError
from puremetrics.io.batches import RowReader
from puremetrics.io.columns import check_columns
from puremetrics.io.counting import FirstPass, SecondPass, count_tables
from puremetrics.io.cutting import Cuts
from puremetrics.io.foreign import first_line
from puremetrics.io.grouped import GroupCells
from puremetrics.io.passes import Progress, count_batches
from puremetrics.io.segmented import SegmentedCuts
from puremetrics.io.spark_conditions import check_spark_condition
from puremetrics.scenarios import Scenario

__all__ = [
    "STATE",
    "context_of",
    "earlier",
    "error_of",
    "scan_spark",
    "selected",
    "ship_package",
    "state_row",
    "tasks_of",
]

_FAN_IN = 8
_TASKS_A_CORE = (
    4  # states are as large as the cuts, so there should not be one for every small file
)
STATE = "partition long, state binary, kind string, problem string"
_PROBLEMS = {kind.__name__: kind for kind in (InputError, LabelError, ScoreError)}


def scan_spark(
    frame: Any,
    *,
    reader: RowReader,
    scenario: Scenario,
    where: str | None = None,
    progress: Progress | None = None,
    **settings: int,
) -> dict[str, Any]:
    """Return a table (or segments) for each score column of a Spark data frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Its rows are read twice and must be the same both times: cache a frame that holds random numbers.
    reader : RowReader
    scenario : {"case_control", "single_training_set"}
    where : str, optional
        A condition in Spark's SQL.
    progress : callable, optional
        Called after each pass with the rows read so far, and how many there will be.
    **settings
        ``max_labelled``, ``pieces`` and ``buckets``, as for `scan`.
    """
    found = selected(frame, reader.columns, where)
    return count_tables(_SparkPass(found, reader, progress), scenario, settings)


def selected(frame: Any, columns: list[str], where: str | None) -> Any:
    """Some columns of a data frame, and the rows for which a condition holds."""
    check_columns("The data frame", list(frame.columns), columns)
    if where is not None:
        frame = _filtered(frame, where)
    return frame.select(*[frame[f"`{name.replace('`', '``')}`"] for name in columns])


def ship_package(session: Any) -> Path:
    """Send this package to the executors of a Spark session; return the archive that was sent.

    They need numpy and pyarrow besides. Call it once, before the first `scan`.
    """
    root = Path(__file__).parent.parent
    archive = Path(tempfile.mkdtemp(prefix="puremetrics-")) / "puremetrics.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(root.rglob("*.py")):
            out.write(file, Path(root.name) / file.relative_to(root))
    context = context_of(session)
    if context is not None:
        context.addPyFile(str(archive))
    else:
        session.addArtifact(str(archive), pyfile=True)
    return archive


class _SparkPass:
    """Counts all rows of a data frame once for each `run`."""

    checkpoint = None

    def __init__(self, frame: Any, reader: RowReader, progress: Progress | None) -> None:
        self.frame, self.reader, self.progress = frame, reader, progress
        self.done = 0
        self.expected: int | None = None

    def run(self, work: FirstPass | SecondPass, step: str) -> Any:
        """Return the state of all rows."""
        session = self.frame.sparkSession
        context = context_of(session)
        recipe = _Recipe(self.reader, work, context)
        frame = self.frame
        if not work.labels and self.reader.label not in (
            *self.reader.scores,
            self.reader.by,
            self.reader.groups,
        ):
            frame = frame.drop(self.reader.label)
        tasks = tasks_of(context)
        states = frame.coalesce(tasks).mapInArrow(_counting(recipe), STATE)
        left = tasks
        while left > _FAN_IN:
            left = -(-left // _FAN_IN)
            states = states.repartition(left).mapInArrow(_merging(recipe), STATE)
        total = _add_up(states.collect(), work)
        recipe.forget()
        rows = next(iter(total.values())).rows
        self.done += rows
        if self.progress is not None:
            self.progress(self.done, self.expected or 2 * rows)
        return total


class _Recipe:
    """What a task needs to know. Cuts are broadcast once, not sent along with every task."""

    def __init__(self, reader: RowReader, work: FirstPass | SecondPass, context: Any) -> None:
        self.reader = reader
        self._plain: Any = _plain(work)
        self._shared = None
        if context is not None:
            self._shared, self._plain = context.broadcast(self._plain), None

    def work(self) -> FirstPass | SecondPass:
        """Make the work again on the executor."""
        plain = self._plain if self._shared is None else self._shared.value
        if isinstance(plain, int):
            return FirstPass(self.reader, plain)
        kind: Any = Cuts if self.reader.by is None else SegmentedCuts
        cuts = {name: kind.from_bytes(own) for name, own in plain.items() if name is not None}
        groups = GroupCells.from_bytes(plain[None]) if None in plain else None
        return SecondPass(self.reader, cuts, groups)

    def forget(self) -> None:
        """Free the memory of the cuts on the executors."""
        if self._shared is not None:
            self._shared.unpersist()


def _plain(work: FirstPass | SecondPass) -> Any:
    if isinstance(work, FirstPass):
        return work.max_labelled
    found: dict[Any, bytes] = {name: own.to_bytes() for name, own in work.cuts.items()}
    return found if work.groups is None else {**found, None: work.groups.to_bytes()}


def _counting(recipe: _Recipe) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def count(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        work = recipe.work()
        state = work.empty()
        try:
            count_batches(batches, recipe.reader, work, state, place=f"partition {partition}")
        except PuremetricsError as error:
            yield state_row(partition, None, error)
            return
        yield state_row(partition, work.to_bytes(state), None)

    return count


def _merging(recipe: _Recipe) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def merge(batches: Iterable[Any]) -> Iterator[Any]:
        work = recipe.work()
        state, seen, problem = work.empty(), False, None
        for batch in batches:
            for row in batch.to_pylist():
                seen = True
                if row["problem"] is not None:
                    problem = earlier(problem, row)
                elif problem is None:
                    work.absorb(state, work.from_bytes(zlib.decompress(row["state"])))
        if problem is not None:
            yield state_row(problem["partition"], None, error_of(problem))
        elif seen:
            yield state_row(0, work.to_bytes(state), None)

    return merge


def _add_up(rows: Iterable[Any], work: FirstPass | SecondPass) -> Any:
    """Merge the last few states on the driver, or raise the first problem."""
    state, problem = work.empty(), None
    for row in rows:
        if row["problem"] is not None:
            problem = earlier(problem, row)
        elif problem is None:
            work.absorb(state, work.from_bytes(zlib.decompress(bytes(row["state"]))))
    if problem is not None:
        raise error_of(problem)
    return state


def tasks_of(context: Any) -> int:
    """How many tasks share the rows: some for each core, of a session that connects remotely about 50."""
    return _TASKS_A_CORE * (context.defaultParallelism if context else 50)


def earlier(one: Any, other: Any) -> Any:
    """The problem of the earlier partition."""
    return other if one is None or other["partition"] < one["partition"] else one


def error_of(row: Any) -> PuremetricsError:
    """The problem that a task met, as an error."""
    return _PROBLEMS.get(row["kind"], InputError)(row["problem"])


def state_row(partition: int, state: bytes | None, problem: PuremetricsError | None) -> Any:
    """What a task hands back: its state, or the problem that it met."""
    import pyarrow as pa

    values = {
        "partition": pa.array([partition], pa.int64()),
        "state": pa.array([None if state is None else zlib.compress(state, 1)], pa.binary()),
        "kind": pa.array([None if problem is None else type(problem).__name__], pa.string()),
        "problem": pa.array([None if problem is None else str(problem)], pa.string()),
    }
    return pa.RecordBatch.from_pydict(values)


def _filtered(frame: Any, where: str) -> Any:
    from pyspark.errors import PySparkException

    check_spark_condition(where, list(frame.columns))
    try:
        found = frame.filter(where)
        _ = found.columns  # a session that connects remotely looks at the condition only now
    except PySparkException as error:
        first = first_line(error).rstrip(".")
        raise InputError(
            f"The condition {shown(where)} does not fit the data frame: {first}. Its columns are: "
            f"{listed(frame.columns)}."
        ) from None
    return found


def context_of(session: Any) -> Any:
    """The context of a session, or None if it connects remotely and has none."""
    try:
        return session.sparkContext
    except Exception:
        return None
