"""AlphaMax: the largest share at which a mixture likelihood has not yet begun to fall.

Papers: Jain, White, Trosset, Radivojac 2016 (AlphaMax); Jain, White, Radivojac 2016 (AlphaMax-N).

Both samples become histograms on shared bins: w_i the share of the unlabeled in bin i, v_i that of
the labelled. A candidate share c splits w into positives b (0 ≤ b_i ≤ w_i, Σ b_i = c) and the rest,
and

    L(c) = max over b of  Σ v_i log(b_i / c) + Σ w_i log(w_i − b_i + c v_i):

the first term fits the labelled by b / c, the second the unlabeled by c times the labelled plus the
rest. L is constant while c can be carved out of the unlabeled in the labelled's shape, and falls
beyond: the elbow is the answer.

The problem is separable and concave. With T_i = w_i + c v_i and one multiplier λ, stationarity is
v_i / b_i − w_i / (T_i − b_i) = λ, a quadratic in b_i; b_i falls in λ, so λ is found by bisection,
for all candidates at once. No optimiser is involved.

Deviations. (1) Bins follow the labelled ranks instead of equal widths (Scott's rule), so L depends
on ranks only. (2) The published elbow rule compares slopes on either side and cannot answer below
0.10 or above 0.89. Ours is a likelihood ratio against the plateau, D(c) = 2 N(c) (L(plateau) −
L(c)), on a grid even in logits from 0.0005 to 0.997. In a bin without negatives w_i − c v_i is
noise of variance c v_i (1/n + c/m); expanding L to second order, N(c) = c / ((1 + c)(1/n + c/m))
makes the cost of one such bin a χ² of one degree where the noise is negative. With k(c) bins that
may hold no negatives D would have mean k/2 at the true share if bins were free; they share Σ b_i =
c, and simulation (separations of 4 σ, shares 0.02 to 0.8) gives mean 0.7 to 0.9 k and variance 2 to
3 k. The answer is the largest c with D(c) ≤ 0.75 k(c). (3) A bin that holds labelled rows but no
unlabeled one would make L minus infinity. Such a zero is one of sampling, and the bin is merged with
its neighbour. With exchanged roles (AlphaMax-N) it says that labels are clean: the bulk of the
unlabeled has no place among the labelled. There it gets half a row; merging would hide it.
"""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.priors.lookalikes import noisy_fit
from puremetrics.priors.samples import Samples, ShareFit, rank_edges

__all__ = ["alphamax", "alphamax_n", "alphamax_objective", "likelihood_ratio_limits"]

_GRID = 1 / (1 + np.exp(-np.linspace(-7.6, 5.8, 135)))
_BISECTIONS = 100


def alphamax(samples: Samples) -> ShareFit:
    """Share of positives among the unlabeled, at the elbow of L.

    Parameters
    ----------
    samples : Samples

    Notes
    -----
    Costs 135 candidates × about 40 bins × 100 bisections, whatever the number of rows: some 30 ms.

    Examples
    --------
    >>> pos, unl = np.array([6.0, 3, 1]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> fit = alphamax(samples)
    >>> 0.05 < fit.share < 0.2
    True
    """
    return _elbow(*_bins(samples))


def alphamax_n(samples: Samples) -> ShareFit:
    """Share of positives and purity of the labels together, from two runs with exchanged roles.

    With a1 the share of the labelled's distribution in the unlabeled and 1 − l that of the
    unlabeled's in the labelled, prior = a1 l / (1 − a1 (1 − l)) and purity = l / (1 − a1 (1 − l)).
    Needs mutual irreducibility: neither class may hide inside the other.

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> 0.5 < alphamax_n(samples).purity <= 1
    True
    """
    component, mixture = _bins(samples.swapped())
    mixture = np.where((mixture == 0) & (component > 0), 0.5, mixture)
    return noisy_fit(alphamax(samples), _elbow(component, mixture))


def likelihood_ratio_limits(
    samples: Samples, fit: ShareFit, quantile: float
) -> tuple[float, float]:
    """Limits from the likelihood ratio against the plateau.

    The limits are where D exceeds its mean at the true share, or falls short of it, by ``quantile``
    standard deviations; they are at least the binomial error of both samples away from the answer.
    """
    assert fit.objective is not None
    pos, unl = _bins(samples)
    low = min(_crossing(_excess(pos, unl, fit.objective, -quantile)), fit.share)
    error = fit.share * (1 - fit.share) / samples.size_unl + fit.share**2 / samples.size_pos
    reach = quantile * float(np.sqrt(error))
    high = max(_crossing(_excess(pos, unl, fit.objective, quantile)), fit.share + reach)
    return max(min(low, fit.share - reach), 0.0), min(high, 1.0)


