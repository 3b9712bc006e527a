"""Where every label is known, a statistic is what its definition says of the rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.statistics import find
from tests.every import for_every
from tests.oracles import known
from tests.statistics.cases import SCENARIOS, rows

K, ALPHA = 7, 5.0
TOLD = {  # by checked rows
    "brier_score": (find("brier_score"), known.brier_score),
    "log_loss": (find("log_loss"), known.log_loss),
    "enrichment_factor": (
        find("enrichment_factor", top=K),
        lambda p, s: known.enrichment_factor(p, s, K),
    ),
    "rie": (find("rie", {"alpha": ALPHA}), lambda p, s: known.rie(p, s, ALPHA)),
    "bedroc": (find("bedroc", {"alpha": ALPHA}), lambda p, s: known.bedroc(p, s, ALPHA)),
    "ndcg": (find("ndcg"), known.ndcg),
    "ndcg of the first rows": (find("ndcg", top=K), lambda p, s: known.ndcg(p, s, K)),
    "roc_auc": (find("roc_auc"), known.roc_auc),
}
OF_LABELS = {
    **TOLD,
    "discrimination_slope": (find("discrimination_slope"), known.discrimination_slope),
}


def population(scenario, truth, y, score):
    """The rows that a statistic is about."""
    those = y == 0 if scenario == "case_control" else np.full(y.size, True)
    return truth[those].tolist(), score[those].tolist()


@settings(max_examples=8)
@given(st.integers(0, 2**20), st.sampled_from([1, 3]), st.sampled_from(SCENARIOS))
def test_an_audit_of_all_rows_says_what_is_true(seed, digits, scenario):
    truth, y, scores = rows(seed, 45, digits)
    hidden = y == 0
    if not truth[hidden].any():
        return
    audit = pm.Audit.from_arrays(scores["a"][hidden], truth[hidden])
    checked = pm.assume(y, scores["a"], scenario=scenario, audit=audit)
    positive, score = population(scenario, truth, y, scores["a"])
    for name, (asked, definition) in TOLD.items():
        found, exact = checked.estimate(asked), definition(positive, score)
        assert found.value == pytest.approx(exact, abs=1e-9), name
        assert found.low - 1e-9 <= exact <= found.high + 1e-9, name


@for_every("name, scenario, seed", itertools.product(OF_LABELS, SCENARIOS, range(3)))
def test_rows_that_are_all_labelled(name, scenario, seed):
    truth, _, scores = rows(seed, 40, 1)
    asked, definition = OF_LABELS[name]
    y = np.where(truth, 1, -1)
    table = pm.ScoreTable.from_arrays(y, scores["a"], scenario=scenario, neg_label=-1)
    found = pm.assume(table).estimate(asked)
    exact = definition(truth.tolist(), scores["a"].tolist())
    assert found.value == pytest.approx(exact, abs=1e-9)
    assert exact in found.interval


@for_every("scenario, purity, seed", itertools.product(SCENARIOS, (1.0, 0.9), range(3)))
def test_the_slope_is_corrected_as_rates_are(scenario, purity, seed):
    """Mean over the labelled less mean over the others, by how much purer the labelled are (Jain)."""
    _, y, scores = rows(seed)
    prior = 0.45
    labelled = [s for s, label in zip(scores["a"], y, strict=True) if label == 1]
    others = [
        s for s, label in zip(scores["a"], y, strict=True) if label == 0 or scenario != SCENARIOS[0]
    ]
    by_hand = (sum(labelled) / len(labelled) - sum(others) / len(others)) / (purity - prior)
    found = pm.assume(y, scores["a"], scenario=scenario, prior=prior, purity=purity)
    assert found.estimate("discrimination_slope").value == pytest.approx(by_hand, abs=1e-12)


def test_the_slope_is_found_where_labels_are_a_random_sample():
    """Of many rows it is the slope of the truth, and the interval holds it."""
    rng = np.random.default_rng(0)
    truth = rng.random(40_000) < 0.3
    score = 1 / (1 + np.exp(1 - 1.5 * truth - rng.normal(size=truth.size)))
    y = (truth & (rng.random(truth.size) < 0.5)).astype(int)
    exact = score[truth].mean() - score[~truth].mean()
    found = pm.assume(y, score, scenario="single_training_set", prior=truth.mean())
    slope = found.estimate("discrimination_slope")
    assert slope.value == pytest.approx(exact, abs=0.01)
    assert exact in slope.interval
