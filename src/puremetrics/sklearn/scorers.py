"""Scorers for scikit-learn's own loops: what to ask of an estimator, and the score of one fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any, Literal

from puremetrics.checking.arguments import check_choice, check_number
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.priors.estimate import estimate_prior
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.sklearn.scores import (
    average_precision_score,
    balanced_accuracy_score,
    bedroc_score,
    enrichment_factor_score,
    f1_score,
    in_range,
    matthews_corrcoef,
    ndcg_score,
    precision_at_top_score,
    precision_score,
    recall_at_top_score,
    recall_score,
    roc_auc_score,
)
from puremetrics.statistics.threshold_metric import metric
from puremetrics.tables.score_table import ScoreTable

__all__ = ["make_scorer"]

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
    prior: PriorLike | Literal["estimate"],
    purity: PurityLike = None,
    threshold: float | None = None,
    response_method: str | Sequence[str] | None = None,
    **options: Any,
) -> Any:
    """Make a scorer for `cross_val_score` and `GridSearchCV` on a positive-unlabeled ``y``.

    Parameters
    ----------
    score : str
        roc_auc, average_precision, precision_at_top, recall_at_top, enrichment_factor (these three with
        ``top=``), bedroc, ndcg (all of these rank rows), precision, recall, f1, balanced_accuracy or
        matthews_corrcoef (these take ``predict``, or scores of at least ``threshold``). Beware that
        a classifier trained on positives against unlabeled rarely predicts "positive" at its default
        threshold; pass a threshold, or prefer the ranking scores.
    scenario, prior, purity
        As for the scores. Folds should be stratified, so that each has about the same share of
        labelled rows. ``prior="estimate"`` estimates it anew in each fold, by `estimate_prior`.
    threshold : float, optional
        For precision, recall, f1, balanced_accuracy and matthews_corrcoef: rows with such a response or a
        larger one are predicted positive.
    response_method : {"predict_proba", "decision_function", "predict"} or a list of them, optional
        What the score is computed from, as in scikit-learn; the first of a list that the estimator has.
        Default: "decision_function" or else "predict_proba" for a ranking, the other way round at a
        threshold, and "predict" for the rest.
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
    response = _response(score, kind, threshold, response_method, prior)
    _check_options(score, function, options)
    known = {"scenario": scenario, "prior": prior, "purity": purity, **options}
    if threshold is None and not _is_estimated(prior):
        return metrics.make_scorer(function, response_method=response, **known)
    at = None if threshold is None else check_number(threshold, "threshold")
    return metrics.make_scorer(
        _score_of_response, response_method=response, score=score, threshold=at, **known
    )


_RESPONSES = ("predict_proba", "decision_function", "predict")


def _is_estimated(prior: Any) -> bool:
    if isinstance(prior, str):
        check_choice(prior, ("estimate",), "prior")
        return True
    return False


def _response(
    score: str, kind: str, threshold: Any, asked: str | Sequence[str] | None, prior: Any
) -> str | tuple[str, ...]:
    """What scikit-learn is to ask of an estimator."""
    if threshold is not None and kind == "rank":
        raise InputError(f"{score!r} ranks all rows and has no threshold. Leave out threshold.")
    if asked is None:
        if kind == "rank":
            return "decision_function", "predict_proba"
        if threshold is not None:
            return "predict_proba", "decision_function"
        asked = "predict"
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    for name in names:
        check_choice(name, _RESPONSES, "response_method")
    if kind == "predict" and (threshold is None) != (names == ("predict",)):
        raise InputError(
            f"{score!r} is computed from predictions, or from scores and a threshold. Pass threshold=… with "
            "response_method='predict_proba' or 'decision_function', or leave out both."
        )
    if _is_estimated(prior) and "predict" in names:
        raise InputError(
            "prior='estimate' needs scores, and predictions are none. Pass threshold=…, or a number as prior."
        )
    return names[0] if len(names) == 1 else names


def _check_options(score: str, function: Callable[..., float], options: dict[str, Any]) -> None:
    """Raise for an option that nobody takes: scikit-learn would turn that into NaN, fold by fold."""
    known = {
        name
        for source in (function, ScoreTable.from_arrays)
        for name, parameter in signature(source).parameters.items()
        if parameter.kind is Parameter.KEYWORD_ONLY
    }
    for name in options:
        if name not in known:
            raise InputError(
                f"{name!r} is not an option of {score!r}.{did_you_mean(name, known)} Leave it out."
            )


def _score_of_response(
    y: Any,
    response: Any,
    *,
    score: str,
    threshold: float | None,
    scenario: Scenario,
    prior: Any,
    purity: PurityLike,
    **options: Any,
) -> float:
    """The score of one fold, from scores of its rows: at a threshold, or with a prior of the fold's own."""
    function, kind = _SCORES[score]
    own = signature(function).parameters
    table_options = {name: value for name, value in options.items() if name not in own}
    table = ScoreTable.from_arrays(y, response, scenario=scenario, **table_options)
    if _is_estimated(prior):
        prior, purity = estimate_prior(table, purity=purity), None
    if kind == "predict":
        name = score
        return in_range(metric(table, name, threshold=threshold, prior=prior, purity=purity))
    return function(y, response, scenario=scenario, prior=prior, purity=purity, **options)
