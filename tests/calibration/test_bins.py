"""Bins and power sums against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics import ScoreTable
from puremetrics.calibration.bins import (
    BINNINGS,
    bin_edges,
    check_probabilities,
    possible_top,
    reduce_to_bins,
)
from puremetrics.exceptions import InputError, ScoreError, UnsupportedError
from tests.calibration.cases import probability_groups
from tests.oracles import kiryo
from tests.strategies import Groups, scenarios


def as_counts(data: Groups, scenario: str) -> ScoreTable:
    """The same rows through counts, which takes the other path."""
    scores = sorted({*data.pos, *data.unl, *data.neg})
    counts = [[rows.count(s) for s in scores] for rows in data]
    return ScoreTable.from_counts(
        scores, n_pos=counts[0], n_unl=counts[1], n_neg=counts[2], scenario=scenario
    )


@given(probability_groups(), scenarios, st.integers(1, 15))
def test_equal_mass_edges_are_the_papers_order_statistics(data, scenario, n_bins):
    expected = kiryo.edges(*data, scenario, 0.3, 1, n_bins, "mass")
    distinct = sorted({u for u in expected[1:] if u >= 0})
    for table in (data.table(scenario), as_counts(data, scenario)):
        assert bin_edges(table, "mass", n_bins).tolist() == distinct


@given(probability_groups(), scenarios, st.integers(1, 15))
def test_balanced_edges_share_out_both_samples(data, scenario, n_bins):
    expected = kiryo.edges(*data, scenario, 0.3, 1, n_bins, "balanced")
    for table in (data.table(scenario), as_counts(data, scenario)):
        assert bin_edges(table, "balanced", n_bins).tolist() == sorted(set(expected[1:]))


@given(probability_groups(unlabeled=False), st.integers(1, 9))
def test_balanced_edges_of_fully_labelled_rows_weigh_them_to_the_population(data, n_bins):
    """In fully labelled case-control data the population is 0.3 of one sample and 0.7 of the other."""
    expected = kiryo.edges(*data, "case_control", 0.3, 1, n_bins, "balanced")
    for table in (data.table("case_control"), as_counts(data, "case_control")):
        assert bin_edges(table, "balanced", n_bins, 0.3).tolist() == sorted(set(expected[1:]))


@given(probability_groups(), scenarios)
def test_the_possible_top_is_the_same_whatever_holds_the_rows(data, scenario):
    top = possible_top(data.table(scenario))
    assert top == possible_top(as_counts(data, scenario))
    assert max(*data.pos, *data.unl, *data.neg) <= top <= 1


def test_the_possible_top_by_hand():
    logits = np.append(np.linspace(-6, -3, 30), [-2.5, -2.0])
    unlabeled = 1 / (1 + np.exp(-logits))
    low = ScoreTable.from_groups(positive=[0.01], unlabeled=unlabeled, scenario="case_control")
    # Ten rows exceed the eleventh from above, which has logit -3 - 8·3/29.
    expected = -2 + 2 * (-2 - (-3 - 8 * 3 / 29))
    assert possible_top(low) == pytest.approx(1 / (1 + np.exp(-expected)), rel=1e-12)
    high = ScoreTable.from_groups(positive=[0.99], unlabeled=unlabeled, scenario="case_control")
    assert possible_top(high) == 0.99
    tied = ScoreTable.from_groups(
        positive=[0.1], unlabeled=[0.1] * 5 + [0.2] * 40, scenario="case_control"
    )
    odds = (0.2 / 0.8) ** 3 / (0.1 / 0.9) ** 2
    assert possible_top(tied) == pytest.approx(odds / (1 + odds))


@given(probability_groups(), scenarios, st.integers(1, 9), st.sampled_from(BINNINGS))
def test_power_sums_equal_plain_counting(data, scenario, n_bins, binning):
    for table in (data.table(scenario), as_counts(data, scenario)):
        upper = bin_edges(table, binning, n_bins)
        moments = reduce_to_bins(table, upper)
        for group, rows in enumerate(data):
            for power in range(3):
                expected = np.zeros(upper.size)
                for s in rows:
                    expected[np.searchsorted(upper, s)] += s**power
                assert moments.sums[group, power] == pytest.approx(expected, abs=1e-13)


@given(probability_groups(), scenarios)
def test_weights_are_repetitions(data, scenario):
    labels, score = data.arrays()
    weight = np.arange(len(score)) % 3 + 1
    weighted = ScoreTable.from_arrays(
        labels, score, scenario=scenario, sample_weight=weight, neg_label=-1
    )
    repeated = ScoreTable.from_arrays(
        np.repeat(labels, weight), np.repeat(score, weight), scenario=scenario, neg_label=-1
    )
    for binning in BINNINGS:
        upper = bin_edges(weighted, binning, 4)
        assert upper.tolist() == bin_edges(repeated, binning, 4).tolist()
        sums = reduce_to_bins(weighted, upper).sums
        assert sums == pytest.approx(reduce_to_bins(repeated, upper).sums, abs=1e-12)


def test_a_score_of_zero_is_in_the_first_bin_even_alone():
    table = ScoreTable.from_groups(
        positive=[0.5], unlabeled=[0.0, 0.0, 0.0, 0.4], scenario="case_control"
    )
    upper = bin_edges(table, "mass", 4)
    assert upper.tolist() == [0.0, 1.0]
    assert reduce_to_bins(table, upper).comparison[0].tolist() == [3.0, 1.0]


def test_scores_that_are_no_probabilities_are_refused():
    table = ScoreTable.from_groups(
        positive=[7.3, 0.2], unlabeled=[-4.1, 0.5], scenario="case_control"
    )
    with pytest.raises(ScoreError, match=r"needs probabilities, but scores span \[-4.1, 7.3\]"):
        check_probabilities(table, "calibration_error")
    fine = ScoreTable.from_groups(positive=[0.2], unlabeled=[0.5], scenario="case_control")
    with pytest.raises(UnsupportedError, match="before cut"):
        check_probabilities(fine.cut(), "calibration_error")
    with pytest.raises(InputError, match="binning='depth' is unknown"):
        bin_edges(fine, "depth", 3)
