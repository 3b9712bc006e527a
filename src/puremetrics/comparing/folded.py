"""Statistics averaged over folds: value, limits, and what every row adds to the error.

- ROC AUC, Brier score and log loss are sums over the rows of a fold. Values are averaged as Eq. (4) and the
  unbiased risk give them, and moved into their range at the end: repairs in every small fold would lean to
  one side and not average out. Limits are those of `sampling.bounded`.
- Metrics at a threshold are functions of two rates. Rates are averaged over folds, and the metric is that
  of the mean rates; for all that are linear in them, such as recall or the false positive rate, it is the
  mean of the folds' values. Ratios such as precision and F1 are biased in small folds, and undefined in one
  that flags no row (Forman and Scholz 2010, "Apples-to-apples in cross-validation studies").
- Average precision is averaged over folds. A fold of few labels overstates it; its own limits allow for
  that, more so below than above. Squared reaches of the folds add up (the method of variance estimates
  recovery), which keeps that.
- So they do for the calibration error, between the mean split estimate and the mean plug-in
  (`calibration.gaps`).

The variance over folds is that of a sum over rows of what each adds in its own fold, divided by the number
of folds (LeDell, Petersen and van der Laan 2015, for the AUC), models taken as they are. Rows of one group
are summed over all folds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.calibration.gaps import split_size
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.compared import AtThreshold, Calibration, Compared
from puremetrics.comparing.folds import Folds
from puremetrics.comparing.measured import errors_by_group
from puremetrics.correction.metric import metric_estimate, metric_slopes
from puremetrics.correction.precision import precision_limits_at
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import Formula
from puremetrics.numerics.quantiles import small_sample
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import FoldRows, folded_reaches
from puremetrics.sampling.clustered import row_effects
from puremetrics.sampling.limits import bounded_interval, moved_inside
from puremetrics.setting import FEW_POSITIVES, Grouping, Setting

__all__ = ["Folded", "folded_estimate", "folded_rows", "value_by_fold"]

_NAMES = {
    "roc_auc": ("ROC AUC", 1.0, "folds_placements_beta"),
    "average_precision": ("Average precision", 1.0, "folds_mover"),
    "brier_score": ("Brier score", 1.0, "folds_bounded_beta"),
    "log_loss": ("Log loss", np.inf, "folds_bounded_beta"),
    "calibration_error": ("Calibration error", 1.0, "folds_mover"),
}


@dataclass(frozen=True)
class Folded:
    """A mean over folds at one prior and purity: its value, its limits, and how groups spread it."""

    value: float
    low: float
    high: float
    error: float
    grouping: Grouping | None


def value_by_fold(folds: Folds, name: str, measured: Compared, setting: Setting) -> FloatArray:
    """The statistic of each fold, before any repair where that is linear."""
    settings = [setting.on(joint.tables[name]) for joint in folds.joints]
    if isinstance(measured, Calibration):
        return np.array([measured.gaps(own).debiased for own in settings])
    return np.array([measured.plain(own) for own in settings])


def folded_rows(folds: Folds, name: str, measured: Compared, point: Setting) -> FloatArray:
    """What every row adds to the error of the mean over folds."""
    if isinstance(measured, AtThreshold):
        return _rows_at_threshold(folds, name, measured, point)
    found = np.empty(folds.kind.size)
    for rows, joint in zip(folds.members, folds.joints, strict=True):
        own = point.on(joint.tables[name])
        found[rows] = measured.row_errors(joint, name, own) / len(folds.names)
    return found


def _rows_at_threshold(
    folds: Folds, name: str, measured: AtThreshold, point: Setting
) -> FloatArray:
    """The derivative at the mean rates, times how far a row is from the rate of its fold."""
    together = point.on(folds.decided(name, measured.threshold))
    with np.errstate(invalid="ignore"):
        slopes = metric_slopes(together, measured.formula, measured.options, 0.5)
    found = np.empty(folds.kind.size)
    for rows, joint in zip(folds.members, folds.joints, strict=True):
        own = point.on(joint.tables[name]).rows
        inside = (joint.scores[name] >= measured.threshold).astype(np.float64)
        parts = [
            slope * (inside - share) / total * small_sample(total) / len(folds.names)
            for slope, share, total in zip(
                slopes,
                own.shares_at(measured.threshold),
                (own.total_pos, own.total_cmp),
                strict=True,
            )
        ]
        found[rows] = errors_by_group(joint, point.on(joint.tables[name]), parts[0], parts[1])
    return found


def folded_estimate(folds: Folds, name: str, measured: Compared, setting: Setting) -> Estimate:
    """The mean over folds with its interval."""
    if isinstance(measured, AtThreshold):
        return _at_threshold(folds, name, measured, setting)
    if not measured.ranks_only:
        for joint in folds.joints:
            check_probabilities(joint.tables[name], measured.name)
    at: Callable[[Folds, str, Compared, Setting], Folded] = _linear
    if isinstance(measured, Calibration):
        at = _calibration
    elif measured.name == "average_precision":
        at = _precision
    points = setting.extremes() if measured.name == "roc_auc" else setting.points()
    found = [at(folds, name, measured, point) for point in points]
    first = found[0]
    setting = replace(setting, grouping=first.grouping)
    title, most, method = _NAMES[measured.name]
    formula = Formula(measured.name, title, 0.0, most, np.asarray)
    ends = min(one.low for one in found), max(one.high for one in found)
    interval, remarks = bounded_interval(setting, formula, first.value, *ends, method)
    return Estimate(
        name=measured.name,
        title=title,
        value=moved_inside(formula, first.value),
        interval=interval,
        standard_error=first.error,
        method="mean_over_folds",
        scenario=setting.scenario,
        prior=setting.prior,
        unlabeled_share=setting.unlabeled_share,
        purity=setting.purity,
        diagnostics=(*setting.diagnostics, *_few(folds), *remarks),
        raw=first.value,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )


def _at_threshold(folds: Folds, name: str, measured: AtThreshold, setting: Setting) -> Estimate:
    table = folds.decided(name, measured.threshold)
    found = metric_estimate(setting.on(table), measured.formula, measured.options, 0.5)
    rows = folded_rows(folds, name, measured, setting.at(setting.prior))
    units = folds.units
    error = float(np.sqrt(np.sum(rows**2)))
    if units is not None and not units.alone and found.design_effect is not None:
        error *= float(np.sqrt(found.design_effect))
    known = error if np.isfinite(error) else None  # not at a pole of the metric
    return replace(
        found, threshold=measured.threshold, method="mean_over_folds", standard_error=known
    )


def _grouped(
    folds: Folds, rows: FloatArray, level: float
) -> tuple[tuple[float, float], Grouping | None]:
    """Design effects of labelled and other rows, and what is known of the groups."""
    if folds.units is None:
        return (1.0, 1.0), None
    return row_effects(rows, folds.kind == 0, folds.units, level)


def _error(rows: FloatArray, grouping: Grouping | None, more: float = 0.0) -> float:
    effect = 1.0 if grouping is None else grouping.design_effect
    return float(np.sqrt(effect * (float(np.sum(rows**2)) + more)))


def _linear(folds: Folds, name: str, measured: Compared, point: Setting) -> Folded:
    """A statistic that is a sum over the rows of each fold."""
    values = value_by_fold(folds, name, measured, point)
    rows = folded_rows(folds, name, measured, point)
    effect, grouping = _grouped(folds, rows, point.level)
    parts, spans = [], []
    for joint in folds.joints:
        own = point.on(joint.tables[name])
        place = joint.places[name] if measured.ranks_only else joint.whole_places[name]
        on_pos, on_cmp = (part[place] for part in measured.influence(own))
        labelled, others = joint.group == 0, folds.compared[joint.group] & (joint.group > 0)
        parts.append(
            FoldRows(on_pos[labelled], on_cmp[labelled], on_cmp[others], point.design.one_sample)
        )
        found = measured.spans(own)
        assert found is not None
        spans.append(found)
    widest = tuple(
        (min(span[i][0] for span in spans), max(span[i][1] for span in spans)) for i in (0, 1)
    )
    low, high = folded_reaches(parts, point.level, widest, effect)  # type: ignore[arg-type]
    value = float(values.mean())
    return Folded(value, value - low, value + high, _error(rows, grouping), grouping)


def _stretched(grouping: Grouping | None) -> float:
    """What groups multiply reaches by that were made for independent rows."""
    if grouping is None:
        return 1.0
    return float(np.sqrt(max(grouping.design_effect, 1.0))) * grouping.stretch


def _precision(folds: Folds, name: str, measured: Compared, point: Setting) -> Folded:
    """Average precision: limits of the folds put together."""
    rows = folded_rows(folds, name, measured, point)
    grouping = _grouped(folds, rows, point.level)[1]
    values, lows, highs = [], [], []
    for joint in folds.joints:
        own = point.on(joint.tables[name])
        value = measured.value(own)
        low, high = precision_limits_at(own, value)[1]
        values.append(value)
        lows.append(max(value - low, 0.0))
        highs.append(max(high - value, 0.0))
    value, grown = float(np.mean(values)), _stretched(grouping) / len(values)
    reaches = [float(np.linalg.norm(part)) * grown for part in (lows, highs)]
    return Folded(value, value - reaches[0], value + reaches[1], _error(rows, grouping), grouping)


def _calibration(folds: Folds, name: str, measured: Compared, point: Setting) -> Folded:
    """The calibration error: between what the folds' split estimates and plug-ins say."""
    assert isinstance(measured, Calibration)
    rows = folded_rows(folds, name, measured, point)
    grouping = _grouped(folds, rows, point.level)[1]
    gaps = [measured.gaps(point.on(joint.tables[name])) for joint in folds.joints]
    count, grown = len(gaps), _stretched(grouping)
    least = float(np.mean([split_size(gap.gap, gap.noise).sum() for gap in gaps]))
    most = float(np.mean([gap.error for gap in gaps]))
    below, above = np.array([gap.reaches(point.level) for gap in gaps]).T
    value = float(np.mean([gap.debiased for gap in gaps]))
    low = least - grown * float(np.linalg.norm(below)) / count
    high = most + grown * float(np.linalg.norm(above)) / count
    error = float(np.linalg.norm([gap.standard_error for gap in gaps])) / count
    effect = 1.0 if grouping is None else grouping.design_effect
    return Folded(
        value, min(low, value), max(high, value), error * float(np.sqrt(effect)), grouping
    )


def _few(folds: Folds) -> list[Diagnostic]:
    """PM105 if there are few labelled positives in all folds together."""
    if folds.totals[0] >= FEW_POSITIVES:
        return []
    return [
        Diagnostic(
            "PM105",
            f"only {folds.totals[0]} labelled positives in {len(folds.names)} folds: intervals are "
            "approximate below "
            f"{FEW_POSITIVES}, and more labels would help most.",
        )
    ]
