"""What evidence beside the scores says of the positives, from the definitions: row by row, or from counts."""

from collections import Counter
from fractions import Fraction


def lincoln_petersen(both, first, second, theta=1.0):
    """Positives that neither source caught; ``first`` and ``second`` are those caught by one alone.

    A positive caught by one source has θ times the odds of being caught by the other.
    """
    return theta * first * second / both


def chapman(both, first, second, theta=1.0):
    """The same, nearly without bias where few were caught twice (Chapman 1951)."""
    whole = (both + first + 1) * (both + second + 1) / (both + 1) - 1  # all positives if θ = 1
    return theta * (whole - both - first - second)


def chao(times, sources):
    """At least so many were caught by no source (Chao 1987), from how often each caught row was caught."""
    once, twice = times.count(1), times.count(2)
    return (sources - 1) / sources * once * (once - 1) / (2 * (twice + 1))


def rogan_gladen(yes, answers, sensitivity, specificity):
    """The share of positives if a checker who errs says yes so often (Rogan and Gladen 1978)."""
    return (yes / answers + specificity - 1) / (sensitivity + specificity - 1)


def horvitz_thompson(strata, answers):
    """Positives in each stratum of some rows, of which a part was checked; None where nobody looked.

    Each checked row stands for as many as rows of its stratum were there for each that was checked.
    """
    rows = Counter(strata)
    checked = Counter(at for at, answer in zip(strata, answers, strict=True) if answer is not None)
    found = Counter(at for at, answer in zip(strata, answers, strict=True) if answer)
    return {at: Fraction(rows[at] * found[at], checked[at]) for at in rows}


def area(positive, rows):
    """The chance that a positive scores above a negative, ties half, from both by score."""
    negative = {at: rows[at] - positive.get(at, 0) for at in rows}
    pairs = sum(
        p * n * (Fraction(a > b) + Fraction(a == b, 2))
        for a, p in positive.items()
        for b, n in negative.items()
    )
    return pairs / (sum(positive.values()) * sum(negative.values()))
