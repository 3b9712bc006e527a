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
from puremetrics.comparing.sensitivity import sensitivity_of
from puremetrics.comparing.threshold import choice_of
from puremetrics.correction.curve_bands import with_band
from puremetrics.correction.hull import hull_of
from puremetrics.evaluation.biased import tipping_points
from puremetrics.evaluation.figures import AREAS, AT_THRESHOLD, figures_at
from puremetrics.evaluation.narrowing import narrowing_of
from puremetrics.evaluation.records import ENTRIES, Bounded, ConfusionMatrix, ModelEvaluation
from puremetrics.exceptions import Diagnostic, PuremetricsError, UnsupportedError
from puremetrics.listing.discovery import DiscoveryCurve, discovery_of
from puremetrics.numerics.formulas import METRICS, Formula
from puremetrics.results import CurveBand, Estimate, Interval, Trust
from puremetrics.sampling.list_ranks import check_top
from puremetrics.setting import Setting
from puremetrics.statistics.catalogue import find
from puremetrics.statistics.label_ranking import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    pulp,
)
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["checked_rows", "model_of"]

_PRIOR_FREE = (pulp, lee_liu, mean_f1, mean_mutual_information, mean_pearson)
_PRIORS = 5  # over all that are possible
_TOLD = 100.0  # unlabeled rows
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
    trust: Trust,
    possible: tuple[float, float] | None,
    rows: float | None = None,
) -> ModelEvaluation:
    """Evaluate one model.

    ``limit`` is the largest prior that the data allow; ``choice`` decides bounds, if there are any;
    ``possible`` are the ends between which an estimated prior is certain to lie; ``rows`` are the unlabeled
    ones of which it is told what checking them would find.
    """
    table = setting.table
    naive_setting = Setting.naive(table, setting.level)
    areas = figures_at(None)
    corrected = {key: figure.estimate(setting) for key, figure in areas.items()}
    naive = {key: figure.estimate(naive_setting) for key, figure in areas.items()}
    point = None
    at = threshold
    if at is None and table.whole:
        told = [METRICS[key] for key in AT_THRESHOLD]
        point = choice_of(setting, objective, {}, n_resamples=_RESAMPLES, rng=rng, also=told)
        at = point.threshold if np.isfinite(point.threshold) else None
    figures = figures_at(at)
    for key in [key for key in figures if key not in areas]:
        corrected[key] = figures[key].estimate(setting) if point is None else point.metrics[key]
        naive[key] = figures[key].estimate(naive_setting)
    bounded = _bounded(None if choice is None else choice.on(setting), at)
    free: Mapping[str, Estimate] = {}
    with suppress(UnsupportedError):
        free = {f.__name__: f(table, confidence_level=setting.level) for f in _PRIOR_FREE}
    calibration = None
    low, high = score_span(table)
    if low >= 0 and high <= 1 and high > low and not table.is_cut:
        with suppress(UnsupportedError):
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
        sensitivity=sensitivity_of(around, figures["roc_auc"], largest if limit is None else limit),
        narrowing=narrowing_of(setting, corrected["roc_auc"]),
        diagnostics=tuple(seen.values()),
        bounded=bounded,
        setting=setting,
        trust=trust,
        certain={} if possible is None else _over_priors(setting, possible, figures, corrected),
        discovery=_discovery(setting, rows, trust),
        discovery_rows=rows,
        tipping={} if trust.level == "contradicted" else tipping_points(setting, at),
        bands=_bands(setting, corrected),
    )


def _bands(setting: Setting, corrected: Mapping[str, Estimate]) -> dict[str, CurveBand]:
    """Confidence bands of both curves, at each point; none where rows have two weights."""
    found = {}
    for key in AREAS:
        curve = corrected[key].curve
        with suppress(UnsupportedError):
            band = None if curve is None else with_band(setting, curve, "pointwise").band
            if band is not None:
                found[key] = band
    return found


def checked_rows(top: object, table: ScoreTable) -> float | None:
    """How many unlabeled rows it is told of; None if there are none, or none can be told apart."""
    if table.total_unl == 0 or (table.has_propensities and table.design.one_sample):
        if top is not None:
            raise UnsupportedError(
                "top=… asks what checking unlabeled rows would find, and there are none, or propensities "
                "leave it open in a single training set. Leave out top."
            )
        return None
    if top is None:
        return min(_TOLD, table.total_unl)
    rows = check_top(top)
    return rows.rows_of(table.total_unl)


def _discovery(setting: Setting, rows: float | None, trust: Trust) -> DiscoveryCurve | None:
    if rows is None or trust.level == "contradicted":
        return None
    return discovery_of(setting, np.array([rows]))


def _over_priors(
    setting: Setting,
    ends: tuple[float, float],
    figures: Mapping[str, Statistic],
    told: Mapping[str, Estimate],
) -> dict[str, Interval]:
    """What each figure is over all priors that are certain to be possible, sampling error left aside."""
    priors = np.linspace(*ends, _PRIORS)
    purities = np.full(_PRIORS, setting.purity)
    found = {}
    for key, estimate in told.items():
        known = np.append(figures[key].values_over(setting, priors, purities), estimate.value)
        known = known[np.isfinite(known)]
        if known.size:
            ends_here = float(known.min()), float(known.max())
            found[key] = Interval(*ends_here, 1.0, "identification", "prior_range")
    return found


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
            names = (*AT_THRESHOLD, *ENTRIES)
            intervals |= bounds_at_threshold(choice, names, threshold)
    return Bounded(intervals, roc, pr, choice)


def _confusion(
    setting: Setting, threshold: float, bounds: Mapping[str, Interval]
) -> ConfusionMatrix:
    """Counts from the corrected rates at the operating point, their bounds, and ranges over the prior."""
    pairs = np.array([(setting.prior, setting.purity), *setting.assumed.pairs])
    recall, specificity = (
        find(name, threshold=threshold).values_over(setting, *pairs.T)
        for name in ("recall", "specificity")
    )
    size = setting.population_size
    positive, negative = pairs[:, 0] * size, (1 - pairs[:, 0]) * size
    found = np.where(positive > 0, positive * recall, 0.0)  # without positives there is no recall
    spared = np.where(negative > 0, negative * specificity, 0.0)
    counts = np.stack([found, negative - spared, positive - found, spared])
    tp, fp, fn, tn = counts[:, 0].tolist()
    ranges = zip(ENTRIES, counts.min(axis=1), counts.max(axis=1), strict=True)
    return ConfusionMatrix(
        threshold,
        tp,
        fp,
        fn,
        tn,
        bounds={name: bounds[name] for name in ENTRIES if name in bounds},
        likely={
            name: Interval(float(low), float(high), 1.0, "identification", "prior_range")
            for name, low, high in ranges
        },
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
