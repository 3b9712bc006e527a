"""Scorers for scikit-learn's own loops: what to ask of an estimator, and the score of one fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any, Literal, NamedTuple

from puremetrics.checking.arguments import check_choice, check_number
from puremetrics.checking.labels import check_labels
from puremetrics.checking.spelling import did_you_mean
from puremetrics.exceptions import InputError, MissingDependencyError, PriorError
from puremetrics.priors.estimate import estimate_prior
from puremetrics.scenarios import Scenario, check_scenario
from puremetrics.setting import PriorLike, PurityLike, check_before_rows
from puremetrics.sklearn.scores import (
    LABELS,
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
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.threshold_metric import metric
from puremetrics.tables.score_table import ScoreTable

__all__ = ["make_scorer"]


class _Score(NamedTuple):
    """A score by name: its function, the statistic that it is, and whether it ranks rows."""

    function: Callable[..., float]
    statistic: str
    ranks: bool


_SCORES = {
    "roc_auc": _Score(roc_auc_score, "roc_auc", True),
    "average_precision": _Score(average_precision_score, "average_precision", True),
    "precision_at_top": _Score(precision_at_top_score, "precision", True),
    "recall_at_top": _Score(recall_at_top_score, "recall", True),
    "enrichment_factor": _Score(enrichment_factor_score, "enrichment_factor", True),
    "bedroc": _Score(bedroc_score, "bedroc", True),
    "ndcg": _Score(ndcg_score, "ndcg", True),
    "precision": _Score(precision_score, "precision", False),
    "recall": _Score(recall_score, "recall", False),
    "f1": _Score(f1_score, "f1", False),
    "balanced_accuracy": _Score(balanced_accuracy_score, "balanced_accuracy", False),
    "matthews_corrcoef": _Score(matthews_corrcoef, "mcc", False),
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
        matthews_corrcoef (these need a ``threshold``).
    scenario, prior, purity
        As for the scores. Folds should be stratified, so that each has about the same share of
        labelled rows. ``prior="estimate"`` estimates it anew in each fold, by `estimate_prior`.
    threshold : float, optional
        For precision, recall, f1, balanced_accuracy and matthews_corrcoef, which need it: rows with such a
        response or a larger one are predicted positive. It has no default: a classifier that was trained on
        labelled against unlabeled rows gives most positives less than the usual 0.5, the more so the fewer
        have a label. ``response_method="predict"`` takes the classifier's own predictions instead.
    response_method : {"predict_proba", "decision_function", "predict"} or a list of them, optional
        What the score is computed from, as in scikit-learn; the first of a list that the estimator has.
        Default: "decision_function" or else "predict_proba" for a ranking, and the other way round at a
        threshold.
    options
        Passed on to the score: ``method``, ``top``, ``max_fpr``, ``alpha``, ``pos_label`` …

    Raises
    ------
    PuremetricsError
        For whatever cannot be right in any fold, now: inside a search scikit-learn would turn it into NaN.

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
    known = _SCORES[check_choice(score, tuple(_SCORES), "score")]
    try:
        from sklearn import metrics
    except ImportError:
        raise MissingDependencyError(
            "make_scorer needs scikit-learn. Install puremetrics[sklearn]."
        ) from None
    _check_options(score, options)
    _check_assumed(score, check_scenario(scenario), prior, purity, options)
    response = _response(score, threshold, response_method, prior)
    at = None if threshold is None else check_number(threshold, "threshold")
    if known.ranks:  # raises for values that are wrong
        own = {name: options.get(name) for name in ("method", "max_fpr", "alpha")}
        find(known.statistic, own, top=options.get("top"))
    fixed = {"scenario": scenario, "prior": prior, "purity": purity, **options}
    if at is None and not _is_estimated(prior):
        return metrics.make_scorer(known.function, response_method=response, **fixed)
    return metrics.make_scorer(
        _score_of_response, response_method=response, score=score, threshold=at, **fixed
    )


_RESPONSES = ("predict_proba", "decision_function", "predict")


def _is_estimated(prior: Any) -> bool:
    if isinstance(prior, str):
        check_choice(prior, ("estimate",), "prior")
        return True
    return False


def _check_assumed(
    score: str, scenario: Scenario, prior: Any, purity: PurityLike, options: dict[str, Any]
) -> None:
    """Raise for assumptions that hold in no fold."""
    if _is_estimated(prior):
        check_before_rows(scenario, None, purity)
        return
    check_before_rows(scenario, prior, purity)
    needs = signature(_SCORES[score].function).parameters["prior"].default is Parameter.empty
    if prior is None and needs and options.get("neg_label") is None:
        raise PriorError(
            f"prior is missing, and {score!r} needs it wherever rows are unlabeled. Pass the share of "
            "positives in the population as a number, an interval (low, high), or an estimate from "
            "estimate_prior; or prior='estimate', which estimates it in each fold."
        )


def _response(
    score: str, threshold: Any, asked: str | Sequence[str] | None, prior: Any
) -> str | tuple[str, ...]:
    """What scikit-learn is to ask of an estimator."""
    ranks = _SCORES[score].ranks
    if threshold is not None and ranks:
        raise InputError(f"{score!r} ranks all rows and has no threshold. Leave out threshold.")
    if asked is None:
        if ranks:
            return "decision_function", "predict_proba"
        if threshold is not None:
            return "predict_proba", "decision_function"
        raise InputError(
            f"{score!r} needs a threshold, and there is no good default: a classifier that was trained on "
            "labelled against unlabeled rows rarely gives 0.5 or more, so most of its own predictions are "
            "negative. Pass threshold=… (choose_threshold finds one), response_method='predict' to use the "
            "predictions anyway, or a score that ranks rows, such as 'roc_auc'."
        )
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    for name in names:
        check_choice(name, _RESPONSES, "response_method")
    if not ranks and (threshold is None) != (names == ("predict",)):
        raise InputError(
            f"{score!r} is computed from predictions, or from scores and a threshold. Pass threshold=… with "
            "response_method='predict_proba' or 'decision_function', or response_method='predict' alone."
        )
    if _is_estimated(prior) and "predict" in names:
        raise InputError(
            "prior='estimate' needs scores, not predictions. Pass threshold=…, or a number as prior."
        )
    return names[0] if len(names) == 1 else names


_OF_ROWS = ("sample_weight", "propensity", "groups")


def _check_options(score: str, options: dict[str, Any]) -> None:
    """Raise for an option that nobody takes, is missing, or is about certain rows; for labels that clash."""
    own = signature(_SCORES[score].function).parameters
    taken = {**signature(ScoreTable.from_arrays).parameters, **own}
    known = {name for name, option in taken.items() if option.kind is Parameter.KEYWORD_ONLY}
    if "top" in own and own["top"].default is Parameter.empty and options.get("top") is None:
        raise InputError(
            f"{score!r} is about the first rows, but top is missing. Pass a number of rows such as top=100, "
            "or a share of them such as top=0.01."
        )
    for name in options:
        if name not in known:
            raise InputError(
                f"{name!r} is not an option of {score!r}.{did_you_mean(name, known)} Leave it out."
            )
        if name in _OF_ROWS and options[name] is not None:
            raise InputError(
                f"{name} has a value for each row, but a scorer sees different rows in every fold. Leave it "
                f"out, and let scikit-learn route it: scorer.set_score_request({name}=True), with "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
    check_labels(*(options.get(name, value) for name, value in LABELS.items()))


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
    function, name, ranks = _SCORES[score]
    own = signature(function).parameters
    table_options = {key: value for key, value in options.items() if key not in own}
    table = ScoreTable.from_arrays(y, response, scenario=scenario, **table_options)
    if _is_estimated(prior):
        prior, purity = estimate_prior(table, purity=purity), None
    if not ranks:
        return in_range(metric(table, name, threshold=threshold, prior=prior, purity=purity))
    return function(y, response, scenario=scenario, prior=prior, purity=purity, **options)
