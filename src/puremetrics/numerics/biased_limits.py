"""How many latent positives a head may hold if labels are not at random: Fisher's test inverted.

This is the search of `numerics.head_limits`, with odds: where positives of the head may have up to ``down``
times the odds of others of being labelled, and those others up to ``up`` times theirs, a value of K is kept
until

    P(X ≥ head | K), with odds ``down``,   or   P(X ≤ head | K), with odds 1 / ``up``,

is alpha or less. An unmarked row more multiplies P(X = x) by something that falls with x, a marked one by
something that rises with it, at any odds. So the first tail rises with K, and the search is that of a
monotone function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.numerics.head_limits import checked_counts, cubic, head_limits
from puremetrics.numerics.hypergeometric import expected_cells, log_at_least

__all__ = ["biased_limits", "exceeds", "least_latent"]

_TIE = (
    1e-10  # log-probabilities nearer than this to log(alpha) are compared exactly, if that is cheap
)
_EXACT = 200  # the largest margin for which it is
_TURNS = 200  # far beyond what bisection needs
_GUESSES = 7  # steps of Newton's method on the normal approximation
_LONG, _EDGES, _SPACING = 1024, 96, 32  # of a run of heads, its ends, and its nodes
_FEW = 10  # rows from either end, where limits are no smooth function of the head
_DOUBT = 0.003  # roots nearer than this to a whole number are computed
_STRIDE = 64  # of heads that are solved for where limits stay the same over many


def biased_limits(
    head: npt.ArrayLike,
    labelled: int,
    latent: npt.ArrayLike,
    alpha: float,
    down: float = 1.0,
    up: float = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """Fewest and most latent positives in the head that the labelled ones there do not contradict.

    Parameters
    ----------
    head, labelled, latent, alpha
        As in `head_limits`.
    down, up : float
        Odds, at least 1, by which the head may be labelled more and less often than the rest.

    Returns
    -------
    low, high : numpy.ndarray
        Whole numbers as float64: min{K: P(X ≥ head | K) > alpha} − head at odds ``down``, and
        max{K: P(X ≤ head | K) > alpha} − head at odds 1 / ``up``. Both are non-decreasing in ``head``.
        Where a tail is too close to ``alpha`` for floats and for exact integers, the wider limit.

    Examples
    --------
    >>> low, high = biased_limits([0, 5, 10], labelled=10, latent=100, alpha=0.025, down=2.0, up=2.0)
    >>> low.tolist(), high.tolist()
    ([0.0, 9.0, 52.0], [48.0, 91.0, 100.0])
    """
    counts, n, unseen = checked_counts(head, labelled, latent, alpha)
    if alpha == 0.0 or n == 0.0 or down == up == 1.0:
        return head_limits(counts, labelled, unseen, alpha)
    if down == up:  # the upper limit at k mirrors the lower one at labelled − k
        low, mirrored = least_latent(np.stack((counts, n - counts)), n, unseen, alpha, down)
        return low, unseen - mirrored
    if min(down, up) > 1.0:
        low = least_latent(counts, n, unseen, alpha, down)
        return low, unseen - least_latent(n - counts, n, unseen, alpha, up)
    low, high = head_limits(counts, labelled, unseen, alpha)
    if down > 1.0:
        return least_latent(counts, n, unseen, alpha, down), high
    return low, unseen - least_latent(n - counts, n, unseen, alpha, up)


def _is_one(unseen: FloatArray) -> bool:
    return unseen.size > 0 and bool(unseen.min() == unseen.max())


def least_latent(
    head: FloatArray, labelled: float, latent: FloatArray, alpha: float, odds: float
) -> FloatArray:
    """The lower limit at these odds, without checks; each head once if there is one number of latent rows."""
    counts, hidden = np.broadcast_arrays(head, latent)
    limits = np.zeros(counts.shape)
    if _is_one(hidden):
        rows = float(hidden.flat[0])
        distinct, place = np.unique(counts, return_inverse=True)
        found = np.zeros(distinct.size)
        start = int(np.searchsorted(distinct, 0.5))
        if rows > 0 and start < distinct.size:
            found[start:] = _least_of_run(distinct[start:], labelled, rows, alpha, odds)
        return np.asarray(found[place.reshape(counts.shape)])
    some = (counts > 0) & (hidden > 0)
    limits[some] = _search(counts[some], labelled, hidden[some], alpha, odds)
    return limits


def _least_of_run(
    head: FloatArray, labelled: float, latent: float, alpha: float, odds: float
) -> FloatArray:
    """The limits of neighbouring heads, most of them without a tail of their own.

    Where the tail reaches alpha, as a real number, is a smooth function of the head. It is solved for at
    every 32nd head and interpolated by cubics, with an error that is measured halfway between nodes. Heads
    whose root comes within ten times the error around of a whole number are solved for as well, and so are
    those with few latent positives on one side.
    """

    def solved(some: FloatArray) -> FloatArray:
        return _search(some, labelled, np.full(some.size, latent), alpha, odds)

    if head.size < _LONG or head[-1] - head[0] != head.size - 1:
        return solved(head)
    if latent < head.size / 50:
        return _by_halves(head, solved)
    nodes = np.arange(_EDGES, head.size - _EDGES, _SPACING)
    gaps = np.arange(1, nodes.size - 2)  # from a node to the next, with a node on either side
    probed = gaps[(gaps % 4 == 0) | (gaps <= 8) | (gaps >= nodes.size - 10)]
    probes = nodes[probed] + _SPACING // 2
    both = head[np.concatenate([nodes, probes])]
    roots = _roots(both, labelled, np.full(both.size, latent), alpha, odds)
    inside = roots[: nodes.size] - head[nodes]
    far = np.flatnonzero((inside >= _FEW) & (latent - inside >= _FEW))  # limits rise with the head
    if far.size < 4:
        return _by_halves(head, solved)
    places = np.arange(nodes[far[1]], nodes[far[-2]])
    at = (places - nodes[0]) / _SPACING
    smooth = cubic(roots[: nodes.size], at)
    error = np.abs(roots[nodes.size :] - cubic(roots[: nodes.size], probed + 0.5))
    around = np.maximum(error, np.maximum(np.append(error[1:], 0.0), np.insert(error[:-1], 0, 0.0)))
    margin = np.maximum(
        10 * around[np.searchsorted(probes, places).clip(0, probes.size - 1)], _DOUBT
    )
    result = np.empty(head.size)
    result[places] = np.ceil(smooth) - head[places]
    sure = (np.abs(smooth - np.rint(smooth)) > margin) & (margin < 0.2)
    rest = places[~sure]
    for end in (np.arange(places[0]), np.arange(places[-1] + 1, head.size)):
        if end.size >= _LONG:
            result[end] = _by_halves(head[end], solved)
        else:
            rest = np.append(rest, end)
    result[rest] = solved(head[rest])
    return result


def _by_halves(head: FloatArray, solved: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Limits that stay the same over many heads: solved for only between two that differ."""
    result = np.empty(head.size)
    known = np.unique(np.append(np.arange(0, head.size, _STRIDE), head.size - 1))
    result[known] = solved(head[known])
    while known.size < head.size:
        before, after = known[:-1], known[1:]
        open_ = after - before > 1
        before, after = before[open_], after[open_]
        middle = (before + after) // 2
        result[middle] = result[before]
        jump = result[before] != result[after]
        result[middle[jump]] = solved(head[middle[jump]])
        known = np.sort(np.concatenate([known, middle]))
    return result


