"""First pass: the labelled scores, and a histogram of all scores, as a state that merges.

Cuts must be known before rows are counted between them, and they must be the same everywhere for
counts to add up. So rows are read twice: `LabelledScores` finds the cuts, `CutCounts` counts. Both hold
integers and distinct scores only, so merging in any order and grouping gives the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.io.packing import check_shapes, pack, unpack
from puremetrics.io.score_keys import NEGATIVE, POSITIVE, Cuts, Histogram, Int64, fine_edges

__all__ = ["MAX_LABELLED", "LabelledScores"]


MAX_LABELLED = 20_000_000
_GRID = 2520  # a multiple of 1 to 10: bins of equal width need no moving
_PENDING = 1 << 20


class LabelledScores:
    """Distinct labelled scores with counts, totals, and a histogram of all scores.

    Parameters
    ----------
    max_labelled : int
        With more distinct labelled scores than that, they are dropped and `cuts` makes buckets. Each
        takes 24 bytes here, and 72 bytes while rows are counted.
    histogram : bool, default True
        Without one there are no cuts but the labelled scores, and no buckets: for many small segments.

    Examples
    --------
    >>> state = LabelledScores()
    >>> state.update(np.array([0.9, 0.4, 0.7]), np.array([0, 1, 0], dtype=np.int8))
    >>> state.totals.tolist(), state.labelled.tolist()
    ([2, 1, 0], [0.7, 0.9])
    """

    def __init__(self, max_labelled: int = MAX_LABELLED, *, histogram: bool = True) -> None:
        self.max_labelled = max_labelled
        self.totals: Int64 = np.zeros(3, dtype=np.int64)
        self.low, self.high = np.inf, -np.inf
        self._values: FloatArray = np.empty(0)
        self._counts: Int64 = np.zeros((2, 0), dtype=np.int64)
        self._too_many = False
        self._histogram = Histogram.empty() if histogram else None
        self._pending: list[tuple[FloatArray, Int64]] = []
        self._waiting = 0

    # ------------------------------------------------------------ counting

    def update(self, score: FloatArray, codes: Any) -> None:
        """Take rows: finite float64 scores, and 0, 1 or 2 for positive, unlabeled or negative."""
        self.absorb(self.summary(score + 0.0, codes))

    def summary(self, score: FloatArray, codes: Any) -> LabelledScores:
        """The state of these rows alone; it may be computed in another thread and absorbed later.

        Unlike for `update`, -0.0 must have been made 0.0.
        """
        part = LabelledScores(self.max_labelled, histogram=self._histogram is not None)
        if not score.size:
            return part
        part.low, part.high = float(score.min()), float(score.max())
        if not (np.isfinite(part.low) and np.isfinite(part.high)):
            raise InputError("The scores hold NaN or infinite values; check them before counting.")
        pos, neg = (score[np.flatnonzero(codes == kind)] for kind in (POSITIVE, NEGATIVE))
        part.totals = np.array([pos.size, score.size - pos.size - neg.size, neg.size], np.int64)
        if part._histogram is not None:
            part._histogram = Histogram.of(score, pos, neg, part.low)
        part._pending = [_distinct(pos, neg)]
        part._waiting = part._pending[0][0].size
        return part

    def absorb(self, other: LabelledScores) -> None:
        """Add another state to this one."""
        if (self.max_labelled, self._histogram is None) != (
            other.max_labelled,
            other._histogram is None,
        ):
            raise InputError("States with different settings cannot be merged. Use the same ones.")
        self.totals = self.totals + other.totals
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        if self._histogram is not None and other._histogram is not None:
            self._histogram = self._histogram.merge(other._histogram)
        self._too_many |= other._too_many
        self._pending += [(other._values, other._counts), *other._pending]
        self._waiting += other._values.size + other._waiting
        if self._too_many or self._waiting > max(_PENDING, self._values.size):
            self._settle()

    def merge(self, other: LabelledScores) -> LabelledScores:
        """Return the state of both states' rows."""
        both = LabelledScores(self.max_labelled, histogram=self._histogram is not None)
        both.absorb(self)
        both.absorb(other)
        both._settle()
        return both

    def _settle(self) -> None:
        parts = [(self._values, self._counts), *self._pending]
        self._pending, self._waiting = [], 0
        if not self._too_many and len(parts) > 1:
            values = np.concatenate([part[0] for part in parts])
            counts = np.concatenate([part[1] for part in parts], axis=1)
            order = np.argsort(values, kind="stable")
            self._values, starts = _starts(values[order])
            counts = counts[:, order]
            self._counts = np.add.reduceat(counts, starts, axis=1) if starts.size else counts[:, :0]
            self._too_many = self._values.size > self.max_labelled
        if self._too_many:  # once more than the limit, whatever is added
            self._values, self._counts = np.empty(0), np.zeros((2, 0), dtype=np.int64)

    # ------------------------------------------------------------ reading

    @property
    def too_many(self) -> bool:
        """Whether there are more distinct labelled scores than the limit."""
        self._settle()
        return self._too_many

    @property
    def labelled(self) -> FloatArray:
        """Distinct labelled scores, increasing; empty if there are too many."""
        self._settle()
        return self._values

    def labelled_kinds(self) -> tuple[FloatArray, FloatArray]:
        """Distinct scores of positives and of known negatives, increasing."""
        values = self.labelled
        return values[self._counts[0] > 0], values[self._counts[1] > 0]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.totals.sum())

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie in [0, 1]; not known without a histogram."""
        return self._histogram is not None and self.low >= 0.0 and self.high <= 1.0

    def cuts(self, *, pieces: int = 4096, buckets: int = 16384) -> Cuts:
        """Scores to count at and between.

        All labelled scores, so that everything about ranks is exact; besides, about ``pieces`` cuts of
        equal mass and, for probabilities, multiples of 1/2520, for what depends on the scores themselves.
        With too many labelled scores: cuts for about ``buckets`` buckets.
        """
        totals = tuple(int(total) for total in self.totals)
        if self.too_many:
            if self._histogram is None:
                raise InputError(
                    f"A segment has more than {self.max_labelled} distinct labelled scores. Pass a "
                    "larger max_labelled, or scan the segments one by one."
                )
            edges = fine_edges(self._histogram, buckets)
            edges = edges[(edges > self.low) & (edges < self.high)]
            ends = np.array([self.low, self.high])
            edges = np.union1d(edges, ends)
            return Cuts(edges, None, None, totals, self.probabilities, buckets)
        labelled, counts = self.labelled, self._counts
        score = labelled
        if self._histogram is not None and self.rows:
            extra = self._histogram.equal_mass_edges(pieces)
            if self.probabilities:
                extra = np.concatenate([extra, np.arange(_GRID + 1) / _GRID])
            extra = extra[(extra > self.low) & (extra < self.high)]
            score = np.union1d(labelled, extra)
        known = np.zeros((2, score.size), dtype=np.int64)
        known[:, np.searchsorted(score, labelled)] = counts
        return Cuts(score, known[0], known[1], totals, self.probabilities, buckets)

    # ------------------------------------------------------------ storing

    def to_bytes(self) -> bytes:
        """Return the state as checked bytes; equal rows give equal bytes."""
        self._settle()
        arrays = {"totals": self.totals, "values": self._values, "counts": self._counts}
        if self._histogram is not None:
            arrays |= {"bins": self._histogram.bins, "in_bins": self._histogram.counts}
        plain = {
            "max_labelled": self.max_labelled,
            "too_many": self._too_many,
            "span": [self.low, self.high] if self.low <= self.high else None,
        }
        return pack("labelled scores", plain, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> LabelledScores:
        """Return the state that `to_bytes` stored."""
        plain, arrays = unpack(data, "labelled scores")
        size, bins = arrays["values"].size, arrays.get("bins", np.empty(0)).size
        shapes = {"totals": ("i", (3,)), "values": ("f", (size,)), "counts": ("i", (2, size))}
        if "bins" in arrays:
            shapes |= {"bins": ("i", (bins,)), "in_bins": ("i", (3, bins))}
        check_shapes(arrays, **shapes)
        state = cls(plain["max_labelled"], histogram="bins" in arrays)
        state.totals = arrays["totals"]
        state._values, state._counts = arrays["values"], arrays["counts"]
        state._too_many = plain["too_many"]
        if plain["span"] is not None:
            state.low, state.high = plain["span"]
        if "bins" in arrays:
            state._histogram = Histogram(arrays["bins"], arrays["in_bins"])
        return state


def _distinct(pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, Int64]:
    """Distinct labelled scores with the numbers of positives and negatives at each."""
    if not neg.size:
        values, starts = _starts(np.sort(pos))
        counts = np.zeros((2, values.size), dtype=np.int64)
        counts[0] = np.diff(starts, append=pos.size)
        return values, counts
    values, place = np.unique(np.concatenate([pos, neg]), return_inverse=True)
    return values, np.stack(
        [
            np.bincount(place[: pos.size], minlength=values.size),
            np.bincount(place[pos.size :], minlength=values.size),
        ]
    ).astype(np.int64)


def _starts(ascending: FloatArray) -> tuple[FloatArray, Int64]:
    first = np.ones(ascending.size, dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    return ascending[starts], starts
