"""Array-first scores and scorers for scikit-learn users.

Each function takes labels as scikit-learn does, except that the zeros of ``y`` are *unlabeled*, and
returns a float that always lies in the range of its metric. A correction can leave that range where rows are
few: the value is then the repaired one, as `puremetrics.metric` gives it, and a `RepairedScoreWarning`
says so. A metric that is 0/0 counts as 0, with the same warning. Use `puremetrics.roc_auc` and its
companions for intervals and diagnostics.

>>> from puremetrics.sklearn import roc_auc_score
>>> roc_auc_score([1, 1, 0, 0, 0], [5, 3, 4, 2, 1], scenario="case_control", prior=0.2)
0.9166666666666667
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_choice
from puremetrics.checking.labels import predicted_positive
from puremetrics.comparing.fitting import cross_evaluate
from puremetrics.correction.areas import roc_auc
from puremetrics.correction.metric import metric
from puremetrics.correction.precision import average_precision
from puremetrics.exceptions import MissingDependencyError
from puremetrics.listing import bedroc, enrichment_factor, ndcg
from puremetrics.results import Estimate
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "RepairedScoreWarning",
    "average_precision_score",
    "balanced_accuracy_score",
    "bedroc_score",
    "cross_evaluate",
    "enrichment_factor_score",
    "f1_score",
    "make_scorer",
    "matthews_corrcoef",
    "ndcg_score",
    "precision_at_top_score",
    "precision_score",
    "recall_at_top_score",
    "recall_score",
    "roc_auc_score",
]


class RepairedScoreWarning(UserWarning):
    """A corrected score had no value in its range, and the nearest possible one was returned."""


def roc_auc_score(
    y: Any,
    score: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    method: str = "indirect",
    max_fpr: float | None = None,
    **table_options: Any,
) -> float:
    """Corrected area under the ROC curve; ``table_options`` go to `ScoreTable.from_arrays`.

    ``max_fpr`` is that of scikit-learn: the part up to a false positive rate, on McClish's scale.
    """
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    found = roc_auc(table, prior=prior, purity=purity, method=method, max_fpr=max_fpr)
    return _in_range(found)


def average_precision_score(
    y: Any,
    score: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    method: str = "indirect",
    **table_options: Any,
) -> float:
    """Corrected average precision; ``table_options`` go to `ScoreTable.from_arrays`."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return _in_range(average_precision(table, prior=prior, purity=purity, method=method))


