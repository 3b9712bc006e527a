"""Variance over groups of rows, from the definitions, on raw rows."""

from __future__ import annotations

import numpy as np


def placements(pos, other):
    """Share of the others below each positive, and of the positives above each other; ties half."""
    pos, other = np.asarray(pos, dtype=float), np.asarray(other, dtype=float)
    below = [np.mean((other < s) + 0.5 * (other == s)) for s in pos]
    above = [np.mean((pos > s) + 0.5 * (pos == s)) for s in other]
    return np.array(below), np.array(above)


def obuchowski(pos, neg, pos_groups, neg_groups):
    """Variance of the AUC of clustered data (Obuchowski 1997, Eqs. (1) to (4)), fully labelled rows.

    S10 and S01 are sums over clusters of squared sums of centred placements, S11 of their products.
    """
    below, above = placements(pos, neg)
    auc, m, n = below.mean(), len(pos), len(neg)
    names = sorted(set(pos_groups) | set(neg_groups))
    total = len(names)
    with_pos, with_neg = len(set(pos_groups)), len(set(neg_groups))
    s10 = s01 = s11 = 0.0
    for name in names:
        first = sum(below[i] - auc for i in range(m) if pos_groups[i] == name)
        second = sum(above[j] - auc for j in range(n) if neg_groups[j] == name)
        s10, s01, s11 = s10 + first**2, s01 + second**2, s11 + first * second
    s10 *= with_pos / ((with_pos - 1) * m)
    s01 *= with_neg / ((with_neg - 1) * n)
    s11 *= total / (total - 1)
    return s10 / m + s01 / n + 2 * s11 / (m * n)


def area_variances(y, score, groups, one_sample):
    """Variance of the uncorrected area, over groups and over independent rows; labels 1 and 0.

    The comparison sample is the rows labelled 0, or in one sample all rows. A row's contribution is its
    centred placement over the size of its sample, with n − 1 in place of n; in one sample a labelled row has
    two.
    """
    y, score = np.asarray(y), np.asarray(score, dtype=float)
    other = np.ones(y.size, bool) if one_sample else y == 0
    below, above = placements(score[y == 1], score[other])
    m, n = len(below), len(above)
    add = np.zeros(y.size)
    add[y == 1] += (below - below.mean()) / m * np.sqrt(m / (m - 1))
    add[other] += (above - above.mean()) / n * np.sqrt(n / (n - 1))
    return over_groups(add, y == 1, groups), float(np.sum(add**2))


def over_groups(add, labelled, groups):
    """Squared sums over groups, of each kind of rows with C/(C − 1), and twice their products."""
    total, parts = 0.0, []
    for kind in (labelled, ~labelled):
        sums = {g: add[kind & (groups == g)].sum() for g in np.unique(groups[kind])}
        filled = [s for s in sums.values() if s != 0]
        total += sum(s**2 for s in filled) * len(filled) / (len(filled) - 1)
        parts.append(sums)
    first, second = parts
    return total + 2 * sum(s * second.get(g, 0.0) for g, s in first.items())
