"""Sums of ranking measures over operating points, in O(labelled) and without loss of digits.

N rows are ranked, t of them labelled. Operating point b = 0 … N predicts the first b rows positive and hits
K_b labelled ones. Each measure here is a sum of terms f(K_b, b) over b.

*Exchange of sums.* Let τ_k be the rank of the k-th labelled row. Writing f(K, b) as the sum of its increments
in K turns a sum over N + 1 operating points into one over the t labelled rows:

    Σ_{b ≤ B} f(K_b, b) = Σ_{τ_k ≤ B} Σ_{b = τ_k … B} (f(k, b) − f(k − 1, b))    if f(0, b) = 0,

and every inner sum has a closed form. For PULP the increment is P(X_b = k − 1); over all b from τ to N it
adds up to (N+1)/(t+1) · P(Y_τ ≤ k − 1) with Y_τ ~ Hypergeometric(N + 1, t + 1, τ). Hence

    PULP = 1/(t+1) · Σ_k P(Y_{τ_k} ≤ k − 1),

t positive terms, none of which cancels. For 1/(b + c) the inner sum is a difference of harmonic numbers; for
1/sqrt(b (N − b)) an arc sine with Euler–Maclaurin corrections. The harmonic numbers and other sums over runs
of operating points are in closed form, by Euler–Maclaurin beyond the first rows. Mutual information is a sum
of functions of k, of b − k and of b alone, which are summed by themselves.

*Ties.* A block of tied rows holds labelled and other rows. All sums here are exact means over random orders
of each block: given b, K_b is hypergeometric in the block; its first two moments serve measures linear or
quadratic in K; for functions of k alone, every k of the block is passed by equally many b on average.

*Two samples.* Where the labelled rows are no part of the population, b counts rows of the population only,
and K_b the labelled rows that rank before the b-th of them. Of the r labelled rows of a block with m rows of
the population, those before the j-th are beta-binomial, with p = j / (m + 1):

    E[H] = r p,    Var[H] = r p (1 − p) (m + 1 + r) / (m + 2),

which is a random order of all m + r rows. The sums stay the same with these two moments.

*PULP of a block of tied rows* (`tied_pulp`) is its mean over all orders of the block. Of the m rows of a
block, r are labelled; h labelled rows and b rows rank before it. In a random order a labelled row is at each
place s = 1 … m equally often, with H ~ Hypergeometric(m − 1, r − 1, s − 1) labelled rows of the block before
it. By the formula above the block therefore adds

    r · mean over s of P(Y − H ≤ h),    Y ~ Hypergeometric(N + 1, t + 1, b + s) independent of H.

Both sums are exact for small blocks. In large ones

- the mean over s is taken panel by panel, by interpolation through twelve places near Chebyshev's
  points; the weights are exact for polynomials summed over whole numbers, and panels are laid so
  that neither the standardised distance of h from the mean of Y − H nor the logarithm of its
  variance changes much in one;
- the sum over the less variable of Y and H goes in strides of half its standard deviation. Both
  laws are sums of independent Bernoulli variables, so the aliasing error is below exp(−4π²) ≈
  1e-17.

Measured against the double sum the error of the probability stays below 1e-11 (see the tests).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.numerics import hypergeometric

__all__ = [
    "EDGE",
    "Blocks",
    "RootSums",
    "average_precision_parts",
    "entropy_sums",
    "entropy_term",
    "harmonic",
    "lee_liu_sums",
    "linear_sums",
    "mutual_information_sums",
    "pearson_sums",
    "pulp_sums",
    "tied_pulp",
]


EDGE = 24  # rows near an end of the ranking that are added up before Euler–Maclaurin is used
_MIDPOINT = {1: -1 / 24, 3: 7 / 5760, 5: -31 / 967680, 7: 127 / 154828800}


class RootSums:
    """Sums of bᵖ / sqrt(N − b) over whole b in 1 … N − 1, for p = −1/2 and 1/2."""

    def __init__(self, total: float) -> None:
        self.total = total
        self.whole = total <= 4 * EDGE

    def between(self, power: float, low: FloatArray, high: FloatArray) -> FloatArray:
        """Sum over low < b ≤ high."""
        n = self.total
        if self.whole:
            return self._added(power, 1.0, n - 1, low, high)
        bottom, top = float(EDGE), n - 1 - EDGE
        sums = self._added(power, 1.0, bottom, low, high)
        sums += self._added(power, top + 1, n - 1, low, high)
        return sums + self._integrated(power, np.clip(low, bottom, top), np.clip(high, bottom, top))

    def _added(
        self, power: float, first: float, last: float, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        b = np.arange(first, last + 1)
        table = np.concatenate([[0.0], np.cumsum(b**power / np.sqrt(self.total - b))])
        ends = [np.clip(end - first + 1, 0, b.size).astype(np.intp) for end in (low, high)]
        return np.asarray(table[ends[1]] - table[ends[0]])

    def _integrated(self, power: float, low: FloatArray, high: FloatArray) -> FloatArray:
        n, x1, x2 = self.total, low + 0.5, high + 0.5
        left, right = np.sqrt(x1 * (n - x1)), np.sqrt(x2 * (n - x2))
        across = np.sqrt(x2 * (n - x1)) + np.sqrt(x1 * (n - x2))
        along = np.sqrt(x1 * x2) + np.sqrt((n - x1) * (n - x2))
        result = 2 * np.arctan2(n * (x2 - x1) / across, along)
        if power > 0:
            result = n / 2 * result - (x2 - x1) * (n - x1 - x2) / (left + right)
        for order, factor in _MIDPOINT.items():
            rise = _root_derivative(power, order, x2, n) - _root_derivative(power, order, x1, n)
            result = result + factor * rise
        return np.asarray(result)


def _root_derivative(power: float, order: int, x: FloatArray, total: float) -> FloatArray:
    """Derivative of xᵖ (N − x)^(−1/2), by Leibniz's rule."""
    inner, outer = [1.0], [1.0]
    for i in range(order):
        inner.append(inner[-1] * (power - i))
        outer.append(outer[-1] * (0.5 + i))
    # Σ_i binomial · inner_i outer_{order − i} x⁻ⁱ (N − x)^(i − order), by Horner in (N − x) / x
    ratio = (total - x) / x
    result = np.zeros(x.shape)
    for i in range(order, -1, -1):
        result *= ratio
        result += math.comb(order, i) * inner[i] * outer[order - i]
    return np.asarray(result * x**power / (np.sqrt(total - x) * (total - x) ** order))


