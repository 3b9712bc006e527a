"""Rows that belong together: how many of each group lie in each range of scores.

Visits of one patient or clicks of one user are alike, and the variance of a statistic is that of sums over
groups. A row adds to the error of a statistic by its score alone, so all that must be known of the groups is
a matrix of counts: groups by cells, ranges of scores, for positive, unlabeled and negative rows each.

Two things keep the matrix small, whatever the number of rows, and the same wherever it is made: in memory, by
a scan, or on a Spark cluster.

- There are at most some 260 cells. Their edges are labelled scores (evenly spaced ones, and the highest),
and a
  grid over the range of all scores: known after a first look at the rows, and never dependent on their order.
- Of more than 16,384 groups several are counted as one unit, by a hash of their names. Sums over units that
  were put together at random have the same expected square as those over groups, and so many of them know it
  within about 1%.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.groups import hashed_groups
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.sorting import in_pieces

__all__ = [
    "MOST_UNITS",
    "Cells",
    "Clusters",
    "Reached",
    "Units",
    "cell_edges",
    "check_several",
    "head_effect",
    "units_of",
    "units_of_hashes",
]

MOST_UNITS = 1 << 14
_EVEN = 80  # edges at evenly spaced labelled scores, of positives and of negatives each
_BINS = 1 << 16
_GRID = 64  # edges at equal distances over the range of all scores
Cells = npt.NDArray[Any]
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Counts of rows by unit and cell; a unit is a group, or several of very many.

    Attributes
    ----------
    number : int
        Groups that there are.
    pos, unl, neg : ndarray, shape (units, cells)
        Numbers (sums of weights) of labelled positives, unlabeled rows and known negatives; cells from the
        highest scores down.
    inverse : ndarray, shape (units, cells), or None
        Sums of the labelled rows' inverse propensities, if they have any.
    alone : bool
        Whether every group has one row, so that rows are independent.
    """

    number: int
    pos: Cells
    unl: Cells
    neg: Cells
    inverse: Cells | None = None
    alone: bool = False

    @property
    def units(self) -> int:
        """Number of units that sums are taken over."""
        return int(self.pos.shape[0])

    def labels_apart(self) -> FloatArray:
        """By how much the labelled rows of each unit exceed their share of all, in rows."""
        labelled = np.asarray(self.pos.sum(axis=1), dtype=np.float64)
        rows = labelled + self.unl.sum(axis=1) + self.neg.sum(axis=1)
        return np.asarray(labelled - float(labelled.sum() / rows.sum()) * rows)

    def share_effect(self, prior: float, label_rates: tuple[float, float], rows: float) -> float:
        """Design effect of the share of positives among all rows, from how the labelled ones cluster.

        ``label_rates`` are the chances of positive and of negative rows to be labelled. Labels that are given
        at random have the covariance of two rows of a group in common with the truth, times the squared
        difference of these chances; what labels vary by themselves has not. All labels known: 1 and 0, and
        it is the effect of the labels. ``rows`` is how many rows of equal weight there are. At least 1, and
        at most the effect of groups whose rows are all alike.
        """
        apart = self.labels_apart()
        sizes = np.asarray(self.pos.sum(axis=1) + self.unl.sum(axis=1) + self.neg.sum(axis=1))
        filled, total = int(np.count_nonzero(sizes)), float(sizes.sum())
        labelled = float(self.pos.sum()) / total
        gap = label_rates[0] - label_rates[1]
        most = max(float(np.sum(sizes.astype(np.float64) ** 2)) / total, 1.0)
        if gap <= 0 or filled < 2:
            return most
        alone = total**2 / rows  # times share·(1 − share): the variance of independent rows
        pairs = float(np.sum(apart**2)) * filled / (filled - 1) - alone * labelled * (1 - labelled)
        return min(max(1 + pairs / gap**2 / (alone * prior * (1 - prior)), 1.0), most)

    def flipped(self) -> Clusters:
        """Those of the negated scores."""
        turned = None if self.inverse is None else self.inverse[:, ::-1]
        pos, unl, neg = (part[:, ::-1] for part in (self.pos, self.unl, self.neg))
        return Clusters(self.number, pos, unl, neg, turned, self.alone)

    def unlabeled_as_negative(self) -> Clusters:
        """Those of the naive reading."""
        together = self.neg + self.unl
        return replace(self, unl=np.zeros_like(self.unl), neg=together, inverse=None)

    @classmethod
    def counted(
        cls,
        units: Units,
        score: FloatArray,
        edges: FloatArray,
        rows: tuple[Any, Any, Any],
        weight: FloatArray | None = None,
        inverse: FloatArray | None = None,
    ) -> Clusters:
        """Count rows by unit and cell; ``rows`` are positive, unlabeled (None: the rest) and negative.

        ``inverse`` has the inverse propensities of the labelled rows.
        """
        n_cells = edges.size + 1
        place = np.empty(score.size, dtype=np.intp)

        reached = Reached(edges)

        def look_up(piece: slice) -> None:
            np.multiply(units.place[piece], n_cells, out=place[piece], dtype=np.intp)
            place[piece] += edges.size
            place[piece] -= reached.by(score[piece])

        in_pieces(look_up, score.size)

        def tally(which: Any, weights: FloatArray | None) -> Cells:
            counts = np.bincount(place[which], weights, minlength=units.total * n_cells)
            return counts.reshape(units.total, n_cells)

        pos, neg = (tally(rows[i], None if weight is None else weight[rows[i]]) for i in (0, 2))
        unl = tally(slice(None), weight) - pos - neg if rows[1] is None else tally(rows[1], weight)
        own = None if inverse is None else tally(rows[0], inverse)
        return cls(units.number, pos, unl, neg, own, units.alone)


