import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import puremetrics as pm
from puremetrics import sklearn as pu
from puremetrics.exceptions import InputError

KNOWN = {"scenario": "single_training_set", "prior": 0.4}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.4
    X = rng.normal(size=(3000, 3)) + truth[:, None] * [1.0, 0.5, 0.0]
    y = (truth & (rng.random(3000) < 0.4)).astype(int)
    return X, y, truth.astype(int)


def test_scores_are_those_of_the_table(data):
    X, y, _ = data
    table = pm.ScoreTable.from_arrays(y, X[:, 0], scenario=KNOWN["scenario"])
    assert pu.roc_auc_score(y, X[:, 0], **KNOWN) == pm.roc_auc(table, prior=0.4).value
    assert (
        pu.average_precision_score(y, X[:, 0], **KNOWN)
        == pm.average_precision(table, prior=0.4).value
    )


def test_hard_predictions_give_the_confusion_matrix(data):
    X, y, truth = data
    predicted = (X[:, 0] >= 0.8).astype(int)
    from sklearn import metrics

    for ours, theirs in (
        (pu.precision_score, metrics.precision_score),
        (pu.recall_score, metrics.recall_score),
        (pu.f1_score, metrics.f1_score),
        (pu.balanced_accuracy_score, metrics.balanced_accuracy_score),
        (pu.matthews_corrcoef, metrics.matthews_corrcoef),
    ):
        assert ours(y, predicted, **KNOWN) == pytest.approx(theirs(truth, predicted), abs=0.06)
    named = np.where(predicted, "spam", "?")
    assert pu.precision_score(y, np.zeros(y.size), **KNOWN) == 0.0
    for wrong in (X[:, 0], np.where(predicted, "yes", "no")):
        with pytest.raises(InputError, match="y_pred holds"):
            pu.f1_score(y, wrong, **KNOWN)
    labels = np.where(y == 1, "spam", "?")
    assert pu.precision_score(
        labels, named, pos_label="spam", unlabeled_label="?", **KNOWN
    ) == pu.precision_score(y, predicted, **KNOWN)


def test_scorers_work_in_cross_validation_and_grid_search(data):
    X, y, truth = data
    scorer = pu.make_scorer("roc_auc", **KNOWN)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=folds)
    from sklearn.metrics import roc_auc_score

    full = LogisticRegression().fit(X, y).decision_function(X)
    assert scores.mean() == pytest.approx(roc_auc_score(truth, full), abs=0.05)
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 50]}, scoring=scorer, cv=folds
    ).fit(X, y)
    assert search.best_params_ == {"n_neighbors": 50}
    recall = pu.make_scorer("recall", **KNOWN)
    assert 0 <= cross_val_score(LogisticRegression(), X, y, scoring=recall, cv=folds).min() <= 1
    with pytest.raises(InputError, match="Choose one of"):
        pu.make_scorer("auc", **KNOWN)
