"""The calibration error as a statistic: what models, folds and segments are compared by.

The calibration error is a sum of absolute gaps (`calibration.gaps`). A gap of clear sign adds linearly; the
sign of one that is not is a matter of chance, and what it adds comes on top as a variance of its own.
Debiasing leaves a part of the bias where gaps are no larger than their noise: half of the most that it may be
is taken off in differences, and the rest counts as a standard error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.auditing import Audited
from puremetrics.auditing.areas import Measured
from puremetrics.calibration.audited import audited_calibration
from puremetrics.calibration.error import calibration_of
from puremetrics.calibration.gaps import BinGaps, biased_gaps, bin_gaps, limits_beyond
from puremetrics.calibration.results import CalibrationResult
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Estimate, Interval
from puremetrics.setting import Setting
from puremetrics.statistics.catalogue import register
from puremetrics.statistics.over_folds import FoldLimits, grouped_rows, stretch_of
from puremetrics.statistics.statistic import Centre, Influence, Limits, Statistic
from puremetrics.tables.folds import Folds

__all__ = ["CalibrationError"]

_LEFT = 0.47  # standard errors of a gap without a clear sign: the most that debiasing may leave


@dataclass(frozen=True)
class CalibrationError(Statistic):
    """The calibration error, with each model's own bins."""

    name = "calibration_error"
    title = "Calibration error"
    smaller_is_better = True
    ranks_only = False
    of_probabilities = True
    differences_unrepaired = True
    interval_method = "split_analytic"

    def result(self, setting: Setting) -> CalibrationResult:
        """The error with its bins and guarantees."""
        return calibration_of(setting)

    def gaps(self, world: Setting) -> BinGaps:
        """The gaps of the bins."""
        moments = self.result(world).moments
        assert moments is not None
        return bin_gaps(moments, world.prior, world.purity, world.share)

    def value(self, world: Setting) -> float:
        return self.inside(self.gaps(world).error)

    def plain(self, world: Setting) -> float:
        """The debiased error, below 0 by noise if need be: what is held to 0 would not cancel."""
        return self._debiased(self.gaps(world))

    def _debiased(self, gaps: BinGaps) -> float:
        return gaps.debiased - self._left(gaps) / 2

    def _left(self, gaps: BinGaps) -> float:
        """The most that debiasing may have left."""
        return _LEFT * weighted_sum(1 - gaps.sign**2, gaps.noise)

    def influence(self, world: Setting) -> Influence:
        gaps = self.gaps(world)
        score, upper = world.rows.table.score, gaps.moments.upper
        place = np.minimum(np.searchsorted(upper, score, side="left"), upper.size - 1)
        on_pos, on_cmp = (
            gaps.sign[place] * (c0 + c1 * score) for c0, c1 in (gaps.on_pos, gaps.on_cmp)
        )
        return on_pos, on_cmp

    def unclear(self, world: Setting) -> float:
        gaps = self.gaps(world)
        return weighted_sum(1 - gaps.sign**2, gaps.variance) + self._left(gaps) ** 2 / 4

    def estimate(self, setting: Setting) -> Estimate:
        """The estimate of the result, which knows all worlds, groups and biased labels bin by bin."""
        return self.result(setting).estimate()

    def with_groups(self, setting: Setting) -> Setting:
        return setting  # the result allows for them

    def centre(self, setting: Setting) -> Centre:
        value = self.value(setting)
        return Centre(value, value)

    def interval_around(self, setting: Setting, centre: Centre) -> Interval:
        return self.result(setting).interval

    def bias_range(self, setting: Setting, centre: Centre) -> Interval:
        found = self.result(setting).bias_range
        assert found is not None
        return found

    def limits_at(self, world: Setting) -> Limits:
        low, high = self.result(world).interval
        return low, high

    def biased_alone(self, world: Setting) -> tuple[float, float, float]:
        gaps = self.gaps(world)
        ends = biased_gaps(world, gaps)
        low, high = (self._debiased(end) for end in ends)
        error = max(gaps.standard_error, 1e-300)
        grown = max(end.standard_error / error for end in (gaps, *ends))
        here = self._debiased(gaps)
        return min(low, here), max(high, here), grown

    # ---------------------------------------------------------------- folds

    def fold_values(self, folds: Folds, name: str, setting: Setting) -> FloatArray:
        return np.array(
            [self.gaps(setting.on(joint.tables[name])).debiased for joint in folds.joints]
        )

    def fold_mean(self, folds: Folds, name: str, world: Setting) -> float:
        values = [self.plain(world.on(joint.tables[name])) for joint in folds.joints]
        return float(np.mean(values))

    def fold_unclear(self, folds: Folds, name: str, world: Setting) -> float:
        parts = (self.unclear(world.on(joint.tables[name])) for joint in folds.joints)
        return sum(parts) / len(folds.names)

    def fold_limits(self, folds: Folds, name: str, world: Setting) -> FoldLimits:
        """Beyond what the folds leave open on average."""
        rows = self.fold_rows(folds, name, world)
        grouping = grouped_rows(folds, rows, world.level)[1]
        gaps = [self.gaps(world.on(joint.tables[name])) for joint in folds.joints]
        count, grown = len(gaps), stretch_of(grouping)
        least, most = np.mean([gap.ends for gap in gaps], axis=0)
        below, above = np.array([gap.reaches(world.level) for gap in gaps]).T
        value = float(np.mean([gap.debiased for gap in gaps]))
        reaches = (
            grown * float(np.linalg.norm(below)) / count,
            grown * float(np.linalg.norm(above)) / count,
        )
        trust = min(gap.trust for gap in gaps)
        low, high = limits_beyond((float(least), float(most)), reaches, world.level, trust)
        error = float(np.linalg.norm([gap.standard_error for gap in gaps])) / count
        effect = 1.0 if grouping is None else grouping.design_effect
        error *= float(np.sqrt(effect))
        return FoldLimits(value, min(low, value), max(high, value), error, grouping, "folds_mover")

    def audited(self, audited: Audited) -> Measured:
        found = audited_calibration(audited)
        return Measured(found.error, *found.interval)


register("calibration_error", lambda ask: CalibrationError())
