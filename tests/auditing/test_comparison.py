"""Comparisons with an audit: against the definition, and what holds of them."""

from dataclasses import replace

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.auditing import Strata
from puremetrics.exceptions import InputError, UnsupportedError
from tests.auditing.cases import CC, SINGLE

EACH = pytest.mark.parametrize(
    "statistic", ["roc_auc", "average_precision", "brier_score", "f1", "recall", "precision"]
)
BOTH = pytest.mark.parametrize("scenario", [CC, SINGLE])


def world(seed, scenario, rows=300, share=0.3):
    """Truth, labels that favour high scores, and two models that agree in part."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < share
    common = rng.normal(size=rows)
    models = {
        "a": np.round(1 / (1 + np.exp(-(common + 2 * truth - 1))), 2),
        "b": np.round(1 / (1 + np.exp(-(0.5 * common + rng.normal(size=rows) + truth - 0.5))), 2),
    }
    y = (truth & (rng.random(rows) < models["a"] ** 2)).astype(int)
    y[np.flatnonzero(truth)[0]] = 1
    return rng, truth, y, models, pm.JointTable.from_arrays(y, models, scenario=scenario)


def audit_of(models, truth, rows):
    return pm.Audit.from_arrays({name: s[rows] for name, s in models.items()}, truth[rows])


def at(statistic):
    return {"threshold": 0.5} if statistic in ("f1", "recall", "precision") else {}


def defined(statistic, truth, score):
    """The statistic with all labels known, from its definition."""
    positive, negative = score[truth], score[~truth]
    if statistic == "roc_auc":
        return np.mean(
            [(p > n) + 0.5 * (p == n) for p in positive.tolist() for n in negative.tolist()]
        )
    if statistic == "average_precision":
        return np.mean([truth[score >= s].mean() for s in positive])
    if statistic == "brier_score":
        return np.mean((score - truth) ** 2)
    tp, fp, fn = (
        np.sum((score >= 0.5) & truth), np.sum((score >= 0.5) & ~truth), np.sum((score < 0.5) & truth)
    )  # fmt: skip
    return {
        "f1": 2 * tp / (2 * tp + fp + fn),
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
    }[statistic]


@EACH
@BOTH
def test_if_all_rows_are_checked_differences_are_those_of_the_truth(statistic, scenario):
    _, truth, y, models, joint = world(1, scenario)
    found = pm.compare(
        joint, statistic=statistic, audit=audit_of(models, truth, y == 0), **at(statistic)
    )
    rows = np.full(y.size, True) if scenario == SINGLE else y == 0
    within = (
        1e-9 if statistic != "average_precision" else 0.05
    )  # its shape is made to rise with the score
    wanted = {name: defined(statistic, truth[rows], s[rows]) for name, s in models.items()}
    for name, estimate in found.estimates.items():
        assert estimate.value == pytest.approx(wanted[name], abs=within)
        assert estimate.value in estimate.interval
    one, two = found.estimates.values()
    assert found.differences[0].value == pytest.approx(one.value - two.value, abs=1e-9)
    assert found.method == "audit"


@EACH
@BOTH
def test_estimates_of_the_leading_model_are_those_of_it_alone(statistic, scenario):
    rng, truth, y, models, joint = world(2, scenario)
    rows = rng.choice(np.flatnonzero(y == 0), 90, replace=False)
    audit = audit_of(models, truth, rows)
    found = pm.compare(joint, statistic=statistic, audit=audit, **at(statistic)).estimates["a"]
    own = replace(audit, scores={"model": audit.scores["a"]})
    if statistic == "brier_score":
        return
    alone = {
        "roc_auc": lambda: pm.roc_auc(joint["a"], audit=own),
        "average_precision": lambda: pm.average_precision(joint["a"], audit=own),
    }.get(statistic, lambda: pm.metric(joint["a"], statistic, threshold=0.5, audit=own))()
    assert found.value == pytest.approx(alone.value, abs=1e-9)
    assert found.interval.low == pytest.approx(alone.interval.low, abs=1e-3)
    assert found.interval.high == pytest.approx(alone.interval.high, abs=1e-3)


@EACH
def test_turning_the_models_round_turns_the_difference(statistic):
    rng, truth, y, models, joint = world(3, SINGLE)
    rows = rng.choice(np.flatnonzero(y == 0), 90, replace=False)
    strata = Strata("a", np.empty(0), np.array([float(np.sum(y == 0))]))
    audit = replace(audit_of(models, truth, rows), strata=strata)
    other = pm.JointTable.from_arrays(y, dict(reversed(models.items())), scenario=SINGLE)
    one, two = (
        pm.compare(j, statistic=statistic, audit=audit, **at(statistic)).differences[0]
        for j in (joint, other)
    )
    assert one.value == pytest.approx(-two.value, abs=1e-9)
    assert one.interval.low == pytest.approx(-two.interval.high, abs=1e-4)
    assert one.p_value == pytest.approx(two.p_value, abs=1e-3)


@EACH
@BOTH
def test_a_model_does_not_differ_from_itself(statistic, scenario):
    rng, truth, y, models, _ = world(4, scenario)
    same = {"a": models["a"], "b": models["a"]}
    joint = pm.JointTable.from_arrays(y, same, scenario=scenario)
    rows = rng.choice(np.flatnonzero(y == 0), 60, replace=False)
    found = pm.compare(
        joint, statistic=statistic, audit=audit_of(same, truth, rows), **at(statistic)
    ).differences[0]
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.interval.low <= 0 <= found.interval.high
    assert found.interval.width < 2e-4
    assert found.p_value > 0.5


@pytest.mark.parametrize("statistic", ["roc_auc", "precision"])
def test_three_models_hold_together(statistic):
    rng, truth, y, models, _ = world(5, SINGLE)
    models["c"] = np.round(rng.random(y.size), 2)
    joint = pm.JointTable.from_arrays(y, models, scenario=SINGLE)
    rows = rng.choice(np.flatnonzero(y == 0), 120, replace=False)
    found = pm.compare(
        joint, statistic=statistic, audit=audit_of(models, truth, rows), **at(statistic)
    )
    assert len(found.differences) == 3
    for one in found.differences:
        first, second = (found.estimates[name].value for name in (one.first, one.second))
        assert one.value == pytest.approx(first - second, abs=1e-9)
        assert one.simultaneous.width > one.interval.width
        assert one.adjusted_p_value >= one.p_value


@pytest.mark.slow
@BOTH
def test_biased_labels_do_not_matter(scenario):
    held, wanted = [], {}
    _, truth, _, models, _ = world(99, scenario, rows=40_000, share=0.15)
    for name in ("recall", "f1"):
        wanted[name] = defined(name, truth, models["a"]) - defined(name, truth, models["b"])
    for seed in range(40):
        rng, truth, y, models, joint = world(seed, scenario, rows=2000, share=0.15)
        rows = rng.choice(np.flatnonzero(y == 0), 200, replace=False)
        audit = audit_of(models, truth, rows)
        if scenario == CC:
            # The unlabeled rows are the population: without the labelled ones, which are positive.
            y[:] = 0
            y[np.flatnonzero(truth)[:20]] = 1
            joint = pm.JointTable.from_arrays(y, models, scenario=scenario)
            rows = rng.choice(np.flatnonzero(y == 0), 200, replace=False)
            audit = audit_of(models, truth, rows)
        for name, value in wanted.items():
            found = pm.compare(joint, statistic=name, audit=audit, threshold=0.5).differences[0]
            held.append(value in found.interval)
    assert np.mean(held) >= 0.9


def test_what_is_refused():
    rng, truth, y, models, joint = world(6, SINGLE)
    rows = rng.choice(np.flatnonzero(y == 0), 50, replace=False)
    audit = audit_of(models, truth, rows)
    alone = pm.Audit.from_arrays(models["a"][rows], truth[rows])
    with pytest.raises(InputError, match="no scores for 'a', 'b'"):
        pm.compare(joint, audit=alone)
    with pytest.raises(InputError, match="already determines the prior"):
        pm.compare(joint, audit=audit, prior=0.3)
    with pytest.raises(InputError, match="Leave out interval"):
        pm.compare(joint, audit=audit, interval="bootstrap")
    with pytest.raises(UnsupportedError, match="calibration_error cannot be compared"):
        pm.compare(joint, audit=audit, statistic="calibration_error")
    with pytest.raises(InputError, match="pass threshold"):
        pm.compare(joint, audit=audit, statistic="f1")
