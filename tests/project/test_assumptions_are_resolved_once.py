"""Prior and purity are checked against the table once in a call, and never again."""

import itertools

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.setting import assumed, setting
from tests.every import for_every

CC = {"scenario": "case_control"}


@pytest.fixture
def resolved(monkeypatch):
    """The priors that were resolved since."""
    calls = []

    def counted(table, prior, *rest):
        calls.append(prior)
        return assumed.resolve(table, prior, *rest)

    monkeypatch.setattr(setting, "resolve", counted)
    return calls


def rows(shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(600) < 0.3, shift, rng


def tables(count):
    y, shift, rng = rows()
    return {
        f"model {i}": pm.ScoreTable.from_arrays(y, rng.normal(size=600) + (shift - i / 4) * y, **CC)
        for i in range(count)
    }


TABLE = tables(1)["model 0"]
PROBABILITIES = pm.ScoreTable.from_counts(
    1 / (1 + np.exp(-TABLE.score)), n_pos=TABLE.n_pos, n_unl=TABLE.n_unl, **CC
)


def joint():
    y, shift, rng = rows()
    scores = {name: rng.normal(size=600) + shift * y for name in "abc"}
    return pm.JointTable.from_arrays(y, scores, **CC)


@pytest.mark.parametrize("prior", [0.2, (0.1, 0.3), pm.PriorEstimate(0.2)], ids=str)
@pytest.mark.parametrize("count", [1, 3])
def test_an_evaluation_with_a_given_prior_resolves_it_once(resolved, count, prior):
    given = tables(count) if count > 1 else PROBABILITIES
    pm.evaluate(given, prior=prior)
    assert len(resolved) <= 1


def test_an_evaluation_without_a_prior_resolves_the_estimate_once(resolved):
    pm.evaluate(TABLE)
    assert len(resolved) <= 1


CALLS = {
    "roc_auc": lambda prior: pm.roc_auc(TABLE, prior=prior),
    "average_precision": lambda prior: pm.average_precision(TABLE, prior=prior),
    "metric": lambda prior: pm.metric(TABLE, "f1", threshold=1.0, prior=prior),
    "compare": lambda prior: pm.compare(joint(), prior=prior),
    "compare by bootstrap": lambda prior: pm.compare(
        joint(), prior=prior, interval="bootstrap", n_resamples=5
    ),
    "choose_threshold": lambda prior: pm.choose_threshold(
        TABLE, objective="f1", prior=prior, n_resamples=5
    ),
    "choose_threshold, worst case": lambda prior: pm.choose_threshold(
        TABLE, objective="f1", prior=prior, worst_case=True, n_resamples=5
    ),
    "hull_variance": lambda prior: pm.hull_variance(TABLE, prior=prior, n_resamples=5),
    "roc_auc_bounds": lambda prior: pm.roc_auc_bounds(TABLE, prior=prior),
    "metric_bounds": lambda prior: pm.metric_bounds(TABLE, "f1", threshold=1.0, prior=prior),
    "calibration_error": lambda prior: pm.calibration_error(PROBABILITIES, prior=prior),
    "reliability_curve": lambda prior: pm.reliability_curve(PROBABILITIES, prior=prior),
    "brier_score": lambda prior: pm.brier_score(PROBABILITIES, prior=prior),
    "pseudo_f": lambda prior: pm.pseudo_f(TABLE, prior=prior),
    "check_labelling": lambda prior: pm.check_labelling(TABLE, prior=prior),
}


@for_every("name, prior", itertools.product(CALLS, [0.2, (0.1, 0.3)]))
def test_a_call_resolves_once(resolved, name, prior):
    resolved.clear()
    CALLS[name](prior)
    assert len(resolved) == 1, f"resolved {resolved}"
