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


def test_the_error_of_the_share_of_labelled_rows_is_taken_off():
    both = {
        name: pm.ScoreTable.from_groups(
            positive=np.arange(100.0), unlabeled=np.arange(900.0), scenario=name
        )
        for name in ("case_control", "single_training_set")
    }
    assert labelling._least_share(both["case_control"], 0.3, 1.0, 0.99) == 0.3
    off = []
    for purity in (1.0, 0.8):
        share = (0.3 * 1000 - purity * 100) / 900
        least = labelling._least_share(both["single_training_set"], 0.3, purity, 0.99)
        assert 0 < least < share
        off.append(share - least)
    assert off[1] < off[0]  # fewer positives are labelled, and the more rows are left
    assert labelling._least_share(both["single_training_set"], 0.1, 1.0, 0.99) == 0
