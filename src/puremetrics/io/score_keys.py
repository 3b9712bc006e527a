"""Scores as integers in the same order, and the cuts at which a scan counts.

**Keys** (`keys_of`) and a histogram over their leading bits (`Histogram`). The bits of a double, with those
of negative numbers flipped, order like the numbers. The leading 22 of them (sign, exponent, ten bits of the
mantissa) make bins of a relative width of 1/1024, whatever the scale of the scores. Counts in these bins are
added up, so nothing depends on how rows were grouped: unlike a sample or a sketch with random choices, the
histogram of all rows is one thing only.

**Cuts** (`Cuts`) are the scores to count at and between, found in the first pass. Where the labelled scores
do not fit, they are to leave buckets that hide little, whatever the shape (`fine_edges`, `split_runs`). In a
bucket with a share p of the positives and o of the other rows the order is unknown, which leaves the area
under the ROC curve of positives against the others open by p·o. If every bucket holds at most 1/K of the
half-and-half mixture of both, (p + o)/2 <= 1/K, then Σ p·o <= Σ ((p + o)/2)² <= 1/K.

Bins of the histogram that hold more are split into equal steps of the scores' bits. What then still is too
heavy is split again in a further pass, between the lowest and the highest score found in it. A run whose
lowest and highest score agree is one score, and exact: atoms fall out by themselves.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray
from puremetrics.io.packing import pack, unpack

__all__ = [
    "BIN_BITS",
    "NEGATIVE",
    "POSITIVE",
    "UNLABELED",
    "Cuts",
    "Histogram",
    "coarse_groups",
    "fine_edges",
    "hidden_order",
    "keys_of",
    "leading_bins",
    "scores_of",
    "split_runs",
]


Int64 = npt.NDArray[np.int64]

BIN_BITS = 42
_BLOCK = 1 << 16
_SCRATCH = threading.local()
_FLIP = np.int64(2**63 - 1)


def keys_of(score: FloatArray) -> Int64:
    """Integers that order like the scores; -0.0 must have been made 0.0.

    >>> keys_of(np.array([-1.5, 0.0, 1.5])).argsort()
    array([0, 1, 2])
    """
    bits = np.ascontiguousarray(score, dtype=np.float64).view(np.int64)
    return np.asarray(bits ^ ((bits >> 63) & _FLIP))


def scores_of(keys: Int64) -> FloatArray:
    """The scores of the keys.

    >>> scores_of(keys_of(np.array([-2.5, 0.125])))
    array([-2.5  ,  0.125])
    """
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    return np.asarray((keys ^ ((keys >> 63) & _FLIP)).view(np.float64))


def leading_bins(score: FloatArray, signed: bool = True) -> Int64:
    """The bin of each score; O(rows), in blocks that stay in the cache.

    The memory is the thread's own and used again by the next call.
    """
    bins = getattr(_SCRATCH, "bins", None)
    if bins is None or bins.size < score.size:
        bins = _SCRATCH.bins = np.empty(max(score.size, _BLOCK), dtype=np.int64)
    if not signed:
        np.right_shift(score.view(np.int64), BIN_BITS, out=bins[: score.size])
        return np.asarray(bins[: score.size])
    for start in range(0, score.size, _BLOCK):
        part = score[start : start + _BLOCK]
        np.right_shift(keys_of(part), BIN_BITS, out=bins[start : start + part.size])
    return np.asarray(bins[: score.size])


class Histogram(NamedTuple):
    """Occupied bins in increasing order, with the rows of the three kinds in each."""

    bins: Int64
    counts: Int64  # shape (3, occupied bins)

    @staticmethod
    def empty() -> Histogram:
        """No rows."""
        return Histogram(np.empty(0, np.int64), np.empty((3, 0), np.int64))

    @staticmethod
    def of(
        all_rows: FloatArray, pos: FloatArray, neg: FloatArray, lowest: float | None = None
    ) -> Histogram:
        """Count the rows of a chunk; ``all_rows`` holds the labelled ones as well."""
        if not all_rows.size:
            return Histogram.empty()
        least = float(all_rows.min()) if lowest is None else lowest
        signed = least < 0
        bins = leading_bins(all_rows, signed)
        first = int(keys_of(np.array([least]))[0] >> BIN_BITS)
        bins -= first
        dense = np.bincount(bins)
        occupied = np.flatnonzero(dense)
        counts = np.zeros((3, occupied.size), dtype=np.int64)
        for group, scores in ((0, pos), (2, neg)):
            if scores.size:
                own = np.bincount(leading_bins(scores, signed) - first, minlength=dense.size)
                counts[group] = own[occupied]
        counts[1] = dense[occupied] - counts[0] - counts[2]
        return Histogram(occupied + first, counts)

    def merge(self, other: Histogram) -> Histogram:
        """Add up the counts of both."""
        if not self.bins.size or not other.bins.size:
            return other if not self.bins.size else self
        bins = np.union1d(self.bins, other.bins)
        counts = np.zeros((3, bins.size), dtype=np.int64)
        for part in (self, other):
            counts[:, np.searchsorted(bins, part.bins)] += part.counts
        return Histogram(bins, counts)

    def equal_mass_edges(self, pieces: int) -> FloatArray:
        """Scores that cut all rows into about so many pieces of equal mass, at edges of bins."""
        if not self.bins.size:
            return np.empty(0)
        reached = np.cumsum(self.counts.sum(axis=0))
        wanted = np.arange(1, pieces) * reached[-1] // pieces
        at = np.unique(np.searchsorted(reached, wanted, side="left"))
        edges = np.unique(np.concatenate([self.bins[at], self.bins[at] + 1]))
        edges = edges[(edges > self.bins[0]) & (edges <= self.bins[-1])]
        return scores_of(edges << BIN_BITS)


_FINER = 4  # cuts are first made so much finer, then joined where that hides nothing
_BUDGET = 1 << 18


def mixture(pos: Int64, others: Int64) -> tuple[FloatArray, FloatArray]:
    """Shares of the positives and of the other rows."""
    p, o = (np.asarray(c / max(int(c.sum()), 1), dtype=np.float64) for c in (pos, others))
    return p, o


def fine_edges(histogram: Histogram, buckets: int) -> FloatArray:
    """Edges between which no more than 1/(4·buckets) of the mixture lies, if bins are smooth inside."""
    p, o = mixture(histogram.counts[0], histogram.counts[1] + histogram.counts[2])
    mass = (p + o) / 2
    steps = _FINER * buckets
    reached = np.floor(np.cumsum(mass) * steps)
    heavy = mass * steps > 1
    before = heavy | (np.diff(reached, prepend=0.0) > 0)
    starts = histogram.bins << BIN_BITS
    pieces = np.minimum(np.ceil(mass[heavy] * steps), _BUDGET).astype(np.int64)
    inner = _equal_steps(starts[heavy], starts[heavy] + (1 << BIN_BITS), pieces)
    edges = np.concatenate([starts[before], (histogram.bins[heavy] + 1) << BIN_BITS, inner])
    return scores_of(np.unique(edges))


def hidden_order(pos: Int64, others: Int64, low: FloatArray, high: FloatArray) -> FloatArray:
    """How much of the area each run leaves open: p·o, or 0 if it is a single score."""
    p, o = mixture(pos, others)
    return np.where(low < high, p * o, 0.0)


def split_runs(
    pos: Int64, others: Int64, low: FloatArray, high: FloatArray, buckets: int
) -> FloatArray:
    """Further cuts inside the runs that hide too much; empty if none does."""
    p, o = mixture(pos, others)
    hidden = np.where(low < high, p * o, 0.0)
    if float(hidden.sum()) <= 0.25 / buckets:
        return np.empty(0)
    heavy = (hidden > 0) & ((p + o) / 2 > 0.5 / buckets)
    if not heavy.any():
        return np.empty(0)
    mass = ((p + o) / 2)[heavy]
    first, last = keys_of(low[heavy]), keys_of(high[heavy])
    wanted = np.ceil(mass / mass.sum() * _BUDGET / 2) + 2
    inner = _equal_steps(first, last, wanted.astype(np.int64))
    return np.unique(np.concatenate([low[heavy], high[heavy], scores_of(inner)]))


def _equal_steps(first: Int64, last: Int64, pieces: Int64) -> Int64:
    """Keys strictly between first and last that cut each range into so many equal pieces."""
    pieces = np.minimum(pieces, last - first)
    inside = np.maximum(pieces - 1, 0)
    owner = np.repeat(np.arange(first.size), inside)
    rank = np.arange(owner.size) - np.repeat(np.cumsum(inside) - inside, inside) + 1
    step = (last - first).astype(np.float64) / np.maximum(pieces, 1)
    return np.asarray(first[owner] + np.maximum((rank * step[owner]).astype(np.int64), 1))


def coarse_groups(pos: Int64, others: Int64, most: int) -> Int64:
    """Join neighbouring rows into at most so many groups that hide little: the start of each group.

    A group grows until p·o would pass a limit, or its mass 8/``most``; the smallest limit that gives few
    enough groups is found by bisection. Cost: O(rows · 20).
    """
    if pos.size <= most:
        return np.arange(pos.size)
    p, o = (np.concatenate([[0.0], np.cumsum(share)]) for share in mixture(pos, others))
    low, high = 0.0, 2.0 / most**2
    starts = _greedy_ends(p, o, high, most)
    while starts.size > most:
        low, high = high, 2 * high
        starts = _greedy_ends(p, o, high, most)
    for _ in range(12):
        middle = (low + high) / 2
        fewer = _greedy_ends(p, o, middle, most)
        if fewer.size <= most:
            high, starts = middle, fewer
        else:
            low = middle
    return starts


def _greedy_ends(p: FloatArray, o: FloatArray, limit: float, most: int) -> Int64:
    """Greedy groups: each ends before the row that would make p·o too large, found by bisection."""
    starts, place, size = [], 0, p.size - 1
    heaviest = 16.0 / most
    mass = p + o
    while place < size:
        starts.append(place)
        here_p, here_o = p[place], o[place]
        reach = int(np.searchsorted(mass, mass[place] + heaviest, side="right")) - 1
        first, last = place + 1, max(min(reach, size), place + 1)
        while first < last:
            middle = (first + last + 1) // 2
            if (p[middle] - here_p) * (o[middle] - here_o) <= limit:
                first = middle
            else:
                last = middle - 1
        place = first
        if len(starts) > 4 * most:
            break
    return np.array(starts, dtype=np.int64)


POSITIVE, UNLABELED, NEGATIVE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Cuts:
    """Scores to count at and between; the same for all counts that are added up.

    Attributes
    ----------
    score : ndarray, shape (m,)
        Increasing.
    n_pos, n_neg : ndarray of int64, shape (m,), or None
        Labelled rows at each cut, if every labelled score is a cut; None if they did not fit.
    totals : (int, int, int)
        Positive, unlabeled and negative rows of the first pass.
    sums : bool
        Whether sums of scores are kept, which needs scores in [0, 1].
    buckets : int
        Largest number of rows of a table whose labelled scores did not fit.
    """

    score: FloatArray
    n_pos: Int64 | None
    n_neg: Int64 | None
    totals: tuple[int, ...]
    sums: bool
    buckets: int = 16384

    @property
    def exact(self) -> bool:
        """Whether every labelled score is a cut; `CutCounts.update` then needs no labels."""
        return self.n_pos is not None

    def to_bytes(self) -> bytes:
        """Return the cuts as checked bytes."""
        arrays: dict[str, Any] = {"score": self.score}
        if self.n_pos is not None and self.n_neg is not None:
            arrays |= {"n_pos": self.n_pos, "n_neg": self.n_neg}
        plain = {"totals": list(self.totals), "sums": self.sums, "buckets": self.buckets}
        return pack("cuts", plain, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Cuts:
        """Return the cuts that `to_bytes` stored."""
        plain, arrays = unpack(data, "cuts")
        return cls(
            arrays["score"],
            arrays.get("n_pos"),
            arrays.get("n_neg"),
            tuple(plain["totals"]),
            plain["sums"],
            plain["buckets"],
        )

    def digest(self) -> str:
        """A short name of these cuts: counts with the same one can be added up."""
        return hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()
