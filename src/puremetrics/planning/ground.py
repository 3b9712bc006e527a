"""Strata of scores for an audit, and how many rows to check in each.

Unlabeled rows are cut into fine ranges of scores, with a boundary at the threshold. Answers are worth most
where they are a surprise and where the statistic depends on them: strata have equal sums of
|slope|·sqrt(p(1 − p)) (Dalenius, Hodges 1959), p being what the labels make one expect
(`auditing.predicting`), and checks go to where they make the expected interval narrowest (`widths`). Of
several numbers of strata the best is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.auditing.pieces import cells_of
from puremetrics.auditing.predicting import Forecast
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.planning.areas import Area, expected_area
from puremetrics.planning.widths import Answers, Expected, allocated, spread_checks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Ground", "Planned", "best_plan", "planned", "random_width", "rough_widths"]

AREAS = ("roc_auc", "average_precision")
_STRATA = (2, 3, 4, 6, 8)
_ROUGH = (1, 3, 6)
_FINE = 400  # quantiles of the unlabeled scores at which strata may begin
_A_STRATUM = 8  # checks for each stratum, at least on average


@dataclass(frozen=True, eq=False)
class Ground:
    """Fine ranges of scores, rising, with their rows, what is expected there, and the threshold."""

    table: ScoreTable
    edges: FloatArray
    rows: FloatArray
    labelled: FloatArray
    negative: FloatArray
    rate: FloatArray
    threshold: float | None
    known: dict[tuple[str, float, bytes], Expected] = field(default_factory=dict)

    @classmethod
    def of(cls, table: ScoreTable, forecast: Forecast, threshold: float | None) -> Ground:
        """Cut the unlabeled rows of a table."""
        ranks = np.ceil(table.total_unl * np.arange(1, _FINE) / _FINE)
        edges = [table.scores_of("unl", ranks), forecast.edges]
        if threshold is not None:
            edges.append(np.array([threshold]))
        every = np.unique(np.concatenate(edges))
        pos, unl, neg = table.rows_between(every)
        starts = np.concatenate([[-np.inf], every])
        return cls(table, every, unl, pos, neg, np.asarray(forecast.at(starts)), threshold)

    @property
    def above(self) -> Any:
        """Which ranges reach the threshold."""
        starts = np.concatenate([[-np.inf], self.edges])
        return starts >= (-np.inf if self.threshold is None else self.threshold)

    def counted(self, latent: Any, rows: Any) -> tuple[Any, Any]:
        """Positives and negatives of the population in some ranges, with so many hidden ones."""
        pos, unl, neg = (float(c[rows].sum()) for c in (self.labelled, self.rows, self.negative))
        return self.table.design.counted(pos, unl, neg, latent)

    def statistic(self, target: str) -> Callable[[Any, Any], Any] | None:
        """The target as a function of hidden positives above and below the threshold."""
        if target in AREAS:
            return None

        def value(first: Any, second: Any) -> Any:
            tp, fp = self.counted(first, self.above)
            fn, tn = self.counted(second, ~self.above)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = {
                    "precision": tp / (tp + fp),
                    "recall": tp / (tp + fn),
                    "f1": 2 * tp / (2 * tp + fp + fn),
                    "prior": (tp + fn) / (tp + fp + fn + tn),
                }[target]
            return np.where(np.isfinite(found), found, 0.0)

        return value

    @cached_property
    def _population(self) -> tuple[FloatArray, FloatArray]:
        """Expected positives, and rows, of the population in each range."""
        found = self.rows * self.rate
        positive, negative = self.table.design.counted(
            self.labelled, self.rows, self.negative, found
        )
        return np.asarray(positive) + 0.0 * found, np.asarray(positive) + negative

    @cached_property
    def areas(self) -> dict[str, Area]:
        """The areas that are expected."""
        return {target: expected_area(target, *self._population) for target in AREAS}

    def slope(self, target: str) -> FloatArray:
        """Size of the target's slope by the positives of each range."""
        if target in AREAS:
            return np.abs(self.areas[target].slope)
        mass, rows = self._population
        total, size = max(float(mass.sum()), 1e-9), max(float(rows.sum()), 1e-9)
        inside = self.above.astype(np.float64)
        if target == "prior":
            return np.full(mass.size, 1 / size)
        if target == "precision":
            return np.asarray(inside / max(float(rows[self.above].sum()), 1.0))
        if target == "recall":
            return np.asarray(np.abs(inside - float(mass @ inside) / total) / total)
        bottom = total + float(rows @ inside)  # of F1
        return np.asarray(np.abs(2 * inside - 2 * float(mass @ inside) / bottom) / bottom)


@dataclass(frozen=True, eq=False)
class Planned:
    """Boundaries of strata, what is expected of them, checks in each, and the width to expect."""

    edges: FloatArray
    expected: Expected
    checked: FloatArray
    width: float


