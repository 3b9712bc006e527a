"""Scores of arrays, as scikit-learn takes them; each returns a float in the range of its metric."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from puremetrics.checking.labels import predicted_positive
from puremetrics.numerics.formulas import METRICS
from puremetrics.results import Estimate
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.statistics import bedroc, enrichment_factor, ndcg
from puremetrics.statistics.precision_area import average_precision
from puremetrics.statistics.roc_area import roc_auc
from puremetrics.statistics.threshold_metric import metric
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "LABELS",
    "RepairedScoreWarning",
    "average_precision_score",
    "balanced_accuracy_score",
    "bedroc_score",
    "enrichment_factor_score",
    "f1_score",
    "in_range",
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
    return in_range(found)


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
    return in_range(average_precision(table, prior=prior, purity=purity, method=method))


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
    labels = (options.get(key, default) for key, default in LABELS.items())
    predicted = predicted_positive(y_pred, *labels)
    table = ScoreTable.from_arrays(y, predicted.astype(np.float64), scenario=scenario, **options)
    return in_range(metric(table, name, threshold=0.5, prior=prior, purity=purity), calls=4)


LABELS = {"pos_label": 1, "unlabeled_label": 0, "neg_label": None}


def in_range(estimate: Estimate, calls: int = 3) -> float:
    """The value, moved into the range of its metric; a warning, so many calls up, says what it was before."""
    at_threshold = estimate.name in METRICS
    low = METRICS[estimate.name].low if at_threshold else 0.0
    before = estimate.value if estimate.raw is None else estimate.raw
    value = 0.0 if np.isnan(estimate.value) else min(max(estimate.value, low), 1.0)
    if low - _ROUNDING <= before <= 1.0 + _ROUNDING:
        return value
    ranking = " A score that ranks rows, such as roc_auc, is steadier." if at_threshold else ""
    if np.isnan(before):
        found = "is 0/0 for these predictions,"
        reason = f"That happens when all of them are the same; another threshold helps.{ranking}"
    else:
        found = f"came out at {before:.4g}, outside [{low:g}, 1],"
        reason = (
            "With few rows that is sampling error, and larger folds help; otherwise the prior is too high, "
            "or the labels are not a random sample of the positives: puremetrics.check_labelling says which "
            f"priors the rows allow.{ranking}"
        )
    warnings.warn(
        f"{estimate.title} {found} and counts as {value:.4g}. {reason}",
        RepairedScoreWarning,
        stacklevel=calls,
    )
    return value


_ROUNDING = 1e-12
