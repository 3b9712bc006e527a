"""Columns of a data frame of any library, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puremetrics.checking.arguments import listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError

__all__ = ["columns_of", "is_frame"]


def is_frame(value: object) -> bool:
    """Whether something has named columns: a data frame, or a mapping of names to columns."""
    if isinstance(value, Mapping) or hasattr(value, "__arrow_c_stream__"):
        return True
    kind = type(value)
    return hasattr(kind, "columns") and hasattr(kind, "__getitem__")


def columns_of(frame: Any, names: list[str]) -> dict[str, Any]:
    """These columns: of pandas, polars, pyarrow, a mapping, or whatever speaks the Arrow C interface."""
    lazy = hasattr(frame, "collect") and hasattr(frame, "collect_schema")  # a frame of polars
    known = frame.collect_schema().names() if lazy else _names(frame)
    if known is None:
        import pyarrow

        frame = pyarrow.table(frame)
        known = list(frame.column_names)
    for name in names:
        if name not in known:
            raise InputError(
                f"There is no column {shown(name)} in the data frame."
                f"{did_you_mean(str(name), map(str, known))} Name one of its columns: {listed(known)}."
            )
        if known.count(name) > 1:
            raise InputError(
                f"The data frame has {known.count(name)} columns {shown(name)}. Rename all but one."
            )
    if lazy:
        frame = frame.select(names).collect()
    return {name: frame[name] for name in names}


def _names(frame: Any) -> list[Any] | None:
    if isinstance(frame, Mapping):
        return list(frame)
    for attribute in ("column_names", "columns"):
        found = getattr(frame, attribute, None)
        if found is not None and not callable(found):
            names = list(found)
            if all(isinstance(name, str | int) for name in names):
                return names
    return None
