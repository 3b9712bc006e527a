"""Audits of rows that belong to groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.auditing import Audited
from puremetrics.exceptions import InputError

SINGLE = "single_training_set"


def drawn(seed=0, groups=30, size=20, alike=0.8, checked=200, scenario=SINGLE):
    """Rows of groups whose shares of positives differ, and the places of those that were checked."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    share = np.clip(0.4 + alike * rng.choice([-0.45, 0.45], groups), 0.02, 0.98)
    truth = rng.random(group.size) < share[group]
    score = truth * 1.5 + rng.normal(size=group.size) + alike * rng.normal(size=groups)[group]
    y = (truth & (rng.random(group.size) < 0.3)).astype(int)
    rows = rng.choice(np.flatnonzero(y == 0), checked, replace=False)
    return y, score, truth, group, rows


def both(data, scenario=SINGLE):
    """Tables and audits with groups and without."""
    y, score, truth, group, rows = data
    return [
        (
            pm.ScoreTable.from_arrays(y, score, scenario=scenario, groups=names),
            pm.Audit.from_arrays(
                score[rows], truth[rows], groups=None if names is None else names[rows]
            ),
        )
        for names in (group, None)
    ]


STATISTICS = {
    "precision": lambda table, audit: pm.metric(table, "precision", threshold=1.0, audit=audit),
    "recall": lambda table, audit: pm.metric(table, "recall", threshold=1.0, audit=audit),
    "roc_auc": lambda table, audit: pm.roc_auc(table, audit=audit),
    "average_precision": lambda table, audit: pm.average_precision(table, audit=audit),
    "prior": lambda table, audit: pm.prior_from_audit(audit, table=table),
    "prior_and_labels": lambda table, audit: pm.prior_from_audit(
        audit, table=table, random_labels=True
    ),
    "threshold": lambda table, audit: (
        pm.choose_threshold(table, objective="f1", audit=audit, n_resamples=40).estimate
    ),
    "labels": lambda table, audit: pm.audit_labels(table, audit),
}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("scenario", [SINGLE, "case_control"])
def test_answers_that_are_alike_widen_the_interval_and_leave_the_value(name, scenario):
    grouped, alone = (STATISTICS[name](*pair) for pair in both(drawn(), scenario))
    assert float(grouped) == pytest.approx(float(alone), abs=0.05 if name == "threshold" else 1e-12)
    assert grouped.interval.width > 1.2 * alone.interval.width
    assert grouped.interval.low <= alone.interval.low
    assert grouped.interval.high >= alone.interval.high


def test_results_say_how_many_groups_and_what_they_do():
    (table, audit), (plain, lonely) = both(drawn())
    found = pm.roc_auc(table, audit=audit)
    assert found.n_groups == len(set(audit.groups.tolist()))
    assert found.design_effect > 2
    assert "PM140" in {remark.code for remark in found.diagnostics}
    assert f"{found.n_groups} groups" in str(found)
    assert pm.roc_auc(plain, audit=lonely).n_groups is None


def test_calibration_and_comparison():
    y, score, truth, group, rows = drawn()
    chance = 1 / (1 + np.exp(-score))
    second = 1 / (1 + np.exp(-score + np.random.default_rng(1).normal(size=score.size)))
    models = {"a": chance, "b": second}
    found = []
    for names in (group, None):
        mine = None if names is None else names[rows]
        audit = pm.Audit.from_arrays(
            {n: c[rows] for n, c in models.items()}, truth[rows], groups=mine
        )
        joint = pm.JointTable.from_arrays(y, models, scenario=SINGLE, groups=names)
        one = pm.Audit.from_arrays(chance[rows], truth[rows], groups=mine)
        error = pm.calibration_error(joint["a"], audit=one)
        differences = [
            pm.compare(joint, statistic=name, audit=audit, **options).differences[0]
            for name, options in (
                ("roc_auc", {}),
                ("average_precision", {}),
                ("brier_score", {}),
                ("f1", {"threshold": 0.5}),
            )
        ]
        found.append([error, *differences])
    for grouped, alone in zip(*found, strict=True):
        assert grouped.interval.width > 1.1 * alone.interval.width


@given(seed=st.integers(0, 10**6), scenario=st.sampled_from([SINGLE, "case_control"]))
def test_groups_of_one_row_change_nothing(seed, scenario):
    y, score, truth, _, rows = drawn(seed, 20, 10, checked=60)
    own = np.random.default_rng(seed).permutation(y.size)
    for (table, audit), (plain, lonely) in [both((y, score, truth, own, rows), scenario)]:
        for name in ("precision", "roc_auc", "average_precision", "prior"):
            grouped, alone = STATISTICS[name](table, audit), STATISTICS[name](plain, lonely)
            assert float(grouped) == float(alone)
            assert tuple(grouped.interval) == tuple(alone.interval)


