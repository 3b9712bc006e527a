"""Scorers at thresholds and with a prior of each fold, inside scikit-learn's own loops."""

import pickle
import warnings

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.sklearn import RepairedScoreWarning, make_scorer

pytest.importorskip("sklearn")
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.svm import LinearSVC

RNG = np.random.default_rng(4)
TRUTH = RNG.random(900) < 0.4
X = RNG.normal(size=(900, 2)) + 2.0 * TRUTH[:, None]
Y = (TRUTH & (RNG.random(900) < 0.4)).astype(int)
KNOWN = {"scenario": "single_training_set"}
FOLDS = list(StratifiedKFold(3).split(X, Y))


def by_hand(response, name, threshold, prior):
    """The same folds, models and tables, without scikit-learn's scorers."""
    found = []
    for train, test in FOLDS:
        model = LogisticRegression().fit(X[train], Y[train])
        score = model.predict_proba(X[test])[:, 1] if response == "predict_proba" else None
        score = model.decision_function(X[test]) if score is None else score
        table = pm.ScoreTable.from_arrays(Y[test], score, **KNOWN)
        own = pm.estimate_prior(table) if prior == "estimate" else prior
        if threshold is None:
            found.append(pm.roc_auc(table, prior=own).value)
        else:
            found.append(pm.metric(table, name, threshold=threshold, prior=own).value)
    return found


def scores(scorer, estimator=None):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RepairedScoreWarning)  # as `metric` repairs it
        return cross_validate(
            estimator or LogisticRegression(), X, Y, scoring=scorer, cv=FOLDS, error_score="raise"
        )["test_score"]


@pytest.mark.parametrize(
    "name", ["precision", "recall", "f1", "balanced_accuracy", "matthews_corrcoef"]
)
def test_a_threshold_cuts_probabilities(name):
    found = scores(make_scorer(name, threshold=0.2, prior=0.4, **KNOWN))
    metric = "mcc" if name == "matthews_corrcoef" else name
    assert found == pytest.approx(by_hand("predict_proba", metric, 0.2, 0.4))


def test_the_response_can_be_chosen_as_in_scikit_learn():
    options = {"threshold": -1.0, "prior": 0.4, **KNOWN}
    found = scores(make_scorer("f1", response_method="decision_function", **options))
    assert found == pytest.approx(by_hand("decision_function", "f1", -1.0, 0.4))
    either = make_scorer("f1", response_method=["predict_proba", "decision_function"], **options)
    assert np.isfinite(scores(either, LinearSVC(dual="auto"))).all()  # which has no predict_proba
    area = make_scorer("roc_auc", response_method="predict_proba", prior=0.4, **KNOWN)
    assert scores(area) == pytest.approx(by_hand("predict_proba", "roc_auc", None, 0.4))


def test_the_prior_can_be_that_of_each_fold():
    found = scores(make_scorer("roc_auc", prior="estimate", **KNOWN))
    assert found == pytest.approx(by_hand("decision_function", "roc_auc", None, "estimate"))
    assert found != pytest.approx(by_hand("decision_function", "roc_auc", None, 0.3))
    cut = scores(make_scorer("f1", threshold=0.2, prior="estimate", **KNOWN))
    assert cut == pytest.approx(by_hand("predict_proba", "f1", 0.2, "estimate"))


def test_a_search_chooses_by_the_score_at_a_threshold():
    scorer = make_scorer("f1", threshold=0.2, prior=0.4, **KNOWN)
    assert pickle.loads(pickle.dumps(scorer))._kwargs == scorer._kwargs
    search = GridSearchCV(LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=scorer, cv=FOLDS)
    search.fit(X, Y)
    own = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"C": [1e-6, 1.0][int(np.argmax(own))]}
    assert own[1] == pytest.approx(np.mean(by_hand("predict_proba", "f1", 0.2, 0.4)))


@pytest.mark.parametrize(
    ("score", "options", "said"),
    [
        ("roc_auc", {"threshold": 0.5}, "no threshold"),
        ("f1", {"response_method": "predict_proba"}, "Pass threshold="),
        ("f1", {"threshold": 0.5, "response_method": "predict"}, "Pass threshold="),
        ("f1", {"pos_lable": 1}, "Did you mean 'pos_label'"),
        ("f1", {"prior": "estimate"}, "needs scores"),
        ("roc_auc", {"prior": "guess"}, "prior='guess'"),
        ("roc_auc", {"response_method": "score"}, "response_method='score'"),
        ("f1", {"threshold": "high"}, "threshold must be a number"),
    ],
)
def test_what_cannot_be_is_told_before_any_fold(score, options, said):
    with pytest.raises(InputError, match=said):
        make_scorer(score, **{"prior": 0.4, **KNOWN, **options})
