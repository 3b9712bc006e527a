"""Budgets in comparisons, choices of thresholds, and scikit-learn's scorers."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import puremetrics as pm
from puremetrics import sklearn as pu
from puremetrics.exceptions import InputError, UnsupportedError
from tests.small_tables import CC, SINGLE


def joint(seed=0, rows=500):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    first = rng.normal(size=rows) + 1.5 * y
    labelled = y & (rng.random(rows) < 0.5)
    scores = {"a": first, "b": np.round(first + rng.normal(size=rows), 1)}
    return pm.JointTable.from_arrays(labelled.astype(int), scores, scenario=SINGLE)


ASKED = [
    {"statistic": "precision", "top": 50},
    {"statistic": "recall", "top": 0.1},
    {"statistic": "enrichment_factor", "top": 0.1},
    {"statistic": "rie"},
    {"statistic": "rie", "alpha": 5.0},
    {"statistic": "bedroc"},
    {"statistic": "ndcg", "top": 40},
    {"statistic": "roc_auc", "max_fpr": 0.2},
]


def alone(table, statistic, **options):
    if statistic in ("precision", "recall"):
        return pm.metric(table, statistic, prior=0.3, **options)
    return getattr(pm, statistic)(table, prior=0.3, **options)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(map(str, asked.values())))
def test_paired_differences(asked):
    models = joint()
    found = pm.compare(models, prior=0.3, **asked)
    values = [alone(models[name], **asked).value for name in "ab"]
    difference = found.differences[0]
    assert difference.value == pytest.approx(values[0] - values[1], abs=1e-12)
    redrawn = pm.compare(models, prior=0.3, interval="bootstrap", n_resamples=150, **asked)
    ratio = redrawn.differences[0].standard_error / difference.standard_error
    assert 0.6 < ratio < 1.5
    wide = pm.compare(models, prior=(0.25, 0.35), label_bias=1.5, **asked).differences[0]
    assert wide.interval.low <= difference.interval.low + 1e-9
    assert wide.interval.high >= difference.interval.high - 1e-9


def test_what_needs_no_prior_is_compared_without():
    models = joint()
    for asked in (
        {"statistic": "recall", "top": 0.7},
        {"statistic": "enrichment_factor", "top": 0.7},
        ASKED[3],
    ):
        free = pm.compare(models, **asked).differences[0]
        assert free.value == pytest.approx(
            pm.compare(models, prior=0.3, **asked).differences[0].value
        )
    with pytest.raises(InputError, match="pass top"):
        pm.compare(models, statistic="enrichment_factor", prior=0.3)
    with pytest.raises(InputError, match="whole list"):
        pm.compare(models, statistic="rie", top=3)
    with pytest.raises(InputError, match="not an option of 'ndcg'"):
        pm.compare(models, statistic="ndcg", prior=0.3, alpha=3.0)
    with pytest.raises(InputError, match="Both threshold and top"):
        pm.compare(models, statistic="precision", prior=0.3, threshold=1.0, top=5)
    at = np.flatnonzero(models.kind == 1)[:1]
    audit = pm.Audit.from_arrays({name: models.scores[name][at] for name in models}, [1])
    with pytest.raises(UnsupportedError, match="precision cannot be compared with an audit"):
        pm.compare(models, statistic="precision", top=5, audit=audit)


def test_thresholds_within_a_budget():
    table = joint()["a"]
    free = pm.choose_threshold(table, objective="recall", prior=0.3, n_resamples=5)
    for budget, rows in ((40, 40), (0.08, 40)):
        choice = pm.choose_threshold(
            table, objective="recall", prior=0.3, subject_to={"top": ("<=", budget)}, n_resamples=5
        )
        reached = sum(table.heads_at(choice.threshold))
        assert reached <= rows < sum(table.heads_at(free.threshold))
        lower = table.score[table.score < choice.threshold]
        assert (
            sum(table.heads_at(float(lower[0]))) > rows or table.n_pos[table.score == lower[0]] == 0
        )
    with pytest.raises(InputError, match="more rows than the 500"):
        pm.choose_threshold(table, objective="recall", prior=0.3, subject_to={"top": ("<=", 900)})
    both = {"top": ("<=", 9), "predicted_positive_rate": ("<=", 0.1)}
    with pytest.raises(InputError, match="the same"):
        pm.choose_threshold(table, objective="recall", prior=0.3, subject_to=both)


def test_thresholds_for_net_benefit():
    table = joint()["a"]
    cautious, bold = (
        pm.choose_threshold(
            table, objective="net_benefit", prior=0.3, threshold_probability=p, n_resamples=5
        )
        for p in (0.8, 0.1)
    )
    assert bold.threshold < cautious.threshold
    everybody = 0.3 - 0.1 / 0.9 * 0.7
    assert bold.apparent >= everybody - 1e-9


def test_scores_and_scorers():
    rng = np.random.default_rng(1)
    y = (rng.random(600) < 0.2).astype(int)
    X = rng.normal(size=(600, 2)) + y[:, None]
    table = pm.ScoreTable.from_arrays(y, X[:, 0], scenario=CC)
    known = {"scenario": CC, "prior": 0.2}
    pairs = [
        (pu.precision_at_top_score(y, X[:, 0], top=50, **known),
         pm.metric(table, "precision", top=50, prior=0.2)),
        (pu.recall_at_top_score(y, X[:, 0], top=50, scenario=CC), pm.metric(table, "recall", top=50)),
        (pu.enrichment_factor_score(y, X[:, 0], top=0.1, scenario=CC), pm.enrichment_factor(table, top=0.1)),
        (pu.bedroc_score(y, X[:, 0], alpha=10, **known), pm.bedroc(table, alpha=10, prior=0.2)),
        (pu.ndcg_score(y, X[:, 0], top=30, **known), pm.ndcg(table, top=30, prior=0.2)),
        (pu.roc_auc_score(y, X[:, 0], max_fpr=0.1, **known), pm.roc_auc(table, max_fpr=0.1, prior=0.2)),
    ]  # fmt: skip
    for score, estimate in pairs:
        assert score == estimate.value
    scorer = pu.make_scorer("precision_at_top", top=0.1, **known)
    folds = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)
    assert np.all((folds > 0.2) & (folds <= 1))
