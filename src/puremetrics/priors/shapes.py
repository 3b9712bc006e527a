"""Share of positives by a likelihood averaged over many possible shapes of the negatives.

Model. On the scale on which labelled scores are uniform (``v``: share of the labelled above a
score; so only ranks matter) the unlabeled have density g(v) = a + (1 − a) h(v), with h the density
of the negatives. Without a restriction on h only the largest a is identified. Here h belongs to a
few hundred candidate shapes, all zero at the top (irreducible) and rising:

- normal: one or two normals of unit width, shifted down by 0.5 to 6 on the labelled normal scale
  (the binormal ROC model, and mixtures of two);
- power: v ↦ ((v − t)/(1 − t))₊^k, negatives that are absent from the top share t of the labelled;
- convex: mixtures of two triangles ((v − t)/(1 − t))₊² or of one and a far group below all
  labelled.

Each row of the pooled samples is a trial, labelled or not, given its bin: L(a, h) = Σ U_i log g_i −
(P_i + U_i) log(m + n g_i), which carries the sampling error of both samples. With a prior density 2 (1 − a)
of a (shares near 1 are rare), equal weight on the three families and on the members of each, the posterior
of a follows by summation; its mean is the answer and its quantiles are the interval. The two-group model with
known null distribution is that of local false discovery rates (Efron 2004); the labelled take the
place of the null.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.priors.samples import Samples, rank_edges

__all__ = ["SharePosterior", "labelled_bins", "share_posterior"]

_SHIFTS = np.array([0.5, 0.75, 1.0, 1.3, 1.6, 2.0, 2.4, 2.8, 3.3, 4.0, 5.0, 6.0])
_NORMAL_MIX = (0.25, 0.5, 0.75)
_POWER_STARTS = np.arange(10) / 10
_POWERS = (1.5, 2.0, 3.0, 4.5, 7.0, 12.0, 25.0, 80.0)
_CONVEX_STARTS = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.87, 0.94, 0.98])
_CONVEX_MIX = (0.1, 0.25, 0.5, 0.75, 0.9)
_COARSE = 1 / (1 + np.exp(-np.linspace(-9.0, 6.0, 101)))
_FINE_POINTS = 81
_NEGLIGIBLE = 1e-7
_EMPTY = 1e-12  # density of a bin without negatives


@dataclass(frozen=True)
class SharePosterior:
    """Posterior of the share: grid, log density (largest is 0) and cumulative mass."""

    share: FloatArray = field(repr=False)
    log_density: FloatArray = field(repr=False)
    mass_below: FloatArray = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean of the posterior."""
        middle = (self.share[1:] + self.share[:-1]) / 2
        return float(np.sum(np.diff(self.mass_below) * middle))

    def quantile(self, level: float) -> float:
        """Share below which the posterior has ``level`` of its mass."""
        return float(np.interp(level, self.mass_below, self.share))


