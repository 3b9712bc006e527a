"""Random tables for labels that favour some positives: counts with ties, many drawn from a true model."""

import os
from typing import NamedTuple

import numpy as np

import puremetrics as pm
from tests.oracles import label_bias

CC, SINGLE = "case_control", "single_training_set"
SCENARIOS = (CC, SINGLE)
# Eight times as many tables if asked for.
TIMES = 8 if os.environ.get("PUREMETRICS_EXPLORE") else 1
RATIOS = (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 20.0, 1e4)


class Drawn(NamedTuple):
    """Counts at falling scores, and what is known of them."""

    score: np.ndarray
    pos: np.ndarray
    unl: np.ndarray
    neg: np.ndarray
    scenario: str
    prior: float
    ratio: float

    @property
    def table(self) -> pm.ScoreTable:
        counts = {"n_pos": self.pos, "n_unl": self.unl, "n_neg": self.neg}
        return pm.ScoreTable.from_counts(self.score, **counts, scenario=self.scenario)

    @property
    def case(self) -> label_bias.Case:
        counts = self.pos, self.unl, self.neg
        return label_bias.case(*counts, scenario=self.scenario, prior=self.prior)

    @property
    def labels(self) -> dict[str, float]:
        return {"prior": self.prior, "label_bias": self.ratio}


def draw(rng, scenario, *, most=9) -> Drawn:
    """One table, its prior and a Γ; positives to find are 5 to 40 percent of the unlabeled rows."""
    k, share = int(rng.integers(3, most + 1)), rng.uniform(0.05, 0.4)
    if rng.random() < 0.5:
        pos, unl, neg = (rng.integers(low, high, k) for low, high in ((0, 11), (5, 61), (0, 6)))
        pos[rng.integers(k)] += 1
    else:  # positives labelled with chances that differ by a factor
        slope = np.linspace(2, 0.5, k)
        true, false = (rng.dirichlet(np.full(k, 2.0)) * side for side in (slope, slope[::-1]))
        true, false = true / true.sum(), false / false.sum()
        seen = true / rng.choice([1.0, rng.uniform(1, 4)], k)
        pos = rng.multinomial(rng.integers(5, 60), seen / seen.sum())
        unl = rng.multinomial(rng.integers(50, 500), share * true + (1 - share) * false)
        neg = rng.multinomial(rng.integers(0, 30), false)
    if scenario == CC:
        neg = np.zeros(k, int)
    n_pos, n_unl, n_neg = pos.sum(), unl.sum(), neg.sum()
    prior = share if scenario == CC else (n_pos + share * n_unl) / (n_pos + n_unl + n_neg)
    score = np.sort(rng.choice(np.arange(1, 50), k, replace=False) / 50)[::-1]
    return Drawn(score, pos, unl, neg, scenario, float(prior), float(rng.choice(RATIOS)))


def drawn(seed, scenario, count, **options):
    """So many of them."""
    rng = np.random.default_rng(seed)
    for _ in range(TIMES * count):
        yield draw(rng, scenario, **options)
