"""Random rows of each stratum, drawn while rows stream by: the same whoever reads them, in any order.

**Random numbers that belong to a row** (`Chance`): the same whichever rows come before it, and whoever reads
it. A row has a number, its place in the source or one made of its identifier. Mixed with a seed it gives the
row's keys: one that decides whether it is drawn, and one, independent of the first, that decides when it is
to be checked. Mixing is that of SplitMix64 (Steele, Lea, Flood 2014), twice over, and a permutation: distinct
numbers have distinct keys.

**The rows with the smallest keys** (`Reservoir`) of each stratum are kept. If keys are random, these rows are
a random sample of the stratum. Which they are depends on nothing else: parts of the rows may be taken in any
order and grouping, and what was kept of them put together.

**A pass that draws** (`Sampling`): of each batch, rows of each stratum come by, and some stay. It needs
neither the plan nor what belongs to it, so that it can be sent to other machines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import as_generator
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.batches import Chunk
from puremetrics.io.score_keys import UNLABELED, Int64

__all__ = ["Chance", "Keys", "Reservoir", "Sampling", "numbers_of", "objects"]


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


_PENDING, _TIMES = 64, 2
_KEY, _STRATUM = "key", "stratum"


class Reservoir:
    """Holds so many rows of each stratum, and counts all that came by.

    Parameters
    ----------
    wanted : ndarray of int
        Rows to keep of each stratum.

    Examples
    --------
    >>> kept = Reservoir(np.array([1, 2]))
    >>> keys = np.array([5, 3, 9, 1, 7], dtype=np.uint64)
    >>> kept.take(np.array([0, 0, 1, 1, 1]), keys, lambda at: {"row": at})
    >>> kept.rows()["row"].tolist(), kept.found.tolist()
    ([1, 3, 4], [2, 3])
    """

    def __init__(self, wanted: Any) -> None:
        self.wanted: Int64 = np.asarray(wanted).astype(np.int64)
        self.found: Int64 = np.zeros(self.wanted.size, dtype=np.int64)
        self.seen = 0  # rows of any kind, if somebody counts them
        self._largest = np.full(self.wanted.size, np.iinfo(np.uint64).max, dtype=np.uint64)
        self._largest[self.wanted == 0] = 0
        self._parts: list[dict[str, Any]] = []
        self._waiting = 0

    def take(self, stratum: Any, key: Keys, columns: Callable[[Any], Mapping[str, Any]]) -> None:
        """Let rows come by; ``columns`` returns what is to be kept of those at given places among them."""
        self.found += np.bincount(stratum, minlength=self.found.size)
        near = np.flatnonzero(key <= self._largest[stratum])
        near = near[_smallest(stratum[near], key[near], self.wanted)]
        if near.size:
            self._add({_STRATUM: stratum[near], _KEY: key[near], **columns(near)})

    def absorb(self, found: Any, rows: Mapping[str, Any]) -> None:
        """Put in the counts and the rows of another one."""
        self.found += found
        if rows:
            self._add(dict(rows))

    def rows(self) -> dict[str, Any]:
        """What was kept, by stratum and key; empty if nothing came by."""
        self._settle()
        return self._parts[0] if self._parts else {}

    def first(self, wanted: Any) -> dict[str, Any]:
        """What fewer rows of each stratum would have been kept."""
        held = self.rows()
        kept = _smallest(held[_STRATUM], held[_KEY], np.asarray(wanted))
        return {name: column[kept] for name, column in held.items()}

    def _add(self, part: dict[str, Any]) -> None:
        self._parts.append(part)
        self._waiting += part[_KEY].size
        if self._waiting > _TIMES * max(_PENDING, int(self.wanted.sum())):
            self._settle()  # the sooner, the fewer of the next rows need to be sorted

    def _settle(self) -> None:
        if not self._parts:
            return
        held = {
            name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]
        }
        kept = _smallest(held[_STRATUM], held[_KEY], self.wanted)
        held = {name: column[kept] for name, column in held.items()}
        self._parts, self._waiting = [held], 0
        per = np.bincount(held[_STRATUM], minlength=self.wanted.size)
        ends = np.cumsum(per)
        full = np.flatnonzero((per == self.wanted) & (per > 0))
        self._largest[full] = held[_KEY][ends[full] - 1]


def _smallest(stratum: Any, key: Keys, wanted: Int64) -> Any:
    """Places of the smallest keys of each stratum, by stratum and key."""
    order = np.lexsort((key, stratum))
    per = np.bincount(stratum, minlength=wanted.size)
    rank = np.arange(order.size) - np.repeat(np.cumsum(per) - per, per)
    return order[rank < np.repeat(wanted, per)]


@dataclass(frozen=True, eq=False)
class Sampling:
    """So many unlabeled rows of each stratum, and which columns of them are kept.

    Attributes
    ----------
    edges : ndarray
        Rising scores, each of which begins a stratum.
    wanted : ndarray of int
        Rows of each stratum, the one below all edges first.
    score : str
        The column whose scores the edges are.
    kept : tuple of str
        Columns to keep besides the scores.
    chance : Chance
    """

    edges: FloatArray
    wanted: Int64
    score: str
    kept: tuple[str, ...]
    chance: Chance

    def take(
        self, rows: Reservoir, chunk: Chunk, batch: Any, numbers: Callable[[Any], Keys]
    ) -> None:
        """Let a batch come by; ``numbers`` gives those of rows at given places in it."""
        unlabeled = np.flatnonzero(chunk.codes == UNLABELED)
        scores = {column: score[unlabeled] + 0.0 for column, score in chunk.scores.items()}
        own = numbers(unlabeled)

        def columns(at: Any) -> dict[str, Any]:
            found = {"number": own[at], "order": self.chance.order(own[at])}
            found |= {f"score {column}": score[at] for column, score in scores.items()}
            return found | {
                f"kept {name}": objects(_at(batch.column(name), unlabeled[at]))
                for name in self.kept
            }

        stratum = np.searchsorted(self.edges, scores[self.score], side="right")
        rows.take(stratum, self.chance.keys(own), columns)


def objects(column: Any) -> Any:
    """Values of an Arrow array as they are in Python."""
    found = np.empty(len(column), dtype=object)
    for at, value in enumerate(column.to_pylist()):
        found[at] = value
    return found


def _at(column: Any, rows: Any) -> Any:
    import pyarrow as pa

    return column.take(pa.array(rows, pa.int64()))
