"""The top of the list: what the first rows hold, and what to do with them."""

from puremetrics.listing.boyce import boyce_index
from puremetrics.listing.decisions import DecisionCurve, net_benefit
from puremetrics.listing.discovery import DiscoveryCurve, discovery_curve

__all__ = [
    "DecisionCurve",
    "DiscoveryCurve",
    "boyce_index",
    "discovery_curve",
    "net_benefit",
]
