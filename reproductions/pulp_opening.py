"""How the page of `pulp.py` opens: which measures agree with full labels, in one paragraph and one plot."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from reproductions.common import BLUE, GREY, RED, Run, plain_axes
from reproductions.pulp_experiment import AUC, PULP, SCENARIOS

TITLES = ("labels at random", "most typical labelled\n(scenario 1)", "least typical labelled\n(scenario 2)")  # fmt: skip
PAPER = {
    ("correlation", "random"): (0.918, 0.903, 0.916, 0.837, 0.923, 0.870, 0.916, 0.903),
    ("correlation", "scenario 1"): (0.806, 0.796, 0.804, 0.535, 0.806, 0.765, 0.912, 0.796),
    ("correlation", "scenario 2"): (0.495, 0.474, 0.494, 0.422, 0.504, 0.465, 0.769, 0.474),
    ("deviation", "random"): (0.117, 0.168, 0.034, 0.055, 0.057, 0.370, 0.127, 0.148),
    ("deviation", "scenario 1"): (0.130, 0.166, 0.123, 0.056, 0.065, 0.353, 0.132, 0.150),
    ("deviation", "scenario 2"): (0.165, 0.160, 0.120, 0.065, 0.0814, 0.356, 0.185, 0.157),
    ("spread", "all"): (0.197, 0.099, 0.248, 0.061, 0.100, 0.147, 0.324, 0.143),
}


def opening(run: Run, three: np.ndarray, one: np.ndarray) -> list[str]:
    """What was found, and the plot of it.

    ``three`` and ``one`` are mean correlations by scenario and measure, with test sets of three sizes and of one.
    """
    paper = np.array([PAPER["correlation", scenario] for scenario in SCENARIOS])
    designs = {
        "paper": paper,
        "here, test sets\nof three sizes": three,
        "here, test sets\nof one size": one,
    }
    return [
        "PULP, a measure of a ranking that needs no prior, agrees best with full labels if test sets have three sizes: its rank "
        "correlations (labels at random, on the most typical positives, on the least typical ones) are "
        f"{against_others(three)} of the seven other measures; the paper has {against_others(paper)}. With test "
        f"sets of one size they are {against_others(one)}: most of its lead comes from the sizes.",
        "",
        *run.figure(summary(designs), "pulp", "Rank correlations with full labels, in the paper and here"),
    ]  # fmt: skip


def against_others(values: np.ndarray) -> str:
    """PULP's correlations, and the best of the others, in words."""
    return f"{listed(values[:, PULP])} against at most {listed(np.delete(values, PULP, axis=1).max(axis=1))}"


def listed(values: np.ndarray) -> str:
    """Numbers in words: a, b and c."""
    *first, last = (f"{value:.2f}" for value in values)
    return f"{', '.join(first)} and {last}"


def summary(designs: Mapping[str, np.ndarray]) -> plt.Figure:
    """Correlations of all measures by scenario and design; PULP and AUC stand out."""
    drawing, axes = plt.subplots(
        1, 3, figsize=(7.4, 2.8), layout="constrained", sharex=True, sharey=True
    )
    for column, (ax, title) in enumerate(zip(axes, TITLES, strict=True)):
        for place, values in enumerate(designs.values()):
            rest = np.delete(values[column], [AUC, PULP])
            level = np.full(rest.size, place)
            for at, height, colour, size, label in (
                (rest, level, GREY, 5, "six others"),
                (values[column, AUC], place, BLUE, 7, "AUC"),
                (values[column, PULP], place, RED, 8, "PULP"),
            ):
                ax.plot(at, height, "o", color=colour, ms=size, alpha=0.8, mew=0,
                        label=label if not place and not column else None)  # fmt: skip
        plain_axes(ax, xlim=(0.3, 1), ylim=(len(designs) - 0.5, -0.5))
        ax.set_title(title, fontsize=9)
        ax.grid(axis="x", color=GREY, alpha=0.25, lw=0.6)
    axes[0].set_yticks(range(len(designs)), list(designs))
    axes[1].set_xlabel("rank correlation with the measure from full labels")
    drawing.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return drawing