def head_effect(matrix: Cells) -> float:
    """The largest design effect of the share of one kind of rows above a score, at least 1.

    It serves where a share is 0 or 1 and does not vary, and for bands around all heads at once. Heads of less
    than a tenth of the rows, and of more than nine tenths, are left out: few groups say little about them.
    """
    by_unit = np.asarray(matrix.sum(axis=1), dtype=np.float64)
    total = float(by_unit.sum())
    filled = int(np.count_nonzero(by_unit))
    if filled < 2:
        return max(total, 1.0)
    heads = np.cumsum(matrix, axis=1, dtype=np.float64)[:, :-1]
    share = heads.sum(axis=0) / total
    middle = np.abs(share - 0.5)
    kept = np.flatnonzero((middle <= 0.4) | (middle == middle.min(initial=1.0)))
    kept = kept[(share[kept] > 0) & (share[kept] < 1)]
    if not kept.size:
        return max(
            float((by_unit**2).sum()) / total, 1.0
        )  # all alike: groups count as one row each
    apart = heads[:, kept] - by_unit[:, None] * share[kept]
    variance = (apart**2).sum(axis=0) * filled / (filled - 1)
    return max(float((variance / (total * share[kept] * (1 - share[kept]))).max()), 1.0)


class Reached:
    """How many rising edges a score reaches: what ``np.searchsorted(edges, score, "right")`` says, faster.

    Scores and edges are put into even bins by the same arithmetic, which never turns their order round: an
    edge in a lower bin is reached, one in a higher bin is not, and only scores that share a bin with an edge
    must be looked up.
    """

    def __init__(self, edges: FloatArray) -> None:
        self.edges = edges
        low, high = (float(edges[0]), float(edges[-1])) if edges.size else (0.0, 0.0)
        self.low, reach = low, high - low
        scale = _BINS / reach if reach > 0 else np.inf
        self.scale = scale if np.isfinite(scale) else 0.0
        if self.scale:
            bins = self._bins(edges)
            self.lower = np.searchsorted(bins, np.arange(_BINS + 2)).astype(np.int32)
            self.shared = np.zeros(_BINS + 2, dtype=np.bool_)
            self.shared[bins] = True

    def _bins(self, score: FloatArray) -> npt.NDArray[np.int32]:
        """Bins of scores: 0 below all edges, the last one above."""
        with np.errstate(over="ignore"):
            found = score - self.low
            found *= self.scale
        np.clip(found, -1.0, float(_BINS), out=found)
        np.floor(found, out=found)
        return found.astype(np.int32) + np.int32(1)

    def by(self, score: FloatArray) -> npt.NDArray[Any]:
        """How many edges each score reaches."""
        if not self.scale or score.size < _BINS:
            return np.searchsorted(self.edges, score, side="right")
        bins = self._bins(score)
        found = self.lower[bins]
        near = np.flatnonzero(self.shared[bins])
        found[near] = np.searchsorted(self.edges, score[near], side="right")
        return found


