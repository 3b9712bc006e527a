"""Influence of a row on a ranking measure.

A labelled row that moves down past another one lowers k by one at one operating point, so the influence
of a row is a sum of the measure's increments over the operating points below it. Rows of one score share
the mean over the places that they may take.

Operating points are put together into cells: single ones near both ends of the ranking, where terms
change fastest, and at most a thousand in between. A grid of even steps would miss all of PULP's sampling
error in a good ranking of many labelled rows, which is made in the first few rows and the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.sums import weighted_sum
from puremetrics.ranking.measures import Measure, Ranked

__all__ = ["Cells", "Spread", "even_points", "influence_of"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_HERMITE = (_NODES, _WEIGHTS / np.sqrt(2 * np.pi))
STEPS = 1024  # of a curve: every operating point where there are no more
_EVEN = 512  # cells of equal width
_GROWTH = 1.05  # of cells towards the middle


Pair = tuple[FloatArray, FloatArray]  # of labelled and of other rows


class Spread(NamedTuple):
    """Influence of labelled and of other rows by score: in this sample, and for the limits.

    ``beyond_here`` and ``beyond_around`` are those of rows above and below all others. ``bent`` is the
    variance that the second derivative adds where a measure is curved.
    """

    here: Pair
    around: Pair
    beyond_here: Pair
    beyond_around: Pair
    bent: float = 0.0

    def versions(self) -> tuple[tuple[Pair, Pair], tuple[Pair, Pair]]:
        """Influence of rows and of those beyond them: in this sample, and for the limits."""
        return (self.here, self.beyond_here), (self.around, self.beyond_around)


def even_points(total: float) -> FloatArray:
    """Operating points that divide a curve: all, or about a thousand."""
    return np.unique(np.round(np.linspace(0, total, int(min(total, STEPS)) + 1)))


@dataclass(frozen=True, eq=False)
class Cells:
    """Runs of operating points edge[i] < b ≤ edge[i + 1], with the mean b and hits k in each."""

    ranked: Ranked
    edges: FloatArray
    b: FloatArray
    k: FloatArray
    new_hits: FloatArray

    @staticmethod
    def of(ranked: Ranked) -> Cells:
        """Cells of a ranking; hits grow evenly inside ties."""
        edges = _edges(ranked)
        first, last = _hits(ranked, edges[:-1] + 1), _hits(ranked, edges[1:])
        before = np.concatenate([[0.0], last[:-1]])
        return Cells(
            ranked, edges, (edges[:-1] + 1 + edges[1:]) / 2, (first + last) / 2, last - before
        )

    @property
    def width(self) -> FloatArray:
        """Operating points of each cell."""
        return np.diff(self.edges)

    @property
    def others(self) -> FloatArray:
        """Of them, those that a labelled row can be moved past."""
        return self.width if self.ranked.apart else self.width - self.new_hits

    def by_row(self, steps: FloatArray) -> FloatArray:
        """Sum of the steps of all cells below a row, by score; a mean over the places of tied rows.

        The middle of a block will not do: that sum is far from straight across a block of many rows.
        """
        below = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
        area = np.concatenate([[0.0], np.cumsum((below[1:] + below[:-1]) / 2 * self.width)])
        start, end = self.ranked.ends[:-1], self.ranked.ends[1:]
        # Exact where ends of blocks are edges of cells; elsewhere blocks are small beside cells.
        rise = np.interp(end, self.edges, area) - np.interp(start, self.edges, area)
        single = np.interp((start + end) / 2, self.edges, below)
        mean = rise / np.maximum(end - start, 1.0)
        return np.asarray(np.where(self.ranked.size > 1, mean, single))

    def beyond(self, steps: FloatArray) -> FloatArray:
        """Sum of the steps for a row above all others, and for one below; of their block if they are tied."""
        rows, ranked = self.by_row(steps), self.ranked
        return np.array(
            [
                rows[end] if ranked.pos[end] > 0 and ranked.size[end] > 1 else edge
                for end, edge in ((0, float(steps.sum())), (-1, 0.0))
            ]
        )

    def at_row(self, terms: FloatArray) -> FloatArray:
        """Mean of the terms of all cells that a row may be in, by score."""
        area = np.concatenate([[0.0], np.cumsum(terms * self.width)])
        start, end = self.ranked.ends[:-1], self.ranked.ends[1:]
        rise = np.interp(end, self.edges, area) - np.interp(start, self.edges, area)
        return np.asarray(rise / np.maximum(end - start, 1.0))

    @property
    def hits_at_labels(self) -> FloatArray:
        """Hits at a labelled row of each cell, itself included, or at one that would join it."""
        ranked = self.ranked
        block = _block(ranked, np.ceil(self.b))
        pos = np.asarray(ranked.pos, dtype=np.float64)
        before, size = (np.cumsum(pos) - pos)[block], ranked.size[block]
        steps = (self.b - ranked.ends[block] - 1) / np.maximum(size - 1, 1.0)
        return np.asarray(before + 1 + np.maximum(pos[block] - 1, 0.0) * np.clip(steps, 0.0, 1.0))

    @property
    def order_spread(self) -> FloatArray:
        """Standard deviation of the hits over random orders of tied rows."""
        ranked = self.ranked
        block = _block(ranked, np.ceil(self.b))
        place, size = self.b - ranked.ends[block], ranked.size[block]
        pos = np.asarray(ranked.pos, dtype=np.float64)[block]
        slope, by_place, by_square = ranked.blocks.moments(
            pos, np.maximum(size, 1.0 + (not ranked.apart))
        )
        spread = by_place * place + (by_square - slope**2) * place**2
        return np.asarray(np.sqrt(np.maximum(spread, 0.0) * (size > 1)))


def influence_of(cells: Cells, measure: Measure, share: float | None) -> Spread:
    """Influence of a labelled and of another row of each score.

    The estimand is a mean over samples, so its own derivative is a mean over the hits that samples may
    have. Where a measure saturates, the one at the hits of this sample is next to nothing: limits take the
    one that makes the larger variance.
    """
    ranked = cells.ranked
    blocks = ranked.blocks
    k, b = cells.k, cells.b
    gains = measure.gains(blocks, k, b, share)
    spread = cells.order_spread
    tied = spread > 0
    if tied.any():  # there k depends on the order of the tied rows: a mean over a normal law
        gains[tied] = _mean_gains(measure, ranked, k[tied], spread[tied], b[tied], share)
    wide = gains
    if measure.saturates:
        sampled = np.hypot(spread, _sampling_spread(k, blocks.marked))
        wide = _mean_gains(measure, ranked, k, sampled, b, share)
    others = blocks.total if ranked.apart else blocks.total - blocks.marked
    here, around, beyond_here, beyond_around = (
        (
            blocks.marked * count(slope / (blocks.total + 1) * cells.others),
            -others * count(slope / (blocks.total + 1) * cells.new_hits),
        )
        for count in (cells.by_row, cells.beyond)
        for slope in (gains, wide)
    )
    bent = _second_order_variance(cells, measure, share) if measure.curved else 0.0
    return Spread(here, around, beyond_here, beyond_around, bent)


def _second_order_variance(cells: Cells, measure: Measure, share: float | None) -> float:
    """Variance of the second-order term ½ Σ_b f″ δ_b², by ½ Σ_b Σ_c f″_b f″_c Cov(δ_b, δ_c)².

    δ_b is the error of the hits at b. With G and H the shares of both kinds reached, and the share w of
    other rows among those around b, Cov(δ_b, δ_c) for b < c is

        w_b w_c t G_b (1 − G_c) + (1 − w_b) (1 − w_c) u H_b (1 − H_c).

    Its square is a sum of products of a function of b and one of c: running sums suffice.
    """
    ranked, k, b = cells.ranked, cells.k, cells.b
    blocks = ranked.blocks
    t, u = blocks.marked, blocks.total - blocks.marked
    step = 0.5 * np.sqrt(t * _inside(k, t) * _inside(t - k, t))  # 1 less a share near 1 would be 0
    spread = np.hypot(cells.order_spread, step)
    ends = [_mean_gains(measure, ranked, k + s * step, spread, b, share) for s in (-1, 1)]
    second = (ends[1] - ends[0]) / (2 * step) * cells.width / (blocks.total + 1)
    w = cells.others / cells.width
    # Inside a tied block δ lies between its values at both ends, and δ² below the line between them.
    block = _block(ranked, np.ceil(b))
    pos, size = np.asarray(ranked.pos, dtype=np.float64), ranked.size[block]
    tied = (pos[block] > 0) & (size > 1)
    x = np.where(tied, (b - ranked.ends[block]) / size, 0.0)
    at_start = (
        np.where(tied, ranked.ends[block], b),
        np.where(tied, (np.cumsum(pos) - pos)[block], k),
    )
    at_end = ranked.ends[block + 1][tied], np.cumsum(pos)[block][tied]
    b, k = (np.concatenate(pair) for pair in zip(at_start, at_end, strict=True))
    second = np.concatenate([second * (1 - x), (second * x)[tied]])
    order = np.argsort(b, kind="stable")
    b, k, second, w = b[order], k[order], second[order], np.concatenate([w, w[tied]])[order]
    g, h = _inside(k, t, 0.0), _inside(b - k, u, 0.0)
    first = w * np.sqrt(t) * g, (1 - w) * np.sqrt(u) * h
    later = w * np.sqrt(t) * (1 - g), (1 - w) * np.sqrt(u) * (1 - h)
    total = 0.0
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        before, after = second * first[i] * first[j], second * later[i] * later[j]
        total += weighted_sum(2 * np.cumsum(before) - before, after)
    return max(total / 2, 0.0)


def _inside(count: FloatArray, total: float, more: float = 0.5) -> FloatArray:
    """Share of the total, kept from 0 and 1 by a part of a row."""
    return np.clip((count + more) / (total + 2 * more), 0.0, 1.0)


def _mean_gains(
    measure: Measure,
    ranked: Ranked,
    k: FloatArray,
    spread: FloatArray,
    b: FloatArray,
    share: float | None,
) -> FloatArray:
    """Mean of the increments over hits with this mean and standard deviation."""
    blocks = ranked.blocks
    most = np.full(b.shape, blocks.marked) if ranked.apart else np.minimum(b, blocks.marked)
    steps = np.clip(k + _HERMITE[0][:, None] * spread, 0.0, most)
    parts = measure.gains(blocks, steps, np.broadcast_to(b, steps.shape), share)
    return np.asarray(_HERMITE[1] @ parts)


def _sampling_spread(k: FloatArray, marked: float) -> FloatArray:
    """Standard deviation of the hits between samples, given the rows reached."""
    place = (k + 1) / (marked + 2)
    return np.asarray(np.sqrt(marked * place * (1 - place)))


def _edges(ranked: Ranked) -> FloatArray:
    total = ranked.blocks.total
    count = int(min(total, _EVEN))
    steps = int(np.ceil(np.log(total + 1) / np.log(_GROWTH)))
    near = np.minimum(np.floor(_GROWTH ** np.arange(steps + 1)), total)
    parts = [np.round(np.linspace(0, total, count + 1)), near, total - near]
    wide = ranked.size > total / (4 * _EVEN)
    if wide.any():
        parts += [ranked.ends[:-1][wide], ranked.ends[1:][wide]]
    return np.unique(np.concatenate(parts))


def _block(ranked: Ranked, b: FloatArray) -> FloatArray:
    """Which score the b-th operating point has."""
    place = np.searchsorted(ranked.ends[1:], b, side="left")
    return np.minimum(place, ranked.size.size - 1)


def _hits(ranked: Ranked, b: FloatArray) -> FloatArray:
    """Mean hits at whole operating points."""
    block = _block(ranked, b)
    pos = np.asarray(ranked.pos, dtype=np.float64)
    before = np.cumsum(pos) - pos
    steps = ranked.size[block] + (1.0 if ranked.apart else 0.0)
    return np.asarray(before[block] + pos[block] * (b - ranked.ends[block]) / steps)
