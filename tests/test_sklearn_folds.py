"""`puremetrics.sklearn.cross_evaluate`: models, splitters, and groups that stay together."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.sklearn import cross_evaluate

pytest.importorskip("sklearn")
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold

CC = {"scenario": "case_control", "prior": 0.3}


def rows(size=240):
    rng = np.random.default_rng(0)
    y = (np.arange(size) % 3 == 0).astype(int)
    features = rng.normal(size=(size, 2)) + y[:, None]
    return features, y, np.arange(size) // 4


def test_scores_come_from_models_of_the_other_folds():
    features, y, _ = rows()
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    found = cross_evaluate(LogisticRegression(), features, y, cv=cv, **CC)
    score, fold = np.empty(240), np.empty(240)
    for number, (train, test) in enumerate(cv.split(features, y)):
        model = LogisticRegression().fit(features[train], y[train])
        score[test], fold[test] = model.predict_proba(features[test])[:, 1], number
    known = pm.cross_evaluate(y, score, fold=fold, **CC)
    assert found["roc_auc"].value == pytest.approx(known["roc_auc"].value, abs=1e-12)
    assert tuple(found["roc_auc"].interval) == pytest.approx(tuple(known["roc_auc"].interval))
    assert found.labelled == known.labelled == (20, 20, 20, 20)


def test_groups_are_passed_to_the_splitter_and_to_the_intervals():
    features, y, groups = rows()
    seen = []

    class Watched(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(not set(groups[train]) & set(groups[test]))
                yield train, test

    found = cross_evaluate(LogisticRegression(), features, y, cv=Watched(5), groups=groups, **CC)
    assert seen == [True] * 5
    assert found["roc_auc"].n_groups == 60


def test_rows_in_several_test_folds_are_groups():
    features, y, _ = rows()
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    many = cross_evaluate(LogisticRegression(), features, y, cv=cv, **CC)
    once = cross_evaluate(LogisticRegression(), features, y, cv=3, **CC)
    assert len(many.folds) == 12
    assert sum(many.rows) == 960
    assert many["roc_auc"].n_groups == 240
    # Four times the same rows say hardly more than once: four independent times would halve the error.
    assert many["roc_auc"].standard_error > 0.85 * once["roc_auc"].standard_error


def test_several_models_and_containers():
    pandas = pytest.importorskip("pandas")
    features, y, _ = rows()
    models = {"logistic": LogisticRegression(), "ridge": RidgeClassifier()}
    found = cross_evaluate(models, features, y, cv=3, **CC)
    assert list(found.estimates) == ["logistic", "ridge"]
    assert len(found.differences["roc_auc"]) == 1
    frame = pandas.DataFrame(features, columns=["a", "b"], index=np.arange(240)[::-1])
    other = cross_evaluate(models, frame, pandas.Series(y), cv=3, **CC)
    assert other.estimates["ridge"]["roc_auc"].value == found.estimates["ridge"]["roc_auc"].value
    text = np.where(y == 1, "yes", "no")
    named = cross_evaluate(
        models, features, text, cv=3, pos_label="yes", unlabeled_label="no", **CC
    )
    turned = np.where(y == 1, "a", "b")  # the class of the positives comes first
    first = cross_evaluate(models, features, turned, cv=3, pos_label="a", unlabeled_label="b", **CC)
    for name in models:
        known = found.estimates[name]["roc_auc"].value
        assert named.estimates[name]["roc_auc"].value == pytest.approx(known, abs=1e-9)
        assert first.estimates[name]["roc_auc"].value == pytest.approx(known, abs=1e-6)


def test_mistakes_get_a_sentence():
    features, y, groups = rows()
    with pytest.raises(InputError, match="is empty"):
        cross_evaluate({}, features, y, **CC)
    with pytest.raises(InputError, match="same length"):
        cross_evaluate(LogisticRegression(), features[:10], y, **CC)
    with pytest.raises(InputError, match="same length"):
        cross_evaluate(LogisticRegression(), features, y, groups=groups[:5], **CC)
    three = np.where(np.arange(240) % 7 == 1, -1, y)
    with pytest.raises(InputError, match="trained on the classes"):
        cross_evaluate(LogisticRegression(), features, three, neg_label=-1, **CC)
