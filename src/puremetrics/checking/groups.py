"""Names of groups, a value of any kind for each row, as numbers that are the same wherever they are read."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.columns import as_column, check_same_length, is_missing_value
from puremetrics.exceptions import InputError

__all__ = ["as_groups", "hashed_groups"]

Hashes = npt.NDArray[np.uint64]
_WHOLE = 2.0**53


def as_groups(values: Any, size: int, name: str = "groups") -> npt.NDArray[Any]:
    """Return one name a row: integers where they are whole numbers, else as they are; none may be missing."""
    column = as_column(values, name)
    check_same_length(size, column.size, f"y and {name}")
    kind = column.dtype.kind
    if kind == "b":
        return column.astype(np.int64)
    if kind == "f":
        _raise_missing(np.isnan(column), name)
        whole = np.isfinite(column) & (np.abs(column) <= _WHOLE) & (column == np.trunc(column))
        return column.astype(np.int64) if whole.all() else column.astype(np.float64) + 0.0
    if kind in "mM":
        _raise_missing(np.isnat(column), name)
        return np.asarray(column.astype(str))
    if kind == "O":
        return _objects(column, name)
    if kind not in "iuUS":
        raise InputError(
            f"{name} has dtype {column.dtype}, which cannot name groups. Pass numbers or text."
        )
    return column


def hashed_groups(column: npt.NDArray[Any]) -> Hashes:
    """Numbers of 64 bits, one a row and the same for the same name; ``column`` is that of `as_groups`.

    >>> hashed_groups(np.array([7, 7, 8])).tolist() == hashed_groups(np.array([7.0, 7.0, 8.0])).tolist()
    True
    >>> a, b = hashed_groups(np.array(["x", "y"]))
    >>> bool(a != b)
    True
    """
    kind = column.dtype.kind
    if kind in "iu":
        return _mixed(column.astype(np.int64, copy=False).view(np.uint64))
    if kind == "f":
        whole = (np.abs(column) <= _WHOLE) & (column == np.trunc(column))
        found = _mixed(column.view(np.uint64) ^ np.uint64(0x5555555555555555))
        found[whole] = hashed_groups(column[whole].astype(np.int64))  # as where all are whole
        return found
    if kind == "O":
        codes: dict[Any, int] = {}
        place = np.fromiter((codes.setdefault(key, len(codes)) for key in column), np.intp)
        distinct: Any = list(codes)
    else:
        distinct, place = np.unique(column, return_inverse=True)
    found = np.array([_of_text(key) for key in distinct], dtype=np.uint64)
    return found[place]


def _objects(column: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Python objects: whole numbers become integers, all else stays."""
    kinds = {type(value) for value in column}
    if kinds <= {int, bool, np.int64, np.int32, np.bool_}:
        try:
            return column.astype(np.int64)
        except OverflowError:
            return column
    if kinds <= {float, int, np.float64, np.int64, np.float32, np.int32}:
        return as_groups(column.astype(np.float64), column.size, name)
    if kinds != {str}:
        _raise_missing(np.array([is_missing_value(value) for value in column], dtype=bool), name)
        for value in column:
            try:
                hash(value)
            except TypeError:
                raise InputError(
                    f"{name} holds {type(value).__name__} {value!r:.40}, which cannot name a group. Pass "
                    "numbers or text."
                ) from None
    return column


def _raise_missing(missing: Any, name: str) -> None:
    if missing.any():
        row = int(np.flatnonzero(missing)[0]) + 1
        raise InputError(
            f"{name} has no value in row {row}, so its group is unknown. Give each row that stands alone a "
            "group name of its own."
        )


def _mixed(bits: Hashes) -> Hashes:
    """All bits of a number spread over all bits (the finaliser of splitmix64, a bijection)."""
    found = bits + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found


def _of_text(value: Any) -> int:
    """A hash of the text of a value and of its kind."""
    text = value if isinstance(value, str | bytes) else f"{type(value).__name__} {value}"
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
