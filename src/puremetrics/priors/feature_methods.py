"""Two methods that work on features: KM2 and TIcE.

**KM2** (`km2`), the mixture proportion by kernel mean embedding. Paper: Ramaswamy, Scott, Tewari 2016. With φ
the mean embedding in the space of a Gaussian kernel, the negatives are G = λF + (1 − λ)H for F the unlabeled,
H the labelled and λ = 1/(1 − a). Let d(λ) be the distance of λ φ(F) + (1 − λ) φ(H) to the embeddings of
probability distributions on the sample. d is convex, near zero up to λ* = 1/(1 − a*) and rises linearly
beyond; the paper finds where its slope passes a threshold: KM2 1/√(size of the smaller sample), KM1 0.8
d(1.05)/0.05 + 0.2 ‖φ(F) − φ(H)‖. Here it is the smaller of the two. KM2's alone errs upwards with few labels.
On 18 real samples (100 and 1000 labels, priors from 0.05) the mean absolute error of the prior was 0.089 with
KM2's threshold, 0.070 with KM1's and 0.075 with the smaller one. Half the slope at large λ, which stood here
before, had 0.098; on 38 samples of five other sets it had 0.105, and the smaller threshold has 0.079. The
gain is at small priors; at one half it was no better (on those five sets 0.085 against 0.075 with 100 labels,
0.081 against 0.078 with 1000).

Deviations: features are standardised and the kernel width is the median distance (the paper chooses among
five by the distance of the two means, which was no better); the squared distance is minimised over the
simplex by accelerated projected gradients, and the slope is its derivative at the minimum; each sample is
thinned to at most 250 rows at random, because the cost is O(rows²) memory and O(rows³) time in the paper (500
rows were no better).

**TIcE** (`tice`), tree induction for the label frequency. Paper: Bekker, Davis 2018. In any part of the
feature space the share of labelled rows is at most the label frequency c (equal where all rows are positive),
so every part gives a lower bound: with T rows of which L are labelled,

    c ≥ L/T − √(c (1 − c)(1 − δ) / (δ T)),   δ = max(0.025, 1 / (1 + 0.004 T_all)).

A tree grown on one fold seeks parts rich in labels; the bound is taken on the other folds. Two rounds: c in
the root starts at 1/2, then at the first answer. Deviations: splits are at quartiles of the node (the paper
splits [0, 1] into equal parts), and nodes are opened best first by (L)/(T + 5), at most 200 of them. They do
not hurt: on one sample of each of ten sets the mean error of the share is 0.143, and 0.165 with the paper's
tree (equal parts, a feature once in a path, nodes opened by their bound, 500 of them, ten rows or more in a
part).

Errors are larger than in print, probably because labels are few: nearly all of the error is upwards, as that
of a bound. δ falls with all rows, to 0.025, while the rows of a pure part are at most the positives. With 200
positives among 10,000 rows, half of them labelled, a perfect split gives c = 0.30 instead of 0.5, and 1.7
times the prior.

A lower bound of c is an upper bound of the share of positives: a = m (1 − c) / (c n).
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.priors.samples import UPPER_BOUND, ShareFit

__all__ = ["km2", "tice"]


_MOST = 250
_LAMBDAS = 1 / (1 - np.concatenate([np.linspace(0.02, 0.5, 13), np.linspace(0.56, 0.95, 8)]))
_FIRST = 1.05  # d there tells how fast it rises from noise alone
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
    is_unl = np.arange(len(chosen)) < unl.size
    mean_unl = np.where(is_unl, 1 / unl.size, 0.0)
    apart = np.where(is_unl, 1 / unl.size, -1 / pos.size)
    across = kernel @ apart
    step = 1 / float(np.linalg.eigvalsh(kernel)[-1])
    weights = mean_unl.copy()
    distances, slopes = [], []
    for multiple in (_FIRST, *_LAMBDAS):
        target = mean_unl + (multiple - 1) * apart
        weights = _nearest(kernel, target, weights, step)
        gap = target - weights
        distances.append(float(np.sqrt(max(gap @ kernel @ gap, 1e-300))))
        slopes.append(float(gap @ across) / distances[-1])
    first = 0.8 * distances[0] / (_FIRST - 1) + 0.2 * np.sqrt(max(float(apart @ across), 0.0))
    threshold = min(first, 1 / np.sqrt(min(pos.size, unl.size)))
    shares = 1 - 1 / _LAMBDAS
    share = float(np.interp(threshold, np.maximum.accumulate(slopes[1:]), shares))
    found = np.array(distances[1:])
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


_FOLDS = 5
_OPENED = 200
_ROUNDS = 2


def tice(features: FloatArray, labelled: BoolArray, rng: np.random.Generator) -> ShareFit:
    """Share of positives among the unlabeled from lower bounds on the label frequency.

    O(folds × nodes × rows × features). The result is an upper bound in the sense of the paper.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> positive = rng.random(2000) < 0.4
    >>> features = rng.normal(size=(2000, 1)) + 6 * positive[:, None]
    >>> labelled = positive & (rng.random(2000) < 0.5)
    >>> share = tice(features, labelled, rng).share
    >>> 0.2 < share < 0.4  # the truth is 0.25
    True
    """
    rows = labelled.size
    fold = rng.permutation(rows) % _FOLDS
    nodes = [_counts_of_nodes(features, labelled, fold == k) for k in range(_FOLDS)]
    frequency = 0.5
    for _ in range(_ROUNDS):
        bounds = []
        for total, found in nodes:
            delta = max(0.025, 1 / (1 + 0.004 * total[0]))
            spread = np.sqrt(frequency * (1 - frequency) * (1 - delta) / (delta * total))
            bounds.append(float(np.max(found / total - spread)))
        floor = float(labelled.mean())  # the root: no fewer are labelled than that
        frequency = float(np.clip(np.mean(bounds), floor, 1.0))
    size_pos = float(labelled.sum())
    share = size_pos * (1 - frequency) / (frequency * (rows - size_pos))
    return ShareFit(min(share, 1.0), status=UPPER_BOUND)


def _counts_of_nodes(
    features: FloatArray, labelled: BoolArray, grow: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Rows and labelled rows outside the growing fold, in every node of a tree grown on it."""
    root = (np.flatnonzero(grow), np.flatnonzero(~grow))
    total, found = [root[1].size], [int(labelled[root[1]].sum())]
    queue: list[tuple[float, int, Any]] = [(0.0, 0, root)]
    made = 0
    for _ in range(_OPENED):
        if not queue:
            break
        _, _, (inside, outside) = heapq.heappop(queue)
        split = _best_split(features[inside], labelled[inside])
        if split is None:
            continue
        column, threshold = split
        for upper in (False, True):
            left = inside[(features[inside, column] > threshold) == upper]
            right = outside[(features[outside, column] > threshold) == upper]
            if right.size == 0 or not labelled[left].any():
                continue
            total.append(right.size)
            found.append(int(labelled[right].sum()))
            made += 1
            priority = -float(labelled[left].sum()) / (left.size + 5)
            heapq.heappush(queue, (priority, made, (left, right)))
    return np.array(total, dtype=np.float64), np.array(found, dtype=np.float64)


def _best_split(features: FloatArray, labelled: BoolArray) -> tuple[int, float] | None:
    """The split whose better side is richest in labels."""
    if labelled.size < 10 or not labelled.any():
        return None
    best: tuple[float, int, float] | None = None
    for column in range(features.shape[1]):
        values = features[:, column]
        for threshold in np.unique(np.quantile(values, [0.25, 0.5, 0.75])):
            upper = values > threshold
            rows = np.array([upper.sum(), (~upper).sum()])
            if rows.min() == 0:
                continue
            found = np.array([labelled[upper].sum(), labelled[~upper].sum()])
            gain = float(np.max(found / (rows + 5)))
            if best is None or gain > best[0]:
                best = (gain, column, float(threshold))
    return None if best is None else best[1:]
