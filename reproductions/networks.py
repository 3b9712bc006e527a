"""Bagged small networks as in Jain, White and Radivojac (2017).

Each network has one hidden layer of five tanh units and a logistic output, and is trained on its own
bootstrap sample by resilient propagation (Riedmiller and Braun 1993), every weight with its own step. A quarter
of the sample's distinct rows is kept for validation: training ends when no network has improved on its
quarter for some time, and each keeps the weights that were best there. A row's score is the mean over
the networks that did not draw it. Weight matrices of several networks lie side by side,
so that one pass is one matrix product.
"""

from __future__ import annotations

import numpy as np

NETWORKS, HIDDEN = 100, 5
TOGETHER = 10  # networks trained side by side: their hidden units then fit into the cache
LARGEST_EPOCHS, PATIENCE = 150, 10
GROW, SHRINK, FIRST_STEP = 1.2, 0.5, 0.07
SMALLEST_STEP, LARGEST_STEP = 1e-6, 5.0


def network_scores(
    features: np.ndarray, target: np.ndarray, seed: int, networks: int = NETWORKS
) -> np.ndarray:
    """Out-of-bag scores of the ensemble for every row.

    Parameters
    ----------
    features : ndarray, shape (n, d)
    target : ndarray of 0 and 1, shape (n,)
    """
    rng = np.random.default_rng(seed)
    rows = len(target)
    spread = features.std(axis=0)
    inputs = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    inputs = np.column_stack([np.clip(inputs, -8, 8), np.ones(rows)]).astype(np.float32)
    total, seen_by = np.zeros(rows), np.zeros(rows)
    for start in range(0, networks, TOGETHER):
        size = min(TOGETHER, networks - start)
        drawn = np.stack(
            [np.bincount(rng.integers(rows, size=rows), minlength=rows) for _ in range(size)],
            axis=1,
        )
        out = _trained_outputs(inputs, target.astype(np.float32)[:, None], drawn, rng)
        unseen = drawn == 0
        total += np.sum(unseen / (1 + np.exp(-out.astype(float))), axis=1)
        seen_by += unseen.sum(axis=1)
    return np.where(seen_by > 0, total, target.mean()) / np.maximum(seen_by, 1)


def _trained_outputs(
    inputs: np.ndarray, y: np.ndarray, drawn: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Log odds of every row by every network, at the weights that were best on its held quarter."""
    rows, networks = drawn.shape
    held = (rng.random(drawn.shape) < 0.25) & (drawn > 0)
    training = np.where(held, 0, drawn).astype(np.float32)
    training /= training.sum(axis=0)
    checking = np.where(held, drawn, 0).astype(np.float32)
    checking /= checking.sum(axis=0)
    first = rng.normal(0, 1 / np.sqrt(inputs.shape[1]), (inputs.shape[1], networks * HIDDEN))
    second = rng.normal(0, 0.3, (networks, HIDDEN + 1))
    weights = [first.astype(np.float32), second.astype(np.float32)]
    steps = [np.full_like(part, FIRST_STEP) for part in weights]
    before = [np.zeros_like(part) for part in weights]
    best = np.full(networks, np.inf)
    kept = np.zeros(drawn.shape, dtype=np.float32)
    idle = 0
    for _ in range(LARGEST_EPOCHS):
        hidden = np.tanh(inputs @ weights[0]).reshape(rows, networks, HIDDEN)
        out = np.einsum("nbh,bh->nb", hidden, weights[1][:, :-1]) + weights[1][:, -1]
        chance = 1 / (1 + np.exp(-np.clip(out, -30, 30)))
        loss = -np.sum(checking * np.log(np.where(y > 0, chance, 1 - chance) + 1e-9), axis=0)
        better = loss < best * (1 - 1e-3)
        best = np.where(better, loss, best)
        kept[:, better] = out[:, better]
        idle = 0 if better.any() else idle + 1
        if idle > PATIENCE:
            break
        error = training * (chance - y)
        outer = np.column_stack([np.einsum("nb,nbh->bh", error, hidden), error.sum(axis=0)])
        np.multiply(hidden, hidden, out=hidden)
        np.subtract(1, hidden, out=hidden)
        hidden *= error[:, :, None]
        hidden *= weights[1][None, :, :-1]
        slopes = [inputs.T @ hidden.reshape(rows, -1), outer]
        for place, slope in enumerate(slopes):
            weights[place], steps[place], before[place] = _resilient(
                weights[place], steps[place], before[place], slope
            )
    return kept


def _resilient(
    weight: np.ndarray, step: np.ndarray, before: np.ndarray, towards: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One move: the step grows while the sign of the slope stays, shrinks where it turned."""
    same = before * towards
    step = np.where(same > 0, step * GROW, np.where(same < 0, step * SHRINK, step))
    step = np.clip(step, SMALLEST_STEP, LARGEST_STEP)
    towards = np.where(same < 0, 0, towards)
    return weight - np.sign(towards) * step, step, towards
