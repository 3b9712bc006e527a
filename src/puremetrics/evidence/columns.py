"""Evidence from the columns of a table of rows: several label columns, answers of people, a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from puremetrics.checking.columns import as_column
from puremetrics.checking.labels import label_masks
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.evidence.checked import Investigated, Judged
from puremetrics.evidence.kind import Evidence
from puremetrics.evidence.sources import LabelSources
from puremetrics.exceptions import InputError

__all__ = ["evidence_of_columns", "label_of_sources"]


def label_of_sources(
    sources: Mapping[str, Any], pos_label: Any = 1, unlabeled_label: Any = 0
) -> tuple[BoolArray, dict[str, BoolArray]]:
    """Which rows some source labelled, and which each of them did."""
    caught = {
        str(name): label_masks(column, pos_label, unlabeled_label, None)[0]
        for name, column in sources.items()
    }
    return np.any(np.stack(list(caught.values())), axis=0), caught


def evidence_of_columns(
    scores: Mapping[str, FloatArray],
    unlabeled: BoolArray,
    *,
    sources: Mapping[str, BoolArray] | None = None,
    checked: Any = None,
    judge: Any = None,
    second: Any = None,
) -> list[Evidence]:
    """The evidence that columns of the same rows hold.

    Parameters
    ----------
    scores : mapping of str to ndarray
        Scores by model.
    unlabeled : ndarray of bool
    sources : mapping of str to ndarray of bool, optional
        Which rows each source labelled.
    checked, judge, second : array-like, optional
        What people found in unlabeled rows, what a judge says of all of them, and second answers.
    """
    found: list[Evidence] = []
    if sources is not None:
        found.append(LabelSources.from_arrays(scores, sources))
    if checked is None:
        if judge is not None or second is not None:
            raise InputError(
                f"{'judge' if judge is not None else 'second'} says nothing without answers of people: name "
                "their column as well, checked=…."
            )
        return found
    own = {name: column[unlabeled] for name, column in scores.items()}
    answers = as_column(checked, "checked")[unlabeled]
    again = None if second is None else as_column(second, "second")[unlabeled]
    if judge is None:
        found.append(Investigated.from_arrays(own, answers, second=again))
    else:
        said = as_column(judge, "judge")[unlabeled]
        found.append(Judged.from_arrays(own, said, answers, second=again))
    return found
