"""The worst bin: the largest distance of mean score and rate of positives, corrected for noise.

The largest of many noisy distances is large whatever the model: with 100 labels and 1000 rows a perfect
model has a bin that seems to be 0.7 off. Each bin b therefore gets limits of its distance at a level
that holds for all of them together (Bonferroni over bins with rows): those of the rate of positives
(`rates`) and those of the mean score (`spread`, between the edges of the bin), added in squares.
With d the distance and r how far its limit lies in the direction of 0,

    size = |d| − r²/|d|  if r < |d|,  else 0

which is 0 unless the bin is surely off, tends to |d| as the noise gets small, and always lies between
its limits (a non-negative garrote whose threshold is the simultaneous limit). The worst bin is the one
of largest size. Its interval goes from the largest lower limit to the largest upper one; that
holds the true largest distance over these bins if all limits hold. For a perfect model the size is 0 in
at least as many samples as the level says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.calibration.bins import BinMoments
from puremetrics.calibration.gaps import BinGaps
from puremetrics.calibration.rates import positive_rates
from puremetrics.calibration.spread import BoundedMean, bounded_reach
from puremetrics.checking.types import FloatArray
from puremetrics.setting import Setting

__all__ = ["WorstBin", "score_reaches", "worst_bin", "worst_of"]


class WorstBin(NamedTuple):
    """The largest distance over bins, corrected for noise, with limits; and in which bin it is."""

    size: float
    low: float
    high: float
    place: int


def worst_bin(setting: Setting, gaps: BinGaps) -> WorstBin:
    """Find the bin that is furthest off for sure, and how far."""
    filled: Any = np.flatnonzero(gaps.share_pop > 0)
    level = 1 - (1 - setting.level) / filled.size
    rate, rate_low, rate_high = (c[filled] for c in positive_rates(setting.with_level(level), gaps))
    rate = np.clip(rate, rate_low, rate_high)
    score_below, score_above = score_reaches(gaps.moments, gaps.mean_score, filled, level)
    score = (gaps.score_pop / np.where(gaps.share_pop > 0, gaps.share_pop, 1.0))[filled]
    return worst_of(
        score - rate, (score_below, score_above), (rate - rate_low, rate_high - rate), filled
    )


def worst_of(
    distance: FloatArray,
    score: tuple[FloatArray, FloatArray],
    rate: tuple[FloatArray, FloatArray],
    filled: Any,
) -> WorstBin:
    """The worst of some bins, from distances and how far mean score and rate may lie below and above."""
    below, above = np.hypot(score[0], rate[1]), np.hypot(score[1], rate[0])
    towards = np.where(distance > 0, below, above)
    size = np.abs(distance)
    sure = towards < size
    some = np.where(size > 0, size, 1.0)
    corrected = np.where(sure, size - np.minimum(towards, size) / some * towards, 0.0)
    lows = np.where(sure, size - towards, 0.0)
    highs = np.minimum(np.maximum(distance + above, below - distance), 1.0)
    # Without any sure bin, the one that comes nearest to being sure is shown.
    order = corrected if sure.any() else size / np.maximum(towards, 1e-300)
    largest = float(min(corrected.max(), 1.0))
    return WorstBin(
        largest, min(float(lows.max()), largest), max(float(highs.max()), largest),
        int(filled[int(np.argmax(order))]),
    )  # fmt: skip


def score_reaches(
    moments: BinMoments, mean_score: FloatArray, filled: Any, level: float
) -> tuple[FloatArray, FloatArray]:
    """How far the mean score of each bin may be off, below and above; ``mean_score`` serves without rows."""
    sums = moments.comparison[:, filled]
    squares = moments.squares[moments.in_comparison, 0][:, filled].sum(axis=0)
    rows = np.divide(sums[0] ** 2, squares, out=np.zeros(sums[0].size), where=squares > 0)
    some = np.where(sums[0] > 0, sums[0], 1.0)
    mean = np.where(sums[0] > 0, sums[1] / some, mean_score[filled])
    spread = np.where(sums[0] > 0, np.maximum(sums[2] / some - mean**2, 0.0), 0.0)
    low = moments.lower[filled]
    high = np.maximum(np.minimum(moments.upper[filled], moments.top), mean)
    parts = [
        bounded_reach(BoundedMean(n, m, v / max(n - 1, 1.0), min(a, m), b), level)
        for n, m, v, a, b in zip(rows, mean, spread, low, high, strict=True)
    ]
    reaches = np.array(parts)
    return reaches[:, 0], reaches[:, 1]
