"""States of several columns or segments as one run of checked bytes, with the keys that name them."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.exceptions import InputError
from puremetrics.io.packing import pack, unpack

__all__ = ["pack_many", "pack_segments", "unpack_many", "unpack_segments"]

_DATES: dict[str, Any] = {
    "date": datetime.date,
    "datetime": datetime.datetime,
    "time": datetime.time,
}


def pack_many(kind: str, keys: list[Any], parts: list[bytes]) -> bytes:
    """Pack several packed states under their keys."""
    plain = {"keys": [_key_out(key) for key in keys], "sizes": [len(part) for part in parts]}
    return pack(kind, plain, {"data": np.frombuffer(b"".join(parts), dtype=np.uint8)})


def unpack_many(kind: str, data: bytes) -> tuple[list[Any], Iterator[bytes]]:
    """Return the keys, and the packed states one by one."""
    plain, arrays = unpack(data, kind)
    ends = np.cumsum([0, *plain["sizes"]])
    joined = arrays["data"].tobytes()
    parts = (joined[a:b] for a, b in pairwise(ends))
    return [_key_in(key) for key in plain["keys"]], parts


def pack_segments(
    kind: str, keys: list[Any], total: bytes, arrays: Mapping[str, npt.NDArray[Any]]
) -> bytes:
    """Pack columns that all segments share, and beside them the packed state of all rows."""
    whole = np.frombuffer(total, dtype=np.uint8)
    return pack(kind, {"keys": [_key_out(key) for key in keys]}, {"all rows": whole, **arrays})


def unpack_segments(kind: str, data: bytes) -> tuple[list[Any], bytes, dict[str, npt.NDArray[Any]]]:
    """Return the keys, the packed state of all rows, and the columns."""
    plain, arrays = unpack(data, kind)
    total = arrays.pop("all rows").tobytes()
    return [_key_in(key) for key in plain["keys"]], total, arrays


def _key_out(key: Any) -> Any:
    if key is None or isinstance(key, str | bool | int | float):
        return key
    if isinstance(key, decimal.Decimal):
        return {"type": "decimal", "value": str(key)}
    for name, kind in _DATES.items():
        if type(key) is kind:
            return {"type": name, "value": key.isoformat()}
    raise InputError(
        f"A segment is {key!r}, of type {type(key).__name__}. Segments can be text, numbers, dates or times."
    )


def _key_in(stored: Any) -> Any:
    if not isinstance(stored, dict):
        return stored
    if stored["type"] == "decimal":
        return decimal.Decimal(stored["value"])
    return _DATES[stored["type"]].fromisoformat(stored["value"])
