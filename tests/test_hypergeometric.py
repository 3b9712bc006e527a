"""The hypergeometric distribution against integers and 60-digit decimals, and its limits."""

from __future__ import annotations

import math
import random
import time
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puremetrics import hypergeometric as hg
from puremetrics.exceptions import InputError

from .oracles import claesen

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
STIRLING = [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156)]
Point = tuple[int, int, int, int]  # x, total, marked, drawn


# Independent values: exact integers for small tables, decimals and 220-bit fixed point for large


def log_factorial(value: int) -> Decimal:
    if value < 2000:
        return Decimal(math.factorial(value)).ln()
    y = Decimal(value)
    result = (y + Decimal("0.5")) * y.ln() - y + (2 * PI).ln() / 2
    for i, (top, bottom) in enumerate(STIRLING):
        result += Decimal(top) / (bottom * y ** (2 * i + 1))
    return result


def decimal_log_pmf(x: int, total: int, marked: int, drawn: int) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        above = sum(map(log_factorial, (marked, total - marked, drawn, total - drawn)), Decimal(0))
        cells = (total, x, marked - x, drawn - x, total - marked - drawn + x)
        return above - sum(map(log_factorial, cells), Decimal(0))


def decimal_log_lower_tail(x: int, total: int, marked: int, drawn: int) -> Decimal:
    unit = 1 << 220
    a, b, c, d = x, marked - x, drawn - x, total - marked - drawn + x
    term = ways = unit
    while term > ways >> 90 and a > 0 and d > 0:
        term = term * (a * d) // ((b + 1) * (c + 1))
        ways += term
        a, b, c, d = a - 1, b + 1, c + 1, d - 1
    with localcontext() as context:
        context.prec = 60
        return decimal_log_pmf(x, total, marked, drawn) + (Decimal(ways) / unit).ln()


def decimal_log_small_tail(point: Point) -> tuple[bool, Decimal]:
    """Return whether the side of the cut away from the mean is the lower one, and its log."""
    x, total, marked, drawn = point
    if (2 * x + 1) * total < 2 * marked * drawn:
        return True, decimal_log_lower_tail(*point)
    mirrored = (drawn - x - 1, total, total - marked, drawn)
    return False, decimal_log_lower_tail(*mirrored)


def sample(count: int, seed: int, widest: float, reach: float) -> list[Point]:
    rng = random.Random(seed)
    points: list[Point] = []
    while len(points) < count:
        total = int(10 ** rng.uniform(1, 12))
        marked, drawn = (int(10 ** rng.uniform(0, math.log10(total))) for _ in range(2))
        marked = total - marked if rng.random() < 0.3 else marked
        drawn = total - drawn if rng.random() < 0.3 else drawn
        mean = marked * drawn / total
        spread = math.sqrt(mean * (1 - marked / total) * (total - drawn) / (total - 1))
        lowest, highest = max(0, marked + drawn - total), min(marked, drawn)
        if lowest < highest and spread <= widest:
            x = round(mean + rng.uniform(-reach, reach) * spread)
            points.append((min(max(x, lowest), highest - 1), total, marked, drawn))
    return points


