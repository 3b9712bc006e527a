"""Slow oracle of the check of labelling, from its definition on raw rows; imports nothing of the package."""

from itertools import pairwise
from math import inf, sqrt
from statistics import NormalDist


def intervals(size):
    """Ranks (from the top, 1 to n) between which an interval lies; None is an open end."""
    found = set()
    for share in (0.03, 0.06, 0.12, 0.25, 0.35, 0.5, 0.65, 0.8, 0.9):
        rank = -int(-share * size // 1)
        found |= {(None, rank), (size + 1 - rank, None)}
    for cells in (2, 4, 8, 16):
        ends = sorted({round(1 + (size - 1) * i / cells) for i in range(cells + 1)})
        found |= set(pairwise(ends))
    enough = []
    for first, last in found:
        rows = (size + 1 if last is None else last) - (first or 0)
        if rows >= min(8, size - 1):
            enough.append((first, last))
    return enough


def largest_share(labelled, unlabeled, level):
    """Largest share of positives among the unlabeled that no interval rejects."""
    ordered = sorted(labelled, reverse=True)
    tried = intervals(len(ordered))
    quantile = NormalDist().inv_cdf(1 - (1 - level) / len(tried))
    best = 1.0
    for first, last in tried:
        high = inf if first is None else ordered[first - 1]
        low = -inf if last is None else ordered[last - 1]
        k = sum(low <= s <= high for s in labelled)
        u = sum(low <= s <= high for s in unlabeled)
        if first is not None and last is not None:
            k -= 1  # gaps between its rows
        best = min(best, _limit(k, len(labelled) + 1, u, len(unlabeled), quantile))
    return best


def _limit(k, n, u, size, quantile):
    low, high = 0.0, 1.0
    for _ in range(50):
        a = (low + high) / 2
        p = min((k + u) / (n + a * size), 1.0)
        error = sqrt(a * a * p * (1 - p) / n + a * p * (1 - a * p) / size)
        low, high = (a, high) if a * k / n - u / size <= quantile * error else (low, a)
    return 1.0 if high == 1.0 else low
