"""Draw the package as one picture: ``python docs/architecture_picture.py [folder]`` writes architecture.svg.

Boxes are folders. Data flow from top to bottom, and a folder imports only from those above it.
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
QUESTIONS = (
    ("correction", "rates, areas, curves, hull"),
    ("bounds", "what cannot be otherwise"),
    ("calibration", "probabilities: error, repair"),
    ("ranking", "measures without a prior"),
    ("listing", "the top of the list"),
    ("priors", "how many positives there are"),
    ("auditing", "rows checked by hand"),
    ("planning", "which rows to check"),
    ("comparing", "models, thresholds, segments"),
)
SHOWING = (
    ("report", "HTML page"),
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
)
WIDTH, HEIGHT = 100.0, 78.0


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
    figure, ax = plt.subplots(figsize=(8.2, 6.4))
    figure.subplots_adjust(0.005, 0.005, 0.995, 0.995)
    ax.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    ax.axis("off")
    main_width = 77.0
    _words(ax, SOURCES, 0, main_width, 3.2)
    _row(ax, READING, 7, main_width, 7)
    _box(ax, 8, 20, main_width - 16, 6.4, "ScoreTable", "tables/: counts of rows by score", BLUE)
    _box(ax, 8, 32, main_width - 16, 6.4, "Setting", "setting/: everything that is assumed", BLUE)
    for line in range(3):
        _row(ax, QUESTIONS[3 * line : 3 * line + 3], 44 + 6.1 * line, main_width, 5.3)
    _box(ax, 8, 65, 28, 6.2, "Estimate, Curve …", "results/: with what they assumed", BLUE)
    _box(ax, 41, 65, 28, 6.2, "Evaluation", "evaluation/: all of it, and a verdict", BLUE)
    _row(ax, SHOWING, 73, main_width, 4.8)
    for top, bottom in ((4.6, 7), (14, 20), (26.4, 32), (38.4, 44), (61.5, 65)):
        _arrow(ax, main_width / 2, top, bottom)
    ax.text(
        main_width / 2 + 1.5,
        29.4,
        "+ prior, purity, label bias",
        size=7.6,
        color=QUIET,
        va="center",
    )
    ax.text(main_width / 2 + 1.5, 17.2, "sorted, cut, added up", size=7.6, color=QUIET, va="center")
    ax.annotate(
        "", (41, 68.1), (36, 68.1), arrowprops={"arrowstyle": "-|>", "color": QUIET, "lw": 1}
    )
    _arrow(ax, 55, 71.2, 73)
    ax.text(main_width + 13, 6, "beside the flow", size=7.6, color=QUIET, ha="center")
    for number, (name, idea) in enumerate(BESIDE):
        _box(ax, main_width + 3, 8 + 9.6 * number, 20, 8, name, idea, SAND)
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
