"""Both likelihood estimates against Table 1 of Lim and Won, and numerical solvers."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from puremetrics.correction.hull import height
from tests.oracles import limwon
from tests.small_tables import CC
from tests.strategies import groups


def table_1():
    pos = [row.score for row in limwon.TABLE_1 if row.label == 1]
    neg = [row.score for row in limwon.TABLE_1 if row.label == 0]
    return pm.ScoreTable.from_groups(
        positive=pos, unlabeled=None, negative=neg, scenario="case_control"
    )


def test_table_1_to_four_decimals_in_all_columns():
    ours = pm.hull_likelihood(table_1())
    columns = {
        "score": ours.score,
        "s_nd": ours.empirical_other,
        "s_d": ours.empirical_pos,
        "s_d_lcm": ours.conditional_pos,
        "posterior": ours.posterior,
        "odds": ours.odds,
        "f_nd_lloyd": ours.density_other,
        "f_d_lloyd": ours.density_pos,
        "s_nd_lloyd": ours.lloyd_other,
        "s_d_lloyd": ours.lloyd_pos,
    }
    for name, column in columns.items():
        expected = np.array([getattr(row, name) for row in limwon.TABLE_1])
        assert np.array_equal(np.isinf(column), np.isinf(expected))
        fine = np.isfinite(expected)
        assert np.abs(column[fine] - expected[fine]).max() <= 0.5e-4 + 1e-9, name


@given(groups(unlabeled=False, max_size=5))
def test_both_estimates_maximise_their_likelihood(data):
    table = data.table("case_control")
    ours = pm.hull_likelihood(table)
    both = limwon.unconditional_npmle(data.pos, data.neg)
    pos = np.array([data.pos.count(s) for s in ours.score])
    neg = np.array([data.neg.count(s) for s in ours.score])
    value = likelihood(pos, ours.density_pos) + likelihood(neg, ours.density_other)
    assert value == pytest.approx(both.log_likelihood, abs=1e-5)
    assert ours.density_pos.sum() == pytest.approx(1, abs=1e-12)
    assert ours.density_other.sum() == pytest.approx(1, abs=1e-12)


def likelihood(counts, density):
    used = counts > 0
    return float(np.dot(counts[used], np.log(density[used])))


def test_the_conditional_estimate_maximises_its_likelihood():
    rng = np.random.default_rng(0)
    for _ in range(10):
        pos = sorted(map(float, rng.integers(0, 8, 6)))
        neg = sorted(map(float, rng.integers(0, 6, 5)))
        fit = limwon.conditional_npmle(pos, neg)
        table = pm.ScoreTable.from_groups(
            positive=pos, unlabeled=None, negative=neg, scenario="case_control"
        )
        hull = pm.roc_hull(table)
        # Cells of Eq. (14): positives between neighbouring negative scores, on the hull.
        cuts = sorted(set(neg))
        above = [sum(s > c for s in neg) / len(neg) for c in cuts]
        heights = height(hull.fpr, hull.tpr, np.array(above))
        mass = -np.diff(np.concatenate([[1.0], heights, [0.0]]))
        counts = [sum(s <= cuts[0] for s in pos)]
        counts += [sum(a < s <= b for s in pos) for a, b in pairwise(cuts)]
        counts.append(sum(s > cuts[-1] for s in pos))
        value = likelihood(np.array(counts), mass)
        assert value == pytest.approx(fit.log_likelihood, abs=1e-5)


def test_likelihood_estimates_by_hand():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario=CC
    )
    found = pm.hull_likelihood(table)  # blocks {5, 4}, {3, 2}, {1, 0}
    assert found.odds.tolist() == [math.inf, math.inf, 1, 1, 0, 0]
    # With as many positives as others, a block of posterior π gives each row's mass to them as
    # π and 1 − π, over 3.
    assert found.density_pos == pytest.approx(np.array([1, 1, 0.5, 0.5, 0, 0]) / 3)
    assert found.density_other == pytest.approx(np.array([0, 0, 0.5, 0.5, 1, 1]) / 3)
    assert found.lloyd_pos == pytest.approx(np.array([0, 1, 2, 2.5, 3, 3]) / 3)
    assert found.lloyd_other == pytest.approx(np.array([0, 0, 0, 0.5, 1, 2]) / 3)
    assert found.empirical_pos == pytest.approx(np.array([0, 1, 2, 2, 3, 3]) / 3)
    assert found.empirical_other == pytest.approx(np.array([0, 0, 0, 1, 1, 2]) / 3)
    # The hull rises to 2/3 at once, and is 1 from 1/3 on.
    assert found.conditional_pos == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1, 1, 1])
