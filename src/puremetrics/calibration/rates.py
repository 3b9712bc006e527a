"""The rate of positives in each bin, with limits: for bins that are given, and for steps that were fitted.

With the shares G_b and F_b of both samples in a bin, the rate of positives there depends on their ratio
ρ = G_b/F_b alone (a is the share of positives in F, β the purity, π the prior):

    rate = π·((1 − a)·ρ − (1 − β)) / ((π − a)·ρ + (β − π)),        π·ρ for clean labels and a = π

*Bins that are given.* Agresti–Coull limits of both shares are carried through the rate (MOVER).

*Steps of the isotonic fit.* Their ends are chosen by the data: the last step begins where the ratio of
labelled rows to others is largest, so that its rate is too high on average, and the normal theory
behind the above fails with the few rows that such a step often has. Given the bin, the number of labelled
rows among all of its rows is binomial, so limits of ρ follow from those of Clopper and Pearson, which hold
for any number of rows. A step begins at a labelled score and ends below another, so that its share of the
positives is a sum of spacings: for k of them a Beta(k, n − k + 1) variable, the very one behind
the lower limit of Clopper and Pearson. What is left is the choice among steps. The chance that the
largest of all ratios k/(n·mass) exceeds a limit is not that of one ratio (Daniels 1945). In simulation a
lower level was needed at both ends alone: half of the error was enough for a hundred labels, not for a
thousand. The error is divided by the number of sizes that a step may have, counted in doublings from
sixteen labelled rows on, and at least by two.
"""

from __future__ import annotations

import numpy as np

from puremetrics.calibration.biased import biased_rates
from puremetrics.calibration.gaps import BinGaps
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES
from puremetrics.numerics.beta import beta_quantile
from puremetrics.sampling.limits import recovered_limits
from puremetrics.setting import Setting

__all__ = ["positive_rates", "step_limits"]

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
    share = setting.shares_of(prior)
    span = purity - share

    def compute(g: FloatArray, f: FloatArray) -> FloatArray:
        top = prior * ((1 - share) * g - (1 - purity) * f) / span
        bottom = ((prior - share) * g + (purity - prior) * f) / span
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))

    for b in np.flatnonzero(filled):
        ends = recovered_limits(setting.rows, compute, shares[0, b], shares[1, b], setting.level)
        low[b], high[b] = ends[0].min(), ends[1].max()
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
    ends = [_rates_of(setting, ratio) for ratio in ratios]
    return np.clip(ends[0].min(axis=0), 0.0, 1.0), np.clip(ends[1].max(axis=0), 0.0, 1.0)


def _rates_of(setting: Setting, ratio: FloatArray) -> FloatArray:
    """Rate of positives for each pair that is possible (rows) and each ratio (columns)."""
    prior, purity = (column[:, None] for column in setting.assumed.arrays())
    share = setting.shares_of(prior)
    known = np.minimum(ratio, 1e300)  # an endless ratio is one beyond any that matters
    top = prior * ((1 - share) * known - (1 - purity))
    bottom = (prior - share) * known + (purity - prior)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))