def labelled_bins(samples: Samples) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bins for the default: steps of 0.2 in the normal quantile, eight labelled rows or more in each."""
    return rank_edges(samples, 0.2, float(np.clip(samples.size_pos / 12, 1.0, 8.0)))


def share_posterior(pos: FloatArray, unl: FloatArray, above: FloatArray) -> SharePosterior:
    """Posterior of the share of positives among the unlabeled, averaged over the shapes.

    Parameters
    ----------
    pos, unl, above : ndarray
        Bins as `labelled_bins` gives them.
    """
    ratio, log_prior = _shape_ratios(above)
    rows, shapes = _worth_a_look(pos, unl, ratio)
    ratio, log_prior = ratio[shapes], log_prior[shapes]
    scores = np.full((_COARSE.size, ratio.shape[0]), -np.inf)
    scores[rows] = _log_likelihood(pos, unl, ratio, _COARSE[rows]) + log_prior
    scores += np.log(_COARSE * (1 - _COARSE))[:, None]  # the grid is even in logits, the prior in a
    weights = np.exp(scores - scores.max())
    shape_mass, share_mass = weights.sum(axis=0), weights.sum(axis=1)
    alive = shape_mass > _NEGLIGIBLE * shape_mass.max()
    seen = np.flatnonzero(share_mass > _NEGLIGIBLE * share_mass.max())
    first, last = max(seen[0] - 1, 0), min(seen[-1] + 1, _COARSE.size - 1)
    ends = np.log(_COARSE[[first, last]] / (1 - _COARSE[[first, last]]))
    fine = 1 / (1 + np.exp(-np.linspace(ends[0], ends[1], _FINE_POINTS)))
    scores = _log_likelihood(pos, unl, ratio[alive], fine) + log_prior[alive]
    peak = scores.max(
        axis=1
    )  # of each share: far from the best one, all shapes may be beyond the floats
    log_density = peak + np.log(np.exp(scores - peak[:, None]).sum(axis=1))
    log_density += np.log1p(-fine)
    log_density -= log_density.max()
    steps = np.diff(fine) * (np.exp(log_density[1:]) + np.exp(log_density[:-1])) / 2
    mass = np.concatenate([[0.0], np.cumsum(steps)])
    return SharePosterior(fine, log_density, mass / mass[-1])


def _worth_a_look(pos: FloatArray, unl: FloatArray, ratio: FloatArray) -> tuple[Any, Any]:
    """Shares and shapes that may matter: a look in single precision tells most of them apart.

    What falls short of the best by more than 60 and the rounding errors weighs less than 1e-26.
    """
    rough = _log_likelihood(pos, unl, ratio, _COARSE, np.float32)
    least = rough.max() - 60.0 - 1e-5 * float(pos.sum() + unl.sum())
    near = rough > least
    return np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))


def _log_likelihood(
    pos: FloatArray,
    unl: FloatArray,
    ratio: FloatArray,
    shares: FloatArray,
    kind: Any = np.float64,
) -> FloatArray:
    """L(a, h) for every share (rows) and shape (columns).

    Many shapes have no negatives at all in the upper bins; there the mixture is the share alone.
    """
    labelled, unlabeled = float(pos.sum()), float(unl.sum())
    both = pos + unl
    odds = unlabeled / labelled
    shape, column = np.nonzero(ratio > _EMPTY)
    filled, in_unl, in_both = (
        part.astype(kind) for part in (ratio[shape, column], unl[column], both[column])
    )
    size = ratio.shape[0]
    rest_unl = unl.sum() - np.bincount(shape, in_unl, minlength=size)
    rest_both = both.sum() - np.bincount(shape, in_both, minlength=size)
    result = np.empty((shares.size, size))
    for row, share in enumerate(shares):  # one share at a time keeps memory at shapes x bins
        mixed = kind(share) + kind(1 - share) * filled
        terms = in_unl * np.log(mixed) - in_both * np.log(kind(odds) * mixed + kind(1.0))
        alone = share + (1 - share) * _EMPTY
        result[row] = np.bincount(shape, terms, minlength=size)
        result[row] += rest_unl * np.log(alone) - rest_both * np.log(odds * alone + 1.0)
    return result


def _shape_ratios(above: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Density h per bin for every shape, and the log prior weight of each shape."""
    families = [_normal_shapes(above), _power_shapes(above), _convex_shapes(above)]
    masses = np.concatenate(families)
    weights = np.concatenate([np.full(len(family), 1 / len(family)) for family in families])
    return np.maximum(masses / np.diff(above), _EMPTY), np.log(weights)


def _normal_shapes(above: FloatArray) -> FloatArray:
    from scipy.special import ndtr, ndtri

    single = np.diff(ndtr(ndtri(above) - _SHIFTS[:, None]), axis=1)
    return _with_mixtures(single, _NORMAL_MIX)


def _power_shapes(above: FloatArray) -> FloatArray:
    start = _POWER_STARTS[:, None]
    risen = np.maximum((above - start) / (1 - start), 0.0)
    return np.concatenate([np.diff(risen**power, axis=1) for power in _POWERS])


def _convex_shapes(above: FloatArray) -> FloatArray:
    start = _CONVEX_STARTS[:, None]
    triangles = np.diff(np.maximum((above - start) / (1 - start), 0.0) ** 2, axis=1)
    far = np.zeros((1, above.size - 1))
    far[0, -1] = 1.0
    return _with_mixtures(np.concatenate([triangles, far]), _CONVEX_MIX)


def _with_mixtures(single: FloatArray, mix: tuple[float, ...]) -> FloatArray:
    first, second = (
        np.array(side) for side in zip(*combinations(range(len(single)), 2), strict=True)
    )
    mixed = [part * single[first] + (1 - part) * single[second] for part in mix]
    return np.concatenate([single, *mixed])
