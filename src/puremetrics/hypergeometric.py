"""The hypergeometric distribution at any size, and the finite-population limits that rest on it.

X ~ Hypergeometric(total M, marked K, drawn n): n rows are drawn without replacement from M rows of
which K are marked, and X of the drawn ones are marked. Every function takes broadcastable arrays
of whole numbers, as integers or floats.

The probability of one value compares the four cells of the 2 × 2 table with their expectations
(Loader's saddle-point form): four deviances, none negative, plus Stirling remainders. The common
deviation of the cells, (ad − bc) / M, comes from products held in twice the working precision, so
nothing cancels however large the table is.

A tail is the probability of its first value times a sum of ratios. Where few ratios matter they
are added up. Elsewhere the log-ratio is smooth: its Taylor series in the distance gives it at the
nodes of a Gauss–Legendre rule, and the Euler–Maclaurin formula turns the integral into the sum.
The cost per element is bounded, whatever the standard deviation.

For M from 10 to 10¹² and tails down to 10⁻³⁰⁰, probabilities and tails come out with a relative
error below 10⁻¹², mostly near 10⁻¹⁴. Further out the logarithms keep a relative error near 10⁻¹⁵.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from puremetrics._validation import BoolArray, FloatArray
from puremetrics.exceptions import InputError

__all__ = ["cdf", "head_limits", "log_cdf", "log_pmf", "log_sf", "sf"]

_CHUNK = 8192  # elements at a time: their working arrays stay in the cache
_SHORT = 200.0  # tails of fewer terms than this are added up one by one
_REACH = 76.0  # twice the drop in log-probability over which a tail is followed
_DEGREE = 20  # of the Taylor series of the log-ratio
_ORDER = 9  # of the last Euler–Maclaurin term
_EDGE = {1: 1 / 24, 3: -7 / 5760, 5: 31 / 967680, 7: -127 / 154828800, 9: 73 / 3503554560}
_TIE = 1e-12  # log-probabilities nearer than this to log(alpha) are compared exactly
_NEAR = 1e-8  # neighbours nearer than this to log(alpha) are computed rather than inferred
_EXACT = 500  # the largest margin for which a tie is possible and exact arithmetic is cheap
_TURNS = 200  # far beyond what bisection needs


def _gauss_rule(size: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(size)
    powers = ((nodes + 1) / 2)[:, None] ** np.arange(1, _DEGREE + 1)
    return powers, weights / 2


def _remainder_table(size: int) -> FloatArray:
    """Stirling remainders of 0, 1, …, size − 1, by their differences; that of 0 set to 0."""
    squares = 1.0 / (2.0 * np.arange(1.0, size) + 1.0) ** 2
    powers = np.arange(60.0)[:, None]
    drops = np.sum(squares ** (powers + 1.0) / (2.0 * powers + 3.0), axis=0)
    table = np.zeros(size)
    table[1:] = _remainder_series(np.array([float(size)])) + np.cumsum(drops[::-1])[::-1]
    return table


def _remainder_series(values: FloatArray) -> FloatArray:
    square = 1.0 / (values * values)
    series = 1 / 1260 - square * (1 / 1680)
    series *= square
    series -= 1 / 360
    series *= square
    series += 1 / 12
    series /= values
    return series


_POWERS, _WEIGHTS = _gauss_rule(22)
_REMAINDERS = _remainder_table(32)
_ATANH = tuple(1.0 / (2 * j + 3) for j in range(12))


def log_pmf(
    x: npt.ArrayLike, total: npt.ArrayLike, marked: npt.ArrayLike, drawn: npt.ArrayLike
) -> FloatArray:
    """Log-probability of exactly ``x`` marked rows among the drawn; −inf where impossible.

    Parameters
    ----------
    x : array_like
        Values to ask for, not necessarily possible ones.
    total, marked, drawn : array_like
        Rows in all, marked rows, and drawn rows: whole numbers, the last two at most ``total``.

    Returns
    -------
    numpy.ndarray
        Float64, of the broadcast shape.

    Examples
    --------
    >>> np.exp(log_pmf([0, 1, 2, 3], total=4, marked=2, drawn=2)).round(3).tolist()
    [0.167, 0.667, 0.167, 0.0]
    """
    return _in_chunks(_log_pmf_anywhere, x, total, marked, drawn)


def cdf(
    x: npt.ArrayLike, total: npt.ArrayLike, marked: npt.ArrayLike, drawn: npt.ArrayLike
) -> FloatArray:
    """P(X ≤ x), with a small relative error however small it is above 1e-308.

    Examples
    --------
    >>> cdf([-1, 0, 1, 2], total=4, marked=2, drawn=2).round(3).tolist()
    [0.0, 0.167, 0.833, 1.0]
    """
    return _in_chunks(_tail_function(above=False, log=False), x, total, marked, drawn)


def sf(
    x: npt.ArrayLike, total: npt.ArrayLike, marked: npt.ArrayLike, drawn: npt.ArrayLike
) -> FloatArray:
    """P(X > x), with a small relative error however small it is above 1e-308."""
    return _in_chunks(_tail_function(above=True, log=False), x, total, marked, drawn)


def log_cdf(
    x: npt.ArrayLike, total: npt.ArrayLike, marked: npt.ArrayLike, drawn: npt.ArrayLike
) -> FloatArray:
    """Logarithm of P(X ≤ x), which does not underflow; −inf where impossible."""
    return _in_chunks(_tail_function(above=False, log=True), x, total, marked, drawn)


def log_sf(
    x: npt.ArrayLike, total: npt.ArrayLike, marked: npt.ArrayLike, drawn: npt.ArrayLike
) -> FloatArray:
    """Logarithm of P(X > x), which does not underflow; −inf where impossible."""
    return _in_chunks(_tail_function(above=True, log=True), x, total, marked, drawn)


def head_limits(
    head: npt.ArrayLike, labelled: int, latent: int, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Fewest and most latent positives in the head that the labelled ones there do not contradict.

    Of the ``labelled + latent`` positives, K lie in the head. If the labelled ones are a random
    draw of all, then ``head`` of them lie there by the hypergeometric law. A value of K is kept
    until one tail beyond the observed count is ``alpha`` or less.

    Parameters
    ----------
    head : array_like
        Labelled positives in the head, 0 to ``labelled``: one whole number per threshold.
    labelled, latent : int
        Numbers of labelled and of latent positives.
    alpha : float
        Level of each one-sided test, 0 ≤ alpha < 1; 0.025 for a 95 % band.

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
    counts = np.asarray(head, dtype=np.float64)
    n, unseen = _whole(labelled, "labelled"), _whole(latent, "latent")
    if not 0.0 <= alpha < 1.0:
        raise InputError(f"alpha={alpha} must lie in [0, 1).")
    if n + unseen > 2**53:
        raise InputError("labelled + latent is beyond 2**53, where floats skip whole numbers.")
    if not np.all((counts >= 0) & (counts <= n) & (counts == np.floor(counts))):
        raise InputError(f"head must hold whole numbers from 0 to labelled={n:g}.")
    if alpha == 0.0 or n == 0.0 or unseen == 0.0:
        return np.zeros(counts.shape), np.full(counts.shape, unseen)
    # Swapping head and tail turns the upper limit at k into the lower limit at labelled − k.
    both = np.stack((counts.ravel(), n - counts.ravel()))
    distinct, place = np.unique(both, return_inverse=True)
    limits = np.zeros(distinct.size)
    start = int(np.searchsorted(distinct, 0.5))
    limits[start:] = _least_latent(distinct[start:], n, unseen, float(alpha))
    low, mirrored = limits[place.reshape(both.shape)]
    return low.reshape(counts.shape), (unseen - mirrored).reshape(counts.shape)


def _whole(value: float, name: str) -> float:
    number = float(value)
    if not (number >= 0 and number == math.floor(number)):
        raise InputError(f"{name}={value} is not a count.")
    return number


def _in_chunks(
    function: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray],
    x: npt.ArrayLike,
    total: npt.ArrayLike,
    marked: npt.ArrayLike,
    drawn: npt.ArrayLike,
) -> FloatArray:
    arrays = [np.asarray(values, dtype=np.float64) for values in (x, total, marked, drawn)]
    value, m, k, n = arrays
    if np.isnan(value).any():
        raise InputError("x has NaN, which no count can be.")
    if not np.all((m <= 2**53) & (m == np.floor(m))):
        raise InputError("total must hold whole numbers up to 2**53.")
    for name, part in (("marked", k), ("drawn", n)):
        if not np.all((part >= 0) & (part <= m) & (part == np.floor(part))):
            raise InputError(f"{name} must hold whole numbers from 0 to total.")
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as error:
        raise InputError(f"x, total, marked and drawn do not broadcast: {error}") from None
    size = math.prod(shape)
    result = np.empty(size)
    spread = [np.broadcast_to(array, shape).reshape(-1) for array in arrays]
    for start in range(0, size, _CHUNK):
        part_of = slice(start, start + _CHUNK)
        result[part_of] = function(*(array[part_of] for array in spread))
    return result.reshape(shape)


def _log_pmf_anywhere(
    x: FloatArray, total: FloatArray, marked: FloatArray, drawn: FloatArray
) -> FloatArray:
    lowest, highest = np.maximum(marked + drawn - total, 0.0), np.minimum(marked, drawn)
    possible = (x >= lowest) & (x <= highest) & (x == np.floor(x))
    inside = _log_pmf(np.where(possible, x, lowest), total, marked, drawn)
    return np.where(possible, inside, -np.inf)


def _log_pmf(x: FloatArray, total: FloatArray, marked: FloatArray, drawn: FloatArray) -> FloatArray:
    """Log-probability of a possible value."""
    unmarked, left = total - marked, total - drawn
    cells = np.stack((x, unmarked - (drawn - x), marked - x, drawn - x))
    margins = np.stack((marked, unmarked, left, drawn))
    somewhere = np.maximum(total, 1.0)
    expected = margins * np.stack((drawn, left, marked, unmarked))
    expected /= somewhere
    gap = _product_difference(cells[0], cells[1], cells[2], cells[3]) / somewhere
    gaps = np.stack((gap, gap, -gap, -gap))
    # log(y!) = y log(y) − y + log(2π y) / 2 + remainder; at y = 0 the last two are 0 together.
    floor = 1 / (2 * np.pi)
    ratios = np.maximum(margins, floor) / np.maximum(cells, floor)
    scale = ratios[0] * ratios[1] * ratios[2] * ratios[3] / np.maximum(total, floor)
    remainder = np.sum(_remainder(margins) - _remainder(cells), axis=0) - _remainder(total)
    return np.asarray(
        0.5 * np.log(scale * floor) + remainder - np.sum(_deviance(cells, expected, gaps), axis=0)
    )


def _remainder(values: FloatArray) -> FloatArray:
    """Log(y!) less its Stirling approximation."""
    result = _remainder_series(np.maximum(values, 1.0))
    small = values < _REMAINDERS.size
    if small.any():
        result[small] = _REMAINDERS[values[small].astype(np.intp)]
    return result


def _deviance(cells: FloatArray, expected: FloatArray, gaps: FloatArray) -> FloatArray:
    """O log(O / E) − (O − E), given the difference O − E to full relative precision."""
    middle = gaps / np.maximum(cells + expected, np.finfo(np.float64).tiny)
    square = middle * middle
    series = np.full_like(square, _ATANH[-1])
    for coefficient in _ATANH[-2::-1]:
        series *= square
        series += coefficient
    series *= square
    series *= 2.0 * cells
    series += gaps
    series *= middle
    far = square > 0.04
    if far.any():
        o, e, gap = cells[far], expected[far], gaps[far]
        near, some = o > 0.5 * e, np.maximum(o, 0.5)  # 0 log(0) = 0
        logs = np.where(near, np.log1p(np.where(near, gap / e, 0.0)), np.log(some / e))
        series[far] = o * logs - gap
    return series


def _product_difference(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Compute a b − c d for whole numbers below 2⁵³, rounded as if once (Dekker's products)."""
    first, second = a * b, c * d
    return (first - second) + (_product_error(a, b, first) - _product_error(c, d, second))


