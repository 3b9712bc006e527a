"""Levels of trust, and what contradicts an estimate."""

import numpy as np
import pytest

import puremetrics as pm
from tests.priors.cases import codes


def table_of(gap, labelled=200, rows=2000, prior=0.2, seed=0, scenario="case_control"):
    rng = np.random.default_rng(seed)
    kind = rng.random(rows) < prior
    return pm.ScoreTable.from_groups(
        positive=rng.normal(gap, 1, labelled),
        unlabeled=rng.normal(gap * kind, 1),
        scenario=scenario,
    )


@pytest.mark.parametrize(("gap", "level"), [(4.5, "identified"), (1.0, "upper_bound")])
def test_the_level_follows_the_overlap(gap, level):
    found = pm.estimate_prior(table_of(gap))
    assert found.trust.level == level
    assert str(found).startswith("The classes ")
    assert ("PM201" in codes(found)) == (level == "upper_bound")
    assert found.to_dict()["trust"]["level"] == level


@pytest.mark.parametrize("seed", range(8))
def test_noise_and_reversed_scores_are_contradicted(seed):
    for gap, word in ((0.0, "chance"), (-1.5, "reversed")):
        found = pm.estimate_prior(table_of(gap, seed=seed))
        assert found.trust.level == "contradicted"
        assert word in found.trust.reason
        assert "PM206" in codes(found)


def test_the_label_itself_and_an_identifier_are_recognised():
    y = np.repeat([1, 0], [50, 200])
    label = pm.ScoreTable.from_arrays(y, y.astype(float), scenario="single_training_set")
    assert "label itself" in pm.estimate_prior(label).trust.reason
    order = np.random.default_rng(0).permutation(250)
    number = pm.ScoreTable.from_arrays(
        y[np.argsort(order)], np.arange(250.0), scenario="case_control"
    )
    assert pm.estimate_prior(number).trust.level == "contradicted"
    first = np.arange(250.0)[::-1]  # labelled rows come first in the file, with a few exceptions
    shuffled = y.copy()
    shuffled[[3, 60]] = shuffled[[60, 3]]
    named = pm.ScoreTable.from_arrays(shuffled, first, scenario="case_control")
    assert "row numbers" in pm.estimate_prior(named).trust.reason


def test_audits_are_trusted_and_disagreement_is_not():
    audit = pm.prior_from_audit(400, 80)
    assert audit.trust.level == "audited"
    scores = pm.estimate_prior(table_of(1.0))
    assert pm.combine(scores, audit).trust.level == "audited"
    far = pm.prior_from_audit(4000, 3600)
    assert pm.combine(scores, far).trust.level == "contradicted"


def test_a_ranking_that_turns_is_never_identified():
    rng = np.random.default_rng(3)
    far = rng.normal(9, 0.3, 300)  # negatives that score above all positives
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(4, 1, 1000),
        unlabeled=np.concatenate([rng.normal(4, 1, 1000), rng.normal(0, 0.5, 4000), far]),
        scenario="case_control",
    )
    found = pm.estimate_prior(table)
    assert found.trust.level == "upper_bound"
    assert "purest" in found.trust.reason
    assert "PM207" in codes(found)
