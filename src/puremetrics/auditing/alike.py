"""Checked rows that belong together: what their answers have in common.

Answers to rows of one patient or one user are alike. Rows were drawn by chance, so what they say of the rows
of the table does not suffer from that; but the table's rows are a sample of groups, and so are the checked
ones. With e_i what the answer to row i adds to the error of a sum, the rows it stands for included, the sums
of e over groups tell both at once, whichever rows of a group were checked (the ultimate clusters of Hansen,
Hurwitz and Madow 1953): every pair of rows of a group is checked with the chance by which its product is
scaled up. So

    κ = C/(C − 1) · Σ_groups (Σ e)² / Σ e²  −  1

is the variance that answers have in common, over the one that they have each; every sum has its own. With
fewer than three positives found, or negatives, answers say nothing about it, and groups count as one row
each.

What rows have in common beside their answers, where they score, is the design effect of shares of the
table's rows above a score (`sampling.clustered`). Limits are stretched for few groups as they are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.sampling.clustered import head_effect, over_groups
from puremetrics.setting import Grouping
from puremetrics.setting.requirements import independent
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.auditing.audit import Audit
    from puremetrics.auditing.audited import Audited

__all__ = ["ALONE", "Alike", "alike_of", "check_named", "errors_of", "in_common"]

_FEWEST = 3  # positives and negatives that must be found


@dataclass(frozen=True, eq=False)
class Alike:
    """What rows of a group have in common.

    Attributes
    ----------
    number : int or None
        Groups that the checked rows belong to.
    place : ndarray of int or None
        The group of each checked unlabeled row; None if all rows are independent.
    answers : float
        κ of the number of positives.
    labelled : float
        The same of answers to labelled rows.
    rows : float
        Variance of the rows' shares over that of independent rows.
    degrees : float
        Degrees of freedom of these variances.
    """

    number: int | None = None
    place: Any = None
    answers: float = 0.0
    labelled: float = 0.0
    rows: float = 1.0
    degrees: float = float("inf")

    def stretch(self, level: float) -> float:
        """What so few degrees of freedom make limits wider by."""
        if np.isinf(self.degrees):
            return 1.0
        return student_quantile(self.degrees, level) / normal_quantile(level)

    @property
    def design_effect(self) -> float | None:
        """Variance of the number of positives over that of independent answers."""
        return None if self.number is None else 1 + self.answers

    @property
    def remarks(self) -> list[Diagnostic]:
        """PM140 if the groups are few."""
        if self.number is None:
            return []
        return Grouping(self.number, 1 + self.answers, self.degrees, 1.0).remarks()


ALONE = Alike()


def check_named(table: ScoreTable, audit: Audit) -> None:
    """Raise if rows of the table belong to groups and nobody says which of them were checked."""
    if not independent(table) and audit.groups is None:
        raise InputError(
            "The rows of the table belong to groups, but the audit does not say which group each checked row "
            "is of. Pass groups=… to Audit.from_arrays, to plan.draw or to plan.audit."
        )


def alike_of(audited: Audited) -> Alike:
    """What the rows of an audit have in common; nothing if they are independent."""
    groups, table = audited.audit.groups, audited.table
    if groups is None:
        return ALONE
    number = int(np.unique(groups).size)
    if number == groups.size and independent(table):
        return Alike(number)
    place = groups[audited.hidden]
    errors, stands = errors_of(audited, audited.cells, audited.cell_rows(), np.ones(place.size))
    common, degrees = in_common(errors, stands, place)
    known = audited.audit.labelled
    labelled = 0.0
    if known.any():
        answers, weight = audited.audit.positive[known], audited.audit.weight[known]
        apart = weight * (answers - np.average(answers, weights=weight))
        labelled, _ = in_common(apart, weight, groups[known])
    return Alike(number, place, common, labelled, _of_rows(table), degrees)


def errors_of(
    audited: Audited, cells: Any, rows: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What each answer adds to the error of a sum of values over positives, and rows that it stands for.

    ``cells`` are those of the checked rows, ``rows`` the unlabeled rows in each; errors are 0 if too few
    positives or negatives were found to tell them.
    """
    held = np.bincount(cells, weights=audited.weight, minlength=rows.size)
    shares = audited.weight / held[cells]
    stands = np.where(values != 0, rows[cells] * shares, 0.0)
    found = int(np.count_nonzero(audited.answer[values != 0]))
    if min(found, int(np.count_nonzero(values)) - found) < _FEWEST:
        return np.zeros(values.size), stands
    left = values * (audited.answer - audited.powers[audited.cells] * audited.expected)
    mean = np.bincount(cells, weights=shares * left, minlength=rows.size)
    return rows[cells] * shares * (left - mean[cells]), stands


def in_common(errors: FloatArray, stands: FloatArray, place: Any) -> tuple[float, float]:
    """κ of errors by group, and its degrees of freedom; without errors, that of rows which are all alike."""
    _, group = np.unique(place, return_inverse=True)
    none = float(errors @ errors) <= 0
    used = stands if none else errors
    each, sums = float(used @ used), np.bincount(group, weights=used).astype(np.float64)
    variance, degrees = over_groups(sums)
    if each <= 0 or sums.size == place.size:  # no two rows of a group
        return 0.0, degrees
    return max((float(sums @ sums) if none else variance) / each - 1, 0.0), degrees


def _of_rows(table: ScoreTable) -> float:
    """Design effect of shares of the rows of the population, and of the labelled ones."""
    clusters = table.clusters
    if clusters is None or clusters.alone:
        return 1.0
    kinds = (clusters.pos, clusters.unl, clusters.neg)
    inside = table.design.compared(table.totals)
    used = [part for part, here in zip(kinds, inside, strict=True) if here]
    return max(head_effect(sum(used[1:], used[0])), head_effect(clusters.pos))
