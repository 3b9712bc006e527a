"""The hypergeometric distribution at any size.

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

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import InputError

__all__ = [
    "CHUNK",
    "SHORT",
    "cdf",
    "deviance",
    "integrated",
    "log_cdf",
    "log_pmf",
    "log_sf",
    "reach",
    "remainder",
    "sf",
    "small_tail",
]

CHUNK = 8192  # elements at a time: their working arrays stay in the cache
SHORT = 200.0  # tails of fewer terms than this are added up one by one
_REACH = 76.0  # twice the drop in log-probability over which a tail is followed
_DEGREE = 20  # of the Taylor series of the log-ratio
_ORDER = 9  # of the last Euler–Maclaurin term
_EDGE = {1: 1 / 24, 3: -7 / 5760, 5: 31 / 967680, 7: -127 / 154828800, 9: 73 / 3503554560}


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
    for start in range(0, size, CHUNK):
        part_of = slice(start, start + CHUNK)
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
    rest = np.sum(remainder(margins) - remainder(cells), axis=0) - remainder(total)
    return np.asarray(
        0.5 * np.log(scale * floor) + rest - np.sum(deviance(cells, expected, gaps), axis=0)
    )


def remainder(values: FloatArray) -> FloatArray:
    """Log(y!) less its Stirling approximation."""
    result = _remainder_series(np.maximum(values, 1.0))
    small = values < _REMAINDERS.size
    if small.any():
        result[small] = _REMAINDERS[values[small].astype(np.intp)]
    return result


def deviance(cells: FloatArray, expected: FloatArray, gaps: FloatArray) -> FloatArray:
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
            lower, logs, _ = small_tail(value[open_], total[open_], marked[open_], drawn[open_])
            shares = np.exp(logs)
            wanted = lower != above
            if log:
                result[open_] = np.where(wanted, logs, np.log1p(-shares))
            else:
                result[open_] = np.where(wanted, shares, 1.0 - shares)
        return result

    return tail


def small_tail(
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
    length = reach(slope, np.sum(1.0 / shrinking, axis=0) + np.sum(1.0 / growing, axis=0))
    bend = np.sum(1.0 / shrinking, axis=0) + np.sum(1.0 / (growing + length), axis=0)
    length = reach(slope, bend)
    ratios = np.empty(x.shape)
    short = length < SHORT
    if short.any():
        ratios[short] = _added(shrinking[:, short], growing[:, short], length[short])
    if not short.all():
        long = ~short
        ratios[long] = integrated(shrinking[:, long], growing[:, long], slope[long], length[long])
    first = _log_pmf(np.where(lower, x, x + 1.0), total, marked, drawn)
    return lower, np.minimum(first + np.log(ratios), 0.0), first


def reach(slope: FloatArray, bend: FloatArray) -> FloatArray:
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


def integrated(
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
