"""Limits of the latent positives in the head, against integers and 60-digit decimals."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.exceptions import InputError
from puremetrics.numerics import hypergeometric as hg
from puremetrics.numerics.head_limits import head_limits
from tests.numerics.decimals import decimal_log_lower_tail
from tests.oracles import claesen
from tests.yardstick import yards


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
        low, high = head_limits(np.arange(labelled + 1), labelled, latent, (1 - level) / 2)
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
            low, high = head_limits(np.arange(labelled + 1), labelled, latent, alpha)
            assert (low.tolist(), high.tolist()) == exact_limits(labelled, latent, alpha)


def test_ties_are_exact_in_large_tables() -> None:
    # P(X >= 1 | K = 1) = n / M is alpha itself, rounded up or down to a float
    for labelled, total in [(25_000, 10**6), (10**5, 4 * 10**6), (7, 280), (10**9, 4 * 10**10)]:
        for alpha in (0.025, np.nextafter(0.025, 0), np.nextafter(0.025, 1)):
            low, _ = head_limits(1, labelled, total - labelled, float(alpha))
            assert low == (0 if Fraction(labelled, total) > Fraction(float(alpha)) else 1)
    # half of all drawn: X and 2k − 1 − X have the same law, so P(X >= k | K = 2k − 1) = 1/2
    low, _ = head_limits(np.arange(1, 5001), 5000, 5000, 0.5)
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
    low, high = head_limits(heads, labelled, latent, alpha)
    for k, fewest, most in zip(heads, low.astype(int), high.astype(int), strict=True):
        for marked, passes in ((k + int(fewest), True), (k + int(fewest) - 1, False)):
            if k <= marked < k + latent:
                log_tail = decimal_log_lower_tail(labelled - k, total, total - marked, labelled)
                assert (log_tail > level) == passes
        for marked, passes in ((k + int(most), True), (k + int(most) + 1, False)):
            if k < marked <= k + latent:
                assert (decimal_log_lower_tail(k, total, marked, labelled) > level) == passes


@given(
    labelled=st.integers(1, 2000),
    latent=st.one_of(st.integers(0, 200), st.integers(0, 10**9)),
    alpha=st.sampled_from([1e-300, 1e-6, 0.005, 0.025, 0.05, 0.3, 0.49]),
)
def test_limits_are_ordered_and_monotone(labelled: int, latent: int, alpha: float) -> None:
    head = np.arange(labelled + 1)
    low, high = head_limits(head, labelled, latent, alpha)
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
    low, high = head_limits(np.array([[3, 0], [3, 9]]), 9, 30, 0.025)
    assert low.shape == high.shape == (2, 2)
    assert low[0, 0] == low[1, 0]
    assert [limit.tolist() for limit in head_limits([0, 4], 4, 0, 0.1)] == [[0, 0], [0, 0]]
    assert [limit.tolist() for limit in head_limits([0], 0, 7, 0.1)] == [[0], [7]]
    assert [limit.tolist() for limit in head_limits([0, 2], 4, 7, 0.0)] == [[0, 0], [7, 7]]
    assert head_limits([], 4, 7, 0.1)[0].size == 0


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
        head_limits(head, labelled, latent, alpha)


def test_a_hundred_thousand_limits_take_a_moment() -> None:
    heads = np.arange(10**5 + 1)
    assert yards(lambda: head_limits(heads, 10**5, 5 * 10**6, 0.025)) < 45  # some 4 when written
