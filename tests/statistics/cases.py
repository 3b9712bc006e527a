"""Every statistic that is registered, as an object with its place; and small tables to ask it of."""

import numpy as np

import puremetrics as pm
from puremetrics.exceptions import InputError
from puremetrics.statistics import find, names

SCENARIOS = ("case_control", "single_training_set")
OPTIONS = {
    "expected_cost": {"cost_fp": 1.0, "cost_fn": 2.0},
    "net_benefit": {"threshold_probability": 0.3},
}


def every(threshold=0.5, top=12):
    """By name; those that need a place at each of the places that they take."""
    found = {}
    for name in names():
        for at, place in (
            ("", {}),
            (f" of {top}", {"top": top}),
            (f" at {threshold}", {"threshold": threshold}),
        ):
            try:
                found[name + at] = find(name, OPTIONS.get(name), **place)
            except InputError:  # takes no such place, or needs one
                continue
    return {**found, "partial_roc_auc": find("roc_auc", {"max_fpr": 0.3})}


def rows(seed, size=60, digits=2, shift=1.5):
    """Truth, labels and two models' scores, which are probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.4
    truth[:2] = True, False
    y = (truth & (rng.random(size) < 0.5)).astype(int)
    y[0] = 1
    scores = {
        name: np.clip(
            np.round(1 / (1 + np.exp(1 - by * truth - rng.normal(size=size))), digits), 0.01, 0.99
        )
        for name, by in (("a", shift), ("b", shift / 2))
    }
    return truth, y, scores


def joint(seed, scenario, **more):
    _, y, scores = rows(seed, **more)
    return pm.JointTable.from_arrays(y, scores, scenario=scenario)
