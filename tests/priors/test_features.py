import sys

import numpy as np
import pytest

from puremetrics.exceptions import InputError, LabelError, MissingDependencyError
from puremetrics.priors import (
    estimate_prior_from_features,
    estimate_propensity,
    out_of_fold_scores,
)

pytest.importorskip("sklearn")


def rows(share=0.3, gap=3.0, m=300, n=1500, seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.random(n) < share
    positive = np.concatenate([np.ones(m, bool), hidden])
    features = rng.normal(size=(m + n, 3)) + gap * positive[:, None] * [1.0, 0.5, 0.0]
    return features, np.repeat([1, 0], [m, n]), float(hidden.mean())


@pytest.mark.parametrize(
    ("method", "slack"), [("combined", 0.07), ("best_bin", 0.07), ("km2", 0.12), ("tice", 0.12)]
)
def test_prior_from_features(method, slack):
    features, y, share = rows()
    found = estimate_prior_from_features(features, y, method=method, scenario="case_control", rng=0)
    assert found.prior == pytest.approx(share, abs=slack)
    assert found.method == method
    if method == "combined":
        given = {"method": method, "scenario": "case_control", "rng": 0}
        assert estimate_prior_from_features(features, y, **given).prior == found.prior
    single = estimate_prior_from_features(
        features, y, method=method, scenario="single_training_set", rng=0
    )
    assert single.prior == pytest.approx((300 + 1500 * single.unlabeled_share) / 1800)
    if method in ("tice", "km2"):
        assert found.interval is None
        assert found.upper_limit is None


def test_scores_come_from_models_that_did_not_see_the_row():
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(400, 5)), np.repeat([1, 0], [200, 200])
    for estimator in (None, KNeighborsClassifier(1), LogisticRegression()):
        scores = out_of_fold_scores(noise, y, estimator=estimator, rng=1)
        assert scores.shape == (400,)
        # A nearest neighbour that had seen the row would separate the groups perfectly.
        assert abs(scores[:200].mean() - scores[200:].mean()) < 0.15


def test_default_scores_are_probabilities():
    features, y, _ = rows(m=100, n=400)
    scores = out_of_fold_scores(features, y, rng=3)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.mean() == pytest.approx(0.2, abs=0.03)  # the share of labels
    assert (scores != out_of_fold_scores(features, y, rng=4)).any()


def test_km2_with_few_labels_and_positives():
    """The threshold before, half the slope at large multiples, gave 0.094 here."""
    features, y, truth = rows(share=0.05, gap=4.0, m=100, n=600, seed=1)
    found = estimate_prior_from_features(features, y, method="km2", scenario="case_control", rng=0)
    assert found.prior == pytest.approx(truth, abs=0.03)


def test_estimator_without_probabilities():
    from sklearn.svm import LinearSVC

    features, y, _ = rows()
    scores = out_of_fold_scores(features, y, estimator=LinearSVC(dual="auto"), n_folds=3, rng=0)
    assert scores[:300].mean() > scores[300:].mean()


def test_wrong_input():
    features, y, _ = rows(m=3, n=10)
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(InputError, match="as many labelled"):
        out_of_fold_scores(features, y, estimator=LogisticRegression())
    with pytest.raises(InputError, match="both describe the same rows"):
        out_of_fold_scores(features[:-1], y)
    with pytest.raises(LabelError, match="one of the two is missing"):
        out_of_fold_scores(features, np.ones(13))
    features[0, 0] = np.nan
    with pytest.raises(InputError, match="missing, infinite or huge"):
        estimate_prior_from_features(features, y, method="tice", scenario="case_control")
    with pytest.raises(InputError, match="Choose one of"):
        estimate_prior_from_features(features, y, method="magic", scenario="case_control")


def test_missing_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingDependencyError, match=r"puremetrics\[sklearn\]"):
        out_of_fold_scores([[1.0], [2.0]], [1, 0])


def test_known_negatives_are_not_asked_for_where_they_have_no_use():
    with pytest.raises(LabelError, match="drop these rows") as raised:
        estimate_propensity([[0.0], [1.0], [2.0]], [1, 0, -1], attributes=[0])
    assert "neg_label" not in str(raised.value)
