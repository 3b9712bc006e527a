"""Two normal distributions mixed, and the codes of remarks."""

import numpy as np

from puremetrics import ScoreTable
from puremetrics.priors import (
    METHODS,
)

RANK_METHODS = [name for name in METHODS if not name.startswith("elkan")]


def normal_table(share, gap=4.0, m=500, n=5000, seed=0, scenario="case_control", purity=1.0):
    rng = np.random.default_rng(seed)
    pos = np.where(rng.random(m) < purity, rng.normal(gap, 1, m), rng.normal(0, 1, m))
    hidden = rng.random(n) < share
    unl = np.where(hidden, rng.normal(gap, 1, n), rng.normal(0, 1, n))
    return ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario=scenario)


def codes(estimate):
    return {remark.code for remark in estimate.diagnostics}
