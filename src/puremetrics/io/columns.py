"""The one check that a source has the columns that are asked for, and that they are asked for by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from puremetrics.checking.arguments import listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError

__all__ = ["check_columns", "check_text", "folded"]


def check_columns(
    place: str, present: Sequence[str], wanted: Iterable[str], *, fold: bool = False
) -> None:
    """Raise unless each column is there, and once; with ``fold`` capitals make no difference, as in SQL."""
    exact = Counter(present)
    alike = Counter(map(folded, present)) if fold else exact
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
        if alike[folded(name) if fold else name] > 1:
            capitals = "" if exact[name] > 1 else " (capitals make no difference in SQL)"
            raise InputError(
                f"{place} has several columns {shown(name)}{capitals}. Rename all but one."
            )


def folded(name: str) -> str:
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
