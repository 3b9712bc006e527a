"""Corrected curves: possible ones, with the areas that are reported."""

import math

import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from puremetrics.correction.curves import _join_corners, precision_of
from tests.correction.cases import TOLERANCE, cases


@given(cases())
def test_curve_and_area_agree_and_curve_is_possible(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    for method in ("indirect", "projected"):
        estimate = pm.roc_auc(table, prior=prior, purity=purity, method=method)
        curve = pm.roc_curve(table, prior=prior, purity=purity, method=method)
        assert curve.area == estimate.value == estimate.curve.area
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
        for values in (curve.x, curve.y):
            assert values.min() >= 0
            assert values.max() <= 1
            assert np.all(np.diff(values) >= -TOLERANCE)
        precision = pm.pr_curve(table, prior=prior, purity=purity, method=method)
        average = pm.average_precision(table, prior=prior, purity=purity, method=method)
        assert precision.area == average.value
        assert 0 <= average.value <= 1 + TOLERANCE
        assert np.all((precision.y >= 0) & (precision.y <= 1 + TOLERANCE))
        assert estimate.interval.low <= estimate.value <= estimate.interval.high


def test_curves_are_joined_to_both_corners():
    x, y, t = np.array([0.0, 0.5]), np.array([0.2, 0.9]), np.array([3.0, 2])
    joined = _join_corners(x, y, t)
    assert [part.tolist() for part in joined] == [
        [0, 0, 0.5, 1], [0, 0.2, 0.9, 1], [math.inf, 3, 2, 2]
    ]  # fmt: skip
    for whole in (([0.0, 1], [0.0, 1]), ([0.0, 0.3, 1], [0.0, 0.6, 1])):
        again = _join_corners(*map(np.array, whole), np.arange(float(len(whole[0]))))
        assert (again[0].tolist(), again[1].tolist()) == whole
    # A curve may miss a corner along one axis only.
    late = _join_corners(np.array([0.1, 1.0]), np.array([0, 0.8]), t)
    assert late[0].tolist() == [0, 0.1, 1, 1]
    assert late[1].tolist() == [0, 0, 0.8, 1]


def test_precision_of_rates_by_hand():
    found = precision_of(np.array([0, 0, 0.5]), np.array([0, 0.5, 1]), 0.25)
    assert found == pytest.approx([1, 1, 0.25 / (0.25 + 0.375)])
