"""Random numbers that belong to a row: the same whichever rows come before it, and whoever reads it.

A row has a number, its place in the source or one made of its identifier. Mixed with a seed it gives the
row's keys: one that decides whether it is drawn, and one, independent of the first, that decides when it is
to be checked. Mixing is that of SplitMix64 (Steele, Lea, Flood 2014), twice over, and a permutation: distinct
numbers have distinct keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import as_generator
from puremetrics.exceptions import InputError

__all__ = ["Chance", "Keys", "numbers_of"]

Keys = npt.NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Chance:
    """The seeds of a draw; plain numbers, so that they can be sent to other machines.

    Examples
    --------
    >>> chance = Chance.of(0)
    >>> rows = np.arange(1000, dtype=np.uint64)
    >>> bool(np.all(chance.keys(rows)[500:] == chance.keys(rows[500:])))
    True
    """

    drawn: tuple[int, int]
    checked: tuple[int, int]

    @classmethod
    def of(cls, rng: Any) -> Chance:
        """The seeds that a seed or generator stands for."""
        made = as_generator(rng).integers(0, 2**64, size=4, dtype=np.uint64).tolist()
        return cls((made[0], made[1]), (made[2], made[3]))

    def keys(self, numbers: Keys) -> Keys:
        """Keys that decide which rows are drawn: those with the smallest."""
        return _keys(numbers, self.drawn)

    def order(self, numbers: Keys) -> Keys:
        """Keys that decide the order in which drawn rows are to be checked."""
        return _keys(numbers, self.checked)


def numbers_of(column: Any, name: str) -> Keys:
    """A number for each identifier in an Arrow array without missing values; equal ones have the same.

    Whole numbers are their own, of whichever width they are. All else counts as text.
    """
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else column.combine_chunks()
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_integer(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.int64).view(np.uint64)
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    try:
        if not binary and not pa.types.is_fixed_size_binary(kind):
            column = column.cast(pa.large_string())
        return _of_bytes(column.cast(pa.large_binary()))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InputError(
            f"Column {name!r} holds {kind}, which is not an identifier. Name a column of whole numbers or "
            "of text."
        ) from None


def _of_bytes(column: Any) -> Keys:
    """Hash the values of an Arrow array of bytes, eight bytes of all of them at a time."""
    if not len(column):
        return np.empty(0, dtype=np.uint64)
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    held = b"" if data is None else data[int(ends[0]) : int(ends[-1])].to_pybytes()
    padded = held + bytes(8)
    words = np.ndarray((len(padded) - 7,), dtype="<u8", buffer=padded, strides=(1,))
    start, length = ends[:-1] - ends[0], np.diff(ends)
    found = _mixed(length.astype(np.uint64) + _STEP)
    masks = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
    longer = np.flatnonzero(length > 0)
    at = 0
    while longer.size:
        word = words[start[longer] + at].astype(np.uint64)
        word &= masks[np.minimum(length[longer] - at, 8)]
        found[longer] = _mixed(_mixed(found[longer] ^ word) + _STEP)
        at += 8
        longer = longer[length[longer] > at]
    return found


def _keys(numbers: Keys, seeds: tuple[int, int]) -> Keys:
    first, second = (np.uint64(seed) for seed in seeds)
    return _mixed(_mixed(numbers * _STEP + first) ^ second)


def _mixed(values: Keys) -> Keys:
    """A permutation of 64-bit numbers in which every bit depends on all bits."""
    found = values ^ (values >> np.uint64(30))
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found
