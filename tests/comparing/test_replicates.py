"""Comparisons of very many rows: piles of rows, and some of the unlabeled ones, say the same."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.comparing import differences as replicates
from puremetrics.tables import joint as joint_module


def models(scenario):
    rng = np.random.default_rng(1)
    truth = rng.random(12_000) < 0.2
    y = (truth & (rng.random(truth.size) < 0.4)).astype(int)
    first = rng.normal(size=truth.size) + 1.3 * truth
    scores = {"a": first, "b": first + 0.6 * rng.normal(size=truth.size)}
    return pm.JointTable.from_arrays(y, scores, scenario=scenario)


@pytest.mark.parametrize("scenario", ["case_control", "single_training_set"])
@pytest.mark.parametrize("statistic", ["average_precision", "roc_auc"])
def test_piles_spread_as_rows_do(monkeypatch, scenario, statistic):
    known = {"prior": 0.2, "statistic": statistic, "interval": "bootstrap", "n_resamples": 300}
    by_rows = pm.compare(models(scenario), **known).differences[0]
    for enough in (10**6, 3000):
        monkeypatch.setattr(replicates, "_MANY", 0)
        monkeypatch.setattr(joint_module, "_ENOUGH", enough)
        in_piles = pm.compare(models(scenario), **known).differences[0]
        assert in_piles.value == by_rows.value
        assert in_piles.standard_error != by_rows.standard_error
        assert in_piles.standard_error == pytest.approx(by_rows.standard_error, rel=0.2)


@pytest.mark.parametrize("statistic", ["roc_auc", "brier_score", "f1"])
def test_some_of_the_unlabeled_rows_say_how_far_models_are_apart(monkeypatch, statistic):
    joint = models("single_training_set")
    logistic = {name: 1 / (1 + np.exp(-column)) for name, column in joint.scores.items()}
    given = {"prior": 0.2, "statistic": statistic} | (
        {"threshold": 0.6} if statistic == "f1" else {}
    )
    found = []
    for enough in (10**6, 2000):
        monkeypatch.setattr(joint_module, "_ENOUGH", enough)
        joint = pm.JointTable.from_arrays(1 - joint.kind, logistic, scenario="single_training_set")
        assert (joint.fewer is joint) == (enough > 10**5)
        assert joint.fewer.tables is joint.tables
        found.append(pm.compare(joint, **given).differences[0])
    assert found[1].value == found[0].value
    assert found[1].standard_error == pytest.approx(found[0].standard_error, rel=0.1)
    assert found[1].standard_error != found[0].standard_error
