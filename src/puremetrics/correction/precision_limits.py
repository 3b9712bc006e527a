"""Limits of average precision that allow for positives which no label has shown.

Let u = G(x) be the share of positives that score at least x. Average precision is ∫ u · c(x) du with
c = prior / F(x), a quadratic function of the shares of positives between labelled scores. Given the labelled
scores these shares are random spacings: Dirichlet, one unit for each label. So the law of the sum

    ½ Σ c_i (U_i² − U_{i−1}²) + ½ Σ_tied c_i D_i²,      U_i = D_0 + … + D_i,

has moments in closed form (the second sum is what a step of tied rows adds, gain times precision at its
end). With S_i the sums of the Dirichlet parameters a_i and A their total, for i ≤ j,

    E[U_i² U_j²] · A(A+1)(A+2)(A+3) = S_i (S_i + 1) (S_j + 2) (S_j + 3),

since U_i / U_j is Beta and independent of U_j; likewise for D_i. A Beta law with that mean and variance
gives the limit. Positives that the labels have missed get a spacing of their own, of weight ⅔: for the upper
limit above the highest score, with a precision of up to 1 or what the rows up there allow; for the
lower limit at the bottom. Without it a sample that has no label at the top is sure of a low precision: with
rare positives that was too low an upper limit in up to a third of all samples.

The comparison sample errs, too. A row of F lowers the precision of all heads that it is in; the standard
deviation of that sum is taken on the log scale. A head of few rows is skewed, and the error of its inverse
larger than a normal law says: for the upper limit by the ratio of the exact Poisson limit to the normal one.
For the lower one a head has one row more than it shows, which makes its inverse unbiased.

Holds for clean labels and a comparison sample that is the population, as in both scenarios with
unlabeled rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.numerics.quantiles import beta_quantile, normal_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.sampling.bounded import combined_reach, matched_beta_quantile
from puremetrics.setting import Setting

__all__ = ["quadratic_moments", "spacing_limits"]

_MISSED = 2 / 3  # weight of the spacing that no label has shown
_FEW_ROWS = 1000.0  # up to which a limit is searched for
_FEWEST = 3.0  # labels; below, spacings say nothing about the curve
_SLACK = 1e-9  # of numbers of labels, which weights make sums of fractions


def quadratic_moments(
    parameters: FloatArray, slope: FloatArray, tied: BoolArray
) -> tuple[float, float]:
    """Mean and variance of the sum in the module's docstring, for Dirichlet spacings; O(spacings)."""
    a, running = parameters, np.cumsum(parameters)
    total = running[-1]
    two, four = total * (total + 1), (total + 2) * (total + 3)
    on_heads = (slope - np.append(slope[1:], 0.0)) / 2
    on_steps = np.where(tied, slope / 2, 0.0)
    first, second = running * (running + 1), (running + 2) * (running + 3)
    own = a * (a + 1)
    heads, steps = on_heads * first / two, on_steps * own / two
    upto_heads, upto_steps = np.cumsum(heads), np.cumsum(steps)
    mean = float(upto_heads[-1] + upto_steps[-1])
    outer = on_heads * second / four
    square = 2 * weighted_sum(outer[1:], upto_heads[:-1]) + weighted_sum(outer, heads)
    square += upto_steps[-1] ** 2 * two / four - weighted_sum(steps, steps) * two / four
    square += weighted_sum(steps * on_steps, (a + 2) * (a + 3) / four)
    after = upto_steps[-1] - upto_steps
    square += 2 * (weighted_sum(outer, upto_steps) + weighted_sum(heads, after) * two / four)
    return mean, max(float(square) - mean**2, 0.0)


class _Heads(NamedTuple):
    """At each labelled score: labels there, rows of F up to it, its share of F, and whether others tie."""

    labels: FloatArray
    others: FloatArray
    found: FloatArray
    tied: BoolArray
    place: npt.NDArray[np.intp]


def spacing_limits(setting: Setting) -> tuple[float, float]:
    """Limits of average precision at the prior of the setting; with one or two labels, 0 and 1."""
    if setting.prior <= 0:
        return 0.0, 0.0
    heads, unit = _heads_of(setting)
    tail, z = (1 - setting.level) / 2, normal_quantile(setting.level)
    labelled = float(heads.labels.sum())
    if labelled < _FEWEST - _SLACK:
        return 0.0, 1.0
    reached = np.cumsum(heads.labels) / labelled
    ends = []
    for upper in (False, True):
        rows = heads.found + (0.0 if upper else 1.0) * unit
        slope = np.minimum(setting.prior / np.maximum(rows, unit / 2), 1 / reached)
        missed = _missed(setting, heads, labelled, unit, tail) if upper else None
        own, kept = _spacings(heads, slope, setting.prior, missed)
        mean, variance = quadratic_moments(own.parameters, own.slope, own.tied)
        by_pos = abs(matched_beta_quantile(mean, variance, 1 - tail if upper else tail) - mean)
        gain = _gains(own)[kept]
        error = _error_of_others(
            setting, heads, gain * np.minimum(own.slope[kept], 1 / reached), rows, upper
        )
        if mean <= 0:
            ends.append(mean)
            continue
        grown = np.exp(min(z * error / mean, 700.0)) if upper else np.exp(-z * error / mean)
        reach = combined_reach(by_pos, mean * abs(float(grown) - 1))
        ends.append(mean + reach if upper else mean - reach)
    return max(ends[0], 0.0), min(ends[1], 1.0)


