"""What a condition may do: look at the columns of a row, compare and compute, and nothing else.

A condition comes from a command line, a form or a configuration, and must not be able to read other files,
run anything or see the settings. DuckDB's own parser takes it apart, and every piece must be of a kind that
looks at values of the row only: no query inside, no table, no function of anything but its
arguments. What is random or depends on the clock would besides be different in the second pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from puremetrics.checking.arguments import clean, listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError
from puremetrics.io.columns import folded
from puremetrics.io.duck import connected, duckdb_module
from puremetrics.io.foreign import first_line

__all__ = ["check_condition", "columns_in", "filtered"]

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
    "A condition may compare and compute with the columns of the source, by functions whose result depends "
    "on nothing but their arguments, and do nothing else. Write values out."
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
    return {folded(piece["column_names"][0]) for piece in references}


def check_condition(where: str, columns: Sequence[str], place: str) -> None:
    """Raise unless a condition is one expression on the given columns."""
    found = _parsed(where, place, columns)
    nodes = [statement.get("node", {}) for statement in found.get("statements", ())]
    if len(nodes) != 1 or len(nodes[0].get("select_list", ())) != 1 or _more(nodes[0]):
        raise InputError(f"where={shown(where)} is more than one condition. {_RULE}")
    known = {folded(name) for name in columns}
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
        if kind == "COLUMN_REF" and folded(piece["column_names"][0]) not in known:
            name = ".".join(piece["column_names"])
            raise InputError(
                f"The condition {shown(where)} does not fit {place}: there is no column {shown(name)}."
                f"{did_you_mean(name, columns)} Its columns are: {listed(columns)}."
            )


def _parsed(where: str, place: str, columns: Sequence[str]) -> dict[str, Any]:
    found = _serialized(where)
    if found.get("error"):
        why = clean(str(found.get("error_message", "it is no SQL")), 300).rstrip(".")
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
            f"where={shown(where)} holds half a character, which no column name or value has. Write the "
            "condition as plain text."
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
    """Functions of their arguments alone, by what DuckDB says of them."""
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
    with connected() as connection:
        found: list[tuple[Any, ...]] = connection.execute(sql, values or None).fetchall()
        return found