SPREAD = [
    *sample(150, 1, 100.0, 0.5),
    *sample(200, 2, 500.0, 8.0),
    *sample(150, 3, 500.0, 36.0),
    # wide ones, near the mean, in both tails, and with one small or one huge cell
    (500_000_100, 10**12, 10**12 // 2, 10**9),
    (49_990_000, 10**9, 5 * 10**8, 10**8),
    (50_060_000, 10**9, 5 * 10**8, 10**8),
    (1_000_500, 10**12, 10**9, 10**9),
    (50_300, 10**7, 10**5, 5 * 10**6),
    (98_000, 10**7, 10**5, 9_820_000),
    (400, 10**12, 10**6, 5 * 10**8),
    (1_250_000_000, 10**10, 5 * 10**9, 25 * 10**8),
]


def columns(points: list[Point]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    x, total, marked, drawn = np.array(points, dtype=np.int64).T
    return x, total, marked, drawn


@pytest.fixture(scope="module")
def true_tails() -> list[tuple[bool, Decimal]]:
    return [decimal_log_small_tail(point) for point in SPREAD]


# Probabilities


@pytest.mark.parametrize("total", range(15))
def test_small_tables_are_exact(total: int) -> None:
    size = total + 1
    marked, drawn, x = (a.ravel() for a in np.mgrid[:size, :size, -1 : size + 1])
    ways = [
        math.comb(k, v) * math.comb(total - k, n - v) if 0 <= v <= n else 0
        for k, n, v in zip(marked.tolist(), drawn.tolist(), x.tolist(), strict=True)
    ]
    sizes = np.array([math.comb(total, n) for n in drawn.tolist()], dtype=float)
    at_most = np.cumsum(np.array(ways).reshape(size, size, -1), axis=2).ravel()
    probability = np.array(ways) / sizes
    assert np.exp(hg.log_pmf(x, total, marked, drawn)) == pytest.approx(
        probability, rel=2e-14, abs=0
    )
    below, beyond = at_most / sizes, (sizes - at_most) / sizes
    assert hg.cdf(x, total, marked, drawn) == pytest.approx(below, rel=2e-14, abs=0)
    assert hg.sf(x, total, marked, drawn) == pytest.approx(beyond, rel=2e-14, abs=0)
    with np.errstate(divide="ignore"):
        assert hg.log_cdf(x, total, marked, drawn) == pytest.approx(np.log(below), abs=2e-14)
        assert hg.log_sf(x, total, marked, drawn) == pytest.approx(np.log(beyond), abs=2e-14)


def test_probability_has_twelve_digits_up_to_a_trillion_rows() -> None:
    found = hg.log_pmf(*columns(SPREAD))
    errors = [
        abs(float(Decimal(float(value)) - decimal_log_pmf(*point)))
        for value, point in zip(found, SPREAD, strict=True)
    ]
    assert max(errors) < 1e-12


def test_small_tail_has_a_small_relative_error(true_tails: list[tuple[bool, Decimal]]) -> None:
    arrays = columns(SPREAD)
    below, beyond = hg.cdf(*arrays), hg.sf(*arrays)
    for i, (lower, log_tail) in enumerate(true_tails):
        tail = log_tail.exp()
        small, large = (below[i], beyond[i]) if lower else (beyond[i], below[i])
        if log_tail > -700:
            assert abs(float(Decimal(float(small)) / tail - 1)) < 2e-12, SPREAD[i]
        assert abs(float(Decimal(float(large)) - (1 - tail))) < 1e-13, SPREAD[i]


def test_log_tails(true_tails: list[tuple[bool, Decimal]]) -> None:
    arrays = columns(SPREAD)
    below, beyond = hg.log_cdf(*arrays), hg.log_sf(*arrays)
    for i, (lower, log_tail) in enumerate(true_tails):
        small, large = (below[i], beyond[i]) if lower else (beyond[i], below[i])
        assert abs(float(Decimal(float(small)) - log_tail)) < 2e-12
        assert float(large) == pytest.approx(math.log1p(-float(log_tail.exp())), rel=1e-12)


def test_logs_do_not_underflow() -> None:
    rng = random.Random(4)
    points: list[Point] = []
    while len(points) < 60:
        total = int(10 ** rng.uniform(4, 10))
        marked, drawn = rng.randrange(1, total), rng.randrange(1, total)
        lowest, highest = max(0, marked + drawn - total), min(marked, drawn)
        if highest > lowest:
            points.append((rng.randrange(lowest, highest), total, marked, drawn))
    arrays = columns(points)
    below, beyond = hg.log_cdf(*arrays), hg.log_sf(*arrays)
    assert min(below.min(), beyond.min()) < -1e6
    for i, point in enumerate(points):
        lower, log_tail = decimal_log_small_tail(point)
        small = below[i] if lower else beyond[i]
        assert float(small) == pytest.approx(float(log_tail), rel=5e-15, abs=1e-13)


def test_the_two_ways_to_sum_a_tail_meet() -> None:
    """Direct sums and quadrature agree where one hands over to the other."""
    rng = np.random.default_rng(0)
    first, second, third = np.floor(10 ** rng.uniform(3.0, 6.0, size=(3, 4000)))
    fourth = np.floor(first * second / third * np.exp(rng.uniform(-0.001, 0.1, 4000)))
    shrinking, growing = np.stack((first, second)), np.stack((third, fourth))
    slope = np.log1p((third * fourth - first * second) / (first * second))
    bend = (1 / shrinking).sum(axis=0) + (1 / (1.2 * growing)).sum(axis=0)
    length = hg._reach(slope, bend)
    long = (length > 200) & (length < 1000) & (fourth > 300) & (slope > -0.001)
    assert np.count_nonzero(long) > 1000
    shrinking, growing, slope, length = (
        shrinking[:, long],
        growing[:, long],
        slope[long],
        length[long],
    )
    added = hg._added(shrinking, growing, length)
    assert hg._integrated(shrinking, growing, slope, length) == pytest.approx(added, rel=5e-13)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_probabilities_sum_to_one(data: st.DataObject) -> None:
    total = data.draw(st.integers(0, 10**12))
    marked = data.draw(st.integers(0, min(total, 5000)))
    drawn = data.draw(st.integers(0, total))
    if data.draw(st.booleans()):
        marked, drawn = total - marked, total - drawn
    x = np.arange(max(0, marked + drawn - total), min(marked, drawn) + 1)
    logs = hg.log_pmf(x, total, marked, drawn)
    assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-12)
    running = np.cumsum(np.exp(logs))
    assert hg.cdf(x, total, marked, drawn) == pytest.approx(running, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_symmetries(data: st.DataObject) -> None:
    total = data.draw(st.integers(1, 10**12))
    marked, drawn = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    mean = marked * drawn / total
    spread = math.sqrt(mean * (1 - marked / total) * (1 - drawn / total)) + 1
    x = round(mean + data.draw(st.floats(-9, 9)) * spread)
    below, beyond = hg.cdf(x, total, marked, drawn), hg.sf(x, total, marked, drawn)
    assert below + beyond == pytest.approx(1.0, abs=1e-15)
    close = {"rel": 1e-12, "abs": 0.0}
    assert hg.cdf(x, total, drawn, marked) == pytest.approx(below, **close)
    assert hg.sf(drawn - x - 1, total, total - marked, drawn) == pytest.approx(below, **close)
    assert hg.sf(marked - x - 1, total, marked, total - drawn) == pytest.approx(below, **close)
    step = hg.cdf(x, total, marked, drawn) - hg.cdf(x - 1, total, marked, drawn)
    assert step == pytest.approx(np.exp(hg.log_pmf(x, total, marked, drawn)), abs=1e-13)


@pytest.mark.parametrize(
    ("total", "marked", "drawn"), [(200, 70, 90), (10**6, 1500, 400_000), (10**10, 10**6, 10**8)]
)
def test_tails_are_monotone(total: int, marked: int, drawn: int) -> None:
    mean = marked * drawn // total
    x = np.arange(mean - 4000, mean + 4000)
    below, beyond = hg.log_cdf(x, total, marked, drawn), hg.log_sf(x, total, marked, drawn)
    finite_below, finite_beyond = below[np.isfinite(below)], beyond[np.isfinite(beyond)]
    assert np.all(np.diff(finite_below) >= -1e-15)
    assert np.all(np.diff(finite_beyond) <= 1e-15)
    more = hg.sf(mean, total, marked + np.arange(50), drawn)
    assert np.all(np.diff(more) > 0)


def test_certain_outcomes() -> None:
    for total, marked, drawn, value in [(9, 4, 0, 0), (9, 4, 9, 4), (9, 0, 5, 0), (9, 9, 5, 5)]:
        x = np.array([value - 1, value, value + 1])
        assert hg.log_pmf(x, total, marked, drawn).tolist() == [-np.inf, 0.0, -np.inf]
        assert hg.cdf(x, total, marked, drawn).tolist() == [0.0, 1.0, 1.0]
        assert hg.sf(x, total, marked, drawn).tolist() == [1.0, 0.0, 0.0]
        assert hg.log_cdf(x, total, marked, drawn).tolist() == [-np.inf, 0.0, 0.0]
        assert hg.log_sf(x, total, marked, drawn).tolist() == [0.0, -np.inf, -np.inf]
    assert hg.cdf([-np.inf, 0.5, 1.0, 1.9, np.inf], 4, 2, 2) == pytest.approx(
        [0, 1 / 6, *[5 / 6] * 2, 1]
    )
    assert hg.log_pmf(0.5, 4, 2, 2) == -np.inf


def test_shapes_and_types() -> None:
    whole = hg.cdf(np.arange(3)[:, None], 20, np.array([4, 5]), 6)
    assert whole.shape == (3, 2)
    assert whole.dtype == np.float64
    floats = hg.cdf(np.arange(3.0)[:, None], 20.0, np.array([4.0, 5.0]), 6.0)
    assert np.array_equal(whole, floats)
    assert hg.cdf(1, 20, 4, 6).shape == ()
    assert hg.sf(np.empty((0, 2)), 20, 4, 6).shape == (0, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        (1, 5, 6, 2),
        (1, 5, 2, 6),
        (1, 5, -1, 2),
        (1, 5.5, 2, 2),
        (1, 5, 2.5, 2),
        (np.nan, 5, 2, 2),
        (1, np.nan, 2, 2),
        (1, 2**60, 2, 2),
        ([1, 2], [5, 5, 5], 2, 2),
    ],
)
def test_impossible_arguments(arguments: tuple[object, ...]) -> None:
    with pytest.raises(InputError):
        hg.cdf(*arguments)  # type: ignore[arg-type]


def test_a_hundred_thousand_tails_take_a_moment() -> None:
    rng = np.random.default_rng(0)
    total, marked = 10**7, 10**5
    drawn = np.floor(rng.uniform(0, total, 10**5))
    mean = marked * drawn / total
    x = np.round(mean + rng.uniform(-8, 8, drawn.size) * np.sqrt(mean * (1 - drawn / total)))
    start = time.perf_counter()
    hg.cdf(x, total, marked, drawn)
    assert time.perf_counter() - start < 3.0  # a sixth of this or less on an idle machine


# Limits of the latent positives in the head


def exact_limits(labelled: int, latent: int, alpha: float) -> tuple[list[int], list[int]]:
    total, bound = labelled + latent, Fraction(alpha)
    every = math.comb(total, labelled)
    low, high = [-1] * (labelled + 1), [-1] * (labelled + 1)
    for marked in range(total + 1):
        at_most = 0
        for k in range(min(labelled, marked) + 1):
            at_least = every - at_most
            at_most += math.comb(marked, k) * math.comb(total - marked, labelled - k)
            if k < marked - latent:
                continue
            if low[k] < 0 and at_least * bound.denominator > bound.numerator * every:
                low[k] = marked - k
            if at_most * bound.denominator > bound.numerator * every:
                high[k] = marked - k
    return low, high


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_limits_agree_with_the_oracle(level: float) -> None:
    for labelled, latent in [(1, 1), (1, 39), (2, 6), (5, 0), (7, 13), (10, 10), (20, 12), (3, 37)]:
        low, high = hg.head_limits(np.arange(labelled + 1), labelled, latent, (1 - level) / 2)
        for k in range(labelled + 1):
            expected = claesen.hypergeometric_band(k, labelled, latent, level)
            assert (low[k], high[k]) == expected


@pytest.mark.parametrize("labelled", range(41))
def test_limits_agree_with_integers(labelled: int) -> None:
    """Among these are exact ties: P(X >= 1 | K = 1) = n / M = 1/40 for 0.025, and the like."""
    for latent in range(41):
        alphas = [(1 - 0.95) / 2]
        if latent % 6 == labelled % 6 or labelled + latent == 40:
            alphas += [0.025, 0.05, 0.1, 0.25, 0.4, 0.5, 0.75]
        for alpha in alphas:
            low, high = hg.head_limits(np.arange(labelled + 1), labelled, latent, alpha)
            assert (low.tolist(), high.tolist()) == exact_limits(labelled, latent, alpha)


def test_ties_are_exact_in_large_tables() -> None:
    # P(X >= 1 | K = 1) = n / M is alpha itself, rounded up or down to a float
    for labelled, total in [(25_000, 10**6), (10**5, 4 * 10**6), (7, 280), (10**9, 4 * 10**10)]:
        for alpha in (0.025, np.nextafter(0.025, 0), np.nextafter(0.025, 1)):
            low, _ = hg.head_limits(1, labelled, total - labelled, float(alpha))
            assert low == (0 if Fraction(labelled, total) > Fraction(float(alpha)) else 1)
    # half of all drawn: X and 2k − 1 − X have the same law, so P(X >= k | K = 2k − 1) = 1/2
    low, _ = hg.head_limits(np.arange(1, 5001), 5000, 5000, 0.5)
    assert np.array_equal(low, np.arange(1, 5001))


@pytest.mark.parametrize(
    ("labelled", "latent", "alpha"),
    [(10**4, 5 * 10**5, 0.025), (10**5, 10**7, 0.005), (10**6, 10**4, 0.1), (3000, 10**12, 1e-9)],
)
def test_large_limits_cut_at_alpha(labelled: int, latent: int, alpha: float) -> None:
    total = labelled + latent
    level = Decimal(alpha).ln()
    rng = random.Random(labelled)
    heads = sorted({1, 2, 17, labelled // 2, labelled - 1, *rng.choices(range(1, labelled), k=3)})
    low, high = hg.head_limits(heads, labelled, latent, alpha)
    for k, fewest, most in zip(heads, low.astype(int), high.astype(int), strict=True):
        for marked, passes in ((k + int(fewest), True), (k + int(fewest) - 1, False)):
            if k <= marked < k + latent:
                log_tail = decimal_log_lower_tail(labelled - k, total, total - marked, labelled)
                assert (log_tail > level) == passes
        for marked, passes in ((k + int(most), True), (k + int(most) + 1, False)):
            if k < marked <= k + latent:
                assert (decimal_log_lower_tail(k, total, marked, labelled) > level) == passes


@settings(max_examples=60, deadline=None)
@given(
    labelled=st.integers(1, 2000),
    latent=st.one_of(st.integers(0, 200), st.integers(0, 10**9)),
    alpha=st.sampled_from([1e-300, 1e-6, 0.005, 0.025, 0.05, 0.3, 0.49]),
)
def test_limits_are_ordered_and_monotone(labelled: int, latent: int, alpha: float) -> None:
    head = np.arange(labelled + 1)
    low, high = hg.head_limits(head, labelled, latent, alpha)
    assert low[0] == 0
    assert high[-1] == latent
    assert np.all(low <= high)
    assert np.all(np.diff(low) >= 0)
    assert np.all(np.diff(high) >= 0)
    assert np.array_equal(high, latent - low[::-1])
    inside = (low > 0) & (low < latent)
    at = hg.log_sf(head - 1, labelled + latent, head + low, labelled)
    before = hg.log_sf(head - 1, labelled + latent, head + np.maximum(low - 1, 0), labelled)
    assert np.all(at[inside] > math.log(alpha) - 1e-11)
    assert np.all(before[inside] <= math.log(alpha) + 1e-11)


def test_limits_keep_shape_and_corners() -> None:
    low, high = hg.head_limits(np.array([[3, 0], [3, 9]]), 9, 30, 0.025)
    assert low.shape == high.shape == (2, 2)
    assert low[0, 0] == low[1, 0]
    assert [limit.tolist() for limit in hg.head_limits([0, 4], 4, 0, 0.1)] == [[0, 0], [0, 0]]
    assert [limit.tolist() for limit in hg.head_limits([0], 0, 7, 0.1)] == [[0], [7]]
    assert [limit.tolist() for limit in hg.head_limits([0, 2], 4, 7, 0.0)] == [[0, 0], [7, 7]]
    assert hg.head_limits([], 4, 7, 0.1)[0].size == 0


@pytest.mark.parametrize(
    ("head", "labelled", "latent", "alpha"),
    [
        ([5], 4, 3, 0.1),
        ([-1], 4, 3, 0.1),
        ([0.5], 4, 3, 0.1),
        ([np.nan], 4, 3, 0.1),
        ([1], -4, 3, 0.1),
        ([1], 4, 2.5, 0.1),
        ([1], 4, 2**53, 0.1),
        ([1], 4, 3, 1.0),
        ([1], 4, 3, -0.1),
        ([1], 4, 3, np.nan),
    ],
)
def test_impossible_limits(head: list[float], labelled: int, latent: int, alpha: float) -> None:
    with pytest.raises(InputError):
        hg.head_limits(head, labelled, latent, alpha)


def test_a_hundred_thousand_limits_take_a_moment() -> None:
    start = time.perf_counter()
    hg.head_limits(np.arange(10**5 + 1), 10**5, 5 * 10**6, 0.025)
    assert time.perf_counter() - start < 3.0  # a tenth of this on an idle machine
