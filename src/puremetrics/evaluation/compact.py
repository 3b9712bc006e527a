"""A table in few rows, for a page that computes by itself.

Tables of more rows than there is room for are merged into blocks that end at real operating points. What
merging takes from the uncorrected area is known exactly (``offset``); ``deviation`` is the largest distance
of areas and their limits, computed from blocks, from those of the rows, found over a grid of priors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import RANDOM, Setting, TwoSamples
from puremetrics.statistics.precision_area import AveragePrecision
from puremetrics.statistics.roc_area import RocAuc, raw_area
from puremetrics.tables.merging import block_ends, merged_blocks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["STEEPEST", "Compact", "compacted", "prior_grid"]

STEEPEST = 0.98  # prior over purity, at most: beyond it every figure is noise
_PRIORS = 240


@dataclass(frozen=True)
class Compact:
    """A table in few rows.

    Attributes
    ----------
    table : ScoreTable
        Cut, and merged if it had to be.
    ends : ndarray or None
        Index one past the last row of each block in the cut table; None if nothing was merged.
    offset, deviation : float
        Of the uncorrected area, and of corrected ones at other priors.
    """

    table: ScoreTable
    ends: Any
    offset: float
    deviation: float


def compacted(setting: Setting, limit: int, thorough: bool = True) -> Compact:
    """The table of a setting in at most about so many rows.

    Unless it has to be ``thorough``, the deviation is looked for at few priors only.
    """
    if setting.ranked.score.size <= limit:
        return Compact(setting.ranked, None, 0.0, 0.0)
    ends = block_ends((setting.heads.pos[1:] + setting.heads.cmp[1:]) / 2, limit)
    merged = merged_blocks(setting.ranked, ends)
    offset = raw_area(setting.samples) - raw_area(TwoSamples(merged))
    return Compact(merged, ends, offset, _deviation(setting, merged, offset, thorough))


def prior_grid(setting: Setting) -> FloatArray:
    """Priors from the smallest to the largest that a page offers."""
    table, known = setting.table, setting.assumed
    design, totals = setting.design, table.totals
    low = min(float(design.prior_limits(totals, known.purity)[0]), known.value)
    if low == 0.0:
        low = min(0.005, known.value / 4)
    high = max(min(float(design.prior_limits(totals)[1]), STEEPEST), known.value)
    return np.linspace(low, high, _PRIORS)


def _deviation(setting: Setting, merged: ScoreTable, offset: float, thorough: bool) -> float:
    """Largest distance between figures from blocks and from rows over priors and two purities."""
    worst = 0.0
    setting = setting.with_bias(RANDOM)  # which a page takes labels as, elsewhere than as evaluated
    blocks = setting.on(merged)
    priors = (*prior_grid(setting)[:: _PRIORS // 12].tolist(), setting.prior)
    tried = list(product(priors, (setting.purity, 0.75 * setting.purity)))
    if not thorough:
        tried = [(prior, setting.purity) for prior in (priors[3], priors[6], setting.prior)]
    for prior, purity in tried:
        exact, rough = (s.at(prior, purity) for s in (setting, blocks))
        least, most = setting.design.prior_limits(setting.table.totals, purity)
        if exact.share > STEEPEST * purity or not least <= prior <= most:
            continue
        for statistic in (RocAuc(), AveragePrecision()):
            here, there = statistic.estimate(exact), statistic.estimate(rough)
            assert here.interval is not None
            assert there.interval is not None
            assert there.curve is not None
            x, y = there.curve.x, there.curve.y
            drawn = weighted_sum(np.diff(x), y[1:] + y[:-1]) / 2
            shift = offset / exact.gap if statistic.linear else drawn - there.value
            pairs = zip((here.value, *here.interval), (there.value, *there.interval), strict=True)
            worst = max(worst, *(abs(a - min(max(b + shift, 0.0), 1.0)) for a, b in pairs))
    return worst
