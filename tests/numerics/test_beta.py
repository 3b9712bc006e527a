"""Quantiles of the Beta law against its distribution function, and against known ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from puremetrics.numerics.beta import beta_quantile

logs = st.floats(-0.3, 12.0)
tails = st.sampled_from([1e-6, 0.005, 0.025, 0.5, 0.975, 0.995])


@given(logs, logs, tails)
def test_the_distribution_function_takes_it_back(first, second, p):
    a, b = sorted([10.0**first, 10.0**second])
    assert betainc(a, b, beta_quantile(a, b, p)) == pytest.approx(p, rel=2e-3, abs=2e-8)


@given(logs, logs, tails)
def test_the_other_side_is_its_mirror(first, second, p):
    a, b = 10.0**first, 10.0**second
    assert beta_quantile(a, b, p) + beta_quantile(b, a, 1 - p) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("n", [10, 10**4, 10**6, 10**9])
@pytest.mark.parametrize("p", [0.025, 0.5, 0.975])
def test_a_parameter_of_one_has_a_closed_form(n, p):
    assert beta_quantile(1, n, p) == pytest.approx(-np.expm1(np.log1p(-p) / n), rel=1e-9)


def test_where_a_common_search_goes_astray():
    assert beta_quantile(1e3, 7e7, 0.025) == pytest.approx(1.34137146e-5, rel=1e-6)


def test_arrays_are_taken_element_by_element():
    a, b = np.array([2.0, 1e3, 1e12]), np.array([3.0, 7e7, 1e12])
    each = [beta_quantile(x, y, 0.025) for x, y in zip(a, b, strict=True)]
    assert beta_quantile(a, b, 0.025).tolist() == each
