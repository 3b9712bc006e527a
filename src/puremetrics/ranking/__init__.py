"""Sums over operating points that measure a ranking without negatives (PULP, Hajizadeh et al. 2014)."""

from __future__ import annotations

from puremetrics.ranking.frame import RankingEstimate

__all__ = ["RankingEstimate"]
