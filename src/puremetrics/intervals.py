"""Confidence intervals: linearised variance on counts, and limits that behave in small samples.

Every estimator in the correction is a smooth function of two empirical distributions: G of the
labelled positives and F of the comparison sample (see `scenario`). `linear_variance` takes its
influence values, one per row of the table for each of the two, and returns the sampling variance.
In case-control G and F are independent samples. In a single training set they share the labelled
rows, whose influence is the sum of both; the number of labelled rows counts as random.
The estimand is that of the population which the rows were drawn from; for the rows at hand themselves the
intervals are wider than need be (`bounds` are about those).

For rates at a fixed threshold, G and F are proportions. `agresti_coull` gives each its limits, and
`recovered_limits` carries them through any function of both (MOVER: the method of variance
estimates recovery, which keeps the asymmetry of each limit and needs no derivative).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from puremetrics._validation import CountArray, FloatArray
from puremetrics.scenario import comparison_counts, comparison_total
from puremetrics.table import ScoreTable

__all__ = [
    "LinearVariance",
    "agresti_coull",
    "contributions",
    "effective_sizes",
    "linear_variance",
    "logit_limits",
    "normal_quantile",
    "recovered_limits",
    "small_sample",
    "student_quantile",
    "weighted_sum",
]


class LinearVariance(NamedTuple):
    """A variance with its effective degrees of freedom, and the part due to each sample."""

    total: float
    degrees: float
    from_positives: float
    from_others: float


def effective_sizes(table: ScoreTable) -> tuple[float, float]:
    """Effective numbers of rows in G and F; the plain numbers if unweighted, without making rows."""
    if not table.weighted:
        return table.total_pos, comparison_total(table)
    counts, squares = comparison_counts(table)
    pos_squares = table.squared_weights()[0]
    return (
        table.total_pos**2 / float(pos_squares.sum()),
        float(counts.sum()) ** 2 / float(squares.sum()),
    )


def contributions(
    table: ScoreTable, on_pos: FloatArray, on_cmp: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What one row of G, and one of F, adds to the error of an estimator; by row of the table.

    ``on_pos`` and ``on_cmp`` are its influence values through G and F; they need not be centred. In a
    single training set a labelled row is in F as well and adds both.
    """
    counts, _ = comparison_counts(table)
    total_cmp = float(counts.sum())
    size_pos, size_cmp = effective_sizes(table)
    mean_pos = weighted_sum(table.n_pos, on_pos) / table.total_pos
    mean_cmp = weighted_sum(counts, on_cmp) / total_cmp
    via_pos = (on_pos - mean_pos) / table.total_pos * small_sample(size_pos)
    via_cmp = (on_cmp - mean_cmp) / total_cmp * small_sample(size_cmp)
    if table.scenario == "single_training_set":
        via_pos = via_pos + via_cmp
    return via_pos, via_cmp


def linear_variance(table: ScoreTable, on_pos: FloatArray, on_cmp: FloatArray) -> LinearVariance:
    """Variance of an estimator with influence ``on_pos`` through G and ``on_cmp`` through F.

    With weights the variance is that of a ratio of weighted sums (squared weights), as for
    inverse-propensity or sampling weights.
    """
    via_pos, via_cmp = contributions(table, on_pos, on_cmp)
    size_pos, size_others = effective_sizes(table)
    pos_squares, others = table.squared_weights()[0], comparison_counts(table)[1]
    if table.scenario == "single_training_set":
        others = others - pos_squares
        size_others = max(size_others - size_pos, 2.0)
    from_positives = weighted_sum(pos_squares, via_pos**2)
    from_others = weighted_sum(others, via_cmp**2)
    total = from_positives + from_others
    spread = from_positives**2 / max(size_pos - 1, 1.0) + from_others**2 / max(size_others - 1, 1.0)
    degrees = total**2 / spread if spread > 0 else 1.0
    return LinearVariance(total, degrees, from_positives, from_others)


