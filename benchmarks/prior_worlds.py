"""Scores whose share of positives is known, on which estimators of the prior are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import puremetrics as pm
from puremetrics.priors import estimate_prior

SEED = 5
METHODS = (
    "combined", "alphamax", "best_bin", "slope", "dedpul",
    "elkan_noto", "elkan_noto_e2", "elkan_noto_e3",
)  # fmt: skip
FEW = METHODS[:5]
NOISY = ("combined_n", "alphamax_n")
PRIORS = (0.02, 0.1, 0.3, 0.5, 0.8)
GAPS = (1.5, 2.5, 4.0)
SIZES = ((500, 5_000), (2_000, 20_000))
COMMAND = "python benchmarks/simulate_priors.py docs/evidence/priors.md"
Draw = Callable[[np.random.Generator, int], np.ndarray]
Rows = list[list[Any]]


def largest(table: pm.ScoreTable, method: str = "combined") -> float:
    """The largest share by a method: the default's as if no negative looked like a positive."""
    found = estimate_prior(table, method=method, interval="none")
    return found.prior if found.separable is None else found.separable


def normal(mean: float, width: float = 1.0) -> Draw:
    return lambda rng, size: rng.normal(mean, width, size)


def mixture(first: Draw, second: Draw, share: float) -> Draw:
    return lambda rng, size: np.where(rng.random(size) < share, first(rng, size), second(rng, size))


def levels(draw: Draw, step: float) -> Draw:
    return lambda rng, size: np.round(draw(rng, size) / step) * step


# name: positives, negatives, smallest ratio of their densities (the share of negatives that look exactly
# like positives, hence count as such)
FAMILIES: dict[str, tuple[Draw, Draw, float]] = {
    "narrow negatives, N(2.5, 1) and N(0, 0.7)": (normal(2.5), normal(0, 0.7), 0),
    "wide negatives, N(2.5, 1) and N(0, 1.3)": (normal(2.5), normal(0, 1.3), 0),
    "very narrow negatives, N(1.5, 1) and N(0, 0.5)": (normal(1.5), normal(0, 0.5), 0),
    "Beta(5, 2) and Beta(2, 5)": (lambda r, k: r.beta(5, 2, k), lambda r, k: r.beta(2, 5, k), 0),
    "Beta(3, 1) and Beta(1, 3)": (lambda r, k: r.beta(3, 1, k), lambda r, k: r.beta(1, 3, k), 0),
    "Student t3, 3 apart": (
        lambda r, k: 3 + r.standard_t(3, k),
        lambda r, k: r.standard_t(3, k),
        0.0436,
    ),
    "Gamma(6) and Gamma(2)": (lambda r, k: r.gamma(6, 1, k), lambda r, k: r.gamma(2, 1, k), 0),
    "exponential, means 6 and 1": (
        lambda r, k: r.exponential(6, k), lambda r, k: r.exponential(1, k), 0,
    ),
    "two groups of negatives, 4 and 1.5 σ below": (
        normal(0), mixture(normal(-4), normal(-1.5), 0.7), 0,
    ),
    "two groups of positives": (mixture(normal(3), normal(1), 0.5), normal(-1), 0),
    "normal, 2.5 σ, about ten levels": (levels(normal(2.5), 0.5), levels(normal(0), 0.5), 0),
    "reducible: 10% of negatives like positives": (
        normal(0), mixture(normal(0), normal(-3), 0.1), 0.1,
    ),
}  # fmt: skip
# Added after the default had been fixed; no choice was made by looking at them.
HELD_OUT: dict[str, tuple[Draw, Draw, float]] = {
    "logistic, 3 apart": (
        lambda r, k: r.logistic(3, 1, k),
        lambda r, k: r.logistic(0, 1, k),
        np.exp(-3),
    ),
    "logistic, 5 apart": (
        lambda r, k: r.logistic(5, 1, k),
        lambda r, k: r.logistic(0, 1, k),
        np.exp(-5),
    ),
    "Weibull, shapes 3 and 1": (
        lambda r, k: r.weibull(3, k) * 2,
        lambda r, k: r.weibull(1, k) / 2,
        0.0387,
    ),
    "Gumbel, 3 apart": (lambda r, k: r.gumbel(3, 1, k), lambda r, k: r.gumbel(0, 1, k), np.exp(-3)),
    "lognormal, log means 1.5 and 0, log width 0.6": (
        lambda r, k: r.lognormal(1.5, 0.6, k),
        lambda r, k: r.lognormal(0, 0.6, k),
        0,
    ),
    "uniform on (0.3, 1) and (0, 0.7)": (
        lambda r, k: r.uniform(0.3, 1, k),
        lambda r, k: r.uniform(0, 0.7, k),
        0,
    ),
    "three groups of negatives, 1, 2 and 5 σ below": (
        normal(0),
        mixture(normal(-1), mixture(normal(-2), normal(-5), 0.5), 0.2),
        0,
    ),
    "reducible: 30% of negatives like positives": (
        normal(0),
        mixture(normal(0), normal(-2.5), 0.3),
        0.3,
    ),
}


def sample(
    rng: np.random.Generator, positives: Draw, negatives: Draw, share: float, m: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    hidden = rng.random(n) < share
    return positives(rng, m), np.where(hidden, positives(rng, n), negatives(rng, n))


def table_of(pos: np.ndarray, unl: np.ndarray, scenario: str = "case_control") -> pm.ScoreTable:
    return pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)


def labelled_probability(
    groups: tuple[np.ndarray, np.ndarray], training: tuple[np.ndarray, np.ndarray]
) -> list[np.ndarray]:
    """P(labelled | score) by logistic regression on an independent sample of the same sizes.

    Elkan–Noto takes probabilities. The exact ones would contain the prior that is to be estimated. The
    map is increasing, so the methods that read ranks are not affected.
    """
    from sklearn.linear_model import LogisticRegression

    y = np.repeat([1, 0], [part.size for part in training])
    model = LogisticRegression().fit(np.concatenate(training)[:, None], y)
    return [model.predict_proba(part[:, None])[:, 1] for part in groups]
