"""Coverage of audits whose rows belong to groups: with groups=…, and with rows taken for independent.

Run: python benchmarks/simulate_grouped_audits.py docs/evidence [repeats]. Writes
docs/evidence/grouped_audit_coverage.md and its picture.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import numpy as np
from group_worlds import METRICS, GroupWorld
from sharpness import need_of
from simulate_groups import draw, lambdas, sentence, shares, summed, value_of, widths

import puremetrics as pm
from puremetrics.planning import plan as planning

planning._BUDGETS = ()  # what other budgets would give is not used here
REPEATS, CHECKED = 100, 200
COLUMNS = (*METRICS, "roc_auc", "average_precision", "prior")
SIZES = ((15, 50, 0.2), (40, 20, 0.2), (150, 10, 0.2), (400, 5, 0.4))
Task = tuple[int, GroupWorld, bool, int]


def worlds() -> list[tuple[GroupWorld, bool]]:
    """All settings, each with rows drawn at random and by a plan."""
    scenarios = ("single_training_set", "case_control")
    return [
        (GroupWorld(groups, rows, alike, prior, scenario, True), planned)
        for (groups, rows, prior), alike, scenario, planned in product(
            SIZES, (0.0, 0.3, 0.6), scenarios, (False, True)
        )
    ]


def estimates(
    world: GroupWorld, rows: dict[str, np.ndarray], planned: bool, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """All statistics of one sample, with groups and without."""
    y, score, truth, group = (rows[name] for name in ("y", "score", "truth", "group"))
    tables = [
        pm.ScoreTable.from_arrays(y, score, scenario=world.scenario, groups=names)
        for names in (group, None)
    ]
    if planned:
        least = 1.02 * y.mean() if world.scenario == "single_training_set" else 0.0
        plan = pm.plan_audit(
            tables[1],
            budget=min(CHECKED, int((y == 0).sum())),
            threshold=world.threshold,
            prior=max(world.prior, least),
        )
        drawn = plan.draw(y, score, rng=rng)
        audits = [plan.audit(drawn, truth[drawn], groups=g) for g in (group[drawn], None)]
    else:
        drawn = rng.choice(np.flatnonzero(y == 0), CHECKED, replace=False)
        audits = [
            pm.Audit.from_arrays(score[drawn], truth[drawn], groups=g) for g in (group[drawn], None)
        ]
    found = []
    for table, audit in zip(tables, audits, strict=True):
        one: dict[str, Any] = {
            name: pm.metric(table, name, threshold=world.threshold, audit=audit) for name in METRICS
        }
        one["roc_auc"] = pm.roc_auc(table, audit=audit)
        one["average_precision"] = pm.average_precision(table, audit=audit)
        one["prior"] = pm.prior_from_audit(audit, table=table)
        found.append(one)
    return found


def _of_world(task: Task) -> dict[str, tuple[float, ...]]:
    number, world, planned, repeats = task
    rng, truths = np.random.default_rng([1918, number]), world.truths()
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in COLUMNS}
    for _ in range(repeats):
        both = estimates(world, world.draw(rng), planned, rng)
        for name in COLUMNS:
            ends = [
                one[name].interval or pm.Interval(0.0, 1.0, 0.95, "confidence", "none")
                for one in both
            ]
            held = [float(truths[name] in end) for end in ends]
            need = need_of(truths[name], value_of(both[0][name]), both[0][name].interval)
            runs[name].append((*held, ends[0].width, ends[1].width, need))
    return {name: summed(rows) for name, rows in runs.items()}


def _setting(world: GroupWorld, planned: bool) -> list[str]:
    where = "one" if world.scenario == "single_training_set" else "two"
    drawn = "by a plan" if planned else "at random"
    return [f"{world.groups} × {world.rows}", f"{world.alike:g}", where, drawn]


def page(results: list[tuple[GroupWorld, bool, Any]], repeats: int) -> list[str]:
    """The page: a sentence, the picture, widths, and all shares."""
    found = [(world, numbers) for world, _, numbers in results]
    return [
        *evidence.opening(
            "Coverage of audits of grouped rows",
            sentence(found, repeats, COLUMNS),
            "grouped_audit_coverage.png",
            "Coverage with groups and with rows taken for independent, one dot for each setting",
            f"{len(results)} settings, {repeats} samples each, {CHECKED} rows checked: the worlds of "
            "[grouped rows](group_coverage.md), groups in both samples.",
            f"python benchmarks/simulate_grouped_audits.py docs/evidence {repeats}",
        ),
        *widths(found, COLUMNS),
        *lambdas(found, COLUMNS),
        *shares(
            ("groups × rows", "share in common", "samples", "drawn"),
            [(_setting(world, planned), numbers) for world, planned, numbers in results],
            COLUMNS,
        ),
    ]


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    every = worlds()
    tasks: list[Task] = [(i, world, planned, repeats) for i, (world, planned) in enumerate(every)]
    found = evidence.each(_of_world, tasks)
    results = [(*one, numbers) for one, numbers in zip(every, found, strict=True)]
    draw(
        [(world, numbers) for world, _, numbers in results],
        folder / "grouped_audit_coverage.png",
        COLUMNS,
    )
    lines = page(results, repeats)
    (folder / "grouped_audit_coverage.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
