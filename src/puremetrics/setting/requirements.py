"""What a question asks of a table, and the one sentence for tables that cannot answer it."""

from __future__ import annotations

import numpy as np

from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "check_bias_alone",
    "check_independent",
    "check_known_head",
    "check_one_weight",
    "check_table",
    "check_uncut",
    "check_unlabeled",
    "check_whole",
    "independent",
]


def check_table(table: object) -> None:
    """Raise unless it is a table."""
    if not isinstance(table, ScoreTable):
        raise InputError(
            f"A ScoreTable is needed here, not {type(table).__name__}. Build one with "
            "ScoreTable.from_arrays."
        )


def independent(table: ScoreTable) -> bool:
    """Whether no two rows belong to one group."""
    return table.clusters is None or table.clusters.alone


def check_independent(table: ScoreTable, what: str, instead: str) -> None:
    """Raise if rows belong to groups, which the answer could not allow for."""
    check_table(table)
    if not independent(table):
        raise UnsupportedError(
            f"{what} assumes independent rows, but these belong to groups, so it would be "
            f"overconfident. {instead}"
        )


def check_uncut(table: ScoreTable, what: str) -> None:
    """Raise if the scores of unlabeled rows were merged."""
    check_table(table)
    if table.is_cut:
        raise UnsupportedError(
            f"{what} needs the scores of all rows, but a cut table has merged runs of unlabeled rows. "
            "Use the table before cut(); for a bootstrap pass cut=False."
        )


def check_whole(table: ScoreTable, what: str, instead: str) -> None:
    """Raise if rows carry weights or fractional counts."""
    check_table(table)
    if not table.whole:
        raise UnsupportedError(
            f"{what} counts rows one by one, but this table has weights or fractional counts, which "
            f"are not rows. Build it from whole rows, or use {instead}."
        )


def check_one_weight(table: ScoreTable, what: str, instead: str) -> None:
    """Raise if labelled rows have one weight among the positives and another among all rows."""
    check_table(table)
    if table.has_propensities and table.design.one_sample:
        raise UnsupportedError(
            f"{what} cannot separate the two weights of a labelled row in a single training set with "
            f"propensities: 1 / propensity among the positives, and 1 among all rows. {instead}"
        )


def check_bias_alone(table: ScoreTable) -> None:
    """Raise if a label bias would come on top of propensities that it cannot be told apart from."""
    check_one_weight(
        table,
        "label_bias",
        "Leave out label_bias, or the propensities: label_bias=… says how far labels may be from random.",
    )


def check_unlabeled(table: ScoreTable) -> None:
    """Raise if nothing is hidden."""
    if table.total_unl == 0:
        raise UnsupportedError(
            "There are no unlabeled rows, so nothing is hidden and the metrics are known exactly. "
            "Use roc_auc, average_precision or metric."
        )


def check_known_head(table: ScoreTable, threshold: float) -> None:
    """Raise if a scanned table does not know how many rows reach the threshold."""
    least, most = table.heads_around(threshold)
    if least != most:
        at = int(np.searchsorted(-table.score, -threshold, side="right"))
        raise InputError(
            f"The scan has merged the scores from {table.score[at]:g} to {table.highest[at]:g}, so it is "
            f"not known how many of them reach {threshold:g}. Use {table.score[at]!r} as the threshold."
        )
