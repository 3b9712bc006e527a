"""Coverage of audits whose rows belong to groups: with groups=…, and with rows taken for independent.

Run: python benchmarks/simulate_grouped_audits.py docs/evidence [repeats]. Writes docs/grouped_audit_coverage.md and its
picture.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from group_worlds import METRICS, GroupWorld

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
            runs[name].append((*held, ends[0].width, ends[1].width))
    return {name: tuple(np.mean(rows, axis=0)) for name, rows in runs.items()}


def page(results: list[tuple[GroupWorld, bool, Any]], repeats: int) -> str:
    """One sentence, then the table."""
    every = np.array([[found[name][:2] for name in COLUMNS] for _, _, found in results])
    error = float(np.sqrt(0.93 * 0.07 / repeats))
    low = int(np.count_nonzero(every[..., 0] < 0.93 - 2 * error))
    words = [name.replace("_", " ").replace("roc auc", "ROC AUC") for name in COLUMNS]
    lines = [
        "# Coverage of audits of grouped rows",
        "",
        f"With the groups of the checked rows 95 % intervals held the truth in {every[..., 0].mean():.3f} of the samples, with "
        f"rows taken for independent in {every[..., 1].mean():.3f} (lowest {every[..., 1].min():.3f}); {low} of "
        f"{every[..., 0].size} shares with groups are below 0.93 by more than two standard errors ({error:.3f}), the lowest is "
        f"{every[..., 0].min():.3f}.",
        "",
        "![Coverage with and without groups](grouped_audit_coverage.png)",
        "",
        f"{len(results)} settings, {repeats} samples each, {CHECKED} rows checked: the worlds of "
        "[grouped rows](group_coverage.md), groups in both samples. "
        f"`python benchmarks/simulate_grouped_audits.py docs/evidence {repeats}`.",
        "",
        "| groups × rows | alike | samples | drawn | " + " | ".join(words) + " |",
        "|---" * (4 + len(COLUMNS)) + "|",
    ]
    for world, planned, found in results:
        where = "one" if world.scenario == "single_training_set" else "two"
        cells = [f"{found[name][0]:.3f} ({found[name][1]:.3f})" for name in COLUMNS]
        lines.append(
            f"| {world.groups} × {world.rows} | {world.alike:g} | {where} | "
            f"{'by a plan' if planned else 'at random'} | " + " | ".join(cells) + " |"
        )
    lines += ["", "In parentheses: rows taken for independent.", ""]
    lines += ["## Mean width over that of independent rows", ""]
    lines += ["| alike | " + " | ".join(words) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    for alike in (0.0, 0.3, 0.6):
        ratios = [
            np.mean([f[name][2] / f[name][3] for w, _, f in results if w.alike == alike])
            for name in COLUMNS
        ]
        lines.append(f"| {alike:g} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    from simulate_groups import picture

    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/evidence")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS
    every = worlds()
    tasks: list[Task] = [(i, world, planned, repeats) for i, (world, planned) in enumerate(every)]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_of_world, tasks))
    results = [(*one, each) for one, each in zip(every, found, strict=True)]
    (folder / "grouped_audit_coverage.md").write_text(page(results, repeats), encoding="utf-8")
    picture(
        [(world, each) for world, _, each in results],
        folder / "grouped_audit_coverage.png",
        COLUMNS,
    )


if __name__ == "__main__":
    main()
