"""Measures of a ranking that need no negatives and mostly no prior (PULP, Hajizadeh et al. 2014)."""

from __future__ import annotations

from puremetrics.ranking.frame import RankingEstimate
from puremetrics.ranking.measures import (
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

__all__ = [
    "PulpSignificance",
    "RankingEstimate",
    "lee_liu",
    "mean_f1",
    "mean_mutual_information",
    "mean_pearson",
    "naive_auc",
    "naive_average_precision",
    "pseudo_f",
    "pulp",
    "pulp_significance",
]
