import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    with pytest.warns(pu.RepairedScoreWarning, match="0/0.*another threshold.*such as roc_auc"):
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
    recall = pu.make_scorer("recall", response_method="predict", **KNOWN)
    assert 0 <= cross_val_score(LogisticRegression(), X, y, scoring=recall, cv=folds).min() <= 1
    with pytest.raises(InputError, match="Choose one of"):
        pu.make_scorer("auc", **KNOWN)


PREDICTED = {
    "precision": pu.precision_score,
    "recall": pu.recall_score,
    "f1": pu.f1_score,
    "balanced_accuracy": pu.balanced_accuracy_score,
    "mcc": pu.matthews_corrcoef,
}


@pytest.mark.parametrize(
    ("name", "raw"), [("precision", "inf"), ("f1", "2"), ("mcc", "-inf|inf|e")]
)
def test_an_impossible_score_is_repaired_with_a_warning(name, raw):
    with pytest.warns(pu.RepairedScoreWarning, match=f"came out at .*({raw}).*counts as 1"):
        found = PREDICTED[name]([1, 0, 0, 0], [1, 0, 0, 0], scenario="case_control", prior=0.3)
    assert found == 1.0


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=12),
    st.sampled_from(sorted(PREDICTED)),
    st.sampled_from(["case_control", "single_training_set"]),
    st.floats(0.01, 0.99),
)
def test_scores_of_predictions_are_those_of_the_metric_and_in_range(rows, name, scenario, prior):
    y, predicted = ([int(row[i]) for row in rows] for i in (0, 1))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = PREDICTED[name](y, predicted, scenario=scenario, prior=prior)
        except pm.PuremetricsError:
            return
    table = pm.ScoreTable.from_arrays(y, np.array(predicted, dtype=float), scenario=scenario)
    estimate = pm.metric(table, name, threshold=0.5, prior=prior)
    assert (-1 if name == "mcc" else 0) <= found <= 1
    assert found == (0.0 if np.isnan(estimate.value) else estimate.value)
    outside = not (-1 if name == "mcc" else 0) - 1e-12 <= estimate.raw <= 1 + 1e-12
    assert bool(said) == outside
    assert all(one.category is pu.RepairedScoreWarning for one in said)
    assert all(one.filename == __file__ for one in said)


def test_areas_of_scores_stay_in_range():
    y, scores = [1, 1, 0, 0, 0], [9, 8, 3, 2, 1]
    with pytest.warns(pu.RepairedScoreWarning, match="came out at") as said:
        found = pu.roc_auc_score(y, scores, scenario="case_control", prior=0.5, method="direct")
    assert found == 1.0
    (warning,) = map(str, (one.message for one in said))
    assert "roc_auc" not in warning  # which it is already
    assert "larger folds help" in warning
    assert "check_labelling" in warning


@pytest.mark.filterwarnings("ignore::puremetrics.sklearn.RepairedScoreWarning")
@pytest.mark.parametrize("seed", range(5))
def test_a_search_by_precision_on_few_rows_has_finite_scores(seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(150) < 0.3
    X = rng.normal(size=(150, 2)) + 1.5 * truth[:, None]
    y = (truth & (rng.random(150) < 0.4)).astype(int)
    known = {"scenario": "case_control", "prior": 0.3}
    scorer = pu.make_scorer("precision", response_method="predict", **known)
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3, 7]}, scoring=scorer, cv=StratifiedKFold(5)
    ).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert np.all((scores >= 0) & (scores <= 1))


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ([None] * 4, "4 missing values out of 4"),
        ([1, 0, None, 0], "1 missing values out of 4"),
        ([np.nan] * 4, "4 missing values"),
        (np.array([[1], [0, 1], 0, 0], dtype=object), "not a single value"),
        ([1, 0, 2, 0], "other values"),
        ([2, 2, 2, 2], "neither pos_label=1"),
        (np.array([(1, 2)] * 4, dtype=[("a", int), ("b", int)]), "one of its fields"),
    ],
)
def test_predictions_that_are_none_get_a_sentence(wrong, match):
    with pytest.raises(InputError, match=match):
        pu.f1_score([1, 0, 0, 0], wrong, scenario="case_control", prior=0.2)


def test_missing_predictions_may_mean_not_positive():
    y = np.array([1, None, None, None, 1], dtype=object)
    predicted = np.array([1, None, None, 1, 1], dtype=object)
    known = {"scenario": "case_control", "prior": 0.2}
    plain = pu.f1_score([1, 0, 0, 0, 1], [1, 0, 0, 1, 1], **known)
    assert pu.f1_score(y, predicted, unlabeled_label=None, **known) == plain
