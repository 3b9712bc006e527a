"""CSV and JSON files through DuckDB, with what its guesses would get wrong put right.

DuckDB guesses the type of a column from some 20 000 lines and then forces all others into it: after whole
numbers 0.3 becomes 0, and ``0x10`` is 16. So scores are read as floats, and other columns of whole numbers
are whole in every line or refused. Columns of the same name are given new names by it; here they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from puremetrics.exceptions import InputError
from puremetrics.io.columns import folded
from puremetrics.io.duck import literal, quoted, text_of

__all__ = ["TEXT", "Opened", "open_text"]

TEXT = ("read_csv", "read_json")

_WHOLE = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
_WHOLE_TYPES = frozenset((*_WHOLE, "HUGEINT", "UHUGEINT"))
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
        if len(set(map(folded, names))) < len(names):
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
    known = set(map(folded, names))
    renamed = (_RENAMED.fullmatch(name) for name in names)
    return any(found is not None and folded(found[1]) in known for found in renamed)


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
            f"The header of {file.name!r} cannot be told from its rows, and some columns may have the same "
            "name. Rename them."
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