def entropy_term(x: FloatArray, total: float) -> FloatArray:
    """Return x log(x / N), which is 0 at 0."""
    return np.asarray(x * np.log(np.maximum(x, 1.0) / total))


def entropy_sums(low: FloatArray, high: FloatArray, total: float) -> FloatArray:
    """Sum of x log(x / N) over low < x ≤ high, by tables and the Euler–Maclaurin formula; low ≥ −1."""
    table = np.cumsum(entropy_term(np.arange(EDGE + 1.0), total))
    table = np.concatenate([[0.0], table])
    ends = [np.minimum(end + 1, EDGE + 1).astype(np.intp) for end in (low, high)]
    result = table[ends[1]] - table[ends[0]]
    x1, x2 = np.maximum(low, EDGE) + 0.5, np.maximum(high, EDGE) + 0.5
    width, log = x2 - x1, np.log1p((x2 - x1) / x1)
    result += 0.5 * (width * (x1 + x2) * (np.log(x1 / total) - 0.5) + x2**2 * log)
    p1, p2 = 1 / x1**2, 1 / x2**2
    result -= log / 24 + 7 / 5760 * (p2 - p1) - 31 / 161280 * (p2**2 - p1**2)
    return np.asarray(result - 127 / 1290240 * (p2**3 - p1**3))


