"""Metrics of the confusion matrix of a list's first rows: as `metric`, with a budget in place of a threshold.

Among the first k of N rows a share θ of the positives is found (recall). All four entries follow from it,
from the prior and from x = k/N: prior·θ, x − prior·θ, prior·(1 − θ), 1 − x − prior·(1 − θ). At a fixed k
every metric is a monotone function of θ, so its limits are those of θ, carried over. They know that the
k-th score was found on the same rows: it is the share k/N that is given, not the threshold.

Recall, its complement and the lift θ/x need no prior as long as the labels are pure.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.listed import Statistic
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.numerics.discounts import Even
from puremetrics.numerics.formulas import Formula
from puremetrics.sampling.list_ranks import Ranks, Top
from puremetrics.setting import LabelBias, PriorLike, PurityLike, Setting, check_table, purity_range
from puremetrics.tables.score_table import ScoreTable

__all__ = ["PRIOR_FREE", "at_top", "setting_of", "threshold_of_top"]

PRIOR_FREE = ("recall", "fnr", "lift")


def setting_of(
    table: ScoreTable,
    prior: PriorLike,
    purity: PurityLike,
    confidence_level: float,
    label_bias: float,
    label_bias_side: str,
    *,
    prior_free: bool,
    what: str,
) -> tuple[Setting, bool]:
    """The setting, and whether a prior is part of it; what needs none may be asked without."""
    check_table(table)
    if not prior_free or prior is not None or table.total_unl == 0:
        known = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
        return known, True
    if purity is not None and purity_range(purity)[1] < 1.0:
        raise InputError(
            f"{what} needs no prior if every label is right. With impure labels it does: pass prior=… as "
            f"well "
            "as purity=…."
        )
    if not LabelBias.of(label_bias, label_bias_side).is_random:
        raise InputError(
            f"{what} needs no prior if labels are at random. How far biased labels may move it depends on "
            f"how "
            "many positives are hidden: pass prior=… as well as label_bias=…."
        )
    return Setting.prior_free(table, confidence_level), False


def at_top(setting: Setting, formula: Formula, options: dict[str, float], top: Top) -> Statistic:
    """A metric of the first rows."""
    total = Ranks(setting).total
    rows = top.rows_of(total)
    share = rows / total

    def of(point: Setting, theta: FloatArray) -> FloatArray:
        prior = point.prior
        if formula.name == "recall":
            return theta
        if formula.name == "fnr":
            return 1 - theta
        if formula.name == "lift":
            return theta / share
        found = prior * theta
        entries = found, share - found, prior - found, 1 - share - prior + found
        return formula(*entries, **options)

    def possible(point: Setting) -> tuple[float, float]:
        prior = max(point.prior, 1e-300)
        return max(1 - (1 - share) / prior, 0.0), min(share / prior, 1.0)

    return Statistic(formula, Even(), rows, of, possible, formula.name not in PRIOR_FREE, top=rows)


def threshold_of_top(table: ScoreTable, top: Top) -> float:
    """The score of the last row of the top, where it has one of its own; for audits."""
    table_rows = np.cumsum(table.design.comparison_counts(table)[0])
    rows = top.rows_of(float(table_rows[-1]))
    place = int(np.searchsorted(table_rows, rows, side="left"))
    if float(table_rows[place]) != rows:
        raise UnsupportedError(
            f"Rows are tied at the end of the first {rows:g} rows, and an audit knows rows by their "
            f"scores. Pass "
            f"threshold={table.score[place]:g} for all of the tied rows, or another top."
        )
    return float(table.score[place])
