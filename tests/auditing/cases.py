"""Small tables with ties, and rows of them that were checked."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import puremetrics as pm
from puremetrics.auditing import Strata

CC, SINGLE = "case_control", "single_training_set"


class Case(NamedTuple):
    """Labels, scores and the truth of all rows, which of them were checked, edges of strata, a threshold."""

    y: Any
    score: Any
    truth: Any
    checked: Any
    edges: Any
    threshold: float
    scenario: str

    @property
    def table(self):
        return pm.ScoreTable.from_arrays(self.y, self.score, scenario=self.scenario, neg_label=-1)

    @property
    def audit(self):
        """As a plan with these strata makes it."""
        rows = np.flatnonzero(self.checked)
        found = pm.Audit.from_arrays(self.score[rows], self.truth[rows])
        strata = Strata("model", self.edges, self.counts(self.y == 0))
        stratum = strata.of(self.score[rows])
        weight = strata.rows[stratum] / self.counts(self.checked)[stratum]
        return replace(found, strata=strata, weight=weight)

    @property
    def population(self):
        """Truth and scores of the rows that metrics are about."""
        rows = np.full(self.y.size, True) if self.scenario == SINGLE else self.y == 0
        return self.truth[rows], self.score[rows]

    @property
    def rows(self):
        """As the oracle takes them."""
        answers = [bool(t) if c else None for t, c in zip(self.truth, self.checked, strict=True)]
        return list(zip(self.y.tolist(), self.score.tolist(), answers, strict=True))

    def counts(self, rows):
        cells = np.searchsorted(self.edges, self.score[rows], side="right")
        return np.bincount(cells, minlength=self.edges.size + 1).astype(float)


@st.composite
def cases(draw, everything=False, strata=True):
    """With ``everything`` all unlabeled rows are checked; without ``strata`` there are no edges."""
    seed, levels = draw(st.integers(0, 2**20)), draw(st.sampled_from([3, 8, 1000]))
    n_pos, n_unl, n_neg = (draw(st.integers(*ends)) for ends in ((1, 10), (4, 40), (0, 4)))
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0, -1], [n_pos, n_unl, n_neg])
    truth = np.where(y == 0, rng.random(y.size) < draw(st.sampled_from([0.2, 0.5, 0.9])), y == 1)
    score = np.round((rng.random(y.size) + 0.5 * truth) / 1.5 * levels) / levels
    edges = np.unique(np.round(rng.random(draw(st.integers(0, 3))) * levels) / levels)
    threshold = float(rng.choice(score))
    cells = edges if strata else np.empty(0)
    split = np.searchsorted(np.unique(np.append(cells, threshold)), score, side="right")
    checked = (y == 0) & (rng.random(y.size) < (1.0 if everything else 0.5))
    for cell in np.unique(split[y == 0]):  # at least one of each
        checked[rng.choice(np.flatnonzero((y == 0) & (split == cell)))] = True
    order = rng.permutation(y.size)
    return Case(
        y[order], score[order], truth[order], checked[order], cells, threshold,
        draw(st.sampled_from([CC, SINGLE])),
    )  # fmt: skip
