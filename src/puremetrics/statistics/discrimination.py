"""The discrimination slope: mean score of the positives less that of the negatives (Yates 1982, Tjur 2009).

With means over G and F, labels right in a share b and positives a share a of F, Jain's correction gives

    E[s | y = 1] − E[s | y = 0] = (mean_G(s) − mean_F(s)) / (b − a),

a sum over rows: its influence values are the scores themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import Setting
from puremetrics.statistics.catalogue import register
from puremetrics.statistics.statistic import Influence, Spans, Statistic

__all__ = ["DiscriminationSlope"]


@dataclass(frozen=True)
class DiscriminationSlope(Statistic):
    """How far the mean scores of both classes are apart."""

    name = "discrimination_slope"
    title = "Discrimination slope"
    low = -1.0
    linear = True
    ranks_only = False
    of_probabilities = True

    def value(self, world: Setting) -> float:
        return self.inside(self.plain(world))

    def plain(self, world: Setting) -> float:
        samples, (on_pos, on_cmp) = world.rows, self.influence(world)
        of_labelled = weighted_sum(samples.pos, on_pos) / samples.total_pos
        return of_labelled + weighted_sum(samples.cmp, on_cmp) / samples.total_cmp

    def influence(self, world: Setting) -> Influence:
        scaled = world.table.centre / world.gap
        return scaled, -scaled

    def spans(self, world: Setting) -> Spans:
        samples, most = world.rows, 1 / world.gap
        shared = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        return (0.0, (1 - shared) * most), (-most, 0.0)


register("discrimination_slope", lambda ask: DiscriminationSlope())
