"""Limits for a mean over folds of statistics that are linear in the rows of their fold.

Fold k has labelled rows (L_k of them), other rows, and a model of its own. A statistic that is linear there
is

    v_k = mean over its labelled rows of x + (1 − λ_k) · mean over its other rows of c,

where λ_k is the share of labelled rows in the comparison sample (0 in separate samples), x = on_pos +
λ_k·on_cmp and c = on_cmp are influences (`sampling.bounded.linear_reaches`). Their mean over K folds is
again a weighted mean over labelled rows, of weight 1/(K·L_k), plus one over other rows. So limits are those
of means of bounded values, from all rows of all folds at once: folds of a few labels need no limits of
their own. Scores of different folds are never compared with each other.

Rows are centred in their fold, because what folds differ by is not what their rows vary by; a fold of one
labelled row cannot say what its rows vary by, and is centred at the mean of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.quantiles import normal_quantile, small_sample
from puremetrics.sampling.bounded import (
    PART_OF_OTHERS,
    Span,
    combined_reach,
    effective_size,
    mean_reaches,
)

__all__ = ["FoldRows", "folded_reaches"]


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
