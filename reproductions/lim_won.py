"""Reproduce Lim and Won (2012): Table 1, Corollary 1, Figure 1, and ordered curves.

    python reproductions/lim_won.py

Table 1 is the hull as conditional and as unconditional maximum likelihood estimate on fifteen rows, Figure 1
the variance of the hull split by group, against its true parts (by `benchmarks/hull_worlds.py`). Both
need no data. Corollary 1 and ordered curves are in `lim_won_orders.py`. The paper's Figure 1 carries no numbers, so the page says what its text claims.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.hull_worlds import GRID, compare
from reproductions.common import BLUE, GREY, ORANGE, RED, Run, asked, plain_axes, table
from reproductions.lim_won_orders import corollary_1, ordered_curves

import puremetrics as pm
from tests.oracles.limwon import TABLE_1

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
IN_WORDS = (  # the same columns
    "false positive rate", "true positive rate", "true positive rate of the hull", "posterior", "odds",
    "density of the negatives", "density of the positives", "false positive rate, Lloyd",
    "true positive rate, Lloyd",
)  # fmt: skip
ROUNDING = 0.5001e-4  # of four digits
NEGATIVES = (50, 100, 200, 300, 1000)
INSIDE = slice(5, 96)  # false positive rates 0.05 to 0.95


@cache
def pairs() -> list[list[tuple[float, float]]]:
    """The paper's and our value of every cell of Table 1, row by row."""
    groups = [[row.score for row in TABLE_1 if row.label == label] for label in (1, 0)]
    ours = pm.hull_likelihood(
        pm.ScoreTable.from_groups(
            positive=groups[0], unlabeled=None, negative=groups[1], scenario="case_control"
        )
    )
    return [
        [(float(getattr(row, theirs)), float(getattr(ours, name)[i])) for theirs, name in COLUMNS.values()]
        for i, row in enumerate(TABLE_1)
    ]  # fmt: skip


def differences() -> np.ndarray:
    """Ours less the paper's, by row and column of Table 1; 0 where both are infinite."""
    return np.array([[0.0 if a == b else b - a for a, b in row] for row in pairs()])


@cache
def variances(run: Run) -> dict[int, dict[str, np.ndarray]]:
    """True and bootstrap variance of the hull, by the number of negatives."""
    repeats = repeats_of(run)
    return {n: compare(50, n, repeats, repeats, seed=run.seed) for n in NEGATIVES}


def repeats_of(run: Run) -> int:
    """Data sets of Figure 1, and resamples of each."""
    return 20 if run.quick else 200


def averages(result: Mapping[str, np.ndarray], part: str) -> list[float]:
    """True variance due to one group, the bootstrap's mean and its limits, over false positive rates."""
    kinds = ("true", "bootstrap", "low", "high")
    return [float(result[f"{kind} {part}"][INSIDE].mean()) for kind in kinds]


def opening(run: Run) -> list[str]:
    """What was found, and the plot of it."""
    apart, ratios = differences(), {}
    for group, part in (("positives", "pos"), ("negatives", "others")):
        means = [averages(result, part) for result in variances(run).values()]
        ratios[group] = [mean / true for true, mean, *_ in means]
    same = int(np.sum(np.abs(apart) <= ROUNDING))
    low, high = ({g: f"{pick(r):.2f}" for g, r in ratios.items()} for pick in (min, max))
    return [
        f"{'All' if same == apart.size else f'{same} of the'} {apart.size} numbers of the paper's Table 1 reproduce to four "
        f"digits; the largest difference is {np.abs(apart).max():.1e}. The bootstrap of its Figure 1 is less close to the truth "
        f"than the paper says: on average it gives {low['positives']} to {high['positives']} times the variance due to the "
        f"positives, and {low['negatives']} to {high['negatives']} times that due to the negatives.",
        "",
        *run.figure(summary(apart, ratios), "lim_won", "Table 1 reproduces; the bootstrap is somewhat off"),
    ]  # fmt: skip


def summary(apart: np.ndarray, ratios: Mapping[str, Sequence[float]]) -> plt.Figure:
    """Differences from Table 1 within its rounding, and how far the bootstrap is from the truth."""
    drawing, (left, right) = plt.subplots(
        1, 2, figsize=(7.4, 3.1), layout="constrained", width_ratios=[1.2, 1]
    )
    left.axvspan(-0.5, 0.5, color=GREY, alpha=0.2, lw=0)
    for place, column in enumerate(apart.T):
        left.plot(1e4 * column, np.full(column.size, place), "o", color=BLUE, ms=4, alpha=0.5)
    left.set_yticks(range(len(IN_WORDS)), IN_WORDS, fontsize=8)
    left.invert_yaxis()
    plain_axes(
        left, xlim=(-0.8, 0.8), xlabel="ours − paper, in units of 0.0001\n(grey: rounding of the paper's four digits)"
    )  # fmt: skip
    left.set_title(f"Table 1: {apart.size} numbers", fontsize=10)
    right.axhline(1, color=GREY, lw=1)
    for (group, values), colour in zip(ratios.items(), (BLUE, ORANGE), strict=True):
        right.plot(NEGATIVES, values, "o-", color=colour, label=f"due to the {group}")
    plain_axes(
        right, xscale="log", ylim=(0.8, 1.4), xlabel="number of negatives", ylabel="bootstrap / true variance"
    )  # fmt: skip
    right.set_xticks(NEGATIVES, [str(n) for n in NEGATIVES], fontsize=8)
    right.minorticks_off()
    right.set_title("Figure 1: variance of the hull", fontsize=10)
    right.legend(frameon=False, fontsize=8, loc="upper left")
    return drawing


def table_1() -> list[str]:
    """Rows 'paper / ours' of all columns, and the largest difference."""
    worst = float(np.abs(differences()).max())
    rows = []
    for printed, row in zip(TABLE_1, pairs(), strict=True):
        cells = [" / ".join("∞" if np.isinf(v) else f"{v:.4g}" for v in pair) for pair in row]
        rows.append([f"{printed.score:g}", printed.label, *cells])
    return [
        "## Table 1: the hull is a maximum likelihood estimate",
        "",
        "Every cell is *paper / ours*, to four digits. The largest difference, "
        f"{worst:.1e}, is the paper's rounding: **all 135 numbers reproduce**."
        if worst <= ROUNDING
        else f"Largest difference: {worst:.1e}.",
        "",
        *table(["score", "class", *COLUMNS], rows, summary="Table 1, all 135 numbers"),
    ]


def figure_1(run: Run) -> list[str]:
    repeats = repeats_of(run)
    drawing, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharex=True)
    shown = {100: 0, 1000: 1}
    rows = []
    for n_other, result in variances(run).items():
        cells: list[object] = []
        for part in ("pos", "others"):
            true, mean, low, high = averages(result, part)
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
                label = "5% and 95% of the estimates" if side == "low" else None
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
    run.write([*run.head("Lim and Won (2012), reproduced", lambda: opening(run)), *lines])


CLAIMS = """\
The paper claims that the bootstrap estimates of both parts are very close to the truth, and that the part due to the
negatives almost vanishes with 1000 of them. The second reproduces. The first holds within the scatter of single
estimates (the dash-dotted lines), but not on average: the part due to the positives comes out about a tenth too small and
the part due to the negatives somewhat too large. The paper's remark after Eq. (19) names the two terms the wrong way
round (its Algorithm 1 does not)."""


if __name__ == "__main__":
    main()
