"""Slow oracle of the test of random labels between two populations; imports nothing of the package.

Two populations only: ranges by plain loops, and the most likely shares on one line by the EM algorithm. The
package fits the same line by generalised least squares, which agrees in large samples.
"""

import numpy as np


def ranges(labelled, populations):
    """Ends of ranges with equal shares of labelled and unlabeled rows, each kind at half the weight."""
    unlabeled = [s for own in populations for s in own]
    wanted = min(max(len(labelled) // 10, 4), 10)
    pairs = sorted(
        [(s, 1 / len(labelled)) for s in labelled] + [(s, 1 / len(unlabeled)) for s in unlabeled]
    )
    ends, total = [], 0.0
    for score, weight in pairs:
        total += weight
        while len(ends) < wanted - 1 and total >= 2 * (len(ends) + 1) / wanted - 1e-12:
            ends.append(score)
    return sorted({end for end in ends if end > pairs[0][0]})


def counted(scores, ends):
    """Rows in each range; one that lies on an end belongs above it."""
    found = [0] * (len(ends) + 1)
    for score in scores:
        found[sum(score >= end for end in ends)] += 1
    return np.array(found, dtype=float)


def likelihood_ratio(labelled, first, second, steps=4000):
    """Twice the log likelihood ratio of free shares against shares on one line, by EM."""
    samples = [np.asarray(x, dtype=float) for x in (labelled, first, second)]
    free = sum(float(np.sum(x[x > 0] * np.log(x[x > 0] / x.sum()))) for x in samples)
    pos = (samples[0] + 0.5) / (samples[0] + 0.5).sum()
    mixed = samples[1] + samples[2] + 0.5
    other, weights = mixed / mixed.sum(), [0.3, 0.6]
    for _ in range(steps):
        of_pos, of_other = samples[0].copy(), np.zeros_like(pos)
        for i, x in enumerate(samples[1:]):
            chance = weights[i] * pos / (weights[i] * pos + (1 - weights[i]) * other)
            of_pos += x * chance
            of_other += x * (1 - chance)
            weights[i] = float((x * chance).sum() / x.sum())
        pos, other = of_pos / of_pos.sum(), of_other / of_other.sum()
    fitted = [pos, *(w * pos + (1 - w) * other for w in weights)]
    held = sum(
        float(np.sum(x[x > 0] * np.log(f[x > 0]))) for x, f in zip(samples, fitted, strict=True)
    )
    return 2 * (free - held), pos, [weights[i] for i in (0, 1)]
