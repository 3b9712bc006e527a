"""Worlds whose rows belong to groups: a few alike rows each, in both scenarios, with the truth known.

A row's score is normal: its class, plus what the rows of its class and group have in common (a share ``alike`` of the
variance), plus its own.
How many rows of a group are positive varies from group to group, too, as does how many rows it has. In case-control
groups are in both samples, or each in one. The marginal law of the scores is that of independent rows, so the truth
has closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import norm

APART = 1.8
METRICS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class GroupWorld:
    """Groups, rows a group, how alike they are, a prior, a scenario, and where groups are."""

    groups: int
    rows: int
    alike: float
    prior: float
    scenario: str
    across: bool = True  # whether a group of a case-control study may be in both samples

    @property
    def threshold(self) -> float:
        return {0.05: 1.6, 0.2: 1.1, 0.4: 0.8}[self.prior]

    def draw(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Labels, scores of two models, probabilities, groups and the truth; labels are at random."""
        if self.scenario == "single_training_set":
            group, truth, common = self._population(self.groups, rng)
            y = (truth & (rng.random(truth.size) < 0.4)).astype(int)
            return self._rows(y, truth, group, common, rng)
        if self.across:
            group, truth, common = self._population(self.groups, rng)
            taken = truth & (rng.random(truth.size) < 0.5)
            copies = np.flatnonzero(taken)
            y = np.r_[np.zeros(truth.size, int), np.ones(copies.size, int)]
            group, common = np.r_[group, group[copies]], np.r_[common, common[copies]]
            return self._rows(y, np.r_[truth, truth[copies]], group, common, rng)
        group, truth, common = self._population(self.groups - self.groups // 3, rng)
        own, found, effect = self._population(self.groups // 3, rng, 0.5)
        y = np.r_[np.zeros(truth.size, int), np.ones(int(found.sum()), int)]
        group = np.r_[group, own[found] + self.groups]
        common = np.r_[common, effect[found]]
        return self._rows(y, np.r_[truth, found[found]], group, common, rng)

    def _population(self, groups: int, rng: np.random.Generator, prior: float | None = None):
        sizes = 1 + rng.poisson(self.rows - 1, groups)
        group = np.repeat(np.arange(groups), sizes)
        shares = self._shares(groups, self.prior if prior is None else prior, rng)
        truth = rng.random(group.size) < shares[group]
        common = rng.normal(size=(groups, 2, 2))
        return group, truth, common[group, truth.astype(int)]

    def _shares(self, groups: int, prior: float, rng: np.random.Generator) -> np.ndarray:
        """Shares of positives by group: Beta with the prior as mean, more spread the more alike rows are."""
        if self.alike == 0:
            return np.full(groups, prior)
        size = 1 / self.alike * 2
        return rng.beta(prior * size, (1 - prior) * size, groups)

    def _rows(self, y, truth, group, common, rng):
        own = np.sqrt(1 - self.alike) * rng.normal(size=(y.size, 2))
        noise = np.sqrt(self.alike) * common + own
        first = APART * truth + noise[:, 0]
        second = APART * truth + 0.8 * noise[:, 0] + 0.6 * noise[:, 1]
        logit = APART * first - APART**2 / 2 + np.log(self.prior / (1 - self.prior))
        return {
            "y": y,
            "score": first,
            "second": second,
            "probability": expit(1.3 * logit),
            "group": group,
            "truth": truth,
        }

    def truths(self) -> dict[str, float]:
        """What the population has."""
        recall, flagged = ndtr(APART - self.threshold), ndtr(-self.threshold)
        hits = self.prior * recall
        precision = hits / (hits + (1 - self.prior) * flagged)
        cuts = np.linspace(-8, 12, 100_001)[::-1]
        found, others = ndtr(APART - cuts), ndtr(-cuts)
        at = self.prior * found / (self.prior * found + (1 - self.prior) * others)
        logit = APART * cuts - APART**2 / 2 + np.log(self.prior / (1 - self.prior))
        density = self.prior * norm.pdf(cuts - APART) + (1 - self.prior) * norm.pdf(cuts)
        gap = np.abs(expit(logit) - expit(1.3 * logit)) * density
        brier = (expit(1.3 * logit) - expit(logit)) ** 2 + expit(logit) * expit(-logit)
        step = cuts[0] - cuts[1]
        return {
            "roc_auc": float(ndtr(APART / np.sqrt(2))),
            "average_precision": float(np.sum(np.diff(found) * (at[1:] + at[:-1]) / 2)),
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
            "calibration_error": float(gap.sum() * step),
            "brier_score": float((brier * density).sum() * step),
            "prior": self.prior,
            "difference": 0.0,
        }
