"""Sums over labelled rows when labels may be biased: their range, and how far the ends may be off.

Let a statistic be mean_G(h) + mean_F(k), such as an area (h the share of F below a row) or a risk. In the
symbols of `biased`, tilted heads make it

    Σ h·g + w·Σ h·(φ − γ) + mean_F(k),     w = m·(b − a)/(1 − a),

whose extremes over φ are those of a tilt by h. At a step of v, Γ on one side of the expectile θ of h and 1 on
the other, with W = Σ γ·v, a labelled row moves it by

    (1 − m)·h + m·v·(h − θ)/W,

since the place of the step has no effect to first order. A row of F moves it by k, less (1 − b)/(1 − a) times
what that differs from h, if labels are impure.

If it is known which side labels favour, v falls (or rises) with the score, and φ is a mixture of steps along
the score: the extremes are among those.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import SIDES, BiasedHeads
from puremetrics.numerics.sums import weighted_sum
from puremetrics.numerics.tilting import stepped, tilted
from puremetrics.sampling.bounded import Span, linear_reaches
from puremetrics.setting import LabelBias

__all__ = ["free_tilt", "moved_by", "tilted_reach"]


def free_tilt(found: BiasedHeads, values: FloatArray, side: str) -> FloatArray:
    """φ by row with the smallest or largest mean of values, whatever room the unlabeled leave."""
    signed, bias = values if side == "high" else -values, found.setting.bias
    share = np.diff(found.found)
    if bias.side == "either":
        return tilted(share, signed, found.ratio(side))
    # Known to favour high scores: positives below a cut are under-labelled, in the order from the bottom.
    turned = slice(None, None, -1 if bias.side == "high" else 1)
    ratio = max(found.ratio(end) for end in SIDES)
    return stepped(share[turned], signed[turned], ratio)[turned]


def moved_by(found: BiasedHeads, values: FloatArray, side: str) -> float:
    """What the smallest or largest possible φ adds to the statistic; by rows where that is possible.

    A known side leaves no more open than an unknown one, whose room among the unlabeled counts as well.
    """
    bias = found.setting.bias
    either = replace(found, setting=found.setting.with_bias(LabelBias(bias.most)))
    tried = [] if bias.side == "either" else [free_tilt(found, values, side)]
    rows = either.by_rows(values, side)
    tried.append(free_tilt(either, values, side) if rows is None else rows)
    moved = [found.weight * weighted_sum(rows - np.diff(found.found), values) for rows in tried]
    return min(moved) if side == "high" else max(moved)


def tilted_reach(
    found: BiasedHeads,
    values: FloatArray,
    on_cmp: FloatArray,
    shares: FloatArray,
    side: str,
    ends: tuple[Span, ...],
) -> float:
    """How far the statistic at a free tilt may lie below its low or above its high end.

    ``ends`` are pairs of h and k that rows may have although no row of the table does.
    """
    setting, samples = found.setting, found.samples
    before, part = np.diff(found.found), found.part
    mean = weighted_sum(shares, values)
    labelled_rows = np.flatnonzero(before > 0)
    factors = shares[labelled_rows] / before[labelled_rows]  # v/W
    nearest = np.searchsorted(labelled_rows, np.arange(before.size), side="right") - 1
    on_pos = (1 - part) * values + part * factors[np.maximum(nearest, 0)] * (values - mean)
    impure = (1 - setting.purity) / (1 - setting.share)
    on_others = on_cmp - impure * (on_pos - values)
    labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
    both = [on_pos + labelled * on_others]
    reached = np.array([factors.min(), factors.max()])
    both += [(1 - part) * h + part * reached * (h - mean) + labelled * k for h, k in ends]
    spans = (
        (min(float(b.min()) for b in both), max(float(b.max()) for b in both)),
        (
            min([float(on_others.min()), *(k for _, k in ends)]),
            max([float(on_others.max()), *(k for _, k in ends)]),
        ),
    )
    reaches = linear_reaches(samples, on_pos, on_others, setting.level, spans)
    return reaches[1] if side == "high" else reaches[0]
