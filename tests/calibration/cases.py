"""Probabilities with heavy ties, and a table whose true calibration is known."""

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

from puremetrics import ScoreTable
from tests.strategies import Groups

tied = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 1.0])


loose = st.floats(0.0, 1.0).map(lambda x: round(x, 3))


probabilities = st.one_of(tied, tied, loose)


@st.composite
def probability_groups(draw, max_size=12, unlabeled=True):
    lists = st.lists(probabilities, min_size=1, max_size=max_size)
    neg = st.lists(probabilities, min_size=0 if unlabeled else 1, max_size=max_size)
    return Groups(draw(lists), draw(lists) if unlabeled else [], draw(neg))


TOLERANCE = 1e-12


def codes(result):
    return {d.code for d in result.diagnostics}


def synthetic_table(rng, n_pos, n_unl, beta=(-0.5, 1.5)):
    centre = np.where(rng.random(n_unl) < 0.5, 1.0, -1.0)
    pos, unl = rng.normal(size=n_pos) + 1, rng.normal(size=n_unl) + centre
    return ScoreTable.from_groups(
        positive=expit(beta[0] + beta[1] * pos),
        unlabeled=expit(beta[0] + beta[1] * unl),
        scenario="case_control",
    )
