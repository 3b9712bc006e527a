"""Draw the package as one picture: ``python docs/architecture_picture.py [folder]`` writes architecture.svg.

Boxes are folders, and what they make in blue. Data flow from top to bottom; which folder may import which is
in ``tests/project/test_layers.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

INK, QUIET, LINE = "#222222", "#6b6b6b", "#b9bec6"
BLUE, PALE, WHITE, SAND = "#0072B2", "#e4f0f8", "#ffffff", "#f4f1ea"

# What stands on which line, from the top: folder (or what goes in or comes out), and its one idea.
SOURCES = ("arrays", "data frames", "files", "streams", "Spark")
READING = (
    ("io", "rows of any size, counted without being held"),
    ("checking", "input and messages"),
)
FORMULAS = (
    ("correction", "rates, curves"),
    ("bounds", "what is certain"),
    ("calibration", "probabilities"),
    ("ranking", "without a prior"),
    ("auditing", "checked rows"),
    ("evidence", "put together"),
)
STATISTICS = ("statistics", "what a number is: value, influence, limits")
ANSWERS = (
    ("listing", "the top of the list"),
    ("priors", "how many positives"),
    ("planning", "which rows to check"),
    ("comparing", "models, folds, segments"),
)
ASSUMING = ("assuming", "asks any of it")
QUESTIONS = (*FORMULAS, STATISTICS, *ANSWERS, ASSUMING)
SHOWING = (
    ("report", "HTML page"),
    ("checkpage", "rows to check"),
    ("cli", "terminal"),
    ("plots", "figures"),
    ("sklearn", "scorers"),
)
BESIDE = (
    ("exceptions", "errors, diagnostics"),
    ("scenarios", "the two designs"),
    ("numerics", "mathematics on arrays"),
    ("sampling", "how far a result is off"),
    ("datasets", "demo and real data"),
    ("theory", "without rows"),
)
WIDTH, HEIGHT = 100.0, 84.0


def main(folder: Path) -> None:
    """Write the picture into a folder."""
    plt.rcParams.update(
        {"svg.hashsalt": "puremetrics", "svg.fonttype": "path", "font.family": "DejaVu Sans"}
    )
    figure = drawn()
    figure.savefig(folder / "architecture.svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def drawn() -> Any:
    """The picture."""
    figure, ax = plt.subplots(figsize=(8.2, 6.9))
    figure.subplots_adjust(0.005, 0.005, 0.995, 0.995)
    ax.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    ax.axis("off")
    width = 77.0
    _words(ax, SOURCES, 0, width, 2.2)
    _row(ax, READING, 6, width, 6.2)
    _box(ax, 8, 16.4, width - 16, 6.4, "ScoreTable", "tables/: counts of rows by score", BLUE)
    _box(ax, 8, 27, width - 16, 6.4, "Setting", "setting/: everything that is assumed", BLUE)
    _row(ax, FORMULAS, 37.4, width, 6.2)
    name, idea = STATISTICS
    _box(ax, 8, 47.8, width - 16, 6.4, "Statistic", f"{name}/: {idea}", BLUE)
    _row(ax, ANSWERS, 58.2, width, 6.2)
    made = (
        ("Estimate, Curve …", "results/: with what they assumed"),
        ("Assumptions", f"{ASSUMING[0]}.py: {ASSUMING[1]}"),
        ("Evaluation", "evaluation/: all of it, a verdict"),
    )
    for number, (what, where) in enumerate(made):
        _box(ax, 26 * number, 68.2, 25, 6.4, what, where, BLUE)
    _row(ax, SHOWING, 78, width, 5.4)
    middle = width / 2
    for top, bottom, said in (
        (3.8, 6, ""),
        (12.2, 16.4, "sorted, cut, added up"),
        (22.8, 27, "+ prior, purity, label bias"),
        (33.4, 37.4, ""),
        (43.6, 47.8, "the formulas of the papers"),
        (54.2, 58.2, "in every world that is possible"),
        (64.4, 68.2, ""),
        (74.6, 78, ""),
    ):
        _arrow(ax, middle, top, bottom)
        place = (top + bottom) / 2
        ax.text(middle + 1.5, place, said, size=7.4, color=QUIET, va="center")
    ax.text(width + 13, 5, "beside the flow", size=7.6, color=QUIET, ha="center")
    for number, (name, idea) in enumerate(BESIDE):
        _box(ax, width + 3, 7 + 9.6 * number, 20, 8, name, idea, SAND)
    return figure


def _row(ax: Any, boxes: Any, top: float, width: float, height: float) -> None:
    """Boxes side by side."""
    gap = 1.6
    each = (width - gap * (len(boxes) - 1)) / len(boxes)
    for number, (name, idea) in enumerate(boxes):
        _box(ax, number * (each + gap), top, each, height, name, idea, WHITE)


def _box(
    ax: Any, left: float, top: float, width: float, height: float, name: str, idea: str, fill: str
) -> None:
    """A folder, or the thing that it makes in blue, with its one idea."""
    strong = fill == BLUE
    ax.add_patch(
        FancyBboxPatch(
            (left + 0.6, top + 0.5), width - 1.2, height - 1.0, boxstyle="round,pad=0.4",
            facecolor=PALE if strong else fill, edgecolor=BLUE if strong else LINE, lw=1.1,
        )
    )  # fmt: skip
    middle = left + width / 2
    ax.text(
        middle, top + 0.36 * height, name, ha="center", va="center",
        size=10 if strong else 9, weight="bold", color=BLUE if strong else INK,
    )  # fmt: skip
    ax.text(middle, top + 0.73 * height, idea, ha="center", va="center", size=7.2, color=QUIET)


def _words(ax: Any, words: Any, left: float, width: float, middle: float) -> None:
    """What goes in."""
    for number, word in enumerate(words):
        x = left + width * (number + 0.5) / len(words)
        ax.text(x, middle, word, ha="center", va="center", size=9, color=INK)


def _arrow(ax: Any, x: float, top: float, bottom: float) -> None:
    """Down the page."""
    look = {"arrowstyle": "-|>", "color": QUIET, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (x, bottom), (x, top), arrowprops=look)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
