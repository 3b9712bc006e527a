"""Sorting and searching long arrays.

**The order of very many scores** (`order_of`), faster than by sorting indices. Sorting numbers is several
times as fast as sorting their indices where the machine sorts vectors. So the index of each score is written
into the low bits of its key, keys are sorted as plain integers, and the indices are read off. The high bits
have the score, as much of it as there is room for: the floats between the smallest and the largest score are
numbered, and of that number the last bits may be lost. Scores that differ in lost bits only are put in order
afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray

__all__ = ["in_pieces", "order_of", "places_in", "sort_in_place"]


_LONG = 1 << 21  # from this size on, parts are sorted side by side
_MOST_PARTS = 4
_BLOCK = 512
_PIECE = 1 << 16


def sort_in_place(values: FloatArray) -> None:
    """Sort an array; a long one in parts of equal size, one a processor.

    The array is partitioned first, so that no value of a part exceeds one of the next: sorted parts are
    then the sorted whole, whatever the number of processors.
    """
    parts = min(os.cpu_count() or 1, _MOST_PARTS)
    if values.size < _LONG or parts < 2:
        values.sort()
        return
    ends = [values.size * part // parts for part in range(1, parts)]
    values.partition(ends)
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(lambda part: part.sort(), np.split(values, ends)))


def in_pieces(work: Callable[[slice], None], size: int) -> None:
    """Do work on pieces of long arrays that stay in the cache, side by side if there are many."""
    pieces = [slice(start, start + _PIECE) for start in range(0, size, _PIECE)]
    parts = min(os.cpu_count() or 1, _MOST_PARTS)
    if size < _LONG or parts < 2:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(work, pieces))


def places_in(ascending: FloatArray, values: FloatArray) -> Any:
    """Number of elements below each value, as ``np.searchsorted``; both are sorted.

    In an array far longer than the cache every step of a binary search waits for memory. So every 512th
    element is searched first, and then the block that it leads to, all values at a time.
    """
    if ascending.size < _LONG or values.size < 1000:
        return np.searchsorted(ascending, values, side="left")
    block = np.searchsorted(ascending[::_BLOCK].copy(), values, side="left")
    place = np.maximum(block - 1, 0) * _BLOCK
    step = _BLOCK
    while step:
        ahead = np.minimum(place + step, ascending.size)
        place = np.where(ascending[ahead - 1] < values, ahead, place)
        step //= 2
    return place


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
