"""The order of many scores is that of a plain sort."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from puremetrics.numerics import sorting as ordering
from puremetrics.numerics.sorting import order_of


def assert_in_order(values):
    order = order_of(values)
    assert np.array_equal(np.sort(order), np.arange(values.size))
    assert np.array_equal(values[order], np.sort(values))


@given(
    hnp.arrays(
        np.float64,
        st.integers(1, 40),
        elements=st.floats(allow_nan=False, allow_infinity=False)
        | st.sampled_from([0.0, -0.0, 5e-324]),
    )
)
def test_any_finite_numbers(values):
    with mock.patch.multiple(ordering, _FEW=0, _SAMPLE=1, _DISTINCT=0):
        assert_in_order(values)


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).random(50_000),
        np.random.default_rng(1).normal(size=50_000).astype(np.float32).astype(np.float64),
        np.round(np.random.default_rng(2).random(50_000), 2),
        np.full(50_000, -3.5),
        # most differ in their last bits only, beside numbers that are far away
        np.append(
            1 + np.random.default_rng(3).integers(2000, size=50_000) * 2.0**-52, [-1e300, 1e300]
        ),
        np.append(np.random.default_rng(4).random(50_000), 1 + np.arange(2000)[::-1] * 2.0**-52),
    ],
    ids=["uniform", "single precision", "rounded", "equal", "nearly equal", "some nearly equal"],
)
def test_many_scores(values):
    assert_in_order(values)
