"""With full labels the numbers are scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given

import puremetrics as pm
from tests.correction.cases import TOLERANCE
from tests.strategies import groups, scenarios


@given(groups(unlabeled=False), scenarios)
def test_full_labels_give_scikit_learn_numbers(data, scenario):
    from sklearn import metrics

    table = data.table(scenario)
    y = [1] * len(data.pos) + [0] * len(data.neg)
    score = [*data.pos, *data.neg]
    auc = metrics.roc_auc_score(y, score)
    for method in ("direct", "indirect", "projected"):
        assert pm.roc_auc(table, prior=None, method=method).value == pytest.approx(
            auc, abs=TOLERANCE
        )
    ap = metrics.average_precision_score(y, score)
    assert pm.average_precision(table, prior=None).value == pytest.approx(ap, abs=TOLERANCE)
    fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
    curve = pm.roc_curve(table, prior=None)
    assert np.interp(fpr, curve.x, curve.y)[-1] == 1
    assert curve.area == pytest.approx(metrics.auc(fpr, tpr), abs=TOLERANCE)
    threshold = data.neg[0]
    predicted = [s >= threshold for s in score]
    assert (
        pm.metric(table, "mcc", threshold=threshold, prior=None).value
        == pytest.approx(metrics.matthews_corrcoef(y, predicted), abs=TOLERANCE, nan_ok=True)
        or len(set(predicted)) == 1
    )
    for ours, theirs in (
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
        ("accuracy", metrics.accuracy_score),
        ("balanced_accuracy", metrics.balanced_accuracy_score),
    ):
        value = pm.metric(table, ours, threshold=threshold, prior=None).value
        assert value == pytest.approx(theirs(y, predicted), abs=TOLERANCE)
