"""Where to cut when the labelled scores do not fit: buckets that hide little, whatever the shape.

In a bucket with a share p of the positives and o of the other rows the order is unknown, which
leaves the area under the ROC curve of positives against the others open by p·o. If every bucket holds at
most 1/K of the half-and-half mixture of both, (p + o)/2 <= 1/K, then Σ p·o <= Σ ((p + o)/2)² <= 1/K.

Bins of the histogram that hold more are split into equal steps of the scores' bits. What then still is too
heavy is split again in a further pass, between the lowest and the highest score found in it. A run
whose lowest and highest score agree is one score, and exact: atoms fall out by themselves.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.io.keys import BIN_BITS, Histogram, Int64, keys_of, scores_of

__all__ = ["coarse_groups", "fine_edges", "hidden_order", "split_runs"]

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
    starts = _grown(p, o, high, most)
    while starts.size > most:
        low, high = high, 2 * high
        starts = _grown(p, o, high, most)
    for _ in range(12):
        middle = (low + high) / 2
        fewer = _grown(p, o, middle, most)
        if fewer.size <= most:
            high, starts = middle, fewer
        else:
            low = middle
    return starts


def _grown(p: FloatArray, o: FloatArray, limit: float, most: int) -> Int64:
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
