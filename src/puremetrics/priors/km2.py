"""KM2: the mixture proportion by kernel mean embedding.

Paper: Ramaswamy, Scott, Tewari 2016. With φ the mean embedding in the space of a Gaussian kernel,
the negatives are G = λF + (1 − λ)H for F the unlabeled, H the labelled and λ = 1/(1 − a). Let d(λ)
be the distance of λ φ(F) + (1 − λ) φ(H) to the embeddings of probability distributions on the
sample. d is convex, near zero up to λ* = 1/(1 − a*) and rises linearly beyond; KM2 finds where its
slope passes a threshold. Here the threshold is half of the slope that d has for large λ.

Deviations: features are standardised and the kernel width is the median distance (the paper chooses
among several by the distance of the two means); the squared distance is minimised over the simplex
by accelerated projected gradients; each sample is thinned to at most 250 rows at random, because
the cost is O(rows²) memory and O(rows³) time in the paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.priors.samples import ShareFit

__all__ = ["km2"]

_MOST = 250
_LAMBDAS = 1 / (1 - np.linspace(0.0, 0.95, 16))
_STEPS = 150


def km2(features: FloatArray, labelled: BoolArray, rng: np.random.Generator) -> ShareFit:
    """Share of positives among the unlabeled by the slope of a kernel distance.

    The objective is d(λ) over the share a = 1 − 1/λ.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> features = np.concatenate([rng.normal(4, 1, (260, 2)), rng.normal(0, 1, (140, 2))])
    >>> labelled = np.arange(400) < 200
    >>> 0.2 < km2(features, labelled, rng).share < 0.45  # the truth is 0.3
    True
    """
    pos = _thinned(np.flatnonzero(labelled), rng)
    unl = _thinned(np.flatnonzero(~labelled), rng)
    chosen = features[np.concatenate([unl, pos])]
    spread = chosen.std(axis=0)
    scaled = (chosen - chosen.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    squares = (scaled**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * scaled @ scaled.T, 0.0)
    kernel = np.exp(-distance / max(float(np.median(distance)), 1e-12))
    mean_unl = np.where(np.arange(len(chosen)) < unl.size, 1 / unl.size, 0.0)
    mean_pos = np.where(np.arange(len(chosen)) < unl.size, 0.0, 1 / pos.size)
    step = 1 / float(np.linalg.eigvalsh(kernel)[-1])
    weights = mean_unl.copy()
    distances = []
    for multiple in _LAMBDAS:
        target = multiple * mean_unl + (1 - multiple) * mean_pos
        weights = _nearest(kernel, target, weights, step)
        gap = weights - target
        distances.append(float(np.sqrt(max(gap @ kernel @ gap, 0.0))))
    found = np.array(distances)
    slopes = np.diff(found) / np.diff(_LAMBDAS)
    shares = 1 - 1 / _LAMBDAS
    middles = 1 - 2 / (_LAMBDAS[1:] + _LAMBDAS[:-1])
    threshold = slopes[-1] / 2
    above = np.flatnonzero(slopes >= threshold)
    first = int(above[0])
    if first == 0:
        share = float(middles[0])
    else:
        part = (threshold - slopes[first - 1]) / (slopes[first] - slopes[first - 1])
        share = float(middles[first - 1] + part * (middles[first] - middles[first - 1]))
    return ShareFit(share, shares, found)


def _thinned(rows: Any, rng: np.random.Generator) -> Any:
    return rows if rows.size <= _MOST else rng.choice(rows, _MOST, replace=False)


def _nearest(kernel: FloatArray, target: FloatArray, start: FloatArray, step: float) -> FloatArray:
    """Weights on the simplex whose embedding is nearest to that of the target."""
    weights, ahead, pace = start, start, 1.0
    for _ in range(_STEPS):
        new = _on_simplex(ahead - step * (kernel @ (ahead - target)))
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = new + (pace - 1) / faster * (new - weights)
        weights, pace = new, faster
    return weights


def _on_simplex(values: FloatArray) -> FloatArray:
    """Euclidean projection onto the probability simplex."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, values.size + 1)
    last = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(values - excess[last], 0.0))
