"""Labels: which rows are positive, unlabeled and negative."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import as_column, is_missing_value
from puremetrics.checking.types import BoolArray
from puremetrics.exceptions import LabelError

__all__ = ["check_labels", "label_masks", "label_places", "predicted_positive"]

_PIECE = 1 << 17  # rows


def label_places(
    labels: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the number of rows and the places of the positive and negative ones; all others are unlabeled.

    A long column is read once, in pieces that stay in the cache.
    """
    y = as_column(labels, "y")
    check_labels(pos_label, unlabeled_label, neg_label)
    places: tuple[list[Any], list[Any]] = ([], [])
    unlabeled = 0
    for start in range(0, y.size, _PIECE):
        piece = y[start : start + _PIECE]
        unlabeled += int(np.count_nonzero(_matches(piece, unlabeled_label)))
        places[0].append(np.flatnonzero(_matches(piece, pos_label)) + start)
        if neg_label is not None:
            places[1].append(np.flatnonzero(_matches(piece, neg_label)) + start)
    empty = np.empty(0, dtype=np.intp)
    positive, negative = (np.concatenate([empty, *parts]) for parts in places)
    if unlabeled + positive.size + negative.size != y.size:
        label_masks(y, pos_label, unlabeled_label, neg_label)  # says which value is unknown
    return y.size, positive, negative


def label_masks(
    labels: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any, *, two_kinds: bool = False
) -> tuple[BoolArray, BoolArray, BoolArray | None]:
    """Return which rows are positive, unlabeled and negative; every row must be one of them.

    ``two_kinds`` says that the caller has no use for known negatives, so that nobody is advised to name them.
    """
    y = as_column(labels, "y")
    check_labels(pos_label, unlabeled_label, neg_label)
    positive = _matches(y, pos_label)
    unlabeled = _matches(y, unlabeled_label)
    negative = None if neg_label is None else _matches(y, neg_label)
    found = int(np.count_nonzero(positive)) + int(np.count_nonzero(unlabeled))
    found += 0 if negative is None else int(np.count_nonzero(negative))
    if found != y.size:
        known = positive | unlabeled if negative is None else positive | unlabeled | negative
        _raise_unknown_label(y[~known], pos_label, unlabeled_label, neg_label, two_kinds)
    return positive, unlabeled, negative