def _product_error(a: FloatArray, b: FloatArray, product: FloatArray) -> FloatArray:
    a_high, b_high = 134217729.0 * a, 134217729.0 * b
    a_high -= a_high - a
    b_high -= b_high - b
    a_low, b_low = a - a_high, b - b_high
    error = a_high * b_high
    error -= product
    error += a_high * b_low
    error += a_low * b_high
    error += a_low * b_low
    return error


def _tail_function(
    *, above: bool, log: bool
) -> Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray]:
    def tail(x: FloatArray, total: FloatArray, marked: FloatArray, drawn: FloatArray) -> FloatArray:
        lowest, highest = np.maximum(marked + drawn - total, 0.0), np.minimum(marked, drawn)
        value = np.floor(x)
        certain = value < lowest if above else value >= highest
        open_ = (value >= lowest) & (value < highest)
        result = np.where(certain, 1.0, 0.0)
        if log:
            result = np.where(certain, 0.0, -np.inf)
        if open_.any():
            lower, logs, _ = _small_tail(value[open_], total[open_], marked[open_], drawn[open_])
            shares = np.exp(logs)
            wanted = lower != above
            if log:
                result[open_] = np.where(wanted, logs, np.log1p(-shares))
            else:
                result[open_] = np.where(wanted, shares, 1.0 - shares)
        return result

    return tail


