"""Strata of scores for an audit: how many rows to check in each, and how wide the interval will be.

**Strata** (`best_plan`). Unlabeled rows are cut into fine ranges of scores, with a boundary at the threshold.
Answers are worth most where they are a surprise and where the statistic depends on them: strata have equal
sums of |slope|·sqrt(p(1 − p)) (Dalenius, Hodges 1959), p being what the labels make one expect
(`auditing.expected_positives`), and checks go to where they make the expected interval narrowest. Of several
numbers of strata the best is taken.

**Widths** (`Expected`): how wide an interval an audit will give, before anything is checked. With n rows to
be checked in a stratum of N rows, a share p of which is expected to be positive, the limits after the audit
will be about those of n·p positives found. Metrics of the confusion matrix carry them through their formula
as `auditing.metrics` does. An area is moved by a positive as much as its place makes it: limits are those of
the mean of slope·(answer − forecast) over n rows, as in `auditing.areas`, and what the rows have as a sample
of the population comes on top.

**Areas over ranges of scores** (`expected_area`): their value, slope by a positive in each, and the error
that rows have as a sample. These are the sums of `auditing.areas`, with what is expected in the place of what
was found.

**At a glance** (`rough_widths`): what an audit would make of an interval, as widths for a few budgets,
without a search. `plan_audit` tries many ways to spread checks over strata. Here they go where
|slope|·sqrt(p(1 − p)) is large, in a few numbers of strata, which is nearly as good and takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.audited import cells_of
from puremetrics.auditing.expected_positives import Forecast, expected_rates
from puremetrics.auditing.metrics import row_error
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.sampling.bounded import combined_reach, mean_reaches
from puremetrics.statistics.roc_area import RocAuc
from puremetrics.statistics.statistic import ExpectedSum, Statistic
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Answers",
    "Expected",
    "Ground",
    "Planned",
    "allocate_checks",
    "area_outlook",
    "best_plan",
    "flat_widths",
    "plan_for_strata",
    "random_width",
    "rough_widths",
    "spread_checks",
]


_EXACT = np.array([0.0, 1.0])
_FEWEST = 3  # positives, without which an area stays unknown, as in `auditing.areas`


class Answers(NamedTuple):
    """What checked rows of a stratum are expected to add to an area, beyond the forecast."""

    share: FloatArray
    value: FloatArray
    span: tuple[float, float]
    unknown: tuple[float, float]  # how far it may be below and above while none is checked

    @classmethod
    def of(cls, rows: FloatArray, rate: FloatArray, slope: FloatArray, alike: bool) -> Answers:
        """From fine ranges of scores: their rows, share of positives, and slope of the area.

        ``alike`` if a row that was missed may have the slope of any of them and the rate of any other.
        """
        share, some = rows / max(float(rows.sum()), 1e-9), rows > 0
        least, most = (float(slope[some].min()), float(slope[some].max())) if some.any() else (0, 0)
        rates = np.array([rate[some].min(), rate[some].max()]) if some.any() else np.zeros(2)
        ends = np.repeat([least, most], 2), np.tile(rates, 2)
        slopes, rates = ends if alike else (slope[some], rate[some])
        corners = np.concatenate([slopes * (y - rates) for y in (0.0, 1.0)])
        told = float(rows @ (rate * slope))
        total = float(rows.sum())
        return cls(
            np.concatenate([share * rate, share * (1 - rate)]),
            np.concatenate([slope * (1 - rate), -slope * rate]),
            (float(corners.min(initial=0.0)), float(corners.max(initial=0.0))),
            (max(told - total * min(least, 0.0), 0.0), max(total * max(most, 0.0) - told, 0.0)),
        )


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the strata, and the statistic as a function of positives in two parts of them.

    ``statistic(a, b)`` takes the hidden positives of the first and of the second group; ``slope`` is the
    size of the statistic's slope by the positives of each stratum. An area is no such function: ``answers``
    say what the rows of each stratum add to it, and ``area`` is its value. ``error`` is how far limits reach
    because the rows are a sample themselves.
    """

    rows: FloatArray
    rate: FloatArray
    first: Any
    statistic: Callable[[Any, Any], Any] | None
    slope: FloatArray
    level: float
    answers: tuple[Answers, ...] = ()
    area: float = 0.5
    error: float = 0.0
    known: dict[tuple[int, float], tuple[float, float]] = field(default_factory=dict)

    def reaches(self, stratum: int, checked: float) -> tuple[float, float]:
        """How far the positives of a stratum may be off after so many checks."""
        key = stratum, checked
        if key not in self.known:
            rows, rate = float(self.rows[stratum]), float(self.rate[stratum])
            if self.answers:
                self.known[key] = self._area_reaches(stratum, checked)
            elif checked < 1:
                self.known[key] = rows * rate, rows * (1 - rate)
            else:
                counts = np.array([checked * (1 - rate), checked * rate])
                down, up = mean_reaches(counts, _EXACT, None, self.level)
                rest = rows * float(np.sqrt(max(1 - checked / rows, 0.0)))
                self.known[key] = min(rest * down, rows * rate), min(rest * up, rows * (1 - rate))
        return self.known[key]

    def _area_reaches(self, stratum: int, checked: float) -> tuple[float, float]:
        """How far an area may be off because of a stratum after so many checks."""
        answers, rows = self.answers[stratum], float(self.rows[stratum])
        if checked < 1:
            return answers.unknown
        down, up = mean_reaches(
            checked * answers.share, answers.value, None, self.level, answers.span
        )
        rest = rows * float(np.sqrt(max(1 - checked / rows, 0.0)))
        return rest * down, rest * up

    def told_width(self, checked: FloatArray) -> float:
        """The width as it is told: inside what is possible, and with what the rows add to an area's."""
        if not self.answers:
            return self.width(checked)
        if float(checked @ self.rate) < _FEWEST:
            return 1.0
        used = np.flatnonzero(self.rows > 0)
        both = np.array([self.reaches(int(h), float(checked[h])) for h in used])
        down, up = (combined_reach(*column, self.error) for column in both.T)
        return float(min(self.area + up, 1.0) - max(self.area - down, 0.0))

    def width(self, checked: FloatArray) -> float:
        """The width of the interval with so many checks in each stratum."""
        used = np.flatnonzero(self.rows > 0)
        both = np.array([self.reaches(int(h), float(checked[h])) for h in used])
        if self.statistic is None:
            return float(sum(combined_reach(*column) for column in both.T))
        found = (self.rows * self.rate)[used]
        groups = []
        for mine in (self.first[used], ~self.first[used]):
            total = float(found[mine].sum())
            down, up = (combined_reach(*both[mine, side]) for side in (0, 1))
            groups.append((total, max(total - down, 0.0), total + up))
        (a, a_low, a_high), (b, b_low, b_high) = groups
        values = self.statistic(
            np.array([a, a_low, a_high, a, a]), np.array([b, b, b, b_low, b_high])
        )
        moves = (values[1:] - values[0]).reshape(2, 2)
        low, high = (np.maximum(sign * moves, 0.0).max(axis=1) for sign in (-1.0, 1.0))
        ends = (
            max(values[0] - combined_reach(*low, self.error), 0.0),
            min(values[0] + combined_reach(*high, self.error), 1.0),
        )
        return float(ends[1] - ends[0])


