"""The top of the list: what the first rows hold, and what to do with them."""

from puremetrics.listing.early import bedroc, enrichment_factor, ndcg, rie

__all__ = ["bedroc", "enrichment_factor", "ndcg", "rie"]
