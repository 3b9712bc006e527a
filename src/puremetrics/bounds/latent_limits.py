"""Limits of the number of latent positives in a head, by every band; `bounds.bands` says what they are.

**Labels that are not at random**: what a bias Γ makes of every band. Let any two positives differ in their
odds of being labelled by at most Γ (``label_bias``; in case-control: in their chance of being sampled). Of n
labelled and m latent positives K lie in a head, k of them labelled.

Given the scores of all n + m positives and the number of labels, a set of positives is the labelled one with
a probability that is proportional to the product of their odds. So P(k + 1) / P(k) is e_{k+1}(head) /
e_k(head) times e_{n−k−1}(tail) / e_{n−k}(tail), where e_j(·) is the j-th elementary symmetric polynomial of
the odds. Such quotients rise with each of the odds. They are therefore largest if all odds in the head are Γ
times those in the tail, which is Fisher's noncentral hypergeometric law, and its upper tail is never
exceeded. In case-control, with densities g and φ of labelled and latent positives, the odds are g / φ at the
scores, and the same holds. The lower tail is that of the law with odds 1/Γ.

``"exact"``
    K is kept until P(X ≥ k | K) with odds Γ, or P(X ≤ k | K) with odds 1/Γ, is half the error level or less.
    An unmarked row more makes P(X ≥ k) smaller and a marked one larger at any odds, so the limits are
    staircases in m, as they are for Γ = 1 (see below).
``"bootstrap"``, ``"clopper_pearson"``, ``"dkw"``
    Limits of the labelled rate are moved by log Γ on the logit scale.
``simultaneous=True`` with ``"exact"``
    The two-sample band knows no bias. Each side gets half the error level; of that the labelled and the
    latent positives get half each, as two one-sided bands of Dvoretzky, Kiefer, Wolfowitz and Massart, with
    the move by log Γ in between. At Γ > 1 it is wider than the band at Γ = 1 by more than Γ asks for.

If it is known which side is favoured (``label_bias_side``), only one limit moves: with "high", heads are
never labelled less often than the rest, which leaves the upper limit where it was; with "low" it is the lower
limit that stays.

Γ is about positives. ``basis="negatives"`` asks the known negatives, takes them as a random sample of all
negatives, and does not depend on it; "tightest" takes each basis with its own assumption.

**The exact band for every number of latent positives in a range** (`exact_range`), at the price of a few.
θ(m), the fewest latent positives in a head that the labelled ones there allow, is a staircase: with one
latent positive more it stays, or it rises by one. Both follow from X ~ Hypergeometric(N = n + m, K, n): an
unmarked row more makes P(X ≥ k) smaller, a marked one makes it larger. The tail is carried from one m to the
next by

    P(X ≥ k | N + 1, K) = P(X ≥ k | N, K) − P(X = k | N, K) · k / (N + 1),
    P(X ≥ k | N, K + 1) = P(X ≥ k | N, K) + P(X = k | N, K + 1) · k / (K + 1),

and the probability of k by rational factors, so a step costs a few operations instead of a tail. Where the
tail comes too near to the level to tell, the limit is computed afresh. So are those at the start of every
block.

Between limits that are far apart, `chord` encloses the staircase: it rises by at most one row a step, and it
lies within `slack` of the straight line, a row and a quarter unless rows are very many. The limits as real
numbers bend by z · sqrt(t (1 − t)) · Δm² / (32 · (m²/n + m)^1.5) in the normal approximation; `anchors` lie
near enough for that to be at most an eighth of a row, or a five-hundredth of the normal limit's distance
where that is more, and rounding moves each by less than one. If the range is narrow, as that of a known prior
is, the limits at its middle say enough (`scaled`): those at its ends are off by a tenth of a row and
rounding. The tests compare both with all limits, over six orders of magnitude.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.numerics.head_limits import head_limits
from puremetrics.numerics.hypergeometric import log_pmf, sf
from puremetrics.numerics.quantiles import beta_quantile
from puremetrics.setting import RANDOM, LabelBias

__all__ = [
    "RANK_LIMITS",
    "LatentLimits",
    "anchors",
    "biased_range",
    "binomial_quantile",
    "chord",
    "exact_range",
    "rate_limits",
    "scaled",
    "shifted",
    "slack",
    "split_band",
]


_BLOCK = 16  # numbers of latent rows from one computed limit to the next
_FEW = 4000  # limits that are all computed


def shifted(low: Any, high: Any, bias: LabelBias) -> tuple[FloatArray, FloatArray]:
    """Limits of a rate among latent positives, from those among labelled ones."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if bias.down > 1.0:
        low = low / (low + bias.down * (1.0 - low))
    if bias.up > 1.0:
        high = bias.up * high / (bias.up * high + (1.0 - high))
    return low, high


