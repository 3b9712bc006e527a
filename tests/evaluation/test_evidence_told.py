"""What an evaluation says in words when it rests on evidence, and what it must not say."""

import numpy as np
import pytest

import puremetrics as pm


def logistic(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    positive = rng.random(8000) < 0.1
    logit = rng.normal(np.where(positive, -0.2, -2.6), 1.2)
    return {
        "one": positive & (rng.random(8000) < 0.3),
        "two": positive & (rng.random(8000) < 0.25),
        "p": logistic(logit),
        "positive": positive,
    }


ASKED = {"score": "p", "scenario": "single_training_set", "threshold": 0.3}


def test_no_sentence_takes_labels_as_random(rows):
    found = pm.evaluate(rows, label=["one", "two"], **ASKED)
    told = found.sentence()
    assert "catch independently of each other" in told
    assert "random sample" not in told
    assert "Whichever unlabeled rows" not in told  # bounds take labels as random
    assert "bounds" not in found.details()
    prior = found.estimate
    assert f"{prior.interval.low:.4g} to {prior.interval.high:.4g}" in told


def test_what_contradicts_itself_has_no_middle(rows):
    wrong = pm.PublishedPrior(0.3, error=0.005)
    found = pm.evaluate(rows, label=["one", "two"], evidence=[wrong], **ASKED)
    assert found.trust.level == "contradicted"
    assert np.isnan(found["model"]["precision"].value)
    low, high = found.estimate.interval.low, found.estimate.interval.high
    assert f"prior {low:.3g} to {high:.3g}, from the evidence" in " ".join(str(found).split())


def test_a_gap_that_another_kind_looked_into_is_none(rows):
    hidden = ~rows["one"]
    score, positive = rows["p"][hidden], rows["positive"][hidden]
    rng = np.random.default_rng(0)
    upper = np.where((score >= 0.3) & (rng.random(score.size) < 0.5), positive * 1.0, np.nan)
    lower = np.full(score.size, np.nan)
    drawn = rng.choice(np.flatnonzero(score < 0.3), 200, replace=False)
    lower[drawn] = positive[drawn]
    kinds = [pm.Investigated.from_arrays(score, answers) for answers in (upper, lower)]

    def codes(evidence):
        given = pm.assume(rows["one"], rows["p"], scenario="single_training_set", evidence=evidence)
        return {remark.code for remark in given.metric("recall", threshold=0.3).diagnostics}

    assert "PM151" in codes(kinds[:1])
    assert "PM151" in codes(kinds[1:])
    assert "PM151" not in codes(kinds)


def test_a_limit_stays_away_from_the_end_of_the_range():
    """Where rates reach 1 the score vanishes; the deviance of a precision of 0.98 is far beyond chance."""
    demo = pm.load_demo()
    rule = (demo["spam"] == 1) & (np.random.default_rng(1).random(4601) < 0.25)
    mails = {"reported": demo["reported"], "rule": rule, "p": demo["forest"]}
    found = pm.metric(
        mails, "precision", label=["reported", "rule"], score="p", scenario="single_training_set",
        threshold=0.1, evidence=[pm.PublishedPrior(0.40, interval=(0.36, 0.44))],
    )  # fmt: skip
    assert found.value < found.high < 0.95
