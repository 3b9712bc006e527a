"""Columns of numbers: whatever holds them becomes an array, or an error says why it cannot.

Nothing here mutates or freezes what the caller passed in. Columns of any data frame library are
taken through ``__array__`` (pandas, polars, pyarrow, xarray …) or the Arrow C interface, so no
such library is imported unless the caller's own object needs it.

Columns of a data frame of any library, by name.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from puremetrics.checking.arguments import LARGEST_EXACT_INTEGER, listed, shown
from puremetrics.checking.spelling import did_you_mean
from puremetrics.checking.types import BoolArray, CountArray, FloatArray
from puremetrics.exceptions import InputError, MissingDependencyError, ScoreError, WeightError

__all__ = [
    "as_column",
    "as_counts",
    "as_grid",
    "as_propensities",
    "as_scores",
    "as_weights",
    "check_same_length",
    "columns_of",
    "is_frame",
    "is_missing_value",
    "raise_not_finite",
    "unsigned",
]


MOST_POINTS = 10_000  # of a grid


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
    if array.dtype.kind == "V":
        raise InputError(
            f"{name} has dtype {shown(array.dtype)}, which holds several values per row. Pass one of its "
            "fields, such as y['label']."
        )
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


def as_scores(values: Any, name: str = "score", *, ranked: bool = True) -> FloatArray:
    """Return finite-checkable float64 scores; the check itself is left to the sorted array.

    If they are ``ranked``, different values must stay different.
    """
    array = as_column(values, name)
    kind = array.dtype.kind
    if kind == "O":
        array = _object_scores(array, name, ranked)
    elif kind not in "fiub":
        raise ScoreError(
            f"{name} has dtype {array.dtype}, but a ranking needs real numbers. Convert the "
            "column to float first."
        )
    elif kind in "iu" and array.size:
        _check_exact((int(array.max()), int(array.min())), name)
    elif array.dtype.itemsize > 8:
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = array.astype(np.float64)
        if np.any((narrow != array) & (array == array)):
            raise ScoreError(
                f"{name} has dtype {array.dtype}, which float64 cannot hold exactly. "
                "Round the scores first."
            )
        return narrow
    elif isinstance(values, list | tuple) and np.abs(array).max(initial=0) >= LARGEST_EXACT_INTEGER:
        _check_exact(values, name)  # numpy has turned integers into floats
    with np.errstate(invalid="ignore"):  # a NaN that signals is a NaN, and refused as one later
        return array.astype(np.float64, copy=False)


def as_grid(values: Any, name: str) -> FloatArray:
    """Return finite points at which something is to be computed, each of which takes its time."""
    grid = as_scores(values, name)
    if grid.size > MOST_POINTS:
        raise InputError(
            f"{name} has {grid.size} values, and each is computed separately. Pass at most {MOST_POINTS}."
        )
    return grid.copy()


def raise_not_finite(array: FloatArray, name: str = "score") -> None:
    """Raise the message for scores that are NaN or infinite."""
    missing = int(np.count_nonzero(np.isnan(array)))
    infinite = int(np.count_nonzero(np.isinf(array)))
    first = int(np.flatnonzero(~np.isfinite(array))[0])
    found = " and ".join(
        f"{count} {what}" for count, what in ((missing, "NaN"), (infinite, "infinite")) if count
    )
    raise ScoreError(
        f"{name} has {found} among its {array.size} values (the first at position {first}), which cannot be "
        "ranked. Drop these rows or score them; do not fill them with a constant, which would give them a "
        "rank."
    )


def as_weights(values: Any, size: int, name: str = "sample_weight") -> FloatArray:
    """Return finite, non-negative weights of the given length."""
    try:
        array = as_scores(values, name, ranked=False)
    except ScoreError as error:
        raise WeightError(str(error)) from None
    if array.size != size:
        raise WeightError(
            f"{name} has {array.size} values for {size} rows. Pass one value per row."
        )
    if not np.all(np.isfinite(array)):
        position = int(np.flatnonzero(~np.isfinite(array))[0])
        raise WeightError(
            f"{name}[{position}]={array[position]} is not finite. Drop the row or give it a finite weight."
        )
    used = array[array > 0]
    if used.size and (used.max() > 1e100 or used.min() < 1e-100):
        raise WeightError(f"{name} holds values above 1e100 or below 1e-100. Rescale the weights.")
    if np.any(array < 0):
        position = int(np.flatnonzero(array < 0)[0])
        raise WeightError(
            f"{name}[{position}]={array[position]:g} is negative, but a row cannot be counted less "
            "than zero times. Remove it or give it weight 0."
        )
    return array


def as_propensities(values: Any, labelled: BoolArray, name: str = "propensity") -> FloatArray:
    """Return chances in (0, 1] of the labelled rows, and 1 elsewhere; other values are not read."""
    array = as_column(values, name)
    if array.size != labelled.size:
        raise WeightError(
            f"{name} has {array.size} values for {labelled.size} rows. Pass one value per row, in the order "
            "of y; those of rows without a label are not read and may be missing."
        )
    chance = np.ones(labelled.size)
    own = array[labelled]
    if own.dtype.kind == "O":
        lacking = int(sum(is_missing_value(value) for value in own))
        if lacking:
            raise WeightError(
                f"{name} is missing for {lacking} of {own.size} labelled rows. Pass each labelled row's "
                "chance of being labelled; only rows without a label may lack one."
            )
    try:
        chance[labelled] = as_scores(own, name, ranked=False)
    except ScoreError as error:
        raise WeightError(str(error)) from None
    wrong = np.flatnonzero(~((chance > 0) & (chance <= 1)))
    if wrong.size:
        found = (
            f"{name}[{wrong[0]}]={chance[wrong[0]]:g}, one of {wrong.size} labelled rows like this"
        )
        raise WeightError(
            f"{found}, is not a chance above 0 and up to 1, although the row has a label. Pass each "
            "labelled row's chance of being labelled; clip modelled chances, for example to 0.01."
        )
    if chance.min(initial=1.0) < 1e-100:
        raise WeightError(
            f"{name} holds values below 1e-100, whose inverse is too large to add up. Clip it, for example "
            "to 0.01."
        )
    return chance


def as_counts(values: Any, size: int, name: str) -> CountArray:
    """Return non-negative counts; whole numbers become int64."""
    array = as_weights(values, size, name)
    if np.any(array > LARGEST_EXACT_INTEGER):
        raise WeightError(
            f"{name} holds counts above 2**53, which floats cannot hold exactly. Pass smaller ones."
        )
    whole = array.astype(np.int64)
    return whole if np.array_equal(whole, array) else array.copy()


def check_same_length(first: int, second: int, names: str) -> None:
    """Raise if two columns differ in length."""
    if first != second:
        left, right = names.split(" and ")
        raise InputError(
            f"{left} has {first} values but {right} has {second}. Both describe the "
            "same rows, so they must have the same length."
        )


def is_missing_value(value: Any) -> bool:
    """Whether a value is None, NaN or of a kind that refuses to be compared."""
    if value is None:
        return True
    if isinstance(value, str | bytes):
        return False
    try:
        return bool(value != value)
    except Exception:  # pandas.NA and Decimal("sNaN") refuse to be compared, each in its own way
        return True


def _object_scores(array: npt.NDArray[Any], name: str, ranked: bool) -> FloatArray:
    missing = np.fromiter((is_missing_value(v) for v in array), np.bool_, count=array.size)
    if missing.any():
        raise_not_finite(np.where(missing, np.nan, 0.0), name)
    if any(isinstance(value, str | bytes) for value in array):
        raise ScoreError(f"{name} holds text, but a ranking needs numbers. Convert it first.")
    _check_exact(array, name)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            floats = array.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ScoreError(
            f"{name} cannot be read as real numbers: {str(error).rstrip('.')}. Convert it first."
        ) from None
    if not ranked:
        return floats
    order = np.argsort(floats, kind="stable")
    tied = np.flatnonzero(np.diff(floats[order]) == 0)
    merged = [i for i in tied if array[order[i]] != array[order[i + 1]]]
    if merged:
        first, second = (shown(array[order[merged[0] + step]]) for step in (0, 1))
        raise ScoreError(
            f"{name} holds {first} and {second}, which become equal as floats, so their order would be "
            "lost. Round the values, or pass ranks instead."
        )
    return floats


def _check_exact(values: Any, name: str) -> None:
    """Raise if one of the values is an integer that floats cannot tell from its neighbours."""
    for value in values:
        if isinstance(value, numbers.Integral) and abs(int(value)) > LARGEST_EXACT_INTEGER:
            raise ScoreError(
                f"{name} holds the integer {shown(int(value))}, beyond 2**53, where different integers "
                "become equal as floats. Subtract a constant or pass ranks instead."
            )


def _from_arrow(values: Any, name: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(
            f"{name} offers only the Arrow interface, and reading that needs pyarrow. Install "
            "puremetrics[cli], or pass a numpy array."
        ) from None
    return pyarrow.chunked_array(values)


def is_frame(value: object) -> bool:
    """Whether something has named columns: a data frame, or a mapping of names to columns."""
    if isinstance(value, Mapping) or hasattr(value, "__arrow_c_stream__"):
        return True
    kind = type(value)
    return hasattr(kind, "columns") and hasattr(kind, "__getitem__")


def unsigned(name: Any) -> Any:
    """The column behind the name of a score: "-p" is column "p" with its sign turned.

    >>> unsigned("-p"), unsigned("p")
    ('p', 'p')
    """
    return name[1:] if isinstance(name, str) and name.startswith("-") and len(name) > 1 else name


def columns_of(frame: Any, names: list[str]) -> dict[str, Any]:
    """These columns: of pandas, polars, pyarrow, a mapping, or whatever speaks the Arrow C interface."""
    lazy = hasattr(frame, "collect") and hasattr(frame, "collect_schema")  # a frame of polars
    known = frame.collect_schema().names() if lazy else _names(frame)
    if known is None:
        import pyarrow

        frame = pyarrow.table(frame)
        known = list(frame.column_names)
    for name in names:
        if name not in known:
            raise InputError(
                f"There is no column {shown(name)} in the data frame."
                f"{did_you_mean(str(name), map(str, known))} Name one of its columns: {listed(known)}."
            )
        if known.count(name) > 1:
            raise InputError(
                f"The data frame has {known.count(name)} columns named {shown(name)}. Rename all but one."
            )
    if lazy:
        frame = frame.select(names).collect()
    return {name: frame[name] for name in names}


def _names(frame: Any) -> list[Any] | None:
    if isinstance(frame, Mapping):
        return list(frame)
    for attribute in ("column_names", "columns"):
        found = getattr(frame, attribute, None)
        if found is not None and not callable(found):
            names = list(found)
            if all(isinstance(name, str | int) for name in names):
                return names
    return None
