"""Tables of labelled rows with propensities."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError, WeightError
from puremetrics.setting import TwoSamples
from puremetrics.tables.merging import block_ends, merged_blocks

SCENARIOS = ["case_control", "single_training_set"]
BOTH = pytest.mark.parametrize("scenario", SCENARIOS)
Y, SCORE = [1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.7, 0.1, 0.7]
CHANCE = [0.5, None, 0.25, None, float("nan"), 1.0]


def table(scenario, **options):
    return pm.ScoreTable.from_arrays(Y, SCORE, scenario=scenario, propensity=CHANCE, **options)


@BOTH
def test_labelled_rows_are_weighted_in_g_and_count_once_elsewhere(scenario):
    made = table(scenario)
    samples = TwoSamples(made)
    scale = 3 / 7  # inverse chances 2, 4 and 1 add up to the number of labelled rows
    assert samples.pos == pytest.approx(np.array([2, 0, 5, 0]) * scale)
    assert samples.pos_squares == pytest.approx(np.array([4, 0, 17, 0]) * scale**2)
    assert made.totals == (3, 3, 0)
    wanted = [1, 1, 3, 1] if scenario == "single_training_set" else [0, 1, 1, 1]
    assert np.array_equal(samples.cmp, wanted)
    assert samples.sizes[0] == pytest.approx(49 / 21)
    if scenario == "single_training_set":
        assert np.array_equal(made.n_pos, [1, 0, 2, 0])
        assert np.array_equal(samples.others[0], [0, 1, 1, 1])
        assert samples.products == pytest.approx(samples.pos)
    assert made.has_propensities
    assert not made.whole
    assert (
        str(made)
        == f"6 rows → 4 distinct scores: 3 positive, 0 negative, 3 unlabeled, {scenario}, with propensities"
    )


@BOTH
def test_weights_multiply_in_g_and_stay_in_f(scenario):
    weight = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 0.5])
    samples = TwoSamples(table(scenario, sample_weight=weight))
    inverse = np.array([2.0, 12.0 + 0.5])
    assert samples.pos[[0, 2]] == pytest.approx(inverse * 4.5 / 14.5)
    assert samples.pos_squares[2] == pytest.approx((144 + 0.25) * (4.5 / 14.5) ** 2)
    if scenario == "single_training_set":
        assert samples.cmp == pytest.approx([1, 2, 4.5, 1])
        assert samples.products[2] == pytest.approx((12 * 3 + 0.5 * 0.5) * 4.5 / 14.5)


@BOTH
@given(seed=st.integers(0, 2**16))
def test_what_is_derived_keeps_them(scenario, seed):
    rng = np.random.default_rng(seed)
    n = 30
    y = (rng.random(n) < 0.4).astype(int)
    y[:2] = 0, 1
    score, chance = rng.integers(0, 8, n).astype(float), rng.uniform(0.1, 1, n)
    options = {"scenario": scenario}

    def of(rows):
        return pm.ScoreTable.from_arrays(y[rows], score[rows], propensity=chance[rows], **options)

    whole = of(slice(None))
    order = np.argsort(-y, kind="stable")  # a labelled row in both halves
    labelled = int(y.sum())
    if labelled >= 2:
        halves = order[::2], order[1::2]
        merged = of(halves[0]).merge(of(halves[1]))
        assert TwoSamples(merged).pos == pytest.approx(TwoSamples(whole).pos)
        assert TwoSamples(merged).products == pytest.approx(TwoSamples(whole).products)
    assert pickle.loads(pickle.dumps(whole)).equals(whole)
    back = whole.flipped().flipped()
    assert back.equals(whole)
    area = pm.roc_auc(whole, prior=0.9, method="direct").raw if labelled / n < 0.9 else None
    if area is not None:
        assert pm.roc_auc(whole.cut(), prior=0.9, method="direct").raw == pytest.approx(
            area, abs=1e-12
        )
    samples = TwoSamples(whole)
    blocks = TwoSamples(
        merged_blocks(
            whole, block_ends(np.cumsum(np.ones(8))[: whole.score.size] / whole.score.size, 3)
        )
    )
    assert blocks.sizes == pytest.approx(samples.sizes)
    assert float(blocks.products.sum()) == pytest.approx(float(samples.products.sum()))


@BOTH
def test_a_naive_reading_leaves_them_out(scenario):
    plain = pm.ScoreTable.from_arrays(Y, SCORE, scenario=scenario)
    assert (
        table(scenario)
        .unlabeled_as_negative()
        .equals(plain.with_counts(plain.n_pos, plain.n_unl, plain.n_neg).unlabeled_as_negative())
    )
    assert pm.naive_auc(table(scenario)).value == pm.naive_auc(plain).value


def test_tables_with_and_without_are_different():
    plain, weighted = (
        pm.ScoreTable.from_arrays(Y, SCORE, scenario="case_control", **options)
        for options in ({}, {"sample_weight": np.ones(6)})
    )
    made = table("case_control")
    for other in (plain, weighted):
        assert not made.equals(other)
        assert not other.equals(made)
        with pytest.raises(InputError, match="Only one of the tables has propensities"):
            made.merge(other)


def test_the_hand_made_table_of_all_rows_gives_the_same_value():
    """Labelled rows with weights against all rows, as if drawn separately: right but for the interval."""
    rng = np.random.default_rng(0)
    y, score = (rng.random(300) < 0.2).astype(int), rng.random(300)
    score[y == 1] += 0.4
    chance = 0.2 + 0.5 * rng.random(300)
    made = pm.ScoreTable.from_arrays(y, score, scenario="single_training_set", propensity=chance)
    by_hand = pm.ScoreTable.from_arrays(
        np.append(y[y == 1], np.zeros(300)), np.append(score[y == 1], score),
        sample_weight=np.append(1 / chance[y == 1], np.ones(300)), scenario="case_control",
    )  # fmt: skip
    for found in (pm.roc_auc, pm.average_precision):
        assert found(made, prior=0.4).value == pytest.approx(found(by_hand, prior=0.4).value)


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        ([0.5] * 5, "5 values for 6 rows"),
        ([0.0, 1, 0.5, 1, 1, 1], r"propensity\[0\]=0"),
        ([0.5, 1, 1.5, 1, 1, 1], r"propensity\[2\]=1.5"),
        ([0.5, 1, -0.5, 1, 1, -1], r"propensity\[2\]=-0.5, one of 2 labelled rows"),
        ([np.nan, 1, 0.5, 1, 1, 1], r"propensity\[0\]=nan"),
        ([None, 1, 0.5, 1, 1, 1], "propensity is missing for 1 of"),
        (["a"] * 6, "propensity"),
        ([1e-200, 1, 1, 1, 1, 1], "below 1e-100"),
    ],
)
def test_chances_that_cannot_be_are_explained(chance, message):
    for make in (
        pm.ScoreTable.from_arrays,
        lambda y, s, **o: pm.JointTable.from_arrays(y, {"a": s, "b": s}, **o),
    ):
        with pytest.raises(WeightError, match=message):
            make(Y, SCORE, scenario="case_control", propensity=chance)


@BOTH
def test_few_labels_in_effect_are_said(scenario):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 300])
    score = np.append(rng.normal(1, 1, 60), rng.normal(0, 1, 300))
    even = np.full(360, 0.3)
    codes = {}
    for name, low in (("even", 0.3), ("one heavy", 0.02), ("few", 0.001)):
        chance = even.copy()
        chance[: 1 if name == "one heavy" else 3] = low
        made = pm.ScoreTable.from_arrays(y, score, scenario=scenario, propensity=chance)
        found = pm.roc_auc(made, prior=0.4)
        codes[name] = {remark.code: remark.message for remark in found.diagnostics}
    assert "PM120" not in codes["even"]
    assert "60 labelled positives carry as much information as" in codes["one heavy"]["PM120"]
    assert {"PM105", "PM120"} <= set(codes["few"])


def test_whole_rows_and_bins_refuse_them():
    made = table("single_training_set")
    for call in (pm.roc_auc_bounds, pm.pulp, pm.choose_threshold):
        options = {} if call is pm.pulp else {"prior": 0.6}
        if call is pm.choose_threshold:
            options["objective"] = "f1"
        with pytest.raises(UnsupportedError, match="weights or fractional counts"):
            call(made, **options)
    for call in (pm.calibration_error, pm.reliability_curve):
        with pytest.raises(UnsupportedError, match="two weights of a labelled row"):
            call(made, prior=0.6)
    with pytest.raises(UnsupportedError, match="prior_from_propensities"):
        pm.estimate_prior(made)
    joint = pm.JointTable.from_arrays(
        Y, {"a": SCORE, "b": SCORE[::-1]}, scenario="case_control", propensity=CHANCE
    )
    with pytest.raises(UnsupportedError, match="weights or fractional counts"):
        pm.compare(joint, statistic="pulp", prior=None)


def test_labelled_rows_without_a_propensity_are_counted():
    with pytest.raises(WeightError, match="missing for 2 of 2 labelled rows"):
        pm.ScoreTable.from_arrays(
            [1, 1, 0], [3, 2, 1], scenario="case_control", propensity=[None, None, None]
        )
