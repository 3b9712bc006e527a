"""Simulated worlds with known truth, shared by the simulation programs and their short versions in tests.

`World`: negatives score N(0, 1), positives N(μ, 1), or both cut into levels. `Model`: a classifier that
says σ(β0 + β1·x) where x is N(1, 1) for positives and N(−1, 1) for negatives. Truth is computed, not
simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

import puremetrics as pm

GRID = np.linspace(-9, 9, 200_001)
ENDLESS = 20_000  # quantiles that stand for an infinite sample


def trapezoid(y: np.ndarray, x: np.ndarray) -> float:
    """The area below a polyline."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


class Sample(NamedTuple):
    """Scores of the labelled rows, and of the positives and negatives among the unlabeled."""

    labelled: np.ndarray
    hidden: np.ndarray
    negative: np.ndarray

    def table(self, scenario: str) -> pm.ScoreTable:
        unlabeled = np.concatenate([self.hidden, self.negative])
        return pm.ScoreTable.from_groups(
            positive=self.labelled, unlabeled=unlabeled, scenario=scenario
        )

    def revealed(self, scenario: str) -> pm.ScoreTable:
        """The rows that the bounds count, with their true labels."""
        positive = self.hidden
        if scenario == "single_training_set":
            positive = np.concatenate([self.labelled, self.hidden])
        return pm.ScoreTable.from_groups(
            positive=positive, unlabeled=None, negative=self.negative, scenario="case_control"
        )


