"""What thresholds are judged by: the metrics of one table each, or the worst that they can be.

In the worst case every metric is taken over all numbers of latent positives that are possible at the prior,
or anywhere in its range, and over all tables that the exact band allows for them (see `bounds.extremes`). A
range of the prior is part of that; so a narrow range says nearly the same as its middle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puremetrics.bounds.contingency import LatentChoice, whole_heads
from puremetrics.bounds.extremes import corner_tables
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.formulas import SMALLER_IS_BETTER, Formula, find_formula
from puremetrics.results import ConfusionCounts
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Judged", "of_counts", "worst_of"]

_CELLS = (
    100_000  # thresholds times numbers of latent positives, up to which all numbers are looked at
)


class Judged(NamedTuple):
    """The objective and the limited metrics at every threshold, and the table that the objective is of."""

    values: FloatArray
    limited: dict[str, FloatArray]
    counts: ConfusionCounts


def of_counts(
    counts: ConfusionCounts,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
) -> Judged:
    """Metrics of the tables themselves."""
    limited = {name: counts.metric(name) for name in limits}
    return Judged(counts.metric(formula.name, **options), limited, counts)


def worst_of(
    choice: LatentChoice,
    table: ScoreTable,
    formula: Formula,
    options: dict[str, float],
    limits: dict[str, tuple[str, float]],
) -> Judged:
    """The worst that each metric can be at each threshold, for itself.

    Every resample has as many labelled rows, so the choice need not be made again for it.
    """
    heads = whole_heads(table)
    size = heads.unl.size
    limited = {name: np.empty(size) for name in limits}
    values, entries = np.empty(size), np.empty((4, size))
    nodes = choice.nodes(size, _CELLS)
    for part, (lower, _) in corner_tables(choice, heads, nodes, statistics=[formula.name, *limits]):
        least = tuple(np.broadcast_arrays(*lower))
        found = formula(*least, **options)
        gain = -found if formula.name in SMALLER_IS_BETTER else found
        place = np.argmin(gain, axis=0)[None]
        values[part] = np.take_along_axis(found, place, axis=0)[0]
        entries[:, part] = [np.take_along_axis(entry, place, axis=0)[0] for entry in least]
        for name, reached in limited.items():
            every = find_formula(name, {})[0](*least)
            worst = np.max if name in SMALLER_IS_BETTER else np.min
            reached[part] = worst(every, axis=0)
    return Judged(values, limited, ConfusionCounts(heads.threshold, *entries))
