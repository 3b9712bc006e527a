"""Following an audit while answers come in: every look, the stopping rule, and how rarely it errs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.auditing.cases import cases

RNG = np.random.default_rng(4)
TRUTH = RNG.random(2000) < 0.3
SCORE = RNG.normal(size=2000) + 2 * TRUTH
Y = (TRUTH & (RNG.random(2000) < 0.3)).astype(int)
TABLE = pm.ScoreTable.from_arrays(Y, SCORE, scenario="single_training_set")
PLAN = pm.plan_audit(TABLE, budget=200, target="f1", threshold=1.0, prior=0.3)
ROWS = PLAN.draw(Y, SCORE, rng=3)
AUDIT = PLAN.audit(ROWS, TRUTH[ROWS], sequential=True)
PRECISION = {"statistic": "precision", "threshold": 1.0}


def direct(statistic, audit, threshold):
    if statistic == "prior":
        return pm.prior_from_audit(audit, table=TABLE)
    if statistic in ("roc_auc", "average_precision"):
        return getattr(pm, statistic)(TABLE, audit=audit)
    return pm.metric(TABLE, statistic, threshold=threshold, audit=audit)


@pytest.mark.parametrize("statistic", ["precision", "mcc", "prior", "roc_auc", "average_precision"])
def test_every_look_is_the_estimate_from_the_rows_so_far(statistic):
    at = 1.0 if statistic in ("precision", "mcc") else None
    path = pm.follow_audit(TABLE, AUDIT, statistic, threshold=at, every=40)
    assert path.checked.tolist() == [40, 80, 120, 160, 200]
    for place, rows in enumerate(path.checked):
        part = PLAN.audit(ROWS[:rows], TRUTH[ROWS[:rows]], sequential=True)
        part = pm.auditing.audit.replace(part, planned=200)
        found = direct(statistic, part, at)
        assert path.value[place] == pytest.approx(float(found), abs=1e-12)
        assert (path.low[place], path.high[place]) == pytest.approx(tuple(found.interval), abs=1e-9)


@pytest.mark.parametrize("rows", [1, 3, 17, 120, 200])
def test_the_first_rows_of_a_planned_audit_stand_for_all_others(rows):
    wanted = PLAN.audit(ROWS[:rows], TRUTH[ROWS[:rows]])
    first = AUDIT.first(rows)
    np.testing.assert_array_equal(first.weight, wanted.weight)
    np.testing.assert_array_equal(first.positive, wanted.positive)
    assert first.planned == 200


@given(case=cases(), rows=st.integers(1, 30))
def test_weights_of_the_first_rows_add_up_to_the_rows_of_their_strata(case, rows):
    audit = case.audit.first(rows)
    stratum = audit.strata.of(audit.scores["model"])
    for one in np.unique(stratum):
        mine = audit.weight[stratum == one]
        assert mine.sum() == pytest.approx(audit.strata.rows[one])
        assert np.ptp(mine) == 0


def test_looks_end_with_what_is_there_and_begin_with_an_unlabeled_row():
    part = pm.auditing.audit.replace(AUDIT.first(25))
    assert pm.follow_audit(TABLE, part, **PRECISION).checked.tolist() == [10, 20, 25]
    assert pm.follow_audit(TABLE, part, **PRECISION, every=100).checked.tolist() == [25]
    known = np.flatnonzero(Y)[:12]
    rows = np.r_[known, np.asarray(ROWS[:12])]
    mixed = pm.Audit.from_arrays(
        SCORE[rows], TRUTH[rows], labelled=Y[rows].astype(bool), planned=50
    )
    assert pm.follow_audit(TABLE, mixed, **PRECISION).checked.tolist() == [20, 24]


def test_the_first_look_that_is_narrow_enough_stops():
    free = pm.follow_audit(TABLE, AUDIT, **PRECISION)
    assert free.stopped is None
    assert not free.enough
    widths = free.high - free.low
    wanted = float(widths[12])
    path = pm.follow_audit(TABLE, AUDIT, **PRECISION, width=wanted)
    assert path.stopped == path.checked[np.flatnonzero(widths <= wanted)[0]]
    assert path.enough
    assert path.more == 0
    assert "narrow enough" in str(path)
    assert "you can stop" in str(path)
    early = pm.follow_audit(TABLE, AUDIT.first(30), **PRECISION, width=wanted)
    assert not early.enough
    assert "About" in str(early)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"above": 0.3}, "is above 0.3"),
        ({"above": 0.99}, "is not above 0.99"),
        ({"below": 0.99}, "is below 0.99"),
        ({"below": 0.3}, "is not below 0.3"),
    ],
)
def test_what_is_decided_is_said(rule, said):
    path = pm.follow_audit(TABLE, AUDIT, **PRECISION, **rule)
    limit = next(iter(rule.values()))
    out = (path.low > limit) | (path.high < limit)
    assert path.stopped == path.checked[np.flatnonzero(out)[0]]
    assert said in str(path)


def test_of_two_rules_the_first_that_is_met_stops():
    one, other = (
        pm.follow_audit(TABLE, AUDIT, **PRECISION, **rule).stopped
        for rule in ({"width": 0.3}, {"above": 0.3})
    )
    both = pm.follow_audit(TABLE, AUDIT, **PRECISION, width=0.3, above=0.3)
    assert both.stopped == min(one, other)


def test_the_forecast_of_further_rows_is_about_right():
    final = pm.follow_audit(TABLE, AUDIT, **PRECISION)
    wanted = float(final.high[-1] - final.low[-1])
    part = pm.follow_audit(TABLE, AUDIT.first(80), **PRECISION, width=wanted)
    assert 60 <= part.more <= 220  # it took about 120
    # Rows are a sample of a population: no audit makes the interval narrower than that.
    never = pm.follow_audit(TABLE, AUDIT, **PRECISION, width=1e-4)
    assert never.more == math.inf
    assert "Even checking all" in str(never)
    near = pm.follow_audit(TABLE, AUDIT, **PRECISION, above=float(final.value[-1]))
    assert near.more == math.inf
    beyond = pm.follow_audit(TABLE, AUDIT, **PRECISION, width=0.8 * wanted)
    assert 0 < beyond.more < math.inf
    assert "more than the 200 planned" in str(beyond)


def test_nothing_is_forecast_from_an_interval_that_says_nothing():
    none = pm.Audit.from_arrays(SCORE[ROWS[:20]], np.zeros(20), planned=100)
    path = pm.follow_audit(TABLE, none, "roc_auc", width=0.1)
    assert (path.low[-1], path.high[-1]) == (0.0, 1.0)
    assert path.more is None
    assert "too early to say" in str(path)
    assert "PM130" in [remark.code for remark in path.diagnostics]


def test_the_result_is_like_all_others():
    path = pm.follow_audit(TABLE, AUDIT, **PRECISION, width=0.2)
    assert list(path.frame()) == ["checked", "value", "low", "high"]
    assert path == pm.follow_audit(TABLE, AUDIT, **PRECISION, width=0.2)
    assert path.to_dict()["stopped"] == path.stopped
    assert str(path).startswith(
        f"Checked 200 of 200 rows: precision at score >= 1 is {path.value[-1]:.4f} ("
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"audit": PLAN.audit(ROWS, TRUTH[ROWS])}, "sequential=True"),
        ({"audit": "rows"}, "must be an Audit"),
        ({"statistic": "sharpness"}, "no statistic"),
        ({"threshold": None}, "pass threshold"),
        ({"statistic": "roc_auc"}, "takes no threshold"),
        ({"every": 0}, "every"),
        ({"width": 0}, "width"),
        ({"width": -1.0}, "width"),
        ({"above": 0.5, "below": 0.5}, "above or below"),
        ({"above": math.nan}, "finite"),
        ({"beta": 2}, "not an option"),
    ],
)  # fmt: skip
def test_wrong_questions_are_explained(change, said):
    given = {"table": TABLE, "audit": AUDIT, **PRECISION, **change}
    with pytest.raises(InputError, match=said):
        pm.follow_audit(**given)


def test_few_rows_of_many_strata_say_no_more_than_as_many_drawn_at_random():
    # Nine answers that are all alike: limits of single rows are the whole range, and must not cancel out.
    unlabeled = np.arange(900) / 900
    table = pm.ScoreTable.from_groups(positive=[1.0], unlabeled=unlabeled, scenario="case_control")
    plain = pm.Audit.from_arrays(unlabeled[50::100], np.ones(9), planned=200)
    edges = np.arange(1, 9) / 9
    strata = pm.auditing.Strata("model", edges, np.full(9, 100.0))
    planned = pm.auditing.audit.replace(plain, strata=strata)
    for name in ("precision", "f1"):
        low, other = (
            pm.metric(table, name, threshold=0.0, audit=audit).interval.low
            for audit in (planned, plain)
        )
        assert low <= other + 0.1


@pytest.mark.slow
def test_looking_after_every_ten_rows_errs_as_rarely_as_it_says():
    from tests.programs import load

    program = load("simulate_looking")
    found = program.false_alarms(program.World("random", 0.2, 400, "prior"), 40, seed=5)
    assert found["sequence"] <= 0.05
    assert found["plain"] >= 0.15
