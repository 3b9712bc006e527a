"""Every conversion of user input, and every message about it.

Nothing here mutates or freezes what the caller passed in. Columns of any data frame library are
taken through ``__array__`` (pandas, polars, pyarrow, xarray …) or the Arrow C interface, so no
such library is imported unless the caller's own object needs it.
"""

from __future__ import annotations

import numbers
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from puremetrics.exceptions import (
    InputError,
    LabelError,
    MissingDependencyError,
    PriorError,
    ScenarioError,
    ScoreError,
    WeightError,
)

__all__ = [
    "BoolArray",
    "CountArray",
    "FloatArray",
    "Scenario",
    "as_column",
    "as_counts",
    "as_generator",
    "as_scores",
    "as_weights",
    "check_choice",
    "check_count",
    "check_flag",
    "check_level",
    "check_number",
    "check_same_length",
    "check_scenario",
    "check_share",
    "label_masks",
    "raise_not_finite",
    "shown",
]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CountArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Scenario = Literal["case_control", "single_training_set"]

_SCENARIO_HELP = (
    "Pass scenario='case_control' if the unlabeled rows are a sample of the whole population and "
    "the positives were collected separately (the prior is then the share of positives among the "
    "unlabeled). Pass scenario='single_training_set' if there was one sample and some of its "
    "positives got a label (the prior is then over labelled and unlabeled rows together)."
)
_LARGEST_EXACT_INTEGER = 2**53


def shown(value: object, longest: int = 60) -> str:
    """Return the value as a message shows it: on one line, not too long, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer too long to print, or an object that cannot
        text = f"a {type(value).__name__}"
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def check_scenario(scenario: object) -> Scenario:
    """Return the scenario, or explain the two there are."""
    if isinstance(scenario, str) and scenario in get_args(Scenario):
        return cast(Scenario, scenario)
    found = "scenario is missing" if scenario is None else f"scenario={shown(scenario)} is unknown"
    raise ScenarioError(f"{found}; it decides what the prior means. {_SCENARIO_HELP}")


def check_choice(value: object, choices: tuple[str, ...], name: str) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(repr(choice) for choice in choices)
    raise InputError(f"{name}={shown(value)} is unknown. Choose one of {listed}.")


def check_number(value: object, name: str) -> float:
    """Return a finite float."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value is not np.ma.masked:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} must be a number, but is {shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{name} is too large for a float. Pass a finite number.") from None
    if not np.isfinite(number):
        raise InputError(f"{name}={number} is not finite. Pass a finite number.")
    return number


def check_share(value: object, name: str) -> float:
    """Return a float in [0, 1]."""
    try:
        number = check_number(value, name)
    except InputError as error:
        raise PriorError(str(error)) from None
    if not 0.0 <= number <= 1.0:
        percent = " (a percentage? divide by 100)" if 1.0 < number <= 100.0 else ""
        raise PriorError(f"{name}={number:g} is not a share: it must lie in [0, 1]{percent}.")
    return number


def check_level(level: object, name: str = "confidence_level") -> float:
    """Return a confidence level strictly between 0 and 1."""
    number = check_number(level, name)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 1.0 < number < 100.0 else ""
        raise InputError(f"{name}={number:g} must lie strictly between 0 and 1.{hint}")
    return number


def check_count(value: object, name: str, smallest: int = 1) -> int:
    """Return a whole number of at least ``smallest``."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or int(cast(int, value)) < smallest:
        raise InputError(f"{name}={shown(value)} must be a whole number of at least {smallest}.")
    if int(cast(int, value)) > _LARGEST_EXACT_INTEGER:
        raise InputError(f"{name} must be at most 2**53, the largest count that floats can hold.")
    return int(cast(int, value))


def check_flag(value: object, name: str) -> bool:
    """Return True or False; anything else is a mistake, even where Python would find it true."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={shown(value)} must be True or False.")
    return bool(value)


