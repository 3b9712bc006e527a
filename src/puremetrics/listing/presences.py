"""Presences and background in windows of the score: what the Boyce index is made of, and how it varies.

A hundred and one windows overlap, so they are sums over cells between all of their edges. Counts of cells
are multinomial given the numbers of presences and of other rows; resampling them costs the same for any
number of rows.

**Monotone ratio.** The ratio of presences to background that rises with the score and fits best is the
isotonic regression of the share of presences among the rows of a cell, weighted by these rows. Whether it
contradicts the data is asked of ten windows side by side: the deviance of their counts from the fit, against
that of samples drawn from the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray, IntArray
from puremetrics.numerics.pava import bounded_isotonic
from puremetrics.setting import TwoSamples
from puremetrics.tables.merging import merged_between
from puremetrics.tables.score_table import ScoreTable

__all__ = ["STEPS", "Cells", "correlations"]

STEPS = 100
_WIDTH = 0.1  # of a window, as a share of the range
_LARGE = 1e300  # a range that a hundred steps would take beyond all floats
_APART = 10  # windows side by side


@dataclass(frozen=True)
class Cells:
    """Shares of the presences (``pos``) and of the other rows in cells from the lowest score up.

    ``first`` and ``last`` are the cells of each window, ``labelled`` the part of the background that
    presences are, ``sizes`` the numbers of presences and of background rows, ``effective`` those of presences
    and other rows that are independent.
    """

    pos: FloatArray
    others: FloatArray
    first: IntArray
    last: IntArray
    labelled: float
    sizes: tuple[float, float]
    effective: tuple[int, int]

    @classmethod
    def of(cls, table: ScoreTable, low: float, high: float, effect: tuple[float, float]) -> Cells:
        """The cells of a table whose scores run from low to high."""
        starts, ends = _windows(low, high)
        edges = np.unique(np.concatenate([starts, ends[:-1]]))
        samples = TwoSamples(merged_between(table, edges), effect)
        own = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        above = np.searchsorted(-samples.table.score, -edges, side="right")
        heads = [samples.heads.pos[above], samples.heads.cmp[above]]
        pos, cmp = (head - np.append(head[1:], 0.0) for head in heads)
        others = np.maximum(cmp - own * pos, 0.0) / max(1 - own, 1e-300)
        first = np.searchsorted(edges, starts)
        last = np.append(np.searchsorted(edges, ends[:-1]), edges.size)
        whole = max(float(others.sum()), 1e-300)
        rows = samples.sizes[0], samples.sizes[1] * (1 - own)
        effective = tuple(max(round(size), 1) for size in rows)
        sizes = samples.total_pos, samples.total_cmp
        return cls(pos, others / whole, first, last, own, sizes, effective)  # type: ignore[arg-type]

    def background(self, pos: FloatArray, others: FloatArray) -> FloatArray:
        """Shares of the background."""
        return self.labelled * pos + (1 - self.labelled) * others

    def in_windows(self, cells: FloatArray) -> FloatArray:
        """Sums over the cells of each window; cells along the last axis."""
        zero = np.zeros((*cells.shape[:-1], 1))
        running = np.concatenate([zero, np.cumsum(cells, axis=-1)], axis=-1)
        return np.asarray(running[..., self.last] - running[..., self.first])

    def ratios(
        self, pos: FloatArray, cmp: FloatArray, sizes: tuple[float, float] | None = None
    ) -> FloatArray:
        """Presences to background in each window, with half a row more in both."""
        top, bottom = (
            (self.in_windows(cells) * size + 0.5) / (size + 1)
            for cells, size in zip((pos, cmp), sizes or self.sizes, strict=True)
        )
        return np.asarray(top / bottom)

    def filled(self) -> IntArray:
        """Windows that hold any row."""
        rows = self.in_windows(self.pos + self.background(self.pos, self.others))
        return np.asarray(np.flatnonzero(rows > 1e-12))

    def drawn(
        self, rng: np.random.Generator, pos: FloatArray, draws: int
    ) -> tuple[FloatArray, FloatArray]:
        """Shares of presences and background in samples of as many rows."""
        own, rest = self.effective
        shares = rng.multinomial(own, pos / pos.sum(), size=draws) / own
        others = rng.multinomial(rest, self.others, size=draws) / rest
        return shares, self.background(shares, others)

    def monotone(self, sign: float) -> tuple[FloatArray, float]:
        """Shares of presences with a ratio that rises (or falls, with sign −1), and their log-likelihood."""
        own, other = self._rows(self.pos, self.background(self.pos, self.others))
        rows = own + other
        share = np.divide(own, rows, out=np.zeros(rows.size), where=rows > 0)
        order = slice(None, None, 1 if sign > 0 else -1)
        fit = np.clip(bounded_isotonic(share[order], rows[order])[order], 0.0, 1.0)
        found = fit * rows
        return found / max(float(found.sum()), 1e-300), float(_likelihood(fit, own, other))

    def contradicted(self, rng: np.random.Generator, sign: float, draws: int) -> float:
        """How often samples from a monotone ratio are as far from one as these rows are."""
        fit, _ = self.monotone(sign)
        cmp = self.background(self.pos, self.others)
        seen = self._distances(self.pos[None], cmp[None], sign)[0]
        found = self._distances(*self.drawn(rng, fit, draws), sign)
        return (1 + float(np.sum(found >= seen - 1e-9))) / (draws + 1)

    def _rows(self, pos: FloatArray, cmp: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Numbers of presences and of background rows."""
        return pos * self.effective[0], cmp * sum(self.effective)

    def _distances(self, pos: FloatArray, cmp: FloatArray, sign: float) -> FloatArray:
        """Deviance of ten windows from the best monotone ratio, for each row of the arrays."""
        starts = np.arange(_APART) * pos.shape[1] // _APART
        own, other = (
            np.add.reduceat(rows, starts, axis=1)[:, :: 1 if sign > 0 else -1]
            for rows in self._rows(pos, cmp)
        )
        free = own / np.maximum(own + other, 1e-300)
        fit = _rising(own, own + other)
        return np.asarray(2 * (_likelihood(free, own, other) - _likelihood(fit, own, other)))