@dataclass(frozen=True)
class World:
    """Two normal classes and how they are sampled.

    ``selection`` is the slope of a logistic labelling propensity in a feature whose correlation with the
    score, among positives, is ``through``; 0 labels at random.
    """

    scenario: str
    auc: float
    prior: float
    labelled: int
    unlabeled: int
    purity: float = 1.0
    levels: int = 0
    selection: float = 0.0
    through: float = 1.0

    @property
    def shift(self) -> float:
        return float(np.sqrt(2) * ndtri(self.auc))

    @property
    def edges(self) -> np.ndarray:
        return np.linspace(-1.5, 1.5 + self.shift, self.levels - 1)

    def cut(self, raw: np.ndarray) -> np.ndarray:
        return np.digitize(raw, self.edges).astype(float) if self.levels else raw

    def scores(self, rng: np.random.Generator, positive: np.ndarray) -> np.ndarray:
        return self.cut(rng.normal(size=positive.size) + self.shift * positive)

    def propensity(self, rng: np.random.Generator, raw: np.ndarray) -> np.ndarray:
        """Relative chance of a positive with this score to be labelled; 1 on average."""
        feature = raw - self.shift
        if self.through != 1.0:
            rest = np.sqrt(1 - self.through**2)
            feature = self.through * feature + rest * rng.normal(size=raw.size)
        return 2 * expit(self.selection * feature)

    def draw(self, rng: np.random.Generator, *, counted: bool = False) -> Sample:
        """A sample; ``counted`` puts exactly prior · unlabeled positives among the unlabeled."""
        if self.scenario == "case_control":
            labelled = self._labelled(rng)
            positive = rng.random(self.unlabeled) < self.prior
            if counted:
                positive = np.arange(self.unlabeled) < round(self.prior * self.unlabeled)
            unlabeled = self.scores(rng, positive)
            return Sample(labelled, unlabeled[positive], unlabeled[~positive])
        rows = self.labelled + self.unlabeled
        positive = rng.random(rows) < self.prior
        if counted:
            positive = np.arange(rows) < round(self.prior * rows)
        raw = rng.normal(size=rows) + self.shift * positive
        chances = self.chances(positive)
        if self.selection:
            chances = chances * np.where(positive, self.propensity(rng, raw), 1.0)
        chosen, score = rng.random(rows) < chances, self.cut(raw)
        return Sample(score[chosen], score[~chosen & positive], score[~chosen & ~positive])

    def chances(self, positive: np.ndarray) -> np.ndarray:
        """Chance of each row of a single training set to carry a label."""
        chance = self.labelled / positive.size  # times the share of each class
        return np.where(
            positive,
            self.purity * chance / self.prior,
            (1 - self.purity) * chance / (1 - self.prior),
        )

    def joint(
        self, rng: np.random.Generator, aucs: dict[str, float], alike: float = 0.5
    ) -> pm.JointTable:
        """Several models of the same rows, whose errors correlate by ``alike``; no ties."""
        if self.scenario == "case_control":
            label = np.arange(self.labelled + self.unlabeled) < self.labelled
            positive = rng.random(label.size) < np.where(label, self.purity, self.prior)
        else:
            positive = rng.random(self.labelled + self.unlabeled) < self.prior
            label = rng.random(positive.size) < self.chances(positive)
        shared = rng.normal(size=label.size)
        scores = {
            name: replace(self, auc=auc).shift * positive
            + np.sqrt(alike) * shared
            + np.sqrt(1 - alike) * rng.normal(size=label.size)
            for name, auc in aucs.items()
        }
        return pm.JointTable.from_arrays(label.astype(int), scores, scenario=self.scenario)

    def _labelled(self, rng: np.random.Generator) -> np.ndarray:
        positive = rng.random(self.labelled) < self.purity
        if not self.selection:
            return self.scores(rng, positive)
        raw = rng.normal(size=self.labelled) + self.shift * positive
        todo = np.flatnonzero(positive)
        while todo.size:  # positives are drawn again until the labelling takes them
            raw[todo] = rng.normal(self.shift, 1, todo.size)
            todo = todo[rng.random(todo.size) >= self.propensity(rng, raw[todo]) / 2]
        return self.cut(raw)

    def table(self, rng: np.random.Generator) -> pm.ScoreTable:
        return self.draw(rng).table(self.scenario)

    def share_at_hand(self, table: pm.ScoreTable) -> float:
        """What an estimate of the prior is about: in a single training set with as many labelled rows."""
        if self.scenario == "case_control":
            return self.prior
        rate = self.labelled / (self.labelled + self.unlabeled)
        share = (self.prior - self.purity * rate) / (1 - rate)
        return (self.purity * table.total_pos + share * table.total_unl) / table.total

    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """True positive and false positive rates along falling thresholds."""
        cuts = np.concatenate([[np.inf], self.edges[::-1], [-np.inf]]) if self.levels else None
        if cuts is None:
            cuts = np.linspace(9 + self.shift, -9, 200_001)
        return ndtr(self.shift - cuts), ndtr(-cuts)

    def rates_at(self, threshold: float) -> tuple[float, float]:
        """True positive and false positive rate of ``score >= threshold``."""
        cut = threshold
        if self.levels:
            edges = np.concatenate([[-np.inf], self.edges, [np.inf]])
            cut = float(edges[int(np.clip(np.ceil(threshold), 0, self.levels))])
        return float(ndtr(self.shift - cut)), float(ndtr(-cut))

    def threshold(self) -> float:
        cut = self.shift / 2 + 0.5
        return float(np.digitize(cut, self.edges)) if self.levels else cut

    def metric(self, name: str, threshold: float) -> float:
        """Any metric of the population at a threshold."""
        tpr, fpr = self.rates_at(threshold)
        entries = (self.prior * tpr, (1 - self.prior) * fpr)
        counts = (*entries, self.prior - entries[0], 1 - self.prior - entries[1])
        arrays = (np.array([entry]) for entry in counts)
        return float(pm.ConfusionCounts(np.zeros(1), *arrays).metric(name)[0])

    @cached_property
    def area(self) -> float:
        tpr, fpr = self.rates()
        return trapezoid(tpr, fpr)

    @cached_property
    def average_precision(self) -> float:
        tpr, fpr = self.rates()
        reached = self.prior * tpr[1:] + (1 - self.prior) * fpr[1:]
        precision = self.prior * tpr[1:] / np.maximum(reached, 1e-300)
        return float(np.dot(np.diff(tpr), precision))

    def truth(self) -> dict[str, float]:
        at = self.threshold()
        names = ("precision", "recall", "f1")
        areas = {"roc_auc": self.area, "average_precision": self.average_precision}
        return areas | {name: self.metric(name, at) for name in names}

    def __str__(self) -> str:
        text = f"{self.scenario}, AUC {self.auc:g}, prior {self.prior:g}, {self.labelled} + {self.unlabeled} rows"
        text += f", purity {self.purity:g}" if self.purity < 1 else ""
        return text + (", ties" if self.levels else "")


