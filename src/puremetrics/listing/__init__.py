"""The top of the list: what the first rows hold, and what to do with them."""

from puremetrics.listing.boyce import boyce_index
from puremetrics.listing.decisions import DecisionCurve, net_benefit
from puremetrics.listing.discovery import DiscoveryCurve, discovery_curve
from puremetrics.listing.early import bedroc, enrichment_factor, ndcg, rie

__all__ = [
    "DecisionCurve",
    "DiscoveryCurve",
    "bedroc",
    "boyce_index",
    "discovery_curve",
    "enrichment_factor",
    "ndcg",
    "net_benefit",
    "rie",
]
