"""Files as parts: Parquet and Arrow by pyarrow, everything else, and whatever has a condition, by DuckDB.

**CSV and JSON** (`open_text`) go through DuckDB, with what its guesses would get wrong put right. It guesses
the type of a column from some 20,000 lines and then forces all others into it: after whole numbers 0.3
becomes 0, and ``0x10`` is 16. So scores are read as floats, and other columns of whole numbers are whole in
every line or refused. Columns of the same name are given new names by it; here they are refused.

Files are read, not mapped into memory: a file that is cut off while it is mapped ends the process.

**Folders** (`columns_of_folders`). Columns that the folders of a file name, such as ``month=5``, are there
for those that ask, if the file has none.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from puremetrics.checking.arguments import clean
from puremetrics.exceptions import InputError
from puremetrics.io.conditions import (
    ascii_lower,
    check_columns,
    check_condition,
    connected,
    filtered,
    literal,
    name_errors_of_batches,
    name_reader_errors,
    native,
    quoted,
    text_of,
)
from puremetrics.io.excel import excel_table
from puremetrics.io.parts import BATCH_ROWS, UNIT_ROWS, Part, Unit, sliced, sound

__all__ = [
    "TEXT",
    "Opened",
    "arrow_batches",
    "columns_of_folders",
    "file_names",
    "file_part",
    "is_data",
    "open_text",
    "relation_units",
    "with_folders",
]


_WHOLE = re.compile(r"[-+]?\d{1,18}")
_MISSING = "__HIVE_DEFAULT_PARTITION__"


def columns_of_folders(path: Path) -> dict[str, str]:
    """The values that the folders above a file name, by column.

    >>> columns_of_folders(Path("data/month=5/land=NL/part-0.csv"))
    {'month': '5', 'land': 'NL'}
    """
    pairs = (part.partition("=") for part in path.parts[:-1])
    return {unquote(name): unquote(value) for name, sign, value in pairs if sign and name}


def with_folders(held: dict[str, str], names: list[str]) -> str:
    """What to select besides the columns of a file: those that only its folders have, in SQL."""
    return "".join(
        f", {_constant(value)} AS {quoted(name)}"
        for name, value in held.items()
        if name not in names
    )


def _constant(value: str) -> str:
    if value == _MISSING:
        return "NULL"
    if _WHOLE.fullmatch(value):
        return f"CAST({int(value)} AS BIGINT)"
    with contextlib.suppress(ValueError):
        return f"CAST({text_of(datetime.date.fromisoformat(value).isoformat())} AS DATE)"
    return text_of(value)


TEXT = ("read_csv", "read_json")

_WHOLE_TYPE_NAMES = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
_WHOLE_TYPES = frozenset((*_WHOLE_TYPE_NAMES, "HUGEINT", "UHUGEINT"))
_RENAMED = re.compile(r"(.*)_\d+", re.DOTALL)
_CSV = ", skip=0, comment=''"  # or leading lines that do not fit the ones below are dropped, header and all
_PLAIN = ", hive_partitioning=false"


class Opened(NamedTuple):
    """Rows of a file in DuckDB, and the names that its columns have in the file, however often."""

    relation: Any
    names: list[str]


def open_text(connection: Any, file: Path, reader: str, scores: Collection[str]) -> Opened:
    """Return the rows of a file by ``read_csv`` or ``read_json``, with the names of its columns.

    ``scores`` are columns of measurements: whole or not, they are floats.
    """
    source = text_of(literal(file)) + _PLAIN + (_CSV if reader == "read_csv" else "")
    first = connection.sql(f"SELECT * FROM {reader}({source})")
    kinds = dict(zip(first.columns, map(str, first.types), strict=True))
    names = list(kinds)
    if _suspicious(names):
        if reader == "read_csv":
            names = _header(connection, file, source, len(names))
        else:
            names = _keys(connection, file)
        if len(set(map(ascii_lower, names))) < len(names):
            return Opened(first, names)
    whole = [name for name, kind in kinds.items() if kind in _WHOLE_TYPES]
    if not whole:
        return Opened(first, names)
    asked = {name: "DOUBLE" if name in scores else "VARCHAR" for name in whole}
    if reader == "read_csv":
        types = f", types={_struct(asked)}"
    else:
        types = f", columns={_struct({**kinds, **asked})}"
    place = f"{file.name!r}"
    again = ", ".join(
        (_float(name, place) if name in scores else _integer(name, place, kinds[name]))
        + f" AS {quoted(name)}"
        for name in whole
    )
    return Opened(
        connection.sql(f"SELECT * REPLACE ({again}) FROM {reader}({source}{types})"), names
    )


def _suspicious(names: list[str]) -> bool:
    """Whether some name looks as if DuckDB had made it for a column of the same name as another."""
    known = set(map(ascii_lower, names))
    renamed = (_RENAMED.fullmatch(name) for name in names)
    return any(found is not None and ascii_lower(found[1]) in known for found in renamed)


def _header(connection: Any, file: Path, source: str, size: int) -> list[str]:
    """The first line of a CSV file, cut by the same delimiter and quotes."""
    found = connection.execute(
        f"SELECT Delimiter, Quote, Escape FROM sniff_csv({source})"
    ).fetchall()[0]
    cut = ["" if mark == "(empty)" else mark for mark in found]
    options = "".join(
        f", {name}={text_of(mark)}"
        for name, mark in zip(("delim", "quote", "escape"), cut, strict=True)
    )
    line = connection.execute(
        f"SELECT * FROM read_csv({source}{options}, header=false, all_varchar=true) LIMIT 1"
    ).fetchall()
    if not line or len(line[0]) != size:
        raise InputError(
            f"The header of {file.name!r} cannot be distinguished from its rows, and some columns may have "
            "the same name. Rename them."
        )
    return ["" if name is None else str(name) for name in line[0]]


def _keys(connection: Any, file: Path) -> list[str]:
    """The keys of the first objects of a JSON file."""
    found = connection.execute(
        "SELECT DISTINCT unnest(json_keys(json)) FROM "
        "(SELECT json FROM read_json_objects($path) LIMIT 20480)",
        {"path": literal(file)},
    ).fetchall()
    return [name for (name,) in found]


def _struct(kinds: dict[str, str]) -> str:
    return "{" + ", ".join(f"{text_of(n)}: {text_of(kind)}" for n, kind in kinds.items()) + "}"


def _float(name: str, place: str) -> str:
    """A column of whole numbers as floats: those beyond 2**53 would be rounded."""
    value = quoted(name)
    said = text_of(
        f"column {name!r} of {place} holds a whole number beyond 2**53, which a float cannot hold, or a "
        "larger number after whole ones, near "
    )
    return (
        f"CASE WHEN abs({value}) < 9007199254740992 OR NOT isfinite({value}) OR {value} IS NULL THEN "
        f"{value} ELSE error({said} || CAST({value} AS VARCHAR)) END"
    )


def _integer(name: str, place: str, kind: str) -> str:
    """A column of whole numbers, given as text, so that nothing else passes for one."""
    value = quoted(name)
    number = f"TRY_CAST({value} AS DOUBLE)"
    said = text_of(f"column {name!r} of {place} holds whole numbers and then ")
    return (
        f"CASE WHEN {value} IS NULL THEN NULL WHEN {number} = trunc({number}) THEN "
        f"CAST({value} AS {kind}) ELSE error({said} || {value}) END"
    )


_WHOLE_GROUP = 1 << 21
_READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
    ".json": "read_json",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_OTHERS = {
    ".xls": "an old Excel file: save it as .xlsx",
    ".ods": "an OpenDocument file: save it as .xlsx or .csv",
    ".zip": "a zip archive: unpack it",
    ".tar": "a tar archive: unpack it",
    ".pkl": "a pickle, which could run any code: save its data frame with to_parquet",
    ".db": "a database: export the table as Parquet or CSV",
    ".sqlite": "a database: export the table as Parquet or CSV",
    ".sas7bdat": "a SAS file: export it as CSV",
    ".dta": "a Stata file: export it as CSV",
    ".rds": "an R file: save its data frame as CSV or Parquet",
}
_PACKED = (".gz", ".zst")


def file_part(
    path: Path,
    columns: list[str],
    where: str | None,
    scores: Collection[str] = (),
    place: str | None = None,
) -> Part:
    """The part of one file, by its ending; ``scores`` are the columns that hold measurements."""
    place = place or f"{clean(path.name)!r}"
    kind = _kind(path, place)
    with name_reader_errors(place):
        path = Path(os.path.realpath(path))
        stat = path.stat()
    identity = (str(path), stat.st_size, stat.st_mtime_ns)
    plain = where is None and not set(columns) & columns_of_folders(path).keys()
    if kind == "parquet" and plain:
        return _parquet(path, place, identity)
    if kind == "arrow" and plain:

        def batches(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
            yield from sliced(lambda: arrow_batches(path, columns), columns, place, most)

        return Part(place, batches, None, identity)

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        with name_reader_errors(place):
            opened = _opened(path, kind, place, scores)
            with opened as (relation, names):
                check_columns(place, names, columns, fold=True)
                if where is not None:
                    check_columns(place, names, names, fold=True)
                    check_condition(where, names, place)
                    if kind in TEXT and not relation.limit(1).fetchall():
                        return  # of a file without rows the types are unknown, and may not fit
                    relation = filtered(relation, where, place)
                yield from relation_units(relation, columns, place, most)

    return Part(place, units, None, identity)


def is_data(path: Path) -> str | None:
    """What reads the file, by its ending; None if nothing does."""
    return _READERS.get(_ending(path))


def file_names(path: Path) -> list[str]:
    """The names of the columns of a file, those of its folders included."""
    place = f"{clean(path.name)!r}"
    kind = _kind(path, place)
    with (
        name_reader_errors(place),
        _opened(Path(os.path.realpath(path)), kind, place, ()) as (_, names),
    ):
        return list(names)


def _ending(path: Path) -> str:
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    return endings[-1] if endings else ""


def _kind(path: Path, place: str) -> str:
    """What reads the file, or an error that says what to do with it."""
    ending = _ending(path)
    if ending in _READERS:
        return _READERS[ending]
    if ending in _OTHERS:
        raise InputError(f"{place} is {_OTHERS[ending]}, and pass the result.")
    raise InputError(
        f"{place} has none of the extensions {', '.join(sorted(_READERS))}, so its format is unknown. "
        "Rename or convert it."
    )


def relation_units(relation: Any, columns: list[str], place: str, most: int) -> Iterator[Unit]:
    """The units of a DuckDB relation."""

    def batches() -> Iterator[Any]:
        wanted = ", ".join(map(quoted, columns))
        reader = relation.project(wanted).to_arrow_reader(BATCH_ROWS)
        yield from reader

    yield from sliced(batches, columns, place, most)


@contextmanager
def _opened(path: Path, kind: str, place: str, scores: Collection[str]) -> Iterator[Opened]:
    """A file in DuckDB, with the columns that only its folders name at the end."""
    held = columns_of_folders(path)
    with connected(path) as connection:
        if kind == "parquet":
            import pyarrow.parquet as pq

            with path.open("rb") as file:
                names = list(pq.read_schema(file).names)
            relation = connection.sql(
                f"SELECT * FROM read_parquet({text_of(literal(path))}, hive_partitioning=false)"
            )
        elif kind == "excel":
            table = excel_table(path, place)
            names = list(table.column_names)
            check_columns(place, names, names, fold=True)
            relation = connection.from_arrow(table)
        elif kind == "arrow":
            import pyarrow as pa

            with pa.OSFile(native(path)) as file:
                schema = _ipc(file).schema
            names = list(schema.names)
            own = tuple(names)
            checked = (sound(b, list(own), place) for b in arrow_batches(path, list(own)))
            reader = pa.RecordBatchReader.from_batches(
                schema, name_errors_of_batches(place, checked)
            )
            check_columns(place, names, names, fold=True)
            relation = connection.from_arrow(reader)
        else:
            relation, names = open_text(connection, path, kind, scores)
        more = with_folders(held, names)
        if more:
            relation = relation.project(f"*{more}")
            names = [*names, *(name for name in held if name not in names)]
        yield Opened(relation, names)


# ------------------------------------------------------------------------------------- Parquet


def _parquet(path: Path, place: str, identity: tuple[Any, ...]) -> Part:
    import pyarrow.parquet as pq

    with name_reader_errors(place), path.open("rb") as opened, pq.ParquetFile(opened) as file:
        metadata, names = file.metadata, file.schema_arrow.names
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]

    def units(columns: list[str], most: int = UNIT_ROWS) -> Iterator[Unit]:
        check_columns(place, list(names), columns)
        first, pending = 0, 0
        group: list[int] = []
        for i, size in enumerate(sizes):
            if group and pending + size > UNIT_ROWS:
                yield Unit(first, _row_groups(path, tuple(group), columns, place))
                first, pending, group = first + pending, 0, []
            group.append(i)
            pending += size
        if group:
            yield Unit(first, _row_groups(path, tuple(group), columns, place))

    return Part(place, units, sum(sizes), identity)


def _row_groups(
    path: Path, groups: tuple[int, ...], columns: list[str], place: str
) -> Callable[[], Iterator[Any]]:
    def batches() -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with (
            pa.OSFile(native(path)) as opened,
            pq.ParquetFile(opened, pre_buffer=False) as file,
        ):
            for group in groups:
                if file.metadata.row_group(group).num_rows <= _WHOLE_GROUP:
                    read = file.read_row_group(group, columns=columns, use_threads=False)
                    yield from read.to_batches()
                else:
                    yield from file.iter_batches(
                        BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False
                    )

    return lambda: name_errors_of_batches(place, batches())


# ------------------------------------------------------------------------------------- Arrow


def arrow_batches(path: Path, columns: list[str]) -> Iterator[Any]:
    """Record batches of an Arrow file (or stream: the same ending serves both), of some columns."""
    import pyarrow as pa

    with pa.OSFile(native(path)) as opened:
        found = _ipc(opened)
        names = list(found.schema.names)
        once = all(names.count(name) == 1 for name in columns)
        if once and len(columns) < len(names):
            places = sorted(names.index(name) for name in columns)
            opened.seek(0)
            found = _ipc(opened, pa.ipc.IpcReadOptions(included_fields=places))
        if isinstance(found, pa.ipc.RecordBatchFileReader):
            for i in range(found.num_record_batches):
                yield found.get_batch(i)
        else:
            yield from found


def _ipc(opened: Any, options: Any = None) -> Any:
    import pyarrow as pa

    opened.seek(0)
    try:
        return pa.ipc.open_file(opened, options=options)
    except pa.ArrowInvalid:
        opened.seek(0)
        return pa.ipc.open_stream(opened, options=options)