def split_band(
    heads: Any, known: int, latents: FloatArray, level: float, bias: LabelBias
) -> tuple[FloatArray, FloatArray]:
    """Rates of latent positives that hold at all heads at once; see the module's docstring."""
    part = np.log(4 / (1 - level)) / 2
    reach = np.sqrt(part / known)
    share = np.asarray(heads) / known
    low, high = shifted(np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0), bias)
    own = np.sqrt(part / np.maximum(latents, 1.0))
    return low - own, high + own


def biased_range(
    heads: FloatArray, known: int, first: int, last: int, alpha: float, bias: LabelBias
) -> tuple[FloatArray, FloatArray]:
    """Limits of the exact band for m = first, …, last (rows) and for each head (columns).

    Computed for every 16th number, or for all if they are few. From one number to the next a limit stays,
    unless the tail is then alpha or less; then it rises by one.
    """
    from puremetrics.bounds.latent_limits import exact_range

    numbers = np.arange(first, last + 1.0)[:, None]
    if bias.down == bias.up:
        both, place = np.unique(np.concatenate([heads, known - heads]), return_inverse=True)
        least = _least(both, known, numbers, alpha, bias.most)
        return least[:, place[: heads.size]], numbers - least[:, place[heads.size :]]
    low, high = exact_range(heads, known, first, last, alpha)
    if bias.down > 1.0:
        return _least(heads, known, numbers, alpha, bias.down), high
    return low, numbers - _least(known - heads, known, numbers, alpha, bias.up)


def _least(
    heads: FloatArray, known: int, numbers: FloatArray, alpha: float, odds: float
) -> FloatArray:
    from puremetrics.numerics.biased_limits import exceeds, least_latent
    from puremetrics.numerics.hypergeometric import log_at_least

    result = np.zeros((numbers.size, heads.size))
    if alpha == 0.0 or known == 0:
        return result
    block = 1 if result.size <= _FEW else _BLOCK
    marked = least_latent(heads, known, numbers[::block], alpha, odds) + heads
    result[::block] = marked - heads
    for step in range(1, min(block, numbers.size)):
        total = numbers[step::block] + known
        k, rows = np.broadcast_arrays(heads, total)
        marked = marked[: total.size]
        logs = log_at_least(k, rows, marked, known, odds)
        table = k.ravel(), rows.ravel(), marked.ravel()
        stays = exceeds(logs.ravel(), *table, labelled=known, odds=odds, alpha=alpha)
        marked = marked + ~stays.reshape(marked.shape)
        result[step::block] = marked - heads
    return result


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
RANK_LIMITS = ("exact", "bootstrap", "clopper_pearson", "dkw")


class LatentLimits:
    """Limits of the number of latent positives in a head, for one band at one level.

    A head is described by how many of the n known rows it holds. For the exact band the limits of all
    n + 1 possible heads are computed at once and kept as long as this object is: the curves, areas and
    metrics of one table ask for the same ones. ``bias`` says how far labels may be from random (see
    `biased_range`).
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
        """Limits for several numbers of latent rows, in rising order: one row of results for each.

        The columns are those of the different heads; the place of each head among them comes last.

        Where all numbers from the first to the last would be too many limits to compute, those of the
        exact band are enclosed instead, by at most a row and a quarter (see `exact_range`).
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
        from puremetrics.bounds.latent_limits import anchors

        return anchors(self._worth, first, last, (1 - self.level) / 2)

    def slack(self, fewest: int) -> float:
        """Rows by which limits may lie beyond a straight line between anchors, from this number on."""
        from puremetrics.bounds.latent_limits import slack

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
        from puremetrics.bounds.latent_limits import scaled

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
            from puremetrics.bounds.latent_limits import exact_range

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
        from puremetrics.bounds.latent_limits import chord

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


_LONGEST = 256  # steps from one computed limit, so that rounding does not add up
_WIDE = 256  # numbers that are worth a step at a time
_DOUBT = 1e-9  # relative distance from the level at which a limit is computed afresh
_BEND = 0.125  # rows
_HALF = 0.75  # rows: half a row for rounding, and a quarter
_PART = 0.002  # of the distance of a normal limit, which a bend may have where it is more