def precision_at_top_score(
    y: Any,
    score: Any,
    *,
    top: float,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected precision of the first rows: so many, or such a share of them."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return metric(table, "precision", top=top, prior=prior, purity=purity).value


def recall_at_top_score(
    y: Any,
    score: Any,
    *,
    top: float,
    scenario: Scenario,
    prior: PriorLike = None,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Recall of the first rows; it needs no prior if every label is right."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return metric(table, "recall", top=top, prior=prior, purity=purity).value


def enrichment_factor_score(
    y: Any,
    score: Any,
    *,
    top: float,
    scenario: Scenario,
    prior: PriorLike = None,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """How many times as dense positives are in the first rows as in all of them."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return enrichment_factor(table, top=top, prior=prior, purity=purity).value


def bedroc_score(
    y: Any,
    score: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    alpha: float = 20.0,
    **table_options: Any,
) -> float:
    """Corrected BEDROC; see `puremetrics.bedroc`."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return bedroc(table, prior=prior, purity=purity, alpha=alpha).value


def ndcg_score(
    y: Any,
    score: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    top: float | None = None,
    **table_options: Any,
) -> float:
    """Corrected nDCG, of all rows or of the first ones."""
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **table_options)
    return ndcg(table, prior=prior, purity=purity, top=top).value


def precision_score(
    y: Any,
    y_pred: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected precision of hard predictions."""
    return _of_predictions("precision", y, y_pred, scenario, prior, purity, table_options)


def recall_score(
    y: Any,
    y_pred: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected recall of hard predictions."""
    return _of_predictions("recall", y, y_pred, scenario, prior, purity, table_options)


def f1_score(
    y: Any,
    y_pred: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected F1 score of hard predictions."""
    return _of_predictions("f1", y, y_pred, scenario, prior, purity, table_options)


def balanced_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected balanced accuracy of hard predictions."""
    return _of_predictions("balanced_accuracy", y, y_pred, scenario, prior, purity, table_options)


def matthews_corrcoef(
    y: Any,
    y_pred: Any,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **table_options: Any,
) -> float:
    """Corrected Matthews correlation of hard predictions."""
    return _of_predictions("mcc", y, y_pred, scenario, prior, purity, table_options)


_SCORES: dict[str, tuple[Callable[..., float], str]] = {
    "roc_auc": (roc_auc_score, "rank"),
    "average_precision": (average_precision_score, "rank"),
    "precision_at_top": (precision_at_top_score, "rank"),
    "recall_at_top": (recall_at_top_score, "rank"),
    "enrichment_factor": (enrichment_factor_score, "rank"),
    "bedroc": (bedroc_score, "rank"),
    "ndcg": (ndcg_score, "rank"),
    "precision": (precision_score, "predict"),
    "recall": (recall_score, "predict"),
    "f1": (f1_score, "predict"),
    "balanced_accuracy": (balanced_accuracy_score, "predict"),
    "matthews_corrcoef": (matthews_corrcoef, "predict"),
}


def make_scorer(
    score: str,
    *,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike = None,
    **options: Any,
) -> Any:
    """Make a scorer for `cross_val_score` and `GridSearchCV` on a positive-unlabeled ``y``.

    Parameters
    ----------
    score : str
        roc_auc, average_precision, precision_at_top, recall_at_top, enrichment_factor (these three with
        ``top=``), bedroc, ndcg (all of these rank rows by ``decision_function`` or ``predict_proba``),
        precision, recall, f1, balanced_accuracy or matthews_corrcoef (these use ``predict``). Beware that
        a classifier trained on positives against unlabeled rarely predicts "positive" at its default
        threshold; prefer the ranking scores.
    scenario, prior, purity
        As for the scores. Folds should be stratified, so that each has about the same share of
        labelled rows.
    options
        Passed on to the score: ``method``, ``top``, ``max_fpr``, ``alpha``, ``pos_label`` …

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X = [[i % 11 + i / 20] for i in range(60)]
    >>> y = [int(i % 11 > 5 and i % 3 == 0) for i in range(60)]
    >>> scorer = make_scorer("roc_auc", scenario="single_training_set", prior=0.3)
    >>> [round(float(s), 2) for s in cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)]
    [0.93, 0.95, 0.98]
    """
    function, kind = _SCORES[check_choice(score, tuple(_SCORES), "score")]
    try:
        from sklearn import metrics
    except ImportError:
        raise MissingDependencyError(
            "make_scorer needs scikit-learn. Install puremetrics[sklearn]."
        ) from None
    response = ("decision_function", "predict_proba") if kind == "rank" else "predict"
    return metrics.make_scorer(
        function, response_method=response, scenario=scenario, prior=prior, purity=purity, **options
    )


def _of_predictions(
    name: str,
    y: Any,
    y_pred: Any,
    scenario: Scenario,
    prior: PriorLike,
    purity: PurityLike,
    options: dict[str, Any],
) -> float:
    """Score hard predictions: those equal to pos_label rank above all others."""
    labels = (options.get(key, default) for key, default in _LABELS.items())
    predicted = predicted_positive(y_pred, *labels)
    table = ScoreTable.from_arrays(y, predicted.astype(np.float64), scenario=scenario, **options)
    return _in_range(metric(table, name, threshold=0.5, prior=prior, purity=purity), calls=4)


_LABELS = {"pos_label": 1, "unlabeled_label": 0, "neg_label": None}


def _in_range(estimate: Estimate, calls: int = 3) -> float:
    """The value, moved into the range of its metric; a warning, so many calls up, says what it was before."""
    low = -1.0 if estimate.name == "mcc" else 0.0
    before = estimate.value if estimate.raw is None else estimate.raw
    value = 0.0 if np.isnan(estimate.value) else min(max(estimate.value, low), 1.0)
    if low - _ROUNDING <= before <= 1.0 + _ROUNDING:
        return value
    if np.isnan(before):
        found = "is 0/0 for these predictions,"
    else:
        found = f"came out at {before:.4g}, outside [{low:g}, 1],"
    warnings.warn(
        f"{estimate.title} {found} and counts as {value:.4g}. With few rows that is sampling error; "
        "otherwise the prior is too high, or the labels are not a random sample of the positives. Use "
        "larger folds, or a score that ranks rows (roc_auc, average_precision).",
        RepairedScoreWarning,
        stacklevel=calls,
    )
    return value


_ROUNDING = 1e-12
