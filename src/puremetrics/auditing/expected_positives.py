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
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Forecast", "expected_rates"]


_MOST = 40  # ranges


class Forecast(NamedTuple):
    """Rates of positives among unlabeled rows: ``rate[i]`` from ``edges[i - 1]`` up to the next edge."""

    edges: FloatArray
    rate: FloatArray

    def at(self, score: FloatArray) -> Any:
        """The rate at each score."""
        return self.rate[np.searchsorted(self.edges, score, side="right")]

    def scaled(self, factor: float) -> Forecast:
        """The forecast for another share of positives."""
        return Forecast(self.edges, np.minimum(self.rate * factor, 1.0))


def expected_rates(table: ScoreTable, share: float) -> Forecast:
    """Rates of positives among the unlabeled rows of a table, if labels are at random."""
    labelled = table.total_pos
    if labelled == 0:
        return Forecast(np.empty(0), np.array([share]))
    count = int(min(_MOST, max(2, 1.5 * np.sqrt(labelled))))
    from_top = np.ceil(labelled * np.arange(1, count) / count)
    edges = np.unique(table.scores_of("pos", labelled + 1 - from_top))
    pos, unl, _ = table.rows_between(edges)
    wanted = share * table.total_unl * pos / pos.sum()
    rate = np.divide(wanted, unl, out=np.ones_like(wanted), where=unl > 0)
    return Forecast(edges, np.clip(bounded_isotonic(rate, unl), 0.0, 1.0))
