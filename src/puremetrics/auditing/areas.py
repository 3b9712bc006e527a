"""Sums over the positives that an audit found: ROC area, average precision, risks, places in a list.

Let M be the measure of positives over the scores, P its total, N the rows of the population, q(s) the share
of them below a score, ties half. Both areas are ratios:

    AUC = [Σ M·q − P²/(2N)] / [P·(1 − P/N)],        AP = [Σ M(s)·M(≥ s)/rows(≥ s)] / P.

A value θ is inside the interval if numerator − θ·denominator can be 0: that is a sum over positives, up
to its second order, whose estimate and limits `audited` gives (Fieller's argument). So the interval knows
that few positives below the top may be many more. The area's own terms of second order are left out: they
pull lower limits down. Fewer than three positives say nothing about where others rank, and the interval
is then the whole range. The average precision takes positives at the rates that `spread_positives` gives.
Its values u differ much within a cell, from 1 to about 5 at the top, so that of two limits the closer one
counts: that of the forecast, and that of answers held against these rates, which rise with the score. If
the purity of the labels is known to a range only, intervals hold at both of its ends.

**Where exactly the positives of a cell are** (`spread_positives`): a shape for what depends on it. Sums over
positives need no shape. The average precision does, because it depends on how positives lie to each other,
and so does the part of an error that the rows have as a sample. Every cell keeps the number of positives that
was found in it. Its shape is that of the forecast in part, and for the rest that of the rising step function
that fits the answers best; the parts are those that fit left-out rows best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.audited import Audited, Pieces, Stretches, Total
from puremetrics.auditing.expected_positives import Forecast
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.sampling.bounded import combined_reach

__all__ = [
    "FEWEST",
    "Measured",
    "audited_area",
    "audited_list",
    "audited_mean",
    "audited_precision",
    "audited_rates",
    "precision_slopes",
    "shape_trust",
    "spread_positives",
    "values_inside",
]


_FOLDS = 5
_SURE = 0.01  # no single answer is less likely than that


def spread_positives(audited: Audited, trust: float | None = None) -> tuple[Pieces, FloatArray]:
    """Pieces, and the rate of positives among the unlabeled rows of each.

    ``trust`` is the part of the shape that is the forecast's; by default what fits left-out rows best.
    """
    edges, powers = audited.edges, audited.powers
    fitted = _rising(audited.score, audited.answer, audited.weight)
    part = shape_trust(audited) if trust is None else trust
    pieces = audited.pieces(edges, fitted.edges)
    starts = np.concatenate([[-np.inf], pieces.edges])
    shape = part * pieces.rate + (1 - part) * fitted.at(starts)
    cells = audited.cells
    rates = np.zeros(pieces.rows.size)
    for cell in range(edges.size + 1):
        within = np.flatnonzero((pieces.cell == cell) & (pieces.rows > 0))
        if within.size == 0:
            continue
        rows, expected = pieces.rows[within], pieces.rate[within]
        mine = cells == cell
        if not mine.any():
            rates[within] = expected
            continue
        mean, power = float(rows @ expected) / float(rows.sum()), float(powers[cell])
        left = audited.answer[mine] - power * audited.expected[mine]
        found = power * mean + float(np.average(left, weights=audited.weight[mine]))
        rates[within] = _scaled(shape[within], rows, min(max(found, 0.0), 1.0))
    return pieces, rates


def shape_trust(audited: Audited) -> float:
    """How much of the forecast's shape to keep, by the likelihood of answers that were left out."""
    order = np.lexsort((audited.weight, audited.answer, audited.score))
    fold = np.empty(order.size, dtype=np.intp)
    fold[order] = np.arange(order.size) % _FOLDS
    fitted = np.zeros(order.size)
    for out in range(min(_FOLDS, order.size)):
        rest = fold != out
        if rest.any():
            model = _rising(audited.score[rest], audited.answer[rest], audited.weight[rest])
            fitted[~rest] = model.at(audited.score[~rest])
    parts = np.linspace(1.0, 0.0, 11)
    rates = parts[:, None] * audited.expected + (1 - parts[:, None]) * fitted
    rates = np.clip(rates, _SURE, 1 - _SURE)
    weight = audited.weight / audited.weight.mean()
    logs = np.where(audited.answer > 0, np.log(rates), np.log1p(-rates)) @ weight
    best = float(logs.max())
    # Of parts that fit equally well but for rounding, the one with most of the forecast.
    return float(parts[int(np.argmax(logs >= best - 1e-9 * max(1.0, abs(best))))])


