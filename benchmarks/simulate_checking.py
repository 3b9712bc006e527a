"""How often "you can stop" is said while the truth is outside the interval, over whole sessions of checking.

Run: python benchmarks/simulate_checking.py [repeats] [seconds]. Prints the table of docs/checking_rows.md.

The worlds are those of simulate_looking.py. In a session the rows of a plan are answered one after the other; after
every other answer the page looks (`checkpage.look_at`) and says whether that is enough. The session ends when it does, or
when all rows are answered. A false stop is a session that ends early with the truth of the population outside. In some
worlds people are unsure about rows, of positives three times as often as of negatives, and never settle these.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace

import numpy as np
from simulate_looking import APART, ROWS, World

import puremetrics as pm
from puremetrics.checkpage import look_at
from puremetrics.planning.plan import AuditPlan


@dataclass(frozen=True)
class Sessions:
    """A world of planned rows, the width to stop at, and the share of negatives that people are unsure about."""

    world: World
    width: float
    unsure: float = 0.0

    def draw(self, rng: np.random.Generator) -> tuple[pm.ScoreTable, AuditPlan, pm.Audit]:
        """A table, its plan, and the audit with all its answers."""
        world = self.world
        truth = rng.random(ROWS) < world.prior
        score = rng.normal(size=ROWS) + APART * truth
        labels = (truth & (rng.random(ROWS) < 0.2)).astype(int)
        table = pm.ScoreTable.from_arrays(labels, score, scenario="single_training_set")
        plan = pm.plan_audit(
            table, budget=world.planned, target=world.statistic, prior=world.prior, **world.at
        )
        rows = plan.draw(labels, score, rng=rng)
        return table, plan, plan.audit(rows, truth[rows], sequential=True)

    def stop(self, rng: np.random.Generator, every: int) -> tuple[int | None, bool]:
        """After how many rows the page says that one can stop, and whether the truth is outside then."""
        table, plan, audit = self.draw(rng)
        unsure = rng.random(len(audit)) < np.where(audit.positive, 3 * self.unsure, self.unsure)
        for count in range(every, len(audit) + 1, every):
            part, sure = audit.first(count), ~unsure[:count]
            if not sure.any():
                continue
            others = []
            if not sure.all():
                others = [
                    replace(part, positive=np.where(sure, part.positive, said))
                    for said in (True, False)
                ]
            look = look_at(
                table, _of(part, sure), plan, width=self.width, unsure=others, ahead=False
            )
            if look.enough:
                return count, not look.low <= self.world.truth <= look.high
        return None, False


def _of(audit: pm.Audit, rows: np.ndarray) -> pm.Audit:
    """The audit of some of its rows."""
    assert audit.strata is not None
    own = replace(
        audit,
        scores={name: column[rows] for name, column in audit.scores.items()},
        positive=audit.positive[rows],
        weight=audit.weight[rows],
        labelled=audit.labelled[rows],
    )
    return replace(own, weight=own.weight_by_strata(audit.strata))


def false_stops(
    sessions: Sessions, repeats: int, seed: int = 0, seconds: float = np.inf, every: int = 2
) -> dict[str, float]:
    """The share of sessions that ended with the truth outside, and when they ended."""
    rng, ends = np.random.default_rng([38, seed]), time.monotonic() + seconds
    stops, outside, done = [], 0, 0
    while done < repeats and time.monotonic() < ends:
        done += 1
        stopped, wrong = sessions.stop(rng, every)
        outside += wrong
        if stopped is not None:
            stops.append(stopped)
    return {
        "sessions": done,
        "stopped": len(stops) / done,
        "rows": float(np.median(stops)) if stops else np.nan,
        "outside": outside / done,
        "of_stopped": outside / max(len(stops), 1),
    }


def worlds() -> list[Sessions]:
    """All settings."""
    return [
        Sessions(World("planned", 0.2, 200, "precision"), 0.25),
        Sessions(World("planned", 0.2, 200, "precision"), 0.4),
        Sessions(World("planned", 0.2, 200, "f1"), 0.4),
        Sessions(World("planned", 0.2, 200, "prior"), 0.2),
        Sessions(World("planned", 0.2, 200, "precision"), 0.25, unsure=0.02),
    ]


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else np.inf
    print(
        "| target | prior | unsure | stops at a width of | sessions | stopped early | after rows | false stops |"
    )
    print("|---" * 8 + "|")
    every = worlds()
    for number, sessions in enumerate(every):
        world = sessions.world
        found = false_stops(sessions, repeats, number, seconds / len(every))
        print(
            f"| {world.statistic} | {world.prior:g} | {100 * sessions.unsure:g}% | {sessions.width:g} | "
            f"{found['sessions']:.0f} | {100 * found['stopped']:.0f}% | {found['rows']:.0f} | "
            f"{100 * found['outside']:.1f}% |",
            flush=True,
        )


if __name__ == "__main__":
    main()
