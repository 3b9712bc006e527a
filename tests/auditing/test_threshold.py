"""A threshold chosen by an audit."""

import numpy as np
import pytest
from scipy.special import ndtr

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.auditing.cases import CC, SINGLE

BOTH = pytest.mark.parametrize("scenario", [CC, SINGLE])


def world(seed, scenario, rows=1500, prior=0.25):
    """Two normal classes; labels favour high scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < prior
    score = np.round(rng.normal(size=rows) + 2 * truth, 2)
    y = (truth & (rng.random(rows) < 1 / (1 + np.exp(2 - 1.5 * score)))).astype(int)
    if scenario == CC:
        more = np.round(rng.normal(size=40) + 2.5, 2)
        y, score = np.r_[np.ones(40, int), np.zeros(rows, int)], np.r_[more, score]
        truth = np.r_[np.ones(40, bool), truth]
    return rng, truth, y, score, pm.ScoreTable.from_arrays(y, score, scenario=scenario)


def checked(rng, truth, y, score, budget):
    rows = rng.choice(np.flatnonzero(y == 0), budget, replace=False)
    return pm.Audit.from_arrays(score[rows], truth[rows])


@BOTH
def test_the_counts_are_those_of_the_threshold(scenario):
    rng, truth, y, score, table = world(0, scenario)
    audit = checked(rng, truth, y, score, 300)
    choice = pm.choose_threshold(table, objective="f1", audit=audit, n_resamples=30)
    at = {"threshold": choice.threshold, "audit": audit}
    assert choice.apparent == pm.metric(table, "f1", **at).value
    assert choice.apparent == pytest.approx(
        2 * choice.tp / (2 * choice.tp + choice.fp + choice.fn), abs=1e-9
    )
    assert choice.estimate.value in choice.estimate.interval
    assert choice.estimate.n_checked == 300
    fixed = pm.metric(table, "f1", **at).interval
    assert choice.estimate.interval.width >= min(fixed.width, 1.0) - 0.05
    again = pm.choose_threshold(table, objective="f1", audit=audit, n_resamples=30)
    assert list(again.estimate.interval) == list(choice.estimate.interval)


@BOTH
@pytest.mark.parametrize("objective", ["f1", "youden", "accuracy"])
def test_with_all_rows_checked_it_is_about_the_best_threshold_of_the_truth(scenario, objective):
    _, truth, y, score, table = world(1, scenario)
    audit = pm.Audit.from_arrays(score[y == 0], truth[y == 0])
    choice = pm.choose_threshold(table, objective=objective, audit=audit, n_resamples=10)
    rows = np.full(y.size, True) if scenario == SINGLE else y == 0
    values = []
    for at in np.unique(score[rows]):
        tp, fp = (
            np.sum(truth[rows] & (score[rows] >= at)),
            np.sum(~truth[rows] & (score[rows] >= at)),
        )
        fn, tn = truth[rows].sum() - tp, np.sum(~truth[rows]) - fp
        values.append({
            "f1": 2 * tp / (2 * tp + fp + fn), "youden": tp / (tp + fn) - fp / (fp + tn),
            "accuracy": (tp + tn) / rows.sum(),
        }[objective])  # fmt: skip
    assert choice.apparent >= max(values) - 0.02
    assert choice.apparent <= max(values) + 1e-9


@BOTH
def test_limits_hold(scenario):
    rng, truth, y, score, table = world(2, scenario)
    audit = checked(rng, truth, y, score, 400)
    limits = {"precision": (">=", 0.8)}
    choice = pm.choose_threshold(
        table, objective="recall", audit=audit, subject_to=limits, n_resamples=20
    )
    plain = pm.choose_threshold(table, objective="f1", audit=audit, n_resamples=20)
    assert choice.limits["precision"] == pytest.approx(
        pm.metric(table, "precision", threshold=choice.threshold, audit=audit).value
    )
    assert choice.limits["precision"] > 0.7
    assert choice.threshold >= plain.threshold - 0.6
    with pytest.raises(InputError, match="No threshold meets"):
        pm.choose_threshold(
            table, objective="recall", audit=audit,
            subject_to={"precision": (">=", 0.95), "recall": (">=", 0.99)}, n_resamples=5,
        )  # fmt: skip


@pytest.mark.slow
@BOTH
def test_intervals_hold_although_the_threshold_was_chosen(scenario):
    held = []
    for seed in range(60):
        rng, truth, y, score, table = world(seed, scenario)
        audit = checked(rng, truth, y, score, 200)
        choice = pm.choose_threshold(table, objective="youden", audit=audit, n_resamples=60)
        wanted = ndtr(2 - choice.threshold) - ndtr(-choice.threshold)
        held.append(wanted in choice.estimate.interval)
    assert np.mean(held) >= 0.9


def test_options_are_those_of_the_metric():
    rng, truth, y, score, table = world(3, SINGLE)
    audit = checked(rng, truth, y, score, 300)
    made = {"objective": "expected_cost", "audit": audit, "n_resamples": 10}
    few_alarms = pm.choose_threshold(table, cost_fp=20.0, cost_fn=1.0, **made)
    few_misses = pm.choose_threshold(table, cost_fp=1.0, cost_fn=20.0, **made)
    assert few_alarms.threshold > few_misses.threshold


def test_very_many_scores_have_some_thousand_candidates():
    rng = np.random.default_rng(5)
    truth = rng.random(20_000) < 0.2
    score = rng.normal(size=20_000) + 2 * truth
    y = (truth & (rng.random(20_000) < 0.3)).astype(int)
    table = pm.ScoreTable.from_arrays(y, score, scenario=SINGLE)
    audit = checked(rng, truth, y, score, 400)
    choice = pm.choose_threshold(table, objective="f1", audit=audit, n_resamples=5)
    assert 0.8 < choice.threshold < 2.4


def test_what_is_refused():
    rng, truth, y, score, table = world(4, SINGLE)
    audit = checked(rng, truth, y, score, 50)
    with pytest.raises(InputError, match="already determines the prior"):
        pm.choose_threshold(table, objective="f1", audit=audit, prior=0.2)
    with pytest.raises(InputError, match="Leave out worst_case"):
        pm.choose_threshold(table, objective="f1", audit=audit, worst_case=True)
    nothing = pm.Audit.from_arrays(audit.scores["model"][:1], [0])
    found = pm.choose_threshold(table, objective="f1", audit=nothing, n_resamples=5)
    assert found.estimate.value in found.estimate.interval
