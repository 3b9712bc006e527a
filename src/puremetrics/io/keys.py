"""Scores as integers in the same order, and a histogram over their leading bits.

The bits of a double, with those of negative numbers flipped, order like the numbers. The leading
22 of them (sign, exponent, ten bits of the mantissa) make bins of a relative width of 1/1024, whatever the
scale of the scores. Counts in these bins are added up, so nothing depends on how rows were
grouped: unlike a sample or a sketch with random choices, the histogram of all rows is one thing only.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import FloatArray

__all__ = ["BIN_BITS", "Histogram", "keys_of", "leading_bins", "scores_of"]

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
    """Occupied bins in increasing order, with the rows of the three groups in each."""

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
