"""Plans of audits: what they draw, what they promise, and how answers come back."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.planning.sheets import audit_of_sheet, plan_text, sheet_text

RNG = np.random.default_rng(4)
TRUTH = RNG.random(2000) < 0.15
SCORE = RNG.normal(size=2000) + 2 * TRUTH
Y = (TRUTH & (RNG.random(2000) < 0.3)).astype(int)
TABLE = pm.ScoreTable.from_arrays(Y, SCORE, scenario="single_training_set")
TARGETS = ("precision", "recall", "f1", "roc_auc", "average_precision", "prior")


@pytest.mark.parametrize("target", TARGETS)
def test_plans_spend_the_budget_and_expect_less_than_chance_would(target):
    plan = pm.plan_audit(TABLE, budget=120, target=target, threshold=1.5, prior=0.15)
    assert plan.draws.sum() == 120
    assert np.all(plan.draws <= plan.strata.rows)
    assert plan.strata.rows.sum() == TABLE.total_unl
    assert plan.width < plan.random_width
    assert 1.5 in plan.strata.edges
    widths = list(plan.widths.values())
    assert widths == sorted(widths, reverse=True)


def test_draws_are_repeatable_random_and_of_unlabeled_rows():
    plan = pm.plan_audit(TABLE, budget=100, target="f1", threshold=1.5, prior=0.15)
    rows = plan.draw(Y, SCORE, rng=7)
    np.testing.assert_array_equal(rows, plan.draw(Y, SCORE, rng=7))
    assert not np.array_equal(rows, plan.draw(Y, SCORE, rng=8))
    assert len(set(rows.tolist())) == 100
    assert not Y[rows].any()
    per = np.bincount(plan.strata.of(SCORE[rows]), minlength=plan.draws.size)
    np.testing.assert_array_equal(per, plan.draws)


def test_parts_of_a_draw_are_audits_and_gaps_are_noticed():
    plan = pm.plan_audit(TABLE, budget=100, target="f1", threshold=1.5, prior=0.15)
    rows = plan.draw(Y, SCORE)
    part = plan.audit(rows[:40], TRUTH[rows[:40]])
    assert len(part) == 40
    assert not part.diagnostics
    answers = TRUTH[rows].astype(object)
    answers[40:] = None
    same = plan.audit(rows, answers)
    np.testing.assert_array_equal(same.weight, part.weight)
    answers[3] = None
    assert [r.code for r in plan.audit(rows, answers).diagnostics] == ["PM131"]
    mixed = plan.audit(rows[::-1], TRUTH[rows[::-1]])
    whole = plan.audit(rows, TRUTH[rows])
    np.testing.assert_array_equal(mixed.scores["model"], whole.scores["model"])
    assert plan.audit(rows, TRUTH[rows], sequential=True).planned == 100
    plain = plan.audit(np.array(rows.tolist()), TRUTH[rows], score=SCORE)
    assert pm.roc_auc(TABLE, audit=plain).value == pytest.approx(
        pm.roc_auc(TABLE, audit=whole).value, abs=1e-9
    )


def test_wrong_answers_are_explained():
    plan = pm.plan_audit(TABLE, budget=20, target="f1", threshold=1.5, prior=0.15)
    rows = plan.draw(Y, SCORE)
    for args, said in (
        ((np.r_[rows[:1], rows[:1]], [1, 1]), "appears twice"),
        ((np.array(rows.tolist()), TRUTH[rows]), "no longer carry the draw"),
        ((rows, [None] * 20), "No row has an answer"),
        ((rows, [1]), "same length"),
        ((rows.astype(float), TRUTH[rows]), "whole numbers"),
    ):
        with pytest.raises(InputError, match=said):
            plan.audit(*args)
    with pytest.raises(InputError, match="rows that the planned table was built from"):
        plan.draw(Y[:-1], SCORE[:-1])
    strange = rows.copy()
    strange[0] = int(np.flatnonzero(Y)[0])
    with pytest.raises(InputError, match="was not drawn"):
        plan.audit(strange, TRUTH[strange])


@pytest.mark.parametrize("budget", [2, 5, 10_000])
def test_any_budget_gives_a_plan(budget):
    plan = pm.plan_audit(TABLE, budget=budget, target="recall", threshold=1.5, prior=0.15)
    assert plan.draws.sum() == min(budget, TABLE.total_unl)


def test_bad_questions_are_named():
    with pytest.raises(InputError, match="pass threshold"):
        pm.plan_audit(TABLE, budget=10, target="precision")
    with pytest.raises(InputError, match="There is no statistic"):
        pm.plan_audit(TABLE, budget=10, target="sharpness")
    with pytest.raises(UnsupportedError, match="whole rows"):
        pm.plan_audit(TABLE.cut(), budget=10, target="prior", prior=0.2)


def test_a_sheet_comes_back_as_the_same_audit():
    plan = pm.plan_audit(TABLE, budget=60, target="f1", threshold=1.5, prior=0.15)
    rows = plan.draw(Y, {"model": SCORE})
    sheet = sheet_text(rows, {"name": [f"row {i}" for i in rows.tolist()]})
    lines = [line.split(",") for line in sheet.splitlines()]
    assert lines[0] == ["order", "row", "name", "positive"]
    assert "score" not in sheet
    places = [line[1] for line in lines[1:]]
    answers = ["yes" if TRUTH[int(place)] else "no" for place in places]
    found = audit_of_sheet(plan_text(plan, rows), places, answers, {"model": SCORE}, Y == 0)
    wanted = plan.audit(rows, TRUTH[rows])
    np.testing.assert_array_equal(found.positive, wanted.positive)
    np.testing.assert_array_equal(found.weight, wanted.weight)
    for change, said in (
        ({"answers": ["maybe", *answers[1:]]}, "yes or no"),
        ({"places": ["x", *places[1:]]}, "Keep that column"),
        ({"scores": {"model": SCORE + 1}}, "differ from those"),
        ({"scores": {"other": SCORE}}, "planned on the scores"),
        ({"unlabeled": np.zeros(2000, bool)}, "carries a label"),
        ({"plan": "{}"}, "cannot be read"),
    ):
        given = {
            "plan": plan_text(plan, rows), "places": places, "answers": answers,
            "scores": {"model": SCORE}, "unlabeled": Y == 0, **change,
        }  # fmt: skip
        with pytest.raises(InputError, match=said):
            audit_of_sheet(**given)


@pytest.mark.parametrize("target", ["roc_auc", "average_precision"])
@pytest.mark.parametrize(("apart", "prior"), [(1.0, 0.4), (2.0, 0.2)])
def test_areas_get_the_interval_that_was_expected(target, apart, prior):
    rng = np.random.default_rng(8)
    truth = rng.random(4000) < prior
    score = rng.normal(size=4000) + apart * truth
    y = (truth & (rng.random(4000) < 0.2)).astype(int)
    table = pm.ScoreTable.from_arrays(y, score, scenario="single_training_set")
    plan = pm.plan_audit(table, budget=200, target=target, prior=prior)
    function, planned, random = getattr(pm, target), [], []
    for seed in range(5):
        rows = plan.draw(y, score, rng=seed)
        planned.append(function(table, audit=plan.audit(rows, truth[rows])).interval.width)
        rows = rng.choice(np.flatnonzero(y == 0), 200, replace=False)
        audit = pm.Audit.from_arrays(score[rows], truth[rows])
        random.append(function(table, audit=audit).interval.width)
    assert plan.width == pytest.approx(np.mean(planned), rel=0.3)
    assert plan.random_width == pytest.approx(np.mean(random), rel=0.3)


@pytest.mark.parametrize("target", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("budget", [2, 10, 50, 200, 1000])
def test_no_plan_for_an_area_is_expected_to_be_worse_than_chance(target, budget):
    plan = pm.plan_audit(TABLE, budget=budget, target=target, prior=0.15)
    assert 0 < plan.width <= 1
    assert plan.width <= plan.random_width * 1.1
