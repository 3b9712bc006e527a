"""What checked rows say of a classifier, from the definition: stratified sums over raw rows, no forecast."""

import numpy as np


def rates(score, labelled, checked, answer, edges, *, single, threshold, purity=1.0):
    """Positives among the unlabeled above and below a threshold, and counts of the population there."""
    cells = np.unique(np.r_[edges, threshold])
    found = {True: 0.0, False: 0.0}
    for low, high in zip(np.r_[-np.inf, cells], np.r_[cells, np.inf], strict=True):
        inside = (score >= low) & (score < high) & ~labelled
        seen = inside & checked
        if inside.any():
            assert seen.any(), "the definition needs a checked row in every cell"
            found[bool(low >= threshold)] += inside.sum() * answer[seen].mean()
    above = score >= threshold
    counts = {}
    for side in (True, False):
        rows = above == side
        known = purity * (labelled & rows).sum() if single else 0.0
        size = rows.sum() if single else (rows & ~labelled).sum()
        counts[side] = (found[side] + known, size - found[side] - known)
    return counts


def area(score, labelled, checked, answer, edges, *, single):
    """The chance that a positive scores above a negative, positives weighted by what they stand for."""
    weight = np.zeros(score.size)
    stratum = np.searchsorted(edges, score, side="right")
    for cell in np.unique(stratum):
        inside = (stratum == cell) & ~labelled
        seen = inside & checked
        if inside.any():
            weight[seen] = inside.sum() / seen.sum() * answer[seen]
    if single:
        weight[labelled] = 1.0
    rows = np.ones(score.size) if single else (~labelled).astype(float)
    below = np.array([np.sum(rows * ((score < s) + 0.5 * (score == s))) for s in score])
    positives, size = weight.sum(), rows.sum()
    # Positives against all rows, less positives against each other (one half each).
    return (weight @ below - positives**2 / 2) / (positives * (size - positives))