_ALL = 64  # blocks up to this size use every place
_SHORT = 32  # so do panels up to this length
_NODES = 12
_GRID = 64
_FAR = 10.0  # standard deviations beyond which a probability is flat
_STEP = 0.7  # change of the clock in one panel
_AT_ONCE = 2_000_000
_MIDPOINT_OF_TIES = {
    1: -1 / 24,
    3: 7 / 5760,
    5: -31 / 967680,
    7: 127 / 154828800,
    9: -73 / 3503554560,
}
IntArray = npt.NDArray[np.intp]


def tied_pulp(
    total: float,
    marked: float,
    hits: FloatArray,
    rows: FloatArray,
    labelled: FloatArray,
    size: FloatArray,
) -> FloatArray:
    """Sum over the labelled rows of each block of P(Y ≤ k − 1), as a mean over random orders."""
    owner, place, weight = _places(total, marked, hits, rows, labelled, size)
    result = np.zeros(size.size)
    lengths = np.full(owner.size, 50)
    edges = np.searchsorted(np.cumsum(lengths), np.arange(0, lengths.sum(), _AT_ONCE))
    for start, stop in zip(edges, [*edges[1:], owner.size], strict=True):
        some = slice(int(start), int(stop))
        i, s = owner[some], place[some]
        chance = _chance(
            hits[i], (total + 1, marked + 1, rows[i] + s), (size[i] - 1, labelled[i] - 1, s - 1)
        )
        result += np.bincount(i, weight[some] * chance, minlength=size.size)
    return labelled / size * result


def _chance(
    limit: FloatArray,
    first: tuple[float, float, FloatArray],
    second: tuple[FloatArray, FloatArray, FloatArray],
) -> FloatArray:
    """P(Y − H ≤ limit) for two independent hypergeometric variables (total, marked, drawn)."""
    laws = [np.stack(np.broadcast_arrays(*law)) for law in (first, second)]
    moments = [_moments(law) for law in laws]
    use_second = moments[1][1] <= moments[0][1]
    summed = np.where(use_second, laws[1], laws[0])
    other = np.where(use_second, laws[0], laws[1])
    mean = np.where(use_second, moments[1][0], moments[0][0])
    spread = np.sqrt(np.where(use_second, moments[1][1], moments[0][1]))
    stride = np.maximum(np.floor(spread / 2), 1.0)
    lowest = np.maximum(summed[1] + summed[2] - summed[0], 0.0)
    highest = np.minimum(summed[1], summed[2])
    low = np.maximum(np.ceil(mean - 9 * spread - 8), lowest)
    high = np.minimum(np.floor(mean + 9 * spread + 8), highest)
    count = (np.floor((high - low) / stride) + 1).astype(np.intp)
    owner = np.repeat(np.arange(count.size), count)
    step = np.arange(owner.size) - np.repeat(np.cumsum(count) - count, count)
    value = low[owner] + step * stride[owner]
    terms = np.exp(hypergeometric.log_pmf(value, *summed[:, owner]))
    by_second = use_second[owner]
    # Y − H ≤ limit: given H it is the lower tail of Y, given Y the upper tail of H.
    for mask, tail, sign in (
        (by_second, hypergeometric.cdf, 1.0),
        (~by_second, hypergeometric.sf, -1.0),
    ):
        if mask.any():
            at = (
                limit[owner[mask]] + value[mask]
                if sign > 0
                else value[mask] - limit[owner[mask]] - 1
            )
            terms[mask] *= tail(at, *other[:, owner[mask]])
    sums = np.bincount(owner, terms, minlength=count.size) * stride
    return np.asarray(np.clip(sums, 0.0, 1.0))  # beyond by rounding only


def _moments(law: FloatArray) -> tuple[FloatArray, FloatArray]:
    total, marked, drawn = law
    some = np.maximum(total, 1.0)
    mean = drawn * marked / some
    return mean, mean * (1 - marked / some) * (total - drawn) / np.maximum(total - 1, 1.0)


