"""A setting: what is assumed about a table, stated once."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.setting import Setting
from tests.small_tables import CC, SINGLE, tables


def test_a_setting_by_hand():
    setting = Setting.of(tables()[SINGLE], 0.5, 0.9, 0.8)
    assert (setting.prior, setting.purity, setting.level) == (0.5, 0.9, 0.8)
    assert (setting.share, setting.gap) == pytest.approx((0.5, 0.4))
    assert setting.gaps == pytest.approx((0.4, 0.4))
    assert setting.unlabeled_share == pytest.approx((0.5 * 9 - 0.9 * 3) / 4)
    assert setting.population_size == 9
    assert setting.scenario == SINGLE
    assert setting.kind == "confidence"
    assert setting.points() == [setting]
    interval = setting.interval(0.1, 0.2, "x")
    assert interval == pm.Interval(0.1, 0.2, 0.8, "confidence", "x")


def test_a_range_makes_points_and_combined_intervals():
    setting = Setting.of(tables()[CC], (0.1, 0.3))
    assert setting.kind == "combined"
    points = setting.points()
    assert points[0].prior == setting.prior == pytest.approx(0.2)
    assert {point.prior for point in points} >= {0.1, 0.3}
    assert all(point.assumed.is_point for point in points)
    assert setting.gaps == pytest.approx((0.7, 0.9))
    assert setting.with_level(0.5).level == 0.5
    assert setting.at(0.25).prior == 0.25
    assert setting.at(0.25, 0.7).purity == 0.7


def test_the_same_assumptions_about_another_table():
    first, second = tables()[CC], tables()[CC].flipped()
    moved = Setting.of(first, 0.2).on(second)
    assert moved.table is second
    assert moved.ranked.equals(second.cut())
    assert moved.rows.table is second
    assert moved.prior == 0.2
    cut = Setting.of(first, 0.2).on(first.cut())
    assert cut.samples is cut.rows


def test_rows_are_as_given_and_ranks_are_cut():
    table = pm.ScoreTable.from_groups(positive=[3], unlabeled=np.arange(10.0), scenario=CC)
    setting = Setting.of(table, 0.2)
    assert setting.rows.table is table
    assert setting.ranked.score.size < table.score.size
    assert setting.heads.pos.size == setting.ranked.score.size + 1


def test_naive_settings_take_unlabeled_rows_as_negative():
    for table in tables().values():
        setting = Setting.naive(table, 0.95)
        assert setting.table.totals == (3, 0, 6)
        assert setting.prior == pytest.approx(3 / 9)
        assert setting.purity == 1


def test_levels_are_checked():
    for wrong in (95, 0, 1, "x", np.nan):
        with pytest.raises(InputError):
            Setting.of(tables()[CC], 0.2, confidence_level=wrong)
