"""Both passes over many segments: labelled scores first, then rows counted at them and between them.

**First pass** (`SegmentedScores`): the labelled scores of all rows, and of each segment its own. A segment is
cut at its own labelled scores, and has no histogram: memory grows with the labelled rows, not with the number
of segments times something. All segments share their columns: the labelled scores of one follow those of the
other, so that a hundred thousand of them cost what their rows cost.

**Second pass** (`SegmentedCounts`): rows are counted at the labelled scores of their segment and between
them. A segment with m labelled scores has 2m + 1 slots: below its first score, at it, between it and the
second one, and so on. The slots of one segment follow those of the other. Rows of many small segments are
looked up all at once; large segments are sorted one by one, which is faster where they are few.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.first_pass import MAX_LABELLED, LabelledScores
from puremetrics.io.packing import check_shapes, pack_segments, unpack_segments
from puremetrics.io.score_keys import NEGATIVE, POSITIVE, UNLABELED, Cuts, Int64
from puremetrics.io.second_pass import CutCounts, Tally
from puremetrics.scenarios import Scenario
from puremetrics.tables.segments import FlatTables, Segments, sorted_keys

__all__ = ["SegmentedCounts", "SegmentedCuts", "SegmentedScores"]


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
        """These cuts of segments with other cuts of all rows."""
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


_MANY_ROWS = 2048  # of a segment in one chunk: worth counting by itself
_MOST_ROWS = 1 << 22


class SlotTally(NamedTuple):
    """What a chunk adds to slots; each may be there more than once."""

    slot: Int64
    count: Any
    low: FloatArray
    high: FloatArray


class SegmentedCounts:
    """`CutCounts` of all rows, and for each slot of each segment its rows, lowest and highest score."""

    def __init__(self, cuts: SegmentedCuts) -> None:
        self.cuts = cuts
        self.total = CutCounts(cuts.total)
        slots = 2 * cuts.score.size + len(cuts.keys)
        self._counts: Int64 = np.zeros(slots, dtype=np.int64)
        self._low: FloatArray = np.full(slots, np.inf)
        self._high: FloatArray = np.full(slots, -np.inf)

    def update(self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]) -> None:
        """Take rows with the number of the segment of each, which ``keys`` lists."""
        for start in range(0, score.size, _MOST_ROWS):
            part = slice(start, start + _MOST_ROWS)
            own = score[part] + 0.0
            group = None if codes is None else codes[part]
            self.absorb_tallies(self.tallies(own, group, segment[part], keys))

    def tallies(
        self, score: FloatArray, codes: Any, segment: Any, keys: list[Any]
    ) -> tuple[SlotTally, list[Tally]]:
        """Sort the rows in place and count."""
        there = np.flatnonzero(np.bincount(segment, minlength=len(keys)))
        place = np.full(len(keys), -1, dtype=np.int64)
        for i in there:
            number = self.cuts.place.get(keys[i])
            if number is None:
                raise InputError(
                    f"Segment {keys[i]!r} was not there in the first pass: the source changed while it was "
                    "being read. Scan again."
                )
            place[i] = number
        numbers = place[segment]
        large = score.size >= _MANY_ROWS * there.size and 4 * score.size >= self.cuts.score.size
        found = (self._by_segment if large else self._by_row)(score, numbers)
        return found, self.total.tallies(score, codes)

    def _by_row(self, score: FloatArray, numbers: Int64) -> SlotTally:
        """Look every row up among the cuts of its segment, all rows a step of the search at a time."""
        cuts, ends = self.cuts.score, self.cuts.ends
        low, last = ends[numbers], ends[numbers + 1]
        if cuts.size:
            high = last.copy()
            for _ in range(int(np.diff(ends).max()).bit_length()):
                middle = (low + high) >> 1
                open_ = low < high
                below = open_ & (np.take(cuts, middle, mode="clip") < score)
                low = np.where(below, middle + 1, low)
                high = np.where(open_ & ~below, middle, high)
        slot = 2 * low + numbers
        if cuts.size:
            slot += (low < last) & (np.take(cuts, low, mode="clip") == score)
        kept = score.copy()  # the rows are sorted after this
        return SlotTally(slot, 1, kept, kept)

    def _by_segment(self, score: FloatArray, numbers: Int64) -> SlotTally:
        """Look the cuts of every segment up among its sorted rows."""
        short = numbers.astype(np.uint16) if len(self.cuts.keys) < 2**16 else numbers
        own = score[np.argsort(short, kind="stable")]
        sizes = np.bincount(numbers)
        parts, start = [], 0
        for number in np.flatnonzero(sizes):
            rows = own[start : start + sizes[number]]
            start += sizes[number]
            rows.sort()
            first, last = self.cuts.ends[number], self.cuts.ends[number + 1]
            cuts = self.cuts.score[first:last]
            bounds = np.empty(2 * cuts.size + 2, dtype=np.int64)
            bounds[0], bounds[-1] = 0, rows.size
            bounds[1:-1:2] = np.searchsorted(rows, cuts, side="left")
            bounds[2:-1:2] = np.searchsorted(rows, cuts, side="right")
            count = np.diff(bounds)
            filled = np.flatnonzero(count)
            ends = rows[bounds[filled]], rows[bounds[filled + 1] - 1]
            parts.append(SlotTally(2 * first + number + filled, count[filled], *ends))
        return SlotTally(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def absorb_tallies(self, tallies: tuple[SlotTally, list[Tally]]) -> None:
        """Add what `tallies` returned."""
        own, total = tallies
        self.total.absorb_tallies(total)
        np.add.at(self._counts, own.slot, own.count)
        np.minimum.at(self._low, own.slot, own.low)
        np.maximum.at(self._high, own.slot, own.high)

    def absorb(self, other: SegmentedCounts) -> None:
        """Add another state to this one; it must have the same cuts."""
        self.total.absorb(other.total)
        self._counts += other._counts
        np.minimum(self._low, other._low, out=self._low)
        np.maximum(self._high, other._high, out=self._high)

    def merge(self, other: SegmentedCounts) -> SegmentedCounts:
        """Return the state of both states' rows."""
        both = SegmentedCounts(self.cuts)
        both.absorb(self)
        both.absorb(other)
        return both

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return self.total.rows

    def refined(self) -> SegmentedCuts | None:
        """Finer cuts of the table of all rows, if its buckets hide more than they should."""
        finer = self.total.refined()
        return None if finer is None else self.cuts.with_total(finer)

    def to_segments(self, by: str, scenario: Scenario) -> Segments:
        """Return the tables."""
        cuts, keys = self.cuts, self.cuts.keys
        counts = np.zeros((3, self._counts.size), dtype=np.int64)
        at = 2 * np.arange(cuts.score.size) + 1
        at += np.repeat(np.arange(len(keys)), np.diff(cuts.ends))
        counts[POSITIVE][at], counts[NEGATIVE][at] = cuts.counts
        counts[UNLABELED] = self._counts - counts[POSITIVE] - counts[NEGATIVE]
        first = 2 * cuts.ends[:-1] + np.arange(len(keys))
        found = np.add.reduceat(self._counts, first)
        if counts.min(initial=0) < 0 or not np.array_equal(found, cuts.totals.sum(axis=1)):
            raise InputError(
                "Segments do not have as many rows as in the first pass: the source changed while it was "
                "being read. Scan again when nothing is writing to it."
            )
        pos, others = cuts.totals[:, POSITIVE], cuts.totals[:, UNLABELED] + cuts.totals[:, NEGATIVE]
        whole = (pos > 0) & (others > 0)
        own = np.repeat(np.arange(len(keys)), np.diff(np.append(first, self._counts.size)))
        keep = np.flatnonzero(whole[own] & (self._counts > 0))
        keep = keep[np.lexsort((-keep, own[keep]))]  # scores from the top
        sizes = np.bincount(own[keep], minlength=len(keys))[whole]
        tables = FlatTables(
            scenario,
            [key for key, there in zip(keys, whole, strict=True) if there],
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            self._low[keep],
            self._high[keep],
            counts[:, keep],
        )
        aside = {keys[i]: tuple(cuts.totals[i].tolist()) for i in np.flatnonzero(~whole)}
        return Segments(by, tables, self.total.to_table(scenario), aside)

    def to_bytes(self) -> bytes:
        """Return the counts as checked bytes."""
        arrays = {"counts": self._counts, "low": self._low, "high": self._high}
        return pack_segments("segmented counts", self.cuts.keys, self.total.to_bytes(), arrays)

    @classmethod
    def from_bytes(cls, data: bytes, cuts: SegmentedCuts) -> SegmentedCounts:
        """Return the counts that `to_bytes` stored."""
        keys, total, arrays = unpack_segments("segmented counts", data)
        slots = 2 * cuts.score.size + len(cuts.keys)
        check_shapes(arrays, counts=("i", (slots,)), low=("f", (slots,)), high=("f", (slots,)))
        if keys != cuts.keys:
            raise InputError("These counts were made at other cuts. Count again at these.")
        state = cls.__new__(cls)
        state.cuts = cuts
        state.total = CutCounts.from_bytes(total, cuts.total)
        state._counts, state._low, state._high = arrays["counts"], arrays["low"], arrays["high"]
        return state
