"""The conditional bootstrap of the hull against the true variance parts (Lim and Won, Figure 1).

Run: python benchmarks/simulate_hull.py docs/evidence. Writes docs/evidence/hull.md and docs/evidence/hull-variance.png. Negatives
score N(0, 1), positives N(0.5, 1); 50 positives. True parts by nested simulation: the variance of the mean
given one group, over draws of that group, and the mean of the variance given it (Eq. (19)).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import puremetrics as pm
from puremetrics.correction.hull import height, majorant
from puremetrics.setting import TwoSamples

GRID = np.linspace(0, 1, 101)
SHIFT = 0.5


def hull_at(pos: np.ndarray, other: np.ndarray) -> np.ndarray:
    table = pm.ScoreTable.from_groups(
        positive=pos, unlabeled=None, negative=other, scenario="case_control"
    )
    f, g, _ = majorant(TwoSamples(table.cut()))
    return height(f, g, GRID)


def compare(
    n_pos: int, n_other: int, repeats: int, n_resamples: int, seed: int
) -> dict[str, np.ndarray]:
    """True parts of the variance, and the mean and quantiles of their bootstrap estimates."""
    rng = np.random.default_rng(seed)
    inner = 40
    nested = np.empty((repeats, inner, GRID.size))
    for i in range(repeats):
        other = rng.normal(0, 1, n_other)
        for j in range(inner):
            nested[i, j] = hull_at(rng.normal(SHIFT, 1, n_pos), other)
    within = nested.var(axis=1, ddof=1).mean(axis=0)
    between = nested.mean(axis=1).var(axis=0, ddof=1) - within / inner
    estimates = {"pos": [], "others": []}
    for i in range(repeats):
        table = pm.ScoreTable.from_groups(
            positive=rng.normal(SHIFT, 1, n_pos),
            unlabeled=None,
            negative=rng.normal(0, 1, n_other),
            scenario="case_control",
        )
        variance = pm.hull_variance(table, fpr=GRID, n_resamples=n_resamples, rng=seed + i)
        estimates["pos"].append(variance.due_to_pos)
        estimates["others"].append(variance.due_to_others)
    result = {"true pos": within, "true others": np.maximum(between, 0.0)}
    for name, values in estimates.items():
        result[f"bootstrap {name}"] = np.mean(values, axis=0)
        result[f"low {name}"], result[f"high {name}"] = np.quantile(values, [0.05, 0.95], axis=0)
    return result


def main(target: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    folder = Path(target)
    lines = [
        "# The hull's variance, split by group",
        "",
        "Conditional bootstrap of the ROC convex hull (Lim and Won, Algorithm 1) against the true parts of Eq. (19), "
        "averaged over false positive rates 0.05 to 0.95; 50 positives N(0.5, 1), others N(0, 1); 200 data sets "
        "with 200 resamples each. Made by `make coverage-tables`.",
        "",
        "| other rows | due to positives, true | bootstrap | due to others, true | bootstrap |",
        "|---|---|---|---|---|",
    ]
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharex=True)
    inside = slice(5, 96)
    column = 0
    for n_other in (50, 100, 200, 300, 1000):
        result = compare(50, n_other, 200, 200, seed=9)
        means = {name: float(values[inside].mean()) for name, values in result.items()}
        lines.append(
            f"| {n_other} | {means['true pos']:.5f} | {means['bootstrap pos']:.5f} "
            f"| {means['true others']:.5f} | {means['bootstrap others']:.5f} |"
        )
        print(lines[-1], flush=True)
        if n_other not in (100, 1000):
            continue
        for row, (part, title) in enumerate((("pos", "positives"), ("others", "others"))):
            ax = axes[row, column]
            ax.fill_between(
                GRID,
                result[f"low {part}"],
                result[f"high {part}"],
                color="#1f5fa8",
                alpha=0.2,
                lw=0,
                label="5 to 95 % of the estimates",
            )
            ax.plot(GRID, result[f"bootstrap {part}"], color="#1f5fa8", label="bootstrap, mean")
            ax.plot(GRID, result[f"true {part}"], color="black", ls="--", label="true")
            ax.set(title=f"variance due to the {title}, {n_other} others", ylim=(0, 0.006))
            if row:
                ax.set(xlabel="false positive rate")
        column += 1
    axes[0, 0].legend(frameon=False, fontsize=8)
    figure.savefig(folder / "hull-variance.png", dpi=110)
    lines += [
        "",
        "![Variance parts along the curve](hull-variance.png)",
        "",
        "As in the paper, both estimates follow the true parts, and the part due to the others vanishes as they become many.",
        "",
    ]
    (folder / "hull.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/evidence")
