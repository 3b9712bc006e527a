"""Fisher's noncentral hypergeometric law and the labelling of positives, by enumeration.

Of n + m positives K lie in a head, and n are labelled. If each positive in the head has ω times the odds
of being labelled of each below, the labelled ones in the head follow the law with

    P(X = x) ∝ C(K, x) · C(n + m − K, n − x) · ω^x.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction


def law(total: int, marked: int, drawn: int, odds: Fraction) -> dict[int, Fraction]:
    """Probability of every possible value."""
    weights = {
        x: math.comb(marked, x) * math.comb(total - marked, drawn - x) * odds**x
        for x in range(max(0, marked + drawn - total), min(marked, drawn) + 1)
    }
    every = sum(weights.values(), Fraction(0))
    return {x: weight / every for x, weight in weights.items()}


def at_least(k: int, total: int, marked: int, drawn: int, odds: Fraction) -> Fraction:
    """P(X ≥ k)."""
    found = law(total, marked, drawn, odds)
    return sum((p for x, p in found.items() if x >= k), Fraction(0))


def at_most(k: int, total: int, marked: int, drawn: int, odds: Fraction) -> Fraction:
    """P(X ≤ k)."""
    found = law(total, marked, drawn, odds)
    return sum((p for x, p in found.items() if x <= k), Fraction(0))


def band(
    k: int, labelled: int, latent: int, alpha: Fraction, down: Fraction, up: Fraction
) -> tuple[int, int]:
    """Fewest and most latent positives in a head with k labelled ones that neither test rejects."""
    total = labelled + latent
    kept = range(k, k + latent + 1)
    low = min(K for K in kept if at_least(k, total, K, labelled, down) > alpha)
    high = max(K for K in kept if at_most(k, total, K, labelled, 1 / up) > alpha)
    return low - k, high - k


def heterogeneous(odds: Sequence[Fraction], marked: int, drawn: int) -> dict[int, Fraction]:
    """Labelled positives among the first ``marked``, if each gets its label on its own, given how many do."""
    weights: dict[int, Fraction] = {}
    for labelled in itertools.combinations(range(len(odds)), drawn):
        x = sum(i < marked for i in labelled)
        weights[x] = weights.get(x, Fraction(0)) + math.prod(
            (odds[i] for i in labelled), start=Fraction(1)
        )
    every = sum(weights.values(), Fraction(0))
    return {x: weight / every for x, weight in weights.items()}
