"""ROC area and average precision from an audit.

Where exactly the positives of a cell are: a shape for what depends on it.

Sums over positives need no shape. The average precision does, because it depends on how positives lie to each
other, and so does the part of an error that the rows have as a sample. Every cell keeps the number of
positives that was found in it. Its shape is that of the forecast in part, and for the rest that of the rising
step function that fits the answers best; the parts are those that fit left-out rows best.

Let M be the measure of positives over the scores, P its total, N the rows of the population, q(s) the share
of them below a score, ties half. Both areas are ratios:

    AUC = [Σ M·q − P²/(2N)] / [P·(1 − P/N)],        AP = [Σ M(s)·M(≥ s)/rows(≥ s)] / P.

A value θ is inside the interval if numerator − θ·denominator can be 0: that is a sum over positives, up to
its second order, whose estimate and limits `audited` gives (Fieller's argument). So the interval knows that
few positives below the top may be many more. The area's own terms of second order are left out: they pull
lower limits down. Fewer than three positives say nothing about where others rank, and the interval is then
the whole range. The average precision takes positives at the rates that `spreading` gives. If the purity of
the labels is known to a range only, intervals hold at both of its ends.

Several models and one audit: sums over positives of what depends on the scores of all of them.

Rows are counted one by one, since no single score orders them. Cells and forecast are those of one model: the
one that rows were drawn by, else the first. What is summed may be a difference of two models, so that errors
they share cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.audit import Audit, check_audit
from puremetrics.auditing.audited import Audited, Pieces, Total
from puremetrics.auditing.expected_positives import Forecast
from puremetrics.auditing.metrics import audited_estimate
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import combined_reach
from puremetrics.setting import PurityLike
from puremetrics.tables.joint import JointTable

__all__ = [
    "FEWEST",
    "Paired",
    "audited_area",
    "audited_precision",
    "inverted",
    "precision_slopes",
    "shape_trust",
    "spread_positives",
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


_WITHIN = 1e-5
FEWEST = 3  # positives found; fewer say nothing about where positives rank


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
        pieces, rates = spread_positives(self.audited, self.trust)
        table = self.audited.table
        at = np.searchsorted(pieces.edges, table.score, side="right")
        return self.known + rates[at] * table.n_unl

    @cached_property
    def _starts(self) -> tuple[Any, Any]:
        """The rows of the table at which pieces begin, from the top."""
        score = self.audited.table.score
        at = np.searchsorted(self.pieces.edges, score, side="right")
        return at, np.flatnonzero(np.diff(at, prepend=at[0] + 1 if at.size else 0))

    def total(self, values: FloatArray) -> Total:
        """Σ values over all positives."""
        table, (at, starts) = self.audited.table, self._starts
        count = self.pieces.rows.size
        sums = np.zeros(count)
        low, high = np.zeros(count), np.zeros(count)
        sums[at[starts]] = np.add.reduceat(values * table.n_unl, starts)
        low[at[starts]] = np.minimum.reduceat(values, starts)
        high[at[starts]] = np.maximum.reduceat(values, starts)
        found = self.audited.total(
            self.pieces, self.audited.cells, sums, (low, high), values[self.audited.place]
        )
        return Total(found.value + weighted_sum(self.known, values), found.down, found.up)

    def by_rows(self, values: FloatArray, others: FloatArray) -> float:
        """Standard error of a sum to which a positive row adds ``values`` more than another one does."""
        positive, rest = self.spread, np.maximum(self.population - self.spread, 0.0)
        mean = (weighted_sum(positive, values + others) + weighted_sum(rest, others)) / self.size
        apart = weighted_sum(positive, (values + others - mean) ** 2)
        return float(np.sqrt(apart + weighted_sum(rest, (others - mean) ** 2)))


Margin = Callable[
    [float], tuple[float, float, float]
]  # value, and how far it may be below and above


def audited_area(audited: Audited) -> Estimate:
    """The area under the ROC curve."""
    value, margin = _area(_Measured(audited))
    others = [_area(_Measured(end))[1] for end in audited.at_purities()]
    return _estimate(audited, "roc_auc", "ROC AUC", value, margin, *others)


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


def audited_precision(audited: Audited) -> Estimate:
    """The average precision; the interval holds for the shape of the forecast and for that of the answers."""
    value, margin = _precision(_Measured(audited))
    shapes: list[tuple[Audited, float | None]] = [(audited, 0.0), (audited, 1.0)]
    shapes += [(end, trust) for end in audited.at_purities() for trust in (None, 0.0, 1.0)]
    others = [_precision(_Measured(*shape))[1] for shape in shapes]
    return _estimate(audited, "average_precision", "Average precision", value, margin, *others)


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
        total = made.total(values)
        error = made.audited.row_quantile * made.by_rows(values, found.others)
        value = (found.value - theta) * found.positives
        return value, combined_reach(total.down, error), combined_reach(total.up, error)

    return found.value, margin


def _estimate(audited: Audited, name: str, title: str, value: float, *margins: Margin) -> Estimate:
    remarks = list(audited.diagnostics)
    low, high = 0.0, 1.0
    if np.isnan(value):
        remarks.append(
            Diagnostic(
                "PM103",
                f"{name} is undefined: the audit found no positive row, or no negative one. Check more.",
            )
        )
    elif audited.audit.n_positive < FEWEST:
        value = min(max(value, 0.0), 1.0)
    else:
        value = min(max(value, 0.0), 1.0)
        lows, highs = zip(*(inverted(margin, value) for margin in margins), strict=True)
        low, high = min(lows), max(highs)
    return audited_estimate(
        audited, name, title, value, audited.interval(low, high), tuple(remarks)
    )


def inverted(
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


@dataclass(frozen=True, eq=False)
class Paired:
    """Models on the same rows with an audit of these rows."""

    joint: JointTable
    models: Mapping[str, Audited]
    leading: str

    @classmethod
    def of(cls, joint: JointTable, audit: Audit, purity: PurityLike, level: float) -> Paired:
        """Check that the audit belongs to the rows and knows the scores of all models."""
        checked = check_audit(audit)
        missing = [name for name in joint if name not in checked.scores]
        if missing:
            raise InputError(
                f"The audit has no scores of {', '.join(map(repr, missing))}. A comparison needs the scores "
                "of the checked rows by every model: plan.draw(y, {'a': …, 'b': …}), or "
                "Audit.from_arrays({'a': …, 'b': …}, positive)."
            )
        models = {
            name: Audited.of(table, checked, purity, level, name)
            for name, table in joint.tables.items()
        }
        strata = checked.strata
        leading = (
            strata.model if strata is not None and strata.model in models else next(iter(joint))
        )
        return cls(joint, models, leading)

    def with_level(self, level: float) -> Paired:
        """The same at another confidence level."""
        made = {name: replace(model, level=level) for name, model in self.models.items()}
        return replace(self, models=made)

    def at_purities(self) -> list[Paired]:
        """The same with the purity at each of its ends; nothing if it is known or does not matter."""
        ends = zip(*(model.at_purities() for model in self.models.values()), strict=True)
        return [
            replace(self, models=dict(zip(self.models, models, strict=True))) for models in ends
        ]

    @property
    def base(self) -> Audited:
        """The model that cells and forecast are from."""
        return self.models[self.leading]

    @cached_property
    def unlabeled(self) -> Any:
        """Which rows are unlabeled."""
        return self.joint.group == 1

    def unlabeled_scores(self, name: str) -> FloatArray:
        """Their scores by a model."""
        return np.asarray(self.joint.scores[name][self.unlabeled])

    @cached_property
    def _cell_of_rows(self) -> Any:
        return np.searchsorted(self.base.edges, self.unlabeled_scores(self.leading), side="right")

    @cached_property
    def _rate_of_rows(self) -> FloatArray:
        return np.asarray(self.base.forecast.at(self.unlabeled_scores(self.leading)))

    def total(self, values: FloatArray, at_checked: FloatArray, split: Any = None) -> Total:
        """Σ values over the positives among the unlabeled rows.

        ``split`` cuts cells once more: a small whole number for each unlabeled row, and for each checked one.
        """
        cell, checked = self._cell_of_rows, self.base.cells
        if split is not None:
            most = int(split[0].max(initial=0)) + 1
            cell, checked = most * cell + split[0], most * checked + split[1]
        ones, none = np.ones(values.size), np.zeros(values.size)
        pieces = Pieces(np.empty(0), cell, ones, none, none, self._rate_of_rows)
        return self.base.total(pieces, checked, values, (values, values), at_checked)

    # ---------------------------------------------------------------- rows of the population

    @cached_property
    def counts(self) -> FloatArray:
        """1 for rows of the population, 0 for labelled rows that are none of it."""
        inside = np.array(
            [float(used) for used in self.base.design.compared(self.base.table.totals)]
        )
        return inside[self.joint.group]

    @property
    def size(self) -> float:
        """Rows of the population."""
        return float(self.counts.sum())

    @cached_property
    def known(self) -> FloatArray:
        """How much of each row counts as a positive that was labelled."""
        purity = self.base.purity[0]
        return np.where(self.joint.group == 0, purity * self.counts, 0.0)

    @cached_property
    def mass(self) -> FloatArray:
        """How much of each row counts as a positive, as the leading model's scores tell."""
        pieces, rates = spread_positives(self.base)
        at = np.searchsorted(pieces.edges, self.unlabeled_scores(self.leading), side="right")
        found = self.known.copy()
        found[self.unlabeled] = rates[at]
        return found

    def by_rows(self, values: FloatArray, others: FloatArray) -> float:
        """Standard error of a sum over rows: ``others`` of each, and ``values`` more if it is positive."""
        positive, rest = self.mass, np.maximum(self.counts - self.mass, 0.0)
        mean = (positive @ (values + others) + rest @ others) / self.size
        apart = positive @ (values + others - mean) ** 2 + rest @ (others - mean) ** 2
        return float(np.sqrt(apart))