def _places(
    total: float,
    marked: float,
    hits: FloatArray,
    rows: FloatArray,
    labelled: FloatArray,
    size: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Places s at which to look in each block, with weights that add up to its size."""
    panels_of = np.ones(size.size, dtype=np.intp)
    large = np.flatnonzero(size > _ALL)
    ends = [size]
    if large.size:
        parts = (hits[large], rows[large], labelled[large], size[large])
        panels, bounds = _panels(total, marked, *parts)
        panels_of[large] = panels
        whole = np.repeat(size, panels_of)
        whole[np.repeat(size > _ALL, panels_of)] = bounds
        ends = [whole]
    end = ends[0]
    owner = np.repeat(np.arange(size.size), panels_of)
    start = np.concatenate([[0.0], end[:-1]])
    start[np.concatenate([[True], owner[1:] != owner[:-1]])] = 0.0
    length = end - start
    some = length > 0
    owner, start, length = owner[some], start[some], length[some]
    full = (length <= _SHORT) | (size[owner] <= _ALL)
    count = length[full].astype(np.intp)
    inner = np.repeat(np.cumsum(count) - count, count)
    place = np.repeat(start[full], count) + 1 + np.arange(count.sum()) - inner
    owners, weights = np.repeat(owner[full], count), np.ones(place.size)
    if full.all():
        return owners, place, weights
    nodes, node_weights = _interpolation(start[~full], length[~full])
    return (
        np.concatenate([owners, np.repeat(owner[~full], _NODES)]),
        np.concatenate([place, nodes.ravel()]),
        np.concatenate([weights, node_weights.ravel()]),
    )


def _panels(
    total: float,
    marked: float,
    hits: FloatArray,
    rows: FloatArray,
    labelled: FloatArray,
    size: FloatArray,
) -> tuple[IntArray, FloatArray]:
    """Number of panels of each block, and where they end (whole numbers, the last being m).

    The clock along a block advances by the change of the standardised distance and of the
    log-variance; the grid on which it is read is moved to equal clock times a few times.
    """
    column = [part[:, None] for part in (hits, rows, labelled, size)]
    h, b, r, m = column

    def clock(s: FloatArray) -> FloatArray:
        y_mean, y_var = _moments(np.stack(np.broadcast_arrays(total + 1, marked + 1, b + s)))
        x_mean, x_var = _moments(np.stack(np.broadcast_arrays(m, r, s)))
        variance = y_var + x_var + 0.25
        z = np.clip((h + 0.5 - y_mean + x_mean) / np.sqrt(variance), -_FAR, _FAR)
        moves = np.abs(np.diff(z, axis=1))
        moves += 2 * np.abs(np.diff(np.log(variance + 0.75), axis=1))
        moves += 1e-3 * np.diff(s, axis=1) / m  # keeps the clock running where nothing changes
        return np.concatenate([np.zeros((m.size, 1)), np.cumsum(moves, axis=1)], axis=1)

    reach = np.log(m) + 2
    grid = m / (1 + np.exp(-reach * np.linspace(-1, 1, _GRID)))
    grid[:, 0], grid[:, -1] = 0.0, size
    times = clock(grid)
    for _ in range(5):
        even = np.linspace(0, 1, _GRID) * times[:, -1:]
        grid = 0.5 * (_inverse(times, grid, even) + grid)
        times = clock(grid)
    panels = np.ceil(times[:, -1] / _STEP).astype(np.intp)
    owner = np.repeat(np.arange(size.size), panels)
    step = np.arange(1, owner.size + 1) - np.repeat(np.cumsum(panels) - panels, panels)
    share = (step / panels[owner]).astype(np.float64)
    offset = 2.0 * np.arange(size.size)
    known = (times / times[:, -1:] + offset[:, None]).ravel()
    ends = np.interp(share + offset[owner], known, grid.ravel())
    ends = np.where(step == panels[owner], size[owner], np.round(ends))
    return panels, np.asarray(ends)


def _inverse(times: FloatArray, grid: FloatArray, wanted: FloatArray) -> FloatArray:
    """Places on each row's grid at which its clock shows the wanted times."""
    shift = 2.0 * np.arange(times.shape[0])[:, None]
    known, asked = times / times[:, -1:] + shift, wanted / times[:, -1:] + shift
    return np.interp(asked.ravel(), known.ravel(), grid.ravel()).reshape(grid.shape)


def _interpolation(start: FloatArray, length: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Whole places in each panel, and the weights that sum interpolating polynomials over it."""
    angle = np.pi * (np.arange(_NODES) + 0.5) / _NODES
    half = length[:, None] / 2
    inside = np.round(0.5 + half * (1 - np.cos(angle)))  # halves of large starts would be lost
    inside = np.clip(inside, 1, length[:, None])
    nodes = start[:, None] + inside
    scaled = (inside - 0.5) / half - 1
    degrees = np.arange(_NODES)
    values = np.cos(degrees[:, None] * np.arccos(np.clip(scaled, -1, 1))[:, None, :])
    # Sum of each Chebyshev polynomial over the panel: Euler–Maclaurin, which ends for polynomials.
    even = degrees % 2 == 0
    sums = np.where(even, 2 / np.where(even, 1.0 - degrees**2, 1.0), 0.0) * np.ones(
        (length.size, 1)
    )
    slope = np.where(even, 2.0, 0.0)
    spacing = 2 / length[:, None]
    derivative = np.ones(_NODES)
    for order in range(1, 10):
        derivative = derivative * (degrees**2 - (order - 1) ** 2) / (2 * order - 1)
        if order in _MIDPOINT_OF_TIES:
            sums = sums + _MIDPOINT_OF_TIES[order] * spacing ** (order + 1) * slope * derivative
    weights = np.linalg.solve(values, (sums * half)[:, :, None])[:, :, 0]
    return nodes, weights


_DIRECT = 64  # tied blocks up to this size are added up row by row
_RUN = 10_000  # so are runs of labelled rows; longer ones have closed forms


@dataclass(frozen=True)
class Blocks:
    """Tied blocks that hold labelled rows, best first, and the sizes of the whole ranking.

    ``hits`` and ``rows`` count labelled and all rows ranked before the block; ``labelled`` and
    ``size`` those inside it. With ``apart`` the labelled rows are a sample of their own: ``rows``, ``size``
    and ``total`` leave them out, and a block may have size 0.
    """

    total: float
    marked: float
    hits: FloatArray
    rows: FloatArray
    labelled: FloatArray
    size: FloatArray
    apart: bool = False

    @staticmethod
    def of(n_pos: CountArray, n_rest: CountArray, *, apart: bool = False) -> Blocks:
        """Read the blocks off counts per score, in decreasing order of score."""
        pos = np.asarray(n_pos, dtype=np.float64)
        size = np.asarray(n_rest, dtype=np.float64) if apart else pos + n_rest
        hits, rows = np.cumsum(pos), np.cumsum(size)
        some = pos > 0
        return Blocks(
            float(rows[-1]),
            float(hits[-1]),
            (hits - pos)[some],
            (rows - size)[some],
            pos[some],
            size[some],
            apart,
        )

    def moments(
        self, labelled: FloatArray, size: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Factors a, c, d of the hits H before place j of a block: E[H] = a j, E[H²] = c j + d j²."""
        if self.apart:
            steps = size + 1
            spread = labelled * (steps + labelled) / (steps + 1)
            return labelled / steps, spread / steps, (labelled**2 - spread) / steps**2
        share = labelled / size
        spread = share * (size - labelled) / (size * (size - 1))  # Var[H] = spread j (m − j)
        return share, spread * size, share**2 - spread

    def added(
        self,
        strict: Callable[[FloatArray, FloatArray], FloatArray],
        tied: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray],
    ) -> FloatArray:
        """Sum over the labelled rows of each block: by their ranks, or as a mean over orders."""
        # Long runs of labelled rows count as tied, too: expanding them would cost memory by the row.
        mixed = (self.size > self.labelled) | (self.labelled > _RUN) | self.apart
        result = np.empty(self.size.size)
        plain = ~mixed
        if plain.any():
            hits, rows, count = self.hits[plain], self.rows[plain], self.labelled[plain]
            starts = np.cumsum(count) - count
            step = np.arange(1.0, count.sum() + 1) - np.repeat(starts, count.astype(np.intp))
            k = np.repeat(hits, count.astype(np.intp)) + step
            rank = np.repeat(rows, count.astype(np.intp)) + step
            result[plain] = np.add.reduceat(strict(k, rank), starts.astype(np.intp))
        if mixed.any():
            parts = (self.hits, self.rows, self.labelled, self.size)
            result[mixed] = tied(*(part[mixed] for part in parts))
        return result

    def reached(self, at: FloatArray) -> tuple[Any, FloatArray]:
        """Blocks that end at or before each operating point, and the hits there."""
        done = np.searchsorted(self.rows + self.size, at, side="right")
        hits = np.concatenate([[0.0], self.hits + self.labelled])
        return done, hits[done]


def pulp_sums(blocks: Blocks, at: FloatArray) -> FloatArray:
    """Σ_{b ≤ B} P(X_b ≤ K_b − 1) at each B in ``at``, none of which may lie inside a tied block."""
    n, t = blocks.total, blocks.marked

    def strict(k: FloatArray, rank: FloatArray) -> FloatArray:
        return hypergeometric.cdf(k - 1, n + 1, t + 1, rank)

    def tied(*block: FloatArray) -> FloatArray:
        return tied_pulp(n, t, *block)

    done, hits = blocks.reached(at)
    sums = _running(blocks.added(strict, tied))[done]
    short = at < n
    if short.any():
        k, b = hits[short], at[short]
        # E[(K − Y)⁺] with Y ~ Hypergeometric(N + 1, t + 1, B + 1)
        mean = (t + 1) / (n + 1) * (b + 1)
        below = hypergeometric.cdf(k - 1, n + 1, t + 1, b + 1)
        sums[short] -= k * below - mean * hypergeometric.cdf(k - 2, n, t, b)
    return np.asarray((n + 1) / (t + 1) * sums)


def linear_sums(blocks: Blocks, at: FloatArray, offset: float) -> FloatArray:
    """Σ_{1 ≤ b ≤ B} K_b / (b + offset) at each B in ``at``."""
    n = blocks.total

    def strict(k: FloatArray, rank: FloatArray) -> FloatArray:
        return harmonic(rank - 1 + offset, n - rank + 1)

    def tied(
        hits: FloatArray, rows: FloatArray, labelled: FloatArray, size: FloatArray
    ) -> FloatArray:
        first = _block_powers(rows + offset, size)[1]
        end = rows + size
        slope = blocks.moments(labelled, size)[0]
        return labelled * harmonic(end + offset, n - end) + slope * first

    done, hits = blocks.reached(at)
    sums = _running(blocks.added(strict, tied))[done]
    return np.asarray(sums - hits * harmonic(at + offset, n - at))


def lee_liu_sums(blocks: Blocks, at: FloatArray) -> FloatArray:
    """Σ_{1 ≤ b ≤ B} K_b² / b at each B in ``at``."""
    n = blocks.total

    def strict(k: FloatArray, rank: FloatArray) -> FloatArray:
        return (2 * k - 1) * harmonic(rank - 1, n - rank + 1)

    def tied(
        hits: FloatArray, rows: FloatArray, labelled: FloatArray, size: FloatArray
    ) -> FloatArray:
        end = rows + size
        slope, by_place, by_square = blocks.moments(labelled, size)
        _, first, second = _block_powers(rows, size)
        inside = (2 * hits * slope + by_place) * first + by_square * second
        return labelled * (2 * hits + labelled) * harmonic(end, n - end) + inside

    done, hits = blocks.reached(at)
    sums = _running(blocks.added(strict, tied))[done]
    return np.asarray(sums - hits**2 * harmonic(at, n - at))


def pearson_sums(blocks: Blocks, at: FloatArray) -> FloatArray:
    """Σ_{1 ≤ b < N, b ≤ B} of the phi coefficient of label and prediction at each B in ``at``."""
    n, t = blocks.total, blocks.marked
    root = RootSums(n)

    def strict(k: FloatArray, rank: FloatArray) -> FloatArray:
        return root.between(-0.5, rank - 1, np.array([n - 1]))

    def tied(
        hits: FloatArray, rows: FloatArray, labelled: FloatArray, size: FloatArray
    ) -> FloatArray:
        end = np.minimum(rows + size, n - 1)  # at b = N all rows are predicted positive: no term
        inside = root.between(0.5, rows, end) - rows * root.between(-0.5, rows, end)
        short = size <= _DIRECT
        if short.any():
            owner, j = _rows_inside(size[short])
            b = rows[short][owner] + j
            terms = np.where(b < n, j / np.sqrt(np.maximum(b * (n - b), 1.0)), 0.0)
            inside[short] = np.bincount(owner, terms, minlength=int(short.sum()))
        after = root.between(-0.5, end, np.array([n - 1]))
        return labelled * after + labelled / size * inside

    done, hits = blocks.reached(at)
    last = np.minimum(at, n - 1)
    sums = _running(blocks.added(strict, tied))[done]
    sums -= hits * root.between(-0.5, last, np.array([n - 1]))
    expected = root.between(0.5, np.zeros_like(last), last)
    return np.asarray((n * sums - t * expected) / math.sqrt(t * (n - t)))


def mutual_information_sums(blocks: Blocks, at: FloatArray) -> FloatArray:
    """Σ_{b ≤ B} of the mutual information of label and prediction, in nats, at each B in ``at``."""
    n, t = blocks.total, blocks.marked
    u = n - t

    def both(x: FloatArray, whole: float) -> FloatArray:
        return entropy_term(x, n) + entropy_term(whole - x, n)

    def both_between(low: FloatArray, high: FloatArray, whole: float) -> FloatArray:
        """Sum of both terms over x = low … high."""
        there = entropy_sums(low - 1, high, n)
        return there + entropy_sums(whole - high - 1, whole - low, n)

    others = blocks.size - blocks.labelled
    before = blocks.rows - blocks.hits
    last = np.concatenate([[0.0], before + others])
    k_sum = both_between(blocks.hits, blocks.hits + blocks.labelled, t)
    # Every value of k is passed once for sure, and once more for each other row ranked there.
    by_k = (before - last[:-1]) * both(blocks.hits, t) + others / (blocks.labelled + 1) * k_sum
    y_sum = both_between(before, before + others, u)
    by_y = blocks.labelled / (others + 1) * y_sum
    done, hits = blocks.reached(at)
    sums = _running(by_k + by_y)[done]
    zero = np.zeros_like(at)
    sums += both_between(zero, hits, t) + (at - hits - last[done]) * both(hits, t)
    sums += both_between(zero, at - hits, u) - both_between(zero, at, n)
    fixed = float(both(np.array(t), n))
    return np.asarray((sums - (at + 1) * fixed) / n)


def average_precision_parts(blocks: Blocks) -> FloatArray:
    """Sum over the labelled rows of each block of the precision at their own rank, k / τ_k."""

    def tied(
        hits: FloatArray, rows: FloatArray, labelled: FloatArray, size: FloatArray
    ) -> FloatArray:
        slope = (labelled - 1) / (
            size - 1
        )  # labelled rows of the block before a labelled one, a step
        zeroth, first, _ = _block_powers(rows, size)
        return labelled / size * ((hits + 1 - slope) * zeroth + slope * first)

    return blocks.added(lambda k, rank: k / rank, tied)


def harmonic(start: FloatArray, count: FloatArray) -> FloatArray:
    """Σ_{j = 1 … count} 1 / (start + j), with a small relative error; start ≥ 0 need not be whole."""
    a, m = np.broadcast_arrays(np.asarray(start, np.float64), np.asarray(count, np.float64))
    total = np.zeros(a.shape)
    near = a < EDGE
    if near.any():
        low, left = a[near], m[near]
        first = np.zeros(low.shape)
        for j in range(1, EDGE + 1):
            first += (left >= j) / (low + j)
        total[near] = first
        shift = np.where(near, np.minimum(m, EDGE), 0.0)
        a, m = a + shift, m - shift
    x1, x2 = a + 0.5, a + m + 0.5
    p1, p2 = 1 / x1**2, 1 / x2**2
    series = np.log1p(m / x1) + (p2 - p1) / 24 - 7 / 960 * (p2**2 - p1**2)
    series += 31 / 8064 * (p2**3 - p1**3) - 127 / 30720 * (p2**4 - p1**4)
    return np.asarray(total + np.where(m > 0, series, 0.0))


def _running(parts: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(parts)])


