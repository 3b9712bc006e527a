"""Answers of people who checked rows: yes, no, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.columns import as_column, is_missing_value
from puremetrics.checking.types import BoolArray
from puremetrics.exceptions import LabelError

__all__ = ["NO", "YES", "answers_with_gaps"]

YES = ("1", "1.0", "true", "t", "yes", "y", "positive", "pos")
NO = ("0", "0.0", "false", "f", "no", "n", "negative", "neg")


def answers_with_gaps(values: Any, name: str) -> tuple[BoolArray, BoolArray]:
    """Which rows have an answer, and which answers are yes.

    Answers are 1 and 0, True and False, or words such as "yes" and "no"; missing values and empty text are
    rows that nobody looked at.
    """
    column = as_column(values, name)
    if column.dtype.kind == "b":
        return np.ones(column.size, dtype=np.bool_), np.array(column, dtype=np.bool_)
    if column.dtype.kind in "iuf":
        given = np.ones(column.size, dtype=np.bool_)
        if column.dtype.kind == "f":
            given = ~np.isnan(column)
        yes = given & (column == 1)
        strange = given & ~yes & (column != 0)
        if strange.any():
            _raise_strange(column[strange][0], name, int(np.flatnonzero(strange)[0]))
        return given, yes
    given, yes = np.zeros((2, column.size), dtype=np.bool_)
    for place, value in enumerate(column.tolist()):
        if is_missing_value(value) or not str(value).strip():
            continue
        word = str(value).strip().lower()
        if word not in YES and word not in NO:
            _raise_strange(value, name, place)
        given[place], yes[place] = True, word in YES
    return given, yes


def _raise_strange(value: Any, name: str, place: int) -> None:
    raise LabelError(
        f"{name}[{place}] is {value!r}, which is neither yes nor no. Write 1 or 0, yes or no, and leave rows "
        "empty that nobody looked at."
    )
