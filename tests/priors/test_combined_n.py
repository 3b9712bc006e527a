"""Prior and purity of noisy labels together: how far the limits reach where classes overlap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.priors.best_bin import best_bin
from puremetrics.priors.combined import _lowered, combined_n, largest_fit
from puremetrics.priors.lookalikes import overlap as overlap_of
from puremetrics.priors.noise import noisy_fit
from puremetrics.priors.samples import Samples, ShareFit
from puremetrics.priors.slope import largest_share
from tests.programs import load
from tests.small_tables import CC, SINGLE


def drawn(seed, shift, prior, purity, sizes=(200, 2000), scenario=CC):
    rng = np.random.default_rng(seed)
    labelled = rng.normal(size=sizes[0]) + shift * (rng.random(sizes[0]) < purity)
    unlabeled = rng.normal(size=sizes[1]) + shift * (rng.random(sizes[1]) < prior)
    return pm.ScoreTable.from_groups(positive=labelled, unlabeled=unlabeled, scenario=scenario)


@pytest.mark.parametrize("shift", [1.2, 4.0])
def test_the_value_is_that_of_the_two_runs(shift):
    samples = Samples.of(drawn(1, shift, 0.2, 0.8))
    plain = noisy_fit(largest_fit(samples), largest_fit(samples.swapped()))
    found = combined_n(samples)
    assert (found.share, found.purity) == (plain.share, plain.purity)
    assert found.low <= plain.low
    assert found.high >= plain.high - 1e-12
    assert found.purity_low <= plain.purity_low + 1e-12


@settings(max_examples=40, deadline=None)
@given(
    pos=st.lists(st.integers(0, 6), min_size=2, max_size=15),
    unl=st.lists(st.integers(0, 6), min_size=2, max_size=25),
    share=st.floats(0, 0.4),
    purity=st.floats(0.6, 1),
)
def test_the_separation_is_the_corrected_area(pos, unl, share, purity):
    wins = sum((a > b) + (a == b) / 2 for a in pos for b in unl) / (len(pos) * len(unl))
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=CC)
    expected = np.clip(0.5 + (wins - 0.5) / (purity - share), 0.5, 1.0)
    for cut in (True, False):
        found = 1 - overlap_of(Samples.of(table, cut=cut), share, purity)
        assert found == pytest.approx(expected)


def test_lower_limits_by_hand():
    fit = ShareFit(0.2, low=0.15, high=0.3)
    assert _lowered(fit, 0.21).low == 0.15  # within what sampling allows anyway
    assert _lowered(fit, 0.28).low == pytest.approx(0.12)
    assert _lowered(fit, 0.9).low == 0.0
    assert _lowered(fit, 0.1).low == 0.15
    assert _lowered(fit, 0.9).high == 0.3


@pytest.mark.parametrize(("shift", "overlap"), [(1.2, True), (4.5, False)])
def test_limits_from_those_of_both_runs(shift, overlap):
    samples = Samples.of(drawn(2, shift, 0.15, 0.8))
    both = []
    for one in (samples, samples.swapped()):
        nearest = best_bin(one).share
        if overlap:
            nearest = max(nearest, largest_share(one))
        both.append(_lowered(largest_fit(one), nearest))
    expected, found = noisy_fit(*both), combined_n(samples)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert (found.purity_low, found.purity_high) == (expected.purity_low, expected.purity_high)
    assert not overlap or both[0].low < largest_fit(samples).low or both[0].low == 0


@pytest.mark.parametrize("scenario", [CC, SINGLE])
@pytest.mark.parametrize("seed", range(4))
def test_overlap_is_said_and_separation_is_not(scenario, seed):
    far = pm.estimate_prior(drawn(seed, 4.5, 0.3, 0.9, scenario=scenario), method="combined_n")
    near = pm.estimate_prior(drawn(seed, 1.2, 0.1, 0.8, scenario=scenario), method="combined_n")
    assert "PM201" not in {remark.code for remark in far.diagnostics}
    assert "PM201" in {remark.code for remark in near.diagnostics}
    assert "extrapolated" in near.status
    for found in (far, near):
        assert found.prior in found.interval
        assert found.purity in found.purity_interval


def test_separated_classes_keep_their_interval():
    samples = Samples.of(drawn(5, 4.5, 0.3, 0.9, sizes=(500, 5000)))
    plain = noisy_fit(largest_fit(samples), largest_fit(samples.swapped()))
    found = combined_n(samples)
    assert best_bin(samples).share - largest_fit(samples).share < 0.03
    assert found.high - found.low <= 1.05 * (plain.high - plain.low)


@pytest.mark.slow
@pytest.mark.parametrize("purity", [0.7, 1.0])
@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_limits_cover_with_overlap_and_a_small_prior(scenario, purity):
    """Where they held in 0.59 to 0.83 of samples: the prior came out too large."""
    prior = 0.05 if scenario == CC else 0.12
    world = load("worlds").World(scenario, 0.82, prior, 200, 2000, purity=purity)
    rng, repeats, hits = np.random.default_rng(6), 60, 0
    for _ in range(repeats):
        table = world.table(rng)
        found = pm.estimate_prior(table, method="combined_n")
        assert "PM201" in {remark.code for remark in found.diagnostics}
        hits += world.share_at_hand(table) in found.interval
    assert hits / repeats >= 0.92
