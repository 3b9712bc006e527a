"""Curves along the ranked list: discoveries, decisions, presences."""

from puremetrics.listing.boyce import boyce_index
from puremetrics.listing.decisions import DecisionCurve, net_benefit
from puremetrics.statistics.discoveries import DiscoveryCurve, discovery_curve

__all__ = [
    "DecisionCurve",
    "DiscoveryCurve",
    "boyce_index",
    "discovery_curve",
    "net_benefit",
]
