"""Scorers at thresholds and with a prior of each fold, inside scikit-learn's own loops."""

import pickle
import warnings

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError, PriorError, PuremetricsError, ScenarioError
from puremetrics.sklearn import RepairedScoreWarning, make_scorer

pytest.importorskip("sklearn")
from sklearn import config_context
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
        ("f1", {}, "'f1' needs a threshold.*response_method='predict'"),
        ("precision", {}, "'precision' needs a threshold"),
        ("recall", {}, "'recall' needs a threshold"),
        ("balanced_accuracy", {}, "needs a threshold"),
        ("matthews_corrcoef", {}, "needs a threshold"),
        ("auc", {}, "score='auc' is unknown. Choose one of 'roc_auc'"),
        ("roc_auc", {"method": "exact"}, "method='exact' is unknown"),
        ("average_precision", {"method": "direct"}, "method='direct' is unknown"),
        ("roc_auc", {"max_fpr": 2}, "max_fpr=2 must lie above 0"),
        ("bedroc", {"alpha": 0}, "alpha=0 must lie"),
        ("ndcg", {"top": 0}, "top=0 must be a number of rows"),
        ("precision_at_top", {}, "top is missing. Pass a number of rows such as top=100"),
        ("enrichment_factor", {}, "top is missing"),
        ("recall_at_top", {"top": -3}, "top=-3 must be"),
        ("roc_auc", {"pos_label": 0}, "pos_label and unlabeled_label are both 0"),
        ("roc_auc", {"sample_weight": np.ones(900)}, "set_score_request\\(sample_weight=True\\)"),
        ("f1", {"threshold": 0.5, "response_method": "predict"}, "Pass threshold="),
        ("f1", {"pos_lable": 1}, "Did you mean 'pos_label'"),
        ("f1", {"prior": "estimate", "response_method": "predict"}, "needs scores"),
        ("roc_auc", {"prior": "guess"}, "prior='guess'"),
        ("roc_auc", {"response_method": "score"}, "response_method='score'"),
        ("f1", {"threshold": "high"}, "threshold must be a number"),
    ],
)
def test_what_cannot_be_is_told_before_any_fold(score, options, said):
    with pytest.raises(InputError, match=said):
        make_scorer(score, **{"prior": 0.4, **KNOWN, **options})


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        (
            {"scenario": "sts"},
            ScenarioError,
            "scenario='sts' is unknown; it decides what the prior means",
        ),
        ({"scenario": None}, ScenarioError, "Pass scenario='case_control' if"),
        ({"prior": 40}, PriorError, "prior=40 is not a share.*a percentage"),
        ({"prior": -0.1}, PriorError, "must lie in"),
        ({"prior": 0}, PriorError, "prior=0 is impossible.*Pass prior > 0"),
        ({"prior": 1}, PriorError, "Pass purity > prior"),
        ({"prior": (0.4, 0.2)}, PriorError, "its lower end comes first"),
        ({"prior": (0.2, 0.3, 0.4)}, PriorError, "has 3 values"),
        ({"prior": float("nan")}, PriorError, "not finite"),
        ({"prior": None}, PriorError, "prior is missing, and 'roc_auc' needs it"),
        ({"purity": 1.5}, PriorError, "purity=1.5 is not a share"),
        ({"purity": 0.3}, PriorError, "Pass purity > prior"),
        ({"prior": "estimate", "purity": 2}, PriorError, "purity=2 is not a share"),
        (
            {"prior": pm.PriorEstimate(0.4, scenario="case_control")},
            ScenarioError,
            "estimated for scenario 'case_control'",
        ),
    ],
)
def test_assumptions_that_hold_in_no_fold_are_told_before_any(options, error, said):
    with pytest.raises(error, match=said):
        make_scorer("roc_auc", **{"prior": 0.4, **KNOWN, **options})


@pytest.mark.parametrize(
    ("score", "options"),
    [
        ("roc_auc", {"prior": 0.0, "scenario": "case_control"}),  # no unlabeled row is positive
        ("roc_auc", {"prior": (0.3, 0.5), "purity": (0.9, 1.0), "max_fpr": 0.2}),
        ("roc_auc", {"prior": pm.PriorEstimate(0.4, scenario="single_training_set")}),
        ("roc_auc", {"prior": np.float32(0.4), "method": "projected"}),
        ("roc_auc", {"prior": None, "neg_label": 0, "unlabeled_label": None}),
        ("recall_at_top", {"prior": None, "top": 0.1}),
        ("enrichment_factor", {"prior": None, "top": 50}),
        ("ndcg", {}),
        ("bedroc", {"alpha": 30.0}),
    ],
)
def test_what_can_be_is_scored(score, options):
    found = scores(make_scorer(score, **{"prior": 0.4, **KNOWN, **options}))
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_predictions_of_the_classifier_are_taken_if_asked_for():
    found = scores(make_scorer("f1", response_method="predict", prior=0.4, **KNOWN))
    assert found == pytest.approx(by_hand("predict_proba", "f1", 0.5, 0.4))
    better = scores(make_scorer("f1", threshold=0.2, prior=0.4, **KNOWN))
    assert better.mean() > found.mean() + 0.2  # why 0.5 is no default


def test_what_a_fold_refuses_is_an_error_of_our_own():
    scorer = make_scorer("roc_auc", prior=0.01, **KNOWN)  # fewer positives than have a label
    with pytest.raises(PuremetricsError, match="already labelled positive"):
        scores(scorer)


@pytest.mark.filterwarnings("ignore::puremetrics.sklearn.RepairedScoreWarning")
def test_weights_are_routed_by_scikit_learn():
    weight = np.where(np.arange(900) % 2, 1.0, 3.0)
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer("roc_auc", prior=0.4, **KNOWN).set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        found = cross_validate(
            model, X, Y, scoring=scorer, cv=FOLDS, params={"sample_weight": weight}
        )["test_score"]
    train, test = FOLDS[0]
    score = LogisticRegression().fit(X[train], Y[train]).decision_function(X[test])
    table = pm.ScoreTable.from_arrays(Y[test], score, sample_weight=weight[test], **KNOWN)
    assert found[0] == pytest.approx(pm.roc_auc(table, prior=0.4).value)
