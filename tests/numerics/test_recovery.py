"""Repairs of a path that is no curve, by hand."""

import math

import numpy as np
import pytest

from puremetrics.numerics import monotone as recovery


def test_envelopes_by_hand():
    t = np.array([math.inf, 3.0, 2, 1, 0])
    x, y = np.array([0, -0.2, 0.4, 0.2, 1.0]), np.array([0, 0.4, 0.4, 0.8, 1.0])
    out = recovery.envelope(x, y, t)
    area = float(np.sum(np.diff(out[0]) * (out[1][1:] + out[1][:-1])) / 2)
    # (0, 0.4) to (0.2, 0.4), up to (0.2, 0.8), straight to (1, 1)
    assert area == pytest.approx(0.2 * 0.4 + 0.8 * 0.9)
    assert np.all(np.diff(out[0]) >= 0)
    assert np.all(np.diff(out[1]) >= 0)
    # A slanted segment that dives under the best so far is seen from where it comes up again.
    x, y = np.array([0, 0.0, 0.2, 0.8, 1.0]), np.array([0, 0.6, 0.2, 0.8, 1.0])
    out = recovery.envelope(x, y, t)
    area = float(np.sum(np.diff(out[0]) * (out[1][1:] + out[1][:-1])) / 2)
    assert area == pytest.approx(0.6 * 0.6 + 0.2 * 0.7 + 0.2 * 0.9)
    beyond = recovery.envelope(np.array([0, 0.5, 1.5]), np.array([0, 0.5, 1.5]), t[:3])
    assert beyond[0].max() == beyond[1].max() == 1
    assert (beyond[0][-1], beyond[1][-1]) == (1, 1)
    x, y, _ = recovery.projection(np.array([0, 0.4, 0.2, 1.0]), np.array([0, 0.5, 0.6, 1.0]), t[:4])
    assert x.tolist() == pytest.approx([0, x[1], x[1], 1])
    assert 0.2 < x[1] < 0.4
    assert y.tolist() == pytest.approx([0, 0.5, 0.6, 1])


def test_repairs_by_hand():
    t = np.array([math.inf, 3.0, 2, 1, 0])
    x, y = np.array([0, 0.0, 0.6, 0.3, 1.0]), np.array([0, 0.2, 0.5, 0.9, 1.0])
    out = recovery.envelope(x, y, t)
    assert out[0] == pytest.approx([0, 0, 0.3, 0.3, 0.3, 1])
    assert out[1] == pytest.approx([0, 0.2, 0.35, 0.5, 0.9, 1])
    assert out[2].tolist() == [math.inf, 3, 2, 2, 1, 0]
    x, y = np.array([0, -5e-4, 0.5, 1.0]), np.array([0, 0.5, 0.75, 1.0])
    out = recovery.envelope(x, y, t[:4])
    assert out[0] == pytest.approx([0, 0, 0, 0.5, 1])
    assert out[1] == pytest.approx([0, 0.5, 0.5 + 0.25 * 5e-4 / 0.5005, 0.75, 1])
    x, y = np.array([0, 0.4, 0.2, 0.7, 1.0]), np.array([0, 0.5, 0.3, 0.8, 1.0])
    fitted = recovery.projection(x, y, t)
    pooled = (0.15 * 0.5 + 0.2 * 0.3) / 0.35
    assert fitted[1] == pytest.approx([0, pooled, pooled, 0.8, 1])
    left, right = pooled / 2, (0.8 - pooled) / 2
    together = (left * 0.4 + right * 0.2) / (left + right)
    assert fitted[0] == pytest.approx([0, together, together, 0.7, 1])


def test_paths_that_leave_the_square_are_cut_where_they_cross_its_border():
    t = np.array([math.inf, 2.0, 1])
    over = np.array([0, 0.5, 1.5]), np.array([0, 0.5, 1.0])
    for flip in (1, -1):  # beyond 1 along either axis
        x, y = over[::flip]
        out = recovery._clip_to_square(x, y, t)
        assert out[0].tolist() == pytest.approx([[0, 0.5, 1, 1], [0, 0.5, 0.75, 1]][flip < 0])
        assert out[1].tolist() == pytest.approx([[0, 0.5, 0.75, 1], [0, 0.5, 1, 1]][flip < 0])
        assert out[2].tolist() == [math.inf, 2, 1, 1]
    under = np.array([-0.5, 0.5, 1]), np.array([0, 0.5, 1.0])
    out = recovery._clip_to_square(*under, t)
    assert out[0].tolist() == pytest.approx([0, 0, 0.5, 1])
    assert out[1].tolist() == pytest.approx([0, 0.25, 0.5, 1])
