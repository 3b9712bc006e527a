"""How many latent positives a head may hold: the hypergeometric test inverted, at any size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.hypergeometric import CHUNK, small_tail

__all__ = ["checked_counts", "cubic", "head_limits"]

_TIE = 1e-12  # log-probabilities nearer than this to log(alpha) are compared exactly
_NEAR = 1e-8  # neighbours nearer than this to log(alpha) are computed rather than inferred
_EXACT = 500  # the largest margin for which a tie is possible and exact arithmetic is cheap
_LONG, _EDGES, _SPACING = 16384, 512, 32  # of a run of heads, its ends, and its nodes
_DOUBT = 0.02  # roots nearer than this to a whole number are computed
_TURNS = 200  # far beyond what bisection needs


def head_limits(
    head: npt.ArrayLike, labelled: int, latent: npt.ArrayLike, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Fewest and most latent positives in the head that the labelled ones there do not contradict.

    Of the ``labelled + latent`` positives, K lie in the head. If the labelled ones are a random
    draw of all, then ``head`` of them lie there by the hypergeometric law. A value of K is kept
    until one tail beyond the observed count is ``alpha`` or less.

    Parameters
    ----------
    head : array_like
        Labelled positives in the head, 0 to ``labelled``: one whole number per threshold.
    labelled : int
        Number of labelled positives.
    latent : int or array_like
        Number of latent positives; several of them broadcast against ``head``.
    alpha : float
        Level of each one-sided test, 0 ≤ alpha < 1; 0.025 for a 95% band.

    Returns
    -------
    low, high : numpy.ndarray
        Whole numbers as float64 in the shape of ``head``: min{K: P(X ≥ head | K) > alpha} − head
        and max{K: P(X ≤ head | K) > alpha} − head. Both are non-decreasing in ``head``.

    Notes
    -----
    Comparisons with ``alpha`` too close for floats are made with exact integers if a margin of
    the table is at most 500. Larger tables tie with a given float only at 1/2, by symmetry, and
    that is recognised.

    Examples
    --------
    >>> low, high = head_limits([0, 5, 10], labelled=10, latent=100, alpha=0.025)
    >>> low.tolist(), high.tolist()
    ([0.0, 17.0, 68.0], [32.0, 83.0, 100.0])
    """
    counts, n, unseen = checked_counts(head, labelled, latent, alpha)
    if alpha == 0.0 or n == 0.0:
        return np.zeros(counts.shape), unseen.copy()
    # Swapping head and tail turns the upper limit at k into the lower limit at labelled − k.
    both = np.stack((counts.ravel(), n - counts.ravel()))
    hidden = np.broadcast_to(unseen.ravel(), both.shape)
    limits = np.zeros(both.shape)
    if unseen.size and unseen.min() == unseen.max():  # one number: each head once
        distinct, place = np.unique(both, return_inverse=True)
        found = np.zeros(distinct.size)
        start = int(np.searchsorted(distinct, 0.5))
        if unseen.flat[0] > 0:
            several = np.full(distinct.size - start, float(unseen.flat[0]))
            found[start:] = _least_of_run(distinct[start:], n, several, float(alpha))
        limits = found[place.reshape(both.shape)]
    else:
        some = (both > 0) & (hidden > 0)
        limits[some] = _least_latent(both[some], n, hidden[some], float(alpha))
    low, mirrored = limits
    return low.reshape(counts.shape), (unseen.ravel() - mirrored).reshape(counts.shape)


def checked_counts(
    head: npt.ArrayLike, labelled: int, latent: npt.ArrayLike, alpha: float
) -> tuple[FloatArray, float, FloatArray]:
    """Refuse what are no counts, or no level; ``head`` and ``latent`` in one shape."""
    counts, unseen = np.broadcast_arrays(
        np.asarray(head, dtype=np.float64), np.asarray(latent, dtype=np.float64)
    )
    n = _whole(labelled, "labelled")
    if not np.all((unseen >= 0) & (unseen == np.floor(unseen))):
        raise InputError("latent must hold whole numbers, zero or more.")
    if not 0.0 <= alpha < 1.0:
        raise InputError(f"alpha={alpha} must lie in [0, 1).")
    if n + unseen.max(initial=0.0) > 2**53:
        raise InputError("labelled + latent is beyond 2**53, where floats skip whole numbers.")
    if not np.all((counts >= 0) & (counts <= n) & (counts == np.floor(counts))):
        raise InputError(f"head must hold whole numbers from 0 to labelled={n:g}.")
    return counts, n, unseen


