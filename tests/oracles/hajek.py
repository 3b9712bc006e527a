"""Weighting by inverse propensities, row by row from its definition (Hájek 1971).

Rows are lists of label, score and chance of being labelled. G is the share of the labelled rows at or above
a threshold, each counted 1 / chance; F is the share of the comparison sample, each row counted once: the
unlabeled rows in case-control, all rows in a single training set.
"""

SINGLE = "single_training_set"


def shares(y, score, chance, scenario, threshold, counts=None):
    """G and F at a threshold; ``counts`` are how often each row counts in G and in F, once by default."""
    in_g, in_f = counts or ([1.0] * len(y), [1.0] * len(y))
    sums = [0.0, 0.0, 0.0, 0.0]
    for i, label in enumerate(y):
        inside = score[i] >= threshold
        if label == 1:
            sums[0] += inside * in_g[i] / chance[i]
            sums[1] += in_g[i] / chance[i]
        if label == 0 or scenario == SINGLE:
            sums[2] += inside * in_f[i]
            sums[3] += in_f[i]
    return sums[0] / sums[1], sums[2] / sums[3]


def area(y, score, chance, scenario, counts=None):
    """Chance that a row of G scores above one of F, ties half: a double sum over rows."""
    in_g, in_f = counts or ([1.0] * len(y), [1.0] * len(y))
    top = bottom = 0.0
    for i, label in enumerate(y):
        if label != 1:
            continue
        for j, other in enumerate(y):
            if other == 0 or scenario == SINGLE:
                weight = in_g[i] / chance[i] * in_f[j]
                above = (score[i] > score[j]) + 0.5 * (score[i] == score[j])
                top, bottom = top + weight * above, bottom + weight
    return top / bottom


def slopes(statistic, y, score, chance, scenario, step=1e-5):
    """How a statistic moves if a row counts a little more in G, and a little more in F: two numbers a row."""
    found = []
    for i in range(len(y)):
        pair = []
        for sample in range(2):
            ends = []
            for sign in (1, -1):
                counts = ([1.0] * len(y), [1.0] * len(y))
                counts[sample][i] += sign * step
                ends.append(statistic(y, score, chance, scenario, counts))
            pair.append((ends[0] - ends[1]) / (2 * step))
        found.append(tuple(pair))
    return found


def prior(y, chance):
    """Horvitz and Thompson's share of positives in a single training set."""
    return sum(1 / c for label, c in zip(y, chance, strict=True) if label == 1) / len(y)
