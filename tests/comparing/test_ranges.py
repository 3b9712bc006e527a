"""Which model is best at which prior."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from tests.comparing.figures import figure_4


def test_order_of_models_flips_with_the_prior_as_in_figure_4():
    tables = figure_4()
    low, high = (
        {name: pm.roc_auc(table, prior=prior).value for name, table in tables.items()}
        for prior in (0.1, 0.1 + 0.9 * 0.1)  # shares 0 and 0.1 among the unlabeled
    )
    assert low == pytest.approx({"model 1": 0.725, "model 2": 0.7325}, abs=1e-9)
    assert high == pytest.approx({"model 1": 0.750, "model 2": 0.747}, abs=1e-3)
    ranking = pm.best_by_prior(tables, priors=np.linspace(0.1, 0.19, 19))
    assert [name for *_, name in ranking.ranges] == ["model 2", "model 1"]
    assert ranking.dominant is None
    assert ranking.ranges[0][1] == ranking.crossings[0] == ranking.ranges[1][0]
    # The exact correction never changes the order; the flip says that the prior is contradicted.
    assert np.isfinite(ranking.contradicted["model 2"])
    direct = [
        pm.roc_auc(tables[name], prior=0.19, method="direct").value for name in sorted(tables)
    ]
    assert direct[0] < direct[1]
    assert "contradicts" in str(ranking)


def test_dominance_and_bad_input():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=600)
    y = np.arange(600) < 100
    good, poor = (
        pm.ScoreTable.from_arrays(y, scores + shift * y, scenario="case_control")
        for shift in (2, 1)
    )
    assert pm.best_by_prior({"good": good, "poor": poor}).dominant == "good"
    by_ap = pm.best_by_prior({"good": good, "poor": poor}, statistic="average_precision")
    assert by_ap.dominant == "good"
    with pytest.raises(InputError, match="two or more"):
        pm.best_by_prior({"one": good})
    other = pm.ScoreTable.from_arrays(y[:-1], scores[:-1], scenario="case_control")
    with pytest.raises(InputError, match="same rows"):
        pm.best_by_prior({"one": good, "two": other})


def test_models_are_ranked_with_noisy_labels():
    rng = np.random.default_rng(3)
    y = np.arange(800) < 200
    tables = {
        name: pm.ScoreTable.from_arrays(
            y, rng.normal(size=800) + shift * y, scenario="case_control"
        )
        for name, shift in (("good", 2.0), ("poor", 1.0))
    }
    priors = [0.05, 0.2]
    ranking = pm.best_by_prior(tables, priors=priors, purity=0.8)
    for name, table in tables.items():
        expected = [pm.roc_auc(table, prior=prior, purity=0.8).value for prior in priors]
        assert ranking.values[name].tolist() == pytest.approx(expected, abs=1e-12)
    assert ranking.dominant == "good"


def test_the_ranking_of_models_knows_the_bias():
    rng = np.random.default_rng(5)
    y = np.r_[np.ones(60, int), np.zeros(600, int)]
    scores = {"a": rng.normal(size=660) + 1.5 * y, "b": rng.normal(size=660) + y}
    joint = pm.JointTable.from_arrays(y, scores, scenario="case_control")
    plain, biased = (
        pm.compare(joint, statistic="roc_auc", prior=0.1, label_bias=g).ranking for g in (1, 3)
    )
    assert all(biased.contradicted[name] >= plain.contradicted[name] for name in scores)
