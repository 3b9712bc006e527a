"""Variance over groups: against the definition, Obuchowski's formula, and what duplicates must do."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.sampling.clustered import group_variance
from puremetrics.setting import TwoSamples
from puremetrics.statistics.roc_area import area_influence
from puremetrics.tables.clusters import head_effect
from tests.oracles.groups import area_variances, obuchowski

SCENARIOS = ("case_control", "single_training_set")


def drawn(rng, groups=12, rows=120, alike=0.6, decimals=6):
    group = rng.integers(0, groups, rows)
    y = (rng.random(rows) < 0.25).astype(int)
    y[:4] = 1, 1, 0, 0
    common = rng.normal(size=(groups, 2))[group, y]
    score = y + np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.normal(size=rows)
    return y, np.round(score, decimals), group


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", range(5))
def test_the_variance_is_that_of_sums_over_groups(scenario, seed):
    y, score, group = drawn(np.random.default_rng(seed))
    table = pm.ScoreTable.from_arrays(y, score, scenario=scenario, groups=group)
    samples = TwoSamples(table.cut())
    found = group_variance(samples, *area_influence(samples.heads))
    wanted, alone = area_variances(y, score, group, scenario == "single_training_set")
    assert found.labelled_alone + found.others_alone == pytest.approx(alone, rel=1e-9)
    assert wanted > alone, "below it two degrees of freedom are lent, which another test looks at"
    assert found.total == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_ties_are_averaged_over_cells(seed):
    y, score, group = drawn(np.random.default_rng(seed), decimals=1)
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=group)
    samples = TwoSamples(table.cut())
    found = group_variance(samples, *area_influence(samples.heads))
    wanted, alone = area_variances(y, score, group, False)
    assert wanted > alone
    assert found.total == pytest.approx(wanted, rel=0.03)


def test_a_variance_below_that_of_independent_rows_is_pulled_towards_it():
    rng = np.random.default_rng(8)
    y = np.tile([1, 0], 30)
    shift = np.repeat(rng.normal(size=30), 2)  # both rows of a group move together
    score = y + 5 * shift + 0.1 * rng.normal(size=60)
    group = np.repeat(np.arange(30), 2)
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=group)
    samples = TwoSamples(table.cut())
    found = group_variance(samples, *area_influence(samples.heads))
    wanted, alone = area_variances(y, score, group, False)
    assert wanted < 0.2 * alone
    assert wanted < found.total < 0.3 * alone
    assert found.design_effect < 0.3


@pytest.mark.parametrize("seed", range(6))
def test_fully_labelled_rows_have_obuchowskis_variance(seed):
    rng = np.random.default_rng(100 + seed)
    y, score, group = drawn(rng, groups=30, rows=600, alike=0.7)
    table = pm.ScoreTable.from_arrays(
        y, score, scenario="case_control", unlabeled_label=9, neg_label=0, groups=group
    )
    estimate = pm.roc_auc(table)
    wanted = obuchowski(
        score[y == 1], score[y == 0], group[y == 1].tolist(), group[y == 0].tolist()
    )
    assert estimate.design_effect > 1
    assert estimate.standard_error == pytest.approx(np.sqrt(wanted), rel=0.01)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_copies_of_rows_say_nothing_new(scenario):
    rng = np.random.default_rng(3)
    y, score, _ = drawn(rng, rows=900)
    once = pm.ScoreTable.from_arrays(y, score, scenario=scenario, groups=np.arange(900))
    copies = [np.tile(column, 5) for column in (y, score, np.arange(900))]
    table = pm.ScoreTable.from_arrays(*copies[:2], scenario=scenario, groups=copies[2])
    for estimate in (
        lambda t: pm.roc_auc(t, prior=0.4),
        lambda t: pm.metric(t, "f1", threshold=0.8, prior=0.4),
        lambda t: pm.metric(t, "recall", threshold=0.8, prior=0.4),
        lambda t: pm.average_precision(t, prior=0.4),
    ):
        first, again = estimate(once), estimate(table)
        assert again.value == pytest.approx(first.value, abs=0.01)
        assert again.design_effect == pytest.approx(5, rel=0.05)
        assert again.interval.width == pytest.approx(first.interval.width, rel=0.1)
    naive = pm.roc_auc(pm.ScoreTable.from_arrays(*copies[:2], scenario=scenario), prior=0.4)
    assert naive.interval.width < 0.6 * estimate(once).interval.width + 0.06


def test_a_share_of_one_still_knows_its_groups():
    """All labelled rows reach the threshold, in three groups of forty: that is not 120 rows."""
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(120, int), np.zeros(600, int)]
    group = np.r_[np.repeat([0, 1, 2], 40), np.arange(600) + 10]
    score = np.r_[2 + 0.1 * np.repeat([1, 2, 3], 40) + 1e-3 * rng.random(120), rng.normal(size=600)]
    plain, grouped = (
        pm.metric(
            pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=groups),
            "recall", threshold=1.0, prior=0.2,
        )
        for groups in (None, group)
    )  # fmt: skip
    assert plain.value == grouped.value == 1.0
    assert plain.interval.low > 0.96
    assert grouped.interval.low < 0.75


def test_the_largest_effect_of_heads():
    alone = np.eye(50)
    assert head_effect(alone) == pytest.approx(1.0, abs=0.05)
    assert head_effect(np.repeat(alone, 2, axis=1)) == pytest.approx(2.0, abs=0.1)
    assert head_effect(np.full((4, 1), 10.0)) == 10.0  # nothing varies: groups count as rows


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_intervals_hold_where_those_of_independent_rows_do_not(scenario):
    rng = np.random.default_rng(5)
    held = {True: 0, False: 0}
    for _ in range(150):
        group = np.repeat(np.arange(40), 20)
        truth = rng.random(800) < 0.3
        common = rng.normal(size=(40, 2))[group, truth.astype(int)]
        score = 1.5 * truth + np.sqrt(0.6) * common + np.sqrt(0.4) * rng.normal(size=800)
        if scenario == "single_training_set":
            y = (truth & (rng.random(800) < 0.4)).astype(int)
            rows = slice(None)
        else:
            rows = np.r_[np.arange(800), np.flatnonzero(truth)[::2]]
            y = np.r_[np.zeros(800, int), np.ones(rows.size - 800, int)]
        for grouped in held:
            table = pm.ScoreTable.from_arrays(
                y, score[rows], scenario=scenario, groups=group[rows] if grouped else None
            )
            held[grouped] += 0.8556 in pm.roc_auc(table, prior=0.3).interval
    assert held[True] >= 0.93 * 150 - 5
    assert held[False] < 0.92 * 150
