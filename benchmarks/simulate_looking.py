"""How often a statistic is missed at some look, if one looks at an audit after every ten rows.

Run: python benchmarks/simulate_looking.py [repeats] [seconds]. Prints the table of docs/theory/audits.md.

Two normal classes with an AUC of 0.92, 5,000 rows, a fifth of the positives labelled. Rows to check are planned for
the statistic or drawn at random. At every tenth row the interval of one look and that of the confidence sequence are
made; a false alarm is a sample in which the truth of the population is outside at one look at least. It is also told
how many rows it took until the interval was narrow enough, and how often the truth was outside at that look.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

import puremetrics as pm

APART, ROWS, EVERY = 2.0, 5_000, 10
THRESHOLD, WIDTH = 1.2, {"precision": 0.25, "f1": 0.25, "prior": 0.1, "roc_auc": 0.15}


@dataclass(frozen=True)
class World:
    """How rows are drawn ("planned" or "random"), the prior, rows to check at most, and the statistic."""

    design: str
    prior: float
    planned: int
    statistic: str

    @property
    def at(self) -> dict[str, float]:
        return {"threshold": THRESHOLD} if self.statistic in ("precision", "f1") else {}

    def draw(self, rng: np.random.Generator) -> tuple[pm.ScoreTable, pm.Audit]:
        """A table, and the audit with all its answers."""
        truth = rng.random(ROWS) < self.prior
        score = rng.normal(size=ROWS) + APART * truth
        labels = (truth & (rng.random(ROWS) < 0.2)).astype(int)
        table = pm.ScoreTable.from_arrays(labels, score, scenario="single_training_set")
        if self.design == "random":
            rows = rng.choice(np.flatnonzero(labels == 0), self.planned, replace=False)
            return table, pm.Audit.from_arrays(score[rows], truth[rows], planned=self.planned)
        plan = pm.plan_audit(
            table, budget=self.planned, target=self.statistic, prior=self.prior, **self.at
        )
        drawn = plan.draw(labels, score, rng=rng)
        return table, plan.audit(drawn, truth[drawn], sequential=True)

    @property
    def truth(self) -> float:
        """What the population has."""
        recall, flagged = ndtr(APART - THRESHOLD), ndtr(-THRESHOLD)
        precision = self.prior * recall / (self.prior * recall + (1 - self.prior) * flagged)
        return {
            "precision": float(precision),
            "f1": float(2 * precision * recall / (precision + recall)),
            "prior": self.prior,
            "roc_auc": float(ndtr(APART / np.sqrt(2))),
        }[self.statistic]

    def once(self, table: pm.ScoreTable, audit: pm.Audit) -> pm.Interval:
        """The interval of a single look."""
        single = replace(audit, planned=None)
        if self.statistic == "prior":
            found: Any = pm.prior_from_audit(single, table=table)
        elif self.statistic == "roc_auc":
            found = pm.roc_auc(table, audit=single)
        else:
            found = pm.metric(table, self.statistic, audit=single, **self.at)
        return found.interval or pm.Interval(0.0, 1.0, 0.95, "confidence", "none")


def false_alarms(
    world: World, repeats: int, seed: int = 0, seconds: float = np.inf
) -> dict[str, float]:
    """Shares of samples in which the truth was outside at some look, and what stopping gave."""
    rng, truth, ends = np.random.default_rng([21, seed]), world.truth, time.monotonic() + seconds
    missed, stops, outside, widths, samples = {"plain": 0, "sequence": 0}, [], 0, [], 0
    while samples < repeats and time.monotonic() < ends:
        samples += 1
        table, audit = world.draw(rng)
        path = pm.follow_audit(
            table, audit, world.statistic, **world.at, every=EVERY, width=WIDTH[world.statistic]
        )
        out = (path.low > truth) | (path.high < truth)
        plain = [world.once(table, audit.first(int(k))) for k in path.checked]
        missed["sequence"] += bool(out.any())
        missed["plain"] += any(truth not in interval for interval in plain)
        widths.append((path.high[-1] - path.low[-1]) / plain[-1].width)
        if path.stopped is not None:
            stops.append(path.stopped)
            outside += bool(out[np.searchsorted(path.checked, path.stopped)])
    found = {name: count / samples for name, count in missed.items()}
    return {
        **found,
        "samples": samples,
        "stopped": len(stops) / samples,
        "rows": float(np.median(stops)) if stops else np.nan,
        "outside": outside / max(len(stops), 1),
        "wider": float(np.mean(widths)),
    }


def worlds() -> list[World]:
    """All settings."""
    return [
        World("random", 0.2, 400, "prior"),
        World("random", 0.2, 400, "precision"),
        World("planned", 0.2, 200, "f1"),
        World("planned", 0.05, 200, "f1"),
        World("planned", 0.2, 200, "precision"),
    ]


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else np.inf
    print(
        "| statistic | prior | rows drawn | looks | samples | plain intervals | sequence | wider | narrow enough | after rows |"
    )
    print("|---" * 10 + "|")
    every = worlds()
    for number, world in enumerate(every):
        found = false_alarms(world, repeats, number, seconds / len(every))
        print(
            f"| {world.statistic} | {world.prior:g} | {world.planned}, {world.design} | {world.planned // EVERY} | {found['samples']:.0f} | "
            f"{100 * found['plain']:.1f}% | {100 * found['sequence']:.1f}% | {found['wider']:.2f} | "
            f"{100 * found['stopped']:.0f}% | {found['rows']:.0f} |",
            flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
