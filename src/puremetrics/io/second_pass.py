"""Second pass: rows counted at the cuts and between them, as a state that merges.

A chunk of rows is sorted, and the cuts are looked up in it (or the rows in the cuts, whichever are
fewer). Between two cuts a run keeps its number of rows, its lowest and highest score and, for
probabilities, the sum of its scores. Sums are whole numbers of 2⁻⁴⁰, so they do not depend on the order of
adding; each score is off by at most 2⁻⁴¹.

If all labelled scores are cuts, their counts are known from the first pass. Then rows are counted
without looking at labels: whatever is not labelled is unlabeled, and what remains below zero says that
the source has changed between the passes.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.packing import check_shapes, pack, unpack
from puremetrics.io.score_keys import (
    NEGATIVE,
    POSITIVE,
    UNLABELED,
    Cuts,
    Int64,
    coarse_groups,
    split_runs,
)
from puremetrics.scenarios import Scenario
from puremetrics.tables.rows import Rows, Runs
from puremetrics.tables.score_table import ScoreTable

__all__ = ["CutCounts", "Tally"]


_SCALE = 2.0**40
_MOST_ROWS = (1 << 24) - 1  # at a time: sums of so many scores stay below 2**64
_BLOCK = 1 << 16
_HALF = np.int64(2**32 - 1)


class Tally(NamedTuple):
    """What one sorted chunk of one kind adds.

    ``run`` and ``at`` say which runs and cuts it is about: all (slices), if cuts are fewer than rows, or
    the occupied ones.
    """

    run: Any
    in_run: Int64
    low: FloatArray
    high: FloatArray
    sums: Int64 | None
    at: Any
    at_cut: Int64


class CutCounts:
    """Counts of rows at each cut and in each run between cuts.

    Examples
    --------
    >>> cuts = Cuts(np.array([5.0]), np.array([1]), np.array([0]), (1, 5, 0), False)
    >>> counts = CutCounts(cuts)
    >>> counts.update(np.array([9.0, 8, 7, 5, 2, 1]))
    >>> table = counts.to_table("case_control")
    >>> table.score, table.n_unl
    (array([7., 5., 1.]), array([3, 0, 2]))
    """

    def __init__(self, cuts: Cuts) -> None:
        self.cuts = cuts
        size = cuts.score.size
        groups = 1 if cuts.exact else 3
        self._counts: Int64 = np.zeros((groups, 2 * size + 1), dtype=np.int64)
        self._low: FloatArray = np.full(size + 1, np.inf)
        self._high: FloatArray = np.full(size + 1, -np.inf)
        shape = (groups, size + 1) if cuts.sums else (groups, 0)
        self._upper: Int64 = np.zeros(shape, dtype=np.int64)
        self._lower: Int64 = np.zeros(shape, dtype=np.int64)
        self._own = threading.local()

    # ------------------------------------------------------------ counting

    def update(self, score: FloatArray, codes: Any = None) -> None:
        """Take rows: finite float64 scores and, unless ``cuts.exact``, the codes of the groups."""
        for start in range(0, score.size, _MOST_ROWS):
            part = slice(start, start + _MOST_ROWS)
            own = np.array(score[part], dtype=np.float64)
            self.absorb_tallies(self.tallies(own, None if codes is None else codes[part]))

    def tallies(self, score: FloatArray, codes: Any = None) -> list[Tally]:
        """Sort the rows in place and count; may run in several threads, unlike `absorb_tallies`.

        What one thread has counted must be absorbed before it counts again.
        """
        if score.size > _MOST_ROWS:
            raise InputError(f"At most {_MOST_ROWS} rows are counted at a time.")
        if self.cuts.exact:
            return [self._tally(score)]
        if codes is None:
            raise InputError("Buckets need the kinds of the rows: pass codes.")
        kinds = (POSITIVE, UNLABELED, NEGATIVE)
        return [self._tally(score[codes == kind]) for kind in kinds]

    def absorb_tallies(self, tallies: list[Tally]) -> None:
        """Add what `tallies` returned."""
        for kind, tally in enumerate(tallies):
            counts, run = self._counts[kind], tally.run
            counts[::2][run] += tally.in_run
            counts[1::2][tally.at] += tally.at_cut
            if isinstance(run, slice):
                np.minimum(self._low, tally.low, out=self._low)
                np.maximum(self._high, tally.high, out=self._high)
            else:
                self._low[run] = np.minimum(self._low[run], tally.low)
                self._high[run] = np.maximum(self._high[run], tally.high)
            if tally.sums is not None:
                self._lower[kind, run] += tally.sums & _HALF
                unsigned = tally.sums.view(np.uint64)  # of many rows it may pass 2**63
                unsigned >>= np.uint64(32)
                self._upper[kind, run] += tally.sums

    def _tally(self, score: FloatArray) -> Tally:
        score.sort()
        if 4 * score.size < self.cuts.score.size:
            return self._sparse_tally(score)
        return self._dense_tally(score)

    def _sparse_tally(self, score: FloatArray) -> Tally:
        """Look the rows up in the cuts."""
        cuts, rows = self.cuts.score, score.size
        place = np.searchsorted(cuts, score, side="left")
        tied = np.zeros(rows, dtype=np.int64)
        inside = place < cuts.size
        tied[inside] = cuts[place[inside]] == score[inside]
        slots = 2 * place + tied
        starts = np.flatnonzero(np.diff(slots, prepend=-1))
        slot, count = slots[starts], np.diff(starts, append=rows)
        between = (slot & 1) == 0
        first, size = starts[between], count[between]
        low, high = score[first] + 0.0, score[first + size - 1] + 0.0
        sums = None
        if self.cuts.sums:
            sums = np.concatenate([[0], np.cumsum(_whole_in_place(score))])
            sums = sums[first + size] - sums[first]
        at, run = slot[~between] >> 1, slot[between] >> 1
        return Tally(run, size, low, high, sums, at, count[~between])

    def _dense_tally(self, score: FloatArray) -> Tally:
        """Look the cuts up in the rows."""
        cuts, rows = self.cuts.score, score.size
        if not rows:
            return self._sparse_tally(score)
        end, start, place, sums = (self._scratch(i, np.int64) for i in range(4))
        low, high = (self._scratch(i, np.float64) for i in range(4, 6))
        end[:-1] = np.searchsorted(score, cuts, side="left")
        end[-1] = rows
        start[0], start[1:] = 0, end[:-1]
        found = np.take(score, end[:-1], out=low[:-1], mode="clip")
        tie = np.flatnonzero(found == cuts)
        start[tie + 1] = np.searchsorted(score, cuts[tie], side="right")
        np.take(score, start, out=low, mode="clip")
        np.take(score, np.subtract(end, 1, out=place), out=high, mode="clip")
        low += 0.0  # -0.0 becomes 0.0
        high += 0.0
        if self.cuts.sums:
            whole = _whole_in_place(score)
            np.cumsum(whole, out=whole)  # modulo 2⁶⁴: at most 2⁴⁰ a row, fewer than 2²⁴ rows
            np.take(whole, place, out=sums, mode="clip")
            np.take(whole, np.subtract(start, 1, out=place), out=place, mode="clip")
            place[: np.searchsorted(start, 1)] = 0
            sums -= place
        in_run = np.subtract(end, start, out=place)
        at_cut = np.subtract(start[1:], end[:-1], out=end[:-1])
        empty = in_run == 0
        np.putmask(low, empty, np.inf)
        np.putmask(high, empty, -np.inf)
        np.putmask(sums, empty, 0)
        return Tally(
            slice(None), in_run, low, high, sums if self.cuts.sums else None, slice(None), at_cut
        )

    def _scratch(self, number: int, kind: Any) -> Any:
        """Memory of this thread that the next chunk uses again; fresh memory costs more than counting."""
        if not self.cuts.exact:  # several groups wait to be added up
            return np.empty(self.cuts.score.size + 1, dtype=kind)
        own: dict[Any, Any] = self._own.__dict__
        if number not in own:
            own[number] = np.empty(self.cuts.score.size + 1, dtype=kind)
        return own[number]

    def absorb(self, other: CutCounts) -> None:
        """Add another state to this one; it must have the same cuts."""
        if other.cuts is not self.cuts and other.cuts.to_bytes() != self.cuts.to_bytes():
            raise InputError("Counts at different cuts cannot be added up. Use the same cuts.")
        self._counts += other._counts
        np.minimum(self._low, other._low, out=self._low)
        np.maximum(self._high, other._high, out=self._high)
        self._upper += other._upper
        self._lower += other._lower

    def merge(self, other: CutCounts) -> CutCounts:
        """Return the state of both states' rows."""
        both = CutCounts(self.cuts)
        both.absorb(self)
        both.absorb(other)
        return both

    # ------------------------------------------------------------ reading

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return int(self._counts.sum())

    def refined(self) -> Cuts | None:
        """Finer cuts if buckets hide more than they should: count again with these; else None.

        Never needed where ``cuts.exact``.
        """
        if self.cuts.exact:
            return None
        self._check_complete()
        pos, others = self._counts[0], self._counts[1] + self._counts[2]
        low, high = self._ends()
        further = split_runs(pos, others, low, high, self.cuts.buckets)
        score = np.union1d(self.cuts.score, further)
        if score.size == self.cuts.score.size:
            return None
        return Cuts(score, None, None, self.cuts.totals, self.cuts.sums, self.cuts.buckets)

    def to_table(self, scenario: Scenario) -> ScoreTable:
        """Return the table: exact at labelled scores, or of buckets with certified brackets."""
        self._check_complete()
        rows, runs = (self._exact_rows if self.cuts.exact else self._bucket_rows)()
        return ScoreTable._scanned(scenario, rows._replace(runs=runs))

    def _exact_rows(self) -> tuple[Rows, Runs]:
        """Rows at the cuts and between them; one column after the other, to spare memory."""
        assert self.cuts.n_pos is not None
        assert self.cuts.n_neg is not None
        unl = self._counts[0].copy()
        unl[1::2] -= self.cuts.n_pos
        unl[1::2] -= self.cuts.n_neg
        if unl.min(initial=0) < 0:
            raise InputError(
                "Fewer rows have a labelled score than in the first pass: the source changed while it was "
                "being read. Scan again when nothing is writing to it."
            )
        keep = np.flatnonzero(self._counts[0])[::-1]
        columns = [np.zeros(unl.size, dtype=np.int64) for _ in range(2)]
        columns[0][1::2], columns[1][1::2] = self.cuts.n_pos, self.cuts.n_neg
        pos = columns[0][keep]
        neg: Int64 = np.broadcast_to(np.int64(0), keep.size)
        if self.cuts.totals[2]:
            neg = columns[1][keep]
        del columns
        sums = None
        if self.cuts.sums:
            of_slot = np.empty(unl.size)
            of_slot[1::2] = unl[1::2] * self.cuts.score
            of_slot[::2] = self._run_sums()[0]
            sums = [of_slot[keep]]
            del of_slot
        unl = unl[keep]
        ends = []
        for own in (self._low, self._high):
            of_slot = np.empty(self._counts.shape[1])
            of_slot[::2], of_slot[1::2] = own, self.cuts.score
            ends.append(of_slot[keep])
        rows = Rows.of(ends[0], [pos, unl, neg])
        return rows, Runs.of(np.broadcast_to(np.False_, keep.size), ends[1], sums)

    def _bucket_rows(self) -> tuple[Rows, Runs]:
        """Rows at the cuts and between them, joined where that hides little."""
        columns = self._counts
        low, high = self._ends()
        sums = np.zeros(columns.shape)
        if self.cuts.sums:
            sums[:, 1::2] = columns[:, 1::2] * self.cuts.score
            sums[:, ::2] = self._run_sums()
        keep = columns.sum(axis=0) > 0
        columns, low, high, sums = columns[:, keep], low[keep], high[keep], sums[:, keep]
        starts = coarse_groups(columns[0], columns[1] + columns[2], self.cuts.buckets)
        columns, sums = (np.add.reduceat(part, starts, axis=1) for part in (columns, sums))
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        hidden: BoolArray = (low < high) & (columns[0] > 0)
        down = slice(None, None, -1)
        rows = Rows.of(low[down].copy(), [column[down].copy() for column in columns])
        kept = [part[down].copy() for part in sums] if self.cuts.sums else None
        return rows, Runs.of(hidden[down].copy(), high[down].copy(), kept)

    def _run_sums(self) -> FloatArray:
        return np.asarray((self._upper * 2.0**32 + self._lower) / _SCALE)

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest score of every slot."""
        low, high = np.empty((2, self._counts.shape[1]))
        low[::2], high[::2] = self._low, self._high
        low[1::2] = high[1::2] = self.cuts.score
        return low, high

    def _check_complete(self) -> None:
        expected = sum(self.cuts.totals)
        found = self.rows
        groups = tuple(int(n) for n in self._counts.sum(axis=1))
        if found != expected or (not self.cuts.exact and groups != tuple(self.cuts.totals)):
            raise InputError(
                f"{found} rows were counted, but the first pass saw {expected}: the source changed while it "
                "was being read, or parts are missing. Scan again."
            )

    # ------------------------------------------------------------ storing

    def to_bytes(self) -> bytes:
        """Return the counts as checked bytes, without the cuts, whose digest they carry."""
        carry = self._lower >> 32  # one representation of each sum, however it was put together
        self._upper += carry
        self._lower -= carry << 32
        arrays = {
            "counts": self._counts,
            "low": self._low,
            "high": self._high,
            "upper": self._upper,
            "lower": self._lower,
        }
        return pack("cut counts", {"cuts": self.cuts.digest()}, arrays)

    @classmethod
    def from_bytes(cls, data: bytes, cuts: Cuts) -> CutCounts:
        """Return the counts that `to_bytes` stored; the cuts must be those they were made with."""
        plain, arrays = unpack(data, "cut counts")
        if plain["cuts"] != cuts.digest():
            raise InputError("These counts were made at other cuts. Count again at these.")
        size, groups = cuts.score.size, 1 if cuts.exact else 3
        sums = (groups, size + 1 if cuts.sums else 0)
        check_shapes(
            arrays, counts=("i", (groups, 2 * size + 1)), low=("f", (size + 1,)),
            high=("f", (size + 1,)), upper=("i", sums), lower=("i", sums),
        )  # fmt: skip
        state = cls.__new__(cls)
        state.cuts = cuts
        state._counts, state._low, state._high = arrays["counts"], arrays["low"], arrays["high"]
        state._upper, state._lower = arrays["upper"], arrays["lower"]
        state._own = threading.local()
        return state


def _whole_in_place(score: FloatArray) -> Int64:
    """Scores as multiples of 2⁻⁴⁰, written over them."""
    whole = score.view(np.int64)
    block = np.empty(min(_BLOCK, score.size))
    for start in range(0, score.size, _BLOCK):
        part = score[start : start + _BLOCK]
        scaled = np.multiply(part, _SCALE, out=block[: part.size])
        np.rint(scaled, out=scaled)
        whole[start : start + _BLOCK] = scaled
    return whole
