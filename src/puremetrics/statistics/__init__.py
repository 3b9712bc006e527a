"""Statistics, each described once: what models, folds, segments, audits and the report ask for."""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

from puremetrics.statistics.catalogue import find, metrics, names, register
from puremetrics.statistics.hull_variance import HullVariance, hull_variance
from puremetrics.statistics.label_ranking import (
    PulpSignificance,
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    naive_auc,
    naive_average_precision,
    pseudo_f,
    pulp,
    pulp_significance,
)
from puremetrics.statistics.precision_area import average_precision
from puremetrics.statistics.published import corrected_auc, corrected_precision
from puremetrics.statistics.risks import brier_score, log_loss
from puremetrics.statistics.roc_area import roc_auc
from puremetrics.statistics.statistic import Statistic
from puremetrics.statistics.threshold_metric import metric
from puremetrics.statistics.top_of_list import bedroc, enrichment_factor, ndcg, rie

__all__ = [
    "HullVariance",
    "PulpSignificance",
    "Statistic",
    "average_precision",
    "bedroc",
    "brier_score",
    "corrected_auc",
    "corrected_precision",
    "enrichment_factor",
    "find",
    "hull_variance",
    "lee_liu",
    "log_loss",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "metric",
    "metrics",
    "naive_auc",
    "naive_average_precision",
    "names",
    "ndcg",
    "pseudo_f",
    "pulp",
    "pulp_significance",
    "register",
    "rie",
    "roc_auc",
]

for _module in _iter_modules(__path__):  # each registers the statistics that it describes
    _import_module(f"{__name__}.{_module.name}")
