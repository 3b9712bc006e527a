"""The corrected area against oracles written from Jain's definitions on raw rows, and by hand."""

import math

import numpy as np
import pytest
from hypothesis import assume, given

import puremetrics as pm
from puremetrics.sampling.bounded import mean_reaches
from puremetrics.sampling.limits import linear_variance
from puremetrics.setting import Setting, TwoSamples
from puremetrics.statistics import roc_area as areas
from puremetrics.statistics.precision_area import without_variance
from tests.correction.cases import TOLERANCE, cases
from tests.oracles import jain
from tests.small_tables import CC, SINGLE, tables


@given(cases())
def test_direct_and_indirect_auc_equal_the_oracles(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    known = {"scenario": scenario, "prior": prior, "purity": purity}
    scale = 1 / (purity - prior) ** 2
    direct = pm.roc_auc(table, prior=prior, purity=purity, method="direct")
    assert direct.value == pytest.approx(
        float(jain.auc_direct(*data, **known)), abs=TOLERANCE * scale
    )
    indirect = pm.roc_auc(table, prior=prior, purity=purity, method="indirect")
    oracle = float(jain.auc_envelope(*data, **known))
    assert indirect.value == pytest.approx(oracle, abs=TOLERANCE * scale)


def test_indirect_is_algorithm_1_with_many_rows():
    rng = np.random.default_rng(3)
    pos, unl = rng.normal(1.5, 1, 300), rng.normal(0, 1, 4000) + 1.5 * (rng.random(4000) < 0.3)
    data = [list(map(float, pos)), list(map(float, unl)), []]
    for purity in (1.0, 0.9):
        known = {"scenario": "case_control", "prior": 0.3, "purity": purity}
        literal = _algorithm_1(pos, unl, 0.3, purity)
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
        ours = pm.roc_auc(table, prior=0.3, purity=purity).value
        assert ours == pytest.approx(literal, abs=2e-3)
    assert float(jain.auc_direct(data[0][:40], data[1][:200], [], **known)) < 1.2


def _algorithm_1(pos, unl, prior, purity):
    thresholds = np.sort(np.concatenate([pos, unl]))[::-1]
    g = (pos[None] >= thresholds[:, None]).mean(1)
    f = (unl[None] >= thresholds[:, None]).mean(1)
    tpr = ((1 - prior) * g - (1 - purity) * f) / (purity - prior)
    fpr = (purity * f - prior * g) / (purity - prior)
    inside = (tpr >= 0) & (tpr <= 1) & (fpr >= 0) & (fpr <= 1)
    order = np.lexsort((tpr[inside], fpr[inside]))
    x = np.concatenate([[0], fpr[inside][order], [1]])
    y = np.maximum.accumulate(np.concatenate([[0], tpr[inside][order], [1]]))
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


def test_caption_of_figure_4_is_wrong_and_equation_4_is_right():
    alpha, beta, auc = 0.25, 0.75, 0.90
    auc_pu = auc * (beta - alpha) + (1 - (beta - alpha)) / 2
    assert auc_pu == pytest.approx(0.70)


def test_worked_example_of_figure_1():
    # Three labelled positives and five unlabeled rows of which one is positive: the share is 1/5.
    table = pm.ScoreTable.from_groups(
        positive=[0.9, 0.7, 0.6],
        unlabeled=[0.8, 0.5, 0.4, 0.3, 0.2],
        scenario="single_training_set",
    )
    estimate = pm.roc_auc(table, prior=4 / 8, method="direct")
    assert estimate.unlabeled_share == pytest.approx(1 / 5)
    naive = 1 - 2 / 15
    assert estimate.value == pytest.approx((naive - 0.1) / 0.8)


@given(cases())
def test_monotone_maps_of_the_scores_change_nothing(case):
    data, scenario, prior, purity = case
    mapped = type(data)(*([np.arctan(s / 7) * 3 for s in group] for group in data))
    assume(len({s for g in mapped for s in g}) == len({s for g in data for s in g}))
    one, two = (pm.roc_auc(d.table(scenario), prior=prior, purity=purity) for d in (data, mapped))
    assert one.value == two.value
    assert tuple(one.interval) == tuple(two.interval)


@given(cases())
def test_flipping_the_scores_gives_one_minus_auc(case):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    flipped = pm.roc_auc(table.flipped(), prior=prior, purity=purity, method="direct").value
    assert flipped == pytest.approx(
        1 - pm.roc_auc(table, prior=prior, purity=purity, method="direct").value, abs=1e-9
    )


def test_values_outside_their_range_are_kept_and_named():
    table = pm.ScoreTable.from_groups(
        positive=[9, 8, 7], unlabeled=[6, 5, 4, 3], scenario="case_control"
    )
    direct = pm.roc_auc(table, prior=0.5, method="direct")
    assert direct.value == 1.5
    assert "PM107" in {d.code for d in direct.diagnostics}
    indirect = pm.roc_auc(table, prior=0.5)
    assert indirect.value == 1.0
    assert indirect.raw == 1.5
    assert indirect.curve.raw_x.min() < 0
    precision = pm.metric(table, "precision", threshold=7, prior=0.5)
    assert precision.value == 1.0
    assert precision.raw == np.inf
    assert 0 < precision.interval.low < precision.interval.high == 1


def test_placements_are_shares_above_and_below_with_ties_half():
    samples = TwoSamples(tables()[CC])  # positives 5 4 2, unlabeled 4 3 1 1
    below, above = areas.area_influence(samples.heads, 0.5)
    # By score 5, 4, 3, 2, 1, 0.
    assert 0.5 * below == pytest.approx([1, 1 - 1 / 8, 1 - 3 / 8, 1 - 1 / 2, 1 - 3 / 4, 0])
    assert 0.5 * above == pytest.approx([1 / 6, 1 / 2, 2 / 3, 5 / 6, 1, 1])
    assert areas.raw_area(samples) == pytest.approx(
        (4 + 3.5 + 2) / 12
    )  # of twelve pairs, a tie is half a win


def test_limits_of_the_area_are_those_of_the_placements_of_both_samples():
    table = tables()[CC]
    setting = Setting.of(table, 0.2)
    area, limits = areas.raw_area(setting.samples), areas._uncorrected_limits(setting)
    # Shares of the unlabeled 4 3 1 1 below positives 5 4 2, and of those above the unlabeled.
    by_pos = mean_reaches(np.ones(3), np.array([1, 7 / 8, 1 / 2]), None, 0.95)
    above = np.array([1 / 2, 2 / 3, 1.0, 1.0])
    by_others = mean_reaches(np.ones(4), above, None, 0.95, part=0.5)
    for side in (0, 1):
        assert abs(limits[side] - area) == pytest.approx(math.hypot(by_pos[side], by_others[side]))


def test_in_one_training_set_the_number_of_labels_adds_to_the_limits():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 2], unlabeled=[4, 3, 1, 1, 0], scenario=SINGLE
    )
    setting = Setting.of(table, 0.5)
    area, limits = areas.raw_area(setting.samples), areas._uncorrected_limits(setting)
    rest = 5 / 8  # of the rows carry no label
    against_rest = (5 + 4.5 + 3) / 15
    assert area == pytest.approx(0.5 + rest * (against_rest - 0.5))
    by_pos = mean_reaches(np.ones(3), np.array([1, 4.5 / 5, 3 / 5]), None, 0.95)
    above = np.array([1 / 2, 2 / 3, 1.0, 1.0, 1.0])
    by_others = mean_reaches(np.ones(5), above, None, 0.95, part=0.5)
    by_share = 1.959963984540054 * math.sqrt(3 / 8 * rest / 8) * (against_rest - 0.5)
    for side in (0, 1):
        expected = math.sqrt(
            (rest * by_pos[side]) ** 2 + (rest * by_others[side]) ** 2 + by_share**2
        )
        assert abs(limits[side] - area) == pytest.approx(expected)


