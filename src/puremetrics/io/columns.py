"""The one check that a source has the columns that are asked for, and that they are asked for by name."""

from __future__ import annotations

from collections.abc import Iterable

from puremetrics.exceptions import InputError

__all__ = ["check_columns", "check_text"]


def check_columns(place: str, present: list[str], wanted: Iterable[str]) -> None:
    """Raise unless each column is there, and once."""
    for name in wanted:
        if name not in present:
            if len(present) == 1 and name in present[0]:
                raise InputError(
                    f"{place} cannot be split into columns: some line has more or fewer fields than the "
                    f"header {present[0]!r}, which must be the first line. Check the file."
                )
            raise InputError(f"{place} has no column {name!r}. It has: {', '.join(present)}.")
        if present.count(name) > 1:
            raise InputError(f"{place} has several columns {name!r}. Rename all but one.")


def check_text(name: str, value: object, *, optional: bool = False) -> None:
    """Raise unless an argument is text, or None where it may be left out."""
    if not isinstance(value, str) and not (optional and value is None):
        what = "an SQL condition" if name == "where" else "the name of a column"
        raise InputError(f"{name} must be {what}, as text; it is a {type(value).__name__}.")
