"""Every public estimator of a table, with what can be asked of it: the list that invariances run over.

`tests/test_invariances.py` checks that no public function which returns an estimate is missing here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import puremetrics as pm
from puremetrics.numerics.formulas import METRICS

THRESHOLD = 0.5


@dataclass(frozen=True)
class Estimator:
    """One number of a table, with the interval around it (None where there is none)."""

    name: str
    run: Callable[..., Any]  # table, prior, purity -> (value, low, high)
    function: str
    ranks: bool = True  # any increasing map of the scores leaves it alone
    prior: bool = True  # takes a prior, and ranges of it
    purity: bool = True
    weights: bool = True
    cut: bool = True  # a cut table gives the same
    low: float = 0.0
    high: float = 1.0


def triple(result: Any) -> tuple[float, float | None, float | None]:
    """Value and ends of the interval."""
    interval = result.interval
    value = float(result)
    return (value, None, None) if interval is None else (value, interval.low, interval.high)


def _estimate(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(function(table, prior=prior, purity=purity, **fixed))


def _without_prior(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(function(table))


def _metric(name: str) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(
        pm.metric(table, name, threshold=THRESHOLD, prior=prior, purity=purity)
    )


def _bound(function: Callable[..., Any], *args: Any, **fixed: Any) -> Callable[..., Any]:
    def run(table: Any, prior: Any, purity: Any) -> tuple[float, float, float]:
        found = function(table, *args, prior=prior, **fixed)
        return found.low, found.low, found.high

    return run


def _at_top(name: str, top: Any = 0.3, **fixed: Any) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(
        pm.metric(table, name, top=top, prior=prior, purity=purity, **fixed)
    )


def _chosen(table: Any, prior: Any, purity: Any) -> tuple[float, float | None, float | None]:
    found = pm.choose_threshold(table, objective="f1", prior=prior, purity=purity, n_resamples=20)
    return triple(found.estimate)


def _hull(table: Any, prior: Any, purity: Any) -> tuple[float, None, None]:
    return pm.roc_hull(table, prior=prior, purity=purity).area, None, None


def _labelling(table: Any, prior: Any, purity: Any) -> tuple[float, None, None]:
    return pm.check_labelling(table, prior=prior, purity=purity).largest_prior, None, None


def _biased_metric(name: str) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(
        pm.metric(table, name, threshold=THRESHOLD, prior=prior, purity=purity, label_bias=2.0)
    )


def _least_bias(table: Any, prior: Any, purity: Any) -> tuple[float, None, None]:
    return pm.least_label_bias(table, prior=prior, purity=purity).low, None, None


def _tipping(table: Any, prior: Any, purity: Any) -> tuple[float, None, None]:
    return pm.tipping_point(table, above=0.6, prior=prior, purity=purity).label_bias, None, None


def _prior(method: str) -> Callable[..., Any]:
    def run(table: Any, prior: Any, purity: Any) -> tuple[float, float | None, float | None]:
        interval = "auto" if method in ("combined", "slope") else "none"
        return triple(pm.estimate_prior(table, method=method, purity=purity, interval=interval))

    return run


def audit_of(table: Any) -> pm.Audit:
    """Two of three unlabeled rows, checked; which of them are positive depends on ranks alone."""
    place = np.repeat(np.arange(table.score.size), np.ceil(table.n_unl).astype(int))
    kept = np.arange(place.size) % 3 != 1
    return pm.Audit.from_arrays(table.score[place[kept]], np.arange(place.size)[kept] % 4 == 0)


def _audited(function: Callable[..., Any], *args: Any, **fixed: Any) -> Callable[..., Any]:
    return lambda table, prior, purity: triple(
        function(table, *args, audit=audit_of(table), purity=purity, **fixed)
    )


def _audited_choice(
    table: Any, prior: Any, purity: Any
) -> tuple[float, float | None, float | None]:
    found = pm.choose_threshold(
        table, objective="f1", audit=audit_of(table), purity=purity, n_resamples=5
    )
    return triple(found.estimate)


def _audited_prior(table: Any, prior: Any, purity: Any) -> tuple[float, float | None, float | None]:
    return triple(pm.prior_from_audit(audit_of(table), table=table, purity=purity))


def _prior_of_both(table: Any, prior: Any, purity: Any) -> tuple[float, float | None, float | None]:
    return triple(pm.prior_from_audit(audit_of(table), table=table, random_labels=True))


# Ranges of the purity count as sampling error there, not as a union: they do not contain their points.
_AUDIT = {"prior": False, "purity": False, "weights": False, "cut": False}
_NO_PRIOR = {"prior": False, "purity": False, "weights": False}
_BOUNDS = {"purity": False, "weights": False}  # cut tables do not know ties, and get wider ones

ESTIMATORS = [
    Estimator("roc_auc", _estimate(pm.roc_auc), "roc_auc"),
    Estimator("roc_auc projected", _estimate(pm.roc_auc, method="projected"), "roc_auc"),
    Estimator("average_precision", _estimate(pm.average_precision), "average_precision"),
    *(
        Estimator(f"metric {f.name}", _metric(f.name), "metric", ranks=False, cut=False,
                  low=f.low, high=f.high)
        for f in METRICS.values()
    ),
    *(
        Estimator(f"metric {name} of the first rows", _at_top(name), "metric", low=METRICS[name].low,
                  high=METRICS[name].high)
        for name in ("precision", "recall", "f1", "mcc", "fpr", "positive_likelihood_ratio")
    ),
    Estimator("metric precision of the first rows with biased labels", _at_top("precision", label_bias=2.0),
              "metric"),
    Estimator("enrichment_factor", _estimate(pm.enrichment_factor, top=0.3), "enrichment_factor",
              high=10 / 3),
    *(
        Estimator(f"{f.__name__}", _estimate(f), f.__name__, high=high)
        for f, high in ((pm.rie, 20.1), (pm.bedroc, 1.0), (pm.ndcg, 1.0))
    ),
    Estimator("boyce_index", _without_prior(pm.boyce_index), "boyce_index", ranks=False, prior=False,
              purity=False, cut=False, low=-1.0),
    Estimator("ndcg of the first rows", _estimate(pm.ndcg, top=2), "ndcg"),
    Estimator("bedroc with biased labels", _estimate(pm.bedroc, label_bias=2.0), "bedroc"),
    Estimator("calibration_error", _estimate(pm.calibration_error, n_bins=3),
              "calibration_error", ranks=False, cut=False),
    Estimator("brier_score", _estimate(pm.brier_score), "brier_score", ranks=False, cut=False),
    Estimator("log_loss", _estimate(pm.log_loss), "log_loss", ranks=False, cut=False,
              high=float("inf")),
    Estimator("choose_threshold", _chosen, "choose_threshold", weights=False),
    Estimator("roc_hull", _hull, "roc_hull", high=2.0),
    Estimator("check_labelling", _labelling, "check_labelling", weights=False),
    *(
        Estimator(f"{f.__name__} with biased labels", _estimate(f, label_bias=2.0), f.__name__)
        for f in (pm.roc_auc, pm.average_precision)
    ),
    *(
        Estimator(f"metric {name} with biased labels", _biased_metric(name), "metric", ranks=False,
                  cut=False, low=METRICS[name].low, high=METRICS[name].high)
        for name in ("precision", "recall", "f1", "mcc")
    ),
    Estimator("calibration_error with biased labels",
              _estimate(pm.calibration_error, n_bins=3, label_bias=2.0), "calibration_error",
              ranks=False, cut=False),
    Estimator("brier_score with biased labels", _estimate(pm.brier_score, label_bias=2.0),
              "brier_score", ranks=False, cut=False),
    *(
        Estimator(f"{f.__name__} with an audit", _audited(f), f.__name__, **_AUDIT)
        for f in (pm.roc_auc, pm.average_precision)
    ),
    *(
        Estimator(f"metric {name} with an audit", _audited(pm.metric, name, threshold=THRESHOLD),
                  "metric", **_AUDIT, ranks=False, low=METRICS[name].low, high=METRICS[name].high)
        for name in ("precision", "recall", "f1", "mcc")
    ),
    Estimator("calibration_error with an audit", _audited(pm.calibration_error, n_bins=3),
              "calibration_error", **_AUDIT, ranks=False),
    Estimator("choose_threshold with an audit", _audited_choice, "choose_threshold", **_AUDIT),
    Estimator("prior_from_audit", _audited_prior, "prior_from_audit", **_AUDIT),
    Estimator("prior_from_audit and random labels", _prior_of_both, "prior_from_audit", **_AUDIT),
    Estimator("audit_labels", lambda t, prior, purity: triple(pm.audit_labels(t, audit_of(t))),
              "audit_labels", **_AUDIT, low=1.0, high=float("inf")),
    Estimator("least_label_bias", _least_bias, "least_label_bias", weights=False, low=1.0,
              high=float("inf")),
    Estimator("tipping_point", _tipping, "tipping_point", low=1.0, high=float("inf")),
    Estimator("naive_auc", _without_prior(pm.naive_auc), "naive_auc", prior=False, purity=False),
    *(
        Estimator(f.__name__, _without_prior(f), f.__name__, **_NO_PRIOR, low=-1.0, high=float("inf"))
        for f in (pm.pulp, pm.lee_liu, pm.mean_f1, pm.mean_mutual_information, pm.mean_pearson,
                  pm.naive_average_precision)
    ),
    Estimator("pseudo_f", lambda t, prior, purity: triple(pm.pseudo_f(t, prior=prior)), "pseudo_f",
              purity=False, weights=False, high=float("inf")),
    Estimator("roc_auc_bounds", _bound(pm.roc_auc_bounds), "roc_auc_bounds", **_BOUNDS, cut=False),
    Estimator("average_precision_bounds", _bound(pm.average_precision_bounds),
              "average_precision_bounds", **_BOUNDS, cut=False),
    Estimator("metric_bounds", _bound(pm.metric_bounds, "recall", threshold=THRESHOLD),
              "metric_bounds", **_BOUNDS, ranks=False, cut=False),
    Estimator("largest_prior",
              lambda t, prior, purity: triple(pm.largest_prior(t, purity=purity)), "largest_prior",
              prior=False, weights=False),
    *(
        Estimator(f"estimate_prior {m}", _prior(m), "estimate_prior", prior=False, weights=False)
        for m in ("combined", "slope", "best_bin")
    ),
]  # fmt: skip
