"""Limits of bounded means against rows that are really added."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puremetrics.calibration.gaps import BoundedMean, bounded_reach, joint_reach

Z = 1.959963984540054


@pytest.mark.parametrize(("hits", "rows"), [(0, 20), (1, 50), (7, 20), (20, 20)])
def test_a_proportion_has_the_limits_of_agresti_and_coull(hits, rows):
    share = hits / rows
    part = BoundedMean(rows, share, share * (1 - share) / rows, 0.0, 1.0)
    below, above = bounded_reach(part, 0.95)
    centre = (hits + Z**2 / 2) / (rows + Z**2)
    reach = Z * math.sqrt(centre * (1 - centre) / (rows + Z**2))
    plain = Z * math.sqrt(share * (1 - share) / rows)
    assert below == pytest.approx(max(share - (centre - reach), plain))
    assert above == pytest.approx(max(centre + reach - share, plain))


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.sampled_from([0.8, 0.95]))
def test_rows_at_both_ends_are_added(values, level):
    x = np.array(values)
    part = BoundedMean(x.size, x.mean(), x.var() / x.size, -1.0, 1.0)
    below, above = bounded_reach(part, level)
    z = Z if level == 0.95 else 1.2815515655446004
    weight = np.append(np.ones(x.size), [z**2 / 2, z**2 / 2])
    both = np.append(x, [-1.0, 1.0])
    centre = np.average(both, weights=weight)
    spread = np.average((both - centre) ** 2, weights=weight)
    reach = z * math.sqrt(spread / weight.sum())
    plain = z * math.sqrt(x.var() / x.size)
    assert below == pytest.approx(max(x.mean() - (centre - reach), plain), abs=1e-12)
    assert above == pytest.approx(max(centre + reach - x.mean(), plain), abs=1e-12)


def test_what_the_rest_adds_is_added_in_squares():
    part = BoundedMean(100, 0.2, 0.001, 0.0, 1.0)
    alone = bounded_reach(part, 0.95)
    assert joint_reach(part, 0.001, 0.95) == pytest.approx(alone)
    assert joint_reach(part, 0.0005, 0.95) == pytest.approx(alone)  # never less than its own
    wider = joint_reach(part, 0.003, 0.95)
    assert wider == pytest.approx([math.sqrt(r**2 + Z**2 * 0.002) for r in alone])
