"""Quantiles of the Beta law against its distribution function, and against known ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from puremetrics.numerics.quantiles import beta_quantile

logs = st.floats(-0.3, 12.0)
tails = st.sampled_from([1e-6, 0.005, 0.025, 0.5, 0.975, 0.995])


@given(logs, logs, tails)
def test_the_distribution_function_takes_it_back(first, second, p):
    a, b = sorted([10.0**first, 10.0**second])
    assert betainc(a, b, beta_quantile(a, b, p)) == pytest.approx(p, rel=2e-3, abs=2e-8)


@given(logs, logs, tails)
def test_the_other_side_is_its_mirror(first, second, p):
    a, b = 10.0**first, 10.0**second
    assert beta_quantile(a, b, p) + beta_quantile(b, a, 1 - p) == pytest.approx(1, abs=1e-7)


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


@pytest.mark.parametrize(
    ("a", "b"), [(5.0, 1e10), (2e4, 3e9), (9e5, 2e9), (1e8, 1e10), (1e10, 1e10)]
)
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.975])
def test_parameters_beyond_what_is_polished(a, b, p):
    """Against the density, integrated with forty digits."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        x, a, b = mpmath.mpf(beta_quantile(a, b, p)), mpmath.mpf(a), mpmath.mpf(b)
        whole = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
        mean = a / (a + b)
        spread = mpmath.sqrt(mean * (1 - mean) / (a + b + 1))
        places = [mean + k * spread for k in range(-14, 14)]
        start = places[0] if places[0] > 0 else mpmath.mpf(10) ** -40
        found = mpmath.quad(
            lambda t: mpmath.exp((a - 1) * mpmath.log(t) + (b - 1) * mpmath.log1p(-t) - whole),
            [start, *(place for place in places if start < place < x), x],
        )
    assert float(found) == pytest.approx(p, rel=1e-6)
