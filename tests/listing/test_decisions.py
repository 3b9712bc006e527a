"""Decision curves: against the definition on full labels, and the corrected rates."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, ScoreError, UnsupportedError
from tests.oracles import jain, top
from tests.small_tables import CC, SINGLE

LEVELS = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.7, 0.9, 1.0])
POINTS = [0.1, 0.2, 0.25, 0.6, 0.9]


@given(st.lists(st.tuples(st.booleans(), LEVELS), min_size=2, max_size=30))
def test_full_labels_give_the_definition(rows):
    y, p = ([row[place] for row in rows] for place in (0, 1))
    assume(0 < sum(y) < len(y))
    for scenario in (CC, SINGLE):
        table = pm.ScoreTable.from_arrays(
            np.array(y, dtype=int), p, scenario=scenario, unlabeled_label=7, neg_label=0
        )
        curve = pm.net_benefit(table, thresholds=POINTS)
        expected = [top.net_benefit(y, p, at) for at in POINTS]
        assert curve.net_benefit == pytest.approx(expected, abs=1e-12)
        prior = sum(y) / len(y)
        everybody = [prior - at / (1 - at) * (1 - prior) for at in POINTS]
        assert curve.treat_all == pytest.approx(everybody, abs=1e-12)
        assert curve.standardised["net_benefit"] == pytest.approx(curve.net_benefit / prior)
        assert np.all((curve.low <= curve.net_benefit) & (curve.net_benefit <= curve.high))


@given(
    st.lists(LEVELS, min_size=1, max_size=9),
    st.lists(LEVELS, min_size=1, max_size=12),
    st.sampled_from([CC, SINGLE]),
    st.floats(0.1, 0.9),
    st.sampled_from([1.0, 0.95]),
)
def test_corrected_rates_give_the_curve(pos, unl, scenario, part, purity):
    rows = len(pos) + len(unl)
    low, high = (0.0, 0.8) if scenario == CC else (purity * len(pos) / rows, 0.99 * purity)
    prior = low + part * (high - low)
    assume(purity - prior > 0.02)
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)
    curve = pm.net_benefit(table, prior=prior, purity=purity, thresholds=POINTS)
    for at, value in zip(POINTS, curve.net_benefit, strict=True):
        tpr, fpr = jain.rates(
            pos, unl, [], scenario=scenario, prior=prior, purity=purity, threshold=at
        )
        expected = prior * float(tpr) - at / (1 - at) * (1 - prior) * float(fpr)
        assert value == pytest.approx(expected, abs=1e-9)
        assert pm.metric(
            table, "net_benefit", threshold=at, prior=prior, purity=purity
        ).raw == pytest.approx(expected, abs=1e-9)


def sample(seed=0, rows=800):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    x = rng.normal(size=rows) + 2 * y
    probability = 1 / (1 + np.exp(-(2 * x - 2 + np.log(0.3 / 0.7))))
    return y, probability, y & (rng.random(rows) < 0.5)


def test_ranges_biased_labels_and_weights():
    y, p, labelled = sample()
    table = pm.ScoreTable.from_arrays(labelled.astype(int), p, scenario=SINGLE)
    plain = pm.net_benefit(table, prior=0.3)
    assert plain.threshold.size == 99
    assert plain.useful().size > 10
    for options in ({"prior": (0.25, 0.35)}, {"prior": 0.3, "label_bias": 2.0}):
        wide = pm.net_benefit(table, **options)
        assert np.all(wide.low <= plain.low + 1e-9)
        assert np.all(wide.high >= plain.high - 1e-9)
    weights = np.full(y.size, 2.0)
    weighted = pm.ScoreTable.from_arrays(
        labelled.astype(int), p, scenario=SINGLE, sample_weight=weights
    )
    again = pm.net_benefit(weighted, prior=0.3)
    assert again.net_benefit == pytest.approx(plain.net_benefit, abs=1e-12)
    assert again.low == pytest.approx(plain.low, abs=1e-9)


def test_scanned_tables_allow_for_what_was_merged():
    _, p, labelled = sample()
    source = pa.table({"y": labelled.astype(int), "p": p})
    scanned = pm.scan(source, label="y", score="p", scenario=SINGLE, pieces=16)
    scanned = scanned["p"] if isinstance(scanned, dict) else scanned
    table = pm.ScoreTable.from_arrays(labelled.astype(int), p, scenario=SINGLE)
    exact = pm.net_benefit(table, prior=0.3)
    found = pm.net_benefit(scanned, prior=0.3)
    assert np.all(found.low <= exact.net_benefit)
    assert np.all(exact.net_benefit <= found.high)


def test_differences_of_models_are_paired():
    rng = np.random.default_rng(4)
    _, p, labelled = sample(4)
    worse = np.clip(p + rng.normal(0, 0.25, p.size), 0.001, 0.999)
    joint = pm.JointTable.from_arrays(labelled.astype(int), {"a": p, "b": worse}, scenario=SINGLE)
    found = pm.compare(joint, statistic="net_benefit", threshold=0.4, prior=0.3)
    alone = [
        pm.net_benefit(joint[name], prior=0.3, thresholds=[0.4]).net_benefit[0] for name in "ab"
    ]
    difference = found.differences[0]
    assert difference.value == pytest.approx(alone[0] - alone[1], abs=1e-12)
    assert difference.interval.low < difference.value < difference.interval.high


def test_wrong_thresholds_and_scores_are_told():
    table = pm.ScoreTable.from_groups(positive=[0.9, 0.5], unlabeled=[0.4, 0.2, 0.1], scenario=CC)
    for wrong in ([0.0], [0.5, 1.0], [-1]):
        with pytest.raises(InputError, match="strictly between 0 and 1"):
            pm.net_benefit(table, prior=0.2, thresholds=wrong)
    with pytest.raises(InputError, match="holds 0 values"):
        pm.net_benefit(table, prior=0.2, thresholds=[])
    with pytest.raises(UnsupportedError, match="cut"):
        pm.net_benefit(table.cut(), prior=0.2)
    high = pm.ScoreTable.from_groups(positive=[3, 2], unlabeled=[1, 0], scenario=CC)
    with pytest.raises(ScoreError, match="needs probabilities"):
        pm.net_benefit(high, prior=0.2)
