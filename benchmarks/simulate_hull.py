"""The conditional bootstrap of the hull against the true variance parts; writes docs/evidence/hull.md and its plots.

Run: python benchmarks/simulate_hull.py docs/evidence [--samples N]. The plots are hull.png and hull-variance.png.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import evidence
import matplotlib.pyplot as plt
import numpy as np
import runs
from hull_worlds import GRID, SHIFT, compare

SAMPLES, SEED = 500, 9
POSITIVES, RESAMPLES = 50, 200
OTHERS = (50, 100, 200, 300, 1000)
SHOWN = (100, 1000)  # along the curve
PARTS = {"pos": "positives", "others": "others"}
INSIDE = slice(5, 96)  # false positive rates 0.05 to 0.95
Found = list[dict[str, np.ndarray]]  # one for each number of other rows


def measured(n_other: int, samples: int) -> dict[str, np.ndarray]:
    """True parts and estimates along the curve."""
    return compare(POSITIVES, n_other, samples, RESAMPLES, seed=runs.seed_of(n_other, SEED))


def mean_of(found: Found, name: str) -> np.ndarray:
    """Averages along the curve, one for each number of other rows."""
    return np.array([one[name][INSIDE].mean() for one in found])


def sentence(found: Found) -> str:
    """What was found."""
    ratios = {p: mean_of(found, f"bootstrap {p}") / mean_of(found, f"true {p}") for p in PARTS}
    allowed = mean_of(found, "allowed pos") / mean_of(found, "true pos")
    return (
        "The height of a ROC convex hull varies because of the positives in the sample, and because of the other rows that "
        f"they are compared with. With {OTHERS[0]} to {OTHERS[-1]} other rows, `hull_variance` puts the first part at "
        f"{runs.span(allowed, 2)} times its true variance on average (the conditional bootstrap alone at "
        f"{runs.span(ratios['pos'], 2)} times), and the second at {runs.span(ratios['others'], 2)} times."
    )


def compared(ax: plt.Axes, x: Sequence[float], found: dict[str, np.ndarray], part: str) -> None:
    """The estimates of one part, their spread, and the truth."""
    look = {"color": evidence.BLUE, "alpha": 0.2, "lw": 0, "label": "5 to 95% of the estimates"}
    told = f"{'allowed' if part == 'pos' else 'bootstrap'} {part}"
    ax.fill_between(x, found[f"low of {told}"], found[f"high of {told}"], **look)
    ax.plot(x, found[told], color=evidence.BLUE, label="hull_variance, mean")
    if part == "pos":
        ax.plot(x, found["bootstrap pos"], color=evidence.BLUE, ls=":", label="bootstrap alone")
    ax.plot(x, found[f"true {part}"], color="black", ls="--", label="true")


def draw(found: Found, target: Path) -> None:
    """Both parts against the number of other rows."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained", sharey=True)
    means = {name: mean_of(found, name) for name in found[0]}
    for ax, (part, group) in zip(axes, PARTS.items(), strict=True):
        compared(ax, OTHERS, means, part)
        ax.set_xscale("log")
        ax.set_xticks(OTHERS, OTHERS)
        ax.minorticks_off()
        evidence.plain(ax, title=f"due to the {group}", xlabel="number of other rows")
    axes[0].set(ylabel="variance of the hull", ylim=(0, None))
    axes[0].legend(frameon=False, fontsize=8)
    evidence.save(figure, target)


def draw_along(found: Found, target: Path) -> None:
    """Both parts along the curve, with few and with many other rows."""
    figure, axes = plt.subplots(
        2, len(SHOWN), figsize=(7, 5), layout="constrained", sharex=True, sharey=True
    )
    for column, n_other in enumerate(SHOWN):
        for row, (part, group) in enumerate(PARTS.items()):
            compared(axes[row, column], GRID, found[OTHERS.index(n_other)], part)
            title = f"due to the {group}, {n_other} others"
            evidence.plain(axes[row, column], title=title, ylim=(0, None))
    for ax in axes[1]:
        ax.set(xlabel="false positive rate")
    for ax in axes[:, 0]:
        ax.set(ylabel="variance of the hull")
    axes[0, 1].legend(frameon=False, fontsize=8)
    evidence.save(figure, target)


def table(found: Found) -> list[str]:
    """Averages along the curve."""
    head = ["other rows"]
    columns = []
    for part, group in PARTS.items():
        head += [f"due to {group}, true", "bootstrap"]
        columns += [mean_of(found, f"true {part}"), mean_of(found, f"bootstrap {part}")]
        if part == "pos":
            head.append("allowed for")
            columns.append(mean_of(found, "allowed pos"))
    rows = [(n, *map(float, row)) for n, *row in zip(OTHERS, *columns, strict=True)]
    return evidence.table(head, rows, digits=5)


def main(run: runs.Run) -> None:
    found = runs.in_parallel(measured, OTHERS, samples=run.samples)
    along = run.page.with_name("hull-variance.png")
    draw(found, run.picture)
    draw_along(found, along)
    how = (
        "The variance is that of the height of the ROC convex hull, averaged over false positive rates 0.05 to 0.95. The "
        "bootstrap is the conditional one of Lim and Won (Algorithm 1), the true parts are those of their Eq. (19), by "
        f"nested simulation. There are {POSITIVES} positives N({SHIFT}, 1), compared with other rows N(0, 1); "
        f"{run.samples} data sets of each size, with {RESAMPLES} resamples each. The true part due to the others has "
        f"a standard error of about {100 * (2 / run.samples) ** 0.5:.0f}%. The part due to the positives is divided by what "
        "a bootstrap of the bootstrap says is kept of it (*allowed for*)."
    )
    run.write(
        [
            *evidence.opening(
                "The hull's variance, split by group", sentence(found), run.picture.name,
                "Both parts of the variance, true and by the bootstrap, against the number of other rows",
                how, run.command,
            ),
            "## By number of other rows", "",
            "As in the paper, the part due to the others vanishes as they become many. The [reproduction](lim_won.md) "
            "measures the same with other seeds; the true part due to the others is known to a few per cent.", "",
            *table(found),
            "## Along the curve", "",
            f"![Both parts of the variance along the curve]({along.name})", "",
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(runs.asked("hull", SAMPLES))