def _whole(value: float, name: str) -> float:
    number = float(value)
    if not (number >= 0 and number == math.floor(number)):
        raise InputError(f"{name}={value} is not a count.")
    return number


def _least_of_run(
    head: FloatArray, labelled: float, latent: FloatArray, alpha: float
) -> FloatArray:
    """`_least_latent` for many neighbouring heads, most of them without a tail of their own.

    Where the tail reaches alpha, as a real number, is a smooth function of the head. It is solved for at
    every 32nd head and interpolated by cubics in between, with an error that is measured at other heads (some
    1e-5, the more the nearer to either end, where every head is solved for). Heads whose root comes
    near a whole number are solved for as well, so the result is the same as without the short cut.
    """
    few = head.size < _LONG or latent[0] < head.size / 50
    if few or head[-1] - head[0] != head.size - 1:
        return _least_latent(head, labelled, latent, alpha)
    nodes = np.arange(_EDGES, head.size - _EDGES, _SPACING)
    probes = nodes[2:-2:8] + _SPACING // 2
    roots = _roots(head[nodes], labelled, latent[nodes], alpha)
    places = np.arange(nodes[1], nodes[-2])
    smooth = cubic(roots, (places - nodes[0]) / _SPACING)
    known = _roots(head[probes], labelled, latent[probes], alpha)
    error = float(np.max(np.abs(known - smooth[probes - places[0]])))
    margin = max(10 * error, _DOUBT)
    if margin > 0.2:
        return _least_latent(head, labelled, latent, alpha)
    result = np.empty(head.size)
    result[places] = np.ceil(smooth) - head[places]
    sure = np.zeros(head.size, dtype=np.bool_)
    sure[places] = np.abs(smooth - np.rint(smooth)) > margin
    rest = np.flatnonzero(~sure)
    result[rest] = _least_latent(head[rest], labelled, latent[rest], alpha)
    return result


def _roots(head: FloatArray, labelled: float, latent: FloatArray, alpha: float) -> FloatArray:
    """Where the tail reaches alpha between two whole numbers, linear on the normal scale."""
    from scipy.special import ndtri, ndtri_exp

    most = _least_latent(head, labelled, latent, alpha) + head
    logs, down, _ = _tail_and_steps(head, most, labelled, labelled + latent)
    with np.errstate(divide="ignore"):
        here, before = ndtri_exp(logs), ndtri_exp(logs + np.log1p(-down))
    part = (here - float(ndtri(alpha))) / (here - before)
    return np.asarray(most - np.clip(np.where(np.isfinite(part), part, 0.0), 0.0, 1.0))


def cubic(values: FloatArray, at: FloatArray) -> FloatArray:
    """Values at evenly spaced nodes, interpolated by the cubic through the four nodes around."""
    node = np.floor(at).astype(np.intp)
    t = at - node
    before, first, second, after = (values[node + i] for i in (-1, 0, 1, 2))
    return np.asarray(
        before * (-t * (t - 1) * (t - 2) / 6)
        + first * ((t + 1) * (t - 1) * (t - 2) / 2)
        + second * (-(t + 1) * t * (t - 2) / 2)
        + after * ((t + 1) * t * (t - 1) / 6)
    )