class _Spacings(NamedTuple):
    parameters: FloatArray
    slope: FloatArray
    tied: BoolArray


def _heads_of(setting: Setting) -> tuple[_Heads, float]:
    """Labelled scores with their heads, and the share of one row in F; sizes are effective ones."""
    samples = setting.samples
    size_pos, size_cmp = samples.sizes
    pos, others = (np.asarray(c, dtype=np.float64) for c in (samples.pos, samples.others[0]))
    place = np.flatnonzero(pos > 0)
    labels = pos[place] * (size_pos / samples.total_pos)
    running = np.cumsum(others)[place] * (size_cmp / samples.total_cmp)
    found = np.cumsum(np.asarray(samples.cmp, dtype=np.float64))[place] / samples.total_cmp
    squares = np.asarray(samples.pos_squares, dtype=np.float64)[place]
    several = pos[place] ** 2 > (1 + _SLACK) * squares  # more than one labelled row
    tied = (others[place] > 0) | several
    return _Heads(labels, running, found, tied, place), 1 / size_cmp


def _missed(
    setting: Setting, heads: _Heads, labelled: float, unit: float, tail: float
) -> tuple[float, bool]:
    """Slope of the spacing above the highest label, and whether rows up there are tied.

    Its precision is u · prior / F of the highest row, at most 1; the slope is the one that gives the same
    sum at the largest share of positives that may be up there.
    """
    others = np.asarray(setting.samples.others[0], dtype=np.float64)
    above = heads.place[0] > 0
    top = float(others[0]) / setting.samples.total_cmp if above else 0.0
    share = beta_quantile(_MISSED, labelled, 1 - tail)
    certain = max(top, unit / 2) / setting.prior  # share at which the precision reaches 1
    tied = above and float(others[0]) > 1
    if tied:
        return min(1.0, share / certain) / share, True
    whole = share**2 / 2 / certain if share <= certain else share - certain / 2
    return 2 * whole / share**2, False


def _spacings(
    heads: _Heads, slope: FloatArray, prior: float, missed: tuple[float, bool] | None
) -> tuple[_Spacings, slice]:
    """All spacings with the missed one, and which of them are those of the labels."""
    if missed is None:
        parts = np.append(heads.labels, _MISSED), np.append(slope, prior)
        return _Spacings(*parts, np.append(heads.tied, False)), slice(0, -1)
    before = np.concatenate([slope[:1], slope[:-1]])
    between = np.where(heads.tied, slope, (slope + before) / 2)  # F is smaller higher up
    parts = np.append(_MISSED, heads.labels), np.append(missed[0], between)
    return _Spacings(*parts, np.append(missed[1], heads.tied)), slice(1, None)


def _gains(own: _Spacings) -> FloatArray:
    """What one unit of slope adds to the sum, at the mean shares."""
    share = own.parameters / own.parameters.sum()
    running = np.cumsum(share)
    before = running - share
    return np.asarray(np.where(own.tied, share * running, (running**2 - before**2) / 2))


def _error_of_others(
    setting: Setting, heads: _Heads, precision: FloatArray, rows: FloatArray, upper: bool
) -> float:
    """Standard deviation of the sum due to the rows of F that carry no label."""
    samples = setting.samples
    others = np.asarray(samples.others[0], dtype=np.float64)
    total, size_cmp = float(others.sum()), samples.sizes[1]
    weight = total / samples.total_cmp
    by_head = precision / np.maximum(rows, 1 / size_cmp) * weight
    if upper:
        by_head = by_head * _skew(heads.others, setting.level)
    below = np.append(np.cumsum(by_head[::-1])[::-1], 0.0)
    reached = below[np.searchsorted(heads.place, np.arange(others.size), side="left")]
    mean = float(weighted_sum(others, reached)) / total
    spread = float(weighted_sum(others, (reached - mean) ** 2)) + 0.5 * (below[0] - mean) ** 2
    return float(np.sqrt(spread / (total + 0.5) / (size_cmp * weight)))


def _skew(rows: FloatArray, level: float) -> FloatArray:
    """Reach of the exact lower Poisson limit of a number of rows, on the log scale, over the normal one."""
    from scipy.special import gammaincinv

    count, z = np.maximum(rows, 1.0), -normal_quantile(level)
    root, q = np.sqrt(count), z * z
    # Cornish and Fisher's expansion: for many rows as good as the search, and much faster.
    limit = count + root * z + (q - 1) / 3 + z * (q - 7) / (36 * root)
    limit -= (3 * q**2 + 7 * q - 16) / (810 * count)
    limit += z * (9 * q**2 + 256 * q - 433) / (38880 * count * root)
    limit += (12 * q**3 - 243 * q**2 - 923 * q + 1472) / (204120 * count**2)
    few = (count <= _FEW_ROWS) | (count <= 40 * q)
    limit[few] = gammaincinv(count[few], (1 - level) / 2)
    return np.asarray(np.maximum(np.log(count / limit) * root / -z, 1.0))
