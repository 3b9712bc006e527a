"""Rows that plans are drawn from, in memory and as an Arrow table."""

from dataclasses import replace

import numpy as np

import puremetrics as pm
from puremetrics.auditing import Strata
from tests.io.scanning import pa

SIZE = 5000
RNG = np.random.default_rng(11)
TRUTH = RNG.random(SIZE) < 0.15
SCORE = 1 / (1 + np.exp(-RNG.normal(size=SIZE) - 2 * TRUTH))
OTHER = np.round(SCORE + RNG.normal(size=SIZE) / 5, 2)
Y = (TRUTH & (RNG.random(SIZE) < 0.3)).astype(int)
NAMES = [f"row {i}" for i in range(SIZE)]
ROWS = pa.table({"y": Y, "p": SCORE, "q": OTHER, "name": NAMES, "number": np.arange(SIZE)})
TABLE = pm.ScoreTable.from_arrays(Y, SCORE, scenario="single_training_set")
PLAN = pm.plan_audit(TABLE, budget=100, target="f1", threshold=0.8, prior=0.15)
COLUMNS = {"label": "y", "score": "p"}
SMALL_Y = np.r_[np.zeros(30, int), 1, 1]
SMALL_P = np.r_[np.arange(30) / 30, 0.9, 0.95]
SMALL = pa.table(
    {"y": SMALL_Y, "p": SMALL_P, "id": np.arange(32) * 1000, "name": [f"{i}" for i in range(32)]}
)


def small_plan():
    table = pm.ScoreTable.from_arrays(SMALL_Y, SMALL_P, scenario="case_control")
    plan = pm.plan_audit(table, budget=12, target="prior", prior=0.2)
    strata = Strata("model", np.array([1 / 3 - 0.01]), np.array([10.0, 20.0]))
    return replace(plan, strata=strata, draws=np.array([7.0, 5.0]))
