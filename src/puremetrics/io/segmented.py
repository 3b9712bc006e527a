"""First pass over many segments: labelled scores of all rows, and of each segment its own.

A segment is cut at its own labelled scores, and has no histogram: memory grows with the labelled rows, not
with the number of segments times something. All segments share their columns: the labelled scores of one
follow those of the other, so that a hundred thousand of them cost what their rows cost.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.cutting import NEGATIVE, POSITIVE, UNLABELED, Cuts
from puremetrics.io.keys import Int64
from puremetrics.io.labelled import MAX_LABELLED, LabelledScores
from puremetrics.io.packing import check_shapes
from puremetrics.io.segment_bytes import pack_segments, unpack_segments
from puremetrics.tables.segments import sorted_keys

__all__ = ["SegmentedCuts", "SegmentedScores"]

_PENDING = 1 << 20
_STRANGE = "These saved counts are not what this package writes. Count again."


class Cells(NamedTuple):
    """Distinct labelled scores of the segments, by number and score, with positives and negatives at each."""

    number: Int64
    score: FloatArray
    counts: Int64

    @staticmethod
    def joined(parts: list[Cells]) -> Cells:
        """All of them, each score of a segment once."""
        number = np.concatenate([part.number for part in parts])
        score = np.concatenate([part.score for part in parts])
        counts = np.concatenate([part.counts for part in parts], axis=1)
        order = np.lexsort((score, number))
        number, score, counts = number[order], score[order], counts[:, order]
        first = np.ones(number.size, dtype=np.bool_)
        first[1:] = (number[1:] != number[:-1]) | (score[1:] != score[:-1])
        starts = np.flatnonzero(first)
        added = np.add.reduceat(counts, starts, axis=1) if starts.size else counts
        return Cells(number[starts], score[starts], added)

    @staticmethod
    def empty() -> Cells:
        """Those of no rows."""
        return Cells(np.zeros(0, np.int64), np.empty(0), np.zeros((2, 0), np.int64))


class SegmentedScores:
    """`LabelledScores` of all rows, and the distinct labelled scores and totals of each segment."""

    def __init__(self, max_labelled: int = MAX_LABELLED) -> None:
        self.total = LabelledScores(max_labelled)
        self.numbers: dict[Any, int] = {}
        self.totals: Int64 = np.zeros((0, 3), dtype=np.int64)
        self._cells = [Cells.empty()]
        self._waiting = 0

    def update(self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]) -> None:
        """Take rows with the number of the segment of each, which ``keys`` lists."""
        self.absorb(self.summary(score + 0.0, codes, segment, keys))

    def summary(
        self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]
    ) -> SegmentedScores:
        """The state of these rows alone."""
        part = SegmentedScores(self.total.max_labelled)
        part.total = self.total.summary(score, codes)
        sizes = np.bincount(segment * 3 + codes, minlength=3 * len(keys)).reshape(-1, 3)
        there = np.flatnonzero(sizes.any(axis=1))
        part.numbers = {keys[i]: number for number, i in enumerate(there)}
        part.totals = sizes[there].astype(np.int64)
        number_of = np.zeros(len(keys), dtype=np.int64)
        number_of[there] = np.arange(there.size)
        labelled = np.flatnonzero(np.asarray(codes) != UNLABELED)
        kinds = np.asarray(codes)[labelled]
        counts = np.stack([kinds == POSITIVE, kinds == NEGATIVE]).astype(np.int64)
        own = Cells(number_of[segment[labelled]], score[labelled], counts)
        part._cells = [Cells.joined([own])]
        part._waiting = part._cells[0].score.size
        return part

    def absorb(self, other: SegmentedScores) -> None:
        """Add another state to this one."""
        self.total.absorb(other.total)
        place = np.array(
            [self.numbers.setdefault(key, len(self.numbers)) for key in other.numbers], np.int64
        )
        more = len(self.numbers) - len(self.totals)
        self.totals = np.concatenate([self.totals, np.zeros((more, 3), np.int64)])
        self.totals[place] += other.totals
        self._cells += [cells._replace(number=place[cells.number]) for cells in other._cells]
        self._waiting += sum(cells.score.size for cells in other._cells)
        if self._waiting > max(_PENDING, self._cells[0].score.size):
            self._settle()

    def _settle(self) -> Cells:
        if len(self._cells) > 1:
            self._cells = [Cells.joined(self._cells)]
            self._waiting = 0
        return self._cells[0]

    def merge(self, other: SegmentedScores) -> SegmentedScores:
        """Return the state of both states' rows."""
        both = SegmentedScores(self.total.max_labelled)
        both.absorb(self)
        both.absorb(other)
        return both

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.total.rows

    def _in_order(self) -> tuple[list[Any], Int64, Cells]:
        """Keys, totals and cells in the order of the keys, however they were put together."""
        keys = sorted_keys(self.numbers)
        order = np.array([self.numbers[key] for key in keys], np.int64)
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        cells = self._settle()
        return keys, self.totals[order], Cells.joined([cells._replace(number=place[cells.number])])

    def cuts(self, *, pieces: int = 4096, buckets: int = 16384) -> SegmentedCuts:
        """Cuts of all rows, and of each segment its own labelled scores."""
        keys, totals, cells = self._in_order()
        sizes = np.bincount(cells.number, minlength=len(keys))
        if sizes.max(initial=0) > self.total.max_labelled:
            raise InputError(
                f"A segment has more than {self.total.max_labelled} distinct labelled scores. Pass a "
                "larger max_labelled, or scan the segments one by one."
            )
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        whole = self.total.cuts(pieces=pieces, buckets=buckets)
        return SegmentedCuts(whole, keys, totals, ends, cells.score, cells.counts)

    def to_bytes(self) -> bytes:
        """Return the state as checked bytes."""
        keys, totals, cells = self._in_order()
        arrays = {"totals": totals, **cells._asdict()}
        return pack_segments("segmented scores", keys, self.total.to_bytes(), arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> SegmentedScores:
        """Return the state that `to_bytes` stored."""
        keys, total, arrays = unpack_segments("segmented scores", data)
        size = arrays["score"].size
        check_shapes(
            arrays, totals=("i", (len(keys), 3)), number=("i", (size,)), score=("f", (size,)),
            counts=("i", (2, size)),
        )  # fmt: skip
        if not _between(arrays["number"], 0, len(keys) - 1):
            raise InputError(_STRANGE)
        state = cls()
        state.total = LabelledScores.from_bytes(total)
        state.numbers = {key: number for number, key in enumerate(keys)}
        state.totals = arrays["totals"]
        state._cells = [Cells(arrays["number"], arrays["score"], arrays["counts"])]
        state._waiting = size
        return state


class SegmentedCuts:
    """`Cuts` of all rows, and the labelled scores of each segment, one after the other.

    Those of segment k are ``score[ends[k]:ends[k + 1]]``, increasing, with positives and negatives at each
    in ``counts``; ``totals`` are its positive, unlabeled and negative rows.
    """

    def __init__(
        self,
        total: Cuts,
        keys: list[Any],
        totals: Int64,
        ends: Int64,
        score: FloatArray,
        counts: Int64,
    ) -> None:
        self.total, self.keys, self.totals = total, keys, totals
        self.ends, self.score, self.counts = ends, score, counts
        self.place = {key: place for place, key in enumerate(keys)}

    @property
    def exact(self) -> bool:
        """Whether rows can be counted without their labels."""
        return self.total.exact

    def with_total(self, total: Cuts) -> SegmentedCuts:
        """The same with other cuts of all rows."""
        return SegmentedCuts(total, self.keys, self.totals, self.ends, self.score, self.counts)

    def to_bytes(self) -> bytes:
        """Return the cuts as checked bytes."""
        arrays = {
            "totals": self.totals, "ends": self.ends, "score": self.score, "counts": self.counts,
        }  # fmt: skip
        return pack_segments("segmented cuts", self.keys, self.total.to_bytes(), arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> SegmentedCuts:
        """Return the cuts that `to_bytes` stored."""
        keys, total, arrays = unpack_segments("segmented cuts", data)
        size = arrays["score"].size
        check_shapes(
            arrays, totals=("i", (len(keys), 3)), ends=("i", (len(keys) + 1,)),
            score=("f", (size,)), counts=("i", (2, size)),
        )  # fmt: skip
        ends = arrays["ends"]
        if ends[0] != 0 or ends[-1] != size or not _between(np.diff(ends), 0, size):
            raise InputError(_STRANGE)
        names = ("totals", "ends", "score", "counts")
        return cls(Cuts.from_bytes(total), keys, *(arrays[name] for name in names))

    def digest(self) -> str:
        """A short name of these cuts."""
        return hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()


def _between(numbers: Int64, low: int, high: int) -> bool:
    """Whether all numbers lie from low to high."""
    return not numbers.size or bool(numbers.min() >= low and numbers.max() <= high)
