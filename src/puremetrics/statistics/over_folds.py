"""Means over the folds of a cross-validation: value, limits, and what every row adds to the error.

- ROC AUC, Brier score and log loss are sums over the rows of a fold. Values are averaged as Eq. (4) and the
  unbiased risk give them, and moved into their range at the end: repairs in every small fold would lean to
  one side and not average out. Limits are those of `sampling.bounded`.
- Metrics at a threshold are functions of two rates. Rates are averaged over folds, and the metric is that
  of the mean rates; for all that are linear in them, such as recall or the false positive rate, it is the
  mean of the folds' values. Ratios such as precision and F1 are biased in small folds, and undefined in one
  that flags no row (Forman and Scholz 2010, "Apples-to-apples in cross-validation studies").
- Everything else, such as average precision, is averaged over folds. A fold of few labels overstates it; its
  own limits allow for that, more so below than above. Squared reaches of the folds add up (the method of
  variance estimates recovery), which keeps that.
- So they do for the calibration error, beyond the means of the two ends between which it may be
  (`calibration.gaps`).

The variance over folds is that of a sum over rows of what each adds in its own fold, divided by the number
of folds (LeDell, Petersen and van der Laan 2015, for the AUC), models taken as they are. Rows of one group
are summed over all folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import FoldRows, combined_limits, folded_reaches
from puremetrics.sampling.clustered import row_effects, with_prior_effect
from puremetrics.sampling.limits import bounded_interval
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import FEW_POSITIVES, Grouping, Setting
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.folds import Folds

__all__ = [
    "FoldLimits",
    "error_of_rows",
    "fold_error_by_prior",
    "fold_slope_by_prior",
    "grouped_rows",
    "limits_of_folds",
    "limits_of_sums",
    "mean_over_folds",
    "stretch_of",
]


@dataclass(frozen=True)
class FoldLimits:
    """A mean over folds in one world: its value, its limits, and how groups spread it."""

    value: float
    low: float
    high: float
    error: float
    grouping: Grouping | None
    method: str


def mean_over_folds(statistic: Statistic, folds: Folds, name: str, setting: Setting) -> Estimate:
    """The mean over folds with its interval."""
    for joint in folds.joints:
        statistic.check(joint.tables[name])
    worlds = setting.at_extremes() if statistic.linear else setting
    found = [statistic.fold_limits(folds, name, world) for world in worlds.points()]
    first = found[0]
    setting = replace(setting, grouping=first.grouping)
    spreads = ([getattr(one, part) for one in found] for part in ("value", "low", "high"))
    span = statistic.low, statistic.high
    low, high = limits_over(worlds.assumed, spreads, setting.level, span=span)
    ends = float(low), float(high)
    error = first.error
    if setting.prior_drawn:
        slope = fold_slope_by_prior(statistic, folds, name, setting)
        rows = statistic.fold_rows(folds, name, setting)
        by_prior = fold_error_by_prior(setting, folds, rows, slope)
        reach = normal_quantile(setting.level) * by_prior
        low, high = combined_limits(first.value, ends, reach, reach)
        ends, error = (float(low), float(high)), float(np.hypot(error, by_prior))
    interval, remarks = bounded_interval(setting, statistic, first.value, *ends, first.method)
    return Estimate.of(
        statistic,
        statistic.inside(first.value),
        interval,
        {**setting.told(), "label_bias": 1.0},
        standard_error=error,
        method="mean_over_folds",
        diagnostics=(*setting.diagnostics, *_few(folds), *remarks),
        raw=first.value,
    )


def fold_slope_by_prior(statistic: Statistic, folds: Folds, name: str, setting: Setting) -> float:
    """What the mean gains as the share of positives in the population rises, rates as they are."""
    worlds = setting.other_populations()
    first, second = (statistic.fold_mean(folds, name, world) for world in worlds)
    return (second - first) / (worlds[1].prior - worlds[0].prior)


def fold_error_by_prior(setting: Setting, folds: Folds, rows: FloatArray, slope: float) -> float:
    """What a prior that was drawn adds to a standard error; ``rows`` is what each row adds otherwise."""
    if folds.units is not None:
        sums = np.bincount(folds.units.place, rows, minlength=folds.units.total)
        setting = with_prior_effect(setting, sums.astype(np.float64), slope)
    return abs(slope) * setting.prior_error


def limits_of_folds(statistic: Statistic, folds: Folds, name: str, world: Setting) -> FoldLimits:
    """Limits of the folds put together: squared reaches add up."""
    rows = statistic.fold_rows(folds, name, world)
    grouping = grouped_rows(folds, rows, world.level)[1]
    values, lows, highs = [], [], []
    for joint in folds.joints:
        own = world.on(joint.tables[name])
        value = statistic.value(own)
        low, high = statistic.limits_at(own)
        values.append(value)
        lows.append(max(value - low, 0.0))
        highs.append(max(high - value, 0.0))
    value, grown = float(np.mean(values)), stretch_of(grouping) / len(values)
    down, up = (float(np.linalg.norm(part)) * grown for part in (lows, highs))
    error = error_of_rows(rows, grouping)
    return FoldLimits(value, value - down, value + up, error, grouping, "folds_mover")


def grouped_rows(
    folds: Folds, rows: FloatArray, level: float
) -> tuple[tuple[float, float], Grouping | None]:
    """Design effects of labelled and other rows, and what is known of the groups."""
    if folds.units is None:
        return (1.0, 1.0), None
    return row_effects(rows, folds.kind == 0, folds.units, level)


def error_of_rows(rows: FloatArray, grouping: Grouping | None, more: float = 0.0) -> float:
    """Standard error of a sum over rows, with what groups add."""
    effect = 1.0 if grouping is None else grouping.design_effect
    return float(np.sqrt(effect * (float(np.sum(rows**2)) + more)))


def limits_of_sums(statistic: Statistic, folds: Folds, name: str, world: Setting) -> FoldLimits:
    """A statistic that is a sum over the rows of each fold."""
    values = statistic.fold_values(folds, name, world)
    rows = statistic.fold_rows(folds, name, world)
    effect, grouping = grouped_rows(folds, rows, world.level)
    parts, spans = [], []
    for joint in folds.joints:
        own = world.on(joint.tables[name])
        place = joint.places[name] if statistic.ranks_only else joint.whole_places[name]
        on_pos, on_cmp = (part[place] for part in statistic.influence(own))
        labelled, others = joint.kind == 0, folds.compared[joint.kind] & (joint.kind > 0)
        parts.append(
            FoldRows(on_pos[labelled], on_cmp[labelled], on_cmp[others], world.design.one_sample)
        )
        found = statistic.spans(own)
        assert found is not None
        spans.append(found)
    widest = tuple(
        (min(span[i][0] for span in spans), max(span[i][1] for span in spans)) for i in (0, 1)
    )
    low, high = folded_reaches(parts, world.level, widest, effect)  # type: ignore[arg-type]
    value = float(values.mean())
    error, how = error_of_rows(rows, grouping), f"folds_{statistic.told_method(world)}"
    return FoldLimits(value, value - low, value + high, error, grouping, how)


def stretch_of(grouping: Grouping | None) -> float:
    """What groups multiply reaches by that were made for independent rows."""
    if grouping is None:
        return 1.0
    return float(np.sqrt(max(grouping.design_effect, 1.0))) * grouping.stretch


def _few(folds: Folds) -> list[Diagnostic]:
    """PM105 if there are few labelled positives in all folds together."""
    if folds.totals[0] >= FEW_POSITIVES:
        return []
    return [
        Diagnostic(
            "PM105",
            f"only {folds.totals[0]} labelled positives in {len(folds.names)} folds: with fewer "
            f"than {FEW_POSITIVES}, intervals are approximate; more labels would help most.",
        )
    ]
