"""ROC area and average precision from an audit.

Let M be the measure of positives over the scores, P its total, N the rows of the population, q(s) the share
of them below a score, ties half. Both areas are ratios:

    AUC = [Σ M·q − P²/(2N)] / [P·(1 − P/N)],        AP = [Σ M(s)·M(≥ s)/rows(≥ s)] / P.

A value θ is inside the interval if numerator − θ·denominator can be 0: that is a sum over positives, up to
its second order, whose estimate and limits `audited` gives (Fieller's argument). So the interval knows that
few positives below the top may be many more. The area's own terms of second order are left out: they pull
lower limits down. Fewer than three positives say nothing about where others rank, and the interval is then
the whole range. The average precision takes positives at the rates that `spreading` gives. If the purity of
the labels is known to a range only, intervals hold at both of its ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.audited import Audited
from puremetrics.auditing.confusion import audited_estimate
from puremetrics.auditing.pieces import Pieces, Total
from puremetrics.auditing.spreading import spread_positives
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import combined_reach

__all__ = ["FEWEST", "audited_area", "audited_precision", "inverted", "precision_slopes"]

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
