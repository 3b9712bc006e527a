"""Limits for every number of latent positives, against one at a time."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.bounds import latent_limits as staircase
from puremetrics.bounds.latent_limits import LatentLimits
from puremetrics.numerics.head_limits import head_limits
from tests.bounds.cases import METHODS
from tests.bounds.enumeration import band

errors = st.sampled_from([0.25, 0.1, 0.025, 0.02, 0.0005])


@given(st.integers(1, 8), st.integers(0, 12), st.integers(0, 12), st.sampled_from([0.5, 0.9, 0.96]))
def test_limits_of_a_range_equal_the_definition(known, first, more, level):
    heads = np.arange(known + 1.0)
    found = staircase.exact_range(heads, known, first, first + more, (1 - level) / 2)
    for i in range(more + 1):
        expected = [band(k, known, first + i, level) for k in range(known + 1)]
        assert [tuple(pair) for pair in np.array(found)[:, i].T] == expected


@given(st.integers(1, 300), st.integers(0, 2000), st.integers(1, 700), errors, st.data())
def test_limits_of_a_range_equal_those_of_single_numbers(known, first, more, error, data):
    heads = data.draw(st.lists(st.integers(0, known), min_size=1, max_size=5, unique=True))
    heads = np.array(sorted(heads), dtype=float)
    low, high = staircase.exact_range(heads, known, first, first + more, error)
    latent = np.arange(first, first + more + 1.0)[:, None]
    expected = head_limits(heads, known, latent, error)
    assert np.array_equal(low, expected[0])
    assert np.array_equal(high, expected[1])
    for side in (low, high):  # a staircase
        assert set(np.unique(np.diff(side, axis=0))) <= {0.0, 1.0}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("together", [False, True])
def test_every_band_is_a_staircase(method, together):
    if together and method not in ("exact", "dkw"):
        return
    for known in (1, 7, 40):
        band_of = LatentLimits(known, method, 0.9, together)
        low, high, place = band_of.over(np.arange(known + 1), np.arange(0.0, 90.0))
        for side in (low[:, place], high[:, place]):
            assert set(np.unique(np.diff(side, axis=0))) <= {0.0, 1.0}


@given(st.integers(1, 3000), st.integers(0, 3000), st.integers(2, 3000), errors)
def test_chords_enclose_the_staircase(known, first, more, error):
    heads = np.unique(np.round(np.linspace(0, known, 12)))
    low, high = staircase.exact_range(heads, known, first, first + more, error)
    ends = staircase.anchors(known, first, first + more, error)
    slack = staircase.slack(known, first, error)
    assert (ends[0], ends[-1]) == (first, first + more)
    for start, stop in pairwise(ends):
        at = np.arange(start, stop + 1.0)
        rows = slice(start - first, stop - first + 1)
        for side, upper in ((low, False), (high, True)):
            pair = side[start - first], side[stop - first]
            around = staircase.chord(at, (start, stop), pair, slack, upper=upper)
            gap = (around - side[rows]) * (1 if upper else -1)
            assert gap.min() >= 0
            assert gap.max() <= slack + 1
            assert np.array_equal(around[[0, -1]], side[rows][[0, -1]])


@given(errors, st.integers(0, 10**6))
def test_limits_at_the_middle_enclose_those_of_a_narrow_range(error, seed):
    rng = np.random.default_rng(seed)
    known, first = int(10 ** rng.uniform(0, 5)), int(10 ** rng.uniform(2.7, 7))
    last = first + int(rng.uniform(0, 6) * first**0.5)
    heads = np.unique(np.concatenate([np.arange(min(known, 4) + 1), rng.integers(0, known + 1, 9)]))
    heads = np.unique(np.concatenate([heads, known - heads]))
    middle = (first + last) // 2
    limits = head_limits(heads, known, middle, error)
    ends = staircase.scaled(heads, limits, known, middle, [first, last])
    at = np.unique(np.linspace(first, last, 7).round())
    low, high = head_limits(heads[None].astype(float), known, at[:, None], error)
    part = ((at - first) / max(last - first, 1))[:, None]
    lower, upper = (end[0] + (end[1] - end[0]) * part for end in ends)
    assert np.all(lower <= low + 1e-9)
    assert np.all(upper >= high - 1e-9)
    assert np.max(low - lower) <= 2.5
    assert np.max(upper - high) <= 2.5


@pytest.mark.parametrize("heads", [[3], list(range(41))])
def test_limits_of_a_range_do_not_depend_on_what_was_asked_before(heads):
    first = LatentLimits(40, "exact", 0.9)
    nodes = np.arange(20.0, 31.0)
    low, high, place = first.over(np.array(heads), nodes)
    again = first.over(np.array([heads[-1], heads[0]]), nodes)
    fresh = LatentLimits(40, "exact", 0.9)
    for i, latent in enumerate(nodes):
        expected = fresh(np.array(heads), int(latent))
        assert np.array_equal(low[i, place], expected[0])
        assert np.array_equal(high[i, place], expected[1])
        assert again[0][i, again[2]].tolist() == [expected[0][-1], expected[0][0]]
