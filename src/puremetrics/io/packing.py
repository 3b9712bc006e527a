"""Arrays as checked bytes: a magic word, a version, a header, the buffers, a checksum.

The same content always gives the same bytes, so equality of states is equality of bytes. Nothing is executed
when bytes are read, unlike with pickle.

`pack_many` and `pack_segments` make one run of checked bytes of the states of several columns or segments,
with the keys that name them.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import clean
from puremetrics.exceptions import InputError, PuremetricsError

__all__ = [
    "STRANGE",
    "check_shapes",
    "pack",
    "pack_many",
    "pack_segments",
    "unpack",
    "unpack_many",
    "unpack_segments",
]


# What bytes that somebody else has made up can lead to.
STRANGE = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)

_MAGIC = b"PMCT"
_VERSION = 1
_START = struct.Struct("<4sHI")
_DIGEST = 16


def pack(kind: str, plain: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return bytes that hold plain values (as JSON) and arrays (little-endian) under a checksum.

    >>> data = pack("example", {"size": 2}, {"x": np.array([1.5, 2.5])})
    >>> unpack(data, "example")[1]["x"]
    array([1.5, 2.5])
    """
    stored = {
        name: np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    shapes = {name: [array.dtype.str, list(array.shape)] for name, array in stored.items()}
    header = json.dumps(
        {"kind": kind, "plain": dict(plain), "arrays": shapes}, sort_keys=True, allow_nan=False
    ).encode()
    buffers = [stored[name].tobytes() for name in sorted(stored)]
    body = b"".join([_START.pack(_MAGIC, _VERSION, len(header)), header, *buffers])
    return body + hashlib.blake2b(body, digest_size=_DIGEST).digest()


def unpack(data: bytes, kind: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the plain values and the arrays; raise if the bytes are not whole or of another kind."""
    if len(data) < _START.size + _DIGEST or bytes(data[:4]) != _MAGIC:
        raise InputError("These bytes are not saved counts. Pass what to_bytes returned.")
    _, version, length = _START.unpack_from(data)
    if version != _VERSION:
        raise InputError(
            f"These counts were saved in format {version}, but this version reads {_VERSION}. Count again "
            "with one version of puremetrics."
        )
    body = memoryview(data)[:-_DIGEST]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != bytes(data[-_DIGEST:]):
        raise InputError("These saved counts are damaged (the checksum differs). Count again.")
    try:
        return _content(body, _START.size + length, kind)
    except PuremetricsError:
        raise
    except (*STRANGE, MemoryError, OverflowError):
        raise InputError(
            "These saved counts are not what this package writes. Count again."
        ) from None


def _content(
    body: memoryview, place: int, kind: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    header = json.loads(bytes(body[_START.size : place]))
    if header["kind"] != kind:
        found = clean(str(header["kind"]), 60)
        raise InputError(f"These bytes hold {found}, not {kind}. Pass those of {kind}.")
    arrays = {}
    for name in sorted(header["arrays"]):
        code, shape = header["arrays"][name]
        dtype = np.dtype(code)
        if dtype.kind not in "iufb" or any(size < 0 for size in shape):
            raise ValueError(code)
        count = math.prod(shape)
        flat = np.frombuffer(body, dtype=dtype, count=count, offset=place)
        arrays[name] = flat.reshape(shape).astype(dtype.newbyteorder("="))
        place += count * dtype.itemsize
    if place != len(body) or not isinstance(header["plain"], dict):
        raise ValueError(place)
    return header["plain"], arrays


def check_shapes(
    arrays: Mapping[str, npt.NDArray[Any]], **wanted: tuple[str, tuple[int, ...]]
) -> None:
    """Raise unless arrays have the kinds and shapes that they were saved with."""
    for name, (kind, shape) in wanted.items():
        found = arrays.get(name)
        if found is None or found.dtype.kind != kind or found.shape != shape:
            raise InputError(
                f"These saved counts are not what this package writes ({name!r} differs). Count again."
            )


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
