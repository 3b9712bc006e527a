"""What checked rows say, row by row from the definition: no forecast, no counts by score.

Rows are (label, score, answer): label 1 for labelled, 0 for unlabeled, -1 for known negatives; answer True or
False for unlabeled rows that were checked, None for all others. The unlabeled rows are cut into cells at
``edges``; those of a cell hold positives at the (weighted) rate of its checked rows. In a single training set
the population is all rows and a labelled one counts as ``purity`` of a positive; in case-control the
population is the unlabeled rows. Every cell with unlabeled rows must hold a checked one.
"""

SINGLE = "single_training_set"


def cell_of(score, edges):
    """How many edges a score reaches."""
    return sum(score >= edge for edge in edges)


def hidden(rows, edges, weights=None):
    """Each checked positive with the number of unlabeled rows that it stands for."""
    weights = weights or [1.0] * len(rows)
    size, mass = {}, {}
    for (label, score, answer), weight in zip(rows, weights, strict=True):
        if label == 0:
            cell = cell_of(score, edges)
            size[cell] = size.get(cell, 0) + 1
            mass[cell] = mass.get(cell, 0.0) + (0.0 if answer is None else weight)
    return [
        (score, size[cell_of(score, edges)] * weight / mass[cell_of(score, edges)])
        for (label, score, answer), weight in zip(rows, weights, strict=True)
        if label == 0 and answer
    ]


def confusion(rows, edges, threshold, scenario, purity=1.0, weights=None):
    """TP, FP, FN and TN of the population."""
    single = scenario == SINGLE
    stand = hidden(rows, sorted({*edges, threshold}), weights)
    counts = []
    for above in (True, False):
        here = [row for row in rows if (row[1] >= threshold) == above]
        found = sum(w for score, w in stand if (score >= threshold) == above)
        # No fewer are positive than were found, and no more than were not ruled out.
        least = sum(label == 0 and answer is True for label, _, answer in here)
        most = sum(label == 0 and answer is not False for label, _, answer in here)
        found = min(max(found, least), most)
        known = purity * sum(label == 1 for label, _, _ in here) if single else 0.0
        size = len(here) if single else sum(label == 0 for label, _, _ in here)
        counts += [found + known, size - found - known]
    return tuple(counts)


def area(rows, edges, scenario, purity=1.0, weights=None):
    """The AUC over weighted pairs: positives against what is left of the population without them."""
    single = scenario == SINGLE
    positive = hidden(rows, edges, weights)
    if single:
        positive += [(score, purity) for label, score, _ in rows if label == 1]
    negative = [(score, 1.0) for label, score, _ in rows if single or label == 0]
    negative += [(score, -weight) for score, weight in positive]
    pairs = sum(p * n * ((s > t) + 0.5 * (s == t)) for s, p in positive for t, n in negative)
    total = sum(p for _, p in positive) * sum(n for _, n in negative)
    return pairs / total if total > 1e-9 else None
