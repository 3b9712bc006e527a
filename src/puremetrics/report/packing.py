"""Columns of numbers as short text: what the page's script unpacks without losing a bit.

Zeros and ones become bits, whole numbers variable-length bytes, scores that are short decimals differences of
whole numbers, anything else stays binary; each is written in base 64.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["packed", "packed_scores", "packed_steps", "script_json"]

_LARGEST = 2**53


def packed(column: Any) -> dict[str, Any]:
    """Pack non-negative numbers; whole ones take about a byte each, zeros and ones a bit.

    >>> packed([1, 0, 300])
    {'t': 'v', 'b': 'AQCsAg=='}
    >>> packed([1, 0, 1])
    {'t': 'b', 'n': 3, 'b': 'BQ=='}
    """
    values = np.asarray(column, dtype=np.float64)
    if np.all((values == 0) | (values == 1)):
        bits = np.packbits(values.astype(bool), bitorder="little")
        return {"t": "b", "n": values.size, "b": _text(bits.tobytes())}
    whole = bool(np.all((values >= 0) & (values < _LARGEST) & (values == np.floor(values))))
    if whole:
        return {"t": "v", "b": _text(_varints(values.astype(np.uint64)))}
    return {"t": "f", "b": _text(values.astype("<f8").tobytes())}


def packed_scores(scores: FloatArray) -> dict[str, Any]:
    """Pack falling scores: as differences of whole numbers if they are decimals of few digits.

    >>> packed_scores(np.array([0.75, 0.5, 0.25]))
    {'t': 'd', 'k': 2, 's': 75, 'b': 'GRk='}
    """
    for digits in range(10):
        scaled = np.rint(scores * 10.0**digits)
        if np.abs(scaled).max() < _LARGEST and np.array_equal(scaled / 10.0**digits, scores):
            steps = (scaled[:-1] - scaled[1:]).astype(np.uint64)
            return {"t": "d", "k": digits, "s": int(scaled[0]), "b": _text(_varints(steps))}
    return {"t": "f", "b": _text(scores.astype("<f8").tobytes())}


def packed_steps(column: Any) -> dict[str, Any]:
    """Pack whole numbers that change little from one to the next, as differences of either sign.

    >>> packed_steps([300, 301, 300])
    {'t': 'z', 'b': '2AQCAQ=='}
    """
    steps = np.diff(np.asarray(column, dtype=np.int64), prepend=0)
    folded = np.where(steps < 0, -2 * steps - 1, 2 * steps).astype(np.uint64)
    return {"t": "z", "b": _text(_varints(folded))}


def script_json(content: Any) -> str:
    """JSON that cannot end or disturb the script element that holds it."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _varints(values: Any) -> bytes:
    out = bytearray()
    for value in values.tolist():
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
