"""Rows whose order inside buckets is unknown, by brute force: every order there is."""

from itertools import product


def _interleavings(pos, others):
    """Every order of so many positives (1) and others (0)."""
    if not pos:
        return [[0] * others]
    if not others:
        return [[1] * pos]
    return [[1, *rest] for rest in _interleavings(pos - 1, others)] + [
        [0, *rest] for rest in _interleavings(pos, others - 1)
    ]


def orders(buckets):
    """Rankings, from the top, of buckets of (positives, others), each row with its own score."""
    for picked in product(*(_interleavings(p, o) for p, o in buckets)):
        yield [row for bucket in picked for row in bucket]


def area(ranking):
    """Share of pairs with the positive above the other row; no ties."""
    pairs = [
        above > below
        for i, above in enumerate(ranking)
        for below in ranking[i + 1 :]
        if above != below
    ]
    return sum(pairs) / len(pairs)


def average_precision(ranking):
    """Mean over the positives of the precision at their rank; no ties."""
    hits, total = 0, 0.0
    for rank, row in enumerate(ranking, start=1):
        if row:
            hits += 1
            total += hits / rank
    return total / hits
