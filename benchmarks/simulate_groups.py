"""Coverage where rows belong to groups: with groups=…, and with rows taken for independent.

Run: python benchmarks/simulate_groups.py docs/evidence [repeats]. Writes docs/evidence/group_coverage.md and its picture.
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

REPEATS = 200
COLUMNS = (
    "roc_auc", "average_precision", *METRICS, "brier_score", "calibration_error", "prior", "difference",
)  # fmt: skip
SIZES = ((15, 5), (15, 50), (40, 5), (40, 20), (150, 5), (150, 10), (400, 5), (400, 20))


def worlds() -> list[GroupWorld]:
    """All settings."""
    found = []
    for (groups, rows), alike in product(SIZES, (0.0, 0.3, 0.6)):
        prior = {5: 0.4, 10: 0.2, 20: 0.2, 50: 0.05}[rows]
        for scenario, across in (
            ("single_training_set", True), ("case_control", True), ("case_control", False),
        ):  # fmt: skip
            found.append(GroupWorld(groups, rows, alike, prior, scenario, across))
    return found


def estimates(world: GroupWorld, rows: dict[str, np.ndarray], groups: Any) -> dict[str, Any]:
    """All statistics of one sample."""
    y, scenario, prior = rows["y"], world.scenario, world.prior
    table = pm.ScoreTable.from_arrays(y, rows["score"], scenario=scenario, groups=groups)
    chances = pm.ScoreTable.from_arrays(y, rows["probability"], scenario=scenario, groups=groups)
    models = {"first": rows["score"], "second": rows["second"]}
    joint = pm.JointTable.from_arrays(y, models, scenario=scenario, groups=groups)
    found: dict[str, Any] = {
        name: pm.metric(table, name, threshold=world.threshold, prior=prior) for name in METRICS
    }
    found["roc_auc"] = pm.roc_auc(table, prior=prior)
    found["average_precision"] = pm.average_precision(table, prior=prior)
    found["brier_score"] = pm.brier_score(chances, prior=prior)
    found["calibration_error"] = pm.calibration_error(chances, prior=prior)
    found["prior"] = pm.estimate_prior(table)
    found["difference"] = pm.compare(joint, prior=prior).differences[0]
    return found


def _of_world(task: tuple[int, GroupWorld, int]) -> dict[str, tuple[float, float, float, float]]:
    number, world, repeats = task
    rng, truths = np.random.default_rng([19, number]), world.truths()
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in COLUMNS}
    for _ in range(repeats):
        rows = world.draw(rng)
        while rows["y"].sum() < 3 or rows["y"].sum() > rows["y"].size - 3:
            rows = world.draw(rng)
        if world.scenario == "single_training_set" and world.prior <= rows["y"].mean():
            continue  # more labels than positives to expect: the prior would be refused
        both = estimates(world, rows, rows["group"]), estimates(world, rows, None)
        for name in COLUMNS:
            grouped, alone = (found[name].interval for found in both)
            truth = truths[name]
            runs[name].append(
                (float(truth in grouped), float(truth in alone), grouped.width, alone.width)
            )
    return {name: tuple(np.mean(rows, axis=0)) for name, rows in runs.items()}  # type: ignore[misc]


def page(results: list[tuple[GroupWorld, Any]], repeats: int) -> str:
    """One sentence, then the table."""
    every = np.array([[found[name][:2] for name in COLUMNS] for _, found in results])
    error = float(np.sqrt(0.93 * 0.07 / repeats))
    low = int(np.count_nonzero(every[..., 0] < 0.93 - 2 * error))
    words = [name.replace("_", " ").replace("roc auc", "ROC AUC") for name in COLUMNS]
    lines = [
        "# Coverage of grouped rows",
        "",
        f"With `groups=` 95 % intervals held the truth in {every[..., 0].mean():.3f} of the samples, with rows taken for "
        f"independent in {every[..., 1].mean():.3f} (lowest {every[..., 1].min():.3f}); {low} of {every[..., 0].size} "
        f"shares with groups are below 0.93 by more than two standard errors ({error:.3f}), the lowest is "
        f"{every[..., 0].min():.3f}.",
        "",
        "![Coverage with and without groups](group_coverage.png)",
        "",
        f"{len(results)} settings, {repeats} samples each: 15 to 400 groups of 5 to 50 rows on average. A share of 0, 0.3 "
        "or 0.6 of the scores' variance is common to the rows of a class in a group, and groups differ in how many "
        "of their rows are positive. In case-control, groups are in both samples, or each in one. The prior is known, but "
        "for its own estimate; the difference is that of two models' AUC, and 0. "
        f"`python benchmarks/simulate_groups.py docs/evidence {repeats}`.",
        "",
        "| groups × rows | alike | prior | samples | " + " | ".join(words) + " |",
        "|---" * (4 + len(COLUMNS)) + "|",
    ]
    for world, found in results:
        where = "one" if world.scenario == "single_training_set" else "two, shared groups"
        where = where if world.across else "two, groups apart"
        cells = [f"{found[name][0]:.3f} ({found[name][1]:.3f})" for name in COLUMNS]
        lines.append(
            f"| {world.groups} × {world.rows} | {world.alike:g} | {world.prior:g} | {where} | "
            + " | ".join(cells)
            + " |"
        )
    lines += [
        "",
        "In parentheses: rows taken for independent.",
        "",
        "## Mean width over that of independent rows",
        "",
    ]
    lines += ["| alike | " + " | ".join(words) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    for alike in (0.0, 0.3, 0.6):
        ratios = [
            np.mean([f[name][2] / f[name][3] for w, f in results if w.alike == alike])
            for name in COLUMNS
        ]
        lines.append(f"| {alike:g} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    return "\n".join(lines) + "\n"


def picture(
    results: list[tuple[GroupWorld, Any]], path: Path, columns: tuple[str, ...] = COLUMNS
) -> None:
    """Coverage by statistic, with and without groups."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), sharey=True)
    for ax, alike in zip(axes, (0.0, 0.3, 0.6), strict=True):
        kept = [found for world, found in results if world.alike == alike]
        for place, name in enumerate(columns):
            for side, shade in ((1, "0.65"), (0, "tab:blue")):
                shown = [found[name][side] for found in kept]
                at = place + (0.18 if side == 0 else -0.18) + np.linspace(-0.1, 0.1, len(shown))
                label = ("groups=…", "independent rows")[side] if place == 0 else None
                ax.plot(at, shown, ".", color=shade, markersize=4, label=label)
        ax.axhline(0.95, color="0.4", linewidth=0.8)
        words = [name.replace("_", " ").replace("roc auc", "ROC AUC") for name in columns]
        ax.set_xticks(range(len(columns)), words, rotation=50, ha="right", fontsize=7)
        ax.set_title(
            "rows not alike" if alike == 0 else f"{alike:g} of the variance in common",
            loc="left",
            fontsize=9,
        )
    axes[0].set_ylabel("share of samples whose\n95 % interval holds the truth")
    axes[0].legend(fontsize=8, frameon=False, loc="lower left")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/evidence")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS
    every = worlds()
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_of_world, [(i, world, repeats) for i, world in enumerate(every)]))
    results = list(zip(every, found, strict=True))
    (folder / "group_coverage.md").write_text(page(results, repeats), encoding="utf-8")
    picture(results, folder / "group_coverage.png")


if __name__ == "__main__":
    main()
