"""What an audit would make of the AUC's interval: where it is told, and that it comes true."""

import json
import time
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.planning.strata import area_outlook

RNG = np.random.default_rng(6)
TRUTH = RNG.random(4000) < 0.25
SCORE = RNG.normal(size=4000) + 1.8 * TRUTH
Y = (TRUTH & (RNG.random(4000) < 0.3)).astype(int)
TABLE = pm.ScoreTable.from_arrays(Y, SCORE, scenario="single_training_set")


def narrowing(table, **options):
    return pm.evaluate(table, threshold=1.0, **options).models["model"].narrowing


def test_audits_narrow_the_interval_as_far_as_was_told():
    told = narrowing(TABLE, prior=0.25)
    assert list(told.planned_audits) == list(told.random_audits) == [50, 200, 1000]
    assert told.audits == {}  # the prior is known
    for rows in (200, 1000):
        plan = pm.plan_audit(TABLE, budget=rows, target="roc_auc", prior=0.25)
        assert told.planned_audits[rows] == pytest.approx(plan.width, rel=0.05)
        assert told.random_audits[rows] == pytest.approx(plan.random_width, rel=1e-9)
        planned, random = [], []
        for seed in range(4):
            drawn = plan.draw(Y, SCORE, rng=seed)
            audit = plan.audit(drawn, TRUTH[drawn])
            planned.append(pm.roc_auc(TABLE, audit=audit).interval.width)
            drawn = np.random.default_rng(seed).choice(np.flatnonzero(Y == 0), rows, replace=False)
            audit = pm.Audit.from_arrays(SCORE[drawn], TRUTH[drawn])
            random.append(pm.roc_auc(TABLE, audit=audit).interval.width)
        assert told.planned_audits[rows] == pytest.approx(np.mean(planned), rel=0.25)
        assert told.random_audits[rows] == pytest.approx(np.mean(random), rel=0.25)


def test_it_is_said_with_a_next_step():
    told = narrowing(TABLE, prior=(0.1, 0.4))
    text = str(told)
    width, other = told.planned_audits[200], told.random_audits[200]
    assert f"200 rows ({width:.4f}" in text
    assert "checked by hand, with neither a prior nor random labels assumed" in text
    assert "plan_audit(table, budget=200, target='roc_auc')" in told.next_step
    assert f"the prior from 1000 random rows ({told.audits[1000]:.4f})" in text
    frame = told.frame()
    assert frame["width"][frame["what"] == "an audit of 200 planned rows"] == [width]
    page = pm.evaluate(TABLE, prior=(0.1, 0.4), threshold=1.0)
    assert f"200 rows ({width:.4f}" in page.details()
    html = unescape(page.to_html())
    assert "an audit of 200 planned rows" in html
    assert "target='roc_auc'" in html
    found = json.loads(page.to_json())["models"]["model"]["narrowing"]
    assert found["planned_audits"]["200"] == width
    assert found["random_audits"]["200"] == other


def test_it_is_told_only_where_rows_can_be_checked():
    weighted = pm.ScoreTable.from_arrays(
        Y, SCORE, sample_weight=np.full(Y.size, 0.5), scenario="single_training_set"
    )
    for table in (TABLE.cut(), weighted):
        told = pm.evaluate(table, prior=0.25).models["model"].narrowing
        assert told.planned_audits == told.random_audits == {}
        assert "checked by hand" not in str(told)
        assert "audit" not in str(told)
    full = pm.ScoreTable.from_arrays(TRUTH.astype(int), SCORE, scenario="single_training_set")
    told = narrowing(full.unlabeled_as_negative())
    assert told.planned_audits == {}
    few = pm.ScoreTable.from_arrays(Y[:150], SCORE[:150], scenario="single_training_set")
    told = narrowing(few, prior=0.3)
    assert list(told.planned_audits) == [50]
    assert "an audit of up to 50 rows would not help" in str(told)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.5, 1.0])
@pytest.mark.parametrize("levels", [1, 2, 50])
def test_any_table_has_an_outlook(scenario, share, levels):
    score = np.round(SCORE[:600] * levels) / levels if levels > 1 else np.zeros(600)
    y = np.r_[np.ones(3, int), np.zeros(597, int)]
    table = pm.ScoreTable.from_arrays(y, score, scenario=scenario)
    for widths in area_outlook(table, share, (50, 200, 1000), 0.95):
        assert list(widths) == [50, 200]
        assert all(0 <= width <= 1 for width in widths.values())


def test_it_costs_little():
    area_outlook(TABLE, 0.2, (50, 200, 1000), 0.95)
    spent = []
    for _ in range(5):
        start = time.process_time()
        area_outlook(TABLE, 0.2, (50, 200, 1000), 0.95)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.05  # about 0.005


def test_what_would_not_help_is_said():
    told = replace(
        narrowing(TABLE, prior=(0.2, 0.3)), audits={50: 0.2, 200: 0.05}, width=0.2,
        planned_audits={50: 0.199, 200: 0.2}, random_audits={50: 0.21, 200: 0.2},
    )  # fmt: skip
    text = str(told)
    assert "it would hardly be narrower with the prior from 50 random rows" in text
    assert "the prior from 200 random rows (0.0500)" in text
    assert "an audit of up to 200 rows would not help" in text
    told = replace(told, planned_audits={200: 0.1}, random_audits={200: 0.15})
    assert "200 rows (0.1000, or 0.1500 if drawn at random)" in str(told)