def logit_limits(
    value: float, variance: LinearVariance, level: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Student limits on the logit scale of (low, high), where ``value`` must lie strictly inside."""
    scaled = (value - low) / (high - low)
    error = np.sqrt(variance.total) / (high - low) / (scaled * (1 - scaled))
    reach = student_quantile(variance.degrees, level) * error
    odds = np.log(scaled / (1 - scaled))
    limits = 1 / (1 + np.exp(-np.clip(odds + np.array([-reach, reach]), -700, 700)))
    return tuple(float(low + (high - low) * limit) for limit in limits)  # type: ignore[return-value]


def normal_quantile(level: float) -> float:
    """Two-sided normal quantile: 1.96 for 0.95."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def student_quantile(degrees: float, level: float) -> float:
    """Two-sided quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def agresti_coull(share: float, size: float, level: float) -> tuple[float, float]:
    """Agresti–Coull limits of a proportion; ``size`` may be an effective (weighted) size."""
    z = normal_quantile(level)
    padded = size + z**2
    centre = (share * size + z**2 / 2) / padded
    reach = z * np.sqrt(centre * (1 - centre) / padded)
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


def recovered_limits(
    table: ScoreTable,
    function: Callable[[FloatArray, FloatArray], FloatArray],
    share_pos: float,
    share_cmp: float,
    level: float,
) -> tuple[float, float]:
    """Limits of ``function(G, F)`` at one threshold, from the limits of G and of F.

    In a single training set G and F are correlated through the labelled rows:
    corr = sqrt(|L| / n) · sqrt(G(1 − G) / F(1 − F)), with sums of squared weights in place of the counts.
    """
    size_pos, size_cmp = effective_sizes(table)
    g_low, g_high = agresti_coull(share_pos, size_pos, level)
    f_low, f_high = agresti_coull(share_cmp, size_cmp, level)
    correlation = 0.0
    if table.scenario == "single_training_set" and 0 < share_cmp < 1:
        spread = share_pos * (1 - share_pos) / (share_cmp * (1 - share_cmp))
        shared = table.total_pos / comparison_total(table)
        if table.weighted:
            shared = float(table.squared_weights()[0].sum() / comparison_counts(table)[1].sum())
        correlation = float(np.sqrt(min(shared * spread, 1.0)))
    at_g = function(np.array([share_pos, g_low, g_high]), np.full(3, share_cmp))
    at_f = function(np.full(2, share_pos), np.array([f_low, f_high]))
    centre = float(at_g[0])
    if not np.isfinite(centre):  # a ratio with an empty bottom: all that the corners still say
        corners = function(
            np.array([g_low, g_low, g_high, g_high]), np.array([f_low, f_high, f_low, f_high])
        )
        known = corners[~np.isnan(corners)]
        return (float(known.min()), float(known.max())) if known.size else (-np.inf, np.inf)
    limits = []
    for sign in (-1.0, 1.0):
        moves_g = np.maximum(sign * (at_g[1:] - centre), 0.0)
        moves_f = np.maximum(sign * (at_f - centre), 0.0)
        g_side, f_side = int(np.argmax(moves_g)), int(np.argmax(moves_f))
        by_g, by_f = float(moves_g[g_side]), float(moves_f[f_side])
        if not np.isfinite(by_g + by_f):
            limits.append(sign * np.inf)
            continue
        joint = 2 * correlation * by_g * by_f * (1 if g_side == f_side else -1)
        limits.append(centre + sign * float(np.sqrt(max(by_g**2 + by_f**2 + joint, 0.0))))
    return limits[0], limits[1]


def small_sample(size: float) -> float:
    """Factor that makes a plug-in standard error one of n − 1."""
    return float(np.sqrt(size / (size - 1))) if size > 1 else 1.0


def weighted_sum(weights: CountArray, values: FloatArray) -> float:
    """Sum of products by pairwise summation.

    BLAS (``np.dot``, ``@``) splits long vectors among its threads, so its last bits depend on their number.
    """
    return float(np.sum(weights * values))