def predicted_positive(
    predictions: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> BoolArray:
    """Return which rows are predicted positive: those equal to ``pos_label``, of two values at most."""
    column = as_column(predictions, "y_pred")
    check_labels(pos_label, unlabeled_label, neg_label)
    positive = _matches(column, pos_label)
    others = column[~positive]
    missing = _matches(others, None)
    if missing.any() and not is_missing_value(unlabeled_label):
        raise LabelError(
            f"y_pred holds {int(missing.sum())} missing values out of {column.size}, which predict nothing. "
            "Predict every row, or drop the rows without a prediction from y as well."
        )
    if not others.size:
        return positive
    first = None if missing[0] else others[0]
    wrong = ""
    if isinstance(first, list | tuple | dict | set | np.ndarray):
        wrong = "which is not a single value"
    elif not _matches(others, first).all():
        wrong = f"{shown(_plain(others[~_matches(others, first)][0]))} and possibly other values, "
        wrong += "but hard predictions have two"
    elif not positive.any() and not any(
        _matches(others[:1], label).all() for label in _marks(unlabeled_label, neg_label)
    ):
        wrong = f"but neither pos_label={shown(pos_label)} nor the label of other rows"
    if wrong:
        raise LabelError(
            f"y_pred holds {shown(_plain(first))}, {wrong}. Predictions must be the values that mark rows "
            "in y. For scores, use roc_auc_score or average_precision_score, or apply a threshold first."
        )
    return positive


def _marks(unlabeled_label: Any, neg_label: Any) -> list[Any]:
    return [unlabeled_label] if neg_label is None else [unlabeled_label, neg_label]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def check_labels(pos_label: Any, unlabeled_label: Any, neg_label: Any) -> None:
    """Raise unless they are single values that differ."""
    for name, label in (
        ("pos_label", pos_label),
        ("unlabeled_label", unlabeled_label),
        ("neg_label", neg_label),
    ):
        if not isinstance(label, str | bytes | np.ndarray) and hasattr(label, "__len__"):
            raise LabelError(f"{name}={shown(label)} must be one value, not several.")
        if isinstance(label, np.ndarray) and label.ndim:
            raise LabelError(f"{name}={shown(label)} must be one value, not several.")
    _check_distinct_labels(pos_label, unlabeled_label, neg_label)


def _check_distinct_labels(pos_label: Any, unlabeled_label: Any, neg_label: Any) -> None:
    if is_missing_value(pos_label):
        raise LabelError("pos_label is missing. Pass the value that marks a labelled positive.")
    pairs = [("unlabeled_label", unlabeled_label)]
    if neg_label is not None:
        pairs.append(("neg_label", neg_label))
    for name, value in pairs:
        if not is_missing_value(value) and _same(value, pos_label):
            raise LabelError(f"pos_label and {name} are both {shown(value)}; they must differ.")
    distinct = neg_label is None or is_missing_value(unlabeled_label)
    if not distinct and _same(unlabeled_label, neg_label):
        raise LabelError(
            f"unlabeled_label and neg_label are both {shown(neg_label)}. If that value value that marks "
            "known negatives, say what marks the unlabeled rows (None for missing values)."
        )


def _raise_unknown_label(
    unknown: npt.NDArray[Any],
    pos_label: Any,
    unlabeled_label: Any,
    neg_label: Any,
    two_kinds: bool,
) -> None:
    sample = unknown[0]
    known = f"pos_label={shown(pos_label)} and unlabeled_label={shown(unlabeled_label)}"
    if neg_label is not None:
        known = (
            f"pos_label={shown(pos_label)}, unlabeled_label={shown(unlabeled_label)} "
            f"and neg_label={shown(neg_label)}"
        )
    if is_missing_value(sample):
        raise LabelError(
            f"y has {unknown.size} missing values besides {known}. If missing values mark unlabeled rows, "
            "pass unlabeled_label=None; otherwise drop these rows."
        )
    found = shown(_plain(sample))
    if isinstance(sample, str) and not isinstance(pos_label, str):
        advice = (
            f"These are text, but pos_label={shown(pos_label)} is not: pass pos_label and unlabeled_label "
            "as text, too."
        )
    elif two_kinds:
        advice = f"If {found} marks unlabeled rows, pass unlabeled_label={found}; otherwise drop these rows."
    elif neg_label is None:
        advice = (
            f"If {found} value that marks known negatives, pass neg_label={found}; if it marks unlabeled "
            f"rows, pass unlabeled_label={found}."
        )
    else:
        advice = "Drop these rows, or map them to one of the three labels."
    raise LabelError(f"y contains {found} besides {known}. {advice}")


def _matches(y: npt.NDArray[Any], label: Any) -> BoolArray:
    if y.dtype.kind == "O":
        missing = np.fromiter((is_missing_value(v) for v in y), dtype=np.bool_, count=y.size)
        if is_missing_value(label):
            return missing
        equal = np.fromiter((_same(v, label) for v in y[~missing]), dtype=np.bool_)
        result = np.zeros(y.size, dtype=np.bool_)
        result[~missing] = equal
        return result
    if is_missing_value(label):
        if y.dtype.kind == "f":
            return np.asarray(np.isnan(y))
        if y.dtype.kind in "mM":
            return np.asarray(np.isnat(y))
        return np.zeros(y.size, dtype=np.bool_)
    if (y.dtype.kind in "US") != isinstance(label, str | bytes):
        return np.zeros(y.size, dtype=np.bool_)
    try:
        return np.asarray(y == label, dtype=np.bool_)
    except OverflowError:  # an integer that no value of this type can equal
        return np.zeros(y.size, dtype=np.bool_)


def _same(value: Any, label: Any) -> bool:
    try:
        return bool(value == label)
    except Exception:  # an array among the values, or an object that refuses in its own way
        return False
