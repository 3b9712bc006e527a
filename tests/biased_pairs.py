"""Random pairs of models on the same rows, for labels that favour some positives."""

from typing import NamedTuple

import numpy as np

import puremetrics as pm
from tests.biased_tables import CC, RATIOS, TIMES
from tests.oracles import label_bias


class Pair(NamedTuple):
    """Labels and two scores, row by row, and what is known of them."""

    label: np.ndarray  # 1, 0 and -1 for known negatives
    scores: tuple[np.ndarray, np.ndarray]
    scenario: str
    prior: float
    ratio: float

    @property
    def joint(self) -> pm.JointTable:
        names = dict(zip("ab", self.scores, strict=True))
        return pm.JointTable.from_arrays(self.label, names, scenario=self.scenario, neg_label=-1)

    def cells(self) -> tuple[np.ndarray, label_bias.Case, bool]:
        """Cells of equal score pairs, their case, and whether all with labels have unlabeled rows."""
        pairs, cell = np.unique(np.stack(self.scores, axis=1), axis=0, return_inverse=True)
        counts = [
            np.bincount(cell.ravel(), weights=self.label == y, minlength=len(pairs))
            for y in (1, 0, -1)
        ]
        case = label_bias.case(*counts, scenario=self.scenario, prior=self.prior)
        return pairs, case, bool(np.all(counts[1][counts[0] > 0] > 0))

    def known(self, **more) -> dict[str, float]:
        return {"prior": self.prior, "label_bias": self.ratio, **more}


def draw_pair(rng, scenario, *, tied: bool) -> Pair:
    """Scores on a small grid, with unlabeled rows in every cell, or without ties."""
    share = rng.uniform(0.05, 0.35)
    if tied:
        sizes = rng.integers(2, 5, 2)
        grid = np.meshgrid(*(np.arange(size, 0, -1.0) for size in sizes))
        cells = sizes.prod()
        pos = rng.integers(0, 5, cells) * (rng.random(cells) < 0.8)
        pos[rng.integers(cells)] += 2
        counts = [pos, rng.integers(3, 25, cells), rng.integers(0, 4, cells) * (scenario != CC)]
        label = np.repeat([1, 0, -1], [c.sum() for c in counts])
        scores = tuple(np.concatenate([np.repeat(s.ravel(), c) for c in counts]) for s in grid)
    else:
        sizes = rng.integers([4, 20, 0], [14, 60, 5]) * [1, 1, scenario != CC]
        label = np.repeat([1, 0, -1], sizes)
        positive = np.where(label == 0, rng.random(label.size) < share, label == 1)
        common = rng.normal(size=label.size)
        scores = tuple(
            common + rng.normal(size=label.size) + shift * positive for shift in (1.5, 1.0)
        )
    n_pos, n_unl = np.sum(label == 1), np.sum(label == 0)
    prior = share if scenario == CC else (n_pos + share * n_unl) / label.size
    return Pair(label, scores, scenario, float(prior), float(rng.choice(RATIOS)))


def drawn_pairs(seed, scenario, count, *, tied):
    rng = np.random.default_rng(seed)
    for _ in range(TIMES * count):
        yield draw_pair(rng, scenario, tied=tied)


def own_below(score, population):
    """Share of the population below each cell's score of one model, and half of it at the score."""
    return np.array([population[score < s].sum() + population[score == s].sum() / 2 for s in score])
