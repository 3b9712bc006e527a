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
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.correction.rates import corrected_rates
from puremetrics.setting import Heads, Setting, TwoSamples

__all__ = ["precision_heads", "tilted_setting"]

_CUTS = 65
_RATIOS = 9
_SAME = (
    1e-12  # sizes that differ by less are equal: where precision is held to 1, many share the best
)
_TURNS = 3
_AT_ONCE = 2**17  # heads, which fit into a processor's memory
_LEAST = 1e-9  # weight of a labelled row that has no room at all


def precision_heads(setting: Setting, side: str) -> Heads:
    """The heads with the smallest or the largest average precision.

    The step is looked for on blocks of rows if these are very many, and then taken on all of them.
    """
    step = _best_step(setting.on_blocks(), 1.0 if side == "high" else -1.0)
    return setting.heads if step is None else _stepped(BiasedHeads(setting), *step)


class _Step(NamedTuple):
    """Positives above (or below) a head that are under-labelled, and by how much."""

    end: str
    head: float
    ratio: float


def _stepped(found: BiasedHeads, end: str, head: Any, ratio: Any) -> Heads:
    """The heads at a step; at several, one a row, if ``head`` and ``ratio`` are columns."""
    share = found.found
    above, below = (ratio, 1.0) if end == "high" else (1.0, ratio)
    phi = above * np.minimum(share, head) + below * np.maximum(share - head, 0.0)
    return found.with_hidden(np.clip(phi / phi[..., -1:], *found.room))


def _best_step(setting: Setting, sign: float) -> _Step | None:
    """The step with the largest signed average precision; None if no step is better than none."""
    found = BiasedHeads(setting)
    if found.part == 0.0:
        return None
    share = found.found
    many = max(_AT_ONCE // share.size, 1)

    def sizes(end: str, heads: Any, ratios: Any) -> FloatArray:
        """Signed average precisions at these steps."""
        columns = np.array(np.broadcast_arrays(heads, ratios), dtype=np.float64)
        parts = [columns[:, i : i + many, np.newaxis] for i in range(0, columns.shape[1], many)]
        each = [_raw_precision(setting, _stepped(found, end, *part)) for part in parts]
        return sign * np.concatenate(each)

    best, chosen = sign * float(_raw_precision(setting, setting.heads)), None
    cuts = np.unique(np.searchsorted(share, np.linspace(0, 1, _CUTS)))
    ratio = {end: found.ratio(end) for end in SIDES}
    ends = [end for end in SIDES if ratio[end] > 1.0]
    place = 0
    for _ in range(_TURNS):
        for end in ends:
            for cut, here in zip(cuts, sizes(end, share[cuts], ratio[end]), strict=True):
                if here > best + _SAME:
                    best, chosen = float(here), _Step(end, float(share[cut]), ratio[end])
                    place = int(cut)
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
        tried = sizes(chosen.end, chosen.head, np.exp(logs))
        at = int(np.argmax(tried >= tried.max() - _SAME))
        if tried[at] > best + _SAME:
            best, chosen = float(tried[at]), chosen._replace(ratio=float(np.exp(logs[at])))
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


def _raw_precision(setting: Setting, heads: Heads) -> FloatArray:
    """Σ gain in recall · precision, held to at most 1, of each row of heads; before any repair."""
    prior = setting.prior
    tpr, fpr = corrected_rates(heads.pos, heads.cmp, setting.share, setting.purity)
    tpr_after, fpr_after = tpr[..., 1:], fpr[..., 1:]
    reached = prior * tpr_after + (1 - prior) * np.maximum(fpr_after, 0.0)
    precision = np.divide(prior * tpr_after, reached, out=np.ones_like(reached), where=reached > 0)
    return np.asarray(np.sum(np.diff(tpr) * np.clip(precision, 0.0, 1.0), axis=-1))
