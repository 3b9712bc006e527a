"""The two scenarios by hand: which rows are compared with the positives, and what a prior means."""

import pytest

import puremetrics as pm
from puremetrics import scenario
from puremetrics.exceptions import NotIdentifiableError, PriorError

CC, SINGLE = "case_control", "single_training_set"


def tables():
    groups = {"positive": [5, 4, 2], "unlabeled": [4, 3, 1, 1], "negative": [1, 0]}
    return {s: pm.ScoreTable.from_groups(**groups, scenario=s) for s in (CC, SINGLE)}


def test_the_two_scenarios_by_hand():
    both = tables()
    labelled = pm.ScoreTable.from_groups(
        positive=[3, 2], unlabeled=None, negative=[1, 0, 0], scenario=CC
    )
    counts = {s: scenario.comparison_counts(t)[0].tolist() for s, t in both.items()}
    assert counts == {CC: [0, 1, 1, 0, 2, 0], SINGLE: [1, 2, 1, 1, 3, 1]}
    assert scenario.comparison_counts(labelled)[0].tolist() == [0, 0, 1, 2]
    cases = {CC: (both[CC], 4, 4, 0.3, 0.3), SINGLE: (both[SINGLE], 9, 9, 0.3, 0.5),
             "labels": (labelled, 3, 5, 0.0, None)}  # fmt: skip
    for table, total, size, share, _ in cases.values():
        assert scenario.comparison_total(table) == total
        assert scenario.population_size(table) == size
        assert scenario.comparison_share(table, 0.3) == share
    assert scenario.comparison_head(both[CC], (1, 2, 4)) == 2
    assert scenario.comparison_head(both[SINGLE], (1, 2, 4)) == 7
    assert scenario.comparison_head(labelled, (1, 0, 4)) == 4
    assert scenario.unlabeled_share(both[SINGLE], 5 / 9) == pytest.approx(0.5)
    assert scenario.unlabeled_share(both[SINGLE], 5 / 9, 0.5) == pytest.approx(0.875)
    assert scenario.unlabeled_share(both[SINGLE], 0.1) == 0
    assert scenario.unlabeled_share(both[SINGLE], 0.9) == 1
    assert scenario.unlabeled_share(labelled, 0.3) is None
    assert scenario.population_prior(both[SINGLE], 0.5, 0.5) == pytest.approx(3.5 / 9)
    assert scenario.prior_limits(both[CC]) == (0.0, 1.0)
    assert scenario.prior_limits(both[SINGLE]) == pytest.approx((3 / 9, 7 / 9))


def test_priors_are_resolved_by_hand():
    table = tables()[SINGLE]
    low, high = 3 / 9, 7 / 9
    known = scenario.resolve_prior(table, (low, 0.6))
    assert (known.low, known.high, known.value) == (low, 0.6, pytest.approx((low + 0.6) / 2))
    assert not known.is_point
    assert known.points(3).tolist() == pytest.approx([low, (low + 0.6) / 2, 0.6])
    one = scenario.resolve_prior(table, 0.5)
    assert one.is_point
    assert one.points().tolist() == [0.5]
    # A little rounding is forgiven and cut, more is not.
    assert scenario.resolve_prior(table, low - 5e-10).value == low
    assert scenario.resolve_prior(table, high + 5e-10).value == pytest.approx(high, abs=1e-15)
    for prior in (low - 2e-9, high + 2e-9, -0.1, 1.1, (0.6, 0.5), (0.4, 0.5, 0.6), "x", None):
        with pytest.raises(PriorError):
            scenario.resolve_prior(table, prior)
    for prior, purity in ((0.5, 0.5), (0.5, 0.4), (0.0, 0.0)):
        with pytest.raises(NotIdentifiableError):
            scenario.resolve_prior(tables()[CC], prior, purity)
    assert scenario.resolve_prior(tables()[CC], 0.5, 0.6).purity == 0.6
    assert [d.code for d in scenario.resolve_prior(tables()[CC], 0.5).diagnostics] == ["PM106"]
    assert not one.diagnostics
    interval = pm.Interval(0.2, 0.9, 0.95, "confidence", "x")
    cut = scenario.resolve_prior(table, pm.PriorEstimate(0.25, interval))
    assert (cut.low, cut.value) == (low, low)
    assert cut.high == pytest.approx(high)
    assert [d.code for d in cut.diagnostics] == ["PM108"]
    inside = pm.PriorEstimate(0.5, pm.Interval(0.4, 0.6, 0.95, "confidence", "x"), purity=0.9)
    found = scenario.resolve_prior(table, inside)
    assert (found.low, found.value, found.high, found.purity) == (0.4, 0.5, 0.6, 0.9)
    assert not found.diagnostics
    assert scenario.resolve_prior(table, inside, 0.8).purity == 0.8
    labels = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=None, negative=[1], scenario=CC)
    assert scenario.resolve_prior(labels, None, 0.9).value == pytest.approx(0.6)


def test_squared_weights_of_the_comparison_sample_by_hand():
    y, weight = [1, 1, 0, 0, -1], [1.0, 2, 3, 1, 2]
    for name, total in ((CC, 10.0), (SINGLE, 19.0)):
        table = pm.ScoreTable.from_arrays(
            y, [5, 4, 3, 2, 1], sample_weight=weight, neg_label=-1, scenario=name
        )
        assert scenario.comparison_counts(table)[1].sum() == total


def test_a_single_unlabeled_row_is_the_comparison_sample():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=[2], negative=[1, 0], scenario=CC)
    assert scenario.comparison_total(table) == scenario.population_size(table) == 1
    assert scenario.comparison_head(table, (1, 1, 0)) == 1
    assert scenario.comparison_counts(table)[0].tolist() == [0, 1, 0, 0]
    assert scenario.comparison_share(table, 0.2) == 0.2
    # It is what positives are compared with, so the known negatives are not, and that is said.
    assert [d.code for d in scenario.resolve_prior(table, 0.2).diagnostics] == ["PM106"]
    alone = pm.ScoreTable.from_groups(positive=[3], unlabeled=[2], scenario=CC)
    assert not scenario.resolve_prior(alone, 0.2).diagnostics
