"""What is computed of every table: each public function as named lists of numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

import puremetrics as pm
from puremetrics.exceptions import PuremetricsError

METRICS = ("precision", "recall", "f1", "mcc", "specificity", "lift", "cohen_kappa", "npv")
METHODS = ("combined", "combined_n", "best_bin", "slope", "alphamax", "dedpul")


def numbers(result: Any) -> list[float]:
    """A result as a flat list of numbers."""
    if result is None:
        return []
    if isinstance(result, int | float | np.number):
        return [float(result)]
    if isinstance(result, np.ndarray | list | tuple):
        parts = [numbers(part) for part in np.asarray(result, dtype=float).ravel()]
        return [number for part in parts for number in part]
    if hasattr(result, "standard_error"):
        ends = [] if result.interval is None else list(result.interval)
        error = result.standard_error
        return [float(result.value), *map(float, ends), *([] if error is None else [float(error)])]
    return [float(end) for end in result]  # an interval


def curve(found: Any) -> list[float]:
    return [*numbers(found.x), *numbers(found.y), found.area]


def calls(table: Any, prior: float) -> dict[str, Callable[[], Any]]:
    """The calls by name."""
    at = float(np.quantile(table.score, 0.7))
    wide = (prior, min(1.1 * prior, 0.5 * (1 + prior)))
    made: dict[str, Callable[[], Any]] = {}
    for name, given in (("point", prior), ("range", wide)):
        made[f"roc_auc {name}"] = lambda p=given: pm.roc_auc(table, prior=p)
        made[f"average_precision {name}"] = lambda p=given: pm.average_precision(table, prior=p)
        made[f"roc_auc_bounds {name}"] = lambda p=given: pm.roc_auc_bounds(table, prior=p)
        made[f"ap_bounds {name}"] = lambda p=given: pm.average_precision_bounds(table, prior=p)
        made[f"calibration {name}"] = lambda p=given: _calibration(table, p)
        made[f"brier {name}"] = lambda p=given: pm.brier_score(table, prior=p)
        made[f"log_loss {name}"] = lambda p=given: pm.log_loss(table, prior=p)
        made[f"pseudo_f {name}"] = lambda p=given: pm.pseudo_f(table, prior=p)
        made[f"choose {name}"] = lambda p=given: _choice(table, p)
        for metric in METRICS:
            made[f"{metric} {name}"] = lambda m=metric, p=given: pm.metric(
                table, m, threshold=at, prior=p
            )
        for metric in ("precision", "f1"):
            made[f"{metric}_bounds {name}"] = lambda m=metric, p=given: pm.metric_bounds(
                table, m, threshold=at, prior=p
            )
    noisy = {"prior": prior, "purity": 0.5 * (1 + prior)}
    made |= {
        "roc_auc direct": lambda: pm.roc_auc(table, prior=prior, method="direct"),
        "roc_auc projected": lambda: pm.roc_auc(table, prior=prior, method="projected"),
        "ap projected": lambda: pm.average_precision(table, prior=prior, method="projected"),
        "roc_auc noisy": lambda: pm.roc_auc(table, **noisy),
        "ap noisy": lambda: pm.average_precision(table, **noisy),
        "f1 noisy": lambda: pm.metric(table, "f1", threshold=at, **noisy),
        "brier noisy": lambda: pm.brier_score(table, **noisy),
        "calibration noisy": lambda: _calibration(table, **noisy),
        "roc_curve": lambda: curve(pm.roc_curve(table, prior=prior)),
        "pr_curve": lambda: curve(pm.pr_curve(table, prior=prior)),
        "confusion": lambda: _counts(pm.confusion_at_thresholds(table, prior=prior)),
        "confusion_bounds": lambda: _confusion_bounds(table, prior),
        "roc_bounds": lambda: _both(pm.roc_bounds(table, prior=prior)),
        "pr_bounds": lambda: _both(pm.pr_bounds(table, prior=prior)),
        "band": lambda: _band(pm.rank_cdf_band(table, prior=prior)),
        "hull": lambda: _hull(pm.roc_hull(table, prior=prior)),
        "hull limited": lambda: pm.roc_hull(table, prior=prior, limit_slope=True).area,
        "hull naive": lambda: _hull(pm.roc_hull(table)),
        "hull_variance": lambda: _hull_variance(table, prior),
        "hull_likelihood": lambda: numbers(pm.hull_likelihood(table).lloyd_pos),
        "largest_prior": lambda: pm.largest_prior(table).prior,
        "labelling": lambda: pm.check_labelling(table, prior=prior).largest_prior,
        "derivatives": lambda: numbers(pm.prior_derivatives(table, prior=prior).fpr),
        "sensitivity": lambda: _sensitivity(table, prior),
        "reliability": lambda: _reliability(table, prior, "binned"),
        "reliability isotonic": lambda: _reliability(table, prior, "isotonic"),
        "bootstrap": lambda: _bootstrap(table, prior),
    }
    for method in ("isotonic", "platt", "temperature", "beta"):
        made[f"recalibrate {method}"] = lambda m=method: _recalibrated(table, prior, m)
    for method in METHODS:
        made[f"prior {method}"] = lambda m=method: _prior(table, m)
    for function in (
        pm.pulp, pm.lee_liu, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
        pm.naive_auc, pm.naive_average_precision,
    ):  # fmt: skip
        made[function.__name__] = lambda f=function: f(table)
    return made


def joint_calls(joint: Any, prior: float) -> dict[str, Callable[[], Any]]:
    """The calls on two models."""
    return {
        "compare roc_auc": lambda: _differences(pm.compare(joint, prior=prior)),
        "compare range": lambda: _differences(pm.compare(joint, prior=(prior, 1.1 * prior))),
        "compare f1": lambda: _differences(
            pm.compare(joint, statistic="f1", threshold=1.0, prior=prior)
        ),
        "compare ap": lambda: _differences(
            pm.compare(joint, statistic="average_precision", prior=prior, n_resamples=20, rng=0)
        ),
        "best_by_prior": lambda: _ranking(pm.best_by_prior(joint.tables)),
        "best by f1": lambda: _ranking(
            pm.best_by_prior(joint.tables, statistic="f1", threshold=1.0)
        ),
        "evaluate": lambda: _evaluation(pm.evaluate(joint.tables, prior=prior)),
        "evaluate range": lambda: _evaluation(
            pm.evaluate(joint.tables, prior=(prior, 1.1 * prior))
        ),
        "evaluate unknown": lambda: _evaluation(pm.evaluate(joint.tables)),
        "drift": lambda: _drift(joint, prior),
    }


def outcome(call: Callable[[], Any]) -> Any:
    """The numbers of a call, or the name of the error that it raised."""
    try:
        result = call()
    except PuremetricsError as error:
        return type(error).__name__
    found = result if isinstance(result, list) else numbers(result)
    if len(found) <= 16:
        return found
    column = np.array(found)
    folded = np.where(np.isfinite(column), column, 0.0)
    sums = [float(np.sum(folded)), float(np.sum(folded * np.cos(np.arange(column.size))))]
    return [float(column.size), *sums, *found[:3], *found[-3:]]


def _calibration(table: Any, prior: Any, purity: float = 1.0) -> list[float]:
    found = pm.calibration_error(table, prior=prior, purity=purity)
    return [
        found.error,
        found.debiased,
        *found.interval,
        found.signed_error,
        *found.signed_interval,
    ]


def _choice(table: Any, prior: Any) -> list[float]:
    found = pm.choose_threshold(table, objective="f1", prior=prior, n_resamples=20, rng=0)
    return [found.threshold, found.apparent, *numbers(found.estimate)]


def _counts(counts: Any) -> list[float]:
    return [float(np.sum(column)) for column in (counts.tp, counts.fp, counts.fn, counts.tn)]


def _confusion_bounds(table: Any, prior: float) -> list[float]:
    found = pm.confusion_bounds(table, prior=prior)
    return [*_counts(found.lower), *_counts(found.upper)]


def _both(bounds: Any) -> list[float]:
    return [*curve(bounds.lower), *curve(bounds.upper)]


def _band(band: Any) -> list[float]:
    return [*numbers(band.lower), *numbers(band.upper)]


def _hull(hull: Any) -> list[float]:
    return [*numbers(hull.fpr), *numbers(hull.tpr), hull.area, hull.largest_prior]


def _hull_variance(table: Any, prior: float) -> list[float]:
    found = pm.hull_variance(table, prior=prior, n_resamples=10, rng=0, fpr=[0.1, 0.5])
    return [*numbers(found.low), *numbers(found.high), *numbers(found.total), found.area]


def _sensitivity(table: Any, prior: float) -> list[float]:
    found = pm.prior_sensitivity(table, priors=[prior, 0.5 * (1 + prior)])
    return [number for column in found.frame().values() for number in numbers(column)]


def _reliability(table: Any, prior: float, method: str) -> list[float]:
    found = pm.reliability_curve(table, prior=prior, method=method)
    return [number for column in found.frame().values() for number in numbers(column)]


def _recalibrated(table: Any, prior: float, method: str) -> list[float]:
    return numbers(pm.recalibrate(table, prior=prior, method=method)(table.score[:5]))


def _prior(table: Any, method: str) -> list[float]:
    interval = "none" if method in ("alphamax", "dedpul", "best_bin") else "auto"
    found = pm.estimate_prior(table, method=method, interval=interval)
    ends = [] if found.interval is None else [*found.interval]
    limit = [] if found.upper_limit is None else [found.upper_limit]
    return [found.prior, *ends, *limit]


def _bootstrap(table: Any, prior: float) -> list[float]:
    found = pm.bootstrap(
        table, lambda t: pm.roc_auc(t, prior=prior, method="direct").value,
        n_resamples=10, rng=0, fixed_sizes=True,
    )  # fmt: skip
    return [found.value, found.standard_error, found.low, found.high]


def _differences(found: Any) -> list[float]:
    return [
        number
        for d in found.differences
        for number in (d.value, d.standard_error, *d.interval, *d.simultaneous, d.p_value)
    ]


def _ranking(found: Any) -> list[float]:
    values = [number for column in found.values.values() for number in numbers(column)]
    return [*values, *found.crossings]


def _evaluation(found: Any) -> list[float]:
    row: list[float] = [found.prior.value, found.prior.low, found.prior.high, found.largest_prior]
    for model in found.models.values():
        for estimate in [*model.naive.values(), *model.corrected.values()]:
            row += numbers(estimate)
        for bound in model.bounds.values():
            row += [*bound]
        row += [model.hull.area, model.narrowing.width, model.narrowing.due_to_prior]
        row += numbers(model.sensitivity.value)
    return row


def _drift(joint: Any, prior: float) -> list[float]:
    first, second = joint.tables.values()
    segments = pm.Segments("model", {1: first, 2: second}, first.merge(second), {})
    found = pm.drift(segments, prior=prior)
    return [*numbers(found.columns["auc"]), *(test.p_value for test in found.tests)]
