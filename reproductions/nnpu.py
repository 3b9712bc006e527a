"""A small network trained with the non-negative PU risk (Kiryo, Niu, du Plessis, Sugiyama 2017), in numpy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.special import expit

BATCH = 500
RATE = 1e-3


class Network:
    """A multi-layer perceptron with rectified units and Adam."""

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        self.weights = [
            rng.normal(size=(a, b)).astype(np.float32) * np.float32(np.sqrt(2 / a))
            for a, b in pairwise(sizes)
        ]
        self.offsets = [np.zeros(b, np.float32) for b in sizes[1:]]
        self.moments = [np.zeros_like(p) for p in (*self.weights, *self.offsets)]
        self.squares = [np.zeros_like(p) for p in (*self.weights, *self.offsets)]
        self.steps = 0

    def forward(self, x: np.ndarray) -> list[np.ndarray]:
        layers = [x]
        for i, (w, b) in enumerate(zip(self.weights, self.offsets, strict=True)):
            x = x @ w + b
            if i < len(self.weights) - 1:
                x = np.maximum(x, 0)
            layers.append(x)
        return layers

    def logit(self, x: np.ndarray) -> np.ndarray:
        return self.forward(x)[-1][:, 0].astype(np.float64)

    def step(self, layers: list[np.ndarray], by_logit: np.ndarray) -> None:
        """One Adam step along the gradient of the loss by the logits."""
        delta = by_logit[:, None].astype(np.float32)
        by_weight, by_offset = [], []
        for i in reversed(range(len(self.weights))):
            by_weight.insert(0, layers[i].T @ delta)
            by_offset.insert(0, delta.sum(axis=0))
            if i:
                delta = (delta @ self.weights[i].T) * (layers[i] > 0)
        self.steps += 1
        for j, (p, g) in enumerate(
            zip((*self.weights, *self.offsets), (*by_weight, *by_offset), strict=True)
        ):
            self.moments[j] += 0.1 * (g - self.moments[j])
            self.squares[j] += 0.001 * (g**2 - self.squares[j])
            first = self.moments[j] / (1 - 0.9**self.steps)
            second = self.squares[j] / (1 - 0.999**self.steps)
            p -= np.float32(RATE) * first / (np.sqrt(second) + 1e-8)


def losses(z: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Loss of a negative, and the derivatives of both losses by the logit."""
    p = expit(z)
    if loss == "sigmoid":
        return p, -p * (1 - p), p * (1 - p)
    return np.logaddexp(0, z), p - 1, p


def train(
    pos: np.ndarray,
    unl: np.ndarray,
    *,
    prior: float,
    hidden: tuple[int, ...],
    loss: str,
    epochs: int,
    seed: int,
) -> Network:
    """Non-negative PU learning: where the negatives' risk is negative, it alone is raised."""
    rng = np.random.default_rng(seed)
    net = Network((pos.shape[1], *hidden, 1), rng)
    for _ in range(epochs):
        order = rng.permutation(len(unl))
        for start in range(0, len(unl), BATCH):
            drawn = rng.integers(len(pos), size=BATCH // 5)
            batch = np.concatenate([pos[drawn], unl[order[start : start + BATCH]]])
            layers = net.forward(batch)
            z = layers[-1][:, 0].astype(np.float64)
            labelled = np.arange(len(z)) < drawn.size
            value, as_positive, as_negative = losses(z, loss)
            n_pos, n_unl = drawn.size, len(z) - drawn.size
            weight = np.where(labelled, -prior / n_pos, 1 / n_unl)
            if weight @ value < 0:
                gradient = -weight * as_negative
            else:
                gradient = weight * as_negative
                gradient += np.where(labelled, prior / n_pos, 0.0) * as_positive
            net.step(layers, gradient)
    return net
