"""What models can be compared by: the value of each statistic, and what every row adds to its error.

A statistic is a smooth function of the two samples G and F, so its error is a sum over rows: each row adds
its influence over the size of its sample. Differences of two models are sums over the same rows.

The calibration error is a sum of absolute gaps. A gap of clear sign adds linearly; the sign of one that is
not is a matter of chance, and what it adds comes on top as a variance of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.calibration.error import calibration_of
from puremetrics.calibration.gaps import BinGaps, biased_gaps, bin_gaps
from puremetrics.calibration.risk import (
    Loss,
    brier_loss,
    log_loss_of,
    risk_estimate,
    risk_influence,
    risk_spans,
)
from puremetrics.checking.arguments import check_level, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.listed import listed_statistic
from puremetrics.comparing.measured import Compared, Influence, Spans, errors_by_group
from puremetrics.correction.areas import area_estimate, area_influence, direct_area, raw_area
from puremetrics.correction.curves import area_of, pr_curve_of, roc_curve_of
from puremetrics.correction.metric import metric_estimate, metric_slopes, metric_value
from puremetrics.correction.precision import precision_estimate, precision_influence
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import Formula, at_own_risk, find_formula
from puremetrics.numerics.quantiles import small_sample
from puremetrics.numerics.sums import weighted_sum
from puremetrics.ranking.catalogue import MEASURES
from puremetrics.ranking.frame import estimate as ranking_estimate
from puremetrics.ranking.influence import Cells, influence_of
from puremetrics.ranking.rows import Ranked
from puremetrics.results import Curve, Estimate
from puremetrics.sampling.limits import contributions
from puremetrics.setting import (
    RANDOM,
    LabelBias,
    PriorLike,
    PurityLike,
    Setting,
    check_whole,
)
from puremetrics.tables.joint import JointTable
from puremetrics.tables.score_table import ScoreTable

__all__ = ["AtThreshold", "Calibration", "Compared", "compared"]


@dataclass(frozen=True)
class _Area(Compared):
    name: str
    make: Callable[[Setting], Estimate]
    curve: Callable[..., Curve]
    spread: Callable[[Setting], Influence]
    default_interval: str = "analytic"
    ranked_by_prior: bool = True
    linear: bool = True

    def estimate(self, setting: Setting) -> Estimate:
        return self.make(setting)

    def value(self, setting: Setting) -> float:
        return area_of(self.curve, setting, "indirect")

    def plain(self, setting: Setting) -> float:
        if not self.linear:
            return self.value(setting)
        return float(direct_area(raw_area(setting.samples), setting.gap))

    def influence(self, setting: Setting) -> Influence:
        return self.spread(setting)

    def spans(self, setting: Setting) -> Spans | None:
        if not self.linear:
            return None
        samples, most = setting.samples, 1 / setting.gap
        least = samples.total_pos / samples.total_cmp if samples.one_sample else 0.0
        return (least * most, most), (0.0, most)


@dataclass(frozen=True)
class _Risk(Compared):
    """The unbiased risk: a part that is held to 0 would not cancel in differences."""

    name: str
    loss: Callable[[ScoreTable], Loss]
    ranks_only: bool = False
    linear: bool = True
    span: float = 1.0

    def estimate(self, setting: Setting) -> Estimate:
        return risk_estimate(setting, self.loss(setting.table), nonnegative=False)

    def value(self, setting: Setting) -> float:
        on_pos, on_cmp = self.influence(setting)
        samples = setting.rows
        means = (
            weighted_sum(counts, values) / total
            for counts, values, total in (
                (samples.pos, on_pos, samples.total_pos),
                (samples.cmp, on_cmp, samples.total_cmp),
            )
        )
        return sum(means)

    def influence(self, setting: Setting) -> Influence:
        return risk_influence(setting, self.loss(setting.table))

    def spans(self, setting: Setting) -> Spans | None:
        return risk_spans(setting, self.loss(setting.table), self.influence(setting))


@dataclass(frozen=True)
class _Calibration(Compared):
    """The debiased calibration error, with each model's own bins.

    Debiasing leaves a part of the bias where gaps are no larger than their noise: half of the most that it
    may be is taken off, and the rest counts as a standard error.
    """

    name: str = "calibration_error"
    ranks_only: bool = False

    def estimate(self, setting: Setting) -> Estimate:
        check_probabilities(setting.table, self.name)
        return calibration_of(setting).estimate()

    def value(self, setting: Setting) -> float:
        """Below 0 by noise, if need be: what is held to 0 would not cancel in differences."""
        return self._of_gaps(self.gaps(setting))

    def _of_gaps(self, gaps: BinGaps) -> float:
        return gaps.debiased - self._left(gaps) / 2

    def biased_ends(self, setting: Setting) -> tuple[float, float, float] | None:
        gaps = self.gaps(setting)
        ends = biased_gaps(setting, gaps)
        low, high = (self._of_gaps(end) for end in ends)
        error = max(gaps.standard_error, 1e-300)
        grown = max(end.standard_error / error for end in (gaps, *ends))
        return min(low, self._of_gaps(gaps)), max(high, self._of_gaps(gaps)), grown

    def influence(self, setting: Setting) -> Influence:
        gaps = self.gaps(setting)
        score, upper = setting.rows.table.score, gaps.moments.upper
        place = np.minimum(np.searchsorted(upper, score, side="left"), upper.size - 1)
        on_pos, on_cmp = (
            gaps.sign[place] * (c0 + c1 * score) for c0, c1 in (gaps.on_pos, gaps.on_cmp)
        )
        return on_pos, on_cmp

    def unclear(self, setting: Setting) -> float:
        gaps = self.gaps(setting)
        return weighted_sum(1 - gaps.sign**2, gaps.variance) + self._left(gaps) ** 2 / 4

    def _left(self, gaps: BinGaps) -> float:
        """The most that debiasing may have left: 0.47 standard errors of each gap without a clear sign."""
        return 0.47 * weighted_sum(1 - gaps.sign**2, gaps.noise)

    def gaps(self, setting: Setting) -> BinGaps:
        """The gaps of the bins."""
        moments = calibration_of(setting).moments
        assert moments is not None
        return bin_gaps(moments, setting.prior, setting.purity)


@dataclass(frozen=True)
class _Ranking(Compared):
    """A measure of the ranking of labelled rows among all rows, which needs no prior."""

    name: str

    def assume(
        self,
        table: ScoreTable,
        prior: PriorLike,
        purity: PurityLike,
        level: float,
        bias: LabelBias = RANDOM,
    ) -> Setting:
        check_whole(table, "A ranking measure", "roc_auc, which takes weights")
        return Setting.naive(table, check_level(level), two_samples=True)

    def on(self, common: Setting, table: ScoreTable) -> Setting:
        return Setting.naive(table, common.level, two_samples=True)

    def estimate(self, setting: Setting) -> Estimate:
        return ranking_estimate(self.name, setting.table, setting.level)

    def value(self, setting: Setting) -> float:
        return ranking_estimate(self.name, setting.table, None).value

    def row_errors(self, joint: JointTable, name: str, setting: Setting) -> FloatArray:
        ranked = Ranked.all_rows(joint.tables[name])
        influence = influence_of(Cells.of(ranked), MEASURES[self.name], None).around
        via_pos, via_rest = contributions(ranked.samples, *influence)
        place = joint.places[name]
        return np.where(joint.group == 0, via_pos[place], via_rest[place])


@dataclass(frozen=True)
class _AtThreshold(Compared):
    name: str
    threshold: float
    formula: Formula
    options: dict[str, float]
    ranks_only: bool = False

    @property
    def span(self) -> float:  # type: ignore[override]
        return self.formula.high - self.formula.low

    def estimate(self, setting: Setting) -> Estimate:
        return metric_estimate(setting, self.formula, self.options, self.threshold)

    def value(self, setting: Setting) -> float:
        return metric_value(setting, self.formula, self.options, self.threshold)

    def labelled_influence(self, joint: JointTable, name: str, setting: Setting) -> FloatArray:
        inside = joint.scores[name] >= self.threshold
        return np.asarray(np.where(inside, self._slopes(setting)[0], 0.0))

    def row_errors(self, joint: JointTable, name: str, setting: Setting) -> FloatArray:
        """The derivative of the metric by each head, if the row is in the head."""
        inside = np.where(joint.scores[name] >= self.threshold, 1.0, 0.0)
        totals = setting.rows.total_pos, setting.rows.total_cmp
        shares = setting.rows.shares_at(self.threshold)
        via_pos, via_cmp = (
            slope * (inside - share) / total * small_sample(size)
            for slope, share, total, size in zip(
                self._slopes(setting), shares, totals, setting.rows.sizes, strict=True
            )
        )
        return errors_by_group(joint, setting, via_pos, via_cmp)

    def _slopes(self, setting: Setting) -> tuple[float, float]:
        return metric_slopes(setting, self.formula, self.options, self.threshold)


Calibration = _Calibration  # for those who must tell them apart
AtThreshold = _AtThreshold
_WHOLE: dict[str, Compared] = {
    "roc_auc": _Area(
        "roc_auc", area_estimate, roc_curve_of, lambda s: area_influence(s.heads, s.gap)
    ),
    # Its influence values belong to the raw sum, which varies more than the repaired one.
    "average_precision": _Area(
        "average_precision",
        precision_estimate,
        pr_curve_of,
        precision_influence,
        default_interval="bootstrap",
        linear=False,
    ),
    "brier_score": _Risk("brier_score", brier_loss),
    "log_loss": _Risk("log_loss", log_loss_of, span=np.inf),
    "calibration_error": _Calibration(),
    "pulp": _Ranking("pulp"),
}


def compared(
    statistic: Any, threshold: float | None, options: dict[str, float], top: object = None
) -> Compared:
    """The statistic of that name, its options checked."""
    listed = listed_statistic(statistic, threshold, options, top)
    if listed is not None:
        return listed
    if isinstance(statistic, str) and statistic in _WHOLE:
        if threshold is not None or options:
            raise InputError(
                f"{statistic!r} takes neither a threshold nor options. Leave them out."
            )
        return _WHOLE[statistic]
    formula, checked = find_formula(statistic, dict(options))
    if threshold is None:
        raise InputError(f"{statistic!r} is a metric of the confusion matrix: pass threshold=….")
    at = check_number(threshold, "threshold")
    return _AtThreshold(formula.name, at, formula, at_own_risk(formula, checked, at))
