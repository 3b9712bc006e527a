"""Limits of the number of latent positives in a head, by every band; `bands` says what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray

__all__ = ["BAND_METHODS", "LatentLimits", "rate_limits"]

_AT_ONCE = 20_000  # heads times numbers of latent rows
BAND_METHODS = ("exact", "bootstrap", "clopper_pearson", "dkw")


class LatentLimits:
    """Limits of the number of latent positives in a head, for one band at one level.

    A head is described by how many of the n known rows it holds. For the exact band the limits of all
    n + 1 possible heads are computed at once and kept as long as this object is: the curves, areas and
    metrics of one table ask for the same ones.
    """

    def __init__(self, known: int, method: str, level: float, simultaneous: bool = False) -> None:
        self.known = known
        self.method = method
        self.level = level
        self.simultaneous = simultaneous
        self._all: dict[int, tuple[FloatArray, FloatArray]] = {}

    def __call__(self, heads: Any, latent: int) -> tuple[FloatArray, FloatArray]:
        """Fewest and most of the latent rows in heads that hold so many known ones."""
        if self.method == "exact" and not self.simultaneous and latent in self._all:
            at = np.asarray(heads, dtype=np.int64)
            low, high = self._all[latent]
            return low[at], high[at]
        distinct, place = _distinct(np.asarray(heads, dtype=np.int64), self.known)
        if self.method != "exact" or self.simultaneous:
            low, high = self._other(distinct, latent)
            return low[place], high[place]
        if 4 * distinct.size > self.known:
            self._all[latent] = _exact(
                np.arange(self.known + 1, dtype=np.float64), self.known, latent, self.level
            )
            return self(heads, latent)
        low, high = _exact(distinct.astype(np.float64), self.known, latent, self.level)
        return low[place], high[place]

    def prepare(self, latents: tuple[int, ...]) -> None:
        """Compute the limits of all heads for several numbers of latent rows in one go, if they are few."""
        size = (self.known + 1) * len(latents)
        if self.method != "exact" or self.simultaneous or size > _AT_ONCE:
            return
        heads = np.arange(self.known + 1, dtype=np.float64)
        unseen = np.array(latents, dtype=np.float64)[:, None]
        low, high = _exact(heads, self.known, unseen, self.level)
        self._all |= {latent: (low[i], high[i]) for i, latent in enumerate(latents)}

    def at_once(self, head: float, latents: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The limits of one head for several numbers of latent rows."""
        if self.method == "exact" and not self.simultaneous:
            return _exact(np.full(latents.shape, head), self.known, latents, self.level)
        pairs = [self(np.array([head]), int(latent)) for latent in latents]
        low, high = zip(*pairs, strict=True)
        return np.concatenate(low), np.concatenate(high)

    def _other(self, heads: Any, latent: int) -> tuple[FloatArray, FloatArray]:
        known, level = self.known, self.level
        if self.method == "bootstrap":
            ends = _binomial_counts(heads, known, level)
            low, high = _scaled(ends[0], latent, known), -_scaled(-ends[1], latent, known)
            return low.astype(np.float64), high.astype(np.float64)
        if self.method == "exact":
            size = known * max(latent, 1) / (known + max(latent, 1))
            reach = float(np.sqrt(np.log(2 / (1 - level)) / 2 / size))
            lower, upper = heads / known - reach, heads / known + reach
        else:
            lower, upper = rate_limits(heads, known, self.method, level)
        low = np.floor(lower * latent * (1 - 1e-12))
        high = np.ceil(upper * latent * (1 - 1e-12))
        return np.maximum(low, 0.0), np.minimum(high, latent)


def _distinct(heads: Any, known: int) -> tuple[Any, Any]:
    """The different heads, and the place of each among them; in linear time, unless heads are few."""
    if known > 8 * heads.size:
        few, place = np.unique(heads, return_inverse=True)
        return few, place
    present = np.zeros(known + 1, dtype=np.bool_)
    present[heads] = True
    distinct = np.flatnonzero(present)
    return distinct, (np.cumsum(present) - 1)[heads]


def _exact(
    heads: FloatArray, known: int, latent: int | FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    from puremetrics.numerics.head_limits import head_limits

    return head_limits(heads, known, latent, (1 - level) / 2)


def rate_limits(
    heads: Any, labelled: int, method: str, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the rate itself, for the bands that do not depend on the latent positives."""
    error = (1 - level) / 2
    if method == "dkw":
        reach = np.sqrt(np.log(1 / error) / (2 * labelled))
        share = heads / labelled
        return np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)
    if method == "bootstrap":
        low, high = _binomial_counts(heads, labelled, level)
        return low / labelled, high / labelled
    from scipy.special import betaincinv

    k = np.asarray(heads, dtype=np.float64)
    lower, upper = np.zeros(k.size), np.ones(k.size)
    some, short = k > 0, k < labelled
    lower[some] = betaincinv(k[some], labelled - k[some] + 1, error)
    upper[short] = betaincinv(k[short] + 1, labelled - k[short], 1 - error)
    return lower, upper


def _binomial_counts(heads: Any, labelled: int, level: float) -> tuple[Any, Any]:
    """Quantiles of Binomial(n, k/n) at both tails: the smallest count whose CDF reaches each."""
    k = np.asarray(heads, dtype=np.int64)
    error = (1 - level) / 2
    return _binomial_quantile(k, labelled, error), _binomial_quantile(k, labelled, 1 - error)


def _binomial_quantile(k: Any, size: int, probability: float) -> Any:
    from scipy.special import bdtr, ndtri

    share = k / size
    spread = np.sqrt(size * share * (1 - share))
    z = float(ndtri(probability))
    skew = (1 - 2 * share) * (z * z - 1) / 6
    guess = np.clip(np.floor(size * share + z * spread + skew + 0.5), 0, size).astype(np.int64)
    todo = np.arange(k.size)
    while todo.size:  # step down while one less still reaches the probability
        at = guess[todo] - 1
        reached = (at >= 0) & (bdtr(np.maximum(at, 0), size, share[todo]) >= probability)
        todo = todo[reached]
        guess[todo] -= 1
    todo = np.arange(k.size)
    while todo.size:  # step up while it is not reached
        short = bdtr(guess[todo], size, share[todo]) < probability
        todo = todo[short & (guess[todo] < size)]
        guess[todo] += 1
    return guess


def _scaled(counts: Any, latent: int, labelled: int) -> Any:
    """Floor of counts · latent / labelled in whole numbers, without overflow."""
    times, rest = divmod(latent, labelled)
    if labelled < 2**31:
        return counts * times + (counts * rest) // labelled
    return np.array([int(c) * latent // labelled for c in counts], dtype=np.float64)
