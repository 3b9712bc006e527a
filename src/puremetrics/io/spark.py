"""A scan on a Spark cluster: the states of `io.counting`, counted where the rows are and added up in a tree.

Each task counts its rows into one state by `mapInArrow`; states are then merged a few at a time, on the
executors, until few are left. Nothing but counts at the cuts reaches the driver. Since states hold integers,
distinct scores, lowest and highest ones, neither the partitions, nor their order, nor a task that had to be
repeated on another executor changes a bit of the result.

An error in the rows comes back as a row of its own: raising it in a task would make Spark repeat the task in
vain and bury the sentence in a stack trace.

Executors need numpy, pyarrow (which `mapInArrow` itself asks for) and this package; `ship_package` sends it
to those that lack it.

**Conditions** (`check_spark_condition`). What a condition on a Spark data frame may do is said by a list of
words that it may use. Spark has functions that run code of the Java machine (``java_method``, ``reflect``),
read files and settings, or ask models. A list of what is harmless is the only safe one, so every word of a
condition outside of quotes must be a column of the frame, a word of SQL that only compares, the name of a
type, or one of these functions. The text is cut as Spark's own grammar cuts it; what cannot be cut is
refused.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import clean, listed, shown
from puremetrics.exceptions import InputError, LabelError, PuremetricsError, ScoreError
from puremetrics.io.batches import RowReader
from puremetrics.io.conditions import check_columns, first_line
from puremetrics.io.counting import FirstPass, GroupCells, SecondPass, count_tables
from puremetrics.io.passes import Progress, count_batches
from puremetrics.io.score_keys import Cuts
from puremetrics.io.segment_passes import SegmentedCuts
from puremetrics.scenarios import Scenario

__all__ = [
    "FUNCTIONS",
    "STATE",
    "check_spark_condition",
    "context_of",
    "earlier",
    "error_of",
    "scan_spark",
    "selected",
    "ship_package",
    "state_row",
    "tasks_of",
]


_HARMLESS = """
abs acos add_months and array array_contains array_distinct array_max array_min array_position
array_size ascii asin atan atan2 base64 between bigint bin binary bit_length boolean bround btrim
cardinality case cast cbrt ceil ceiling char char_length character_length chr coalesce concat
concat_ws contains conv cos cosh crc32 date date_add date_diff date_format date_from_unix_date
date_part date_sub date_trunc dateadd datediff datepart day dayofmonth dayofweek dayofyear decimal
degrees double element_at else elt endswith equal_null exp expm1 extract factorial find_in_set float
floor format_number get_json_object greatest hash hex hour hypot if ifnull in initcap instr int
isnan isnotnull isnull json_array_length last_day lcase least left length levenshtein like ln locate
log log10 log1p log2 lower lpad ltrim make_date make_timestamp map_contains_key map_keys map_values
md5 minute mod month months_between named_struct nanvl negative next_day not nullif nvl nvl2
octet_length or overlay pi pmod position positive pow power quarter radians regexp regexp_count
regexp_extract regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right
rint rlike round rpad rtrim second sha sha1 sha2 shiftleft shiftright sign signum sin sinh size
smallint soundex split split_part sqrt startswith string struct substr substring substring_index tan
tanh then timestamp timestamp_millis timestamp_seconds tinyint to_date to_number to_timestamp
translate trim trunc try_add try_cast try_divide try_multiply try_subtract try_to_number
try_to_timestamp typeof ucase unhex unix_date unix_millis unix_seconds upper varchar weekday
weekofyear when width_bucket xxhash64 year
"""
FUNCTIONS = frozenset(_HARMLESS.split())
_SQL = """
all and any array as asc between bigint binary boolean both by byte case cast char date day days dec
decimal distinct div double else end escape exists false float for from hour hours ilike in int
integer interval is leading like long map microsecond microseconds millisecond milliseconds minute
minutes mod month months not null numeric or overlay placing quarter real regexp rlike second
seconds short smallint some string struct then timestamp timestamp_ltz timestamp_ntz tinyint to
trailing true unknown varchar void week weeks when year years
"""
_WORDS = frozenset(_SQL.split())
_TOKENS = re.compile(
    r"""(?P<space>\s+)
    | (?P<text>[rR]'[^']*'|[rR]"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:BD|bd|[lLsSyYfFdD])?(?!\w))
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
    | (?P<comment>--|/\*)
    | (?P<sign><=>|[-+*/%()=<>!,.&|^~\[\]]|::|==)""",
    re.VERBOSE | re.DOTALL,
)
_RULE = (
    "A condition may only compare and compute with the columns of the frame, using common functions of "
    "numbers, text and dates. For anything else, filter the frame itself before you pass it."
)


def check_spark_condition(where: str, columns: Sequence[str]) -> None:
    """Raise unless a condition holds nothing but columns and harmless words."""
    known = {name.lower() for name in columns}
    cut = [*_cut(where), ("end", "")]
    before = ""
    for (kind, token), (_, after) in pairwise(cut):
        called, field = after == "(", before == "."
        before = token
        if kind == "comment":
            raise InputError(f"where={shown(where)} holds a comment. Remove it. {_RULE}")
        if called and kind in ("word", "quoted") and (field or token.lower() not in FUNCTIONS):
            raise InputError(
                f"where={shown(where)} calls {clean(token, 60)}, which is not allowed. {_RULE}"
            )
        if called or field or kind not in ("word", "quoted"):
            continue
        name = token[1:-1].replace("``", "`") if kind == "quoted" else token
        if name.lower() not in known and not (kind == "word" and name.lower() in _WORDS):
            raise InputError(
                f"The condition {shown(where)} does not fit the data frame: there is no column "
                f"{shown(name)}. Its columns are: {listed(columns)}. {_RULE}"
            )


def _cut(where: str) -> Iterator[tuple[str, str]]:
    """The kinds and texts of the tokens; spaces are left out."""
    place = 0
    while place < len(where):
        found = _TOKENS.match(where, place)
        if found is None or found.lastgroup is None:
            raise InputError(
                f"where={shown(where)} cannot be understood from {shown(where[place : place + 20])} on. "
                f"{_RULE}"
            )
        place = found.end()
        if found.lastgroup != "space":
            yield found.lastgroup, found[0]


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
            *self.reader.score_columns,
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
