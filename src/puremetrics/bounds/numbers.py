"""How many positives there may be among the unlabeled rows.

A prior can be said of two things.

``prior_of="rows"``
    It is the share of positives among these very rows, as in the paper. The number of latent positives m is
    then known: share · |U|, rounded to the nearest whole number.
``prior_of="population"`` (default)
    It is the share in the population that the rows were drawn from, so m is random. In case-control m is
    Binomial(|U|, prior). In a single training set of n rows the positives, labelled or not, are Binomial(n,
    prior). Given their number and that of the labels, labels fall on a random part of them, which is all
    that a band asks for; so m is that number less the labels, between its quantiles less the labels. That
    the number of labels is seen helps nothing: how many positives get one is not known.

    A fifth of the error level goes to m, the rest to the band. By the union bound both hold together with the
    confidence that was asked for.

Of a range of the prior the lower quantile is taken at its low end, the upper one at its high end. Rates and
areas need a positive and a negative row; bounds hold given that the rows that count have one of each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from puremetrics.bounds.limits import binomial_quantile
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import UnsupportedError
from puremetrics.setting import Setting

__all__ = ["CELLS", "MOST", "LatentRange", "latent_range", "spread"]

_MEANINGS = ("population", "rows")
CELLS = 20_000  # heads times numbers of latent positives, up to which all numbers are looked at
MOST = 1_000_000  # the same, where numbers in between are enclosed
_FEWEST = 9  # numbers of latent positives, however many the heads are
_LOOSE = 0.04
_SHARE = 0.2  # of the error level, for the number of latent positives


class LatentRange(NamedTuple):
    """Fewest and most latent positives, and the level that is left for the band."""

    low: int
    high: int
    level: float


def latent_range(setting: Setting, prior_of: str = "population") -> LatentRange:
    """Whole numbers of latent positives that are possible at the prior, or at the ends of its range."""
    known = setting.assumed
    meaning = check_choice(prior_of, _MEANINGS, "prior_of")
    if not known.clean:
        raise UnsupportedError(
            f"Bounds assume that every labelled positive is one, but the purity is {known.purity:g}. Use "
            "roc_auc and its companions, which correct for noisy labels."
        )
    if meaning == "rows":
        return LatentRange(*_of_rows(setting), setting.level)
    error = _SHARE * (1 - setting.level)
    low, high = _of_population(setting, error)
    if low == high:
        return LatentRange(low, high, setting.level)
    return LatentRange(low, high, 1 - (1 - _SHARE) * (1 - setting.level))


def spread(
    low: int, high: int, hidden: float, known: int, heads: int, cells: int = CELLS, most: int = MOST
) -> FloatArray:
    """All numbers from low to high, or if these are too many tables, some that are evenly spread.

    ``hidden`` is about how many rows a band with so many ``known`` ones is for. What lies between two
    numbers is enclosed (see `extremes`), by up to t (1 − t) · Δm / m of a rate t, with limits that are at
    least sqrt(t (1 − t) · (1/m + 1/n)) · 1.96 away. As many numbers are taken as keep that below 4 % of
    this, if times the heads they are at most ``most`` tables.
    """
    span = high - low
    reach = 1.96 * 2 * math.sqrt(max(hidden, 1.0) * (1 + hidden / max(known, 1)))
    needed = math.ceil(span / (_LOOSE * reach)) + 1
    count = max(cells // max(heads, 1), min(needed, most // max(heads, 1)), _FEWEST)
    if span < count:
        return np.arange(low, high + 1.0)
    return np.unique(np.linspace(low, high, count).round())


def _of_rows(setting: Setting) -> tuple[int, int]:
    """Both ends of the prior as shares among the rows."""
    table = setting.table
    counts = []
    for prior in (setting.assumed.low, setting.assumed.high):
        share = setting.design.unlabeled_share(table.totals, prior)
        assert share is not None
        counts.append(int(np.floor(share * table.total_unl + 0.5)))
    return counts[0], counts[1]


def _of_population(setting: Setting, error: float) -> tuple[int, int]:
    """Quantiles of the number of latent positives, as far as both classes are there."""
    table, design = setting.table, setting.design
    rows = int(design.population_size(table.totals))
    seen = int(design.counted(table.total_pos, 0, 0, 0)[0])  # labelled rows of the population
    sides = (setting.assumed.low, error / 2), (setting.assumed.high, 1 - error / 2)
    further = float(np.sqrt(setting.samples.effect[1]))  # groups of rows have more alike numbers
    ends = []
    for prior, probability in sides:
        count = int(binomial_quantile(np.array([prior]), rows, probability)[0])
        if further > 1:
            count = round(prior * rows + further * (count - prior * rows))
        ends.append(count - seen)
    # One positive and one negative at least, unless even the prior itself says that there is none.
    positives, negatives = design.counted(*table.totals, 0)
    least = int(positives == 0 and setting.assumed.high > 0)
    unlabeled = int(table.total_unl)
    most = unlabeled - int(negatives == unlabeled and setting.assumed.low < 1)
    low, high = (min(max(end, least), max(most, 0)) for end in ends)
    return low, high
