"""Reproduce Lim and Won (2012): Table 1, Corollary 1, Figure 1, and ordered curves.

    python reproductions/lim_won.py

Table 1 is the hull as conditional and as unconditional maximum likelihood estimate on fifteen rows, Figure 1
the variance of the hull split by group, against its true parts (by `benchmarks/hull_worlds.py`). Both
need no data. Corollary 1 and ordered curves are in `lim_won_orders.py`. The paper's Figure 1 carries no numbers, so the page says what its text claims.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.hull_worlds import GRID, compare
from reproductions.common import BLUE, RED, Run, asked, plain_axes, table
from reproductions.lim_won_orders import corollary_1, ordered_curves
from tests.oracles.limwon import TABLE_1

import puremetrics as pm

SEED = 9
COLUMNS = {  # heading of the paper: its name in the table of the oracle, ours
    "S_ND": ("s_nd", "empirical_other"),
    "S_D": ("s_d", "empirical_pos"),
    "S_D lcm": ("s_d_lcm", "conditional_pos"),
    "π": ("posterior", "posterior"),
    "φ": ("odds", "odds"),
    "f_ND": ("f_nd_lloyd", "density_other"),
    "f_D": ("f_d_lloyd", "density_pos"),
    "S_ND Lloyd": ("s_nd_lloyd", "lloyd_other"),
    "S_D Lloyd": ("s_d_lloyd", "lloyd_pos"),
}
INSIDE = slice(5, 96)  # false positive rates 0.05 to 0.95


def table_1() -> list[str]:
    """Rows 'paper / ours' of all columns, and the largest difference."""
    groups = [[row.score for row in TABLE_1 if row.label == label] for label in (1, 0)]
    ours = pm.hull_likelihood(
        pm.ScoreTable.from_groups(
            positive=groups[0], unlabeled=None, negative=groups[1], scenario="case_control"
        )
    )
    worst, rows = 0.0, []
    for i, printed in enumerate(TABLE_1):
        cells = []
        for theirs, name in COLUMNS.values():
            pair = float(getattr(printed, theirs)), float(getattr(ours, name)[i])
            if pair[0] != pair[1]:  # both may be infinite
                worst = max(worst, abs(pair[0] - pair[1]))
            cells.append(" / ".join("∞" if np.isinf(v) else f"{v:.4g}" for v in pair))
        rows.append([f"{printed.score:g}", printed.label, *cells])
    return [
        "## Table 1: the hull is a maximum likelihood estimate",
        "",
        "Every cell is *paper / ours*, to four digits. The largest difference, "
        f"{worst:.1e}, is the paper's rounding: **all 135 numbers reproduce**."
        if worst <= 0.5001e-4
        else f"Largest difference: {worst:.1e}.",
        "",
        *table(["score", "class", *COLUMNS], rows),
    ]


def figure_1(run: Run) -> list[str]:
    repeats = 20 if run.quick else 200
    drawing, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharex=True)
    shown = {100: 0, 1000: 1}
    rows = []
    for n_other in (50, 100, 200, 300, 1000):
        result = compare(50, n_other, repeats, repeats, seed=run.seed)
        cells: list[object] = []
        for part in ("pos", "others"):
            true, mean, low, high = (
                float(result[f"{kind} {part}"][INSIDE].mean())
                for kind in ("true", "bootstrap", "low", "high")
            )
            spread = (high - low) / 3.29 / np.sqrt(repeats)  # as of a normal with these quantiles
            cells += [true, f"{mean:.5f} ± {spread:.5f}", f"{mean / true:.2f}"]
        rows.append([n_other, *cells])
        print(*rows[-1], flush=True)
        if n_other not in shown:
            continue
        for line, part in enumerate(("pos", "others")):
            ax = axes[line, shown[n_other]]
            at = slice(0, None, 4)
            ax.plot(GRID[at], result[f"true {part}"][at], "o", mfc="none", color="black", ms=5,
                    label="true variance")  # fmt: skip
            ax.plot(GRID[at], result[f"bootstrap {part}"][at], "x", color=BLUE, ms=5,
                    label="bootstrap estimate, mean")  # fmt: skip
            for side in ("low", "high"):
                label = "5 % and 95 % of the estimates" if side == "low" else None
                ax.plot(GRID, result[f"{side} {part}"], "-.", color=RED, lw=0.9, label=label)
            title = f"due to the {'positives' if part == 'pos' else 'negatives'}, n_ND = {n_other}"
            plain_axes(ax, title=title, ylim=(0, 0.0065), xlim=(0, 1))
            if line:
                ax.set_xlabel("false positive rate")
            else:
                ax.set_ylabel("variance")
    axes[1, 1].legend(frameon=False, fontsize=8)
    picture = run.figure(drawing, "lim_won-figure-1", "Variance of the hull, split by group")
    return [
        "## Figure 1: the variance of the hull, split by group",
        "",
        f"{repeats} data sets (50 positives N(0.5, 1); negatives N(0, 1)), {repeats} resamples of each "
        "(the paper: 500 and 500). True parts by nested simulation.",
        "",
        *picture,
        "Means over false positive rates 0.05 to 0.95 (± at most one standard error):",
        "",
        *table(
            ["n_ND", "positives, true", "bootstrap", "ratio", "negatives, true", "bootstrap", "ratio"],
            rows,
            digits=5,
        ),
        CLAIMS,
        "",
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    run = asked("lim_won", SEED, arguments)
    parts = {
        "Table 1": table_1,
        "Corollary 1": lambda: corollary_1(run),
        "Ordered curves": lambda: ordered_curves(run),
        "Figure 1": lambda: figure_1(run),
    }
    run.makes(*parts)
    lines = [line for title, make in parts.items() for line in run.section(title, make)]
    run.write([*run.head("Lim and Won (2012), reproduced"), *lines])


CLAIMS = """\
The paper claims that the bootstrap estimates of both parts are very close to the truth, and that the part due to the
negatives almost vanishes with 1000 of them. The second reproduces. The first holds within the scatter of single
estimates (the dash-dotted lines), but not on average: the part due to the positives comes out about a tenth too small and
the part due to the negatives somewhat too large. The paper's remark after Eq. (19) names the two terms the wrong way
round (its Algorithm 1 does not)."""


if __name__ == "__main__":
    main()
