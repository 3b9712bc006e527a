"""A table to resample, and its area."""

import numpy as np

import puremetrics as pm


def make(seed=0, scenario="case_control", labelled=60, unlabeled=300):
    rng = np.random.default_rng(seed)
    return pm.ScoreTable.from_groups(
        positive=rng.normal(1, 1, labelled),
        unlabeled=rng.normal(0, 1, unlabeled),
        scenario=scenario,
    )


def area(table):
    return pm.roc_auc(table, prior=0.25, method="direct").value
