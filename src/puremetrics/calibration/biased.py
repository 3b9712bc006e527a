"""The calibration error when labels may be biased: the least and the largest that their bias leaves open.

The gap of a bin is its score less π·P(b | y = 1) (see `gaps`), and P(b | y = 1) = γ_b + m·(φ_b − γ_b) in the
symbols of `correction.biased`, with φ a tilt of γ within Γ: s·γ_b ≤ φ_b ≤ Γ·s·γ_b, Σ φ_b = 1, and no more of
them in a bin than unlabeled rows (or γ_b, if that is more already).

**Least error.** Let t_b be the φ_b at which the gap vanishes. For a given s every φ_b is moved as near to t_b
as its limits allow; if their sum is not 1, the rest goes anywhere, each unit of it adding as much to the
error. That is convex in s, and a search over s finds the least.

**Largest error.** The error is convex in φ, so it is largest at a vertex, where v is 1 or Γ in each bin. With
up to twelve bins all are tried; with more, bins are switched from several starts until no switch adds to
it. Room among the unlabeled is not counted here, which encloses.

If it is known which side labels favour, v falls or rises with the score: φ is a mixture of steps, the largest
error is that of a step, and the least is looked for among the mixtures of a step with no tilt.

Sampling error: at a tilt every labelled row of a bin counts φ_b/γ_b times; the limits are those of `gaps`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from puremetrics.calibration.gaps import BinGaps
from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import BiasedHeads, bias_interval
from puremetrics.numerics.tilting import shifted
from puremetrics.results import Interval
from puremetrics.setting import Setting

__all__ = ["biased_gaps", "biased_rates", "error_range"]

_ALL = 12  # bins up to which all vertices are tried
_SEARCH = 60  # steps of a search that narrows by the golden section
_NONE = 1e-200  # positives so rare that no tilt moves a gap
_SAME = 1e-13  # errors that differ by less are equal: many tilts may share the least or the largest


def biased_gaps(setting: Setting, gaps: BinGaps) -> tuple[BinGaps, BinGaps]:
    """The gaps at the tilts with the least and with the largest calibration error."""
    found = BiasedHeads(setting)
    share = np.maximum(gaps.share_pos, 0.0)
    total = share.sum()
    weight = gaps.prior * found.part
    if weight <= _NONE or total <= 0:
        return gaps, gaps
    share = share / total
    if setting.bias.side == "either":
        ratio = found.ratio("low")
        least = _least(share, share + gaps.gap / weight, ratio, _caps(setting, gaps, share))
        largest = _largest(share, gaps.gap / weight, ratio)
    else:
        ratio = max(found.ratio(side) for side in ("low", "high"))
        steps = _steps(share, ratio, rising=setting.bias.side == "low")
        tilts, target = steps - share, gaps.gap / weight
        parts = np.linspace(0.0, 1.0, 33)
        sizes = np.concatenate([np.abs(target - part * tilts).sum(axis=1) for part in parts])
        least, largest = (
            share + parts[place // len(tilts)] * tilts[place % len(tilts)]
            for place in (_first(sizes, sizes.min()), _first(sizes, sizes.max()))
        )
    return _moved(gaps, found, share, least), _moved(gaps, found, share, largest)


def error_range(low: BinGaps, high: BinGaps, error: float) -> Interval:
    """What the bias leaves open, around the error that is reported."""
    return bias_interval([min(low.error, error), min(max(high.error, error), 1.0)])


def biased_rates(setting: Setting, gaps: BinGaps, rates: FloatArray, side: str) -> FloatArray:
    """Limits of the positive rate of each bin, moved as far as biased labels allow."""
    found, prior = BiasedHeads(setting), gaps.prior
    if prior <= 0:
        return rates
    # Of a single bin neither side of the score is known: any tilt may favour it.
    ratio = max(found.ratio(end) for end in ("low", "high"))
    share = np.clip(rates * gaps.share_pop / prior, 0.0, 1.0)
    moved = share + found.part * (shifted(share, ratio if side == "high" else 1 / ratio) - share)
    result = rates.copy()
    np.divide(prior * moved, gaps.share_pop, out=result, where=gaps.share_pop > 0)
    return np.asarray(np.clip(result, 0.0, 1.0))


def _moved(gaps: BinGaps, found: BiasedHeads, share: FloatArray, phi: FloatArray) -> BinGaps:
    """The gaps at φ: its labelled rows count more or less."""
    rise = found.part * (phi - share)
    labelled = gaps.moments.positives[0] / gaps.moments.positives[0].sum()
    moved = labelled + found.weight * (phi - share)
    factor = np.divide(moved, labelled, out=np.ones_like(moved), where=labelled > 0)
    factor = np.maximum(factor, 0.0)
    on_pos = gaps.on_pos[0] * factor, gaps.on_pos[1] * factor
    return replace(
        gaps,
        gap=gaps.gap - gaps.prior * rise,
        share_pos=gaps.share_pos + rise,
        on_pos=on_pos,
    )


def _caps(setting: Setting, gaps: BinGaps, share: FloatArray) -> FloatArray:
    """The largest φ that the unlabeled rows of each bin have room for."""
    hidden, rows = setting.unlabeled_share or 0.0, gaps.moments.sums[1, 0]
    if hidden <= 0 or rows.sum() <= 0:
        return np.ones_like(share)
    return np.asarray(np.maximum(rows / rows.sum() / max(hidden, _NONE), share))


def _least(share: FloatArray, target: FloatArray, ratio: float, caps: FloatArray) -> FloatArray:
    """φ with the smallest Σ|φ − target|."""

    def at(s: float) -> tuple[float, FloatArray]:
        low, high = s * share, np.minimum(ratio * s * share, caps)
        near = np.clip(target, low, high)
        left = 1.0 - near.sum()
        room = (high - near) if left > 0 else (near - low)
        total = room.sum()
        if abs(left) > total * (1 + 1e-9) + 1e-12:
            return np.inf, near
        phi = near + (room * (left / total) if total > 0 else 0.0)
        return float(np.abs(phi - target).sum()), phi

    low, high = 1.0 / ratio, 1.0
    grid = np.linspace(low, high, 65)
    tried = [at(s) for s in grid]
    sizes = np.array([size for size, _ in tried])
    place = _first(sizes, sizes.min())
    best = tried[place]
    a, b = grid[max(place - 1, 0)], grid[min(place + 1, 64)]
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(_SEARCH):
        left, right = b - golden * (b - a), a + golden * (b - a)
        here, there = at(left), at(right)
        for found in (here, there):
            best = found if found[0] < best[0] - _SAME * max(1.0, best[0]) else best
        a, b = (a, right) if here[0] <= there[0] else (left, b)
    return best[1]


def _largest(share: FloatArray, gap: FloatArray, ratio: float) -> FloatArray:
    """φ with the largest Σ|gap − (φ − share)|."""

    def sizes(v: FloatArray) -> FloatArray:
        phi = v * share
        phi = phi / phi.sum(axis=-1, keepdims=True)
        return np.asarray(np.abs(gap - (phi - share)).sum(axis=-1))

    bins = share.size
    if bins <= _ALL:
        v = 1.0 + (ratio - 1.0) * np.array(list(product((0.0, 1.0), repeat=bins)))
        found = sizes(v)
        best = v[_first(found, found.max())]
    else:
        order = np.argsort(gap, kind="stable")
        steps = np.tri(bins, k=-1)[:, np.argsort(order)]
        starts = 1.0 + (ratio - 1.0) * np.concatenate(
            [np.tri(bins), 1 - np.tri(bins), steps, 1 - steps]
        )
        found = sizes(starts)
        best = starts[_first(found, found.max())]
        size = float(sizes(best))
        while True:
            switched = np.repeat(best[None], bins, axis=0)
            np.fill_diagonal(switched, 1.0 + ratio - best)
            found = sizes(switched)
            place = _first(found, found.max())
            if found[place] <= size * (1 + 1e-12):
                break
            best, size = switched[place], float(found[place])
    phi = best * share
    return np.asarray(phi / phi.sum())


def _first(sizes: FloatArray, best: float) -> int:
    """Place of the first size that is the best one but for rounding."""
    return int(np.argmax(np.abs(sizes - best) <= _SAME * max(1.0, abs(best))))


def _steps(share: FloatArray, ratio: float, *, rising: bool) -> FloatArray:
    """All φ whose v is Γ on one side of a cut and 1 on the other; bins are in rising order of the score."""
    v = 1.0 + (ratio - 1.0) * (1 - np.tri(share.size + 1, share.size, k=-1))
    v = v if rising else 1.0 + ratio - v
    phi = v * share
    return np.asarray(phi / phi.sum(axis=1, keepdims=True))
