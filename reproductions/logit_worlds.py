"""Worlds with known truth made of Gaussian mixtures of logits, one for each class."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.worlds import Model

import puremetrics as pm
from puremetrics.calibration.posterior import LogitMixture, error_of_mixtures

ENDLESS = 20_000  # quantiles that stand for an infinite sample


@dataclass(frozen=True)
class LogitWorld:
    """A classifier's logits in both classes: samples, and the true calibration error."""

    name: str
    prior: float
    positive: LogitMixture
    negative: LogitMixture

    @staticmethod
    def of(model: Model) -> LogitWorld:
        """Section 5.1: x is N(±1, 1), the logit β0 + β1·x."""
        one, spread = np.ones(1), np.array([abs(model.beta1)])
        sides = (
            LogitMixture(one, np.array([model.beta0 + s * model.beta1]), spread) for s in (1, -1)
        )
        return LogitWorld(model.name, 0.5, *sides)

    @staticmethod
    def fitted(name: str, logit: np.ndarray, y: np.ndarray, most: int, seed: int) -> LogitWorld:
        """Mixtures of the logits of both classes, with as many components as BIC likes, up to `most`."""
        found = pm.mixture_calibration_error(logit, y, max_components=most, rng=seed)
        return LogitWorld(name, found.prior, found.positive, found.negative)

    @cached_property
    def grid(self) -> np.ndarray:
        both = (self.positive, self.negative)
        low = min(float((m.mean - 9 * m.spread).min()) for m in both)
        high = max(float((m.mean + 9 * m.spread).max()) for m in both)
        return np.linspace(low, high, 100_001)

    @cached_property
    def truth(self) -> float:
        """E |P(y = 1 | score) − score|."""
        return error_of_mixtures(self.prior, self.positive, self.negative)

    def endless(self, of_all: bool) -> np.ndarray:
        """Scores that stand for the whole population, or for all positives."""
        density = self.positive.density(self.grid)
        if of_all:
            density = self.prior * density + (1 - self.prior) * self.negative.density(self.grid)
        share = np.cumsum(density)
        middles = (np.arange(ENDLESS) + 0.5) / ENDLESS
        return expit(np.interp(middles, share / share[-1], self.grid))

    def positives(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return expit(self.positive.sample(size, rng))

    def labelled(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the population with their hidden labels, positives first."""
        n_pos = int(rng.binomial(size, self.prior))
        score = np.concatenate(
            [self.positive.sample(n_pos, rng), self.negative.sample(size - n_pos, rng)]
        )
        return expit(score), np.arange(size) < n_pos

    def table(self, rng: np.random.Generator, n_pos: float, n_unl: float) -> pm.ScoreTable:
        """A PU sample; one of the sizes may be infinite."""
        if np.isfinite(n_pos) and np.isfinite(n_unl):
            unlabeled = self.labelled(rng, int(n_unl))[0]
            return pm.ScoreTable.from_groups(
                positive=self.positives(rng, int(n_pos)),
                unlabeled=unlabeled,
                scenario="case_control",
            )
        if np.isfinite(n_pos):
            drawn, names = self.positives(rng, int(n_pos)), ("n_pos", "n_unl")
        else:
            drawn, names = self.labelled(rng, int(n_unl))[0], ("n_unl", "n_pos")
        exact = self.endless(of_all=np.isfinite(n_pos))
        first = np.concatenate([np.ones(drawn.size), np.zeros(ENDLESS)])
        counts = {names[0]: first, names[1]: (1 - first) * 1e6}
        return pm.ScoreTable.from_counts(
            np.concatenate([drawn, exact]), **counts, scenario="case_control"
        )

    def supervised(self, rng: np.random.Generator, rows: int) -> float:
        """Eq. (1) with ⌈n^(1/3)⌉ bins of equal mass."""
        score, y = self.labelled(rng, rows)
        bins = int(np.ceil(rows ** (1 / 3) - 1e-9))
        edges = np.sort(score)[np.arange(1, bins) * rows // bins - 1]
        return hidden_error(score, y, np.append(edges, 1.0))


def hidden_error(score: np.ndarray, truth: np.ndarray, upper: np.ndarray) -> float:
    """Calibration error with the labels known, in bins that end at `upper`."""
    at = np.searchsorted(upper, score)
    return float(np.abs(np.bincount(at, score - truth, minlength=upper.size)).sum() / score.size)
