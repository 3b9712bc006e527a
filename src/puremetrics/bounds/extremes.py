"""The most extreme tables over all numbers of latent positives that are possible.

Let m be the number of latent positives and x how many of them a head holds, at its lower or at its upper
limit. By every band x(m) is a staircase: one latent positive more, and it stays or rises by one. (The exact
band: see `staircase`. The others scale a rate with m and round. The corner cases of Eq. (11) keep it.)

Call a metric good if it never falls when

1. a latent positive changes places with a negative of the head (x + 1: one false positive less, and one
   false negative),
2. a latent positive of the tail becomes a negative (m − 1: one false negative less),
3. a negative of the head becomes a latent positive (x + 1 and m + 1: one false positive less).

Every metric of `metric` is good, or its negative is; the tests try each on all small tables. For ratios of
true to all positives, negatives or rows that is plain. With head H, tail T, positives P, negatives N and
the covariance C = TP·TN − FP·FN, Matthews' correlation C / √(H·T·P·N) grows along 2 by a positive multiple
of H·P + TP·(N − P) ≥ 0, and Cohen's kappa 2·C / (H·N + T·P) by one of H·(H·N + T·P) + C·(T − H) ≥ 0,
because TP ≤ H, TP ≤ P, TN ≤ N and FP·FN ≤ H·P. Along 3 it is the same with head and tail exchanged.

So between two numbers of latent positives a < b the best table is that in which x rises first and then
stays, (x, m) = (x_b, a + x_b − x_a), and the worst that in which it stays first, (x_a, b − (x_b − x_a)). If
b = a + 1 these are tables that are possible, and the extremes are exact. If not, they enclose what is
possible. (Pseudo-F, F1 divided by the share of positives, is good along 1 and 2 only. It is enclosed by
(x_b, a) and (x_a, b).)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from puremetrics.bounds.contingency import SIDES, HeadCounts, LatentChoice
from puremetrics.checking.types import BoolArray, FloatArray

__all__ = ["MANY", "Entries", "corner_tables", "limits_of_parts", "rate_limits"]

MANY = 200_000  # tables that are looked at where they are the whole question
_NOT_ALONG_3 = ("pseudo_f",)
_CHUNK = 2**16  # tables that are held at once: their arrays stay in the cache
Entries = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def corner_tables(
    choice: LatentChoice,
    heads: HeadCounts,
    nodes: FloatArray | None = None,
    *,
    statistics: Sequence[str] = (),
) -> Iterator[tuple[slice, tuple[Entries, Entries]]]:
    """Entries of tables among which those of the lower and of the upper bound are, part by part of the heads.

    They have a row for each number of latent positives, and a column for each head of the part.
    ``statistics`` are the metrics that they are for.
    """
    boxed = any(name in _NOT_ALONG_3 for name in statistics)
    if nodes is None:
        nodes = choice.nodes(heads.unl.size)
    for part, some, limits in limits_of_parts(choice, heads, nodes):
        corners = [
            _corners(choice, x, side, nodes, boxed) for x, side in zip(limits, SIDES, strict=True)
        ]
        lower, upper = (choice.entries(some, x, latent) for latent, x in corners)
        yield part, (lower, upper)


def _corners(
    choice: LatentChoice, x: FloatArray, side: str, nodes: FloatArray, boxed: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Numbers of latent positives, and how many of them each head holds."""
    latent = nodes[:, None]
    if nodes.size > choice.high - choice.low:
        return latent, x
    rise = 0.0 if boxed else np.diff(x, axis=0)
    if side == "upper":
        return latent[:-1] + rise, x[1:]
    return latent[1:] - rise, x[:-1]


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
    choice: LatentChoice, heads: HeadCounts, side: str, size: int
) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates of one bound at the vertices of a curve: extremes over all numbers.

    ``size`` is that of the curve without its bends (see `LatentChoice.curve_limits`). If not all numbers
    are looked at, a head holds at most a slack more than a straight line between two of them says, and a rate
    along a line is extreme at an end: the better of that and the corner is taken. Curves of numbers in
    between bend between the bends of both; there only the line will do, which does not depend on the head.
    """
    nodes, low, high, place, slack = choice.curve_limits(heads, size)
    theta = high if side == "upper" else low
    moved = theta + slack if side == "upper" else theta - slack
    enclosed = nodes.size <= choice.high - choice.low
    best, worst = (np.max, np.min) if side == "upper" else (np.min, np.max)
    found = np.empty((2, heads.unl.size))
    width = max(_CHUNK // nodes.size, 2)
    for start in range(0, heads.unl.size, width):
        part = slice(max(start - 1, 0), start + width + 1)  # neighbours on both sides
        some = HeadCounts(*(column[part] for column in heads))
        at = place[part]
        if enclosed:
            rates = _enclosed_rates(choice, some, theta[:, at], moved[:, at], side, nodes)
        else:
            x = choice.possible(theta[:, at], some.unl, nodes[:, None])
            rates = _rates_of(choice, some, x, nodes[:, None])
        own = slice(start - part.start, start - part.start + width)
        found[0, start : start + width] = worst(rates[0], axis=0)[own]
        found[1, start : start + width] = best(rates[1], axis=0)[own]
    fpr, tpr = np.clip(found, 0.0, 1.0)
    return fpr, tpr


def _enclosed_rates(
    choice: LatentChoice,
    heads: HeadCounts,
    theta: FloatArray,
    moved: FloatArray,
    side: str,
    nodes: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """What the rates do not go beyond between one number of latent positives and the next."""
    upper = side == "upper"
    x = choice.possible(theta, heads.unl, nodes[:, None])
    latent, corner = _corners(choice, x, side, nodes)
    open_ = choice.possible(moved, heads.unl, nodes[:, None], SIDES[:1] if upper else SIDES[1:])
    false, true = _rates_of(choice, heads, open_, nodes[:, None])
    far, near = (np.maximum, np.minimum) if upper else (np.minimum, np.maximum)
    lines = near(false[:-1], false[1:]), far(true[:-1], true[1:])
    corners = _rates_of(choice, heads, corner, latent)
    bent = _bent(heads, np.diff(x, axis=0))
    return (
        np.where(bent, lines[0], far(lines[0], corners[0])),
        np.where(bent, lines[1], near(lines[1], corners[1])),
    )


def _rates_of(
    choice: LatentChoice, heads: HeadCounts, x: FloatArray, latent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    positives, negatives = choice.class_sizes(latent)
    tp, fp = choice.setting.design.counted(heads.pos, heads.unl, heads.neg, x)
    return fp / negatives, tp / positives


def _bent(heads: HeadCounts, rise: FloatArray) -> BoolArray:
    """Whether the rise from one number to the next changes along a run that ends at a vertex."""
    run = (np.diff(heads.pos) == 0) & (np.diff(heads.neg) == 0)
    change = np.pad(run & (np.diff(rise, axis=1) != 0), ((0, 0), (1, 1)))
    return np.asarray(change[:, :-1] | change[:, 1:])
