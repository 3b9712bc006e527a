"""The rate of positives in each bin, with limits, and the worst bin: the one that is farthest off.

**Rates.** With the shares G_b and F_b of both samples in a bin, the rate of positives there depends on their
ratio ρ = G_b/F_b alone (a is the share of positives in F, β the purity, π the prior):

    rate = π·((1 − a)·ρ − (1 − β)) / ((π − a)·ρ + (β − π)),        π·ρ for clean labels and a = π

*Bins that are given* (`positive_rates`). Agresti–Coull limits of both shares are carried through the rate
(MOVER).

*Steps that were fitted*, those of the isotonic fit (`step_limits`). Their ends are chosen by the data: the
last step begins where the ratio of labelled rows to others is largest, so that its rate is too high on
average, and the normal theory behind the above fails with the few rows that such a step often has. Given the
bin, the number of labelled rows among all of its rows is binomial, so limits of ρ follow from those of
Clopper and Pearson, which hold for any number of rows. A step begins at a labelled score and ends below
another, so that its share of the positives is a sum of spacings: for k of them a Beta(k, n − k + 1) variable,
the very one behind the lower limit of Clopper and Pearson. What is left is the choice among steps. The chance
that the largest of all ratios k/(n·mass) exceeds a limit is not that of one ratio (Daniels 1945). In
simulation a lower level was needed at both ends alone: half of the error was enough for a hundred labels, not
for a thousand. The error is divided by the number of sizes that a step may have, counted in doublings from
sixteen labelled rows on, and at least by two.

**The worst bin** (`worst_bin`): the largest distance of mean score and rate of positives, corrected for
noise. The largest of many noisy distances is large whatever the model: with 100 labels and 1000 rows a
perfect model has a bin that seems to be 0.7 off. Each bin b therefore gets limits of its distance at a level
that holds for all of them together (Bonferroni over bins with rows): those of the rate of positives and those
of the mean score (`score_reaches`, between the edges of the bin), added in squares. With d the distance and r
how far its limit lies in the direction of 0,

    size = |d| − r²/|d|  if r < |d|,  else 0

which is 0 unless the bin is surely off, tends to |d| as the noise gets small, and always lies between its
limits (a non-negative garrote whose threshold is the simultaneous limit). The worst bin is the one of largest
size. Its interval goes from the largest lower limit to the largest upper one; that holds the true largest
distance over these bins if all limits hold. For a perfect model the size is 0 in at least as many samples as
the level says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.calibration.bins import BinMoments
from puremetrics.calibration.gaps import BinGaps, BoundedMean, biased_rates, bounded_reach
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.sampling.limits import recovered_limits
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import Setting

__all__ = ["WorstBin", "positive_rates", "score_reaches", "step_limits", "worst_bin", "worst_of"]


_ONE_SIZE = 16.0  # labelled rows up to which all steps count as one size


def positive_rates(setting: Setting, gaps: BinGaps) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimated positive rate of each bin, and its limits over all that is possible.

    Agresti–Coull limits of both shares are carried through prior · P(b | y = 1) / P(b) and cut to
    [0, 1]. Limits that both lie outside keep their distance from the rate, which is moved to the nearer end:
    nothing is certain because it is impossible.
    """
    pos, cmp = gaps.moments.positives[0], gaps.moments.comparison[0]
    shares = np.stack([pos / pos.sum(), cmp / cmp.sum()])
    filled = gaps.share_pop > 0
    rate = np.full(filled.size, np.nan)
    np.divide(setting.prior * gaps.share_pos, gaps.share_pop, out=rate, where=filled)
    low, high = np.zeros(filled.size), np.ones(filled.size)
    prior, purity = (column[:, None] for column in setting.assumed.arrays())
    share = setting.shares_of(prior, purity)
    span = purity - share

    def compute(g: FloatArray, f: FloatArray) -> FloatArray:
        top = prior * ((1 - share) * g - (1 - purity) * f) / span
        bottom = ((prior - share) * g + (purity - prior) * f) / span
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))

    for b in np.flatnonzero(filled):
        ends = recovered_limits(setting.rows, compute, shares[0, b], shares[1, b], setting.level)
        middle = compute(shares[:1, b], shares[1:, b])[:, 0]
        low[b], high[b] = limits_over(setting.assumed, (middle, *ends), setting.level)
    above, below = low >= 1, high <= 0
    low[above] = 1 - np.maximum(rate - low, 0.0)[above]
    high[below] = np.maximum(high - rate, 0.0)[below]
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    if not setting.bias.is_random:
        low, high = (
            biased_rates(setting, gaps, ends, side)
            for ends, side in zip((low, high), SIDES, strict=True)
        )
    return rate, low, high


def step_limits(setting: Setting, gaps: BinGaps) -> tuple[FloatArray, FloatArray]:
    """Limits of the rate of positives on each step of an isotonic fit, over all that is possible."""
    moments = gaps.moments
    sizes = setting.rows.sizes
    pos, cmp = (
        part[0] / part[0].sum() * size
        for part, size in zip((moments.positives, moments.comparison), sizes, strict=True)
    )
    others = np.maximum(cmp - pos, 0.0) if moments.in_comparison[0] else cmp
    filled = np.flatnonzero(gaps.share_pop > 0)
    error = np.full(pos.size, 1 - setting.level)
    error[filled[[0, -1]]] /= max(2.0, np.log2(sizes[0] / _ONE_SIZE))
    few = np.maximum(np.stack([pos, others]), 1e-300)
    low = np.where(pos > 0, beta_quantile(few[0], others + 1, error / 2), 0.0)
    high = np.where(others > 0, beta_quantile(pos + 1, few[1], 1 - error / 2), 1.0)
    with np.errstate(divide="ignore"):
        # From the share of labelled rows in the bin to the ratio of both samples' shares.
        odds = (low, high) if moments.in_comparison[0] else (low / (1 - low), high / (1 - high))
    ratios = [part * sizes[1] / sizes[0] for part in odds]
    seen = np.divide(pos * sizes[1], cmp * sizes[0], out=np.zeros(pos.size), where=cmp > 0)
    middle, *ends = (np.clip(_rates_of(setting, ratio), 0.0, 1.0) for ratio in (seen, *ratios))
    least, most = limits_over(setting.assumed, (middle, *ends), setting.level)
    return np.clip(least, 0.0, 1.0), np.clip(most, 0.0, 1.0)


def _rates_of(setting: Setting, ratio: FloatArray) -> FloatArray:
    """Rate of positives for each pair that is possible (rows) and each ratio (columns)."""
    prior, purity = (column[:, None] for column in setting.assumed.arrays())
    share = setting.shares_of(prior, purity)
    known = np.minimum(ratio, 1e300)  # an endless ratio is one beyond any that matters
    top = prior * ((1 - share) * known - (1 - purity))
    bottom = (prior - share) * known + (purity - prior)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))


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
