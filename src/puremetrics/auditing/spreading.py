"""Where exactly the positives of a cell are: a shape for what depends on it.

Sums over positives need no shape. The average precision does, because it depends on how positives lie to each
other, and so does the part of an error that the rows have as a sample. Every cell keeps the number of
positives that was found in it. Its shape is that of the forecast in part, and for the rest that of the rising
step function that fits the answers best; the parts are those that fit left-out rows best.
"""

from __future__ import annotations

import numpy as np

from puremetrics.auditing.audited import Audited
from puremetrics.auditing.pieces import Pieces
from puremetrics.auditing.predicting import Forecast
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.pava import bounded_isotonic

__all__ = ["shape_trust", "spread_positives"]

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
