"""Columns of a data frame that are evidence."""

import numpy as np
import pandas as pd
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.evidence.rows import drawn

ROWS = drawn(3, 2500)
SINGLE = {"scenario": "single_training_set"}


def frame():
    rng = np.random.default_rng(5)
    said = np.where(ROWS.positive, rng.random(2500) < 0.9, rng.random(2500) < 0.1)
    looked = ~ROWS.labelled & (rng.random(2500) < 0.15)
    truth = np.where(ROWS.positive, "yes", "no")
    first = np.where(rng.random(2500) < 0.95, truth, np.where(ROWS.positive, "no", "yes"))
    return pd.DataFrame({
        "p": ROWS.score, "q": ROWS.score + rng.normal(size=2500),
        **{name: column.astype(int) for name, column in ROWS.caught.items()},
        "any": ROWS.labelled.astype(int), "llm": said.astype(int),
        "outcome": np.where(looked, truth, ""), "first": np.where(looked, first, ""),
        "again": np.where(looked & (rng.random(2500) < 0.4), truth, ""),
    })  # fmt: skip


FRAME = frame()
HIDDEN = ~ROWS.labelled
ANSWERS = FRAME["outcome"].to_numpy()[HIDDEN]


def same(first, second):
    assert float(first) == float(second)
    assert (first.interval.low, first.interval.high) == (second.interval.low, second.interval.high)


def test_several_label_columns_are_sources():
    found = pm.evaluate(FRAME, label=["reported", "rule"], score="p", **SINGLE)
    direct = pm.evaluate(ROWS.table, evidence=[ROWS.sources()])
    assert found.prior == direct.prior
    assert found.trust.level == "evidence"
    assert found.prior.low < ROWS.positive.mean() < found.prior.high
    same(found["model"]["roc_auc"], direct["model"]["roc_auc"])
    assert found.evidence.kinds == ("two label sources (reported, rule)",)


def test_one_label_column_in_a_list_is_a_label():
    found = pm.roc_auc(FRAME, label=["any"], score="p", prior=0.2, **SINGLE)
    same(found, pm.roc_auc(FRAME, label="any", score="p", prior=0.2, **SINGLE))
    assert found.evidence is None


def test_checked_rows_are_investigated():
    found = pm.metric(
        FRAME, "recall", label="any", score="p", checked="outcome", threshold=1, **SINGLE
    )
    looked = pm.Investigated.from_arrays(ROWS.score[HIDDEN], ANSWERS)
    same(found, pm.metric(ROWS.table, "recall", threshold=1, evidence=[looked]))
    truth = (ROWS.positive & (ROWS.score >= 1)).sum() / ROWS.positive.sum()
    assert truth in found.interval


def test_second_answers_have_a_column():
    named = {"label": "any", "score": "p", "checked": "first", "second": "again", **SINGLE}
    found = pm.metric(FRAME, "recall", threshold=1, **named)
    first, again = (FRAME[name].to_numpy()[HIDDEN] for name in ("first", "again"))
    looked = pm.Investigated.from_arrays(ROWS.score[HIDDEN], first, second=again)
    same(found, pm.metric(ROWS.table, "recall", threshold=1, evidence=[looked]))


def test_a_judge_has_a_column():
    named = {"label": "any", "score": "p", "checked": "outcome", "judge": "llm", **SINGLE}
    found = pm.metric(FRAME, "precision", threshold=1, **named)
    judge = pm.Judged.from_arrays(ROWS.score[HIDDEN], FRAME["llm"].to_numpy()[HIDDEN], ANSWERS)
    same(found, pm.metric(ROWS.table, "precision", threshold=1, evidence=[judge]))


def test_columns_stand_beside_other_evidence():
    found = pm.evaluate(
        FRAME, label=["reported", "rule"], score="p", checked="outcome",
        evidence=[pm.PublishedPrior(0.2, error=0.01)], **SINGLE,
    )  # fmt: skip
    kinds = found.evidence.kinds
    assert [kind.split()[0] for kind in kinds] == ["two", str((ANSWERS != "").sum()), "a"]
    alone = found.evidence.high - found.evidence.low
    assert found.prior.high - found.prior.low < min(alone)


def test_several_models_share_their_evidence():
    found = pm.compare(FRAME, label=["reported", "rule"], score=["p", "q"], **SINGLE)
    difference = found.differences[0]
    assert {difference.first, difference.second} == {"p", "q"}
    assert 0 < difference.value < 0.3
    assert difference.value in difference.interval
    direct = pm.JointTable.from_arrays(FRAME["any"], {n: FRAME[n] for n in "pq"}, **SINGLE)
    sources = pm.LabelSources.from_arrays({n: FRAME[n] for n in "pq"}, ROWS.caught)
    same(difference, pm.compare(direct, evidence=[sources]).differences[0])


@pytest.mark.parametrize(("named", "said"), [
    ({"label": "any", "judge": "llm"}, "without answers of people"),
    ({"label": "any", "second": "again"}, "without answers of people"),
    ({"label": ["reported", "rule"], "neg_label": -1}, "single label column"),
    ({"label": []}, "label is empty"),
    ({"label": ["reported", ["rule"]]}, "does not name a column"),
    ({"label": "any", "checked": 3.5}, "checked=3.5 does not name a column"),
    ({"label": "any", "checked": "absent"}, "absent"),
])  # fmt: skip
def test_what_columns_cannot_be_is_said(named, said):
    with pytest.raises(InputError, match=said):
        pm.evaluate(FRAME, score="p", **named, **SINGLE)


def test_names_need_a_data_frame():
    with pytest.raises(InputError, match="Pass a data frame"):
        pm.evaluate(ROWS.labelled.astype(int), ROWS.score, checked="outcome", **SINGLE)


def test_functions_without_evidence_refuse_several_label_columns():
    with pytest.raises(InputError, match="names several columns"):
        pm.estimate_prior(FRAME, label=["reported", "rule"], score="p", **SINGLE)
