"""Limits of the number of latent positives in a head, by every band; `bands` says what they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from puremetrics.bounds.biased import biased_range, shifted, split_band
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.beta import beta_quantile
from puremetrics.setting import RANDOM, LabelBias

__all__ = ["BAND_METHODS", "LatentLimits", "binomial_quantile", "rate_limits"]

_AT_ONCE = 20_000  # heads times numbers of latent rows
_AT_MOST = 400_000  # the same, where enclosing them would cost too much width
_AT_MOST_BIASED = 60_000  # the same with biased labels, whose limits take longer
_ENOUGH = 1700.0  # of (distance of the limits in rows)², beyond which a row more or less is little
_NARROW = 6.0  # square roots of the number of latent rows: what chance alone makes of a known prior
_MANY = 500  # latent rows from which on a quarter of a row is enough for such a range
_BEYOND = 1.25  # rows: one for rounding, and a quarter
_TOGETHER = 20_000  # limits of few heads that are computed in one call
_KEPT = 16  # numbers of latent rows, or ranges of them
Pair = tuple[FloatArray, FloatArray]
BAND_METHODS = ("exact", "bootstrap", "clopper_pearson", "dkw")


class LatentLimits:
    """Limits of the number of latent positives in a head, for one band at one level.

    A head is described by how many of the n known rows it holds. For the exact band the limits of all
    n + 1 possible heads are computed at once and kept as long as this object is: the curves, areas and
    metrics of one table ask for the same ones. ``bias`` says how far labels may be from random (see
    `biased`).
    """

    def __init__(
        self,
        known: int,
        method: str,
        level: float,
        simultaneous: bool = False,
        bias: LabelBias = RANDOM,
        effect: float = 1.0,
    ) -> None:
        self._given = known
        self.known = known if effect == 1.0 else min(max(round(known / effect), 1), known)
        self.method = method
        self.level = level
        self.simultaneous = simultaneous
        self.bias = bias
        self._all: dict[int, Pair] = {}
        self._ranges: dict[tuple[int, int], Pair] = {}
        self._enclosures: dict[tuple[bytes, bytes], Pair] = {}

    def __call__(self, heads: Any, latent: int) -> Pair:
        """Fewest and most of the latent rows in heads that hold so many known ones."""
        return self._at(self._in_effect(heads), latent)

    def _in_effect(self, heads: Any) -> Any:
        """Known rows in heads, of as many as the known ones are worth."""
        counts = np.asarray(heads, dtype=np.int64)
        if self.known >= self._given:
            return counts
        return np.rint(counts * (self.known / self._given)).astype(np.int64)

    def _at(self, heads: Any, latent: int) -> Pair:
        kept = self._all.get(latent)
        if kept is None:
            distinct, place = _distinct(heads, self.known)
            if self.method != "exact" or self.simultaneous:
                low, high = self._other(distinct, [latent])
                return low[0][place], high[0][place]
            if 4 * distinct.size <= self.known:
                low, high = self._exact(distinct.astype(np.float64), latent)
                return low[place], high[place]
            every = np.arange(self.known + 1, dtype=np.float64)
            kept = _keep(self._all, latent, self._exact(every, latent))
        return kept[0][heads], kept[1][heads]

    def over(self, heads: Any, latents: FloatArray) -> tuple[FloatArray, FloatArray, Any]:
        """The same for several numbers of latent rows, in rising order: one row of results for each.

        The columns are those of the different heads; the place of each head among them comes last.

        Where all numbers from the first to the last would be too many limits to compute, those of the
        exact band are enclosed instead, by at most a row and a quarter (see `staircase`).
        """
        distinct, place = _distinct(self._in_effect(heads), self.known)
        first, last = int(latents[0]), int(latents[-1])
        if latents.size == 1:
            low, high = self._at(distinct, first)
            return low[None], high[None], place
        if self.method != "exact" or self.simultaneous:
            low, high = self._other(distinct, [int(latent) for latent in latents])
        elif (last - first + 1) * distinct.size <= self.affordable(last):
            low, high = self._every(distinct, first, last)
            rows = latents.astype(np.int64) - first
            low, high = low[rows], high[rows]
        else:
            low, high = self._enclosed(distinct, latents)
        return low, high, place

    def affordable(self, latent: int) -> int:
        """How many limits may be computed: more of them if the limits are close, as with few latent rows."""
        close = latent * (1 + latent / max(self.known, 1)) < _ENOUGH
        most = _AT_MOST if self.bias.is_random else _AT_MOST_BIASED
        return most if close else _AT_ONCE

    def anchors(self, first: int, last: int) -> list[int]:
        """Numbers of latent rows between which the limits are nearly straight lines."""
        from puremetrics.bounds.staircase import anchors

        return anchors(self._worth, first, last, (1 - self.level) / 2)

    def slack(self, fewest: int) -> float:
        """Rows by which limits may lie beyond a straight line between anchors, from this number on."""
        from puremetrics.bounds.staircase import slack

        return slack(self._worth, fewest, (1 - self.level) / 2)

    @property
    def _worth(self) -> float:
        """So many known rows, if labels were random, as make limits bend as much as they may under the bias.

        The variance of a limit is m t (1 − t) · (1 + r m / n), with r = t (1 − t) / (g (1 − g)) from 1/Γ to Γ
        for the labelled rate g and the latent one t. It bends most if r is least.
        """
        return self.known * self.bias.most

    def around(
        self, heads: Any, first: int, last: int
    ) -> tuple[FloatArray, FloatArray, Any] | None:
        """Enclosures at both ends of a narrow range, from the exact limits at its middle; None if it is not.

        As `over`, with real numbers between which straight lines enclose all limits in between.
        """
        from puremetrics.bounds.staircase import scaled

        middle = (first + last) // 2
        narrow = last - first <= _NARROW * middle**0.5 and first >= _MANY
        if self.method != "exact" or self.simultaneous or not narrow:
            return None
        distinct, place = _distinct(self._in_effect(heads), self.known)
        if not self.bias.is_random:
            return *self._between(distinct, first, last), place
        limits = self._at(distinct, middle)
        low, high = scaled(distinct, limits, self.known, middle, np.array([first, last]))
        return low, high, place

    def _between(self, distinct: Any, first: int, last: int) -> Pair:
        """Enclosures at both ends of a narrow range under bias, from the limits there."""
        key = np.array([first, last]).tobytes(), np.asarray(distinct).tobytes()
        kept = self._enclosures.get(key)
        if kept is None:
            ends = [self._at(distinct, latent) for latent in (first, last)]
            beyond = _BEYOND if last > first + 1 else 0.0
            low, high = (np.array(side) for side in zip(*ends, strict=True))
            kept = low - beyond, high + beyond
            self._enclosures = {key: kept}
        return kept

    def _exact(self, heads: FloatArray, latent: int | FloatArray) -> Pair:
        """Limits by the exact band at so many heads."""
        alpha = (1 - self.level) / 2
        if self.bias.is_random:
            from puremetrics.numerics.head_limits import head_limits

            return head_limits(heads, self.known, latent, alpha)
        from puremetrics.numerics.biased_limits import biased_limits

        return biased_limits(heads, self.known, latent, alpha, self.bias.down, self.bias.up)

    def _range(self, heads: FloatArray, first: int, last: int) -> Pair:
        alpha = (1 - self.level) / 2
        if self.bias.is_random:
            from puremetrics.bounds.staircase import exact_range

            return exact_range(heads, self.known, first, last, alpha)
        return biased_range(heads, self.known, first, last, alpha, self.bias)

    def _every(self, distinct: Any, first: int, last: int) -> tuple[FloatArray, FloatArray]:
        """All numbers of latent rows; of all heads at once and kept, if most are asked for anyway."""
        if 4 * distinct.size <= self.known:
            return self._range(distinct.astype(np.float64), first, last)
        kept = self._ranges.get((first, last))
        if kept is None:
            heads = np.arange(self.known + 1, dtype=np.float64)
            kept = _keep(self._ranges, (first, last), self._range(heads, first, last))
        return kept[0][:, distinct], kept[1][:, distinct]

    def _enclosed(self, distinct: Any, latents: FloatArray) -> tuple[FloatArray, FloatArray]:
        from puremetrics.bounds.staircase import chord

        key = (
            latents.tobytes(),
            np.asarray(distinct).tobytes(),
        )  # both sides of a curve ask for the same
        kept = self._enclosures.get(key)
        if kept is not None:
            return kept
        low = np.empty((latents.size, distinct.size))
        high = np.empty_like(low)
        ends, slack = self.anchors(int(latents[0]), int(latents[-1])), self.slack(int(latents[0]))
        at = self._at_anchors(distinct, ends)
        here = next(at)
        low[0], high[0] = here
        for first, last in itertools.pairwise(ends):
            there = next(at)
            rows = np.flatnonzero((latents > first) & (latents <= last))
            for side, limits, upper in ((low, 0, False), (high, 1, True)):
                side[rows] = chord(
                    latents[rows], (first, last), (here[limits], there[limits]), slack, upper=upper
                )
            here = there
        self._enclosures = {key: (low, high)}  # large: only the last one is kept
        return low, high

    def _at_anchors(self, distinct: Any, ends: list[int]) -> Iterator[Pair]:
        """Exact limits at each anchor; all at once where heads are few, which saves many small calls."""
        if distinct.size * len(ends) > _TOGETHER:
            yield from (self._at(distinct, end) for end in ends)
            return
        heads, rows = np.broadcast_arrays(
            distinct.astype(np.float64), np.array(ends, dtype=np.float64)[:, None]
        )
        yield from zip(*self._exact(heads, rows), strict=True)

    def _other(self, heads: Any, latents: Sequence[int]) -> Pair:
        """Limits of the other bands; one row for each number of latent rows."""
        low, high = self._unbiased(heads, latents)
        if self.bias.is_random:
            return low, high
        rows = np.array(latents, dtype=np.float64)[:, None]
        if self.method == "exact":
            rates = split_band(heads, self.known, rows, self.level, self.bias)
        else:
            rates = shifted(*rate_limits(heads, self.known, self.method, self.level), self.bias)
        wider = _whole_rows(*rates, rows)
        return (
            np.minimum(wider[0], low) if self.bias.down > 1.0 else low,
            np.maximum(wider[1], high) if self.bias.up > 1.0 else high,
        )

    def _unbiased(self, heads: Any, latents: Sequence[int]) -> Pair:
        known, level = self.known, self.level
        if self.method == "bootstrap":
            ends = _binomial_counts(heads, known, level)
            low, high = (
                np.array([sign * _scaled(sign * end, latent, known) for latent in latents])
                for sign, end in zip((1, -1), ends, strict=True)
            )
            return low.astype(np.float64), high.astype(np.float64)
        rows = np.array(latents, dtype=np.float64)[:, None]
        if self.method == "exact":
            size = known * np.maximum(rows, 1) / (known + np.maximum(rows, 1))
            reach = np.sqrt(np.log(2 / (1 - level)) / 2 / size)
            lower, upper = heads / known - reach, heads / known + reach
        else:
            lower, upper = rate_limits(heads, known, self.method, level)
        return _whole_rows(lower, upper, rows)


def _whole_rows(lower: FloatArray, upper: FloatArray, rows: FloatArray) -> Pair:
    """Whole numbers of rows from limits of rates, which rounding may have lifted: by less than half a row."""
    low, high = (rate * rows - np.minimum(rate * rows * 1e-12, 0.5) for rate in (lower, upper))
    return np.maximum(np.floor(low), 0.0), np.minimum(np.ceil(high), rows)


def _keep(kept: dict[Any, Pair], key: Any, found: Pair) -> Pair:
    """Keep what was found, and not more than a few of its kind."""
    if len(kept) >= _KEPT:
        kept.pop(next(iter(kept)), None)
    kept[key] = found
    return found


def _distinct(heads: Any, known: int) -> tuple[Any, Any]:
    """The different heads, and the place of each among them; in linear time, unless heads are few."""
    if known > 8 * heads.size:
        few, place = np.unique(heads, return_inverse=True)
        return few, place
    present = np.zeros(known + 1, dtype=np.bool_)
    present[heads] = True
    distinct = np.flatnonzero(present)
    return distinct, (np.cumsum(present) - 1)[heads]


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
    k = np.asarray(heads, dtype=np.float64)
    lower, upper = np.zeros(k.size), np.ones(k.size)
    some, short = k > 0, k < labelled
    lower[some] = beta_quantile(k[some], labelled - k[some] + 1, error)
    upper[short] = beta_quantile(k[short] + 1, labelled - k[short], 1 - error)
    return lower, upper


def _binomial_counts(heads: Any, labelled: int, level: float) -> tuple[Any, Any]:
    """Quantiles of Binomial(n, k/n) at both tails: the smallest count whose CDF reaches each."""
    share = np.asarray(heads, dtype=np.int64) / labelled
    error = (1 - level) / 2
    return binomial_quantile(share, labelled, error), binomial_quantile(share, labelled, 1 - error)


def binomial_quantile(share: Any, size: int, probability: float) -> Any:
    """Smallest counts whose CDF, of Binomial(size, share), reaches a probability."""
    from scipy.special import ndtri

    spread = np.sqrt(size * share * (1 - share))
    z = float(ndtri(probability))
    skew = (1 - 2 * share) * (z * z - 1) / 6
    guess = np.clip(np.floor(size * share + z * spread + skew + 0.5), 0, size).astype(np.int64)
    todo = np.arange(share.size)
    while todo.size:  # step down while one less still reaches the probability
        at = guess[todo] - 1
        reached = (at >= 0) & (_binomial_cdf(np.maximum(at, 0), size, share[todo]) >= probability)
        todo = todo[reached]
        guess[todo] -= 1
    todo = np.arange(share.size)
    while todo.size:  # step up while it is not reached
        short = _binomial_cdf(guess[todo], size, share[todo]) < probability
        todo = todo[short & (guess[todo] < size)]
        guess[todo] += 1
    return guess


def _binomial_cdf(counts: Any, size: int, share: Any) -> Any:
    """P(X ≤ count) of Binomial(size, share)."""
    from scipy.special import bdtr, betainc

    if size < 2**31:
        return bdtr(counts, size, share)
    inside = np.minimum(counts, size - 1)  # bdtr takes sizes as 32-bit integers
    return np.where(counts < size, 1.0 - betainc(inside + 1.0, size - inside, share), 1.0)


def _scaled(counts: Any, latent: int, labelled: int) -> Any:
    """Floor of counts · latent / labelled in whole numbers, without overflow."""
    times, rest = divmod(latent, labelled)
    if labelled < 2**31:
        return counts * times + (counts * rest) // labelled
    return np.array([int(c) * latent // labelled for c in counts], dtype=np.float64)
