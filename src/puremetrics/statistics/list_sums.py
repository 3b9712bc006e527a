"""Sums over the positives by their place in the ranked list, and how far they may be off.

Let Q be the population's share of rows that score at least s, so that N·Q is the rank of s in a list of N
rows, and let a discount φ fall with the rank (`numerics.discounts`). With γ the heads of the positives,

    θ = ∫ φ(N·Q) dγ        over the first k rows of the list, or all of them.

φ = 1 gives the recall of the first k rows. By Jain's correction dγ = A·dG − B·dF with A = (1 − a)/(b − a) and
B = (1 − b)/(b − a), for a share a of positives in F and purity b; with pure labels γ = G, and θ needs no
prior. Rows of one score count with the mean φ̄ of φ over their stretch of the list.

**Influence.** A row adds A·φ̄ through G and −B·φ̄ through F. A row of the list above s also moves s down: it
adds, for all positives at or below itself, φ' times their mass. A stretch of tied rows moves as a whole; its
own rows move one of its ends. At the end of the first k rows the mass that is pushed out counts, φ(k)·ρ with
ρ = dγ/dQ there. That ratio of densities is taken over the sampling error of the cut itself: the slope of γ
between the limits of the share k/N, with one label more there than was seen. So it needs no bandwidth, and
knows levels of tied scores. The list is F, so these parts belong to F; where it is a mixture of G and F
(`sampling.list_ranks`), to both.

Limits are those of means of bounded values (`sampling.bounded`), which allow for what a few labels may
have missed. In a single training set a labelled row is part of the list, too: it raises θ, and pushes
others down. What is left over, the errors of the unlabeled rows, moves the end of the first k rows. What
is reported is a monotone function of θ, at each pair of prior and purity that is possible. Biased labels
move θ by a tilt along φ̄ (`correction.biased`); the room that the unlabeled rows leave is allowed for in
the range, not in its limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.biased import BiasedHeads, free_tilt, moved_by, tilted_reach
from puremetrics.numerics.discounts import Discount
from puremetrics.numerics.sums import weighted_sum
from puremetrics.sampling.bounded import reaches_by_part
from puremetrics.sampling.limits import agresti_coull, linear_variance
from puremetrics.sampling.list_ranks import Ranks
from puremetrics.setting import Setting

__all__ = ["Listed"]


@dataclass(frozen=True, eq=False)
class Listed:
    """θ of a setting at one pair of prior and purity.

    ``tilt`` are shares of the positives to be found by row, where biased labels put them elsewhere.
    """

    setting: Setting
    discount: Discount
    rows: float
    tilt: FloatArray | None = None

    @cached_property
    def ranks(self) -> Ranks:
        """The list."""
        return Ranks(self.setting)

    @cached_property
    def inside(self) -> FloatArray:
        """Which part of each row of the table counts."""
        return self.ranks.inside(self.rows)

    @property
    def ends_early(self) -> bool:
        """Whether some rows do not count."""
        return self.rows < self.ranks.total

    @cached_property
    def values(self) -> FloatArray:
        """φ̄ by row of the table."""
        ranks = self.ranks
        return self.inside * self.discount.mean(ranks.start, np.minimum(ranks.end, self._last))

    @cached_property
    def _last(self) -> FloatArray:
        """Where each row ends, or the part of it that counts."""
        return np.maximum(np.minimum(self.ranks.end, self.rows), self.ranks.start)

    @property
    def _factors(self) -> tuple[float, float]:
        setting = self.setting
        return (1 - setting.share) / setting.gap, (1 - setting.purity) / setting.gap

    @cached_property
    def mass(self) -> FloatArray:
        """Share of the positives in each row of the table, as the correction finds it."""
        heads, (by_pos, by_cmp) = self.setting.heads, self._factors
        mass = by_pos * np.diff(heads.pos) - by_cmp * np.diff(heads.cmp)
        if self.tilt is not None:
            found = BiasedHeads(self.setting)
            mass = mass + found.part * (self.tilt - np.diff(found.found))
        return np.asarray(mass)

    @cached_property
    def value(self) -> float:
        """θ."""
        return weighted_sum(self.mass, self.values)

    @cached_property
    def ratio(self) -> float:
        """ρ at the end of the rows that count, with one label more: few may have none there by chance."""
        if not self.ends_early:
            return 0.0
        total = self.ranks.total
        low, high = agresti_coull(self.rows / total, self.ranks.size, self.setting.level)
        heads = np.concatenate([[0.0], np.cumsum(self.mass)])
        ends = self.ranks.head(heads, np.array([low, high]) * total)
        one = 1 / self.setting.samples.sizes[0]
        return (max(float(ends[1] - ends[0]), 0.0) + one) / (high - low)

    @cached_property
    def pushed(self) -> FloatArray:
        """What a row of the list adds by pushing down the positives at or below it."""
        ranks, total = self.ranks, self.ranks.total
        length = ranks.end - ranks.start
        some = length > 0
        ends, starts = self.discount.level(self._last), self.discount.level(ranks.start)
        by_slope = self.inside * self.discount.slope(ranks.start)
        below = np.divide(
            np.where(self.inside > 0, ends - starts, 0.0), length, out=by_slope, where=some
        )
        own = by_slope / 2
        np.divide(ends * self.inside - self.values, length, out=own, where=some)
        moved = self.mass * below
        after = np.cumsum(moved[::-1])[::-1] - moved
        pushed = total * (after + self.mass * own)
        if self.ends_early:
            pushed = pushed - float(self.discount.level(self.rows)) * self.ratio * self.inside
        return np.asarray(pushed)

    def influence(self) -> tuple[FloatArray, FloatArray]:
        """Influence of a row through G and through F."""
        (by_pos, by_cmp), mixed = self._factors, self.setting.mixed
        return (
            by_pos * self.values + mixed * self.pushed,
            (1 - mixed) * self.pushed - by_cmp * self.values,
        )

    def _corners(self) -> list[tuple[float, float]]:
        """φ̄ and what is pushed for a row above, and for one below all others.

        A label stands for as many positives as there are to each label: not all can be the very first row.
        """
        last = 0.0 if self.ends_early else float(self.discount.mean(self.rows, self.rows))
        total, labels = self.ranks.total, self.setting.samples.sizes[0]
        first = min(self.setting.prior * total / labels, self.rows)
        return [(float(self.discount.mean(0.0, first)), float(self.pushed[0])), (last, 0.0)]

    @cached_property
    def limits(self) -> tuple[float, float]:
        """How far θ may lie below and above its estimate.

        What labelled rows may have missed is counted from the farthest of them: below from the highest one
        seen down to what is possible, above from the lowest one up to it.
        """
        setting, samples, (by_pos, by_cmp) = self.setting, self.setting.samples, self._factors
        labelled = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        on_pos, on_cmp = self.influence()
        mixed = self.setting.mixed
        both = (on_pos + labelled * on_cmp)[np.asarray(samples.pos) > 0]
        ends = [(by_pos * v + mixed * p, (1 - mixed) * p - by_cmp * v) for v, p in self._corners()]
        corners = [x + labelled * y for x, y in ends]
        others = [float(on_cmp.min()), float(on_cmp.max()), *(y for _, y in ends)]
        span = min(others), max(others)
        seen = float(both.min()), float(both.max())
        low = min(seen[0], *corners), seen[1]
        high = seen[0], max(seen[1], *corners)
        spans = low, high
        parts = [
            reaches_by_part(samples, on_pos, on_cmp, setting.level, (own, span)) for own in spans
        ]
        reaches = [part.reach(side) for side, part in enumerate(parts)]
        if mixed == 0.0:
            # A list with more rows above a score says the same as one with fewer below: the errors of F are
            # turned round, and the farther of both sides counts for what bends.
            cuts = self._cut_reaches() if self.ends_early else (0.0, 0.0)
            for side, (part, cut) in enumerate(zip(parts, cuts, strict=True)):
                reaches[side] = max(reaches[side], part.reach(side, max(*part.others, cut)))
        return reaches[0], reaches[1]

    def _cut_reaches(self) -> tuple[float, float]:
        """How much less and more there may be because the end of the rows is that of a sample.

        The population's end has a rank in the sample that varies about k as a binomial number does; what is
        found up to its limits says it without a slope, where the curve bends.
        """
        total, level = self.ranks.total, float(self.discount.level(self.rows))
        low, high = agresti_coull(self.rows / total, self.ranks.size, self.setting.level)
        heads = np.concatenate([[0.0], np.cumsum(self.mass)])
        ends = self.ranks.head(heads, np.array([low * total, self.rows, high * total]))
        one = 1 / self.setting.samples.sizes[0]
        level *= np.sqrt(1 - self._labelled_part)
        return (
            level * (max(float(ends[1] - ends[0]), 0.0) + one),
            level * (max(float(ends[2] - ends[1]), 0.0) + one),
        )

    @property
    def _labelled_part(self) -> float:
        """Share of labelled rows among those that count, if they are part of the list.

        What they add to the error is counted with what they say of the positives.
        """
        samples = self.setting.samples
        if not samples.one_sample:
            return 0.0
        labelled = weighted_sum(self.inside, np.asarray(samples.table.n_pos, dtype=np.float64))
        rows = weighted_sum(self.inside, np.asarray(samples.cmp, dtype=np.float64))
        return min(labelled / rows, 1.0) if rows > 0 else 0.0

    def error(self) -> float:
        """The standard error."""
        return float(np.sqrt(linear_variance(self.setting.samples, *self.influence()).total))

    # ---------------------------------------------------------------- biased labels

    def biased(self, side: str) -> tuple[float, float]:
        """The lowest or highest θ that biased labels allow, and its limit on that side."""
        setting, sign = self.setting, 1.0 if side == "high" else -1.0
        blocks = setting.on_blocks()
        at = self if blocks is setting else Listed(blocks, self.discount, self.rows)
        found, by_pos = BiasedHeads(blocks), at._factors[0]
        values = by_pos * at.values
        open_ = moved_by(found, values, side)
        shares = free_tilt(found, values, side)
        tilted = Listed(blocks, self.discount, self.rows, shares)
        free = tilted.value - at.value
        ends = tuple((by_pos * v, p) for v, p in tilted._corners())
        on_cmp = tilted.influence()[1]
        reach = tilted_reach(found, values, on_cmp, shares, side, ends)
        limit = max(sign * free + reach, sign * open_)
        return self.value + open_, self.value + sign * limit
