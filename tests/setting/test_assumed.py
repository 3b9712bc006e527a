"""Priors and purities of every form, checked against the table."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import NotIdentifiableError, PriorError
from puremetrics.setting.assumed import purity_range, resolve
from tests.small_tables import CC, SINGLE, tables


def test_priors_are_resolved_by_hand():
    table = tables()[SINGLE]
    low, high = 3 / 9, 7 / 9
    known = resolve(table, (low, 0.6))
    assert (known.low, known.high, known.value) == (low, 0.6, pytest.approx((low + 0.6) / 2))
    assert not known.is_point
    priors, purities = known.arrays()
    assert priors[0] == known.value
    assert sorted(priors) == pytest.approx(np.linspace(low, 0.6, 17))
    assert np.all(purities == 1)
    one = resolve(table, 0.5)
    assert one.is_point
    assert one.pairs == ((0.5, 1.0),)
    # A little rounding is forgiven and cut, more is not.
    assert resolve(table, low - 5e-10).value == low
    assert resolve(table, high + 5e-10).value == pytest.approx(high, abs=1e-15)
    for prior in (
        low - 2e-9,
        high + 2e-9,
    ):  # a sample may be unlike its population, not unlike itself
        assert resolve(table, prior).value == prior
        assert [d.code for d in resolve(table, prior).diagnostics] == ["PM114"]
        with pytest.raises(PriorError):
            resolve(table, prior, prior_of="rows")
    for prior in (1e-6, -0.1, 1.1, (0.6, 0.5), (0.4, 0.5, 0.6), "x", None):
        with pytest.raises(PriorError):
            resolve(table, prior)
    for prior, purity in ((0.5, 0.5), (0.5, 0.4), (0.0, 0.0)):
        with pytest.raises(NotIdentifiableError):
            resolve(tables()[CC], prior, purity)
    assert resolve(tables()[CC], 0.5, 0.6).purity == 0.6
    assert [d.code for d in resolve(tables()[CC], 0.5).diagnostics] == ["PM106"]
    assert not one.diagnostics
    interval = pm.Interval(0.2, 0.9, 0.95, "confidence", "x")
    cut = resolve(table, pm.PriorEstimate(0.25, interval))
    assert (cut.low, cut.value) == (low, low)
    assert cut.high == pytest.approx(high)
    assert [d.code for d in cut.diagnostics] == ["PM108"]
    inside = pm.PriorEstimate(0.5, pm.Interval(0.4, 0.6, 0.95, "confidence", "x"), purity=0.9)
    found = resolve(table, inside)
    assert (found.low, found.value, found.high, found.purity) == (0.4, 0.5, 0.6, 0.9)
    assert not found.diagnostics
    assert resolve(table, inside, 0.8).purity == 0.8
    labels = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=None, negative=[1], scenario=CC)
    assert resolve(labels, None, 0.9).value == pytest.approx(0.6)


def test_results_echo_the_share_with_noisy_labels():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 3, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="single_training_set"
    )
    estimate = pm.roc_auc(table, prior=0.5, purity=0.75)
    assert estimate.unlabeled_share == pytest.approx((0.5 * 10 - 0.75 * 4) / 6)
    assert resolve(table, (0.4, 0.6)).value == 0.5


def test_a_given_purity_wins_over_that_of_the_estimate():
    table = tables()[CC]
    noisy = pm.PriorEstimate(0.3, purity=0.8)
    assert resolve(table, noisy).purity == 0.8
    assert resolve(table, noisy, 0.9).purity == 0.9
    assert resolve(table, noisy, 1.0).clean
    assert resolve(table, 0.3).clean
    assert not resolve(table, noisy).clean
    assert pm.roc_auc(table, prior=noisy) == pm.roc_auc(table, prior=0.3, purity=0.8)
    assert pm.roc_auc(table, prior=noisy, purity=1.0) == pm.roc_auc(table, prior=0.3)


def test_ranges_of_prior_and_purity_span_all_pairs():
    table = tables()[CC]
    known = resolve(table, (0.1, 0.3), (0.8, 1.0))
    assert (known.value, known.purity) == pytest.approx((0.2, 0.9))
    assert known.pairs[0] == (known.value, known.purity)
    priors, purities = known.arrays()
    corners = {(0.1, 0.8), (0.1, 1.0), (0.3, 0.8), (0.3, 1.0)}
    assert corners <= {(round(p, 12), round(b, 12)) for p, b in known.pairs}
    assert (priors.min(), priors.max()) == (0.1, 0.3)
    assert (purities.min(), purities.max()) == (0.8, 1.0)
    assert not known.is_point
    assert known.placed == tuple((number, ()) for number in range(len(known.pairs)))
    assert known.is_range
    assert purity_range((0.8, 0.9)) == pytest.approx((0.85, 0.8, 0.9))
    assert purity_range(pm.Interval(0.8, 0.9, 0.95, "confidence", "x"))[1:] == (0.8, 0.9)
    for wrong in ((0.9, 0.8), (0.1, 0.2, 0.3), "x", 1.5, (0.5, 1.5)):
        with pytest.raises(PriorError):
            purity_range(wrong)


def test_pairs_that_are_impossible_together_are_left_out_and_that_is_said():
    # Three of nine rows are labelled: with prior 0.3 at most a share 0.9 of them can be positive.
    table = tables()[SINGLE]
    known = resolve(table, 0.3, (0.8, 1.0), "rows")
    assert [d.code for d in known.diagnostics] == ["PM109"]
    assert known.purity_low == 0.8
    assert known.purity_high <= 0.9
    for prior, purity in known.pairs:
        low, high = table.design.prior_limits(table.totals, purity)
        assert low - 1e-9 <= prior <= high + 1e-9


@pytest.mark.parametrize("name", [CC, SINGLE])
def test_a_range_of_the_purity_holds_the_results_at_its_points(name):
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 60), unlabeled=rng.normal(0, 1, 300), scenario=name
    )
    wide = {"prior": 0.4, "purity": (0.8, 1.0)}
    for call in (
        pm.roc_auc,
        pm.average_precision,
        lambda t, **known: pm.metric(t, "f1", threshold=0.5, **known),
    ):
        whole = call(table, **wide)
        assert whole.interval.kind == "combined"
        for purity in (0.8, 0.85, 0.9, 0.97, 1.0):
            one = call(table, prior=0.4, purity=purity)
            assert whole.interval.low <= one.value <= whole.interval.high
            assert whole.interval.width >= one.interval.width - 1e-3
