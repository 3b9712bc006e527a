"""Second pass over many segments: rows counted at the labelled scores of their segment and between them.

A segment with m labelled scores has 2m + 1 slots: below its first score, at it, between it and the second
one, and so on. The slots of one segment follow those of the other. Rows of many small segments are looked up
all at once; large segments are sorted one by one, which is faster where they are few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.cuts import CutCounts, Tally
from puremetrics.io.cutting import NEGATIVE, POSITIVE, UNLABELED
from puremetrics.io.keys import Int64
from puremetrics.io.packing import check_shapes
from puremetrics.io.segment_bytes import pack_segments, unpack_segments
from puremetrics.io.segmented import SegmentedCuts
from puremetrics.scenarios import Scenario
from puremetrics.tables.flat import FlatTables
from puremetrics.tables.segments import Segments

__all__ = ["SegmentedCounts"]

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
                    f"Segment {keys[i]!r} was not there in the first pass: the source has changed while "
                    "it was read. Scan again."
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
                "Segments do not have as many rows as in the first pass: the source has changed while it "
                "was read. Scan again when nobody writes to it."
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
