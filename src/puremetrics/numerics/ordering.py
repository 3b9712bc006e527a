"""The order of very many scores, faster than by sorting indices.

Sorting numbers is several times as fast as sorting their indices where the machine sorts vectors. So the
index of each score is written into the low bits of its key, keys are sorted as plain integers, and the
indices are read off. The high bits have the score, as much of it as there is room for: the floats between
the smallest and the largest score are numbered, and of that number the last bits may be lost. Scores that
differ in lost bits only are put in order afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray

__all__ = ["order_of"]

_FEW = 1 << 14  # rows whose indices are sorted as they are
_SAMPLE, _DISTINCT = 1024, 0.75  # where many are tied, sorting indices is as fast
_MANY_LOST = 8  # part of the rows from which on putting in order afterwards costs more


def order_of(values: FloatArray) -> npt.NDArray[np.intp]:
    """Indices of finite numbers in increasing order; equal ones in any order.

    >>> order_of(np.array([0.5, -1.0, 0.25]))
    array([1, 2, 0])
    """
    size = values.size
    if size < _FEW or np.unique(values[:: size // _SAMPLE]).size < _DISTINCT * _SAMPLE:
        return np.argsort(values)
    keys = _numbered(values)
    used = int(np.bitwise_or.reduce(keys))
    keys >>= max((used & -used).bit_length() - 1, 0)  # scores of single precision end with zeros
    room = 63 - (size - 1).bit_length()
    lost = max(int(keys.max()).bit_length() - room, 0)
    keys >>= lost
    keys <<= 63 - room
    keys |= np.arange(size)
    keys.sort()
    order = keys & ((1 << (63 - room)) - 1)
    if lost:
        keys >>= 63 - room
        _mend(order, keys, values)
    return order


def _numbered(values: FloatArray) -> npt.NDArray[np.int64]:
    """Numbers in the order of the floats, from 0; -0.0 is 0.0."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)
    bits ^= (bits >> 63) & np.int64(2**63 - 1)
    smallest = bits.min()
    if (
        int(bits.max()) - int(smallest) >= 2**63
    ):  # both signs, and nearly all there is: half as fine
        bits >>= 1
        smallest = bits.min()
    bits -= smallest
    return bits


def _mend(order: npt.NDArray[np.intp], keys: Any, values: FloatArray) -> None:
    """Put scores in order whose keys are alike."""
    alike = np.zeros(order.size, dtype=np.bool_)
    np.equal(keys[1:], keys[:-1], out=alike[1:])
    alike[:-1] |= alike[1:]
    members = np.flatnonzero(alike)
    found = values[order[members]]
    if (found[1:] >= found[:-1]).all():
        return
    if members.size * _MANY_LOST > order.size:
        order[:] = np.argsort(values)
        return
    order[members] = order[members[np.argsort(found)]]