def test_a_good_model_of_rare_positives_is_known_to_be_good():
    """An AUC of 0.9993 with 50 labels, of which the lower limit was 0.03 to 0.07."""
    rng = np.random.default_rng(0)
    lows = []
    for _ in range(20):
        positive, unlabeled = rng.normal(4.5, 1, 50), rng.normal(0, 1, 10_000)
        unlabeled[:10] += 4.5
        table = pm.ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario=CC)
        lows.append(pm.roc_auc(table, prior=0.001).interval.low)
    assert np.median(lows) > 0.9


def test_labels_that_have_missed_the_bottom_are_not_sure_of_the_top():
    """Of 5% of positives below everything, 30 labels show none in one sample of five."""
    positive, unlabeled = np.linspace(2, 4, 30), np.linspace(-2, 1.9, 300)
    table = pm.ScoreTable.from_groups(positive=positive, unlabeled=unlabeled, scenario=CC)
    assert pm.roc_auc(table, prior=0.01).interval.low < 0.95


def test_direct_areas_invert_the_mixture():
    truth, prior, purity = 0.8, 0.2, 0.9
    mixed = 0.5 + (purity - prior) * (truth - 0.5)  # pairs of two of one class win half the time
    assert areas.direct_area(mixed, purity - prior) == pytest.approx(truth)
    assert areas.direct_area(0.5, 0.3) == pytest.approx(0.5)


def test_limits_without_variance_by_hand():
    setting = Setting.of(tables()[CC], 0.2)  # the smaller sample has 3 rows
    low, high = without_variance(setting, 1.0)
    assert low == pytest.approx(0.025 ** (1 / 3))  # three of three are alike with a chance of 0.025
    assert high == 1.0
    assert without_variance(setting, 0.0) == pytest.approx((0, 1 - low))


def test_standard_errors_are_stretched_by_the_correction():
    table = tables()[CC]
    for prior, purity in ((0.2, 1.0), (0.2, 0.9)):
        found = pm.roc_auc(table, prior=prior, purity=purity, method="direct")
        samples = Setting.of(table, prior, purity).samples
        variance = linear_variance(samples, *areas.area_influence(samples.heads))
        assert found.standard_error == pytest.approx(math.sqrt(variance.total) / (purity - prior))
        assert found.value == pytest.approx(areas.direct_area((4 + 3.5 + 2) / 12, purity - prior))
