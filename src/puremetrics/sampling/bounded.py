"""Limits for the mean of a bounded variable, when the sample may have missed what matters.

A sample of n rows says little about a part of the population that holds less than 1/n of it, and a variance
estimated from the sample says nothing about it at all: if 5% of the positives score below everything else, a
third of all samples of 20 labels have none of them, and are sure that there are none.

Every statistic here is a mean over a sample of values in a known range [a, b]. The lower limit is the
quantile of the mean under random weights (Dirichlet, one for each row) with one more value at a, of weight w;
the upper limit has it at b. With w = 1 and values 0 and 1 this is the Clopper–Pearson limit; for other values
it is Gaffke's bound, for which no case of too low coverage is known. The law of such a weighted mean is
replaced by the Beta law on [a, b] with its mean and variance, exact for values at the ends:

    mean     μ = (Σ x + w·e) / (n + w)
    variance  [(Σ x² + w·e²) / (n + w) − μ²] / (n + w + 1)

A weight of 1 holds for the worst of all laws and is wider than need be for most others. Here w is 0.6 of the
distance between the mean and the end, in units of the range: a value that may be missing matters in
proportion to its distance. One or two rows say nothing about their law, and w is 1; for n rows, a part (2/n)²
of the difference is added. Measured coverage is in evidence/trust_coverage.md.

The parts of a statistic that come from different samples are put together by the method of variance estimates
recovery: squared distances from the value to the limits add up on each side.

**Over folds** (`folded_reaches`). A mean over folds of statistics that are linear in the rows of their fold
has such limits, too. Fold k has labelled rows (L_k of them), other rows, and a model of its own. A statistic
that is linear there is

    v_k = mean over its labelled rows of x + (1 − λ_k) · mean over its other rows of c,

where λ_k is the share of labelled rows in the comparison sample (0 in separate samples), x = on_pos +
λ_k·on_cmp and c = on_cmp are influences (`linear_reaches`). Their mean over K folds is again a weighted mean
over labelled rows, of weight 1/(K·L_k), plus one over other rows. So limits are those of means of bounded
values, from all rows of all folds at once: folds of a few labels need no limits of their own. Scores of
different folds are never compared with each other.

Rows are centred in their fold, because what folds differ by is not what their rows vary by; a fold of one
labelled row cannot say what its rows vary by, and is centred at the mean of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.numerics.quantiles import beta_quantile, normal_quantile, small_sample
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import TwoSamples

__all__ = [
    "PART_OF_OTHERS",
    "FoldRows",
    "Span",
    "combined_limits",
    "combined_reach",
    "effective_size",
    "folded_reaches",
    "linear_reaches",
    "matched_beta_quantile",
    "mean_reaches",
    "reaches_by_part",
    "unit_reaches",
]


_WEIGHT = 0.6
_FEW = 2.0  # rows up to which the weight is 1
PART_OF_OTHERS = 0.5
_ROUNDING = 1e-24  # a spread so small beside the mean is rounding
Span = tuple[float, float]


def linear_reaches(
    samples: TwoSamples,
    on_pos: FloatArray,
    on_cmp: FloatArray,
    level: float,
    spans: tuple[Span, Span] | None = None,
) -> tuple[float, float]:
    """How far a statistic with these influences through G and F may lie below and above its estimate.

    In a single training set F holds the labelled rows, a share λ of all. What they add through both
    samples is one part, the other rows are the second, and the number of labelled rows the third:
    mean_G(on_pos + λ·on_cmp) + (1 − λ)·mean_others(on_cmp). ``spans`` are the ranges of ``on_pos +
    λ·on_cmp`` and of ``on_cmp``; by default those over the rows of the table. Other rows are many as a
    rule, and what they may have missed counts half.
    """
    parts = reaches_by_part(samples, on_pos, on_cmp, level, spans)
    return parts.reach(0), parts.reach(1)


class Parts(NamedTuple):
    """Reaches below and above due to labelled rows and due to others, and the one due to their numbers."""

    labelled: tuple[float, float]
    others: tuple[float, float]
    numbers: float

    def reach(self, side: int, others: float | None = None) -> float:
        """All parts together, below (0) or above (1); with another reach of the others, if one is given."""
        rest = self.others[side] if others is None else others
        return combined_reach(self.labelled[side], rest, self.numbers)


def reaches_by_part(
    samples: TwoSamples,
    on_pos: FloatArray,
    on_cmp: FloatArray,
    level: float,
    spans: tuple[Span, Span] | None = None,
) -> Parts:
    """The independent parts of `linear_reaches`."""
    table = samples.table
    others, squares = samples.others
    labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    both = on_pos + labelled * on_cmp if labelled else on_pos
    ranges = spans or (
        (float(both.min()), float(both.max())),
        (float(on_cmp.min()), float(on_cmp.max())),
    )
    by_pos = mean_reaches(
        samples.pos,
        both,
        samples.pos_squares if samples.weighted else None,
        level,
        ranges[0],
        size=_size_by_propensity(samples, on_pos, labelled * on_cmp),
    )
    down, up = mean_reaches(
        others, on_cmp, squares if samples.weighted else None, level, ranges[1], PART_OF_OTHERS
    )
    by_share = 0.0
    if labelled:
        error = float(np.sqrt(labelled * (1 - labelled) / samples.sizes[1]))
        apart = weighted_sum(table.n_pos, on_cmp) / samples.total_pos
        apart -= weighted_sum(others, on_cmp) / float(others.sum())
        by_share = normal_quantile(level) * error * abs(apart)
    return Parts(by_pos, ((1 - labelled) * down, (1 - labelled) * up), by_share)


def _size_by_propensity(
    samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray
) -> float | None:
    """Effective number of labelled rows where each has one weight in G and another one in F.

    That many rows of equal weight would make the mean of both influences vary as much as it does.
    """
    if not (samples.one_sample and samples.table.has_propensities):
        return None
    counts, total, plain = samples.pos, samples.total_pos, samples.table.n_pos
    both = on_pos + on_cmp
    first = on_pos - weighted_sum(counts, on_pos) / total
    second = on_cmp - weighted_sum(plain, on_cmp) / total
    spread = weighted_sum(counts, (both - weighted_sum(counts, both) / total) ** 2) / total
    error = weighted_sum(samples.pos_squares, first**2)
    error += 2 * weighted_sum(samples.products, first * second)
    error += weighted_sum(samples.own_squares, second**2)
    size = max(float(np.abs(on_pos).max()), float(np.abs(on_cmp).max()))
    if error <= 0 or spread <= (1e-9 * size) ** 2:  # nothing varies but by rounding
        return samples.sizes[0]
    return max(spread * total**2 / error, 1.0)


def mean_reaches(
    counts: CountArray,
    values: FloatArray,
    squares: CountArray | None,
    level: float,
    span: Span = (0.0, 1.0),
    part: float = 1.0,
    size: float | None = None,
) -> tuple[float, float]:
    """How far the mean of bounded values may lie below and above that of the sample.

    ``counts`` are (weighted) numbers of rows with each value, ``squares`` the sums of squared weights if
    there are weights; ``span`` is the range of the values, ``part`` a factor on the weight of the value
    that may be missing, ``size`` the effective number of rows if it is known.
    """
    low, high = span
    total, width = float(counts.sum()), high - low
    if width <= 0 or total <= 0:
        return 0.0, 0.0
    mean = (weighted_sum(counts, values) / total - low) / width
    spread = weighted_sum(counts, ((values - low) / width - mean) ** 2) / total
    size = effective_size(counts, values, squares) if size is None else size
    below, above = unit_reaches(mean, spread, size, level, part)
    return float(below) * width, float(above) * width


def unit_reaches(mean: Any, spread: Any, size: Any, level: float, part: float) -> tuple[Any, Any]:
    """Reaches from mean and variance of samples of values in [0, 1]; numbers, or arrays of many samples."""
    few = np.minimum(1.0, _FEW / size) ** 2
    reaches = []
    for end, tail in ((0.0, (1 - level) / 2), (1.0, (1 + level) / 2)):
        weight = part * (few + (1 - few) * _WEIGHT * abs(end - mean))
        rows = size + weight
        centre = (size * mean + weight * end) / rows
        square = (size * (spread + mean**2) + weight * end**2) / rows
        variance = np.maximum(square - centre**2, 0.0) / (rows + 1)
        limit = matched_beta_quantile(centre, variance, tail)
        reaches.append(np.maximum((mean - limit) if end == 0.0 else (limit - mean), 0.0))
    return reaches[0], reaches[1]


def effective_size(counts: CountArray, values: FloatArray, squares: CountArray | None) -> float:
    """Number of equally weighted rows whose mean would vary as much as the weighted one.

    Weights that depend on the value make a difference that Kish's number, a function of the weights
    alone, does not see; it is used where all values are equal.
    """
    total = float(counts.sum())
    if squares is None:
        return total
    mean = weighted_sum(counts, values) / total
    apart = (values - mean) ** 2
    spread, error = weighted_sum(counts, apart) / total, weighted_sum(squares, apart) / total**2
    if error <= 0 or spread <= _ROUNDING * mean**2:
        return total**2 / float(squares.sum())
    return max(spread / error, 1.0)


def matched_beta_quantile(mean: Any, variance: Any, tail: float) -> Any:
    """Quantile of the Beta law with this mean and variance; numbers, or arrays."""
    mean = np.clip(mean, 0.0, 1.0)
    varies = (variance > 0) & (mean > 0.0) & (mean < 1.0)
    size = np.where(varies, mean * (1 - mean) / np.where(varies, variance, 1.0) - 1, 1.0)
    known = varies & (size > 0)
    first, second = np.where(known, mean * size, 1.0), np.where(known, (1 - mean) * size, 1.0)
    found = np.where(known, beta_quantile(first, second, tail), 0.0 if tail < 0.5 else 1.0)
    found = np.where(varies, found, mean)
    return found if found.ndim else float(found)


def combined_reach(*parts: float) -> float:
    """One reach from those of independent parts."""
    return float(np.sqrt(sum([part**2 for part in parts])))


def combined_limits(centre: Any, limits: tuple[Any, Any], down: Any, up: Any) -> tuple[Any, Any]:
    """Limits around a centre that allow for one more independent error, which reaches so far down and up."""
    below = np.hypot(np.maximum(centre - limits[0], 0.0), np.maximum(down, 0.0))
    above = np.hypot(np.maximum(limits[1] - centre, 0.0), np.maximum(up, 0.0))
    return centre - below, centre + above


@dataclass(frozen=True)
class FoldRows:
    """Influences of the rows of one fold, and the share of labelled rows in its comparison sample."""

    labelled: FloatArray  # on_pos of its labelled rows
    labelled_cmp: FloatArray  # on_cmp of them
    others: FloatArray  # on_cmp of the other rows of F
    one_sample: bool

    @property
    def share(self) -> float:
        """λ, the share of labelled rows in F."""
        size = self.labelled.size
        return size / (size + self.others.size) if self.one_sample else 0.0

    @property
    def both(self) -> FloatArray:
        """What a labelled row adds, up to the number of them."""
        return self.labelled + self.share * self.labelled_cmp

    @property
    def by_share(self) -> float:
        """Variance that comes from the number of labelled rows in F."""
        if not self.one_sample:
            return 0.0
        apart = float(self.labelled_cmp.mean() - self.others.mean())
        rows = self.labelled.size + self.others.size
        return self.share * (1 - self.share) / rows * apart**2


def folded_reaches(
    folds: list[FoldRows],
    level: float,
    spans: tuple[Span, Span],
    effect: tuple[float, float] = (1.0, 1.0),
) -> tuple[float, float]:
    """How far the mean over folds may lie below and above its estimate.

    ``spans`` are the ranges of x and of c, ``effect`` the design effects of labelled and of other rows.
    """
    count = len(folds)
    by_pos = _reaches([fold.both for fold in folds], [1.0] * count, level, spans[0], 1.0, effect[0])
    left = [1 - fold.share for fold in folds]
    by_others = _reaches(
        [fold.others for fold in folds], left, level, spans[1], PART_OF_OTHERS, effect[1]
    )
    labelled = sum(fold.labelled.size for fold in folds)
    rest = sum(fold.others.size for fold in folds)
    grown = (labelled * effect[0] + rest * effect[1]) / (labelled + rest)
    by_share = normal_quantile(level) * np.sqrt(sum(f.by_share for f in folds) * grown) / count
    kept = sum(left) / count
    low, high = (
        combined_reach(a, kept * b, float(by_share)) for a, b in zip(by_pos, by_others, strict=True)
    )
    return low, high


def _reaches(
    folds: list[FloatArray],
    shares: list[float],
    level: float,
    span: Span,
    part: float,
    effect: float,
) -> tuple[float, float]:
    """Reaches of the weighted mean over folds of the means of their rows."""
    means = np.array([values.mean() for values in folds])
    middle = float(np.average(means, weights=shares))
    size = sum(values.size for values in folds)
    whole = small_sample(size)
    centred, weights = [], []
    for values, mean, share in zip(folds, means, shares, strict=True):
        own = (values - mean) * (small_sample(values.size) / whole)
        centred.append(own + middle if values.size > 1 else values)
        weights.append(np.full(values.size, share * size / (len(folds) * values.size)))
    values, weight = np.concatenate(centred), np.concatenate(weights)
    rows = effective_size(weight, values, weight**2) / effect
    return mean_reaches(weight, values, None, level, span, part, max(rows, 1.0))
