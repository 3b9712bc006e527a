"""What holds of every audit, whatever the rows, and what is said about those that cannot be."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError
from tests.auditing.cases import SINGLE, Case, cases
from tests.every import for_every
from tests.fuzz.checks import problem_with_sentence

METRICS = ("precision", "recall", "f1", "mcc")
seeds = st.integers(0, 2**16)


def estimates(case, audit, **options):
    """Everything that takes an audit."""
    table = case.table
    found = {
        name: pm.metric(table, name, threshold=case.threshold, audit=audit, **options)
        for name in METRICS
    }
    found["roc_auc"] = pm.roc_auc(table, audit=audit, **options)
    found["average_precision"] = pm.average_precision(table, audit=audit, **options)
    found["prior"] = pm.prior_from_audit(audit, table=table, **options)
    return found


def numbers(estimate):
    interval = estimate.interval
    ends = (math.nan, math.nan) if interval is None else tuple(interval)
    return [float(estimate), *ends]


def alike(first, again, tolerance=1e-9):
    for name, estimate in first.items():
        # Limits of areas are found by bisection.
        within = 3e-5 if name in ("roc_auc", "average_precision") else tolerance
        assert numbers(estimate) == pytest.approx(numbers(again[name]), abs=within, nan_ok=True), (
            name
        )


def reordered(audit, order):
    return replace(
        audit,
        scores={name: column[order] for name, column in audit.scores.items()},
        positive=audit.positive[order],
        weight=audit.weight[order],
        labelled=audit.labelled[order],
    )


@given(case=cases(everything=True))
def test_checking_all_rows_gives_the_truth(case):
    y, score = case.population
    predicted = score >= case.threshold
    found = estimates(case, case.audit)
    assert found["prior"].prior == pytest.approx(y.mean(), abs=1e-9)
    if predicted.any() and y.any():
        for name, function in (
            ("precision", reference.precision_score),
            ("recall", reference.recall_score),
            ("f1", reference.f1_score),
        ):
            assert found[name].value == pytest.approx(function(y, predicted), abs=1e-9)
    if 0 < y.sum() < y.size:
        assert found["roc_auc"].value == pytest.approx(reference.roc_auc_score(y, score), abs=1e-9)
    else:
        assert math.isnan(found["roc_auc"].value)


@given(case=cases(), seed=seeds)
def test_the_order_of_checking_does_not_matter(case, seed):
    audit = case.audit
    order = np.random.default_rng(seed).permutation(len(audit))
    alike(estimates(case, audit), estimates(case, reordered(audit, order)))


@given(case=cases(), factor=st.sampled_from([1e-3, 0.3, 7.0, 1e6]))
def test_only_ratios_of_weights_matter(case, factor):
    audit = case.audit
    alike(estimates(case, audit), estimates(case, replace(audit, weight=factor * audit.weight)))


@given(case=cases(), purity=st.sampled_from([None, 0.8]))
def test_intervals_hold_the_value_lie_in_range_and_grow_with_the_level(case, purity):
    levels = (0.5, 0.9, 0.99)
    found = [estimates(case, case.audit, purity=purity, confidence_level=lv) for lv in levels]
    for name in found[0]:
        before = None
        for estimates_, level in zip(found, levels, strict=True):
            value, low, high = numbers(estimates_[name])
            if math.isnan(value):
                continue
            assert (-1.0 if name == "mcc" else 0.0) <= low <= high <= 1.0
            assert low - 1e-9 <= value <= high + 1e-9
            assert estimates_[name].interval.level == level
            if before is not None:
                assert low <= before[0] + 3e-5
                assert high >= before[1] - 3e-5
            before = low, high


@given(case=cases(), more=st.sampled_from([0, 1, 100]))
def test_looking_while_answers_come_in_costs_width(case, more):
    audit = case.audit
    looked = replace(audit, planned=len(audit) + more)
    plain, sequence = estimates(case, audit), estimates(case, looked)
    for name, estimate in plain.items():
        value, low, high = numbers(estimate)
        again, lower, higher = numbers(sequence[name])
        if math.isnan(value):
            continue
        assert value == pytest.approx(again, abs=1e-12)
        assert lower <= low + 3e-5
        assert higher >= high - 3e-5
        assert sequence[name].interval.method == "audit_sequence"
        if name == "prior" and low > 0 and high < 1:
            assert higher - lower > high - low


@given(case=cases())
def test_the_first_rows_are_an_audit(case):
    audit = replace(case.audit, strata=None, weight=np.ones(int(case.checked.sum())))
    for rows in range(1, len(audit) + 1):
        part = audit.first(rows)
        assert len(part) == rows
        np.testing.assert_array_equal(part.positive, audit.positive[:rows])
        assert 0 <= pm.prior_from_audit(part, table=case.table).prior <= 1
    assert audit.first(len(audit)) == audit


def test_pm130_says_that_few_positives_were_found():
    score = np.arange(100.0)
    table = pm.ScoreTable.from_groups(positive=[90.0], unlabeled=score, scenario=SINGLE)
    for positives, warned in ((9, True), (10, False)):
        audit = pm.Audit.from_arrays(score[::2], np.arange(50) >= 50 - positives)
        remarks = [r.code for r in pm.roc_auc(table, audit=audit).diagnostics]
        assert ("PM130" in remarks) == warned


# ------------------------------------------------------------------------------- errors

TABLE = pm.ScoreTable.from_groups(
    positive=[0.9, 0.8], unlabeled=[0.7, 0.5, 0.5, 0.2], negative=[0.1], scenario=SINGLE
)
WEIGHTED = pm.ScoreTable.from_arrays(
    [1, 0, 0], [3, 2, 1], sample_weight=[0.5, 1.5, 2.0], scenario=SINGLE
)
FULL = pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=[], negative=[1, 0], scenario=SINGLE)
GOOD = pm.Audit.from_arrays([0.5, 0.2], [1, 0])
TWO = pm.Audit.from_arrays({"a": [0.5], "b": [0.2]}, [1])
PLANNED = Case(
    np.array([1, 0, 0, 0]), np.array([0.9, 0.5, 0.4, 0.2]), np.array([True, True, False, False]),
    np.array([False, True, True, True]), np.array([0.3]), 0.3, SINGLE,
).audit  # fmt: skip
WRONG = {
    "another table": (TABLE, pm.Audit.from_arrays([0.6], [1]), "no such row"),
    "above all scores": (TABLE, pm.Audit.from_arrays([5.0], [1]), "no such row"),
    "below all scores": (TABLE, pm.Audit.from_arrays([-5.0], [1]), "no such row"),
    "a known negative": (TABLE, pm.Audit.from_arrays([0.1], [1]), "only known negative rows"),
    "a labelled row": (TABLE, pm.Audit.from_arrays([0.9], [1]), "already labelled"),
    "an unlabeled row as labelled": (
        TABLE, pm.Audit.from_arrays([0.5, 0.2], [1, 1], labelled=[0, 1]), "only unlabeled rows"),
    "a row drawn twice": (TABLE, pm.Audit.from_arrays([0.5] * 3, [1, 0, 0]), "drawn twice"),
    "labelled rows alone": (
        TABLE, pm.Audit.from_arrays([0.9], [1], labelled=[True]), "Only labelled rows"),
    "the plan of another table": (TABLE, PLANNED, "table that the audit was planned on"),
    "scores of other models": (TABLE, TWO, "no scores for 'model'"),
    "a cut table": (TABLE.cut(), GOOD, "cut or weighted"),
    "weights": (WEIGHTED, GOOD, "cut or weighted"),
    "no unlabeled rows": (FULL, GOOD, "nothing to audit"),
    "no audit": (TABLE, [0.5], "must be an Audit"),
}  # fmt: skip
CALLS = {
    "roc_auc": lambda table, audit: pm.roc_auc(table, audit=audit),
    "average_precision": lambda table, audit: pm.average_precision(table, audit=audit),
    "metric": lambda table, audit: pm.metric(table, "f1", threshold=0.5, audit=audit),
    "audit_labels": pm.audit_labels,
    "prior_from_audit": lambda table, audit: pm.prior_from_audit(audit, table=table),
}


@for_every("call, what", itertools.product(CALLS, WRONG))
def test_what_cannot_be_is_said(call, what):
    table, audit, said = WRONG[what]
    if call == "prior_from_audit" and what == "no audit":
        said = "n_checked"
    if call == "metric" and what == "a cut table":
        said = "cut"
    with pytest.raises(PuremetricsError, match=said) as caught:
        CALLS[call](table, audit)
    assert problem_with_sentence(str(caught.value)) is None


@pytest.mark.parametrize("function", [pm.roc_auc, pm.average_precision])
@pytest.mark.parametrize("assumed", [{"prior": 0.4}, {"label_bias": 2.0}])
def test_nothing_is_assumed_besides_an_audit(function, assumed):
    for call in (
        lambda: function(TABLE, audit=GOOD, **assumed),
        lambda: pm.metric(TABLE, "f1", threshold=0.5, audit=GOOD, **assumed),
        lambda: pm.evaluate(TABLE, audit=GOOD, **assumed),
    ):
        with pytest.raises(PuremetricsError, match=r"[Ll]eave out") as caught:
            call()
        assert problem_with_sentence(str(caught.value)) is None


@pytest.mark.parametrize(
    "given",
    [
        {"positive": [1]},
        {"positive": [1, 2]},
        {"positive": [1, "1"]},
        {"positive": [1, None]},
        {"positive": [1, math.nan]},
        {"score": [0.5, math.nan]},
        {"score": {}},
        {"score": {"a": [0.5, 0.2], "b": [0.5]}},
        {"weight": [1, 0]},
        {"weight": [1, -1]},
        {"weight": [1]},
        {"labelled": [1]},
        {"labelled": [0, 3]},
        {"planned": 1},
        {"planned": 2.5},
    ],
    ids=str,
)
def test_arrays_that_are_no_audit(given):
    with pytest.raises(PuremetricsError) as caught:
        pm.Audit.from_arrays(**{"score": [0.5, 0.2], "positive": [1, 0]} | given)
    assert problem_with_sentence(str(caught.value)) is None


def test_an_audit_leaves_the_callers_arrays_alone():
    arrays = [np.array([0.5, 0.2]), np.array([True, False]), np.ones(2), np.array([False, True])]
    pm.Audit.from_arrays(arrays[0], arrays[1], weight=arrays[2], labelled=arrays[3])
    for array in arrays:
        array[0] = 1  # not frozen


def test_prior_from_audit_takes_an_audit_or_counts_not_both():
    for wrong in ({}, {"table": TABLE, "n_positive": 1}, {"table": TABLE, "n_unlabeled": 4}):
        with pytest.raises(PuremetricsError, match="pass it with table"):
            pm.prior_from_audit(GOOD, **wrong)
    assert pm.prior_from_audit(GOOD, table=TABLE).trust.level == "audited"


@pytest.mark.parametrize("function", [pm.roc_auc, pm.average_precision])
def test_a_range_of_the_purity_holds_at_both_ends(function):
    rng = np.random.default_rng(8)
    truth = rng.random(400) < 0.3
    score = np.round(rng.normal(size=400) + 1.5 * truth, 2)
    y = (truth & (rng.random(400) < 0.5)).astype(int)
    table = pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
    rows = rng.choice(np.flatnonzero(y == 0), 120, replace=False)
    audit = pm.Audit.from_arrays(score[rows], truth[rows])
    whole = function(table, audit=audit, purity=(0.7, 1.0))
    for end in (0.7, 1.0):
        alone = function(table, audit=audit, purity=end)
        assert whole.interval.low <= alone.interval.low + 1e-4
        assert whole.interval.high >= alone.interval.high - 1e-4
