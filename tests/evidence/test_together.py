"""Several kinds of evidence: what each is worth, and which contradict each other."""

import json
import pickle
from functools import cache

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.evidence import Joined
from tests.evidence.rows import drawn

PRIOR = 0.2
RIGHT = pm.PublishedPrior(PRIOR, error=0.005)
NAMED = drawn(0, 6000, rates=(0.35, 0.25), shared=2.0)


def codes(result):
    return {remark.code for remark in result.diagnostics}


# ---------------------------------------------------------------- the table


@cache
def table_of(seed=2):
    rows, rng = drawn(seed, 1500), np.random.default_rng(1000 + seed)
    given = [rows.sources(), rows.investigated(0.05, rng), RIGHT]
    return rows, pm.metric(rows.table, "recall", threshold=1, evidence=given)


def test_the_table_says_what_each_kind_is_worth():
    rows, recall = table_of()
    table = recall.evidence
    assert table is recall.evidence  # it is made once
    assert table.name == "recall"
    assert len(table.kinds) == len(table.assumes) == table.value.size == table.without.size == 3
    assert table.together == (recall.value, recall.interval.low, recall.interval.high)
    # each kind alone is what a call with it alone gives; without it, what the others give
    alone = pm.metric(rows.table, "recall", threshold=1, evidence=[rows.sources()])
    assert (table.value[0], table.low[0], table.high[0]) == pytest.approx(
        (alone.value, alone.interval.low, alone.interval.high), rel=1e-12
    )
    rest = pm.metric(rows.table, "recall", threshold=1, evidence=[rows.sources(), RIGHT])
    assert table.without[1] == pytest.approx(rest.interval.width, rel=1e-12)
    assert recall.interval.width < min(table.high - table.low)
    truth = (rows.positive & (rows.score >= 1)).sum() / rows.positive.sum()
    assert truth in recall.interval


def test_the_table_is_a_result():
    _, recall = table_of()
    table = recall.evidence
    frame = table.frame()
    assert frame["evidence"].tolist() == [*table.kinds, "all together"]
    assert frame["value"][-1] == recall.value
    assert np.isnan(frame["width_without"][-1])
    found = table.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["kinds"] == list(table.kinds)
    text = str(table)
    assert text.splitlines()[0] == "Recall (true positive rate), as each kind of evidence tells it:"
    assert all(kind in text for kind in table.kinds)
    assert repr(table).startswith("<EvidenceTable: ")


def test_tables_of_a_copy_are_the_same():
    rows, recall = table_of()
    prior = pm.assume(rows.table, evidence=[rows.sources(), RIGHT]).joint_prior()
    for result in (recall, prior):
        assert pickle.loads(pickle.dumps(result)).evidence == result.evidence


def test_a_single_kind_has_no_others():
    rows = drawn(4, 1000)
    table = pm.roc_auc(rows.table, evidence=[rows.sources()]).evidence
    assert np.isnan(table.without).all()
    assert table.contradicting == ()


def test_prior_and_label_bias_are_evidence_like_any_other():
    rows, rng = drawn(5), np.random.default_rng(1005)
    given = [rows.investigated(0.05, rng)]
    found = Joined.stated(rows.table, given, prior=(0.15, 0.25), label_bias=2.0)
    titles = [kind.title for kind in found.evidence[1:]]
    assert titles == ["labels with a bias up to 2", "a prior between 0.1500 and 0.2500"]
    audit = pm.Audit.from_arrays(rows.score[:40], rows.positive[:40], labelled=rows.labelled[:40])
    checked, stated = Joined.stated(rows.table, [audit], prior=0.2).evidence
    assert "audited rows" in checked.title
    assert len(checked) == (~rows.labelled[:40]).sum()
    assert stated.title == "the prior 0.2"
    table = pm.metric(rows.table, "recall", threshold=1, evidence=given, prior=0.2).evidence
    assert table.kinds[1] == "the prior 0.2"


def test_no_evidence_means_no_table():
    rows = drawn(4, 1000)
    assert pm.roc_auc(rows.table, prior=0.2).evidence is None
    assert pm.evaluate(rows.table, prior=0.2).evidence is None
    assert pm.estimate_prior(rows.table).evidence is None


# ---------------------------------------------------------------- what contradicts what


