"""Sorting and searching long arrays."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["in_pieces", "places_in", "sort_in_place"]

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