class Units(NamedTuple):
    """The unit of each row, how many units there are, and how many groups."""

    place: npt.NDArray[np.int32]
    total: int
    number: int

    @property
    def alone(self) -> bool:
        """Whether every group has one row."""
        return self.number == self.place.size


def units_of(column: npt.NDArray[Any]) -> Units:
    """Units from names of groups, as `as_groups` returns them."""
    if column.dtype.kind in "iu" and column.size:
        low, high = int(column.min()), int(column.max())
        if high - low < 4 * column.size + 1024:  # every name has a place in a short list
            there = np.zeros(high - low + 1, dtype=np.bool_)

            def mark(piece: slice) -> None:
                there[column[piece].astype(np.int64) - low] = True

            in_pieces(mark, column.size)
            present = np.flatnonzero(there) + low
            check_several(present.size)
            if present.size > MOST_UNITS:
                found = np.empty(column.size, dtype=np.int32)

                def hashed(piece: slice) -> None:
                    found[piece] = _hashed_units(hashed_groups(column[piece]))

                in_pieces(hashed, column.size)
                return Units(found, MOST_UNITS, present.size)
            rank = np.empty(high - low + 1, dtype=np.int32)
            order = np.argsort(hashed_groups(present.astype(np.int64)))
            rank[present[order] - low] = np.arange(present.size)
            return Units(rank[column.astype(np.int64) - low], present.size, present.size)
    ids = hashed_groups(column)
    return units_of_hashes(ids, np.unique(ids))


def units_of_hashes(ids: Hashes, known: Hashes) -> Units:
    """Units from hashes of the rows' groups, and those of all groups, rising."""
    check_several(known.size)
    if known.size > MOST_UNITS:
        return Units(_hashed_units(ids), MOST_UNITS, known.size)
    return Units(np.searchsorted(known, ids).astype(np.int32), known.size, known.size)


def check_several(groups: int) -> None:
    """Raise if there is one group only."""
    if groups < 2:
        raise InputError(
            "All rows belong to one group, so nothing shows how groups differ. Pass groups=… that names at "
            "least two groups, or leave it out if the rows are independent."
        )


def _hashed_units(ids: Hashes) -> npt.NDArray[np.int32]:
    return (ids >> np.uint64(64 - 14)).astype(np.int32)


def cell_edges(pos: FloatArray, neg: FloatArray, low: float, high: float) -> FloatArray:
    """Rising edges of cells, from distinct labelled scores (rising) and the range of all scores.

    A score at an edge lies in the cell above it.
    """
    part = np.arange(1, _GRID + 1) / (_GRID + 1)
    edges = [low * (1 - part) + high * part]
    for scores in (pos, neg):
        if scores.size:
            steps = np.arange(scores.size) if scores.size <= _EVEN else _even(scores.size)
            edges.append(scores[steps])
    found = np.unique(np.concatenate(edges))
    return found[(found > low) & (found <= high)]


def _even(size: int) -> npt.NDArray[np.intp]:
    """Places of evenly spaced scores and, doubling, of the highest ones."""
    top = size - 2 ** np.arange(int(np.log2(size)) + 1)
    return np.unique(np.concatenate([np.linspace(0, size - 1, _EVEN).astype(np.intp), top]))
