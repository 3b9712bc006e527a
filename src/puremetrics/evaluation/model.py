"""Everything about one model, from one setting."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from puremetrics.bounds.areas import precision_area_bounds, roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.bounds.metrics import bounds_at_threshold
from puremetrics.calibration.bins import score_span
from puremetrics.calibration.error import calibration_of
from puremetrics.comparing.threshold import choice_of
from puremetrics.correction.areas import area_estimate
from puremetrics.correction.hull import hull_of
from puremetrics.correction.metric import metric_estimate, metric_value
from puremetrics.correction.precision import precision_estimate
from puremetrics.evaluation.narrowing import narrowing_of
from puremetrics.evaluation.records import ENTRIES, Bounded, ConfusionMatrix, ModelEvaluation
from puremetrics.exceptions import Diagnostic, PuremetricsError, UnsupportedError
from puremetrics.numerics.formulas import METRICS, Formula
from puremetrics.priors.sensitivity import sensitivity_of
from puremetrics.ranking.measures import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    pulp,
)
from puremetrics.results import Estimate, Interval
from puremetrics.setting import Setting

__all__ = ["model_of"]

_AREAS = {"roc_auc": area_estimate, "average_precision": precision_estimate}
_AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")
_PRIOR_FREE = (pulp, lee_liu, mean_f1, mean_mutual_information, mean_pearson)
_RESAMPLES = 200  # show well enough what choosing the threshold costs


def model_of(
    name: str,
    setting: Setting,
    threshold: float | None,
    objective: Formula,
    rng: Any,
    limit: float | None,
    remarks: list[Diagnostic],
    choice: LatentChoice | None,
) -> ModelEvaluation:
    """Evaluate one model.

    ``limit`` is the largest prior that its ranking allows; ``choice`` decides bounds, if there are any.
    """
    table = setting.table
    naive_setting = Setting.naive(table, setting.level)
    corrected = {key: estimate(setting) for key, estimate in _AREAS.items()}
    naive = {key: estimate(naive_setting) for key, estimate in _AREAS.items()}
    point = None
    at = threshold
    if at is None and table.whole:
        told = [METRICS[key] for key in _AT_THRESHOLD]
        point = choice_of(setting, objective, {}, n_resamples=_RESAMPLES, rng=rng, also=told)
        at = point.threshold if np.isfinite(point.threshold) else None
    for key in _AT_THRESHOLD if at is not None else ():
        assert at is not None
        corrected[key] = (
            metric_estimate(setting, METRICS[key], {}, at) if point is None else point.metrics[key]
        )
        naive[key] = metric_estimate(naive_setting, METRICS[key], {}, at)
    bounded = _bounded(None if choice is None else choice.on(setting), at)
    free: Mapping[str, Estimate] = {}
    with suppress(UnsupportedError):
        free = {f.__name__: f(table, confidence_level=setting.level) for f in _PRIOR_FREE}
    calibration = None
    low, high = score_span(table)
    if low >= 0 and high <= 1 and high > low and not table.is_cut:
        calibration = calibration_of(setting)
    around = [setting.at(prior) for prior in _around(setting)]
    largest = setting.design.prior_limits(table.totals, setting.purity)[1]
    seen = {remark.code: remark for remark in remarks if remark.code == "PM606"}
    for estimate in [*corrected.values(), *free.values()]:
        for remark in estimate.diagnostics:
            seen.setdefault(remark.code, remark)
    for remark in remarks:
        seen.setdefault(remark.code, remark)
    return ModelEvaluation(
        name=name,
        table=table,
        naive=naive,
        corrected=corrected,
        bounds={key: bound for key, bound in bounded.intervals.items() if key not in ENTRIES},
        prior_free=free,
        hull=hull_of(setting.at(setting.prior)),
        calibration=calibration,
        operating_point=point,
        confusion=None if at is None else _confusion(setting, at, bounded.intervals),
        sensitivity=sensitivity_of(around, "roc_auc", largest if limit is None else limit),
        narrowing=narrowing_of(setting, corrected["roc_auc"]),
        diagnostics=tuple(seen.values()),
        bounded=bounded,
        setting=setting,
    )


def _bounded(choice: LatentChoice | None, threshold: float | None) -> Bounded:
    """Bounds of everything, from one band."""
    if choice is None:
        return Bounded({}, None, None, None)
    try:
        roc = roc_bounds_of(choice)
        pr = pr_bounds_of(choice, roc)
        intervals = {
            "roc_auc": roc_area_bounds(roc),
            "average_precision": precision_area_bounds(choice, pr),
        }
    except PuremetricsError:
        return Bounded({}, None, None, None)
    with suppress(PuremetricsError):
        if threshold is not None:
            names = (*_AT_THRESHOLD, *ENTRIES)
            intervals |= bounds_at_threshold(choice, names, threshold)
    return Bounded(intervals, roc, pr, choice)


def _confusion(
    setting: Setting, threshold: float, bounds: Mapping[str, Interval]
) -> ConfusionMatrix:
    """Counts from the corrected rates at the operating point, and their bounds."""
    recall, specificity = (
        metric_value(setting, METRICS[name], {}, threshold) for name in ("recall", "specificity")
    )
    size = setting.population_size
    positive, negative = setting.prior * size, (1 - setting.prior) * size
    found, spared = positive * recall, negative * specificity
    kept = {name: bounds[name] for name in ENTRIES if name in bounds}
    return ConfusionMatrix(
        threshold, found, negative - spared, positive - found, spared, bounds=kept
    )


def _around(setting: Setting) -> list[float]:
    """Priors from half to one and a half times the one used, as far as they are possible."""
    known, table = setting.assumed, setting.table
    low, high = setting.design.prior_limits(table.totals, known.purity)
    high = min(high, 0.98 * known.purity)
    ends = max(0.5 * known.value, low), min(max(1.5 * known.value, known.high), high)
    if table.total_unl == 0 or ends[0] >= ends[1]:
        return [known.value]
    return [float(prior) for prior in np.linspace(ends[0], ends[1], 9)]
