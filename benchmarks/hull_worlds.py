"""The true parts of the hull's variance, and the conditional bootstrap's estimates of them (Lim and Won, Figure 1).

Negatives score N(0, 1), positives N(0.5, 1). True parts by nested simulation: the variance of the mean given one
group, over draws of that group, and the mean of the variance given it (Eq. (19)). "bootstrap" is the paper's,
"allowed" what `hull_variance` reports: divided by what a bootstrap of the bootstrap says it keeps.
"""

from __future__ import annotations

import numpy as np

import puremetrics as pm
from puremetrics.correction.hull import height, majorant
from puremetrics.setting import TwoSamples

GRID = np.linspace(0, 1, 101)
SHIFT = 0.5


def hull_at(pos: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Height of the hull at each false positive rate of the grid."""
    table = pm.ScoreTable.from_groups(
        positive=pos, unlabeled=None, negative=other, scenario="case_control"
    )
    f, g, _ = majorant(TwoSamples(table.cut()))
    return height(f, g, GRID)


def compare(
    n_pos: int, n_other: int, repeats: int, n_resamples: int, seed: int
) -> dict[str, np.ndarray]:
    """True parts of the variance, and the mean and quantiles of their bootstrap estimates."""
    rng = np.random.default_rng(seed)
    inner = 40
    nested = np.empty((repeats, inner, GRID.size))
    for i in range(repeats):
        other = rng.normal(0, 1, n_other)
        for j in range(inner):
            nested[i, j] = hull_at(rng.normal(SHIFT, 1, n_pos), other)
    within = nested.var(axis=1, ddof=1).mean(axis=0)
    between = nested.mean(axis=1).var(axis=0, ddof=1) - within / inner
    estimates = {"bootstrap pos": [], "bootstrap others": [], "allowed pos": []}
    for i in range(repeats):
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(SHIFT, 1, n_pos),
            unlabeled=None,
            negative=rng.normal(0, 1, n_other),
            scenario="case_control",
        )
        variance = pm.hull_variance(table, fpr=GRID, n_resamples=n_resamples, rng=seed + i)
        drawn = variance.replicates["pos"][:, :-1]  # the area comes last
        estimates["bootstrap pos"].append(drawn.var(axis=0, ddof=1))
        estimates["bootstrap others"].append(variance.due_to_others)
        estimates["allowed pos"].append(variance.due_to_pos)
    result = {"true pos": within, "true others": np.maximum(between, 0.0)}
    for name, values in estimates.items():
        result[name] = np.mean(values, axis=0)
        ends = np.quantile(values, [0.05, 0.95], axis=0)
        result[f"low of {name}"], result[f"high of {name}"] = ends
    return result
