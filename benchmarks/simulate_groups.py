"""Coverage where rows belong to groups: with groups=…, and with rows taken for independent.

Run: python benchmarks/simulate_groups.py docs/evidence [repeats]. Writes docs/evidence/group_coverage.md and its picture.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from group_worlds import METRICS, GroupWorld
from sharpness import lambda95, need_of

import puremetrics as pm

REPEATS = 200
COLUMNS = (
    "roc_auc", "average_precision", *METRICS, "brier_score", "calibration_error", "prior", "difference",
)  # fmt: skip
ALIKE = (0.0, 0.3, 0.6)
Results = Sequence[tuple[GroupWorld, Any]]  # coverage with groups, without, both widths and λ95
SIZES = ((15, 5), (15, 50), (40, 5), (40, 20), (150, 5), (150, 10), (400, 5), (400, 20))


def worlds() -> list[GroupWorld]:
    """All settings."""
    found = []
    for (groups, rows), alike in product(SIZES, ALIKE):
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


def _of_world(task: tuple[int, GroupWorld, int]) -> dict[str, tuple[float, ...]]:
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
            need = need_of(truth, value_of(both[0][name]), grouped)
            held = float(truth in grouped), float(truth in alone)
            runs[name].append((*held, grouped.width, alone.width, need))
    return {name: summed(rows) for name, rows in runs.items()}


def value_of(found: Any) -> float:
    """The value inside the interval of an estimate, a prior, a calibration error or a difference."""
    return float(found)


def summed(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Means over samples, and of the last column λ95."""
    columns = np.array(rows, dtype=np.float64)
    return (*map(float, columns[:, :-1].mean(axis=0)), lambda95(columns[:, -1]))


def sentence(results: Results, repeats: int, columns: Sequence[str] = COLUMNS) -> str:
    """What the picture says."""
    every = np.array([[found[name][:2] for name in columns] for _, found in results])
    error = float(np.sqrt(0.93 * 0.07 / repeats))
    grouped, alone = every[..., 0], every[..., 1]
    low = int(np.count_nonzero(grouped < 0.93 - 2 * error))
    return (
        f"With `groups=` 95% intervals held the truth in {grouped.mean():.3f} of the samples, and in at least "
        f"{grouped.min():.3f} in every setting; with rows taken for independent in {alone.mean():.3f}, and in as few as "
        f"{alone.min():.3f}. With groups {low} of {grouped.size} shares are below 0.93 by more than two standard errors "
        f"({error:.3f})."
    )


def widths(results: Results, columns: Sequence[str] = COLUMNS) -> list[str]:
    """The section on what groups cost."""

    def ratio(alike: float, name: str) -> float:
        found = [found[name] for world, found in results if world.alike == alike]
        return float(np.mean([wide / narrow for _, _, wide, narrow, _ in found]))

    rows = [[f"{alike:g}", *(ratio(alike, name) for name in columns)] for alike in ALIKE]
    return [
        "## Mean width over that of independent rows",
        "",
        *evidence.table(("share in common", *map(evidence.words, columns)), rows, digits=2),
    ]


def lambdas(results: Results, columns: Sequence[str] = COLUMNS) -> list[str]:
    """The section on how much of their length intervals need."""
    rows = [
        [f"{alike:g}"]
        + [
            float(np.median([found[name][4] for world, found in results if world.alike == alike]))
            for name in columns
        ]
        for alike in ALIKE
    ]
    return [
        "## How much of its length an interval needs",
        "",
        "Median [λ95](sharpness.md) over the settings, with groups.",
        "",
        *evidence.table(("share in common", *map(evidence.words, columns)), rows, digits=2),
    ]


def shares(
    head: Sequence[str], rows: Sequence[tuple[Sequence[str], Any]], columns: Sequence[str] = COLUMNS
) -> list[str]:
    """The section of all settings: coverage with groups, and without."""
    shown = [
        [*setting, *(f"{found[name][0]:.3f} ({found[name][1]:.3f})" for name in columns)]
        for setting, found in rows
    ]
    return [
        "## Coverage in every setting",
        "",
        "In parentheses: rows taken for independent.",
        "",
        *evidence.table((*head, *map(evidence.words, columns)), shown, f"All {len(rows)} settings"),
    ]


def _setting(world: GroupWorld) -> list[str]:
    where = "one" if world.scenario == "single_training_set" else "two, shared groups"
    where = where if world.across else "two, groups apart"
    return [f"{world.groups} × {world.rows}", f"{world.alike:g}", f"{world.prior:g}", where]


def page(results: Results, repeats: int) -> list[str]:
    """The page: a sentence, the picture, widths, and all shares."""
    return [
        *evidence.opening(
            "Coverage of grouped rows",
            sentence(results, repeats),
            "group_coverage.png",
            "Coverage with groups and with rows taken for independent, one dot for each setting",
            f"{len(results)} settings, {repeats} samples each: 15 to 400 groups of 5 to 50 rows on average. A share of 0, 0.3 "
            "or 0.6 of the scores' variance is common to the rows of a class in a group, and groups differ in how many of "
            "their rows are positive. In case-control, groups are in both samples, or each in one. The prior is known, but "
            "for its own estimate; the difference is that of two models' AUCs, and truly 0.",
            f"python benchmarks/simulate_groups.py docs/evidence {repeats}",
        ),
        *widths(results),
        *lambdas(results),
        *shares(
            ("groups × rows", "share in common", "prior", "samples"),
            [(_setting(world), found) for world, found in results],
        ),
    ]


def draw(results: Results, path: Path, columns: Sequence[str] = COLUMNS) -> None:
    """Coverage by statistic, with and without groups."""
    colours = {"groups=…": evidence.BLUE, "rows taken for independent": evidence.ORANGE}
    figure, axes = plt.subplots(1, 3, figsize=(7, 4.0), sharey=True, layout="constrained")
    for ax, alike in zip(axes, ALIKE, strict=True):
        kept = [found for world, found in results if world.alike == alike]
        rows = {
            evidence.words(name): {
                way: [found[name][i] for found in kept] for i, way in enumerate(colours)
            }
            for name in columns
        }
        evidence.strips(ax, rows, colours)
        title = "nothing in common" if alike == 0 else f"{alike:g} in common"
        ax.set_title(title, loc="left", fontsize=10)
        evidence.plain(ax, xlim=(0.3, 1.02), xticks=[0.4, 0.6, 0.8, 1.0])
    figure.supxlabel(evidence.HELD, fontsize=10)
    lines, names = axes[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=2, frameon=False, markerscale=2)
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    every = worlds()
    tasks = [(number, world, repeats) for number, world in enumerate(every)]
    results = list(zip(every, evidence.each(_of_world, tasks), strict=True))
    draw(results, folder / "group_coverage.png")
    (folder / "group_coverage.md").write_text("\n".join(page(results, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
