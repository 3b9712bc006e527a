"""What `pulp.py` computes from the values of the measures: correlations, deviations, how well learners are chosen.

Values have the shape (scenario, share, problem, learner, full or PU, measure); the corrected AUC is the last measure.
"""

from __future__ import annotations

import numpy as np
from reproductions.pulp_experiment import AUC, MEASURES
from scipy.stats import rankdata

CORRECTED = len(MEASURES)  # place of the AUC corrected with the known share


def correlation(values: np.ndarray) -> np.ndarray:
    """Spearman's, over problems and learners; shape (scenarios, shares, measures + 1)."""
    flat = values.reshape(*values.shape[:2], -1, *values.shape[4:])
    ranks = rankdata(flat, axis=2)
    ranks -= ranks.mean(axis=2, keepdims=True)
    full, seen = ranks[..., 0, :], ranks[..., 1, :]
    return (full * seen).sum(axis=2) / np.sqrt((full**2).sum(axis=2) * (seen**2).sum(axis=2))


def means(values: np.ndarray) -> np.ndarray:
    """Correlations of the eight measures by scenario, averaged over shares."""
    return correlation(values).mean(axis=1)[:, : len(MEASURES)]


def deviation(values: np.ndarray) -> np.ndarray:
    """Mean absolute difference of full and PU values; shape (scenarios, shares, measures + 1)."""
    return np.abs(values[..., 0, :] - values[..., 1, :]).mean(axis=(2, 3))


def shuffled(values: np.ndarray, seed: int, draws: int = 50) -> np.ndarray:
    """Correlations, with the PU values dealt to other learners of the same problem: what problems explain."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        mixed = values.copy()
        for problem in range(values.shape[2]):
            order = rng.permutation(values.shape[3])
            mixed[:, :, problem, :, 1] = values[:, :, problem, order, 1]
        found.append(correlation(mixed))
    return np.mean(found, axis=0)


def choice(values: np.ndarray) -> np.ndarray:
    """Correlation over the learners of one problem, of every PU measure with the true AUC."""
    seen = rankdata(values[..., 1, :], axis=3)
    full = rankdata(values[..., 0, AUC], axis=3)[..., None]
    seen, full = (r - r.mean(axis=3, keepdims=True) for r in (seen, full))
    norm = np.sqrt((full**2).sum(axis=3) * (seen**2).sum(axis=3))
    return (full * seen).sum(axis=3) / norm  # scenario, share, problem, measure


def error(values: np.ndarray, seed: int, draws: int = 100) -> np.ndarray:
    """Standard error of the correlations' mean over shares: problems drawn with replacement."""
    rng = np.random.default_rng(seed)
    count = values.shape[2]
    drawn = [correlation(values[:, :, rng.integers(count, size=count)]) for _ in range(draws)]
    return np.std([d.mean(axis=1) for d in drawn], axis=0)


def from_truth(values: np.ndarray, place: int) -> np.ndarray:
    """Mean absolute deviation of a PU measure from the true AUC by share, with labels at random."""
    return np.abs(values[0, ..., 1, place] - values[0, ..., 0, AUC]).mean(axis=(1, 2))