def _windows(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Where windows of a tenth of the range start and end."""
    steps, reach = np.arange(STEPS + 1), high - low
    if reach > _LARGE:  # scores at both ends of what floats can be
        share = (1 - _WIDTH) * steps / STEPS
        starts, ends = (low * (1 - part) + high * part for part in (share, share + _WIDTH))
    else:
        starts = low + reach * (1 - _WIDTH) * steps / STEPS
        ends = starts + reach * _WIDTH
    starts[0] = low
    return starts, ends


def _rising(own: FloatArray, rows: FloatArray) -> FloatArray:
    """Isotonic regression of shares along the last axis by the max-min formula, for a few places."""
    size = own.shape[1]
    sums, totals = (
        np.concatenate([np.zeros((own.shape[0], 1)), np.cumsum(column, axis=1)], axis=1)
        for column in (own, rows)
    )
    fit = np.full(own.shape, -np.inf)
    for first in range(size):
        mass = totals[:, first + 1 :] - totals[:, first : first + 1]
        mean = (sums[:, first + 1 :] - sums[:, first : first + 1]) / np.maximum(mass, 1e-300)
        mean = np.where(mass > 1e-9, mean, np.inf)  # without rows there is no mean to keep below
        least = np.minimum.accumulate(mean[:, ::-1], axis=1)[:, ::-1]
        fit[:, first:] = np.maximum(fit[:, first:], np.where(np.isfinite(least), least, -np.inf))
    return np.asarray(np.clip(fit, 0.0, 1.0))


def _likelihood(share: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """Log-likelihood of which rows are presences, if their shares are these."""
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return np.asarray(np.sum(own * np.log(share) + other * np.log1p(-share), axis=-1))


def correlations(ratios: FloatArray) -> FloatArray:
    """Spearman's correlation of each row of ratios with their places; NaN where all are equal."""
    logs = np.log(ratios).round(11)
    count, size = logs.shape[0], logs.shape[-1]
    order = np.argsort(logs, axis=1)
    placed = np.take_along_axis(logs, order, axis=1)
    new = np.ones((count, size + 1), dtype=np.bool_)
    np.not_equal(placed[:, 1:], placed[:, :-1], out=new[:, 1:-1])
    place = np.arange(size + 0.0)
    first = np.maximum.accumulate(np.where(new[:, :-1], place, 0.0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], place, size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((count, size))
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    apart = ranks - ranks.mean(axis=1, keepdims=True)
    place -= place.mean()
    scale = np.sqrt(np.sum(apart**2, axis=1) * float(np.sum(place**2)))
    none = np.full(count, np.nan)
    return np.asarray(np.divide(apart @ place, scale, out=none, where=scale > 0))