def _least_latent(
    head: FloatArray, labelled: float, latent: FloatArray, alpha: float
) -> FloatArray:
    """Least K with P(X ≥ head | K) > alpha, less head; head ≥ 1 and latent ≥ 1.

    The probability grows with K. One more marked row adds P(X = head | K) times a rational factor,
    so each evaluation also knows both neighbours. The search is Newton's on the normal scale.
    """
    from scipy.special import ndtri, ndtri_exp

    total = labelled + latent
    level, target = math.log(alpha), float(ndtri(alpha))
    below, above = head - 1.0, head + latent  # P is 0 at the first and 1 at the second
    guess = _normal_guess(head, labelled, total, target)
    for turn in range(_TURNS):
        todo = np.flatnonzero(above - below > 1.0)
        if todo.size == 0:
            break
        floor, ceiling = below[todo], above[todo]
        aim = guess[todo]
        if turn >= 8 and turn % 2:
            aim = np.floor((floor + ceiling) / 2)
        marked = np.clip(aim, floor + 1.0, ceiling - 1.0)
        for start in range(0, todo.size, CHUNK):
            part = slice(start, start + CHUNK)
            rows = todo[part]
            k, found = head[rows], marked[part]
            logs, down, up = _tail_and_steps(k, found, labelled, total[rows])
            enough = _exceeds(logs, level, k, found, labelled, total[rows], alpha)
            with np.errstate(divide="ignore"):  # one marked row fewer may make it impossible
                fewer, more = logs + np.log1p(-down), logs + np.log1p(up)
            below[rows] = np.where(
                enough, np.where(fewer < level - _NEAR, found - 1.0, floor[part]), found
            )
            above[rows] = np.where(
                enough, found, np.where(more > level + _NEAR, found + 1.0, ceiling[part])
            )
            score = ndtri_exp(logs)
            log_density = -0.5 * (score * score + math.log(2 * math.pi))
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                step = (target - score) * np.exp(log_density - logs) / np.where(enough, down, up)
            middle = (below[rows] + above[rows]) / 2
            guess[rows] = np.floor(np.where(np.isfinite(step), found + step + 1.0, middle))
    return above - head


def _normal_guess(
    head: FloatArray, labelled: float, total: FloatArray, target: float
) -> FloatArray:
    """Wilson's limit with the finite-population factor, continuity and skewness allowed for."""
    factor = target * target * (total - labelled) / (labelled * (total - 1.0))
    share = (head - 0.5) / labelled
    skew = (target * target - 1.0) / 6.0 * (1.0 - 2.0 * share) * (1.0 - 2.0 * labelled / total)
    share = np.clip(share - skew / labelled, 0.0, 1.0)
    spread = np.sqrt(factor * (share * (1.0 - share) + factor / 4.0))
    centre = share + factor / 2.0 + math.copysign(1.0, target) * spread
    return np.floor(total * centre / (1.0 + factor)) + 1.0


def _tail_and_steps(
    head: FloatArray, marked: FloatArray, labelled: float, total: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute log P(X ≥ head), and the shares of it that one marked row fewer loses or more adds.

    P(K) − P(K − 1) = P(X = head | K) · head / K.
    """
    left = total - labelled - marked + head
    n = np.full(head.shape, labelled)
    lower, logs, first = small_tail(head - 1.0, total, marked, n)
    if lower.any():  # the small tail ends at head − 1, one value short
        rise = (marked - head + 1.0) * (labelled - head + 1.0) / (head * left)
        tail = np.log1p(-np.where(lower, np.exp(logs), 0.0))
        first = np.where(lower, first + np.log(rise), first)
        logs = np.where(lower, tail, logs)
    ratio = np.exp(first - logs)
    down = np.minimum(ratio * (head / marked), 1.0)
    up = ratio * (head * left / ((marked - head + 1.0) * (total - marked)))
    return logs, down, up


def _exceeds(
    logs: FloatArray,
    level: float,
    head: FloatArray,
    marked: FloatArray,
    labelled: float,
    total: FloatArray,
    alpha: float,
) -> BoolArray:
    """Whether P(X ≥ head) > alpha; exact integers decide where floats cannot."""
    result = np.asarray(logs > level)
    tied = np.abs(logs - level) < _TIE * max(1.0, -level / 100)
    if not tied.any():
        return result
    even = (2 * labelled == total) & (marked == 2 * head - 1)
    even |= (2 * marked == total) & (labelled == 2 * head - 1)
    result[even] = alpha < 0.5  # X and its mirror image have the same law, and share no value
    margins = (np.full(head.shape, labelled), total - labelled, marked, total - marked)
    smallest = np.minimum.reduce(margins)
    for i in np.flatnonzero(tied & ~even & (smallest <= _EXACT)):
        result[i] = _exactly_exceeds(
            int(head[i]), int(total[i]), int(marked[i]), int(labelled), Fraction(alpha)
        )
    return result


def _exactly_exceeds(head: int, total: int, marked: int, drawn: int, alpha: Fraction) -> bool:
    if min(drawn, total - drawn) > min(marked, total - marked):
        marked, drawn = drawn, marked
    every = math.comb(total, drawn)
    term = math.comb(marked, head) * math.comb(total - marked, drawn - head)
    ways, x = term, head
    while term:
        term = term * (marked - x) * (drawn - x) // ((x + 1) * (total - marked - drawn + x + 1))
        ways, x = ways + term, x + 1
    return bool(ways > alpha * every)
