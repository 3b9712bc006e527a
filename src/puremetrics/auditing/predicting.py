"""What the labels make one expect: the share of positives among unlabeled rows, by score.

If labels are a random sample of the positives, a range of scores that holds a share g of the labelled and u
of the unlabeled rows holds positives at a rate of α·g/u, α being their share among all unlabeled rows. Ranges
end at quantiles of the labelled scores, and rates are made to rise with the score. If labels are not random
this is a bad forecast and nothing worse: estimates from an audit are right whatever is forecast.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.pava import bounded_isotonic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Forecast", "expected_rates", "rows_between"]

_MOST = 40  # ranges


class Forecast(NamedTuple):
    """Rates of positives among unlabeled rows: ``rate[i]`` from ``edges[i - 1]`` up to the next edge."""

    edges: FloatArray
    rate: FloatArray

    def at(self, score: FloatArray) -> Any:
        """The rate at each score."""
        return self.rate[np.searchsorted(self.edges, score, side="right")]

    def scaled(self, factor: float) -> Forecast:
        """The same for another share of positives."""
        return Forecast(self.edges, np.minimum(self.rate * factor, 1.0))


def expected_rates(table: ScoreTable, share: float) -> Forecast:
    """Rates of positives among the unlabeled rows of a table, if labels are at random."""
    labelled = np.flatnonzero(table.n_pos > 0)
    if labelled.size == 0:
        return Forecast(np.empty(0), np.array([share]))
    count = int(min(_MOST, max(2, 1.5 * np.sqrt(float(table.total_pos)))))
    held = np.cumsum(table.n_pos[labelled])
    places = np.searchsorted(held, held[-1] * np.arange(1, count) / count)
    edges = np.unique(table.score[labelled[np.minimum(places, labelled.size - 1)]])
    pos, unl, _ = rows_between(table, edges)
    wanted = share * table.total_unl * pos / pos.sum()
    rate = np.divide(wanted, unl, out=np.ones_like(wanted), where=unl > 0)
    return Forecast(edges, np.clip(bounded_isotonic(rate, unl), 0.0, 1.0))


def rows_between(table: ScoreTable, edges: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Labelled, unlabeled and known negative rows in the ranges of scores that rising edges begin."""
    starts = np.concatenate([[0], np.searchsorted(table.score[::-1], edges, side="left")])
    some = np.diff(starts, append=table.score.size) > 0
    found = []
    for column in (table.n_pos, table.n_unl, table.n_neg):
        counts = np.zeros(starts.size)
        counts[some] = np.add.reduceat(column[::-1], starts[some])
        found.append(counts)
    return found[0], found[1], found[2]
