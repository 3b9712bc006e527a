"""Sampling variance of any statistic, from its influence values on counts.

Every estimator in the correction is a smooth function of two empirical distributions: G of the
labelled positives and F of the comparison sample (see `scenarios`). `linear_variance` takes its
influence values, one per row of the table for each of the two, and returns the sampling variance.
In case-control G and F are independent samples. In a single training set they share the labelled
rows, whose influence is the sum of both; the number of labelled rows counts as random. With propensities
G is a ratio of sums weighted by 1 / propensity (Hájek), while F counts every row once: a labelled row then
adds its weight times the influence through G, plus that through F.
The estimand is that of the population which the rows were drawn from; for the rows at hand themselves the
intervals are wider than need be (`bounds` are about those).
"""

from __future__ import annotations

from typing import NamedTuple

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import small_sample
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import TwoSamples

__all__ = ["LinearVariance", "contributions", "linear_variance"]


class LinearVariance(NamedTuple):
    """A variance with its effective degrees of freedom, and the part due to each sample."""

    total: float
    degrees: float
    from_positives: float
    from_others: float


def contributions(
    samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What one row of weight 1 adds to the error of an estimator, through G and through F; by table row.

    ``on_pos`` and ``on_cmp`` are its influence values through G and F; they need not be centred. In a
    single training set a labelled row adds both, each with the weight that it has there.
    """
    total_cmp = samples.total_cmp
    size_pos, size_cmp = samples.row_sizes
    mean_pos = weighted_sum(samples.pos, on_pos) / samples.total_pos
    mean_cmp = weighted_sum(samples.cmp, on_cmp) / total_cmp
    via_pos = (on_pos - mean_pos) / samples.total_pos * small_sample(size_pos)
    via_cmp = (on_cmp - mean_cmp) / total_cmp * small_sample(size_cmp)
    return via_pos, via_cmp


def linear_variance(samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray) -> LinearVariance:
    """Variance of an estimator with influence ``on_pos`` through G and ``on_cmp`` through F.

    With weights the variance is that of a ratio of weighted sums (squared weights), as for
    inverse-propensity or sampling weights.
    """
    via_pos, via_cmp = contributions(samples, on_pos, on_cmp)
    size_pos, size_others = samples.row_sizes
    from_positives = _from_labelled(samples, via_pos, via_cmp)
    if samples.one_sample:
        size_others = max(size_others - size_pos, 2.0)
    from_others = weighted_sum(samples.others[1], via_cmp**2)
    total = from_positives + from_others
    spread = from_positives**2 / max(size_pos - 1, 1.0) + from_others**2 / max(size_others - 1, 1.0)
    degrees = total**2 / spread if spread > 0 else 1.0
    return LinearVariance(total, degrees, from_positives, from_others)


def _from_labelled(samples: TwoSamples, via_pos: FloatArray, via_cmp: FloatArray) -> float:
    """Sum over the labelled rows of the square of what each adds."""
    if not samples.one_sample:
        return weighted_sum(samples.pos_squares, via_pos**2)
    if not samples.table.has_propensities:
        return weighted_sum(samples.pos_squares, (via_pos + via_cmp) ** 2)
    own = weighted_sum(samples.pos_squares, via_pos**2)
    both = weighted_sum(samples.products, via_pos * via_cmp)
    return own + 2 * both + weighted_sum(samples.own_squares, via_cmp**2)
