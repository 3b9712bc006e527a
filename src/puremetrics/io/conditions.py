"""DuckDB, shut off from everything but the file that is read, and what a condition may ask of it.

A connection may open the files that it was made for and no others, loads no extensions, does not look at
Python's variables, and nobody can change that afterwards. Conditions are checked besides (`check_condition`).

**Conditions** (`check_condition`) look at the columns of a row, compare and compute, and do nothing else. A
condition comes from a command line, a form or a configuration, and must not be able to read other files, run
anything or see the settings. DuckDB's own parser takes it apart, and every piece must be of a kind that looks
at values of the row only: no query inside, no table, no function of anything but its arguments. What is
random or depends on the clock would besides be different in the second pass.

**Complaints of other readers** (`name_reader_errors`): what they say when they give up becomes a sentence
that names the file. A damaged file can make a reader raise anything at all, so everything that it raises is
taken for one. Only calls of readers stand inside `name_reader_errors`: a mistake of this package must not
pass for a damaged file.

**Columns.** `check_columns` is the one check that a source has the columns that are asked for, and that they
are asked for by name. `text_scores` tells of score columns that hold text: what kind of text, where, and what
to do about it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puremetrics.checking.arguments import clean, listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError, MissingDependencyError, PuremetricsError, ScoreError

__all__ = [
    "ascii_lower",
    "check_columns",
    "check_condition",
    "check_text",
    "columns_in",
    "connected",
    "duckdb_module",
    "filtered",
    "first_line",
    "literal",
    "name_errors_of_batches",
    "name_reader_errors",
    "native",
    "no_room",
    "not_a_number",
    "quoted",
    "room_in",
    "scratch_folder",
    "text_of",
    "text_scores",
    "unreadable",
]


_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def duckdb_module() -> Any:
    """The module, or an error that says how to get it."""
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "Reading this source needs DuckDB. Install puremetrics[cli]."
        ) from None
    return duckdb


@contextmanager
def connected(*files: Path) -> Iterator[Any]:
    """A connection that can open these files and nothing else."""
    connection = _closed(*files)
    try:
        yield connection
    finally:
        connection.close()


def _closed(*files: Path) -> Any:
    names = [name for file in files for name in dict.fromkeys((native(file), literal(file)))]
    connection = duckdb_module().connect(config=_CLOSED)
    connection.execute(f"SET allowed_paths = [{', '.join(map(text_of, names))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def literal(file: Path) -> str:
    """The path with the characters that DuckDB would take for a pattern made literal."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in native(file))


def native(file: Path) -> str:
    """The path as libraries take it: in UTF-8, whatever encoding Python believes that names are in."""
    try:
        return os.fsencode(file).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"The name {shown(file.name)} is not in UTF-8, and no reader can open it. Rename the file."
        ) from None


def quoted(name: str) -> str:
    """A name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text_of(value: str) -> str:
    """Text as a constant in SQL."""
    return "'" + value.replace("'", "''") + "'"


_COMMA = re.compile(r"[-+]?\d{0,3}(?:[. ']\d{3})*\d*,\d+(?:[eE][-+]?\d+)?")
_PERCENT = re.compile(r"[-+]?[\d.,]+\s*%")
_INFINITE = re.compile(r"[-+]?(?:inf|infinity|∞)", re.IGNORECASE)
_MISSING = {"na", "n/a", "nan", "#n/a", "null", "none", "nil", "-", "--", "?", ".", "missing", "#value!",
            "#div/0!", "<na>"}  # fmt: skip


def text_scores(column: Any, name: str, place: str, first_row: int) -> ScoreError:
    """The error for an Arrow column of text: it names the first value that is no number, and its row."""
    for row, value in enumerate(column.to_pylist(), first_row + 1):
        found = "" if value is None else str(value)
        if not _is_number(found):
            return not_a_number(found, name, place, f"row {row}")
    return ScoreError(
        f"Column {shown(name)} of {place} holds numbers as text. Convert it to numbers first."
    )


def not_a_number(found: str, name: str, place: str, where: str) -> ScoreError:
    """The sentence for one cell of a score column, which the command line's user can look up."""
    text = found.strip()
    cell = f"Column {shown(name)} of {place} holds {shown(found)} in {where}"
    if not text:
        return ScoreError(
            f"Column {shown(name)} of {place} has no value in {where}, which cannot be ranked. Drop such "
            "rows or score them; do not fill them with a constant, which would give them a rank."
        )
    if _PERCENT.fullmatch(text):
        share = text.rstrip("% \u00a0\u202f").replace(",", ".")
        example = f"{float(share) / 100:g}" if _is_number(share) else "0.83"
        return ScoreError(
            f"{cell}, a number with a percent sign, which is text. Write shares, such as {example}, or "
            "remove the signs: the ranking stays the same."
        )
    if _COMMA.fullmatch(text):
        point = re.sub(r"[. '](?=\d{3})", "", text).replace(",", ".")
        return ScoreError(
            f"{cell}, a number with a decimal comma, which is text. Write the file with decimal points "
            f"({point})."
        )
    if _INFINITE.fullmatch(text):
        return ScoreError(
            f"{cell}, an infinite score, which cannot be ranked. Use a number that is larger or smaller "
            "than all others, or drop the row."
        )
    if text.lower() in _MISSING:
        return ScoreError(
            f"{cell}, which stands for a missing score. A row without a score cannot be ranked: drop such "
            "rows or score them."
        )
    return ScoreError(
        f"{cell}, which is text, but a ranking needs numbers. Name another column, or correct the cell."
    )