def _rising(score: FloatArray, answer: FloatArray, weight: FloatArray) -> Forecast:
    """The rising step function of the score that fits the answers best."""
    values, owner = np.unique(score, return_inverse=True)
    mass = np.bincount(owner, weights=weight).astype(np.float64)
    rate = bounded_isotonic(np.bincount(owner, weights=weight * answer) / mass, mass)
    first = np.flatnonzero(np.diff(rate, prepend=np.nan) != 0)
    return Forecast(values[first[1:]], rate[first])


def _scaled(shape: FloatArray, rows: FloatArray, mean: float) -> FloatArray:
    """Rates in proportion to a shape, up to 1, with a given mean."""
    if mean <= 0.0 or mean >= 1.0:
        return np.full(shape.size, mean)
    shape = np.maximum(shape, 1e-9)
    low, high = 0.0, 1.0 / float(shape.min())
    for _ in range(100):
        factor = (low + high) / 2
        if float(rows @ np.minimum(factor * shape, 1.0)) > mean * float(rows.sum()):
            high = factor
        else:
            low = factor
    return np.asarray(np.minimum(high * shape, 1.0))


_FIRST_RUN = 3  # answers, and ever longer runs
_RARELY = 0.1  # of the samples that limits miss, in which the band of rates may


def rate_band(audited: Audited, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Limits of the rate of positives at scores, if it rises with the score.

    Rows below have no higher rate: what a run of answers just below says at the least is the lower limit, and
    what a run just above says at the most is the upper one.
    """
    # Of tied rows, what widens the band comes first.
    order = np.lexsort((audited.answer, -audited.score))
    found = np.concatenate([[0], np.cumsum(audited.answer[order] > 0)])
    above = np.searchsorted(-audited.score[order], -scores, side="left")
    tail = _RARELY * (1 - audited.strict_level) / 2
    low, high = np.zeros(scores.size), np.ones(scores.size)
    run = _FIRST_RUN
    while run <= order.size:
        counts = np.arange(1.0, run + 1)
        least = np.append(0.0, beta_quantile(counts, run - counts + 1, tail))  # Clopper and Pearson
        most = 1 - least[::-1]
        after, before = above + run <= order.size, above >= run
        low[after] = np.maximum(low[after], least[found[above[after] + run] - found[above[after]]])
        at = above[before]
        high[before] = np.minimum(high[before], most[found[at] - found[at - run]])
        run = round(1.6 * run)
    return low, high


class Measured(NamedTuple):
    """A value with its limits."""

    value: float
    low: float
    high: float


_WITHIN = 1e-5
_STEP = 1e-6
FEWEST = 3  # positives found; fewer say nothing about where positives rank


class _Held(NamedTuple):
    """What answers are held against: rates of pieces, the piece of each row of a table, what was missed.

    ``checked`` are the rates at the checked rows, if they are not the forecast's.
    """

    pieces: Pieces
    place: Any
    missed: Stretches
    checked: FloatArray | None


@dataclass(frozen=True, eq=False)
class _Measured:
    """Positives by row of the table, and sums of values over them."""

    audited: Audited
    trust: float | None = None

    @cached_property
    def pieces(self) -> Pieces:
        return self.audited.pieces(self.audited.edges)

    @cached_property
    def known(self) -> FloatArray:
        """Labelled rows that count as positives of the population, at each row."""
        table, purity = self.audited.table, self.audited.purity[0]
        none = np.zeros_like(table.n_unl)
        positive, _ = self.audited.counted(table.n_pos, none, table.n_neg, 0.0, purity)
        return np.asarray(positive + np.zeros(table.score.size), dtype=np.float64)

    @cached_property
    def population(self) -> FloatArray:
        return self.audited.population

    @property
    def size(self) -> float:
        return float(self.population.sum())

    @cached_property
    def spread(self) -> FloatArray:
        """Positives at each row, hidden and known."""
        pieces, rates = self._spread
        table = self.audited.table
        at = np.searchsorted(pieces.edges, table.score, side="right")
        return self.known + rates[at] * table.n_unl

    def total(self, values: FloatArray, fitted: bool = False) -> Total:
        """Σ values over all positives; with ``fitted`` answers are held against the rates of `spread`.

        Where values differ much within a cell, that says far more: a positive where nearly all rows are
        positive is no news.
        """
        table, audited = self.audited.table, self.audited
        held = self._by_shape if fitted else self._by_forecast
        size = held.pieces.rows.size
        sums = np.bincount(held.place, weights=values * table.n_unl, minlength=size)
        found = audited.total(
            held.pieces,
            audited.cells,
            sums.astype(np.float64),
            held.missed._replace(value=self._along(values)),
            values[audited.place],
            held.checked,
        )
        return Total(found.value + weighted_sum(self.known, values), found.down, found.up)

    @cached_property
    def _spread(self) -> tuple[Pieces, FloatArray]:
        """Pieces with the rate of positives in each."""
        return spread_positives(self.audited, self.trust)

    @cached_property
    def _by_forecast(self) -> _Held:
        return self._held_against(self.pieces)

    @cached_property
    def _by_shape(self) -> _Held:
        """What answers are held against if these are the rates of `spread`; they rise with the score."""
        pieces, rates = self._spread
        at = np.searchsorted(pieces.edges, self.audited.score, side="right")
        held = self._held_against(pieces._replace(rate=rates))
        least, most = rate_band(self.audited, self._middles)
        rate = held.missed.rate
        missed = held.missed._replace(least=np.minimum(least, rate), most=np.maximum(most, rate))
        return held._replace(missed=missed, checked=rates[at])

    def _held_against(self, pieces: Pieces) -> _Held:
        place = np.searchsorted(pieces.edges, self.audited.table.score, side="right")
        rate = self._along(pieces.rate[place])
        return _Held(pieces, place, Stretches(self._stretches[1], rate, rate), None)

    @cached_property
    def _stretches(self) -> tuple[FloatArray, Any]:
        """Where stretches of rows end that one checked row each stands for, from the top, and their cells."""
        rows = self.audited.cell_rows()[::-1]
        checked = np.bincount(self.audited.cells, minlength=rows.size)[::-1]
        count = np.where(rows > 0, np.clip(checked, 1, np.maximum(rows, 1)), 0).astype(np.intp)
        length = np.repeat(rows / np.maximum(count, 1), count)
        cell = np.repeat(np.arange(rows.size)[::-1], count)
        return np.concatenate([[0.0], np.cumsum(length)]), cell

    @cached_property
    def _heads(self) -> FloatArray:
        """Unlabeled rows from the top down to each row of the table."""
        return np.concatenate([[0.0], np.cumsum(self.audited.table.n_unl, dtype=np.float64)])

    @cached_property
    def _middles(self) -> FloatArray:
        """The score in the middle of each stretch."""
        ends, score = self._stretches[0], self.audited.table.score
        at = np.searchsorted(self._heads, (ends[1:] + ends[:-1]) / 2, side="right") - 1
        return np.asarray(score[np.minimum(at, score.size - 1)])

    def _along(self, values: FloatArray) -> FloatArray:
        """Means over stretches: what was missed is as many rows as a checked one stands for, and no fewer."""
        ends = self._stretches[0]
        sums = np.concatenate([[0.0], np.cumsum(values * self.audited.table.n_unl)])
        return np.asarray(np.diff(np.interp(ends, self._heads, sums)) / np.diff(ends))

    def by_rows(self, values: FloatArray, others: FloatArray) -> float:
        """Standard error of a sum to which a positive row adds ``values`` more than another one does."""
        positive, rest = self.spread, np.maximum(self.population - self.spread, 0.0)
        mean = (weighted_sum(positive, values + others) + weighted_sum(rest, others)) / self.size
        apart = weighted_sum(positive, (values + others - mean) ** 2)
        return float(np.sqrt(apart + weighted_sum(rest, (others - mean) ** 2)))


Margin = Callable[
    [float], tuple[float, float, float]
]  # value, and how far it may be below and above


def audited_area(audited: Audited) -> Measured:
    """The area under the ROC curve."""
    value, margin = _area(_Measured(audited))
    others = [_area(_Measured(end))[1] for end in audited.at_purities()]
    return _limits_of_margins(audited, value, margin, *others)


def _area(made: _Measured) -> tuple[float, Margin]:
    size, rows = made.size, made.population
    below = 1 - (np.cumsum(rows) - rows / 2) / size
    hits, positives = made.total(below).value, made.total(np.ones_like(below)).value
    share = positives / size
    above = np.cumsum(made.spread) - made.spread / 2
    bottom = positives * (1 - share)

    def margin(theta: float) -> tuple[float, float, float]:
        values = below - theta - 2 * share * (0.5 - theta)
        total = made.total(values)
        error = made.audited.row_quantile * made.by_rows(values, above / size)
        value = hits - positives * share / 2 - theta * bottom
        return value, combined_reach(total.down, error), combined_reach(total.up, error)

    return ((hits - positives * share / 2) / bottom if 0 < share < 1 else np.nan), margin


def audited_precision(audited: Audited) -> Measured:
    """The average precision; limits hold for the shape of the forecast and for that of the answers."""
    value, margin = _precision(_Measured(audited))
    shapes: list[tuple[Audited, float | None]] = [(audited, 0.0), (audited, 1.0)]
    shapes += [(end, trust) for end in audited.at_purities() for trust in (None, 0.0, 1.0)]
    others = [_precision(_Measured(*shape))[1] for shape in shapes]
    return _limits_of_margins(audited, value, margin, *others)


def audited_mean(audited: Audited, if_positive: FloatArray, if_negative: FloatArray) -> Measured:
    """The mean over the population of a loss that depends on a row's score and class."""

    def at(end: Audited) -> Measured:
        made = _Measured(end)
        gain = if_positive - if_negative
        total = made.total(gain)
        error = end.row_quantile * made.by_rows(gain, if_negative)
        value = (weighted_sum(made.population, if_negative) + total.value) / made.size
        down, up = (combined_reach(part, error) / made.size for part in (total.down, total.up))
        return Measured(value, value - down, value + up)

    here, *ends = (at(end) for end in (audited, *audited.at_purities()))
    return Measured(
        here.value,
        min([here.low, *(e.low for e in ends)]),
        max([here.high, *(e.high for e in ends)]),
    )


def audited_list(
    audited: Audited, discount: FloatArray, told: Callable[[float, float], float]
) -> Measured | None:
    """What ``told`` makes of the positives' share of the population and the mean of their discounts.

    ``discount`` is by row of the table. Limits carry those of the sum that follows from the slopes of
    ``told``; None if no positive was found.
    """

    def at(end: Audited) -> Measured | None:
        made = _Measured(end)
        positives = made.total(np.ones_like(discount)).value
        if not 0 < positives < made.size:
            return None
        found = made.total(discount).value
        share, mean = positives / made.size, found / positives
        step = _STEP
        by_mean = (told(share, mean + step) - told(share, mean - step)) / (2 * step)
        by_share = (told(share * (1 + step), mean) - told(share * (1 - step), mean)) / (
            2 * step * share
        )
        gain = by_mean * (discount - mean) / positives + by_share / made.size
        if not np.isfinite(gain).all():
            return None
        total = made.total(gain)
        pushed = (
            np.cumsum((made.spread * np.gradient(discount))[::-1])[::-1]
            if discount.size > 1
            else gain
        )
        error = end.row_quantile * made.by_rows(gain, by_mean * pushed / positives)
        value = told(share, mean)
        down, up = (combined_reach(part, error) for part in (total.down, total.up))
        return Measured(value, value - down, value + up)

    found = [at(end) for end in (audited, *audited.at_purities())]
    known = [one for one in found if one is not None]
    if found[0] is None:
        return None
    if audited.audit.n_positive < FEWEST:
        return Measured(known[0].value, -np.inf, np.inf)
    return Measured(known[0].value, min(k.low for k in known), max(k.high for k in known))


def audited_rates(audited: Audited) -> tuple[FloatArray, FloatArray, float]:
    """True and false positive rates at every row of the table, from the top, and the share of positives."""
    made = _Measured(audited)
    positive = made.spread
    negative = np.maximum(made.population - positive, 0.0)
    rates = [np.cumsum(part) / max(float(part.sum()), 1e-300) for part in (positive, negative)]
    return rates[0], rates[1], float(positive.sum()) / made.size


class PrecisionSlopes(NamedTuple):
    """The average precision, and P times its slopes: by a positive at each row, and by any row there."""

    value: float
    positives: float
    gain: FloatArray
    others: FloatArray


def precision_slopes(audited: Audited, trust: float | None = None) -> PrecisionSlopes:
    """What the average precision of one model is made of."""
    return _slopes(_Measured(audited, trust))


def _slopes(made: _Measured) -> PrecisionSlopes:
    mass, rows = made.spread, np.maximum(np.cumsum(made.population), 1e-300)
    positives, heads = float(mass.sum()), np.cumsum(mass)
    precision = np.minimum(heads / rows, 1.0)
    hits = weighted_sum(mass, precision)
    gain = precision + np.cumsum((mass / rows)[::-1])[::-1]
    others = -np.cumsum((mass * precision / rows)[::-1])[::-1]
    return PrecisionSlopes(hits / positives if positives > 0 else np.nan, positives, gain, others)


def _precision(made: _Measured) -> tuple[float, Margin]:
    found = _slopes(made)

    def margin(theta: float) -> tuple[float, float, float]:
        values = found.gain - theta
        totals = made.total(values), made.total(values, fitted=True)
        error = made.audited.row_quantile * made.by_rows(values, found.others)
        value = (found.value - theta) * found.positives
        # Either holds; the closer limit counts.
        down, up = (min(ends) for ends in zip(*(total[1:] for total in totals), strict=True))
        return value, combined_reach(down, error), combined_reach(up, error)

    return found.value, margin


def _limits_of_margins(audited: Audited, value: float, *margins: Margin) -> Measured:
    """Limits at which no margin is sure; too few positives say nothing."""
    inside = min(max(value, 0.0), 1.0)
    if np.isnan(value) or audited.audit.n_positive < FEWEST:
        return Measured(value if np.isnan(value) else inside, 0.0, 1.0)
    lows, highs = zip(*(values_inside(margin, inside) for margin in margins), strict=True)
    return Measured(inside, min(lows), max(highs))


def values_inside(
    margin: Margin, value: float, least: float = 0.0, most: float = 1.0
) -> tuple[float, float]:
    """All values at which the margin may be 0, and the value; the margin falls as they grow."""
    from scipy.optimize import brentq

    ends = []
    for side in (0, 1):

        def sure(theta: float, side: int = side) -> float:
            found, down, up = margin(theta)
            return found - down if side == 0 else found + up

        low, high = sure(least), sure(most)
        if low <= 0 or high >= 0:
            ends.append(least if low <= 0 else most)
        else:
            ends.append(float(brentq(sure, least, most, xtol=_WITHIN)))
    return min(ends[0], value), max(ends[1], value)
