"""The corrected ROC area when labels may be biased: its range, and the limits of that range.

The uncorrected area is the mean over labelled rows of the share of F below them, ties half, so it is a sum of
the kind that `biased_sums` is about. What the unlabeled have room for is itself subject to sampling
error: the range is taken once more with heads of the unlabeled at their limits, and the distance added as a
part of its own. Where the limit without any such room is closer, that one counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.correction.biased_sums import free_tilt, tilted_reach
from puremetrics.correction.curves import area_of, roc_curve_of
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.sampling.bounded import combined_reach
from puremetrics.setting import Heads, Setting

__all__ = ["area_end", "area_limits", "area_range", "biased_area_limit", "direct_area"]

_ENDS = ((1.0, 0.0), (0.0, 1.0))  # rows above and below all others
_SLACK = 1e-12


def area_range(setting: Setting, method: str, value: float) -> tuple[float, float]:
    """Smallest and largest area that biased labels allow, around the value and without sampling error."""
    blocks = setting.on_blocks()
    moved = 0.0 if blocks is setting else value - area_of(roc_curve_of, blocks, method)
    found = BiasedHeads(blocks, by_score=blocks is setting)
    low, high = (area_end(found, method, side) + moved for side in SIDES)
    return low, high


def area_end(found: BiasedHeads, method: str, side: str) -> float:
    """The smallest or the largest area of heads that are possible."""
    return area_of(roc_curve_of, found.setting, method, found.for_area(side))


def area_limits(points: Sequence[Setting]) -> list[float]:
    """Lower limits of the low ends and upper limits of the high ends, at several priors and purities."""
    blocks = points[0].on_blocks()
    moved = 0.0
    if blocks is not points[0]:
        moved = _area(points[0].heads) - _area(blocks.heads)
    ends = []
    for point in points:
        at = blocks.at(point.prior, point.purity)
        ends += [direct_area(biased_area_limit(at, side) + moved, point.gap) for side in SIDES]
    return ends


def biased_area_limit(setting: Setting, side: str) -> float:
    """The lower limit of the low end, or the upper limit of the high end, as an uncorrected area."""
    found, sign = BiasedHeads(setting), 1.0 if side == "high" else -1.0
    shares = free_tilt(found, found.placements, side)
    phi = np.concatenate([[0.0], np.cumsum(shares)])
    heads = found.with_hidden(phi)
    above = (heads.pos[1:] + heads.pos[:-1]) / 2
    reach = tilted_reach(found, found.placements, above, shares, side, _ENDS)
    free = sign * _area(heads)
    least, most = found.fits()
    if np.all(phi <= most + _SLACK) and np.all(phi >= least - _SLACK):
        return sign * (free + reach)
    fitting, loose = (
        sign * _area(found.by_heads(side, slack)) for slack in (0.0, normal_quantile(setting.level))
    )
    return sign * min(free + reach, fitting + combined_reach(reach, loose - fitting))


def direct_area(area: Any, gap: Any) -> Any:
    """Jain, Eq. (4), of numbers or of arrays; ``gap`` is β − α."""
    return (area - (1 - gap) / 2) / gap


def _area(heads: Heads) -> float:
    return weighted_sum(np.diff(heads.cmp), heads.pos[1:] + heads.pos[:-1]) / 2