@given(seed=st.integers(0, 10**6))
@example(seed=5807)  # a group whose errors cancel but for rounding
def test_what_answers_have_in_common_is_that_of_the_definition(seed):
    """κ for the number of all positives, pair by pair, at equal weights and without a forecast."""
    y, score, truth, group, rows = drawn(seed, 15, 12, checked=80)
    (table, audit), _ = both((y, score, truth, group, rows))
    audited = Audited.of(table, audit)
    cells, answer = audited.cells, audited.answer
    counts = np.bincount(cells)
    held = audited.cell_rows()
    errors = np.zeros(answer.size)
    for i in range(answer.size):
        mine = cells == cells[i]
        left = answer - audited.powers[cells] * audited.expected
        errors[i] = held[cells[i]] / counts[cells[i]] * (left[i] - left[mine].mean())
    names = group[rows]
    pairs = sum(
        2 * errors[i] * errors[j]
        for i, j in combinations(range(errors.size), 2)
        if names[i] == names[j]
    )
    sums = np.array([errors[names == name].sum() for name in set(names.tolist())])
    number = np.count_nonzero(np.abs(sums) > 1e-10 * np.abs(sums).max())
    wanted = number / (number - 1) * (1 + pairs / np.sum(errors**2)) - 1
    assert audited.alike.answers == pytest.approx(max(wanted, 0.0), abs=1e-9)


def test_names_of_groups_do_not_matter():
    y, score, truth, group, rows = drawn()
    words = np.array([f"patient {97 * g % 31}" for g in group])
    table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE, groups=group)
    found = [
        pm.roc_auc(table, audit=pm.Audit.from_arrays(score[rows], truth[rows], groups=names[rows]))
        for names in (group, words)
    ]
    assert found[0].interval == found[1].interval


def test_with_nothing_found_groups_count_as_one_row_each():
    y, score, _, group, rows = drawn(checked=60)
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control", groups=group)
    audit = pm.Audit.from_arrays(score[rows], np.zeros(rows.size), groups=group[rows])
    sizes = np.bincount(group[rows])
    audited = Audited.of(table, audit)
    assert audited.alike.answers == pytest.approx(np.sum(sizes**2) / rows.size - 1, abs=0.15)
    high = pm.prior_from_audit(audit, table=table).interval.high
    plain = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
    lonely = pm.Audit.from_arrays(score[rows], np.zeros(rows.size))
    assert high > 1.3 * pm.prior_from_audit(lonely, table=plain).interval.high


def test_a_grouped_table_needs_the_groups_of_checked_rows():
    y, score, truth, group, rows = drawn()
    table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE, groups=group)
    with pytest.raises(InputError, match="does not say which group"):
        pm.roc_auc(table, audit=pm.Audit.from_arrays(score[rows], truth[rows]))
    with pytest.raises(InputError, match="groups"):
        pm.Audit.from_arrays(score[rows], truth[rows], groups=group)


def test_plans_remember_groups_and_say_that_widths_are_too_small():
    y, score, truth, group, _ = drawn()
    table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE, groups=group)
    plan = pm.plan_audit(table, budget=60, threshold=1.0, prior=0.5)
    assert "PM141" in {remark.code for remark in plan.diagnostics}
    rows = plan.draw(y, score, groups=group)
    audit = plan.audit(rows, truth[rows])
    for place, other in combinations(range(len(rows)), 2):
        assert (audit.groups[place] == audit.groups[other]) == (
            group[rows[place]] == group[rows[other]]
        )
    plain = plan.draw(y, score)
    told = plan.audit(plain, truth[plain], groups=group[plain])
    assert told.groups.tolist() == audit.groups.tolist()
    assert audit.first(20).groups.tolist() == audit.groups[:20].tolist()


def test_looking_while_answers_come_in():
    y, score, truth, group, _ = drawn()
    widths = []
    for names in (group, None):
        table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE, groups=names)
        plan = pm.plan_audit(table, budget=120, threshold=1.0, prior=0.5)
        rows = plan.draw(y, score, groups=names)
        audit = plan.audit(rows, truth[rows], sequential=True)
        path = pm.follow_audit(table, audit, "precision", threshold=1.0, width=0.1)
        widths.append(path.high[-1] - path.low[-1])
    assert widths[0] > 1.1 * widths[1]
