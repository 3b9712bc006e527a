"""Enrichment, RIE, BEDROC, nDCG and metrics of the first rows."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

import puremetrics as pm
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.numerics.discounts import Logarithmic
from tests.correction.cases import cases
from tests.oracles import jain, top
from tests.small_tables import CC, SINGLE, tables

RAW = 1e-12


def theta(data, scenario, prior, purity, discount, at):
    return top.mean_over_positives(
        *data, scenario=scenario, prior=prior, purity=purity, discount=discount, at=at
    )


@given(cases(), st.floats(0.01, 1))
def test_the_recall_of_the_first_rows_equals_the_oracle(case, part):
    data, scenario, prior, purity = case
    assume(len(data.unl) > 0)
    rows = len(top.the_list(*data, scenario))
    k = max(round(part * rows), 1)
    expected = theta(data, scenario, prior, purity, top.even(k), top.in_first(k, rows))
    table = data.table(scenario)
    for given_table in (table, table.cut()):
        found = pm.metric(given_table, "recall", top=k, prior=prior, purity=purity)
        assert found.raw == pytest.approx(expected, abs=RAW)
        assert found.top == k
    factor = pm.enrichment_factor(table, top=k, prior=prior, purity=purity)
    assert factor.raw == pytest.approx(expected * rows / k, abs=RAW * rows)
    share = pm.metric(table, "recall", top=k / rows, prior=prior, purity=purity)
    assert share.raw == pytest.approx(expected, abs=1e-9) or k == rows


@given(cases(), st.floats(0.5, 40))
def test_rie_and_bedroc_equal_the_oracle(case, alpha):
    data, scenario, prior, purity = case
    assume(len(data.unl) > 0)
    rows = len(top.the_list(*data, scenario))
    mean = theta(
        data, scenario, prior, purity, top.exponential(alpha), lambda above: math.exp(-alpha * above / rows)
    )  # fmt: skip
    rie = mean * alpha / (1 - math.exp(-alpha))
    table = data.table(scenario)
    assert pm.rie(table, alpha=alpha, prior=prior, purity=purity).raw == pytest.approx(
        rie, rel=1e-11, abs=RAW
    )
    most = (1 - math.exp(-alpha * prior)) / (prior * (1 - math.exp(-alpha)))
    least = (1 - math.exp(alpha * prior)) / (prior * (1 - math.exp(alpha)))
    found = pm.bedroc(table.cut(), alpha=alpha, prior=prior, purity=purity)
    assert found.raw == pytest.approx((rie - least) / (most - least), rel=1e-9, abs=1e-9)
    assert found.value == pytest.approx(min(max(found.raw, 0.0), 1.0), abs=1e-9)


@given(cases(), st.floats(0.01, 1))
def test_ndcg_equals_the_oracle(case, part):
    data, scenario, prior, purity = case
    assume(len(data.unl) > 0)
    rows = len(top.the_list(*data, scenario))
    k = max(round(part * rows), 1)
    inside = top.in_first(k, rows)
    mean = theta(
        data, scenario, prior, purity, top.logarithmic(k), lambda above: inside(above) / math.log2(above + 2)
    )  # fmt: skip
    gain = prior * rows * mean / top.ideal_gain(prior * rows, k)
    found = pm.ndcg(data.table(scenario), top=k, prior=prior, purity=purity)
    assert found.raw == pytest.approx(gain, rel=1e-11, abs=RAW)


@given(
    cases(),
    st.floats(0.01, 1),
    st.sampled_from(["precision", "f1", "mcc", "fpr", "accuracy", "lift"]),
)
def test_metrics_of_the_first_rows_are_those_of_their_entries(case, part, name):
    data, scenario, prior, purity = case
    rows = len(top.the_list(*data, scenario))
    assume(len(data.unl) > 0 and 0.02 < prior < 0.95)
    k = max(round(part * rows), 1)
    recall = theta(data, scenario, prior, purity, top.even(k), top.in_first(k, rows))
    x = k / rows
    entries = (
        prior * recall,
        x - prior * recall,
        prior - prior * recall,
        1 - x - prior + prior * recall,
    )
    found = pm.metric(data.table(scenario), name, top=k, prior=prior, purity=purity)
    if min(entries) < 1e-6 or np.isnan(found.raw):
        return  # moved into what is possible, or near 0/0
    expected = jain.metric("fbeta" if name == "f1" else name, *entries)
    assert found.raw == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


def test_a_budget_is_the_threshold_of_its_last_row():
    rng = np.random.default_rng(3)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 50), unlabeled=rng.normal(0, 1, 400), scenario=CC
    )
    unlabeled = np.sort(table.scores_of("unl", np.arange(1, 401)))[::-1]
    for k in (1, 7, 60, 399):
        at = pm.metric(table, "precision", threshold=unlabeled[k - 1], prior=0.1)
        found = pm.metric(table, "precision", top=k, prior=0.1)
        assert found.raw == pytest.approx(at.raw, abs=1e-12)


def full_tables(y, score):
    return [
        pm.ScoreTable.from_arrays(y, score, scenario=s, unlabeled_label=7, neg_label=0) for s in (CC, SINGLE)
    ]  # fmt: skip


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=3, max_size=40),
    st.integers(1, 40),
)
def test_full_labels_give_scikit_learns_numbers(rows, k):
    y = np.array([int(label) for label, _ in rows])
    score = np.array([float(value) for _, value in rows])
    assume(0 < y.sum() < y.size)
    k = min(k, y.size)
    for table in full_tables(y, score):
        assert pm.ndcg(table, top=k).value == pytest.approx(
            ndcg_score([y], [score], k=k), abs=1e-12
        )
        assert pm.ndcg(table).value == pytest.approx(ndcg_score([y], [score]), abs=1e-12)
        expected = top.discoveries(list(y == 1), list(score), k) / k
        assert pm.metric(table, "precision", top=k).value == pytest.approx(expected, abs=1e-12)


def test_whole_ranks_give_the_published_formulas():
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.1).astype(int)
    score = rng.permutation(200) + 40.0 * y + rng.random(200)
    ranks = [int(np.sum(score >= s)) for s in score[y == 1]]
    for table in full_tables(y, score):
        for alpha in (5.0, 20.0, 100.0):
            rie, bedroc = (f(ranks, 200, alpha) for f in (top.rie_of_ranks, top.bedroc_of_ranks))
            assert pm.rie(table, alpha=alpha).value == pytest.approx(rie, rel=1e-12)
            assert pm.bedroc(table, alpha=alpha).value == pytest.approx(bedroc, rel=1e-12)


def test_sums_of_discounts_are_exact_beyond_those_that_are_counted():
    counted = np.cumsum(1 / np.log2(np.arange(300_000) + 2.0))
    for rank in (999, 1000, 1001, 5000, 300_000):
        assert float(Logarithmic.total(rank)) == pytest.approx(counted[rank - 1], rel=1e-13)
    assert float(Logarithmic.total(1500.5)) == pytest.approx(
        (counted[1499] + counted[1500]) / 2, rel=1e-13
    )


def test_tied_rows_at_the_end_are_told():
    table = pm.ScoreTable.from_groups(
        positive=[3, 2, 2, 1], unlabeled=[3, 2, 2, 2, 1, 0], scenario=CC
    )
    found = pm.metric(table, "recall", top=2)
    assert found.value == pytest.approx(1 / 4 + 2 / 4 / 3)
    assert [d.code for d in found.diagnostics if d.code == "PM112"] == ["PM112"]
    assert "3 rows share the score 2" in str(found)
    whole = pm.metric(table, "recall", top=4)
    assert not [d for d in whole.diagnostics if d.code == "PM112"]


@pytest.mark.parametrize("scenario", [CC, SINGLE])
def test_what_needs_no_prior_does_not_depend_on_it(scenario):
    table = tables()[scenario]
    priors = (0.4, 0.5, (0.35, 0.6))
    for ask in (
        lambda **o: pm.enrichment_factor(table, top=2, **o),
        lambda **o: pm.rie(table, **o),
        lambda **o: pm.metric(table, "recall", top=2, **o),
    ):
        free = ask()
        assert free.prior is None
        for prior in priors:
            found = ask(prior=prior)
            assert found.raw == pytest.approx(free.raw, abs=1e-12)
            assert found.interval.high <= free.interval.high + 1e-12
        with pytest.raises(InputError, match="pass prior"):
            ask(purity=0.9)
        with pytest.raises(InputError, match="pass prior"):
            ask(label_bias=2.0)
    with pytest.raises(PriorError, match="prior is missing"):
        pm.metric(table, "precision", top=2)
    with pytest.raises(PriorError, match="prior is missing"):
        pm.bedroc(table)


def test_biased_labels_widen_and_contain():
    rng = np.random.default_rng(1)
    for scenario in (CC, SINGLE):
        y = rng.random(600) < 0.15
        table = pm.ScoreTable.from_arrays(y, rng.normal(size=600) + 1.5 * y, scenario=scenario)
        for ask in (
            lambda t, **o: pm.enrichment_factor(t, top=0.1, **o),
            lambda t, **o: pm.rie(t, **o),
            lambda t, **o: pm.bedroc(t, **o),
            lambda t, **o: pm.ndcg(t, top=50, **o),
            lambda t, **o: pm.metric(t, "precision", top=50, **o),
        ):
            spans = [ask(table, prior=0.3, label_bias=bias) for bias in (1.0, 1.5, 3.0)]
            for narrow, wide in pairwise(spans):
                assert wide.interval.low <= narrow.interval.low + 1e-9
                assert wide.interval.high >= narrow.interval.high - 1e-9
                assert wide.bias_range.low <= wide.value <= wide.bias_range.high
            high = ask(table, prior=0.3, label_bias=3.0, label_bias_side="high")
            assert high.bias_range.high <= high.value + 1e-9


def test_an_audit_takes_budgets_where_no_rows_are_tied():
    rng = np.random.default_rng(2)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, 30), unlabeled=rng.normal(0, 1, 300), scenario=CC
    )
    scores = table.scores_of("unl", np.arange(1, 301, 3))
    audit = pm.Audit.from_arrays(scores, scores > 1.0)
    found = pm.metric(table, "precision", top=40, audit=audit)
    at = float(np.sort(table.scores_of("unl", np.arange(1, 301)))[::-1][39])
    assert found.value == pm.metric(table, "precision", threshold=at, audit=audit).value
    tied = pm.ScoreTable.from_groups(positive=[2, 1], unlabeled=[2, 1, 1, 1, 0], scenario=CC)
    with pytest.raises(UnsupportedError, match="tied at the end of the first 2 rows"):
        pm.metric(tied, "precision", top=2, audit=pm.Audit.from_arrays([1.0, 0.0], [1, 0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Neither threshold nor top"),
        ({"threshold": 1.0, "top": 3}, "Both threshold and top"),
        ({"top": 0}, "number of rows such as 100"),
        ({"top": -0.1}, "number of rows such as 100"),
        ({"top": True}, "must be a number"),
        ({"top": 12}, "more rows than the 4 there are"),
        ({"top": "all"}, "must be a number"),
    ],
)
def test_wrong_budgets_are_told(options, message):
    with pytest.raises(InputError, match=message):
        pm.metric(tables()[CC], "precision", prior=0.3, **options)
    with pytest.raises(InputError, match="alpha=0 must lie between"):
        pm.rie(tables()[CC], alpha=0)


def test_weights_are_repetitions_and_all_rows_are_all_positives():
    table = tables()[CC]
    assert pm.metric(table, "recall", top=4).value == 1.0
    assert pm.metric(table, "recall", top=1.0).value == 1.0
    y, s = [1, 1, 0, 0, 0], [5.0, 2.0, 4.0, 3.0, 1.0]
    weighted = pm.ScoreTable.from_arrays(y, s, scenario=CC, sample_weight=[1, 2, 3, 1, 1])
    repeated = pm.ScoreTable.from_arrays(
        np.repeat(y, [1, 2, 3, 1, 1]), np.repeat(s, [1, 2, 3, 1, 1]), scenario=CC
    )
    for k in (1, 3, 4):
        found = [pm.metric(t, "recall", top=k).value for t in (weighted, repeated)]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


@given(cases(), st.floats(0.02, 0.5))
def test_intervals_hold_no_more_than_so_many_rows_can(case, part):
    data, scenario, prior, _ = case
    assume(len(data.unl) > 0 and prior > 0)
    table = data.table(scenario)
    top = max(round(part * table.design.population_size(table.totals)), 1)
    rows = table.design.population_size(table.totals)
    try:
        found = {
            name: pm.metric(table, name, top=top, prior=prior)
            for name in ("recall", "f1", "precision")
        }
    except PriorError:
        assume(False)
    most = min(top / (prior * rows), 1.0)
    assert found["recall"].high <= most + 1e-9
    assert found["f1"].high <= 2 * prior * most / (prior + top / rows) + 1e-9
    for estimate in found.values():
        assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12


def test_in_a_single_training_set_a_labelled_row_is_part_of_the_list():
    """Simulated: limits are those of the spread, not of two samples that know nothing of each other."""
    rng, rows, prior, top, found = np.random.default_rng(5), 2000, 0.05, 100, []
    for _ in range(150):
        truth = rng.random(rows) < prior
        score = rng.normal(size=rows) + 2 * truth
        table = pm.ScoreTable.from_arrays(
            (truth & (rng.random(rows) < 0.6)).astype(int), score, scenario=SINGLE
        )
        estimate = pm.enrichment_factor(table, top=top)
        found.append((estimate.value, estimate.high - estimate.low))
    values, widths = np.array(found).T
    assert 0.95 < widths.mean() / (2 * 1.96 * values.std()) < 1.35