def _search(
    head: FloatArray, labelled: float, latent: FloatArray, alpha: float, odds: float
) -> FloatArray:
    """Least K with P(X ≥ head | K) > alpha, less head; head ≥ 1 and latent ≥ 1.

    Newton's search on the normal scale, with the slope of the normal approximation. It ends when the
    tails of two neighbours are known.
    """
    from scipy.special import ndtri, ndtri_exp

    total = labelled + latent
    target = float(ndtri(alpha))
    below, above = head - 1.0, head + latent  # P is 0 at the first and 1 at the second
    guess = _normal_guess(head, labelled, total, target, odds)
    for turn in range(_TURNS):
        todo = np.flatnonzero(above - below > 1.0)
        if todo.size == 0:
            break
        floor, ceiling = below[todo], above[todo]
        aim = guess[todo]
        if turn >= 8 and turn % 2:
            aim = np.floor((floor + ceiling) / 2)
        marked = np.clip(aim, floor + 1.0, ceiling - 1.0)
        k, rows = head[todo], total[todo]
        logs = log_at_least(k, rows, marked, labelled, odds)
        enough = exceeds(logs, k, rows, marked, labelled, odds, alpha)
        below[todo] = np.where(enough, floor, marked)
        above[todo] = np.where(enough, marked, ceiling)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = (target - ndtri_exp(logs)) / _normal_slope(rows, marked, labelled, odds)
        middle = (below[todo] + above[todo]) / 2
        guess[todo] = np.ceil(np.where(np.isfinite(step), marked + step, middle))
    return above - head


