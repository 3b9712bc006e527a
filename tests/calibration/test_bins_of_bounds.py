"""The number of bins that minimises a bound, against all numbers of bins, with formulas of its own."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError

LOG_2 = math.log(2)
priors = st.floats(0, 1)
constants = st.sampled_from([0.0, 0.5, 1.0, 4.0, 300.0])
told = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 3.0, 400.0]))


def theorem_1(bins, prior, n_pos, n_unl, lipschitz, binning):
    if binning == "width":
        return (1 + lipschitz) / bins + math.sqrt(2 * bins * LOG_2 * (prior**2 / n_pos + 1 / n_unl))
    full, left = (2 if binning == "balanced" else 1), n_unl - bins
    binned = full * (1 + lipschitz) / bins + full * (3 + 2 * lipschitz) * bins / left
    spread = full * (1 + lipschitz) / math.sqrt(left) + math.sqrt(prior**2 / n_pos + 1 / left)
    return binned + math.sqrt(2 * bins * LOG_2) * spread


def theorem_3(bins, prior, n_pos, n_unl, lipschitz, binning, fcmi, on_unl):
    rate = prior**2 / n_pos + 1 / n_unl
    found = (1 + lipschitz) / bins + math.sqrt(8 * rate * (fcmi + bins * LOG_2))
    if binning == "mass":
        found += (1 + lipschitz) * math.sqrt(8 / n_unl * (on_unl + bins * LOG_2))
    return found


@given(priors, st.integers(1, 400), st.integers(2, 400), constants,
       st.sampled_from(["mass", "width", "balanced"]))  # fmt: skip
@example(0.5, 1, 2, 300.0, "mass")
@example(0.0, 1, 5, 300.0, "balanced")
def test_no_other_number_makes_theorem_1_smaller(prior, n_pos, n_unl, lipschitz, binning):
    at = (prior, n_pos, n_unl, lipschitz, binning)
    most = 3000 if binning == "width" else n_unl // 2
    bounds = [theorem_1(b, *at) for b in range(1, most + 1)]
    found = pm.optimal_bins(
        prior=prior, n_pos=n_pos, n_unl=n_unl, lipschitz=lipschitz, binning=binning
    )
    assert bounds[found - 1] == pytest.approx(min(bounds), rel=1e-14)
    assert found == bounds.index(min(bounds)) + 1 or bounds[found - 1] <= min(bounds) * (1 + 1e-15)


@given(priors, st.integers(1, 400), st.integers(2, 400), constants,
       st.sampled_from(["mass", "width"]), st.sampled_from([0.0, 0.1, 3.0, 400.0]), told)  # fmt: skip
def test_no_other_number_makes_theorem_3_smaller(
    prior, n_pos, n_unl, lipschitz, binning, fcmi, on_unl
):
    on_unl = None if on_unl is None or on_unl > fcmi else on_unl
    at = (prior, n_pos, n_unl, lipschitz, binning, fcmi, fcmi if on_unl is None else on_unl)
    most = 3000 if binning == "width" else n_unl // 2
    bounds = [theorem_3(b, *at) for b in range(1, most + 1)]
    found = pm.optimal_bins(prior=prior, n_pos=n_pos, n_unl=n_unl, lipschitz=lipschitz,
                            binning=binning, fcmi=fcmi, fcmi_unlabeled=on_unl)  # fmt: skip
    assert found == bounds.index(min(bounds)) + 1 or bounds[found - 1] <= min(bounds) * (1 + 1e-15)


def exactly(bins, prior, n_pos, n_unl, lipschitz, binning):
    """Theorem 1 with sixty digits: neighbours differ in the twentieth."""
    p, u, n, slopes, b = (Decimal(v) for v in (prior, n_pos, n_unl, 1 + lipschitz, bins))
    unit = (2 * b * Decimal(2).ln()).sqrt()
    if binning == "width":
        return slopes / b + unit * (p * p / u + 1 / n).sqrt()
    left = n - b
    spread = slopes / left.sqrt() + (p * p / u + 1 / left).sqrt()
    return slopes / b + (1 + 2 * slopes) * b / left + unit * spread


@pytest.mark.parametrize("binning", ["mass", "width"])
@pytest.mark.parametrize("lipschitz", [0, 1, 10**6])
@pytest.mark.parametrize("rows", [10**6, 10**12, 10**15])
def test_no_neighbour_is_better_with_very_many_rows(rows, lipschitz, binning):
    at = (0.25, rows // 10, rows, lipschitz, binning)
    found = pm.optimal_bins(
        prior=0.25, n_pos=rows // 10, n_unl=rows, lipschitz=lipschitz, binning=binning
    )
    with localcontext() as context:
        context.prec = 60
        here = exactly(found, *at)
        assert all(exactly(other, *at) >= here for other in (found - 1, found + 1) if other)


def test_the_bounds_of_the_package_are_smallest_there():
    sizes = {"prior": 0.3, "n_pos": 500, "n_unl": 6000, "lipschitz": 2.0}
    best = pm.optimal_bins(**sizes)  # equal mass, as in bias_bound
    assert min(range(1, 3001), key=lambda b: float(pm.bias_bound(**sizes, n_bins=b))) == best
    best = pm.optimal_bins(**sizes, fcmi=20.0, fcmi_unlabeled=7.0)
    least = min(
        range(1, 3001),
        key=lambda b: (
            pm.generalization_bound(**sizes, n_bins=b, fcmi=20.0, fcmi_unlabeled=7.0).expected
        ),
    )
    assert least == best


def test_extremes_have_a_number():
    sizes = {"prior": 1.0, "n_pos": 1e-300, "n_unl": 10.0}
    assert pm.optimal_bins(**sizes, lipschitz=1e308) >= 1
    assert pm.optimal_bins(**sizes, lipschitz=0.0) == 1
    assert (
        pm.optimal_bins(prior=0.0, n_pos=1, n_unl=1e15, lipschitz=1e308, binning="width") == 2**53
    )
    assert pm.optimal_bins(prior=0.5, n_pos=1, n_unl=2.5, lipschitz=1.0) == 1


@pytest.mark.parametrize("more", [{"binning": "width"}, {"fcmi": 1.0}, {"fcmi_unlabeled": 1.0}])
def test_the_order_takes_nothing_else(more):
    with pytest.raises(InputError, match="without lipschitz"):
        pm.optimal_bins(prior=0.5, n_pos=100, n_unl=1000, **more)


def test_wrong_combinations_are_told():
    sizes = {"prior": 0.5, "n_pos": 100, "n_unl": 1000, "lipschitz": 1.0}
    with pytest.raises(InputError, match="without fcmi"):
        pm.optimal_bins(**sizes, fcmi_unlabeled=1.0)
    with pytest.raises(InputError, match="cannot tell more"):
        pm.optimal_bins(**sizes, fcmi=1.0, fcmi_unlabeled=2.0)
    with pytest.raises(InputError, match="binning='balanced' is unknown"):
        pm.optimal_bins(**sizes, fcmi=1.0, binning="balanced")
    with pytest.raises(UnsupportedError, match="two unlabeled rows"):
        pm.optimal_bins(prior=0.5, n_pos=100, n_unl=1.5, lipschitz=1.0)
    assert pm.optimal_bins(prior=0.5, n_pos=100, n_unl=1.5, lipschitz=1.0, binning="width") >= 1
