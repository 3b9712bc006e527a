"""Means over folds and gaps between segments, row by row from their definitions.

Rows are lists of label (1 or 0), score, fold and group. In case-control positives are compared with the
unlabeled rows, in a single training set with all rows.
"""

import math

SINGLE = "single_training_set"


def members(fold):
    """Rows of each fold, folds in order."""
    return [[i for i, own in enumerate(fold) if own == name] for name in sorted(set(fold))]


def compared(y, rows, scenario):
    """Rows of the comparison sample among some rows."""
    return [i for i in rows if y[i] == 0 or scenario == SINGLE]


def above(first, second):
    """Whether a score is above another, ties half."""
    return (first > second) + 0.5 * (first == second)


def areas(y, score, fold, scenario, prior, purity=1.0):
    """Corrected areas of each fold, Jain's Eq. (4) of a double sum over the rows of the fold."""
    found = []
    for rows in members(fold):
        labelled = [i for i in rows if y[i] == 1]
        others = compared(y, rows, scenario)
        raw = sum(above(score[i], score[j]) for i in labelled for j in others)
        gap = purity - prior
        found.append((raw / len(labelled) / len(others) - (1 - gap) / 2) / gap)
    return found


def added_to_area(y, score, fold, scenario, prior):
    """What each row adds to the error of the mean area: DeLong's placements in its own fold."""
    parts = members(fold)
    found = [0.0] * len(y)
    for rows in parts:
        labelled = [i for i in rows if y[i] == 1]
        others = compared(y, rows, scenario)
        for chosen, against, sign in ((labelled, others, 1), (others, labelled, -1)):
            share = {}
            for i in chosen:
                beyond = [above(score[i], score[j]) for j in against]
                mean = sum(beyond) / len(against)
                share[i] = mean if sign > 0 else 1 - mean
            middle = sum(share.values()) / len(chosen)
            factor = math.sqrt(len(chosen) / (len(chosen) - 1)) if len(chosen) > 1 else 1.0
            for i in chosen:
                found[i] += (share[i] - middle) / len(chosen) * factor / (1 - prior) / len(parts)
    return found


def variance_over_groups(y, added, group):
    """Variance of a sum over rows whose groups are independent, labelled and other rows corrected apart."""
    sums = {name: [0.0, 0.0] for name in group}
    for label, part, name in zip(y, added, group, strict=True):
        sums[name][0 if label == 1 else 1] += part
    total = 0.0
    for kind in (0, 1):
        own = [both[kind] for both in sums.values()]
        filled = sum(value != 0 for value in own)
        total += sum(value**2 for value in own) * (filled / (filled - 1) if filled > 1 else 1.0)
    return total + 2 * sum(both[0] * both[1] for both in sums.values())


def rates(y, score, fold, scenario, threshold):
    """Mean over folds of the shares of labelled rows, and of the comparison sample, from the threshold on."""
    parts = members(fold)
    found = [0.0, 0.0]
    for rows in parts:
        for place, chosen in enumerate(
            ([i for i in rows if y[i] == 1], compared(y, rows, scenario))
        ):
            found[place] += sum(score[i] >= threshold for i in chosen) / len(chosen) / len(parts)
    return found


def f1(g, f, prior):
    """F1 of a recall and a share predicted positive."""
    hits = prior * g
    return 2 * hits / (hits + (f - hits) + hits + prior * (1 - g))


def agresti_coull(hits, size, z):
    """Limits of a share."""
    centre = (hits + z**2 / 2) / (size + z**2)
    reach = z * math.sqrt(centre * (1 - centre) / (size + z**2))
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


def mover(first, second, correlation=0.0):
    """Limits of a difference, from (value, low, high) of both (Zou and Donner 2008)."""
    (a, al, ah), (b, bl, bh) = first, second
    down = math.sqrt((a - al) ** 2 + (bh - b) ** 2 - 2 * correlation * (a - al) * (bh - b))
    up = math.sqrt((ah - a) ** 2 + (b - bl) ** 2 - 2 * correlation * (ah - a) * (b - bl))
    return a - b - down, a - b + up


def mover_ratio(first, second, correlation=0.0):
    """Limits of a ratio: where those of a − r·b reach 0, by bisection."""
    (a, al, ah), (b, bl, bh) = first, second

    def at(r, side):
        scaled = (r * b, r * bl, r * bh)
        return mover((a, al, ah), scaled, correlation)[side]

    ends = []
    for side in (0, 1):
        low, high = 0.0, 1e6
        for _ in range(200):
            middle = (low + high) / 2
            if at(middle, side) > 0:
                low = middle
            else:
                high = middle
        ends.append(low)
    return ends[0], ends[1]


def recall_correlation(rows_a, rows_b):
    """Of two recalls: sums over groups of hit less recall; rows are (hit, group) of labelled rows."""
    sums = []
    for rows in (rows_a, rows_b):
        recall = sum(hit for hit, _ in rows) / len(rows)
        own = {}
        for hit, group in rows:
            own[group] = own.get(group, 0.0) + hit - recall
        sums.append(own)
    product = sum(value * sums[1].get(group, 0.0) for group, value in sums[0].items())
    size = [math.sqrt(sum(value**2 for value in own.values())) for own in sums]
    return product / (size[0] * size[1])
