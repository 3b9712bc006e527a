"""The check of labelling at its edges."""

import numpy as np
import pytest

import puremetrics as pm
from puremetrics import labelling

from .oracles import labelling as oracle


def test_intervals_of_exactly_eight_labelled_rows_count():
    # 129 labelled rows fall into 16 cells of eight gaps each: the fewest rows that are used.
    first, last = labelling._intervals(129)
    ours = {(int(a) or None, int(b) or None) for a, b in zip(first, last, strict=True)}
    assert ours == set(oracle.intervals(129))
    assert sum(a > 0 and b - a == 8 for a, b in zip(first, last, strict=True)) == 16
    rng = np.random.default_rng(3)
    pos, unl = rng.normal(1, 1, 129), rng.normal(0, 1, 400)
    table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
    found = pm.check_labelling(table, prior=0.01)
    assert found.largest_prior == pytest.approx(oracle.largest_share(pos, unl, 0.99), abs=1e-12)


def test_the_largest_prior_itself_is_no_contradiction():
    rng = np.random.default_rng(0)
    table = pm.ScoreTable.from_groups(
        positive=rng.normal(1.5, 1, 200), unlabeled=rng.normal(0, 1, 600), scenario="case_control"
    )
    limit = pm.check_labelling(table, prior=0.01).largest_prior
    assert 0.01 < limit < 1
    assert not pm.check_labelling(table, prior=limit).contradicted
    assert pm.check_labelling(table, prior=np.nextafter(limit, 1)).contradicted
