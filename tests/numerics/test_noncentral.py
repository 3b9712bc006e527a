"""Fisher's noncentral hypergeometric law, against fractions and long integers."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nchypergeom_fisher

from puremetrics.exceptions import InputError
from puremetrics.numerics import hypergeometric as hg
from puremetrics.numerics.hypergeometric import expected_cells, log_at_least, log_at_most
from tests.oracles import fisher
from tests.yardstick import yards

all_odds = st.one_of(st.sampled_from([1.0, 1.5, 2.0, 4.0, 0.25]), st.floats(1e-6, 1e6))


@given(st.integers(0, 40), st.data(), all_odds)
def test_tails_equal_those_of_fractions(total, data, odds):
    marked, drawn = (data.draw(st.integers(0, total)) for _ in range(2))
    values = np.arange(-1, total + 2)
    above = np.exp(log_at_least(values, total, marked, drawn, odds))
    below = np.exp(log_at_most(values, total, marked, drawn, odds))
    for x, up, down in zip(values, above, below, strict=True):
        known = Fraction(odds)
        assert up == pytest.approx(
            float(fisher.at_least(int(x), total, marked, drawn, known)), rel=1e-11
        )
        assert down == pytest.approx(
            float(fisher.at_most(int(x), total, marked, drawn, known)), rel=1e-11
        )


def test_tails_equal_those_of_scipy():
    for total, marked, drawn, odds in [(50, 20, 10, 2.0), (300, 40, 200, 0.3), (90, 89, 45, 7.0)]:
        law = nchypergeom_fisher(total, marked, drawn, odds)
        x = np.arange(total)
        found = np.exp(log_at_most(x, total, marked, drawn, odds))
        assert found == pytest.approx(law.cdf(x), rel=1e-9, abs=1e-12)


@given(st.integers(1, 10**12), st.data())
def test_odds_of_one_give_the_hypergeometric_law(total, data):
    marked, drawn = (data.draw(st.integers(0, total)) for _ in range(2))
    low, high = max(0, marked + drawn - total), min(marked, drawn)
    share = drawn / total * (1 - drawn / total)
    spread = math.sqrt(marked * (total - marked) / total * share) + 1
    x = marked * drawn / total + data.draw(st.floats(-6, 6)) * spread
    x = float(min(max(round(x), low), high))
    expected = hg.log_sf(x - 1, total, marked, drawn)
    assert log_at_least(x, total, marked, drawn, 1.0) == pytest.approx(expected, rel=1e-9, abs=1e-8)


def _long_tail(k: int, total: int, marked: int, drawn: int, odds: float, middle: int) -> Decimal:
    """P(X ≥ k) from ratios in 200-bit fixed point, added up outwards from k and from the middle."""
    part, unit = Fraction(odds), 1 << 200

    def ratio(x: int, step: int) -> tuple[int, int]:
        a, b, c, d = x, marked - x, drawn - x, total - marked - drawn + x
        if step > 0:
            return b * c * part.numerator, (a + 1) * (d + 1) * part.denominator
        return a * d * part.denominator, (b + 1) * (c + 1) * part.numerator

    def added(x: int, step: int) -> int:
        term = ways = unit
        while term > ways >> 100:
            top, bottom = ratio(x, step)
            term = term * top // bottom
            ways, x = ways + term, x + step
        return ways

    with localcontext() as context:
        context.prec = 60
        weight, x = Decimal(1), middle
        while x != k:
            step = 1 if x < k else -1
            top, bottom = ratio(x, step)
            weight, x = weight * top / bottom, x + step
        every = added(middle, 1) + added(middle, -1) - unit
        return weight * added(k, 1) / every


@pytest.mark.parametrize("odds", [1.5, 4.0, 100.0, 0.4])
@pytest.mark.parametrize(
    ("total", "marked", "drawn", "precision"),
    [
        (1100, 300, 100, 1e-12),
        (110_000, 3000, 10_000, 1e-11),
        (200_000, 190_000, 100_000, 1e-11),
        (10**6, 500, 10**5, 1e-11),
        (10**9, 10**8, 10**6, 1e-10),
        (2 * 10**9, 10**9, 10**9, 1e-10),
        (10**12, 10**10, 10**4, 1e-9),
    ],
)
def test_large_tails_equal_those_of_long_integers(total, marked, drawn, odds, precision):
    cells = expected_cells(*(np.array([float(v)]) for v in (total, marked, drawn)), odds)[:, 0]
    spread = 1 / math.sqrt(np.sum(1 / cells))
    for score in (-4.0, -0.1, 2.0, 6.0):
        k = int(min(max(round(cells[0] + score * spread), 1), min(marked, drawn)))
        if k <= marked + drawn - total:
            continue
        expected = _long_tail(k, total, marked, drawn, odds, int(cells[0]))
        found = float(log_at_least(k, total, marked, drawn, odds))
        assert abs(Decimal(found).exp() / expected - 1) < precision


@given(st.integers(2, 10**12), st.data(), all_odds)
def test_expected_cells_have_their_margins_and_their_odds(total, data, odds):
    marked, drawn = (float(data.draw(st.integers(1, total - 1))) for _ in range(2))
    cells = expected_cells(np.array([float(total)]), np.array([marked]), np.array([drawn]), odds)
    a, b, c, d = cells[:, 0]
    assert a * d / (b * c) == pytest.approx(odds, rel=1e-12)
    for pair, margin in (((a, b), marked), ((c, d), total - marked), ((a, c), drawn)):
        assert sum(pair) == pytest.approx(margin, rel=1e-12)


def test_the_largest_tables_take_no_longer():
    x = np.linspace(1e11, 9e11, 5000).round()
    logs = log_at_least(x, 2e12, 1e12, 1e12, 2.0)
    assert yards(lambda: log_at_least(x, 2e12, 1e12, 1e12, 2.0)) < 75  # less than 1 when written
    assert np.all(np.diff(logs) <= 0)


@pytest.mark.parametrize("odds", [0.0, -1.0, math.nan, math.inf])
def test_odds_that_are_none_are_refused(odds):
    with pytest.raises(InputError, match="must be a positive number"):
        log_at_least(1, 4, 2, 2, odds)
