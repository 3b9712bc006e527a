"""The most extreme tilts against linear programs and plain properties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit, logit

from puremetrics.numerics.tilting import (
    capped_rows,
    extreme_step,
    extreme_tilt,
    feasible_ratio,
    filled_heads,
    shifted,
)
from tests.oracles import label_bias

TOLERANCE = 1e-9
ratios = st.one_of(st.just(1.0), st.floats(1, 30), st.floats(1, 1e6))


@st.composite
def problems(draw, most=8):
    """Shares with zeros and values with ties."""
    k = draw(st.integers(1, most))
    counts = np.array(draw(st.lists(st.integers(0, 9), min_size=k, max_size=k)), float)
    assume(counts.sum() > 0)
    values = st.one_of(st.integers(-3, 3).map(float), st.floats(-2, 2).map(lambda x: round(x, 3)))
    return counts / counts.sum(), np.array(draw(st.lists(values, min_size=k, max_size=k)))


@st.composite
def capped_problems(draw):
    share, values = draw(problems())
    k = share.size
    caps = np.array(draw(st.lists(st.integers(0, 30), min_size=k, max_size=k)), float) / 10
    return share, values, caps


def is_tilt(found, share, ratio):
    """Whether a distribution is share·v, with the largest v at most ``ratio`` times the smallest."""
    assert found.sum() == pytest.approx(1, abs=TOLERANCE)
    assert np.all(np.abs(found[share == 0]) <= 1e-15)
    v = found[share > 0] / share[share > 0]
    assert v.max() <= ratio * v.min() * (1 + 1e-9) + 1e-12


@given(st.floats(0.001, 0.999), st.floats(1e-3, 1e3))
def test_a_shift_is_one_of_the_logit(share, ratio):
    found = float(shifted(np.array(share), ratio))
    assert found == pytest.approx(float(expit(logit(share) + math.log(ratio))), abs=1e-12)
    assert float(shifted(np.array(found), 1 / ratio)) == pytest.approx(share, abs=1e-9)
    assert shifted(np.array([0.0, 1.0]), ratio).tolist() == [0.0, 1.0]


@given(problems(), ratios)
def test_the_free_tilt_is_the_optimum_of_the_program(problem, ratio):
    share, values = problem
    found = extreme_tilt(share, values, ratio)
    is_tilt(found, share, ratio)
    _, high = label_bias.extremes(share, values, ratio)
    assert found @ values == pytest.approx(high, abs=1e-8)
    mean = float(found @ values)  # an expectile of the values
    over, under = (share @ np.maximum(sign * (values - mean), 0) for sign in (1, -1))
    assert ratio * over == pytest.approx(under, rel=1e-6, abs=1e-9 * ratio)


@given(problems(most=7), st.floats(1, 100))
def test_no_corner_is_better_than_the_free_tilt(problem, ratio):
    share, values = problem
    moved = share * np.array(list(itertools.product((1.0, ratio), repeat=share.size)))
    best = (moved @ values / moved.sum(axis=1)).max()
    assert extreme_tilt(share, values, ratio) @ values == pytest.approx(best, abs=TOLERANCE)


@given(problems(), st.floats(1, 100))
def test_a_stepped_tilt_is_the_best_head(problem, ratio):
    share, values = problem
    k = share.size
    found = extreme_step(share, values, ratio)
    is_tilt(found, share, ratio)
    heads = [share * ([ratio] * cut + [1.0] * (k - cut)) for cut in range(k + 1)]
    best = max(float(head @ values / head.sum()) for head in heads)
    assert found @ values == pytest.approx(best, abs=TOLERANCE)


@given(capped_problems(), st.floats(1, 100))
def test_caps_of_rows_against_the_program(problem, ratio):
    share, values, caps = problem
    least = feasible_ratio(share, caps)
    assert least >= 1
    assume(abs(ratio - least) > 1e-6 * least or math.isinf(least))
    found = capped_rows(share, values, ratio, caps)
    program = label_bias.extremes(share, values, ratio, caps)
    assert (found is None) == (program is None) == (ratio < least)
    if found is not None:
        is_tilt(found, share, ratio)
        assert np.all(found <= caps + TOLERANCE)
        assert found @ values == pytest.approx(program[1], abs=TOLERANCE)


@given(capped_problems())
def test_the_least_ratio_is_just_enough(problem):
    share, values, caps = problem
    least = feasible_ratio(share, caps)
    if math.isinf(least):
        # Either rows without room carry labels, or all the room together is too small.
        assert np.any(caps[share > 0] == 0) or caps[share > 0].sum() <= 1 + TOLERANCE
        assert label_bias.extremes(share, values, 1e6, caps) is None
        return
    assert least == 1 or label_bias.extremes(share, values, 1 + (least - 1) * 0.999, caps) is None
    assume(least < 1e5)
    assert label_bias.extremes(share, values, least * 1.001, caps) is not None


@given(problems(), st.floats(1, 100), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_caps_of_heads_against_the_program(problem, ratio, room):
    share, weights = problem[0], np.abs(problem[1])
    heads = np.cumsum(share)
    caps = np.maximum.accumulate(heads + (1 - heads) * np.array(room[: share.size]))
    caps = np.minimum(caps, 1)
    caps[-1] = 1
    found = filled_heads(share, weights, ratio, caps)
    parts = np.diff(found, prepend=0.0)
    is_tilt(np.where(share > 0, parts, np.where(np.abs(parts) < 1e-12, 0, parts)), share, ratio)
    assert np.all(found <= caps + TOLERANCE)
    best = label_bias.most_of_heads(share, weights, ratio, caps)
    assert weights @ found == pytest.approx(best, abs=1e-8)


@given(problems(), st.lists(st.integers(1, 900), min_size=8, max_size=8), st.floats(0, 9e-13))
def test_caps_that_add_up_to_one_are_all_reached(problem, counts, missing):
    """The distribution is then that of the caps, even where rounding leaves their sum a little below 1."""
    share = problem[0]
    assume(np.all(share > 0))
    caps = np.array(counts[: share.size], float) ** 2
    caps /= caps.sum()
    caps[np.argmax(caps / share)] -= min(missing, caps.min() / 2)
    moved = caps / share
    assert feasible_ratio(share, caps) == pytest.approx(moved.max() / moved.min(), rel=1e-4)


def test_caps_that_fall_short_of_one_by_rounding():
    share, caps = np.array([0.9, 0.1 - 1e-5, 1e-5]), np.array([0.1, 0.899, 1e-3 - 5e-13])
    assert feasible_ratio(share, caps) == pytest.approx(900, rel=1e-6)  # 9 once