def spread_checks(expected: Expected, budget: int, least: int) -> FloatArray:
    """Checks by stratum in proportion to rows·slope·sqrt(p(1 − p)) (Neyman 1934)."""
    rows, at_least = expected.rows, _at_least(expected, budget, least)
    left = max(budget - float(at_least.sum()), 0.0)
    spread = rows * expected.slope * np.sqrt(expected.rate * (1 - expected.rate) + 1e-4)
    if spread.sum() <= 0:
        spread = rows
    checked = np.minimum(np.floor(at_least + left * spread / spread.sum()), rows)
    while checked.sum() < min(budget, rows.sum()):
        open_ = np.where(checked < rows, spread / np.maximum(checked, 1.0), -1.0)
        checked[int(np.argmax(open_))] += 1
    return np.asarray(checked)


def _at_least(expected: Expected, budget: int, least: int) -> FloatArray:
    rows = expected.rows
    return np.asarray(np.minimum(rows, least if least * rows.size <= budget else 0))


def allocate_checks(expected: Expected, budget: int, least: int) -> FloatArray:
    """Checks by stratum that make the expected interval narrowest: moved between strata while that gains."""
    rows, at_least = expected.rows, _at_least(expected, budget, least)
    checked = spread_checks(expected, budget, least)
    best = expected.width(checked)
    step = 2.0 ** np.floor(np.log2(max(budget / 4, 1.0)))
    while step >= 1:
        gained = False
        for giver in range(rows.size):
            for taker in range(rows.size):
                fits = (
                    checked[giver] - step >= at_least[giver]
                    and checked[taker] + step <= rows[taker]
                )
                if giver == taker or not fits:
                    continue
                tried = checked.copy()
                tried[giver] -= step
                tried[taker] += step
                width = expected.width(tried)
                if width < best - 1e-6:
                    checked, best, gained = tried, width, True
        if not gained:
            step /= 2
    return np.asarray(checked)


