"""What labels that are biased up to Γ leave open: the positives' heads between two limits.

`setting.setting` states the model. With γ the heads of the positives if labels were at random (G itself if
they are pure), φ those of the positives to be found, and F = a·TPR + (1 − a)·FPR as always:

- φ is a tilt of γ within Γ: at one threshold logit φ = logit γ ± log Γ.
- TPR = γ + m·(φ − γ). In case-control m is 1. In a single training set the labelled positives, a share c of
  all, are known, and m = 1 − c.
- Hidden positives must fit among the unlabeled: with U the heads of these and α their share of positives,
  φ ≤ U/α in each head and 1 − φ ≤ (1 − U)/α in each tail; and where each labelled score has unlabeled rows
  of its own, the same row by row. Heads and rows in which γ itself does not fit, by noise as a rule, get γ as
  limit.

Impure labels, a share b of them right, are a mixture with negatives n = (U − α·φ)/(1 − α), in which φ appears
again. Solving for it row by row leaves φ a tilt of γ within Γ·(b − α)/(b·(1 − α) − Γ·α·(1 − b)) at most. That
is used then, and it encloses. For the same reason m = 1 − c + c·(1 − b)·α/(b·(1 − α)).

Tables with very many labelled rows are merged into some thousand blocks first (`Setting.on_blocks`). What the
bias moves on them is added to what the rows themselves gave, and deviates by less than 1e-4, outwards as a
rule; bands of the curves that areas carry are those of the blocks.

The area under the ROC curve is linear in φ, so its ends are those of a linear program (`numerics.tilting`):
row by row where that is possible, else by heads. The area between pointwise limits is wider: no single φ is
extreme at all thresholds. A path that fits by heads but not by rows is repaired as the corrected one is.

**Sums over labelled rows** (`tilted_reach`): their range if labels may be biased, and how far its ends may be
off. Let a statistic be mean_G(h) + mean_F(k), such as an area (h the share of F below a row) or a risk. In
the symbols above, tilted heads make it

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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.sums import weighted_sum
from puremetrics.numerics.tilting import (
    capped_rows,
    capped_steps,
    extreme_step,
    extreme_tilt,
    filled_heads,
    shifted,
)
from puremetrics.results import Interval
from puremetrics.sampling.bounded import Span, linear_reaches
from puremetrics.setting import Heads, LabelBias, Setting, TwoSamples

__all__ = [
    "SIDES",
    "BiasedHeads",
    "bias_interval",
    "biased_rate",
    "free_tilt",
    "moved_by",
    "room_of_cells",
    "tilted_reach",
]


SIDES = ("low", "high")
_ENDLESS = 1e9  # a ratio beyond which nothing is left to assume
_MANY = 1500  # scores, beyond which the room of each is left aside if the favoured side is known
_SLACK = 1e-9  # of the room of a row
_LEAST_SHARE = 1e-150  # whose square floats still tell from 0


def room_of_cells(share: FloatArray, rows: FloatArray, hidden_share: float) -> FloatArray:
    """The largest φ of cells with these shares of the labelled and of the unlabeled rows.

    A cell in which γ itself does not fit keeps γ: labels at random stay possible at every Γ, so what a larger
    one leaves open holds what a smaller one does.
    """
    return np.asarray(np.maximum(rows / max(hidden_share, _LEAST_SHARE), share))


def biased_rate(
    setting: Setting, tpr: Any, hidden: Any, side: str, prior: Any = None, purity: Any = None
) -> Any:
    """The lowest or highest true positive rate at a threshold, from that with random labels.

    ``hidden`` is the share of the unlabeled in the head. Prior and purity may be arrays that broadcast.
    """
    prior = setting.prior if prior is None else prior
    purity = setting.purity if purity is None else purity
    share = setting.design.unlabeled_share(setting.table.totals, prior, purity)
    share = 0.0 if share is None else share
    ratio = _ratio(setting, purity, share, side)
    found = np.clip(tpr, 0.0, 1.0)
    bottom, some = np.maximum(share, 1 / _ENDLESS), np.asarray(share) > 0
    if side == "high":
        room = np.where(some, hidden / bottom, 1.0)
        phi = np.minimum(shifted(found, ratio), np.maximum(room, found))
    else:
        room = np.where(some, 1 - (1 - hidden) / bottom, 0.0)
        phi = np.maximum(shifted(found, 1 / ratio), np.minimum(room, found))
    return tpr + _part(setting, prior, purity, share) * (phi - found)


def bias_interval(ends: Sequence[float]) -> Interval:
    """What biased labels leave open, from the values at both ends."""
    return Interval(min(ends), max(ends), 1.0, "identification", "label_bias")


def _ratio(setting: Setting, purity: Any, share: Any, side: str) -> Any:
    """Γ on the side of the low or of the high end, with what impure labels add."""
    ratio = setting.bias.down if side == "low" else setting.bias.up
    bottom = purity * (1 - share) - ratio * share * (1 - purity)
    enclosing = ratio * (purity - share) / np.maximum(bottom, 1 / _ENDLESS)
    return np.where(np.asarray(purity) == 1.0, ratio, np.clip(enclosing, ratio, _ENDLESS))


def _part(setting: Setting, prior: Any, purity: Any, share: Any) -> Any:
    """m: how much of the true positive rate is open."""
    known = setting.design.labelled_share(setting.table.totals, prior, purity)
    more = known * (1 - purity) * share / np.maximum(purity * (1 - share), 1 / _ENDLESS)
    return 1.0 - known + more


@dataclass(frozen=True)
class BiasedHeads:
    """Heads that are possible in a setting at one pair of prior and purity.

    ``whole`` takes the rows of the table itself, for sums that depend on scores, not those cut by rank.
    Without ``by_score`` room among the unlabeled is counted head by head only, as rows that were merged ask.
    """

    setting: Setting
    whole: bool = False
    by_score: bool = True

    @cached_property
    def samples(self) -> TwoSamples:
        """The two samples."""
        return self.setting.rows if self.whole else self.setting.samples

    @cached_property
    def heads(self) -> Heads:
        """Those of the two samples."""
        return self.samples.heads

    @cached_property
    def found(self) -> FloatArray:
        """γ: heads of the positives if labels are at random, made to rise."""
        setting = self.setting
        if setting.purity == 1.0:
            return self.heads.pos
        tpr, _ = corrected_rates(self.heads.pos, self.heads.cmp, setting.share, setting.purity)
        rising = np.clip(np.maximum.accumulate(tpr), 0.0, 1.0)
        rising[-1] = 1.0
        return rising

    @cached_property
    def hidden_share(self) -> float:
        """α; 0 where there are no unlabeled rows."""
        return self.setting.unlabeled_share or 0.0

    @cached_property
    def part(self) -> float:
        """m: how much of the true positive rate is open."""
        setting = self.setting
        return float(_part(setting, setting.prior, setting.purity, self.hidden_share))

    @cached_property
    def _ratios(self) -> dict[str, float]:
        setting, share = self.setting, self.hidden_share
        return {side: float(_ratio(setting, setting.purity, share, side)) for side in SIDES}

    def ratio(self, side: str) -> float:
        """Γ on the side of the low or of the high end."""
        return self._ratios[side]

    @cached_property
    def placements(self) -> FloatArray:
        """Share of F below each row, ties half."""
        return np.asarray(1 - (self.heads.cmp[1:] + self.heads.cmp[:-1]) / 2)

    def fits(self, slack: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest φ that each head has room for; ``slack`` loosens, in standard errors."""
        found, share = self.found, self.hidden_share
        if share <= 0.0:
            return np.zeros_like(found), np.ones_like(found)
        heads = np.concatenate([[0.0], np.cumsum(self.samples.table.n_unl, dtype=np.float64)])
        heads /= heads[-1]
        size = max(self.samples.sizes[1], 1.0)
        reach = slack * np.sqrt((heads * (1 - heads) + slack**2 / size / 4) / size)
        reach = reach + slack**2 / size / 2
        most = np.minimum(np.minimum(heads + reach, share) / share, 1.0)
        least = np.maximum(1 - np.minimum(1 - heads + reach, share) / share, 0.0)
        return np.minimum(least, found), np.maximum(most, found)

    @cached_property
    def room(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest φ that each head has room for without slack, made once."""
        return self.fits()

    def pointwise(self, side: str) -> Heads:
        """The lowest or the highest heads, at every threshold by itself."""
        ratio, (least, most) = self.ratio(side), self.fits()
        if side == "high":
            return self.with_hidden(np.minimum(shifted(self.found, ratio), most))
        return self.with_hidden(np.maximum(shifted(self.found, 1 / ratio), least))

    def for_area(self, side: str) -> Heads:
        """The heads with the smallest or the largest area under the ROC curve."""
        if self.ratio(side) == 1.0 or self.part == 0.0:
            return self.heads
        rows = self.by_rows(self.placements, side)
        if rows is None:
            return self.by_heads(side)
        return self.with_hidden(np.concatenate([[0.0], np.cumsum(rows)]))

    def by_heads(self, side: str, slack: float = 0.0) -> Heads:
        """Heads of extreme area in the room of heads and tails; ``slack`` loosens, in standard errors."""
        share, ratio, (least, most) = np.diff(self.found), self.ratio(side), self.fits(slack)
        falls = -np.diff(self.placements)
        if side == "high":
            heads = filled_heads(share, np.append(falls, 0.0), ratio, most[1:])
            return self.with_hidden(np.concatenate([[0.0], heads]))
        tails = filled_heads(share[::-1], np.append(falls[::-1], 0.0), ratio, 1 - least[:-1][::-1])
        return self.with_hidden(np.concatenate([1.0 - tails[::-1], [1.0]]))

    def by_rows(self, values: FloatArray, side: str) -> FloatArray | None:
        """φ by row with the smallest or largest mean of values, every row with room for its positives.

        None where that is impossible, as a rule because labelled scores have no unlabeled rows of their own.
        """
        if not self.by_score:
            return None
        share, ratio = np.diff(self.found), self.ratio(side)
        signed = values if side == "high" else -values
        if self.hidden_share <= 0.0:
            return extreme_tilt(share, signed, ratio)
        if self._row_room is None:
            return None
        known = self.setting.bias.side
        if known == "either":
            return capped_rows(share, signed, ratio, self._row_room)
        if share.size > _MANY:
            return None
        # Known to favour high scores: v falls from the bottom to the top.
        turned = slice(None, None, -1 if known == "high" else 1)
        most = max(self.ratio(end) for end in SIDES)
        found = capped_steps(share[turned], signed[turned], most, self._row_room[turned])
        return np.asarray(found[turned])

    @cached_property
    def _row_room(self) -> FloatArray | None:
        """The largest φ of each row; None if some labelled score has no unlabeled rows of its own."""
        share, unlabeled = np.diff(self.found), self.samples.table.n_unl.astype(np.float64)
        if np.any((share > 0) & (unlabeled == 0)):
            return None
        rows = unlabeled / unlabeled.sum()
        return room_of_cells(share, rows, self.hidden_share)

    def is_possible(self, phi: FloatArray) -> bool:
        """Whether φ, by row, is a tilt within Γ, and every row has room for its positives.

        A tilt whose heads were cut to the room that they have need not be one any more.
        """
        if self._row_room is not None and np.any(phi > self._row_room * (1 + _SLACK)):
            return False
        share = np.diff(self.found)
        if np.any(phi[share <= 0] > _SLACK):  # positives where no label is
            return False
        tilts = phi[share > 0] / share[share > 0]
        most = max(self.ratio(side) for side in SIDES)
        return bool(tilts.max() <= most * tilts.min() * (1 + _SLACK))

    def rate_at(self, tpr: float, hidden: float, inside: BoolArray, side: str) -> float:
        """The lowest or highest true positive rate at a threshold, by rows where that is possible.

        ``inside`` says which rows of the cut table reach the threshold.
        """
        rows = self.by_rows(inside.astype(np.float64), side)
        if rows is None:
            return float(biased_rate(self.setting, np.float64(tpr), hidden, side))
        found = float(np.diff(self.found)[inside].sum())
        return tpr + self.part * (float(rows[inside].sum()) - found)

    @cached_property
    def weight(self) -> float:
        """How much heads of G move with φ: m·(b − a)/(1 − a)."""
        setting = self.setting
        return self.part * (setting.purity - setting.share) / (1 - setting.share)

    def with_hidden(self, phi: FloatArray) -> Heads:
        """Heads that the correction turns into the true positive rates that follow from φ."""
        moved = self.heads.pos + self.weight * (phi - self.found)
        moved[..., 0], moved[..., -1] = 0.0, 1.0
        return Heads(self.heads.threshold, moved, self.heads.cmp)


def free_tilt(found: BiasedHeads, values: FloatArray, side: str) -> FloatArray:
    """φ by row with the smallest or largest mean of values, whatever room the unlabeled leave."""
    signed, bias = values if side == "high" else -values, found.setting.bias
    share = np.diff(found.found)
    if bias.side == "either":
        return extreme_tilt(share, signed, found.ratio(side))
    # Known to favour high scores: positives below a cut are under-labelled, in the order from the bottom.
    turned = slice(None, None, -1 if bias.side == "high" else 1)
    ratio = max(found.ratio(end) for end in SIDES)
    return extreme_step(share[turned], signed[turned], ratio)[turned]


def moved_by(found: BiasedHeads, values: FloatArray, side: str) -> float:
    """What the smallest or largest possible φ adds to the statistic; by rows where that is possible.

    A known side leaves no more open than an unknown one, whose room among the unlabeled counts as well.
    """
    bias = found.setting.bias
    either = replace(found, setting=found.setting.with_bias(LabelBias(bias.most)))
    sharp = (
        found.by_rows(values, side) if bias.side != "either" and found.hidden_share > 0 else None
    )
    if sharp is not None:
        return found.weight * weighted_sum(sharp - np.diff(found.found), values)
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
