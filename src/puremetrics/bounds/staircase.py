"""The exact band for every number of latent positives in a range, at the price of a few.

θ(m), the fewest latent positives in a head that the labelled ones there allow, is a staircase: with one
latent positive more it stays, or it rises by one. Both follow from X ~ Hypergeometric(N = n + m, K, n): an
unmarked row more makes P(X ≥ k) smaller, a marked one makes it larger. The tail is carried from one m to
the next by

    P(X ≥ k | N + 1, K) = P(X ≥ k | N, K) − P(X = k | N, K) · k / (N + 1),
    P(X ≥ k | N, K + 1) = P(X ≥ k | N, K) + P(X = k | N, K + 1) · k / (K + 1),

and the probability of k by rational factors, so a step costs a few operations instead of a tail. Where the
tail comes too near to the level to tell, the limit is computed afresh. So are those at the start of every
block.

Between limits that are far apart, `chord` encloses the staircase: it rises by at most one row a step, and
it lies within `slack` of the straight line, a row and a quarter unless rows are very many. The limits as real
numbers bend by z · sqrt(t (1 − t)) · Δm² / (32 · (m²/n + m)^1.5) in the normal approximation; `anchors` lie
near enough for that to be at most an eighth of a row, or a five-hundredth of the normal limit's distance
where that is more, and rounding moves each by less than one. If the range is narrow, as that of a known
prior is, the limits at its middle say enough (`scaled`): those at its ends are off by a tenth of a row and
rounding. The tests compare both with all limits, over six orders of magnitude.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.head_limits import head_limits
from puremetrics.numerics.hypergeometric import log_pmf, sf

__all__ = ["anchors", "chord", "exact_range", "scaled", "slack"]

_LONGEST = 256  # steps from one computed limit, so that rounding does not add up
_WIDE = 256  # numbers that are worth a step at a time
_DOUBT = 1e-9  # relative distance from the level at which a limit is computed afresh
_BEND = 0.125  # rows
_HALF = 0.75  # rows: half a row for rounding, and a quarter
_PART = 0.002  # of the distance of a normal limit, which a bend may have where it is more


def exact_range(
    heads: FloatArray, known: int, first: int, last: int, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Limits for m = first, …, last (rows) and for each head (columns)."""
    both, place = np.unique(np.concatenate([heads, known - heads]), return_inverse=True)
    least = _least(both, known, first, last - first + 1, alpha)
    low, mirrored = least[:, place[: heads.size]], least[:, place[heads.size :]]
    return low, np.arange(first, last + 1.0)[:, None] - mirrored


def _least(heads: FloatArray, known: int, first: int, count: int, alpha: float) -> FloatArray:
    """The lower limit, block by block; all blocks take their steps together."""
    blocks = max(-(-count // _LONGEST), min(-(-count // 16), _WIDE // heads.size), 1)
    length = -(-count // blocks)
    start = first + length * np.arange(-(-count // length), dtype=np.float64)[:, None]
    result = np.zeros((length, start.size, heads.size))
    if alpha > 0.0 and known > 0:
        _climb(result, heads, known, start, alpha)
    return result.transpose(1, 0, 2).reshape(-1, heads.size)[:count]


def _climb(
    result: FloatArray, heads: FloatArray, known: int, start: FloatArray, alpha: float
) -> None:
    n, k = float(known), heads
    total = n + start
    marked = head_limits(k, known, start, alpha)[0] + k
    result[0] = marked - k
    tail = sf(k - 1.0, total, marked, n)
    share = np.exp(log_pmf(k, total, marked, n))
    for step in range(1, result.shape[0]):
        tail -= share * k / (total + 1.0)
        total += 1.0
        share *= (total - marked) / (total - marked - n + k) * ((total - n) / total)
        rises = tail <= alpha
        doubtful = np.abs(tail - alpha) <= _DOUBT * alpha
        if doubtful.any():
            rows, columns = np.nonzero(doubtful)
            latent = total[rows, 0] - n
            afresh = head_limits(k[columns], known, latent, alpha)[0] + k[columns]
            rises[doubtful] = afresh > marked[doubtful]
        more = marked + 1.0
        others = np.maximum(total - marked, 1.0)  # a tail of 1 does not rise
        grown = share * (more / (more - k)) * ((total - marked - n + k) / others)
        share = np.where(rises, grown, share)
        tail = np.where(rises, tail + grown * k / more, tail)
        marked = np.where(rises, more, marked)
        result[step] = marked - k


def anchors(known: float, first: int, last: int, alpha: float) -> list[int]:
    """Numbers of latent positives between which the limits are nearly straight lines."""
    from scipy.special import ndtri

    z = max(abs(float(ndtri(alpha))) if alpha > 0 else 1.0, 1.0)
    bend = _bend(known, first, z)
    found = [first]
    while found[-1] < last:
        m = max(found[-1], 1)
        reach = math.sqrt(64 * bend / z * (m * m / max(known, 1) + m) ** 1.5)
        found.append(min(found[-1] + max(int(reach), 1), last))
    return found


def _bend(known: float, fewest: int, z: float) -> float:
    """Rows by which limits may bend between anchors for these numbers of latent positives, or more."""
    distance = 0.5 * z * math.sqrt(fewest * (fewest / max(known, 1) + 1.0))
    return max(_BEND, _PART * distance)


def slack(known: float, fewest: int, alpha: float) -> float:
    """Rows by which a limit may lie beyond a straight line: rounding at both ends, and twice the bend."""
    from scipy.special import ndtri

    z = max(abs(float(ndtri(alpha))) if alpha > 0 else 1.0, 1.0)
    return 1.0 + 2 * _bend(known, fewest, z)


def chord(
    at: FloatArray, ends: tuple[int, int], limits: tuple[Any, Any], slack: float, *, upper: bool
) -> FloatArray:
    """Whole numbers that the limits at ``at`` (rows) do not go beyond, from those at both ends."""
    first, last = ends
    here, there = limits
    done = (at - first)[:, None]
    left = (last - at)[:, None]
    line = here + (there - here) * (done / (last - first))
    if upper:
        return np.asarray(np.minimum(np.minimum(here + done, there), np.floor(line + slack)))
    return np.asarray(np.maximum(np.maximum(there - left, here), np.ceil(line - slack)))


def scaled(
    heads: Any, limits: tuple[Any, Any], known: int, middle: int, at: Any
) -> tuple[FloatArray, FloatArray]:
    """What the limits at ``at`` (rows) do not go beyond, from those at a number in the middle.

    They follow m·t − c·sqrt(m²/n + m), the distance of a normal limit, with c from the middle.
    """

    def spread(latent: Any) -> Any:
        return np.sqrt(latent * (latent / known + 1.0))

    share, latent = heads / known, np.asarray(at, dtype=np.float64)[:, None]
    growth = spread(latent) / spread(float(middle))
    low, high = limits[0] - 0.5, limits[1] + 0.5  # as if they had not been rounded
    low = latent * share - (middle * share - low) * growth - _HALF
    high = latent * share + (high - middle * share) * growth + _HALF
    return np.maximum(low, 0.0), np.minimum(high, latent)
