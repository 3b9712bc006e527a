"""What priors, purities, weights and scenarios do to the corrected area."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError, NotIdentifiableError, PriorError
from tests.correction.cases import SINGLE, cases


@given(cases())
def test_scenarios_agree_on_rates_at_matching_priors(case):
    # Comparing with all rows at the prior equals comparing with the unlabeled at their share.
    data, _, prior, purity = case
    data = data._replace(neg=[])
    one = data.table("single_training_set")
    low, high = (
        purity * one.total_pos / one.total,
        (purity * one.total_pos + one.total_unl) / one.total,
    )
    overall = low + prior * (high - low)
    share = (overall * one.total - purity * one.total_pos) / one.total_unl
    assume(purity - overall > 0.02)
    assume(purity - share > 0.02)
    two = data.table("case_control")
    a = pm.roc_auc(one, prior=overall, purity=purity, method="direct").value
    b = pm.roc_auc(two, prior=share, purity=purity, method="direct").value
    assert a == pytest.approx(b, rel=1e-6, abs=1e-9)


@given(cases(), st.floats(0.2, 0.9))
def test_an_interval_of_priors_contains_the_results_at_its_points(case, part):
    data, scenario, prior, purity = case
    table = data.table(scenario)
    low = table.total_pos * purity / table.total if scenario != "case_control" else 0.0
    start = low + part * (prior - low)
    assume(start < prior)
    wide = pm.roc_auc(table, prior=(start, prior), purity=purity)
    assert wide.interval.kind == "combined"
    for at in (start, prior):
        point = pm.roc_auc(table, prior=at, purity=purity)
        assert point.interval.kind == "confidence"
        assert wide.interval.low <= point.interval.low + 1e-9
        assert wide.interval.high >= point.interval.high - 1e-9


def test_prior_estimate_is_taken_with_its_interval_and_purity():
    table = pm.ScoreTable.from_groups(
        positive=[5, 4, 3, 1], unlabeled=[4, 3, 2, 2, 1, 0, 0], scenario="case_control"
    )
    interval = pm.Interval(0.1, 0.3, 0.95, "confidence", "test")
    estimate = pm.roc_auc(table, prior=pm.PriorEstimate(0.2, interval, purity=0.9))
    assert estimate.purity == 0.9
    assert estimate.prior == 0.2
    assert estimate.interval.kind == "combined"
    beyond = pm.PriorEstimate(0.2, pm.Interval(0.1, 1.0, 0.95, "confidence", "test"))
    assert "PM108" in {d.code for d in pm.roc_auc(table, prior=beyond).diagnostics}


ROWS = {"prior_of": "rows"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": 0.1, **ROWS}, PriorError, "3 of 12 rows .0.25. are already labelled positive"),
        ({"prior": 0.9, **ROWS}, PriorError, "2 of 12 rows are known negatives"),
        ({"prior": 12}, PriorError, "percentage"),
        ({"prior": None}, PriorError, "prior is missing, and 7 rows are unlabeled"),
        ({"prior": "0.3"}, PriorError, "must be a number"),
        ({"prior": (0.4, 0.3)}, PriorError, "not an interval"),
        ({"prior": 1e-6}, PriorError, "already labelled"),
        ({"prior": (0.1, 0.3), **ROWS}, PriorError, "already labelled"),
        ({"prior": (0.3, 0.4, 0.5)}, PriorError, "3 values"),
        ({"prior": float("nan")}, PriorError, "not finite"),
        ({"prior": 0.5, "purity": 0.5}, NotIdentifiableError, "Pass purity > prior"),
        ({"prior": 0.5, "purity": 1.5}, PriorError, "purity=1.5 is not a share"),
        ({"prior": 0.5, "method": "best"}, InputError, "Choose one of 'direct'"),
        ({"prior": 0.5, "confidence_level": 95}, InputError, "Did you mean 0.95"),
    ],
)
def test_impossible_settings_get_their_own_sentence(options, error, message):
    with pytest.raises(error, match=message):
        pm.roc_auc(SINGLE, **options)


def test_known_negatives_are_counted_in_one_training_set_and_named_elsewhere():
    assert pm.roc_auc(SINGLE, prior=0.4).diagnostics[-1].code != "PM106"
    table = pm.ScoreTable.from_groups(
        positive=[5, 4], unlabeled=[4, 2, 1], negative=[1, 0], scenario="case_control"
    )
    assert "PM106" in {d.code for d in pm.roc_auc(table, prior=0.3).diagnostics}


def test_inverse_propensity_weights_undo_biased_labelling():
    rng = np.random.default_rng(5)
    n = 40_000
    y = rng.random(n) < 0.3
    score = rng.normal(size=n) + 1.5 * y
    propensity = 1 / (1 + np.exp(-2 * (score - 1)))  # confident positives are labelled more often
    labelled = y & (rng.random(n) < 0.5 * propensity)
    truth = pm.ScoreTable.from_groups(
        positive=score[y], unlabeled=None, negative=score[~y], scenario="case_control"
    )
    auc = pm.roc_auc(truth, prior=None).value
    labels = np.concatenate([np.ones(labelled.sum()), np.zeros(n)])
    scores = np.concatenate([score[labelled], score])
    weight = np.concatenate([1 / propensity[labelled], np.ones(n)])
    plain, weighted = (
        pm.roc_auc(
            pm.ScoreTable.from_arrays(labels, scores, scenario="case_control", sample_weight=w),
            prior=0.3,
            method="direct",
        )
        for w in (None, weight)
    )
    assert abs(plain.value - auc) > 0.05
    assert auc in weighted.interval
    assert weighted.interval.width > plain.interval.width


def test_a_prior_that_the_data_contradict_is_named():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(3, 1, 500),
        unlabeled=np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 900)]),
        scenario="case_control",
    )
    assert "PM102" in {d.code for d in pm.roc_auc(table, prior=0.6, method="direct").diagnostics}
    assert "PM102" not in {d.code for d in pm.roc_auc(table, prior=0.1).diagnostics}