def _small_tail(
    x: FloatArray, total: FloatArray, marked: FloatArray, drawn: FloatArray
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Cut between x and x + 1, both possible: log-probability of the side away from the mean.

    Returns whether that is the lower side, its log-probability, and that of its first value.
    Seen from the cut, one diagonal of the table shrinks along the tail and the other grows.
    """
    lower = x + 0.5 < marked * (drawn / total)
    main = np.stack((x + 1.0, total - marked - drawn + x + 1.0))
    other = np.stack((marked - x, drawn - x))
    shrinking, growing = np.where(lower, main, other), np.where(lower, other, main)
    excess = _product_difference(growing[0], growing[1], shrinking[0], shrinking[1])
    slope = np.log1p(excess / (shrinking[0] * shrinking[1]))
    length = _reach(slope, np.sum(1.0 / shrinking, axis=0) + np.sum(1.0 / growing, axis=0))
    bend = np.sum(1.0 / shrinking, axis=0) + np.sum(1.0 / (growing + length), axis=0)
    length = _reach(slope, bend)
    ratios = np.empty(x.shape)
    short = length < _SHORT
    if short.any():
        ratios[short] = _added(shrinking[:, short], growing[:, short], length[short])
    if not short.all():
        long = ~short
        ratios[long] = _integrated(shrinking[:, long], growing[:, long], slope[long], length[long])
    first = _log_pmf(np.where(lower, x, x + 1.0), total, marked, drawn)
    return lower, np.minimum(first + np.log(ratios), 0.0), first


def _reach(slope: FloatArray, bend: FloatArray) -> FloatArray:
    """Distance over which slope · s + bend · s² / 2 grows to half of `_REACH`."""
    return np.asarray(_REACH / (slope + np.sqrt(slope * slope + _REACH * bend)))


def _added(shrinking: FloatArray, growing: FloatArray, length: FloatArray) -> FloatArray:
    """Sum of the ratios of all values of a tail to its first, term by term."""
    order = np.argsort(length)
    cells = np.stack((shrinking, growing), axis=1)[:, :, order]
    step = np.array([-1.0, 1.0])[:, None]
    sums = np.ones(order.size)
    width = 2048  # tails of like length share one loop
    for start in range(0, order.size, width):
        table = cells[:, :, start : start + width].copy()
        term, total = np.ones(table.shape[2]), sums[start : start + width]
        done = False
        while not done:
            for _ in range(8):
                table += step
                products = table[0] * table[1]
                term *= products[0]
                term /= products[1]
                total += term
            done = bool(np.all(term <= 1e-17 * total))
    result = np.empty(order.size)
    result[order] = sums
    return result


def _integrated(
    shrinking: FloatArray, growing: FloatArray, slope: FloatArray, length: FloatArray
) -> FloatArray:
    """Sum of the ratios of all values of a tail to its first, by quadrature.

    With u = y + 1/2 the log of y! is u log(u) − u − 1 / (24 u) + 7 / (2880 u³) + const. The series
    of the log-ratio starts at the cut, half a step before the first value; all cells exceed 300.
    """
    inverse = 1.0 / np.concatenate((shrinking, growing))
    square = inverse * inverse
    signs = np.array([-1.0, -1.0, 1.0, 1.0])[:, None]
    series = np.empty((_DEGREE, length.size))
    series[0] = slope + np.sum(signs * square * (1 / 24 - square * (7 / 960)), axis=0)
    series[0] *= length
    steps = -signs * inverse * length
    powers = np.ones_like(steps)
    for k in range(2, _DEGREE + 1):
        powers *= steps
        pairs = k * (k - 1)
        terms = powers
        if k <= 10:
            terms = square * (7 / 5760 * (k + 1) * (k + 2) * pairs)
            terms -= pairs / 24
            terms *= square
            terms += 1.0
            terms *= powers
        series[k - 1] = (terms[2] + terms[3] - terms[0] - terms[1]) * (-1.0 / pairs)
    series[1:] *= length
    exponents = _POWERS @ series
    np.negative(exponents, out=exponents)
    integral = length * (_WEIGHTS @ np.exp(exponents, out=exponents))
    # Taylor series of exp(−log-ratio) at the cut, for its odd derivatives there.
    slopes = [-(k + 1) * series[k] for k in range(_ORDER)]
    taylor = [np.ones_like(length)]
    for k in range(_ORDER):
        taylor.append(sum(slopes[j] * taylor[k - j] for j in range(k + 1)) / (k + 1))
    step = 1.0 / length
    for k, weight in _EDGE.items():
        integral += (weight * math.factorial(k)) * taylor[k] * step**k
    half = np.zeros_like(length)
    for k in range(5, -1, -1):
        half = (half + series[k]) * (0.5 * step)
    return np.asarray(integral * np.exp(half))


def _least_latent(head: FloatArray, labelled: float, latent: float, alpha: float) -> FloatArray:
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
        for start in range(0, todo.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            rows = todo[part]
            k, found = head[rows], marked[part]
            logs, down, up = _tail_and_steps(k, found, labelled, total)
            enough = _exceeds(logs, level, k, found, labelled, total, alpha)
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
            with np.errstate(over="ignore", invalid="ignore"):
                step = (target - score) * np.exp(log_density - logs) / np.where(enough, down, up)
            middle = (below[rows] + above[rows]) / 2
            guess[rows] = np.floor(np.where(np.isfinite(step), found + step + 1.0, middle))
    return above - head


def _normal_guess(head: FloatArray, labelled: float, total: float, target: float) -> FloatArray:
    """Wilson's limit with the finite-population factor, continuity and skewness allowed for."""
    factor = target * target * (total - labelled) / (labelled * (total - 1.0))
    share = (head - 0.5) / labelled
    skew = (target * target - 1.0) / 6.0 * (1.0 - 2.0 * share) * (1.0 - 2.0 * labelled / total)
    share = np.clip(share - skew / labelled, 0.0, 1.0)
    spread = np.sqrt(factor * (share * (1.0 - share) + factor / 4.0))
    centre = share + factor / 2.0 + math.copysign(1.0, target) * spread
    return np.floor(total * centre / (1.0 + factor)) + 1.0


def _tail_and_steps(
    head: FloatArray, marked: FloatArray, labelled: float, total: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute log P(X ≥ head), and the shares of it that one marked row fewer loses or more adds.

    P(K) − P(K − 1) = P(X = head | K) · head / K.
    """
    left = total - labelled - marked + head
    n, m = np.full(head.shape, labelled), np.full(head.shape, total)
    lower, logs, first = _small_tail(head - 1.0, m, marked, n)
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
    total: float,
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
    smallest = np.minimum(min(labelled, total - labelled), np.minimum(marked, total - marked))
    for i in np.flatnonzero(tied & ~even & (smallest <= _EXACT)):
        result[i] = _exactly_exceeds(
            int(head[i]), int(total), int(marked[i]), int(labelled), Fraction(alpha)
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