def test_a_shared_cause_is_named_beside_a_right_prior():
    """Sources said to be independent, though the same cases are easy for both: too few positives."""
    for seed in range(6):
        rows = drawn(seed, 5000, rates=(0.35, 0.25), shared=2.0)
        found = pm.assume(rows.table, evidence=[rows.sources(), RIGHT]).joint_prior()
        assert codes(found) >= {"PM152"}, seed
        assert found.trust.level == "contradicted"
        assert np.isnan(found.prior)


def test_a_contradiction_names_both_and_averages_nothing():
    alone = [
        pm.assume(NAMED.table, evidence=[kind]).joint_prior() for kind in (NAMED.sources(), RIGHT)
    ]
    found = pm.assume(NAMED.table, evidence=[NAMED.sources(), RIGHT]).joint_prior()
    assert found.interval.low == min(one.interval.low for one in alone)
    assert found.interval.high == max(one.interval.high for one in alone)
    assert found.evidence.contradicting == ((0, 1),)
    assert "contradict each other" in str(found.evidence)
    (said,) = (remark.message for remark in found.diagnostics if remark.code == "PM152")
    assert "sources catch independently" in said
    assert "sample of the population that it was measured in" in said
    recall = pm.metric(NAMED.table, "recall", threshold=1, evidence=[NAMED.sources(), RIGHT])
    assert np.isnan(recall.value)
    assert recall.interval.low < recall.interval.high


def test_an_evaluation_says_what_contradicts_what():
    found = pm.evaluate(NAMED.table, evidence=[NAMED.sources(), RIGHT], threshold=1)
    assert found.trust.level == "contradicted"
    assert "two assumptions cannot both hold" in found.trust.reason
    assert "PM152" in codes(found["model"])
    assert json.loads(found.to_json())["evidence"]["contradicting"] == [[0, 1]]


def test_a_range_of_the_dependence_that_holds_the_truth_contradicts_nothing():
    given = [NAMED.sources(dependence=(1, 8)), RIGHT]
    found = pm.assume(NAMED.table, evidence=given).joint_prior()
    assert "PM152" not in codes(found)
    assert PRIOR in found.interval


def test_what_is_right_is_rarely_accused():
    """At most one of eight samples; if 5% of them are accused, that has a chance of 94%."""
    accused = 0
    for seed in range(100, 108):
        rows, rng = drawn(seed), np.random.default_rng(1000 + seed)
        given = [rows.sources(), rows.investigated(0.05, rng), RIGHT]
        found = pm.assume(rows.table, evidence=given).joint_prior()
        accused += "PM152" in codes(found)
    assert accused <= 1


# ---------------------------------------------------------------- where evidence is thin


def test_where_nobody_looked_is_named():
    rows, rng = drawn(6), np.random.default_rng(1006)
    looked = rows.investigated(np.where(rows.score > 0, 0.2, 0.0), rng)
    found = pm.metric(rows.table, "recall", threshold=1, evidence=[looked])
    (said,) = (remark.message for remark in found.diagnostics if remark.code == "PM151")
    below = float(said.split("scores below ")[1].split(":")[0])
    assert abs(below) < 0.1
    number = int(said.split("the ")[1].split()[0].replace(",", ""))
    assert abs(number - (rows.score[~rows.labelled] < below).sum()) <= 2  # the score is rounded
    # positives there stay open: recall may be as low as if all of them were positive
    least = rows.labelled.sum() / rows.score.size
    assert found.interval.low < max(least, 0.3)
    precision = pm.metric(rows.table, "precision", threshold=1, evidence=[looked])
    truth = rows.positive[rows.score >= 1].mean()
    assert truth in precision.interval
    assert precision.interval.width < 0.3


def test_rows_looked_at_everywhere_leave_no_gap():
    rows, rng = drawn(6), np.random.default_rng(1006)
    looked = rows.investigated(np.where(rows.score > 0, 0.2, 0.05), rng)
    assert "PM151" not in codes(pm.metric(rows.table, "recall", threshold=1, evidence=[looked]))


def test_few_rows_caught_twice_are_named():
    rows = drawn(8, 1500, prior=0.1, rates=(0.15, 0.15))
    sources = rows.sources()
    assert sources.twice < 8
    found = pm.assume(rows.table, evidence=[sources]).joint_prior()
    assert "PM150" in codes(found)
    assert found.interval.low <= float(found) <= found.interval.high
