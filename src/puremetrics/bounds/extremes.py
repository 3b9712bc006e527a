"""The most extreme tables over all numbers of latent positives that are possible.

Let m be the number of latent positives and x how many of them a head holds, at its lower or at its upper limit.
By every band x(m) is a staircase: one latent positive more, and it stays or rises by one. (The exact
band: see `staircase`. The others scale a rate with m and round. The corner cases of Eq. (11) keep it.)

Call a metric good if it never falls when

1. one of the latent positives moves into the head (x + 1: a false positive becomes a true one, a false negative a
   true one),
2. there is one positive fewer in the tail (m − 1: a false negative becomes a true one),
3. there is one positive more in the head (x + 1 and m + 1: a false positive becomes a true one).

Every metric of `metric` is good, or its negative is; the tests try each on all small tables. For ratios of
true to all positives, negatives or rows that is plain. With head H, tail T, positives P, negatives N
and the covariance C = TP·TN − FP·FN, Matthews' correlation C / √(H·T·P·N) grows along 2 by a positive multiple of
H·P + TP·(N − P) ≥ 0, and Cohen's kappa 2·C / (H·N + T·P) by one of H·(H·N + T·P) + C·(T − H) ≥ 0, because TP ≤ H,
TP ≤ P, TN ≤ N and FP·FN ≤ H·P. Along 3 it is the same with head and tail exchanged.

So between two numbers of latent positives a < b the best table is that in which x rises first and then stays,
(x, m) = (x_b, a + x_b − x_a), and the worst that in which it stays first, (x_a, b − (x_b − x_a)). If b = a + 1
these are tables that are possible, and the extremes are exact. If not, they enclose what is possible.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puremetrics.bounds.contingency import HeadCounts, LatentChoice
from puremetrics.checking.types import FloatArray

__all__ = ["SIDES", "Corners", "corner_tables", "limits_of_parts", "rate_limits"]

SIDES = ("lower", "upper")
_CHUNK = 2**19  # tables that are held at once
Corners = tuple[slice, tuple[FloatArray, FloatArray, FloatArray, FloatArray]]


def corner_tables(
    choice: LatentChoice, heads: HeadCounts, side: str, nodes: FloatArray | None = None
) -> Iterator[Corners]:
    """Entries of tables among which those of the bound are, part by part of the heads.

    They have a row for each number of latent positives, and a column for each head of the part.
    """
    if nodes is None:
        nodes = choice.nodes(heads.unl.size)
    for part, some, limits in limits_of_parts(choice, heads, nodes):
        x, latent = limits[side == "upper"], nodes[:, None]
        if nodes.size <= choice.high - choice.low:
            rise = np.diff(x, axis=0)
            latent = latent[:-1] + rise if side == "upper" else latent[1:] - rise
            x = x[1:] if side == "upper" else x[:-1]
        yield part, choice.entries(some, x, latent)


def limits_of_parts(
    choice: LatentChoice, heads: HeadCounts, nodes: FloatArray
) -> Iterator[tuple[slice, HeadCounts, tuple[FloatArray, FloatArray]]]:
    """Both limits of x, so many heads at a time that they fit into memory."""
    low, high, place = choice.theta(heads, nodes)
    width = max(_CHUNK // nodes.size, 1)
    for start in range(0, heads.unl.size, width):
        part = slice(start, start + width)
        some, at = HeadCounts(*(column[part] for column in heads)), place[part]
        limits = [choice.possible(theta[:, at], some.unl, nodes[:, None]) for theta in (low, high)]
        yield part, some, (limits[0], limits[1])


def rate_limits(
    choice: LatentChoice, heads: HeadCounts, side: str, nodes: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one bound at every head, extremes over the latent positives."""
    fpr, tpr = np.empty(heads.unl.size), np.empty(heads.unl.size)
    for part, (tp, fp, fn, tn) in corner_tables(choice, heads, side, nodes):
        false, true = fp / (fp + tn), tp / (tp + fn)
        if side == "upper":
            fpr[part], tpr[part] = false.min(axis=0), true.max(axis=0)
        else:
            fpr[part], tpr[part] = false.max(axis=0), true.min(axis=0)
    return fpr, tpr
