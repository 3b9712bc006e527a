"""Best bin estimation: the ratio of both samples' shares above the best threshold.

Paper: Garg, Wu, Smola, Balakrishnan, Lipton 2021. Above a threshold t the share of positives among
the unlabeled is at most q_U(t) / q_P(t), with equality where no negative scores t or more. The
threshold minimises that ratio plus its uncertainty, (1 + γ)/q_P · (√(log(4/δ)/2n) +
√(log(4/δ)/2m)), δ = 0.1 and γ = 0.01.
"""

from __future__ import annotations

import numpy as np

from puremetrics.priors.samples import Samples, ShareFit

__all__ = ["best_bin"]


def best_bin(samples: Samples, *, delta: float = 0.1, gamma: float = 0.01) -> ShareFit:
    """Share of positives among the unlabeled from the purest head of the ranking.

    Holds where some head of the ranking has positives only; too large otherwise. The objective
    curve is the penalised ratio at each threshold, drawn over the share of the labelled above it.
    O(labelled).

    Examples
    --------
    >>> pos, unl = np.array([60.0, 30, 10]), np.array([60.0, 30, 910])
    >>> samples = Samples(np.arange(3.0)[::-1], pos, unl, True)
    >>> round(best_bin(samples).share, 3)
    0.1
    """
    total_pos, total_unl = samples.cumulative()
    seen = total_pos > 0
    size_pos, size_unl = total_pos[-1], total_unl[-1]
    share_pos, share_unl = total_pos[seen] / size_pos, total_unl[seen] / size_unl
    spread = np.sqrt(np.log(4 / delta) / (2 * size_unl)) + np.sqrt(
        np.log(4 / delta) / (2 * size_pos)
    )
    objective = (share_unl + (1 + gamma) * spread) / share_pos
    best = int(np.argmin(objective))
    return ShareFit(min(float(share_unl[best] / share_pos[best]), 1.0), share_pos, objective)
