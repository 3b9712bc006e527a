"""Statistics as functions of how many positives each cell holds, with what one more would add.

A goal is what `fit` asks for: a number and its slope by the hidden positives of each cell. Every statistic
that depends on positives and rows by range of scores is one (`Statistic.expected_value`), and so are formulas
of the confusion matrix, the prior, differences of two models, and how often a judge is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.evidence.ground import Ground
from puremetrics.exceptions import UnsupportedError
from puremetrics.numerics.formulas import Formula

__all__ = ["Described", "Difference", "Goal", "JudgeRate", "Ratio", "Told", "goal_of", "matrix_of"]

_STEP = 1e-6


class Told(NamedTuple):
    """A number, what a positive in place of another row adds in each cell, and what any row adds there."""

    value: float
    gain: FloatArray
    others: FloatArray


class Described(Protocol):
    """A statistic, as far as it is a function of positives by range of scores."""

    @property
    def low(self) -> float:
        """Its least value."""

    @property
    def high(self) -> float:
        """Its largest value."""


class Goal(Protocol):
    """A number that depends on how many positives each cell holds."""

    @property
    def low(self) -> float:
        """Its least value."""

    @property
    def high(self) -> float:
        """Its largest value."""

    def __call__(self, hidden: FloatArray) -> tuple[float, FloatArray]:
        """The number, and its slope by the positives of each cell."""

    def error_of_rows(self, hidden: FloatArray) -> float:
        """Its standard error because the rows are a sample of a population."""


@dataclass(frozen=True, eq=False)
class Ratio:
    """A statistic of one model."""

    ground: Ground
    model: str
    told: Callable[[FloatArray, FloatArray], Told]
    low: float
    high: float

    def by_cell(self, hidden: FloatArray) -> Told:
        """The statistic, with what rows add by cell."""
        found = self.told(*self.ground.population(self.model, hidden))
        at = self.ground.views[self.model].cell
        return Told(found.value, found.gain[at], found.others[at])

    def __call__(self, hidden: FloatArray) -> tuple[float, FloatArray]:
        found = self.by_cell(hidden)
        return found.value, found.gain

    def error_of_rows(self, hidden: FloatArray) -> float:
        positive, negative = self.ground.population(self.model, hidden)
        _, gain, others = self.told(positive, negative)
        return error_of(positive, negative, gain, others)


@dataclass(frozen=True, eq=False)
class Difference:
    """A statistic of one model less that of another, on the same rows."""

    first: Ratio
    second: Ratio
    low: float
    high: float

    def __call__(self, hidden: FloatArray) -> tuple[float, FloatArray]:
        (one, gain, _), (two, less, _) = self.first.by_cell(hidden), self.second.by_cell(hidden)
        return one - two, gain - less

    def error_of_rows(self, hidden: FloatArray) -> float:
        one, two = self.first.by_cell(hidden), self.second.by_cell(hidden)
        ground = self.first.ground
        known = ground.labelled if ground.table.design.one_sample else 0.0
        return error_of(
            hidden + known, ground.rows - hidden, one.gain - two.gain, one.others - two.others
        )


@dataclass(frozen=True, eq=False)
class JudgeRate:
    """How often a judge says yes of rows that are positive, or no of those that are negative."""

    ground: Ground
    yes: FloatArray  # by cell: the chance that the judge's answer counts as yes
    of_positives: bool
    low: float = 0.0
    high: float = 1.0

    def __call__(self, hidden: FloatArray) -> tuple[float, FloatArray]:
        right = self.yes if self.of_positives else 1 - self.yes
        some = hidden if self.of_positives else self.ground.rows - hidden
        total = max(float(some.sum()), 1e-300)
        value = float(some @ right) / total
        slope = (right - value) / total
        return value, slope if self.of_positives else -slope

    def error_of_rows(self, hidden: FloatArray) -> float:
        some = hidden if self.of_positives else self.ground.rows - hidden
        value = self(hidden)[0]
        return float(np.sqrt(max(value * (1 - value), 0.0) / max(float(some.sum()), 1.0)))


def error_of(
    positive: FloatArray, negative: FloatArray, gain: FloatArray, others: FloatArray
) -> float:
    """Standard error of a sum over rows that were drawn from a population."""
    size = max(float(positive.sum() + negative.sum()), 1e-300)
    mean = float(positive @ (gain + others) + negative @ others) / size
    apart = positive @ (gain + others - mean) ** 2 + negative @ (others - mean) ** 2
    return float(np.sqrt(max(float(apart), 0.0)))


def goal_of(ground: Ground, model: str, statistic: Any) -> Ratio:
    """A statistic of one model as a function of the positives of each cell."""
    view = ground.views[model]
    if isinstance(statistic, Formula):
        told = matrix_of(statistic, view.above)
        return Ratio(ground, model, told, statistic.low, statistic.high)
    some = np.array([1.0, 2.0])
    if statistic.of_counts(some, some, some, some) is not None:
        told = matrix_of(statistic.of_counts, view.above)
        return Ratio(ground, model, told, statistic.low, statistic.high)
    tried = (view.labelled + 0.1 * view.unlabeled, view.labelled + view.unlabeled + 1e-9)
    if statistic.expected_value(*tried, view.table, view.edges) is None:
        raise UnsupportedError(
            f"{statistic.title} cannot be computed from several kinds of evidence: it is not a function of "
            "the positives in ranges of scores. Use the prior that they give: "
            f"{statistic.name}(table, prior=assume(table, evidence=[…]).joint_prior())."
        )

    def summed(positive: FloatArray, negative: FloatArray) -> Told:
        found = statistic.expected_value(positive, positive + negative, view.table, view.edges)
        assert found is not None
        return Told(found.value, found.slope, found.others)

    return Ratio(ground, model, summed, statistic.low, statistic.high)


def matrix_of(formula: Any, above: BoolArray) -> Callable[[FloatArray, FloatArray], Told]:
    """A formula of the confusion matrix, with the ranges that are predicted positive."""

    def told(positive: FloatArray, negative: FloatArray) -> Told:
        counts = np.array(
            [float(part[side].sum()) for side in (above, ~above) for part in (positive, negative)]
        )  # tp, fp, fn, tn
        step = _STEP * float(counts.sum())
        moves = np.concatenate([np.zeros((1, 4)), np.eye(4), -np.eye(4)]) * step
        tried = np.maximum(counts + moves, 0.0)
        values = np.asarray(formula(*tried.T), dtype=np.float64)
        run = np.diagonal(tried[1:5]) - np.diagonal(tried[5:])
        slopes = (values[1:5] - values[5:]) / run
        slopes[~np.isfinite(slopes)] = 0.0
        tp, fp, fn, tn = slopes
        return Told(
            float(values[0]),
            np.where(above, tp - fp, fn - tn),
            np.where(above, fp, tn),
        )

    return told
