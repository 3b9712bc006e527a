"""What the outputs of a trained model tell about its training rows, by going through everything.

A class is a list of models, a model a tuple with its output, 0 to K − 1, at every point of a small domain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

Model = tuple[int, ...]


def pseudo_dimension(models: Sequence[Model], values: int) -> int:
    """Most questions "is the output at x at least v?" that the models answer in every way."""
    questions = [(x, v) for x in range(len(models[0])) for v in range(1, values)]
    size = 0
    while size < len(questions) and any(
        len({tuple(model[x] >= v for x, v in asked) for model in models}) == 2 ** (size + 1)
        for asked in combinations(questions, size + 1)
    ):
        size += 1
    return size


def patterns(dimension: int, points: int, values: int) -> int:
    """Most different models on so many points."""
    return sum(math.comb(points, i) * (values - 1) ** i for i in range(min(dimension, points) + 1))


def information(
    learn: Callable[[tuple[int, ...], tuple[int, ...]], Model],
    n_pos: int,
    n_unl: int,
    pos_law: Sequence[Fraction],
    unl_law: Sequence[Fraction],
) -> tuple[float, float]:
    """fCMI and fCMI_U of Section 4.2: over all supersamples and all choices of one row of each pair."""
    points = range(len(unl_law))
    both = [0.0, 0.0]
    for pairs in product(product(points, repeat=2), repeat=n_unl + n_pos):
        chance = math.prod(
            law[a] * law[b]
            for law, (a, b) in zip([unl_law] * n_unl + [pos_law] * n_pos, pairs, strict=True)
        )
        if not chance:
            continue
        seen: tuple[Counter[Model], Counter[Model]] = (Counter(), Counter())
        for choice in product((0, 1), repeat=len(pairs)):
            trained = tuple(pair[c] for pair, c in zip(pairs, choice, strict=True))
            model = learn(trained[n_unl:], trained[:n_unl])
            for count, shown in zip(seen, (pairs, pairs[:n_unl]), strict=True):
                count[tuple(model[x] for pair in shown for x in pair)] += 1
        # Without randomness the outputs are a function of the choice: information is their entropy.
        for i, count in enumerate(seen):
            total = sum(count.values())
            entropy = -sum(n / total * math.log(n / total) for n in count.values())
            both[i] += float(chance) * entropy
    return both[0], both[1]
