"""Cross-evaluation of estimators: models are trained on all folds but one, and judged by that one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from puremetrics.checking.columns import as_column, check_same_length
from puremetrics.checking.groups import as_groups
from puremetrics.comparing.cross_evaluation import CrossEvaluation
from puremetrics.comparing.cross_evaluation import cross_evaluate as _of_folds
from puremetrics.exceptions import InputError, MissingDependencyError
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike

__all__ = ["cross_evaluate"]


def cross_evaluate(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    scenario: Scenario,
    prior: PriorLike = None,
    pos_label: Any = 1,
    **options: Any,
) -> CrossEvaluation:
    """Train on all folds but one, score that one, and average over folds; see `puremetrics.cross_evaluate`.

    Parameters
    ----------
    estimator : classifier, or mapping of names to classifiers
        Each is cloned and trained on ``y`` as it is, labelled against the rest. Rows are scored by
        ``predict_proba`` of ``pos_label`` if there is one, otherwise by ``decision_function``.
    X, y : array-like
        Features, and labels as for `puremetrics.cross_evaluate`.
    cv : int, splitter or iterable of (train, test), optional
        As in scikit-learn; a number, or 5 by default, means stratified folds. With groups take GroupKFold or
        StratifiedGroupKFold, so that no model has seen a row of the group that it is judged by.
    groups : array-like, shape (n,), optional
        Passed on to the splitter. Intervals are those of sums over groups, too. Rows that are in several
        test folds, as in repeated ones, count as groups of their own.
    scenario, prior, pos_label
        As there.
    options
        Passed on: ``statistic``, ``threshold``, ``purity``, ``unlabeled_label`` …

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[i % 7 + i] for i in range(24)], [0] * 12 + [1, 0] * 6
    >>> found = cross_evaluate(
    ...     LogisticRegression(), X, y, cv=3, scenario="single_training_set", prior=0.5)
    >>> len(found.folds), found["roc_auc"].value > 0.8
    (3, True)
    """
    try:
        from sklearn.base import clone
        from sklearn.model_selection import check_cv
    except ImportError:
        raise MissingDependencyError(
            "cross_evaluate of an estimator needs scikit-learn. Install puremetrics[sklearn], or "
            "pass scores and folds "
            "to puremetrics.cross_evaluate."
        ) from None
    labels = as_column(y, "y")
    known = None if groups is None else as_groups(groups, labels.size)
    models = estimator if isinstance(estimator, Mapping) else {"model": estimator}
    if not models:
        raise InputError("estimator is empty. Pass a classifier, or {'a': …, 'b': …}.")
    features = X if hasattr(X, "shape") else np.asarray(X)
    check_same_length(labels.size, features.shape[0], "y and X")
    splitter = check_cv(cv, labels == pos_label, classifier=True)
    places, folds = [], []
    scores: dict[str, list[Any]] = {str(name): [] for name in models}
    splits: Iterable[Any] = splitter.split(features, labels == pos_label, known)
    for number, (train, test) in enumerate(splits):
        for name, model in models.items():
            fitted = clone(model).fit(_rows(features, train), labels[train])
            scores[str(name)].append(_scores(fitted, _rows(features, test), pos_label))
        places.append(np.asarray(test))
        folds.append(np.full(places[-1].size, number))
    place = np.concatenate(places)
    if known is not None:
        known = known[place]
    elif np.unique(place).size < place.size:
        known = place
    joined = {name: np.concatenate(parts) for name, parts in scores.items()}
    return _of_folds(
        labels[place],
        joined if isinstance(estimator, Mapping) else joined["model"],
        fold=np.concatenate(folds),
        scenario=scenario,
        prior=prior,
        groups=known,
        pos_label=pos_label,
        **options,
    )


def _rows(features: Any, place: Any) -> Any:
    """Some rows of features, whatever holds them."""
    return features.iloc[place] if hasattr(features, "iloc") else features[place]


def _scores(model: Any, features: Any, pos_label: Any) -> Any:
    """Scores of rows: the chance of being labelled, or the decision function."""
    classes = list(getattr(model, "classes_", [0, 1]))
    if len(classes) != 2 or pos_label not in classes:
        raise InputError(
            f"A model was trained on the classes {classes}, but they must be pos_label={pos_label!r} and "
            "one other. Give known negatives the label of the unlabeled rows, or score the rows yourself "
            "and pass the scores to puremetrics.cross_evaluate."
        )
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(features))[:, classes.index(pos_label)]
    found = np.asarray(model.decision_function(features), dtype=np.float64)
    return found if classes[1] == pos_label else -found