def exact_range(
    heads: FloatArray, known: int, first: int, last: int, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Limits for m = first, …, last (rows) and for each head (columns)."""
    both, place = np.unique(np.concatenate([heads, known - heads]), return_inverse=True)
    least = _least_of_steps(both, known, first, last - first + 1, alpha)
    low, mirrored = least[:, place[: heads.size]], least[:, place[heads.size :]]
    return low, np.arange(first, last + 1.0)[:, None] - mirrored


def _least_of_steps(
    heads: FloatArray, known: int, first: int, count: int, alpha: float
) -> FloatArray:
    """The lower limit, block by block; all blocks take their steps together."""
    blocks = max(-(-count // _LONGEST), min(-(-count // 16), _WIDE // heads.size), 1)
    length = -(-count // blocks)
    start = first + length * np.arange(-(-count // length), dtype=np.float64)[:, None]
    result = np.zeros((length, start.size, heads.size))
    if alpha > 0.0 and known > 0:
        _climb(result, heads, known, start, alpha)
    return result.transpose(1, 0, 2).reshape(-1, heads.size)[:count]


def _climb(
    result: FloatArray, heads: FloatArray, known: int, start: FloatArray, alpha: float
) -> None:
    n, k = float(known), heads
    total = n + start
    marked = head_limits(k, known, start, alpha)[0] + k
    result[0] = marked - k
    tail = sf(k - 1.0, total, marked, n)
    share = np.exp(log_pmf(k, total, marked, n))
    for step in range(1, result.shape[0]):
        tail -= share * k / (total + 1.0)
        total += 1.0
        share *= (total - marked) / (total - marked - n + k) * ((total - n) / total)
        rises = tail <= alpha
        doubtful = np.abs(tail - alpha) <= _DOUBT * alpha
        if doubtful.any():
            rows, columns = np.nonzero(doubtful)
            latent = total[rows, 0] - n
            afresh = head_limits(k[columns], known, latent, alpha)[0] + k[columns]
            rises[doubtful] = afresh > marked[doubtful]
        more = marked + 1.0
        others = np.maximum(total - marked, 1.0)  # a tail of 1 does not rise
        grown = share * (more / (more - k)) * ((total - marked - n + k) / others)
        share = np.where(rises, grown, share)
        tail = np.where(rises, tail + grown * k / more, tail)
        marked = np.where(rises, more, marked)
        result[step] = marked - k


def anchors(known: float, first: int, last: int, alpha: float) -> list[int]:
    """Numbers of latent positives between which the limits are nearly straight lines."""
    from scipy.special import ndtri

    z = max(abs(float(ndtri(alpha))) if alpha > 0 else 1.0, 1.0)
    bend = _bend(known, first, z)
    found = [first]
    while found[-1] < last:
        m = max(found[-1], 1)
        reach = math.sqrt(64 * bend / z * (m * m / max(known, 1) + m) ** 1.5)
        found.append(min(found[-1] + max(int(reach), 1), last))
    return found


def _bend(known: float, fewest: int, z: float) -> float:
    """Rows by which limits may bend between anchors for these numbers of latent positives, or more."""
    distance = 0.5 * z * math.sqrt(fewest * (fewest / max(known, 1) + 1.0))
    return max(_BEND, _PART * distance)


def slack(known: float, fewest: int, alpha: float) -> float:
    """Rows by which a limit may lie beyond a straight line: rounding at both ends, and twice the bend."""
    from scipy.special import ndtri

    z = max(abs(float(ndtri(alpha))) if alpha > 0 else 1.0, 1.0)
    return 1.0 + 2 * _bend(known, fewest, z)


def chord(
    at: FloatArray, ends: tuple[int, int], limits: tuple[Any, Any], slack: float, *, upper: bool
) -> FloatArray:
    """Whole numbers that the limits at ``at`` (rows) do not go beyond, from those at both ends."""
    first, last = ends
    here, there = limits
    done = (at - first)[:, None]
    left = (last - at)[:, None]
    line = here + (there - here) * (done / (last - first))
    if upper:
        return np.asarray(np.minimum(np.minimum(here + done, there), np.floor(line + slack)))
    return np.asarray(np.maximum(np.maximum(there - left, here), np.ceil(line - slack)))


def scaled(
    heads: Any, limits: tuple[Any, Any], known: int, middle: int, at: Any
) -> tuple[FloatArray, FloatArray]:
    """What the limits at ``at`` (rows) do not go beyond, from those at a number in the middle.

    They follow m·t − c·sqrt(m²/n + m), the distance of a normal limit, with c from the middle.
    """

    def spread(latent: Any) -> Any:
        return np.sqrt(latent * (latent / known + 1.0))

    share, latent = heads / known, np.asarray(at, dtype=np.float64)[:, None]
    growth = spread(latent) / spread(float(middle))
    low, high = limits[0] - 0.5, limits[1] + 0.5  # as if they had not been rounded
    low = latent * share - (middle * share - low) * growth - _HALF
    high = latent * share + (high - middle * share) * growth + _HALF
    return np.maximum(low, 0.0), np.minimum(high, latent)
