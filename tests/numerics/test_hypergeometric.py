"""The hypergeometric distribution against integers and 60-digit decimals."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.exceptions import InputError
from puremetrics.numerics import hypergeometric as hg
from tests.numerics.decimals import Point, decimal_log_lower_tail, decimal_log_pmf
from tests.yardstick import yards


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
    length = hg.reach(slope, bend)
    long = (length > 200) & (length < 1000) & (fourth > 300) & (slope > -0.001)
    assert np.count_nonzero(long) > 1000
    shrinking, growing, slope, length = (
        shrinking[:, long],
        growing[:, long],
        slope[long],
        length[long],
    )
    added = hg._added(shrinking, growing, length)
    assert hg.integrated(shrinking, growing, slope, length) == pytest.approx(added, rel=5e-13)


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
    assert yards(lambda: hg.cdf(x, total, marked, drawn)) < 45  # some 2 when this was written