def alphamax_objective(mixture: FloatArray, component: FloatArray, grid: FloatArray) -> FloatArray:
    """L(c) on a grid of shares, from histograms that each sum to one.

    Parameters
    ----------
    mixture, component : ndarray, shape (k,)
        w and v: shares of the unlabeled and of the labelled per bin.
    grid : ndarray, shape (g,)
        Candidate shares, each strictly between 0 and 1.

    Notes
    -----
    Bins with v_i > 0 but w_i = 0 admit no positive mass: b_i = 0 and L would be minus
    infinity. They are merged into the previous bin (the same happens to bins in which both are
    empty).
    """
    w, v = _merge_empty(mixture, component)
    c = np.asarray(grid, dtype=np.float64)[:, None]
    total = w + c * v
    low, high = -2.0 / (1 - c) - 2.0, 1.0 / c + 1.0
    while np.any(short := _mass(low, w, v, total).sum(axis=1, keepdims=True) < c):
        low = np.where(short, 4 * low, low)
        if low.min() < -1e12:
            break
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        too_much = _mass(middle, w, v, total).sum(axis=1, keepdims=True) > c
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    b = _mass((low + high) / 2, w, v, total)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(v > 0, v * np.log(b / c), 0.0)
    return np.asarray(first.sum(axis=1) + (w * np.log(total - b)).sum(axis=1))


def _mass(multiplier: FloatArray, w: FloatArray, v: FloatArray, total: FloatArray) -> FloatArray:
    """b_i for a multiplier: the root of the quadratic within [0, w_i]."""
    middle = multiplier * total + v + w
    root = np.sqrt(np.maximum(middle**2 - 4 * multiplier * v * total, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Two forms of the same root: each is free of cancellation where the other is not.
        b = np.where(
            middle >= 0, 2 * v * total / (middle + root), (middle - root) / (2 * multiplier)
        )
        empty = np.where(multiplier < 0, w * (1 + 1 / multiplier), 0.0)
    return np.clip(np.where(v > 0, b, empty), 0.0, w)


def _merge_empty(mixture: FloatArray, component: FloatArray) -> tuple[FloatArray, FloatArray]:
    filled = mixture > 0
    if filled.all():
        return mixture, component
    place = np.maximum(np.cumsum(filled) - 1, 0)
    merged = np.zeros((2, int(filled.sum())))
    np.add.at(merged[0], place, mixture)
    np.add.at(merged[1], place, component)
    return merged[0], merged[1]


def _elbow(pos: FloatArray, unl: FloatArray) -> ShareFit:
    curve = alphamax_objective(unl / unl.sum(), pos / pos.sum(), _GRID)
    return ShareFit(_crossing(_excess(pos, unl, curve, 0.0)), _GRID, curve)


def _bins(samples: Samples) -> tuple[FloatArray, FloatArray]:
    pos, unl, _ = rank_edges(samples, 0.3, float(np.clip(samples.size_pos / 12, 1.0, 10.0)))
    return pos, unl


def _excess(pos: FloatArray, unl: FloatArray, curve: FloatArray, quantile: float) -> FloatArray:
    """D(c) minus its mean and ``quantile`` standard deviations at the true share."""
    m, n = float(pos.sum()), float(unl.sum())
    noise = 1 / n + _GRID / m
    falling = np.maximum.accumulate(curve[::-1])[::-1]
    ratio = 2 * _GRID / ((1 + _GRID) * noise) * (falling[0] - falling)
    component = _GRID[:, None] * (pos / m)
    rest = unl / n - component
    free = (rest < 2 * np.sqrt(component * noise[:, None])).sum(axis=1)
    bins = np.maximum(free, 1)
    return np.asarray(ratio - np.maximum(0.75 * bins + quantile * np.sqrt(3.0 * bins), 0.02))


def _crossing(excess: FloatArray) -> float:
    """Largest share on the grid with excess <= 0, interpolated; 0 if even the first is above."""
    inside = np.flatnonzero(excess <= 0)
    if not inside.size:
        return 0.0
    last = int(inside[-1])
    if last == excess.size - 1:
        return float(_GRID[-1])
    part = -excess[last] / (excess[last + 1] - excess[last])
    return float(_GRID[last] + part * (_GRID[last + 1] - _GRID[last]))
