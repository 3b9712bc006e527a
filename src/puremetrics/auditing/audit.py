"""`Audit`: rows that somebody looked at, and what they are.

Rows are drawn from the unlabeled ones with known chances, by a plan (`plan_audit`) or by a design of one's
own, and checked. Of each the audit holds its scores, the answer, and how many rows it stands for. Labelled
rows may be among them: they tell the purity of the labels.

Answers that come in one after the other may be looked at again and again. If rows were drawn in random order,
what has been checked so far is itself such an audit; intervals must then hold at all looks together
(``planned`` rows; see `auditing.audited`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_count
from puremetrics.checking.columns import (
    as_column,
    as_scores,
    as_weights,
    check_same_length,
    is_missing_value,
    raise_not_finite,
)
from puremetrics.checking.groups import as_groups, hashed_groups
from puremetrics.checking.types import BoolArray, FloatArray, IntArray
from puremetrics.exceptions import Diagnostic, InputError, LabelError
from puremetrics.results import Columns, Result

__all__ = ["Audit", "Strata", "as_answers", "check_alone", "check_audit", "numbered"]


ONLY = "model"  # the name of a single model


@dataclass(frozen=True, eq=False, repr=False)
class Strata(Result):
    """Ranges of one model's scores from which rows were drawn at random.

    Attributes
    ----------
    model : str
    edges : ndarray
        Rising scores; each begins a range that reaches up to the next.
    rows : ndarray
        Unlabeled rows in each range, the one below all edges first.
    """

    model: str
    edges: FloatArray
    rows: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    def of(self, score: FloatArray) -> Any:
        """The range of each score."""
        return np.searchsorted(self.edges, score, side="right")

    def frame(self) -> Columns:
        """Return one row for each range."""
        ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
        return {"from": ends[:-1], "up to": ends[1:], "rows": self.rows}

    def __str__(self) -> str:
        return f"{self.rows.size} ranges of scores with {self.rows.sum():.0f} unlabeled rows"


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """Rows that were checked, with their answers.

    Attributes
    ----------
    scores : dict of str to ndarray
        Scores of the checked rows by each model; of a single one under the name "model".
    positive : ndarray of bool
        What the check said.
    weight : ndarray
        How many unlabeled rows each stands for, up to a common factor.
    labelled : ndarray of bool
        Which of them carried a label before they were checked.
    strata : Strata or None
        The ranges of scores that rows were drawn from, if a plan did so.
    planned : int or None
        If the result is looked at while answers come in: how many rows are to be checked at most.
    groups : ndarray of int or None
        A number for the group that each row belongs to.
    target : str or None
        The statistic that the rows were chosen for, if a plan did so.
    """

    scores: dict[str, FloatArray]
    positive: BoolArray
    weight: FloatArray
    labelled: BoolArray
    strata: Strata | None = None
    planned: int | None = None
    groups: IntArray | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    target: str | None = None

    @classmethod
    def from_arrays(
        cls,
        score: Any,
        positive: Any,
        *,
        weight: Any = None,
        labelled: Any = None,
        planned: int | None = None,
        groups: Any = None,
    ) -> Audit:
        """Make an audit of one's own design.

        Parameters
        ----------
        score : array-like, shape (n,), or mapping of str to array-like
            Scores of the checked rows; of several models by their names.
        positive : array-like, shape (n,)
            Answers: 1 or True if the row is positive, 0 or False if it is not.
        weight : array-like, shape (n,), optional
            How many unlabeled rows each checked one stands for: the inverse of its chance to be drawn.
            Only ratios matter. Left out, all rows had the same chance.
        labelled : array-like of bool, shape (n,), optional
            Which rows carried a label. They tell the purity of the labels; all others were unlabeled.
        planned : int, optional
            Pass the number of rows that are to be checked at most if you look at results while answers
            come in, and may stop when they are good enough: intervals then hold at all looks together.
        groups : array-like, shape (n,), optional
            The group that each row belongs to, such as a patient, as in `ScoreTable.from_arrays`. Needed
            if the table has groups.

        Examples
        --------
        >>> audit = Audit.from_arrays([0.9, 0.8, 0.3, 0.1], [1, 0, 0, 0])
        >>> len(audit), audit.n_positive
        (4, 1)
        """
        named = score if isinstance(score, Mapping) else {ONLY: score}
        if not named:
            raise InputError("score is empty. Pass the scores of the checked rows.")
        answers = as_answers(positive)
        columns = {}
        for name, values in named.items():
            column = as_scores(values, "score" if name == ONLY else f"score[{name!r}]") + 0.0
            check_same_length(column.size, answers.size, "score and positive")
            if not np.isfinite(column).all():
                raise_not_finite(column)
            columns[str(name)] = column
        if answers.size == 0:
            raise InputError("No row was checked. Pass at least one with its answer.")
        stands = np.ones(answers.size)
        if weight is not None:
            stands = as_weights(weight, answers.size, "weight").copy()
        if not np.all(stands > 0):
            raise InputError(
                "weight holds zeros, but a row that was checked stands for at least itself. Pass the "
                "inverse of each row's chance of being drawn."
            )
        known = np.zeros(answers.size, dtype=np.bool_)
        if labelled is not None:
            known = as_answers(labelled, "labelled")
            check_same_length(known.size, answers.size, "labelled and positive")
        most = None if planned is None else check_count(planned, "planned", smallest=answers.size)
        return cls(columns, answers, stands, known, None, most, numbered(groups, answers.size))

    def __len__(self) -> int:
        return int(self.positive.size)

    @property
    def n_checked(self) -> int:
        """Unlabeled rows that were checked."""
        return int(np.count_nonzero(~self.labelled))

    @property
    def n_positive(self) -> int:
        """Positives found among them."""
        return int(np.count_nonzero(self.positive & ~self.labelled))

    def score_of(self, model: str) -> FloatArray:
        """Scores by a model; those of the only one whatever its name."""
        if model in self.scores:
            return self.scores[model]
        if len(self.scores) == 1 and ONLY in self.scores:
            return self.scores[ONLY]
        raise InputError(
            f"The audit has no scores for {model!r}, only for {', '.join(map(repr, self.scores))}. Pass "
            "every model's scores for the checked rows: Audit.from_arrays({'a': …, 'b': …}, positive)."
        )

    def first(self, rows: int) -> Audit:
        """The audit of the first so many rows, in the order of checking.

        If they were drawn from strata, each stands for more rows than before: those of its stratum, shared
        among the rows of it that are checked so far.
        """
        count = check_count(rows, "rows")
        part = slice(0, count)
        made = replace(
            self,
            scores={name: column[part] for name, column in self.scores.items()},
            positive=self.positive[part],
            weight=self.weight[part],
            labelled=self.labelled[part],
            groups=None if self.groups is None else self.groups[part],
        )
        return (
            made
            if self.strata is None
            else replace(made, weight=made.weight_by_strata(self.strata))
        )

    def weight_by_strata(self, strata: Strata) -> FloatArray:
        """Rows of each stratum by those of them that were checked; labelled rows keep what they have."""
        model = strata.model if strata.model in self.scores else next(iter(self.scores))
        stratum, hidden = strata.of(self.scores[model]), ~self.labelled
        per = np.bincount(stratum[hidden], minlength=strata.rows.size)
        return np.where(hidden, strata.rows[stratum] / np.maximum(per[stratum], 1), self.weight)

    def frame(self) -> Columns:
        """Return one row for each that was checked."""
        return {
            **self.scores,
            "positive": self.positive,
            "weight": self.weight,
            "labelled": self.labelled,
            **({} if self.groups is None else {"group": self.groups}),
        }

    def __str__(self) -> str:
        known = int(np.count_nonzero(self.labelled))
        lines = [f"{self.n_checked} unlabeled rows checked, {self.n_positive} of them positive"]
        if known:
            right = int(np.count_nonzero(self.positive & self.labelled))
            lines.append(f"  {known} labelled rows checked, {right} of them positive")
        if self.planned is not None:
            lines.append(
                f"  at most {self.planned} are planned; intervals hold however often you look"
            )
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def numbered(groups: Any, size: int) -> IntArray | None:
    """Numbers for the groups of rows, in the order in which they appear first."""
    if groups is None:
        return None
    names = hashed_groups(as_groups(groups, size))
    _, first, place = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[place]


def as_answers(values: Any, name: str = "positive") -> BoolArray:
    """Yes and no, as booleans or as 1 and 0; anything else is a mistake."""
    column = as_column(values, name)
    if column.dtype.kind == "b":
        return np.array(column, dtype=np.bool_)  # a copy: results freeze what they hold
    found = np.zeros(column.size, dtype=np.bool_)
    for place, value in enumerate(column.tolist()):
        if is_missing_value(value):
            raise LabelError(
                f"{name}[{place}] is missing. Pass answers of checked rows only: 1 or 0, True or False."
            )
        if isinstance(value, str | bytes) or value not in (0, 1):
            raise LabelError(
                f"{name}[{place}] is {value!r}, but an answer must be 1 or 0, True or False. Check the "
                "column."
            )
        found[place] = bool(value)
    return found


def check_alone(prior: object, label_bias: object) -> None:
    """Raise if something is assumed besides an audit, which makes that needless."""
    if prior is not None:
        raise InputError(
            "An audit already determines the prior. Leave out prior, or leave out audit and pass "
            "prior=prior_from_audit(audit, table=table), which assumes labels at random."
        )
    if label_bias != 1:
        raise InputError("With an audit nothing is assumed about the labels. Leave out label_bias.")


def check_audit(audit: object) -> Audit:
    """Raise unless it is an audit."""
    if not isinstance(audit, Audit):
        raise InputError(
            f"audit must be an Audit, not {type(audit).__name__}. Make one with plan.audit(rows, positive) "
            "or Audit.from_arrays(score, positive)."
        )
    return audit