def _is_number(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return value == value and abs(value) != float("inf")


_LONGEST = 400
_CELL = re.compile(
    r"CSV Error on Line: (?P<line>\d+)\nOriginal Line: (?P<text>[^\n]*)\n.*?converting column "
    r"\"(?P<name>[^\n]*)\"\. Could not convert string \"(?P<found>[^\n]*)\" to '(?P<kind>[^'\n]*)'",
    re.DOTALL,
)
_LATER = re.compile(r"column (?P<name>'.*') of '.*' holds whole numbers and then (?P<found>.*)")


@contextmanager
def name_reader_errors(place: str) -> Iterator[None]:
    """Turn the errors of a reader into a sentence; an interrupted one becomes a KeyboardInterrupt."""
    try:
        yield
    except PuremetricsError:
        raise
    except UnicodeDecodeError:
        raise InputError(f"{place} is not UTF-8 text. Convert it.") from None
    except Exception as error:
        if type(error).__name__ == "InterruptException" or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise unreadable(place, error) from None


def name_errors_of_batches(place: str, batches: Iterable[Any]) -> Iterator[Any]:
    """The batches of a reader; whatever goes wrong while they are made names the place."""
    with name_reader_errors(place):
        yield from batches


def unreadable(place: str, error: Exception) -> InputError:
    """The sentence for a source that its reader gave up on."""
    _, found, rest = str(error).partition('has duplicate key "')  # of an object in JSON
    if found:
        name = shown(rest.split("\n", 1)[0].rpartition('"')[0])
        return InputError(f"{place} has several columns named {name}. Rename all but one.")
    cell = _CELL.search(str(error))
    if cell is not None:
        return _odd_cell(place, cell)
    later = _LATER.search(str(error).partition("\n")[0])
    if later is not None:
        return InputError(
            f"Column {clean(later['name'])} of {place} holds whole numbers and "
            f"then {shown(later['found'])}. Use one kind of value in all rows, or drop the others."
        )
    return InputError(
        f"{place} cannot be read: {first_line(error).rstrip('.')}. Check that the file is complete and in "
        "the format that its extension says."
    )


def _odd_cell(place: str, cell: re.Match[str]) -> InputError:
    """The sentence for a cell that is not of the type of those above it."""
    found, where = cell["found"], f"line {cell['line']}"
    if found.startswith('"'):  # cut at a comma inside
        whole = re.search(r'"([-+]?\d*,\d+)"', cell["text"])
        found = found.strip('"') if whole is None else whole[1]
    if cell["kind"] in ("DOUBLE", "FLOAT") or cell["kind"].startswith("DECIMAL"):
        return not_a_number(found, cell["name"], place, where)
    kinds = {"BIGINT": "whole numbers", "BOOLEAN": "true and false", "DATE": "dates"}
    above = kinds.get(cell["kind"], cell["kind"].lower())
    return InputError(
        f"Column {shown(cell['name'])} of {place} holds {shown(found)} in {where}, but {above} above it. "
        "Use one kind of value in all rows, or drop the others."
    )


def first_line(error: Exception) -> str:
    """What a reader says of a problem, without the rest of its page."""
    lines = str(error).strip().splitlines()
    said = " ".join(line.strip() for line in lines[:2]) if lines else type(error).__name__
    return clean(said, _LONGEST)


def no_room(folder: str, error: OSError) -> InputError:
    """The sentence for a file that could not be written for want of room or rights."""
    return InputError(
        f"A temporary file cannot be written to {clean(folder)!r}: {error.strerror or error}. Free some "
        "space there, or set TMPDIR to another folder."
    )


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, gone afterwards; if there can be none, the error says where and why."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="puremetrics-", ignore_cleanup_errors=True)
    except OSError as error:
        raise no_room(os.environ.get("TMPDIR") or str(error.filename or "/tmp"), error) from None
    with folder as name:
        yield Path(name)


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Name the folder of a temporary file if there is no room for it."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG):
            raise no_room(str(folder.parent), error) from None
        raise


def check_columns(
    place: str, present: Sequence[str], wanted: Iterable[str], *, fold: bool = False
) -> None:
    """Raise unless each column is there, and once; with ``fold`` capitals make no difference, as in SQL."""
    exact = Counter(present)
    alike = Counter(map(ascii_lower, present)) if fold else exact
    for name in wanted:
        if name not in exact:
            if len(present) == 1 and name in present[0]:
                raise InputError(
                    f"{place} cannot be split into columns: some line has more or fewer fields than the "
                    f"header {shown(present[0])}, which must be the first line. Check the file."
                )
            meant = did_you_mean(name, present)
            raise InputError(
                f"{place} has no column {shown(name)}.{meant} It has: {listed(present)}."
            )
        if alike[ascii_lower(name) if fold else name] > 1:
            capitals = "" if exact[name] > 1 else " (SQL ignores case)"
            raise InputError(
                f"{place} has several columns named {shown(name)}{capitals}. Rename all but one."
            )


def ascii_lower(name: str) -> str:
    """A name without capitals, as DuckDB compares names: only those of ASCII count."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def check_text(name: str, value: object, *, optional: bool = False) -> None:
    """Raise unless an argument is text, or None where it may be left out."""
    if not isinstance(value, str):
        if optional and value is None:
            return
        what = "an SQL condition" if name == "where" else "the name of a column"
        raise InputError(f"{name} must be {what}, as text; it is a {type(value).__name__}.")
    if "\0" in value:
        raise InputError(f"{name}={shown(value)} holds the character NUL. Remove it.")


_PIECES = {
    "BETWEEN",
    "CASE",
    "CAST",
    "COLLATE",
    "COLUMN_REF",
    "COMPARISON",
    "CONJUNCTION",
    "CONSTANT",
    "FUNCTION",
    "OPERATOR",
    "TYPE",
}
_RULE = (
    "A condition may only compare and compute with the columns of the source, using functions whose result "
    "depends on nothing but their arguments. Write values out."
)
_MACROS = {"date_add", "days_in_month", "fdiv", "fmod", "if", "nullif", "split_part"}
_SETTINGS = {
    "getenv",
    "getvariable",
    "in_search_path",
    "txid_current",
    "version",
}  # DuckDB 1.5 trusts them
_REST = {"aggregate_handling", "type", "select_list", "from_table", "cte_map"}


def filtered(relation: Any, where: str, place: str, columns: Sequence[str] | None = None) -> Any:
    """The rows of a relation for which a condition holds, once it was found to be harmless."""
    names = list(relation.columns) if columns is None else columns
    check_condition(where, names, place)
    try:
        return relation.filter(where)
    except duckdb_module().Error as error:
        raise InputError(
            f"The condition {shown(where)} does not fit {place}: {first_line(error).rstrip('.')}. Its "
            f"columns are: {listed(names)}."
        ) from None


def columns_in(where: str) -> set[str]:
    """Names that a condition may take from its source, without capitals."""
    references = (p for p in _pieces(_serialized(where)) if p["class"] == "COLUMN_REF")
    return {ascii_lower(piece["column_names"][0]) for piece in references}


def check_condition(where: str, columns: Sequence[str], place: str) -> None:
    """Raise unless a condition is one expression on the given columns."""
    found = _parsed(where, place, columns)
    nodes = [statement.get("node", {}) for statement in found.get("statements", ())]
    if len(nodes) != 1 or len(nodes[0].get("select_list", ())) != 1 or _more(nodes[0]):
        raise InputError(f"where={shown(where)} is more than one condition. {_RULE}")
    known = {ascii_lower(name) for name in columns}
    for piece in _pieces(nodes[0]["select_list"][0]):
        kind = piece["class"]
        if kind not in _PIECES:
            what = kind.lower().replace("_", " ")
            raise InputError(f"where={shown(where)} holds a {what}, which is not allowed. {_RULE}")
        if kind == "FUNCTION" and piece["function_name"].lower() not in _functions():
            name = clean(piece["function_name"], 60)
            if name.endswith("__postfix"):  # an operator without its second side, to older DuckDBs
                raise InputError(
                    f"The condition {shown(where)} does not fit {place}: nothing follows "
                    f"{name.removesuffix('__postfix')}. Its columns are: {listed(columns)}."
                )
            raise InputError(
                f"where={shown(where)} calls {name}, whose result depends on more than its arguments. {_RULE}"
            )
        if kind == "COLUMN_REF" and ascii_lower(piece["column_names"][0]) not in known:
            name = ".".join(piece["column_names"])
            raise InputError(
                f"The condition {shown(where)} does not fit {place}: there is no column {shown(name)}."
                f"{did_you_mean(name, columns)} Its columns are: {listed(columns)}."
            )


def _parsed(where: str, place: str, columns: Sequence[str]) -> dict[str, Any]:
    found = _serialized(where)
    if found.get("error"):
        why = clean(str(found.get("error_message", "it is not SQL")), 300).rstrip(".")
        raise InputError(
            f"The condition {shown(where)} does not fit {place}: {why}. Its columns are: {listed(columns)}."
        )
    return found


def _serialized(where: str) -> dict[str, Any]:
    """A condition as DuckDB reads it."""
    try:
        where.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            f"where={shown(where)} contains an incomplete character, which no column name or value has. "
            "Write the condition as plain text."
        ) from None
    said = _ask("SELECT json_serialize_sql($sql)", {"sql": f"SELECT {where}"})[0][0]
    found: dict[str, Any] = json.loads(said)
    return found


def _more(node: dict[str, Any]) -> bool:
    """Whether there is anything besides the one expression."""
    if node.get("type") != "SELECT_NODE" or node.get("from_table", {}).get("type") != "EMPTY":
        return True
    if (node.get("cte_map") or {}).get("map"):
        return True
    return any(value for name, value in node.items() if name not in _REST)


def _pieces(part: Any) -> Iterator[dict[str, Any]]:
    """All expressions inside a parsed one, itself included."""
    if isinstance(part, dict):
        if "class" in part:
            yield part
        for value in part.values():
            yield from _pieces(value)
    elif isinstance(part, list):
        for value in part:
            yield from _pieces(value)


def _functions() -> frozenset[str]:
    """Functions of their arguments alone, by what DuckDB says of them; asked once."""
    if not _KNOWN:
        _KNOWN.append(_functions_of_arguments())
    return _KNOWN[0]


_KNOWN: list[frozenset[str]] = []


def _functions_of_arguments() -> frozenset[str]:
    rows = _ask("SELECT function_name, function_type, stability FROM duckdb_functions()", {})
    known = {name for name, kind, stability in rows if (kind, stability) == _SCALAR}
    known |= {name for name, kind, _ in rows if kind == "macro" and _on_lists(name)}
    shaky = {name for name, kind, stability in rows if kind == "scalar" and stability != _SCALAR[1]}
    shaky |= {name for name in known if name.startswith("current_")}
    return frozenset((known | _MACROS) - shaky - _SETTINGS)


_SCALAR = ("scalar", "CONSISTENT")


def _on_lists(name: str) -> bool:
    return name.startswith(("list_", "array_"))


def _ask(sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What DuckDB says of conditions themselves, without any rows.

    To connect takes far longer than to ask, so each process keeps one connection, which can open nothing.
    """
    process = os.getpid()
    if process not in _ASKED:
        _ASKED.clear()  # that of a process which forked cannot be used
        _ASKED[process] = _closed()
    with _ASKED[process].cursor() as cursor:
        found: list[tuple[Any, ...]] = cursor.execute(sql, values or None).fetchall()
        return found


_ASKED: dict[int, Any] = {}
