"""How far a result may be off: variances, limits, resampling, and what buckets hide."""