def _roots(
    head: FloatArray, labelled: float, latent: FloatArray, alpha: float, odds: float
) -> FloatArray:
    """Where the tail reaches alpha between two whole numbers, linear on the normal scale."""
    from scipy.special import ndtri, ndtri_exp

    most = _search(head, labelled, latent, alpha, odds) + head
    with np.errstate(divide="ignore", invalid="ignore"):
        here, before = (
            ndtri_exp(log_at_least(head, labelled + latent, marked, labelled, odds))
            for marked in (most, most - 1.0)
        )
        part = (here - float(ndtri(alpha))) / (here - before)
    return np.asarray(most - np.clip(np.where(np.isfinite(part), part, 0.0), 0.0, 1.0))


def _normal_guess(
    head: FloatArray, labelled: float, total: FloatArray, target: float, odds: float
) -> FloatArray:
    """About the limit: the normal approximation with continuity and skewness allowed for."""
    drawn, latent = np.full(head.shape, labelled), total - labelled
    share = (head - 0.5) / (head - 0.5 + odds * (labelled - head + 0.5))
    marked = head + latent * share
    for _ in range(_GUESSES):
        cells = np.maximum(expected_cells(total, marked, drawn, odds), 1e-9)
        inverse = 1.0 / cells
        bend = np.sum(inverse, axis=0)
        square = inverse * inverse
        skew = (square[0] - square[1] - square[2] + square[3]) / bend**1.5
        score = (cells[0] - head + 0.5) * np.sqrt(bend)
        score += np.clip(skew, -1.0, 1.0) * (target * target - 1.0) / 6.0
        step = (target - score) * np.sqrt(bend) / (inverse[1] + inverse[3])
        most = head + latent
        marked = np.clip(marked + step, (marked + head) / 2, (marked + most) / 2)
    return np.ceil(marked)


def _normal_slope(
    total: FloatArray, marked: FloatArray, labelled: float, odds: float
) -> FloatArray:
    """What one marked row more adds to the score of the tail, about."""
    cells = expected_cells(total, marked, np.full(marked.shape, labelled), odds)
    inverse = 1.0 / cells
    return np.asarray((inverse[1] + inverse[3]) / np.sqrt(np.sum(inverse, axis=0)))


def exceeds(
    logs: FloatArray,
    head: FloatArray,
    total: FloatArray,
    marked: FloatArray,
    labelled: float,
    odds: float,
    alpha: float,
) -> BoolArray:
    """Whether P(X ≥ head) > alpha; exact integers decide ties where that is cheap, else the answer is yes."""
    level = math.log(alpha)
    near = _TIE * max(1.0, -level / 100)
    result = np.asarray(logs > level - near)
    tied = np.flatnonzero(np.abs(logs - level) <= near)
    for i in tied:
        table = int(head[i]), int(total[i]), int(marked[i]), int(labelled)
        if min(table[2], table[3], table[1] - table[2], table[1] - table[3]) <= _EXACT:
            result[i] = _exactly_exceeds(*table, Fraction(odds), Fraction(alpha))
    return result


def _exactly_exceeds(
    head: int, total: int, marked: int, drawn: int, odds: Fraction, alpha: Fraction
) -> bool:
    lowest, highest = max(0, marked + drawn - total), min(marked, drawn)
    ways = math.comb(marked, lowest) * math.comb(total - marked, drawn - lowest)
    every = tail = 0
    for x in range(lowest, highest + 1):
        weight = ways * odds.numerator ** (x - lowest) * odds.denominator ** (highest - x)
        every += weight
        tail += weight if x >= head else 0
        ways = ways * (marked - x) * (drawn - x) // ((x + 1) * (total - marked - drawn + x + 1))
    return bool(tail * alpha.denominator > alpha.numerator * every)
