"""The corrected average precision when labels may be biased.

Average precision is not linear in φ (see `biased`): it is the mean over the positives of the precision at
their scores, which depends on φ again. As a rule moving positives up raises both, and the extreme v is Γ
above a cut of the scores and 1 below it, or the other way round; where ranks are tied, or worse than chance,
it may be a step in the other direction, or a smaller one. Cuts are tried at 65 quantiles of γ in both
directions, each with its heads held to what the unlabeled have room for, between the neighbours of the best
one again, and there with ratios up to Γ. Average precision is convex in φ, so its least value need not be at
a step at all, nor is its largest: against all tilts of tables with a few different scores, ends were too
narrow by up to 0.02 (0.003 at the low end with Γ = 4), and with many scores by less.

The limits are those of a table whose labelled rows count φ/γ times: biased labels are labels with
propensities that nobody knows, at their worst.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import Heads, Setting, TwoSamples

__all__ = ["precision_heads", "tilted_setting"]

_CUTS = 65
_RATIOS = 9
_SAME = (
    1e-12  # sizes that differ by less are equal: where precision is held to 1, many share the best
)
_TURNS = 3
_LEAST = 1e-9  # weight of a labelled row that has no room at all


def precision_heads(setting: Setting, side: str) -> Heads:
    """The heads with the smallest or the largest average precision.

    The step is looked for on blocks of rows if these are very many, and then taken on all of them.
    """
    step = _best_step(setting.on_blocks(), 1.0 if side == "high" else -1.0)
    return setting.heads if step is None else _stepped(BiasedHeads(setting), step)


class _Step(NamedTuple):
    """Positives above (or below) a head that are under-labelled, and by how much."""

    end: str
    head: float
    ratio: float


def _stepped(found: BiasedHeads, step: _Step) -> Heads:
    share, head = found.found, step.head
    above, below = (step.ratio, 1.0) if step.end == "high" else (1.0, step.ratio)
    phi = above * np.minimum(share, head) + below * np.maximum(share - head, 0.0)
    return found.with_hidden(np.clip(phi / phi[-1], *found.room))


def _best_step(setting: Setting, sign: float) -> _Step | None:
    """The step with the largest signed average precision; None if no step is better than none."""
    found = BiasedHeads(setting)
    if found.part == 0.0:
        return None

    def size(step: _Step) -> float:
        return sign * _raw_precision(setting, _stepped(found, step))

    share = found.found
    best, chosen = sign * _raw_precision(setting, setting.heads), None
    cuts = np.unique(np.searchsorted(share, np.linspace(0, 1, _CUTS)))
    ends = [end for end in SIDES if found.ratio(end) > 1.0]
    place = 0
    for _ in range(_TURNS):
        for end, cut in product(ends, cuts):
            tried = _Step(end, float(share[cut]), found.ratio(end))
            here = size(tried)
            if here > best + _SAME:
                best, chosen, place = here, tried, int(cut)
        if chosen is None:
            return None
        ends, at = [chosen.end], int(np.searchsorted(cuts, place))
        around = cuts[max(at - 1, 0)], cuts[min(at + 1, cuts.size - 1)]
        if around[1] - around[0] <= 2:
            break
        cuts = np.unique(np.linspace(*around, _CUTS).astype(np.intp))
    assert chosen is not None
    logs = np.linspace(0.0, np.log(chosen.ratio), _RATIOS)
    for _ in range(_TURNS + 2):
        several = [chosen._replace(ratio=float(np.exp(log))) for log in logs]
        sizes = np.array([size(each) for each in several])
        at = int(np.argmax(sizes >= sizes.max() - _SAME))
        if sizes[at] > best + _SAME:
            best, chosen = float(sizes[at]), several[at]
        logs = np.linspace(logs[max(at - 1, 0)], logs[min(at + 1, logs.size - 1)], _RATIOS)
    return chosen


def tilted_setting(setting: Setting, heads: Heads) -> Setting:
    """The setting with labelled rows weighted so that their heads are these."""
    before = np.diff(setting.heads.pos)
    labelled = np.flatnonzero(before > 0)
    ends = np.append(
        heads.pos[labelled + 1][:-1], 1.0
    )  # what lies between labels goes to the next one
    factor = np.ones_like(before)
    factor[labelled] = np.maximum(np.diff(ends, prepend=0.0) / before[labelled], _LEAST)
    table = setting.ranked.tilted(factor)
    return replace(setting, samples=TwoSamples(table, setting.samples.effect))


def _raw_precision(setting: Setting, heads: Heads) -> float:
    """Σ gain in recall · precision, held to at most 1; before any repair."""
    prior = setting.prior
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    reached = prior * tpr[1:] + (1 - prior) * np.maximum(fpr[1:], 0.0)
    precision = np.divide(prior * tpr[1:], reached, out=np.ones_like(reached), where=reached > 0)
    return weighted_sum(np.diff(tpr), np.clip(precision, 0.0, 1.0))