_AUC = RocAuc()
_STEP = 1e-7  # of all rows, for slopes
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
    sums: dict[str, ExpectedSum | None] = field(default_factory=dict)

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

    def function(self, target: Statistic) -> Callable[[Any, Any], Any] | None:
        """The target as a function of hidden positives above and below the threshold."""
        if self.sum_of(target) is not None:
            return None

        def value(first: Any, second: Any) -> Any:
            inside, outside = self.counted(first, self.above), self.counted(second, ~self.above)
            found = target.of_counts(*inside, *outside)
            assert found is not None
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

    def sum_of(self, target: Statistic) -> ExpectedSum | None:
        """What is expected of a target that is a sum over the positives of the whole list."""
        if target.name not in self.sums:
            self.sums[target.name] = target.expected_sum(*self._population)
        return self.sums[target.name]

    def sampling_error(self, target: Statistic, hidden: tuple[float, float]) -> float:
        """Standard error of a metric because the rows are a sample, with so many positives hidden in it.

        ``hidden`` are those above and below the threshold.
        """
        above, below = hidden
        counts = [*self.counted(above, self.above), *self.counted(below, ~self.above)]
        return row_error(target.of_counts, np.maximum(np.array(counts, dtype=np.float64), 0.0))

    def slope(self, target: Statistic) -> FloatArray:
        """Size of the target's slope by the positives of each range."""
        whole = self.sum_of(target)
        if whole is not None:
            return np.abs(whole.slope)
        mass, rows = self._population
        inside = self.above
        tp, fn = (max(float(mass[side].sum()), 1e-9) for side in (inside, ~inside))
        fp = max(float(rows[inside].sum()), 1.0) - tp
        tn = float(rows[~inside].sum()) - fn
        step = _STEP * max(float(rows.sum()), 1.0)
        found = []
        for side in (True, False):
            move = np.array([step, -step])
            hit, miss = (move, 0 * move) if side else (0 * move, move)
            values = target.of_counts(tp + hit, fp - hit, fn + miss, tn - miss)
            assert values is not None
            found.append(abs(float(values[0] - values[1])) / (2 * step))
        slopes = np.where(inside, *found)
        return np.asarray(np.where(np.isfinite(slopes), slopes, 0.0))


@dataclass(frozen=True, eq=False)
class Planned:
    """Boundaries of strata, what is expected of them, checks in each, and the width to expect."""

    edges: FloatArray
    expected: Expected
    checked: FloatArray
    width: float


def best_plan(ground: Ground, target: Statistic, budget: int, level: float) -> Planned:
    """The best of several numbers of strata."""
    found = []
    for count in _STRATA if ground.sum_of(target) is None else (1, *_STRATA):
        if count > 2 and budget / count < _A_STRATUM:
            continue
        edges = _edges(ground, target, count)
        found.append(plan_for_strata(edges, _expected(ground, target, edges, level), budget))
    return min(found, key=lambda made: made.width)


def rough_widths(
    ground: Ground,
    target: Statistic,
    budgets: Sequence[int],
    level: float,
    strata: int | None = None,
) -> dict[int, float]:
    """Widths of nearly as good plans, without a search for the best checks in each stratum.

    ``strata`` is how many there are on each side of a threshold; by default the best of a few numbers.
    """
    counts = _ROUGH if strata is None else (strata,)
    every = [_expected(ground, target, _edges(ground, target, n), level) for n in counts]
    found = {}
    for budget in budgets:
        fits = [made for made in every if made.rows.size * _A_STRATUM <= budget] or every[:1]
        found[budget] = min(
            made.told_width(spread_checks(made, budget, _least(budget, made.rows.size)))
            for made in fits
        )
    return found


