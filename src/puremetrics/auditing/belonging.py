"""Whether the rows of an audit can be rows of a table, and what is said if they cannot."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.auditing.audit import Audit
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.tables.score_table import ScoreTable

__all__ = ["check_belongs"]


def check_belongs(table: ScoreTable, audit: Audit, model: str) -> None:
    """Raise if the checked rows are none of the table's, are labelled already, or appear twice."""
    score, hidden = audit.score_of(model), ~audit.labelled
    if not hidden.any():
        raise InputError(
            "Only labelled rows were checked. They tell the purity of the labels; how many positives are "
            "hidden is told by unlabeled rows. Check some of these."
        )
    strata = audit.strata
    if strata is not None and float(strata.rows.sum()) != table.total_unl:
        raise InputError(
            f"The audit was drawn from {strata.rows.sum():.0f} unlabeled rows, but the table has "
            f"{table.total_unl:.0f}. Pass the table that the audit was planned on."
        )
    _check_group(table, score[hidden], "unlabeled")
    _check_group(table, score[~hidden], "labelled")


def _check_group(table: ScoreTable, scores: FloatArray, known: str) -> None:
    if not scores.size:
        return
    groups: dict[str, Any] = {
        "unlabeled": table.n_unl,
        "labelled": table.n_pos,
        "known negative": table.n_neg,
    }
    at = np.minimum(np.searchsorted(-table.score, -scores, side="left"), table.score.size - 1)
    inside = (table.score[at] <= scores) & (scores <= table.highest[at])
    absent = np.flatnonzero(~inside | (groups[known][at] == 0))
    if absent.size:
        first = absent[0]
        why = "the table has no such row: is it another table, or another model?"
        others = [name for name, column in groups.items() if column[at[first]] > 0]
        if inside[first] and others:
            already = ": it is labelled already" if "labelled" in others else ""
            why = f"only {' and '.join(others)} rows of the table have that score{already}."
        raise InputError(
            f"A row checked as one of the {known} ones has the score {scores[first]:.10g}, and {why} "
            f"That holds for {absent.size} of {scores.size} checked rows. Pass rows of this table, with the "
            "scores that it was built from."
        )
    counts = np.bincount(at, minlength=table.score.size)
    twice = np.flatnonzero(counts > groups[known])
    if twice.size:
        raise InputError(
            f"{counts[twice[0]]} checked {known} rows have the score {table.score[twice[0]]:.10g}, but the "
            f"table has {groups[known][twice[0]]:.0f} of them. Each row counts once: was one "
            "drawn twice? Drop what is repeated."
        )
