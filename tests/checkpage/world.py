"""Rows with known truth, a plan for them and its draw: what a session with an interval needs."""

import numpy as np

import puremetrics as pm
from puremetrics.checkpage import Sheet
from puremetrics.checkpage.live import Counted, Live
from puremetrics.planning.sheets import Looked, plan_text


class World:
    def __init__(self, seed=0, rows=1500, budget=80, target="precision", prior=0.3):
        rng = np.random.default_rng(seed)
        self.truth = rng.random(rows) < prior
        self.score = np.round(rng.normal(size=rows) + 2 * self.truth, 3)
        self.label = (self.truth & (rng.random(rows) < 0.3)).astype(int)
        self.threshold = 1.0 if target in ("precision", "recall", "f1") else None
        self.table = pm.ScoreTable.from_arrays(
            self.label, self.score, scenario="single_training_set"
        )
        self.plan = pm.plan_audit(
            self.table, budget=budget, target=target, threshold=self.threshold, prior=prior
        )
        self.rows = self.plan.draw(self.label, self.score, rng=seed)
        self.text = plan_text(self.plan, self.rows)
        self.said = ["yes" if self.truth[row] else "no" for row in self.rows]

    @property
    def looked(self):
        free = np.ones(len(self.rows), dtype=bool)
        return Looked(self.score.size, dict(self.rows.draw.scores), free)

    def sheet(self):
        cells = [(f"row {row}",) for row in self.rows]
        return Sheet(("what",), [int(row) for row in self.rows], cells)

    def live(self, **given):
        return Live(
            self.text, self.rows.tolist(), lambda: Counted(self.table, self.looked), **given
        )
