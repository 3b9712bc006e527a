"""What biased labels leave open of statistics that are not linear in the positives: found by search.

Average precision is not linear in φ (see `correction.biased`): it is the mean over the positives of the
precision at their scores, which depends on φ again. As a rule moving positives up raises both, and the
extreme v is Γ above a cut of the scores and 1 below it, or the other way round; where ranks are tied, or
worse than chance, it may be a step in the other direction, or a smaller one. Cuts are tried at 65 quantiles
of γ in both directions, each with its heads held to what the unlabeled have room for, between the
neighbours of the best one again, and there with ratios up to Γ. Average precision is convex in φ, so its
least value need not be at a step at all, nor is its largest. On tables of up to some hundred scores the best
step is where a better one is looked for (`refined_heads`): its largest value by going to the extreme of the
linear program of its slopes as long as that gains, which it does from one corner to the next; its least by
going part of the way there, which finds it.

The limits are those of a table whose labelled rows count φ/γ times: biased labels are labels with
propensities that nobody knows, at their worst.

Any statistic without a strategy of its own is searched for in the same way, with its own value in place of
the average precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads, bias_interval, moved_by
from puremetrics.exceptions import UnsupportedError
from puremetrics.results import Interval
from puremetrics.setting import Heads, Setting, TwoSamples
from puremetrics.statistics.statistic import Centre, Statistic

__all__ = ["extreme_heads", "linear_range", "refined_heads", "searched_range", "tilted_setting"]

OfHeads = Callable[
    [Setting, Heads], FloatArray
]  # a statistic of heads in a world, of each row of them
_CUTS = 65
_RATIOS = 9
_SAME = (
    1e-12  # sizes that differ by less are equal: where precision is held to 1, many share the best
)
_TURNS = 3
_FEW = 400  # scores
_STEPS = 40
_PARTS = (1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.01)
_AT_ONCE = 2**17  # heads, which fit into a processor's memory
_LEAST = 1e-9  # weight of a labelled row that has no room at all


def extreme_heads(setting: Setting, side: str, sizes_of: OfHeads) -> Heads:
    """The heads at which a statistic is smallest or largest.

    The step is looked for on blocks of rows if these are very many, and then taken on all of them.
    """
    step = _best_step(setting.on_blocks(), 1.0 if side == "high" else -1.0, sizes_of)
    return setting.heads if step is None else _stepped(BiasedHeads(setting), *step)


def refined_heads(setting: Setting, side: str, heads: Heads, sizes_of: OfHeads) -> Heads:
    """Heads at which average precision is smaller or larger still, where rows have room of their own."""
    found = BiasedHeads(setting)
    if found.part <= 0.0 or found.weight <= 0.0 or heads.pos.size > _FEW:
        return heads
    sign, share = 1.0 if side == "high" else -1.0, np.diff(found.found)

    def size(phi: FloatArray) -> float:
        return sign * float(sizes_of(setting, _made(phi)))

    def _made(phi: FloatArray) -> Heads:
        return found.with_hidden(np.concatenate([[0.0], np.cumsum(phi)]))

    def toward(phi: FloatArray) -> FloatArray | None:
        """The extreme tilt by the slopes of Σ t·T/Q, t positives by row, T their heads and Q those of F."""
        tpr = found.found + found.part * (np.concatenate([[0.0], np.cumsum(phi)]) - found.found)
        reached = np.maximum(found.heads.cmp[1:], 1e-300)
        later = np.cumsum((np.diff(tpr) / reached)[::-1])[::-1]
        return found.by_rows(tpr[1:] / reached + later, side)

    stepped = np.diff(found.found + (heads.pos - found.heads.pos) / found.weight)
    starts = [share, stepped if found.is_possible(stepped) else toward(stepped)]
    starts += [found.by_rows(found.placements, end) for end in SIDES]
    best, most = share, size(share)
    for phi in starts:
        if phi is None:
            return heads
        here, at = phi, size(phi)
        for _ in range(_STEPS):
            aim = toward(here)
            if aim is None:
                return heads
            tried = [here + part * (aim - here) for part in _PARTS]
            sizes = [size(one) for one in tried]
            place = int(np.argmax(sizes))
            if sizes[place] <= at + _SAME:
                break
            here, at = tried[place], sizes[place]
        if at > most + _SAME:
            best, most = here, at
    return _made(best)


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


def _best_step(setting: Setting, sign: float, sizes_of: OfHeads) -> _Step | None:
    """The step with the largest signed statistic; None if no step is better than none."""
    found = BiasedHeads(setting)
    if found.part == 0.0:
        return None
    share = found.found
    many = max(_AT_ONCE // share.size, 1)

    def sizes(end: str, heads: Any, ratios: Any) -> FloatArray:
        """Signed statistics at these steps."""
        columns = np.array(np.broadcast_arrays(heads, ratios), dtype=np.float64)
        parts = [columns[:, i : i + many, np.newaxis] for i in range(0, columns.shape[1], many)]
        each = [sizes_of(setting, _stepped(found, end, *part)) for part in parts]
        return sign * np.concatenate(each)

    best, chosen = sign * float(sizes_of(setting, setting.heads)), None
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


def linear_range(statistic: Statistic, setting: Setting, centre: Centre) -> Interval:
    """What biased labels leave open of a statistic that is linear in the labelled rows."""
    found = BiasedHeads(setting, whole=not statistic.ranks_only)
    on_pos = statistic.influence(setting)[0]
    ends = [statistic.inside(centre.raw + moved_by(found, on_pos, side)) for side in SIDES]
    return bias_interval([centre.value, *ends])


def searched_range(statistic: Statistic, setting: Setting, centre: Centre) -> Interval:
    """What biased labels leave open of any statistic of ranks."""
    if not statistic.ranks_only:
        raise UnsupportedError(
            f"How far biased labels may move {statistic.name} is not known: it depends on scores, and is not "
            "linear in the labelled rows. Leave out label_bias, or choose another statistic."
        )

    def sizes_of(world: Setting, heads: Heads) -> FloatArray:
        rows = np.atleast_2d(heads.pos)
        each = (Heads(heads.threshold, row, heads.cmp) for row in rows)
        values = np.array([statistic.value(tilted_setting(world, one)) for one in each])
        found = np.where(np.isnan(values), centre.value, values)
        return found if heads.pos.ndim > 1 else found[0]

    ends = [float(sizes_of(setting, extreme_heads(setting, side, sizes_of))) for side in SIDES]
    return bias_interval([centre.value, *ends])
