"""What every kind of evidence about positives is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from puremetrics.checking.arguments import shown
from puremetrics.checking.columns import as_scores, check_same_length, raise_not_finite
from puremetrics.checking.types import FloatArray
from puremetrics.evidence.fit import Term
from puremetrics.evidence.ground import Ground, JudgedRows
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Columns, Result
from puremetrics.tables.score_table import ScoreTable

__all__ = ["ONLY", "Evidence", "as_range", "named_scores"]

ONLY = "model"  # the name of a single model


@dataclass(frozen=True, eq=False, repr=False)
class Evidence(Result):
    """Something that is known about positives beside the scores; subclasses are its kinds.

    A kind says what it assumes, where it holds how much evidence, and what it expects to be counted at some
    rates of positives (`terms`). What it leaves open, such as a dependence between 1 and 2, makes several
    `cases`, of which the first is the one that values are computed at.
    """

    diagnostics: tuple[Diagnostic, ...] = field(default=(), kw_only=True)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        raise NotImplementedError

    @property
    def assumes(self) -> str:
        """What must be true for it to be right: a clause that follows "if"."""
        raise NotImplementedError

    @property
    def judge(self) -> JudgedRows | None:
        """Answers to all unlabeled rows, if a judge gave some."""
        return None

    def check(self, table: ScoreTable) -> None:
        """Raise if it cannot be about the rows of a table."""

    def cases(self) -> tuple[Self, ...]:
        """What it may be, each to be fitted by itself; the first is central."""
        return (self,)

    @property
    def open(self) -> bool:
        """Whether somebody stated a range."""
        return len(self.cases()) > 1

    def extremes(self) -> tuple[Self, ...]:
        """What it may be, each with nothing left open, to be compared with other evidence."""
        return self.cases()

    def information(self, ground: Ground) -> FloatArray:
        """How much it tells of the rate of positives in each cell: about as many counts."""
        return np.zeros(ground.axis.size)

    def apart(self, ground: Ground) -> Any:
        """A number for each place of the axis, which changes where strata must end; None if nowhere."""
        return None

    def terms(self, ground: Ground, corrected: bool) -> list[Term]:
        """What it expects to be counted; ``corrected`` for values, which should have little bias."""
        raise NotImplementedError

    def positives(self, ground: Ground, own: FloatArray, positives: FloatArray) -> FloatArray:
        """Positives of each cell that it makes one expect, up to a factor, from those of the labels."""
        return positives

    def remarks(self, ground: Ground, others: FloatArray) -> list[Diagnostic]:
        """What is fragile about it on these rows; ``others`` is what other kinds tell of each cell."""
        return list(self.diagnostics)

    def frame(self) -> Columns:
        """Return one row: what it is, its numbers, and when it is right."""
        own = {"evidence": np.array([self.title])}
        return {**own, **super().frame(), "right_if": np.array([self.assumes])}

    def __str__(self) -> str:
        return f"{self.title}\n  right if {self.assumes}"


def named_scores(score: Any, size: int) -> dict[str, FloatArray]:
    """Finite scores by model, of so many rows; those of a single one are called "model"."""
    named = score if isinstance(score, Mapping) else {ONLY: score}
    if not named:
        raise InputError("score is empty. Pass the scores of the rows.")
    columns = {}
    for name, values in named.items():
        column = as_scores(values, "score" if name == ONLY else f"score[{name!r}]") + 0.0
        check_same_length(column.size, size, "score and the answers")
        if not np.isfinite(column).all():
            raise_not_finite(column)
        columns[str(name)] = column
    return columns


def as_range(value: Any, name: str, low: float, high: float) -> tuple[float, float]:
    """A number or a range (low, high) as a range, within limits."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    try:
        first, last = (float(end) for end in ends)
    except (TypeError, ValueError):
        raise InputError(
            f"{name}={shown(value)} must be a number or a range (low, high)."
        ) from None
    if not low <= first <= last <= high:
        raise InputError(
            f"{name}={shown(value)} must lie between {low:g} and {high:g}, the lower end first."
        )
    return first, last
