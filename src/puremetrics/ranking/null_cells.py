"""Cells of a ranking, and PULP as a function of the labelled rows in each: for PULP's law under the null.

By the formula in `kernels` PULP is 1/(t+1) · Σ_k c_k(τ_k), with c_k(τ) = P(Y_τ ≤ k − 1) and τ_k the rank of
the k-th labelled row. The functions c_k are kept at the edges of cells with their slopes, and interpolated by
cubics; of more than 256 labelled rows only some, denser at both ends, are looked at.

A unit is a tied block or a cell of other rows. With r labelled rows among its m, the rank of the i-th in it
has mean i (m + 1) / (r + 1) and variance i (r + 1 − i) (m + 1) (m − r) / ((r + 1)² (r + 2)). In a tied block
c_k is averaged over the law of that rank, by three places that share its first four moments (skewness and
kurtosis from the beta law of the same shape); elsewhere one rank with that mean and variance is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics import hypergeometric
from puremetrics.ranking.kernels import Blocks, pulp_sums

__all__ = ["NullCells", "Terms"]

_SMALL = 300  # rankings up to this size have a cell for every row
_EVEN = 128
_GROWTH = 1.06
_LOOKED_AT = 256  # labelled rows whose terms are summed
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class NullCells:
    """Cells edge[i] < rank ≤ edge[i + 1]; those of one tied block make up one unit, others are units.

    ``first_scores`` says where each unit begins among the scores, ``tied`` whether it is one of them.
    """

    edges: FloatArray
    starts: FloatArray
    size: FloatArray
    tied: Any
    first_scores: Any

    @property
    def total(self) -> float:
        """Number of rows."""
        return float(self.edges[-1])

    @staticmethod
    def of(rows: Any) -> NullCells:
        """Cells of a ranking with so many rows of each score; labels play no part."""
        rows = np.asarray(rows, dtype=np.float64)
        ends = np.cumsum(rows)
        first = ends - rows
        points = _points(float(ends[-1]))
        block = np.searchsorted(ends, points, side="left")
        inside = (points < ends[block]) & (points > first[block])
        wide = np.zeros(ends.size, dtype=np.bool_)
        wide[block[inside]] = True
        # Units never divide a tied block; a block that a point would divide is a unit of its own.
        kept = np.concatenate([points[~inside], first[wide], ends[wide]])
        borders = np.unique(kept)
        starts = borders[:-1]
        place = np.searchsorted(first, starts, side="left")
        size = np.diff(borders)
        edges = np.unique(np.concatenate([points, borders]))
        return NullCells(edges, starts, size, (rows[place] == size) & (size > 1), place)

    def labellings(self, marked: int, most: int) -> Any | None:
        """Every way to spread the labelled rows over the units, or None if there are too many."""
        found: list[tuple[tuple[int, ...], int]] = [((), marked)]
        room = self.total
        for size in self.size.tolist():
            room -= size
            found = [
                ((*row, taken), left - taken)
                for row, left in found
                for taken in range(int(max(left - room, 0)), int(min(left, size)) + 1)
            ]
            if len(found) > most:
                return None
        return np.array([row for row, _ in found], dtype=np.int64)

    def rows_are_units(self, rows: Any) -> bool:
        """Whether every unit is one score, so that a labelling of units says all."""
        return self.size.size == rows.size and self.total <= _SMALL

    def exact(self, hits: Any) -> FloatArray:
        """PULP of labellings, if every unit is a row or a tied block."""
        size, at = self.size.astype(np.int64), np.array([self.total])
        sums = [pulp_sums(Blocks.of(row, size - row), at)[0] for row in hits]
        return np.array(sums) / (self.total + 1)


@dataclass(frozen=True, eq=False)
class Terms:
    """The functions c_k of some labelled rows k, their weights, and values and slopes at the edges."""

    cells: NullCells
    k: Any
    weight: FloatArray
    value: FloatArray
    slope: FloatArray

    @staticmethod
    def of(cells: NullCells, marked: int) -> Terms:
        """Functions of all labelled rows, or of some that stand for their neighbours."""
        angle = np.linspace(0, np.pi, min(marked, _LOOKED_AT) + 1)
        borders = np.unique(np.round(marked * (1 - np.cos(angle)) / 2))
        if marked <= _LOOKED_AT:
            borders = np.arange(marked + 1.0)
        k = np.floor((borders[1:] + borders[:-1] + 1) / 2)
        weight = np.diff(borders) / (marked + 1)
        n, t = cells.total + 1, marked + 1.0
        at = cells.edges[None, :]
        value = hypergeometric.cdf(k[:, None] - 1, n, t, at)
        here = np.exp(hypergeometric.log_pmf(k[:, None] - 1, n, t, at))
        # One more row is drawn: it is marked, and the k-th, with this chance.
        slope = -here * (t - k[:, None] + 1) / np.maximum(n - at, 1.0)
        return Terms(cells, k.astype(np.int64), weight, value, slope)

    def at(self, ranks: FloatArray) -> FloatArray:
        """The functions at ranks of their labelled rows, which lie along the last axis."""
        edges = self.cells.edges
        place = np.clip(np.searchsorted(edges, ranks, side="left") - 1, 0, edges.size - 2)
        width = np.diff(edges)[place]
        x = np.clip((ranks - edges[place]) / width, 0.0, 1.0)
        row = np.arange(self.k.size)
        low, high = self.value[row, place], self.value[row, place + 1]
        fall = high - low
        a, b = (np.clip(self.slope[row, place + side] * width, 3 * fall, 0.0) for side in (0, 1))
        return np.asarray(low + x * (a + x * ((3 * fall - 2 * a - b) + x * (a + b - 2 * fall))))

    def pulp(self, hits: Any, rng: np.random.Generator) -> FloatArray:
        """PULP of labellings, given as labelled rows in each unit."""
        step = max(int(_AT_ONCE / self.k.size), 1)
        parts = [self._some(hits[i : i + step], rng) for i in range(0, hits.shape[0], step)]
        return np.concatenate(parts)

    def pulp_of_ranks(self, hits: Any, ranks: FloatArray) -> float:
        """PULP of one labelling whose labelled rows have these ranks; in tied blocks only hits count."""
        drawn = self._places(hits[None, :])
        mean = self._mean(drawn, np.where(drawn.tied, np.nan, ranks[self.k - 1][None, :]))
        return float((mean @ self.weight)[0])

    def _some(self, hits: Any, rng: np.random.Generator) -> FloatArray:
        drawn = self._places(hits)
        noise = np.sqrt(3) * (2 * rng.random(hits.shape) - 1)  # one for all labelled rows of a unit
        ranks = drawn.mean + drawn.spread * np.take_along_axis(noise, drawn.unit, axis=1)
        return np.asarray(self._mean(drawn, ranks) @ self.weight)

    def _mean(self, drawn: Places, ranks: FloatArray) -> FloatArray:
        """Terms at these ranks, or averaged over orders where rows are tied."""
        tied = drawn.tied
        result = self.at(np.clip(np.where(tied, drawn.mean, ranks), drawn.low, drawn.high))
        if not tied.any():
            return result
        above, below, weights = _three(drawn.i, drawn.r)
        result = result * np.where(tied, 1 - weights[0] - weights[1], 1.0)
        for node, weight in zip((above, below), weights, strict=True):
            places = np.clip(drawn.mean + node * drawn.spread, drawn.low, drawn.high)
            result += np.where(tied, weight, 0.0) * self.at(places)
        return np.asarray(result)

    def _places(self, hits: Any) -> Places:
        cells = self.cells
        unit, i = _where(hits, self.k)
        r = np.take_along_axis(hits, unit, axis=1).astype(np.float64)
        m, start = cells.size[unit], cells.starts[unit]
        variance = i * (r + 1 - i) * (m + 1) * (m - r) / ((r + 1) ** 2 * (r + 2))
        mean, spread = start + i * (m + 1) / (r + 1), np.sqrt(np.maximum(variance, 0.0))
        return Places(unit, i, r, mean, spread, start + i, start + m - (r - i), cells.tied[unit])


class Places(NamedTuple):
    """Of each labelled row: its unit, its number i of r there, and the law of its rank."""

    unit: Any
    i: FloatArray
    r: FloatArray
    mean: FloatArray
    spread: FloatArray
    low: FloatArray
    high: FloatArray
    tied: Any


def _three(i: FloatArray, r: FloatArray) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """Two standardised places besides the mean, and their weights: four moments of Beta(i, r + 1 − i)."""
    a, b = i, r + 1 - i
    skew = 2 * (b - a) * np.sqrt(a + b + 1) / ((a + b + 2) * np.sqrt(a * b))
    excess = (a - b) ** 2 * (a + b + 1) - a * b * (a + b + 2)
    kurtosis = 3 + 6 * excess / (a * b * (a + b + 2) * (a + b + 3))
    root = np.sqrt(4 * kurtosis - 3 * skew**2)
    above, below = (skew + root) / 2, (skew - root) / 2
    return above, below, [1 / (above * root), -1 / (below * root)]


def _where(hits: Any, k: Any) -> tuple[Any, FloatArray]:
    """Unit of the k-th labelled row of every labelling, and its place among those of the unit."""
    running = np.cumsum(hits, axis=1)
    marked = int(running[0, -1])
    offset = np.arange(hits.shape[0])[:, None] * (marked + 1)
    flat = np.searchsorted((running + offset).ravel(), (k[None, :] + offset).ravel(), side="left")
    unit = flat.reshape(hits.shape[0], k.size) - np.arange(hits.shape[0])[:, None] * hits.shape[1]
    before = np.take_along_axis(running - hits, unit, axis=1)
    return unit, (k[None, :] - before).astype(np.float64)


def _points(total: float) -> FloatArray:
    if total <= _SMALL:
        return np.arange(total + 1)
    steps = int(np.ceil(np.log(total) / np.log(_GROWTH)))
    near = np.minimum(np.floor(_GROWTH ** np.arange(steps + 1)), total)
    even = np.round(np.linspace(0, total, _EVEN + 1))
    return np.unique(np.concatenate([even, near, total - near]))
