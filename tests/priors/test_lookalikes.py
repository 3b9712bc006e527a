"""What is likely where some negatives may look like positives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics import ScoreTable, estimate_prior
from puremetrics.priors.lookalikes import EXPECTED, MOST, likely_share, overlap, upper_reach
from puremetrics.priors.samples import Samples

shares = st.floats(0.0, 1.0)


@given(st.tuples(shares, shares, shares).map(sorted), st.floats(0, 0.5))
def test_the_estimate_lies_inside_and_limits_only_move_outwards_or_down(ends, apart):
    low, share, high = ends
    found = likely_share(share, low, high, apart)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found.share <= share + 1e-12
    assert found.low <= max(low, share / 50) + 1e-12
    assert found.high <= high + 1e-12
    assert found.lookalikes == pytest.approx(MOST * apart)


@given(st.tuples(shares, shares, shares).map(sorted))
def test_nothing_is_allowed_for_where_classes_part(ends):
    low, share, high = ends
    found = likely_share(share, low, high, 0.0)
    assert found.share == pytest.approx(share)
    assert found.low == pytest.approx(min(max(low, share / 50), share))
    assert found.high == pytest.approx(high)


def test_more_labels_leave_more_of_the_upper_distance():
    for apart in (0.0, 0.1, 0.4):
        found = [upper_reach(labels, apart, 4 * apart) for labels in (1, 30, 100, 1000, 1e9)]
        assert found[0] == found[1] == pytest.approx(0.8 * (1 - min(2 * apart, 0.45)))
        assert found == sorted(found)
        assert found[-1] == pytest.approx(1.08, abs=1e-4)
    assert upper_reach(30, 0.3, 0.5) < upper_reach(30, 0.1, 0.3) < upper_reach(30, 0.0, 0.0)


def test_a_share_that_stands_out_needs_less_of_the_upper_distance():
    found = [upper_reach(100, 0.02, share) for share in (0.02, 0.08, 0.12, 0.24, 0.4, 0.5, 0.9)]
    assert found[0] == found[1] > found[2] > found[3] < found[4] < found[5] == found[6] == found[0]
    assert found[3] == pytest.approx(0.7 * found[0])


def test_expected_look_alikes_are_a_mean_over_those_that_are_possible():
    share, apart = 0.1, 0.3
    rho = np.linspace(0, share, 100_001)
    weight = np.exp(-rho / (EXPECTED * apart))
    mean = float(np.sum(rho * weight) / np.sum(weight))
    found = likely_share(share, 0.05, 0.2, apart).share
    assert found == pytest.approx((share - mean) / (1 - mean), abs=1e-5)


def test_overlap_is_one_less_the_corrected_area():
    rng = np.random.default_rng(0)
    positive, unlabeled = rng.normal(1, 1, 80), rng.normal(0.2, 1, 300)
    wins = np.mean(positive[:, None] > unlabeled[None, :])
    table = ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario="case_control")
    found = overlap(Samples.of(table), 0.2)
    assert found == pytest.approx(1 - (0.5 + (wins - 0.5) / 0.8))


def test_three_statements_are_kept_apart():
    rng = np.random.default_rng(1)
    positive = rng.normal(1.5, 1, 300)
    unlabeled = np.concatenate([rng.normal(1.5, 1, 400), rng.normal(0, 1, 1600)])
    table = ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario="case_control")
    found = estimate_prior(table)
    assert found.certain.low == 0
    assert found.certain.high == found.upper_limit > found.separable > found.prior
    assert found.interval.kind == "combined"
    assert found.interval.low < found.prior < found.interval.high <= found.upper_limit
    assert 0 < found.lookalikes < 0.5
