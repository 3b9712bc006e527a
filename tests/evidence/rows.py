"""Rows whose positives are known, with labels and answers as several kinds of evidence have them."""

from dataclasses import dataclass

import numpy as np

import puremetrics as pm


@dataclass(frozen=True)
class Rows:
    """Normal scores, 1.6 apart; ``caught`` says which positives each source labelled."""

    positive: np.ndarray
    score: np.ndarray
    caught: dict[str, np.ndarray]

    @property
    def labelled(self):
        return np.logical_or.reduce(list(self.caught.values()))

    @property
    def table(self):
        return pm.ScoreTable.from_arrays(
            self.labelled.astype(int), self.score, scenario="single_training_set"
        )

    def sources(self, **options):
        return pm.LabelSources.from_arrays(self.score, self.caught, **options)

    def answers(self, chance, rng):
        """What people found in unlabeled rows; NaN where nobody looked."""
        looked = rng.random(self.score.size) < chance
        return np.where(looked, self.positive.astype(float), np.nan)[~self.labelled]

    def investigated(self, chance, rng, **options):
        return pm.Investigated.from_arrays(
            self.score[~self.labelled], self.answers(chance, rng), **options
        )


def drawn(seed, size=4000, prior=0.2, rates=(0.4, 0.3), shared=0.0):
    """``shared`` is the standard deviation, on the logit, of what makes a case easy for both sources."""
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < prior
    score = rng.normal(size=size) + 1.6 * positive
    easy = shared * rng.normal(size=size)
    caught = {
        name: positive & (rng.random(size) < 1 / (1 + np.exp(-(np.log(rate / (1 - rate)) + easy))))
        for name, rate in zip(("reported", "rule"), rates, strict=True)
    }
    return Rows(positive, score, caught)