def best_plan(ground: Ground, target: str, budget: int, level: float) -> Planned:
    """The best of several numbers of strata."""
    found = []
    for count in (1, *_STRATA) if target in AREAS else _STRATA:
        if count > 2 and budget / count < _A_STRATUM:
            continue
        edges = _edges(ground, target, count)
        found.append(planned(edges, _expected(ground, target, edges, level), budget))
    return min(found, key=lambda made: made.width)


def rough_widths(
    ground: Ground, target: str, budgets: Sequence[int], level: float
) -> dict[int, float]:
    """Widths of nearly as good plans, without a search for the best checks in each stratum."""
    every = [_expected(ground, target, _edges(ground, target, n), level) for n in _ROUGH]
    found = {}
    for budget in budgets:
        fits = [made for made in every if made.rows.size * _A_STRATUM <= budget] or every[:1]
        found[budget] = min(
            made.told(spread_checks(made, budget, _least(budget, made.rows.size))) for made in fits
        )
    return found


def _least(budget: int, strata: int) -> int:
    """Checks that every stratum gets."""
    return min(max(2, budget // (20 * strata)), max(budget // strata, 1))


def planned(edges: FloatArray, expected: Expected, budget: int) -> Planned:
    """The best checks in given strata."""
    checked = allocated(expected, budget, _least(budget, expected.rows.size))
    return Planned(edges, expected, checked, expected.told(checked))


def _edges(ground: Ground, target: str, count: int) -> FloatArray:
    """Boundaries with equal sums of |slope|·sqrt(p(1 − p)) between them, and the threshold."""
    size = ground.rows * ground.slope(target)
    size = size * np.sqrt(ground.rate * (1 - ground.rate) + 1e-4)
    if size.sum() <= 0:  # nothing that could be found changes the target
        size = ground.rows
    size = size + 0.02 * size.sum() * ground.rows / ground.rows.sum()
    held = np.cumsum(size) / size.sum()
    places = np.unique(np.searchsorted(held, np.arange(1, count) / count))
    edges = ground.edges[places[places < ground.edges.size]]
    cut = np.empty(0) if ground.threshold is None else np.array([ground.threshold])
    return np.unique(np.concatenate([edges, cut]))


def _expected(ground: Ground, target: str, edges: FloatArray, level: float) -> Expected:
    """What is expected of strata, once for each set of them."""
    key = target, level, edges.tobytes()
    if key not in ground.known:
        ground.known[key] = _put_together(ground, target, edges, level)
    return ground.known[key]


def _put_together(ground: Ground, target: str, edges: FloatArray, level: float) -> Expected:
    """The fine ranges put together into strata."""
    starts = np.concatenate([[-np.inf], ground.edges])
    stratum = np.searchsorted(edges, starts, side="right")
    rows, found, square = (
        np.bincount(stratum, weights=column, minlength=edges.size + 1).astype(np.float64)
        for column in (
            ground.rows,
            ground.rows * ground.rate,
            ground.rows * ground.slope(target) ** 2,
        )
    )
    some = np.maximum(rows, 1e-9)
    first = np.concatenate([[-np.inf], edges]) >= (
        -np.inf if ground.threshold is None else ground.threshold
    )
    made = Expected(
        rows,
        np.clip(found / some, 0.0, 1.0),
        first,
        ground.statistic(target),
        np.sqrt(square / some),
        level,
    )
    if target not in AREAS:
        return made
    area = ground.areas[target]
    parts = [stratum == h for h in range(rows.size)]
    answers = tuple(
        Answers.of(ground.rows[p], ground.rate[p], area.slope[p] if p.any() else area.slope[:0])
        for p in parts
    )
    error = normal_quantile(level) * area.error
    return replace(made, answers=answers, area=area.value, error=error)


def random_width(ground: Ground, target: str, budget: int, level: float) -> float:
    """The width with as many rows drawn at random.

    They are counted on both sides of the threshold, for an area in all or in the few cells of
    `auditing.audited`, whatever is narrower: what is expected of cells with hardly a positive is too wide.
    """
    if target not in AREAS:
        edges = np.empty(0) if ground.threshold is None else np.array([ground.threshold])
        return _proportional(ground, target, edges, budget, level)
    held = np.cumsum(ground.rows) / ground.rows.sum()
    found = []
    for count in {1, cells_of(budget)}:
        places = np.searchsorted(held, np.arange(1, count) / count)
        edges = np.unique(ground.edges[places[places < ground.edges.size]])
        found.append(_proportional(ground, target, edges, budget, level))
    return min(found)


def _proportional(
    ground: Ground, target: str, edges: FloatArray, budget: int, level: float
) -> float:
    """The width with checks in proportion to the rows of each cell."""
    expected = _expected(ground, target, edges, level)
    return expected.told(budget * expected.rows / expected.rows.sum())