def flat_widths(
    ground: Ground,
    target: Statistic,
    budgets: Sequence[int],
    level: float,
    hidden: Sequence[tuple[float, float]],
) -> dict[int, float]:
    """Mean widths of a metric over what may be hidden above and below the threshold, in two strata.

    ``hidden`` are pairs of positives among the unlabeled rows, above and below. A forecast by labels alone
    makes a small head look as if nothing in it could be a surprise; several of them do not.
    """
    above = ground.above
    rows = np.array([float(ground.rows[side].sum()) for side in (above, ~above)])
    used, function = np.maximum(rows, 1e-9), ground.function(target)
    assert function is not None
    step = _STEP * max(float(rows.sum()), 1.0)
    found: dict[int, list[float]] = {budget: [] for budget in budgets}
    for pair in hidden:
        some = np.clip(pair, 0.0, rows)
        moves = [np.array([step, -step]) * side for side in (1, 0)]
        ends = [function(some[0] + m, some[1] + n) for m, n in (moves, moves[::-1])]
        slope = np.array([abs(float(high - low)) / (2 * step) for high, low in ends])
        error = normal_quantile(level) * ground.sampling_error(target, (some[0], some[1]))
        first = np.array([True, False])
        made = Expected(rows, some / used, first, function, slope, level, error=error)
        for budget in budgets:
            found[budget].append(made.told_width(spread_checks(made, budget, _least(budget, 2))))
    return {budget: float(np.mean(widths)) for budget, widths in found.items()}


def _least(budget: int, strata: int) -> int:
    """Checks that every stratum gets."""
    return min(max(2, budget // (20 * strata)), max(budget // strata, 1))


def plan_for_strata(edges: FloatArray, expected: Expected, budget: int) -> Planned:
    """The best checks in given strata."""
    checked = allocate_checks(expected, budget, _least(budget, expected.rows.size))
    return Planned(edges, expected, checked, expected.told_width(checked))


def _edges(ground: Ground, target: Statistic, count: int) -> FloatArray:
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


def _expected(ground: Ground, target: Statistic, edges: FloatArray, level: float) -> Expected:
    """What is expected of strata, once for each set of them."""
    key = target.name, level, edges.tobytes()
    if key not in ground.known:
        ground.known[key] = _put_together(ground, target, edges, level)
    return ground.known[key]


def _put_together(ground: Ground, target: Statistic, edges: FloatArray, level: float) -> Expected:
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
        ground.function(target),
        np.sqrt(square / some),
        level,
    )
    area = ground.sum_of(target)
    quantile = normal_quantile(level)
    if area is None:
        mass = ground.rows * ground.rate
        hidden = (float(mass[ground.above].sum()), float(mass[~ground.above].sum()))
        return replace(made, error=quantile * ground.sampling_error(target, hidden))
    parts = [stratum == h for h in range(rows.size)]
    answers = tuple(
        Answers.of(ground.rows[p], ground.rate[p], area.slope[p], target.linear) for p in parts
    )
    return replace(made, answers=answers, area=area.value, error=quantile * area.error)


def random_width(ground: Ground, target: Statistic, budget: int, level: float) -> float:
    """The width with as many rows drawn at random.

    They are counted on both sides of the threshold, for an area in all or in the few cells of
    `auditing.audited`, whatever is narrower: what is expected of cells with hardly a positive is too wide.
    """
    if ground.sum_of(target) is None:
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
    ground: Ground, target: Statistic, edges: FloatArray, budget: int, level: float
) -> float:
    """The width with checks in proportion to the rows of each cell."""
    expected = _expected(ground, target, edges, level)
    return expected.told_width(budget * expected.rows / expected.rows.sum())


def area_outlook(
    table: ScoreTable, share: float, budgets: tuple[int, ...], level: float
) -> tuple[dict[int, float], dict[int, float]]:
    """Widths of the AUC's interval from audits of so many rows: planned ones, and ones drawn at random.

    ``share`` is that of positives among the unlabeled. Nothing is told where no audit can be planned.
    """
    if table.is_cut or not table.whole or not table.total_unl > 0:
        return {}, {}
    within = min(max(share, 1.0 / table.total_unl), 1.0)
    ground = Ground.of(table, expected_rates(table, within), None)
    rows = [count for count in budgets if count <= table.total_unl]
    random = {count: random_width(ground, _AUC, count, level) for count in rows}
    return rough_widths(ground, _AUC, rows, level), random