def _rows_inside(size: FloatArray) -> tuple[CountArray, FloatArray]:
    """Which block each row belongs to, and its place 1 … m there."""
    count = size.astype(np.intp)
    owner = np.repeat(np.arange(size.size), count)
    return owner, np.arange(1.0, owner.size + 1) - np.repeat(np.cumsum(count) - count, count)


def _block_powers(start: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Σ_{j = 1 … size} jᵖ / (start + j) for p = 0, 1, 2.

    The recursion Σ jᵖ⁺¹ / (s + j) = Σ jᵖ − s · Σ jᵖ / (s + j) cancels where s is large. There the
    Euler–Maclaurin formula is rearranged: with a = s + 1/2, z = m/a, L = log(1 + z) and E its
    corrections, the sums are a (z − L) + L/2 − s E and a² (L − z + z²/2) + a (z − L) + L/4 + s² E.
    """
    zeroth = harmonic(start, size)
    first = size - start * zeroth
    second = size * (size + 1) / 2 - start * first
    far = start >= EDGE
    if far.any():
        s, a, m = start[far], start[far] + 0.5, size[far]
        z = m / a
        drop, rest = _log_remainders(z)
        both, product = 2 * a + m, (a * (a + m)) ** 2
        p1, p2 = 1 / a**2, 1 / (a + m) ** 2
        fall = -m * both / product  # p2 − p1, without cancelling
        edge = fall / 24 - 7 / 960 * fall * (p2 + p1) + 31 / 8064 * fall * (p2**2 + p1 * p2 + p1**2)
        first[far] = a * drop + np.log1p(z) / 2 - s * edge
        second[far] = a**2 * rest + a * drop + np.log1p(z) / 4 + s**2 * edge
    short = size <= _DIRECT  # where the differences above lose digits
    if short.any():
        owner, j = _rows_inside(size[short])
        terms, blocks = j / (start[short][owner] + j), int(short.sum())
        first[short] = np.bincount(owner, terms, minlength=blocks)
        second[short] = np.bincount(owner, terms * j, minlength=blocks)
    return zeroth, first, second


def _log_remainders(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return z − log(1 + z), and log(1 + z) − z + z²/2, for z > 0; by their series where these cancel."""
    log = np.log1p(z)
    drop, rest = z - log, log - z + z**2 / 2
    small = z < 0.2
    if small.any():
        x = z[small]
        series = np.zeros(x.shape)
        for k in range(26, 2, -1):  # Σ_{k ≥ 3} (−1)ᵏ⁺¹ xᵏ / k, by Horner
            series = x * series + (-1) ** (k + 1) / k
        rest[small] = series * x**3
        drop[small] = x**2 / 2 - rest[small]
    return drop, rest
