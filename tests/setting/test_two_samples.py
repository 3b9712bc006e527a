"""The two samples that are compared, their heads and sizes."""

import math

import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from puremetrics.setting import TwoSamples
from tests.small_tables import CC, SINGLE, tables
from tests.strategies import groups, scenarios


def test_heads_and_shares_by_hand():
    heads = TwoSamples(tables()[CC]).heads
    assert heads.pos.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1, 1, 1])
    assert heads.cmp.tolist() == [0, 0, 0.25, 0.5, 0.5, 1, 1]
    assert heads.threshold.tolist() == [math.inf, 5, 4, 3, 2, 1, 0]
    assert TwoSamples(tables()[SINGLE]).shares_at(4) == (2 / 3, 3 / 9)


@given(groups(), scenarios)
def test_shares_at_a_threshold_are_those_of_the_heads(data, scenario):
    samples = TwoSamples(data.table(scenario))
    heads = samples.heads
    for threshold, g, f in zip(heads.threshold, heads.pos, heads.cmp, strict=True):
        assert samples.shares_at(float(threshold)) == pytest.approx((g, f), abs=1e-15)
        assert samples.shares_around(float(threshold)) == [samples.shares_at(float(threshold))] * 2


def test_samples_by_hand():
    both = {name: TwoSamples(table) for name, table in tables().items()}
    assert (both[CC].sizes, both[SINGLE].sizes) == ((3, 4), (3, 9))
    assert (both[CC].shared, both[SINGLE].shared) == (0, 3 / 9)
    assert both[CC].others[0].tolist() == both[CC].cmp.tolist()
    assert both[SINGLE].others[0].tolist() == [0, 1, 1, 0, 3, 1]
    y, weight = np.array([1, 1, 0, 0]), np.array([3.0, 1, 2, 1])
    for name, sizes, shared in (
        (CC, (16 / 10, 9 / 5), 0.0),
        (SINGLE, (16 / 10, 49 / 15), 10 / 15),
    ):
        table = pm.ScoreTable.from_arrays(y, [4, 3, 2, 1], sample_weight=weight, scenario=name)
        assert TwoSamples(table).sizes == pytest.approx(sizes)
        assert TwoSamples(table).shared == pytest.approx(shared)


def test_few_positives_are_said():
    for n, few in ((29, True), (30, False), (31, False)):
        table = pm.ScoreTable.from_groups(positive=range(n), unlabeled=[1], scenario=CC)
        assert bool(TwoSamples(table).few_positives()) is few
