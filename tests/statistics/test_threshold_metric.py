"""Every metric at a threshold, against the oracle and by hand."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.numerics.formulas import METRICS
from puremetrics.setting import TwoSamples
from tests.correction.cases import SINGLE, TOLERANCE, cases
from tests.oracles import jain
from tests.small_tables import CC, tables
from tests.strategies import Groups


@given(cases(), st.sampled_from(sorted(METRICS)), st.floats(-4, 4))
@example((Groups([0.0, -1.0], [0.0], []), "case_control", 0.5, 1.0), "mcc", 0.0)  # −1/4 by 0
def test_every_metric_equals_the_oracle(case, name, threshold):
    assume(name != "predicted_positive_rate")
    data, scenario, prior, purity = case
    options = {"threshold_probability": 0.5} if name == "net_benefit" else {}
    estimate = pm.metric(
        data.table(scenario), name, threshold=threshold, prior=prior, purity=purity, **options
    )
    entries = jain.confusion(
        *data, scenario=scenario, prior=prior, purity=purity, threshold=threshold
    )
    key = "fbeta" if name == "f1" else name
    expected = jain.metric(key, *entries)
    bottoms = [entries[0] + entries[1], entries[2] + entries[3], entries[0], entries[1], entries[3]]
    assume(all(x == 0 or abs(x) > 1e-2 for x in bottoms))  # near 0/0 every rounding is amplified
    if expected is None:
        # 0/0 stays undefined. Of x/0 the value is that of repaired counts, or an end if these give 0/0.
        ends, value = (METRICS[name].low, METRICS[name].high), estimate.value
        wanted = [repaired(key, name, entries, end) for end in ends]
        assert np.isnan(value) or any(value == pytest.approx(w, abs=TOLERANCE) for w in wanted)
    elif abs(float(expected)) < 1e9:
        tight = TOLERANCE * max(1.0, abs(float(expected))) / (purity - prior) ** 2 / 1e-2
        if METRICS[name].high < np.inf or min(entries) >= 0:
            assert estimate.raw == pytest.approx(float(expected), abs=tight)
        assert estimate.value == pytest.approx(repaired(key, name, entries, expected), abs=tight)
        assert estimate.interval.low <= estimate.value <= estimate.interval.high


def repaired(key, name, entries, raw):
    """The metric of counts that were moved into their range; of those as they are, if that is 0/0."""
    tp, fp, fn, tn = entries
    positives, negatives = tp + fn, fp + tn
    tp, fp = min(max(tp, 0), positives), min(max(fp, 0), negatives)
    found = jain.metric(key, tp, fp, positives - tp, negatives - fp)
    least, most = METRICS[name].low, METRICS[name].high
    return min(max(float(raw if found is None else found), least), most)


def test_undefined_metrics_say_so():
    table = pm.ScoreTable.from_groups(positive=[2], unlabeled=[1, 0], scenario="case_control")
    estimate = pm.metric(table, "precision", threshold=5, prior=0.2)
    assert np.isnan(estimate.value)
    assert estimate.interval is None
    assert "PM103" in {d.code for d in estimate.diagnostics}


def test_metric_options_and_names_are_checked():
    with pytest.raises(InputError, match="no metric 'auc'"):
        pm.metric(SINGLE, "auc", threshold=1, prior=0.4)
    with pytest.raises(InputError, match="'beta' is not an option of 'precision'"):
        pm.metric(SINGLE, "precision", threshold=1, prior=0.4, beta=2)
    with pytest.raises(InputError, match="must be positive"):
        pm.metric(SINGLE, "fbeta", threshold=1, prior=0.4, beta=0)
    with pytest.raises(UnsupportedError, match="before cut"):
        pm.metric(SINGLE.cut(), "precision", threshold=1, prior=0.4)
    two = pm.metric(SINGLE, "fbeta", threshold=3, prior=0.4, beta=1).value
    assert two == pm.metric(SINGLE, "f1", threshold=3, prior=0.4).value
    assert pm.metric(SINGLE, "sensitivity", threshold=3, prior=0.4).name == "recall"


def test_ratios_with_a_pole_run_to_infinity_by_hand():
    table = pm.ScoreTable.from_groups(positive=[3, 3, 1], unlabeled=[3, 1, 0, 0], scenario=CC)
    ratio = pm.metric(table, "positive_likelihood_ratio", threshold=2, prior=0.3)
    g, f = 2 / 3, 1 / 4
    assert ratio.value == pytest.approx(g / ((f - 0.3 * g) / 0.7))
    assert ratio.interval.high == math.inf
    assert 0 <= ratio.interval.low < ratio.value


def test_undefined_metrics_say_why_by_hand():
    table = tables()["single_training_set"]
    for threshold, words in ((99, "no row"), (-99, "every row")):
        name = "precision" if threshold > 0 else "npv"
        found = pm.metric(table, name, threshold=threshold, prior=0.5)
        assert any(words in d.message for d in found.diagnostics if d.code == "PM103")
        assert found.interval is None
    # Sums of weights may exceed their total by rounding, shares may not.
    rng = np.random.default_rng(0)
    y, weight = np.arange(50) % 2, rng.random(50)
    heavy = pm.ScoreTable.from_arrays(y, -np.arange(50), sample_weight=weight, scenario=CC)
    assert max(TwoSamples(heavy).shares_at(-99)) <= 1


def test_a_range_of_priors_widens_the_interval_and_leaves_the_value_at_its_middle():
    table = tables()["single_training_set"]
    wide = pm.metric(table, "precision", threshold=2, prior=(0.4, 0.6))
    each = [pm.metric(table, "precision", threshold=2, prior=point) for point in (0.4, 0.5, 0.6)]
    assert wide.value == each[1].value != each[0].value
    assert wide.interval.low <= min(one.value for one in each)
    assert wide.interval.high >= max(one.value for one in each)
    assert wide.interval.width >= max(one.interval.width for one in each)
    assert (wide.interval.kind, each[0].interval.kind) == ("combined", "confidence")