@dataclass(frozen=True)
class Model:
    """A classifier of the world of Kiryo, Futami and Sugiyama (2025), Section 5.1."""

    name: str
    beta0: float
    beta1: float
    prior: float = 0.5

    def score(self, x: np.ndarray) -> np.ndarray:
        return expit(self.beta0 + self.beta1 * x)

    def density(self, x: np.ndarray) -> np.ndarray:
        parts = self.prior * np.exp(-((x - 1) ** 2) / 2), np.exp(-((x + 1) ** 2) / 2)
        return (parts[0] + (1 - self.prior) * parts[1]) / np.sqrt(2 * np.pi)

    def posterior(self, x: np.ndarray) -> np.ndarray:
        """P(y = 1 | x)."""
        return expit(2 * x + logit(self.prior))

    @cached_property
    def gaps(self) -> np.ndarray:
        """Integral of (score − truth) up to each point of the grid."""
        return self._integral(self.score(GRID) - self.posterior(GRID))

    def _integral(self, values: np.ndarray) -> np.ndarray:
        weighted = values * self.density(GRID)
        steps = (weighted[1:] + weighted[:-1]) / 2 * (GRID[1] - GRID[0])
        return np.concatenate([[0.0], np.cumsum(steps)])

    def _places(self, upper: np.ndarray) -> np.ndarray:
        """Bounds of x of the bins that end at these scores."""
        inner = (logit(np.clip(upper[:-1], 1e-300, 1 - 1e-16)) - self.beta0) / self.beta1
        return np.concatenate([[-9.0], inner, [9.0]])

    @cached_property
    def truth(self) -> float:
        return self.distance(self.score(GRID))

    def distance(self, probability: np.ndarray) -> float:
        """Mean |probability − truth| of any map, given on the grid."""
        apart = np.abs(probability - self.posterior(GRID))
        return trapezoid(apart * self.density(GRID), GRID)

    def binned_truth(self, upper: np.ndarray) -> float:
        return float(np.abs(np.diff(np.interp(self._places(upper), GRID, self.gaps))).sum())

    def rates(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """True share of positives between such scores."""
        ends = [
            np.clip((logit(np.clip(s, 1e-16, 1 - 1e-16)) - self.beta0) / self.beta1, -9, 9)
            for s in (lower, upper)
        ]
        positives = self.prior * (ndtr(ends[1] - 1) - ndtr(ends[0] - 1))
        negatives = (1 - self.prior) * (ndtr(ends[1] + 1) - ndtr(ends[0] + 1))
        return positives / np.maximum(positives + negatives, 1e-300)

    @cached_property
    def risks(self) -> dict[str, float]:
        """Brier score, log loss, and mean score less prior."""
        s, p, d = self.score(GRID), self.posterior(GRID), self.density(GRID)
        squared = p * (1 - s) ** 2 + (1 - p) * s**2
        logs = -p * np.log(s) - (1 - p) * np.log1p(-s)
        mean = {"brier_score": squared, "log_loss": logs, "signed_error": s - p}
        return {name: trapezoid(values * d, GRID) for name, values in mean.items()}

    def draw(self, rng: np.random.Generator, positive: np.ndarray) -> np.ndarray:
        return self.score(rng.normal(size=positive.size) + np.where(positive, 1.0, -1.0))

    def table(
        self,
        rng: np.random.Generator,
        n_pos: float,
        n_unl: float,
        scenario: str = "case_control",
        purity: float = 1.0,
    ) -> pm.ScoreTable:
        """A sample; in a single training set n_pos of n_pos + n_unl rows are labelled on average."""
        if scenario == "single_training_set":
            rows = int(n_pos + n_unl)
            positive = rng.random(rows) < self.prior
            shares = np.where(positive, purity / self.prior, (1 - purity) / (1 - self.prior))
            seen = rng.random(rows) < n_pos / rows * shares
            score = self.draw(rng, positive)
            return pm.ScoreTable.from_groups(
                positive=score[seen], unlabeled=score[~seen], scenario=scenario
            )
        if np.isfinite(n_pos) and np.isfinite(n_unl):
            return pm.ScoreTable.from_groups(
                positive=self.draw(rng, rng.random(int(n_pos)) < purity),
                unlabeled=self.draw(rng, rng.random(int(n_unl)) < self.prior),
                scenario=scenario,
            )
        middles = (np.arange(ENDLESS) + 0.5) / ENDLESS
        if np.isfinite(n_pos):
            share = np.cumsum(self.density(GRID))
            exact = self.score(np.interp(middles, share / share[-1], GRID))
            drawn, names = self.draw(rng, np.ones(int(n_pos), bool)), ("n_pos", "n_unl")
        else:
            exact = self.score(ndtri(middles) + 1)
            drawn, names = self.draw(rng, rng.random(int(n_unl)) < self.prior), ("n_unl", "n_pos")
        score = np.concatenate([drawn, exact])
        first = np.concatenate([np.ones(drawn.size), np.zeros(ENDLESS)])
        counts = {names[0]: first, names[1]: (1 - first) * 1e6}
        return pm.ScoreTable.from_counts(score, **counts, scenario=scenario)


MODELS = (Model("less calibrated", -0.5, 1.5), Model("better calibrated", -0.2, 1.9))
PERFECT = Model("perfectly calibrated", 0.0, 2.0)
