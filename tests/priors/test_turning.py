"""Rankings whose top is not their purest part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics import ScoreTable, estimate_prior
from puremetrics.priors.combined import DOUBTFUL, SURE, Bins, turn_of, without_first


def bins_of(ratios, labelled=40.0):
    pos = np.full(len(ratios), labelled)
    return Bins(pos, pos * np.asarray(ratios), np.linspace(0, 1, len(ratios) + 1))


def log_likelihood(pos, unl, shares):
    return sum(u * np.log(s) + p * np.log(1 - s) for p, u, s in zip(pos, unl, shares, strict=True))


def pooled(pos, unl):
    """Rising fit by its definition: the largest of the smallest means of runs."""
    k = len(pos)

    def mean(a, b):
        return sum(unl[a:b]) / (sum(unl[a:b]) + sum(pos[a:b]))

    return [
        max(min(mean(a, b) for b in range(i + 1, k + 1)) for a in range(i + 1)) for i in range(k)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_gain_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    pos, unl = rng.integers(5, 60, (2, 9)).astype(float)
    bins = Bins(pos, unl, np.linspace(0, 1, 10))
    base = log_likelihood(pos, unl, pooled(pos, unl))
    gains = [0.0]
    for k in range(1, 7):
        falling = pooled(pos[:k][::-1], unl[:k][::-1])[::-1]
        rising = pooled(pos[k:], unl[k:])
        gains.append(log_likelihood(pos, unl, [*falling, *rising]) - base)
    found = turn_of(bins)
    assert found.gain == pytest.approx(max(gains), abs=1e-9)
    assert gains[found.bins] == pytest.approx(max(gains), abs=1e-9)


@given(st.lists(st.floats(0.05, 5), min_size=5, max_size=20))
def test_rising_ratios_have_no_turn(ratios):
    assert turn_of(bins_of(np.sort(ratios))).gain == pytest.approx(0, abs=1e-6)


def test_a_share_among_the_rows_below_is_carried_to_all():
    bins = bins_of([4, 0.2, 0.2, 0.2, 0.2, 0.3, 2, 9, 9, 9])
    left, scale = without_first(bins, 1)
    assert left.above[0] == 0
    assert left.above[-1] == pytest.approx(1)
    among = 0.2 * left.pos.sum() / left.unl.sum()  # of those below, as many as 0.2 of the labelled
    assert scale * among * bins.unl.sum() / bins.pos.sum() == pytest.approx(0.2)
    assert without_first(bins, 0) == (bins, 1.0)


def drawn(seed, labelled, rows=6000, prior=0.15):
    """A quarter of the negatives scores above most positives, the others far below."""
    rng = np.random.default_rng(seed)
    positive = rng.normal(3, 1, labelled)
    kinds = rng.choice(3, rows, p=[prior, 0.25 * (1 - prior), 0.75 * (1 - prior)])
    unlabeled = rng.normal(np.array([3.0, 5.0, -3.0])[kinds], 1)
    return ScoreTable.from_groups(
        positive=positive, unlabeled=unlabeled, scenario="case_control"
    ), float(np.mean(kinds == 0))


def test_rows_above_the_turn_are_left_out():
    table, share = drawn(1, 1000)
    found = estimate_prior(table)
    assert "PM207" in [remark.code for remark in found.diagnostics]
    assert found.prior == pytest.approx(share, abs=0.08)
    assert share in found.interval


def test_doubt_lowers_the_lower_limit():
    held = 0
    for seed in range(20):
        table, share = drawn(seed, 60, rows=1500)
        found = estimate_prior(table)
        held += share in found.interval
    assert held >= 14


@pytest.mark.slow
def test_rankings_that_never_turn_seldom_seem_to():
    rng, gains = np.random.default_rng(3), []
    for _ in range(300):
        v = np.sort(rng.random(12))
        pos = rng.poisson(40, 12) + 1.0
        unl = rng.poisson(40 * (0.2 + v)) + 1.0
        gains.append(turn_of(Bins(pos, unl, np.linspace(0, 1, 13))).gain)
    assert np.mean(np.array(gains) > SURE) <= 0.01
    assert np.mean(np.array(gains) > DOUBTFUL) <= 0.35