def as_generator(rng: object) -> np.random.Generator:
    """Return a generator from a seed, a generator, or None (fresh entropy)."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or isinstance(rng, numbers.Integral | np.random.SeedSequence):
        if isinstance(rng, numbers.Integral) and (isinstance(rng, bool) or int(rng) < 0):
            raise InputError(f"rng={shown(rng)} is not a seed. Pass a non-negative integer.")
        return np.random.default_rng(cast("int | None", rng))
    raise InputError(
        f"rng must be None, an integer seed or a numpy Generator, but is {shown(rng)}."
    )


def as_column(values: Any, name: str) -> npt.NDArray[Any]:
    """Return a one-dimensional array that views ``values`` where numpy can."""
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        plain = np.asarray(values.data)
        values = plain
        if masked.any():
            values = plain.astype(object)
            values[masked] = None
    if isinstance(values, list | tuple) and any(value is np.ma.masked for value in values):
        values = [None if value is np.ma.masked else value for value in values]
    if not hasattr(values, "__array__") and (
        hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")
    ):
        values = _from_arrow(values, name)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} cannot be read as an array: {str(error).rstrip('.')}. Pass a list, an array or a "
            "data frame column of single values."
        ) from None
    if array.ndim == 1:
        return array
    if array.ndim == 2 and 1 in array.shape:
        return array.reshape(-1)
    if array.ndim == 0:
        raise InputError(
            f"{name} must be a one-dimensional sequence, but is a single {type(values).__name__}. "
            "Pass a list, an array or a data frame column."
        )
    hint = ""
    if array.ndim == 2 and array.shape[1] == 2:
        hint = " If these are scikit-learn's predict_proba, pass the second column, [:, 1]."
    raise InputError(
        f"{name} must be one-dimensional, but has shape {array.shape}. Pass one column.{hint}"
    )


def as_scores(values: Any, name: str = "score") -> FloatArray:
    """Return finite-checkable float64 scores; the check itself is left to the sorted array."""
    array = as_column(values, name)
    kind = array.dtype.kind
    if kind == "O":
        array = _object_scores(array, name)
    elif kind not in "fiub":
        raise ScoreError(
            f"{name} has dtype {array.dtype}, but a ranking needs real numbers. Convert the "
            "column to float first."
        )
    elif kind in "iu" and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > _LARGEST_EXACT_INTEGER:
            raise ScoreError(
                f"{name} holds the integer {largest}, beyond 2**53, where different integers "
                "become equal as floats. Subtract a constant or pass ranks instead."
            )
    elif kind == "f" and array.dtype.itemsize > 8:
        narrow = array.astype(np.float64)
        if np.any((narrow != array) & (array == array)):
            raise ScoreError(
                f"{name} has dtype {array.dtype}, which float64 cannot hold exactly. "
                "Round the scores first."
            )
        return narrow
    with np.errstate(invalid="ignore"):  # a NaN that signals is a NaN, and refused as one later
        return array.astype(np.float64, copy=False)


def raise_not_finite(array: FloatArray, name: str = "score") -> None:
    """Raise the message for scores that are NaN or infinite."""
    missing = int(np.count_nonzero(np.isnan(array)))
    infinite = int(np.count_nonzero(np.isinf(array)))
    first = int(np.flatnonzero(~np.isfinite(array))[0])
    found = " and ".join(
        f"{count} {what}" for count, what in ((missing, "NaN"), (infinite, "infinite")) if count
    )
    raise ScoreError(
        f"{name} has {found} of {array.size} values (the first at position {first}), which have no "
        "place in a ranking. Drop these rows or score them; do not fill them with a constant, "
        "which would rank them."
    )


def as_weights(values: Any, size: int, name: str = "sample_weight") -> FloatArray:
    """Return finite, non-negative weights of the given length."""
    try:
        array = as_scores(values, name)
    except ScoreError as error:
        raise WeightError(str(error)) from None
    if array.size != size:
        raise WeightError(f"{name} has {array.size} values for {size} rows. Pass one a row.")
    if not np.all(np.isfinite(array)):
        position = int(np.flatnonzero(~np.isfinite(array))[0])
        raise WeightError(
            f"{name}[{position}]={array[position]} is not finite. Drop the row or give it a weight."
        )
    used = array[array > 0]
    if used.size and (used.max() > 1e100 or used.min() < 1e-100):
        raise WeightError(f"{name} holds values beyond 1e100 or below 1e-100. Rescale the weights.")
    if np.any(array < 0):
        position = int(np.flatnonzero(array < 0)[0])
        raise WeightError(
            f"{name}[{position}]={array[position]:g} is negative, but a row cannot be counted less "
            "than zero times. Remove it or give it weight 0."
        )
    return array


def as_counts(values: Any, size: int, name: str) -> CountArray:
    """Return non-negative counts; whole numbers become int64."""
    array = as_weights(values, size, name)
    if np.any(array > _LARGEST_EXACT_INTEGER):
        raise WeightError(
            f"{name} holds counts above 2**53, which floats cannot hold exactly. Pass smaller ones."
        )
    whole = array.astype(np.int64)
    return whole if np.array_equal(whole, array) else array.copy()


def check_same_length(first: npt.NDArray[Any], second: npt.NDArray[Any], names: str) -> None:
    """Raise if two columns differ in length."""
    if first.size != second.size:
        left, right = names.split(" and ")
        raise InputError(
            f"{left} has {first.size} values but {right} has {second.size}. Both describe the "
            "same rows, so they must have the same length."
        )


def label_masks(
    labels: Any, pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> tuple[BoolArray, BoolArray, BoolArray | None]:
    """Return which rows are positive, unlabeled and negative; every row must be one of them."""
    y = as_column(labels, "y")
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
    positive = _matches(y, pos_label)
    unlabeled = _matches(y, unlabeled_label)
    negative = None if neg_label is None else _matches(y, neg_label)
    found = int(np.count_nonzero(positive)) + int(np.count_nonzero(unlabeled))
    found += 0 if negative is None else int(np.count_nonzero(negative))
    if found != y.size:
        known = positive | unlabeled if negative is None else positive | unlabeled | negative
        _raise_unknown_label(y[~known], pos_label, unlabeled_label, neg_label)
    return positive, unlabeled, negative


def _check_distinct_labels(pos_label: Any, unlabeled_label: Any, neg_label: Any) -> None:
    if _is_missing_value(pos_label):
        raise LabelError("pos_label is missing. Pass the value that marks a labelled positive.")
    pairs = [("unlabeled_label", unlabeled_label)]
    if neg_label is not None:
        pairs.append(("neg_label", neg_label))
    for name, value in pairs:
        if not _is_missing_value(value) and value == pos_label:
            raise LabelError(f"pos_label and {name} are both {value!r}; they must differ.")
    distinct = neg_label is None or _is_missing_value(unlabeled_label)
    if not distinct and unlabeled_label == neg_label:
        raise LabelError(
            f"unlabeled_label and neg_label are both {neg_label!r}. If that value marks known "
            "negatives, say what marks the unlabeled rows (None for missing values)."
        )


def _raise_unknown_label(
    unknown: npt.NDArray[Any], pos_label: Any, unlabeled_label: Any, neg_label: Any
) -> None:
    sample = unknown[0]
    known = f"pos_label={shown(pos_label)} and unlabeled_label={shown(unlabeled_label)}"
    if neg_label is not None:
        known = (
            f"pos_label={shown(pos_label)}, unlabeled_label={shown(unlabeled_label)} "
            f"and neg_label={shown(neg_label)}"
        )
    if _is_missing_value(sample):
        raise LabelError(
            f"y has {unknown.size} missing values besides {known}. If missing marks unlabeled "
            "rows pass unlabeled_label=None; otherwise drop these rows."
        )
    found = shown(sample.item() if isinstance(sample, np.generic) else sample)
    if isinstance(sample, str) and not isinstance(pos_label, str):
        advice = (
            f"These are text, and pos_label={shown(pos_label)} is not: pass pos_label and unlabeled_label "
            "as text, too."
        )
    elif neg_label is None:
        advice = (
            f"If {found} marks known negatives pass neg_label={found}; if it marks unlabeled rows "
            f"pass unlabeled_label={found}."
        )
    else:
        advice = "Drop these rows, or map them to one of the three labels."
    raise LabelError(f"y contains {found} besides {known}. {advice}")


def _matches(y: npt.NDArray[Any], label: Any) -> BoolArray:
    if y.dtype.kind == "O":
        missing = np.fromiter((_is_missing_value(v) for v in y), dtype=np.bool_, count=y.size)
        if _is_missing_value(label):
            return missing
        equal = np.fromiter((_same(v, label) for v in y[~missing]), dtype=np.bool_)
        result = np.zeros(y.size, dtype=np.bool_)
        result[~missing] = equal
        return result
    if _is_missing_value(label):
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
    except (TypeError, ValueError):  # an array among the values, or an object that refuses
        return False


def _is_missing_value(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str | bytes):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA refuses to be compared
        return True


def _object_scores(array: npt.NDArray[Any], name: str) -> FloatArray:
    missing = np.fromiter((_is_missing_value(v) for v in array), np.bool_, count=array.size)
    if missing.any():
        raise_not_finite(np.where(missing, np.nan, 0.0), name)
    if any(isinstance(value, str | bytes) for value in array):
        raise ScoreError(f"{name} holds text, but a ranking needs numbers. Convert it first.")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ScoreError(
            f"{name} cannot be read as real numbers: {str(error).rstrip('.')}. Convert it first."
        ) from None


def _from_arrow(values: Any, name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(
            f"{name} offers only the Arrow interface, which needs pyarrow to be read. "
            "Install puremetrics[cli], or pass a numpy array."
        ) from None
    return pyarrow.chunked_array(values)
