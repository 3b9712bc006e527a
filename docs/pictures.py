"""Draw the pictures of the hand-written pages: ``python docs/pictures.py [folder]``.

wrong-number.svg (index), scenario-single-training-set.svg and scenario-case-control.svg (scenarios).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch

import puremetrics as pm

INK, QUIET, FAINT = "#222222", "#6b6b6b", "#d9d9d9"
BLUE, PALE, GREY = "#0072B2", "#cfe3f1", "#9a9a9a"
PRIOR = 0.394  # of the demo data
ACROSS, DOWN, LABELLED, HIDDEN = 12, 5, 8, 16


def main(folder: Path) -> None:
    """Draw all pictures into a folder."""
    plt.rcParams.update(
        {
            "svg.hashsalt": "puremetrics",
            "svg.fonttype": "path",
            "font.family": "DejaVu Sans",
            "text.color": INK,
        }
    )
    pictures = {
        "wrong-number": wrong_number,
        "scenario-single-training-set": single_training_set,
        "scenario-case-control": case_control,
    }
    for name, draw in pictures.items():
        figure = draw()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, facecolor="white")
        plt.close(figure)


def wrong_number() -> Any:
    """Naive, corrected and true values of the forest on the demo data."""
    demo = pm.load_demo()
    table, hidden = (
        pm.ScoreTable.from_arrays(demo[label], demo["forest"], scenario="single_training_set")
        for label in ("reported", "spam")
    )
    model = pm.evaluate(table, prior=PRIOR).models["model"]
    at = model.corrected["precision"].threshold
    truth = pm.evaluate(hidden.unlabeled_as_negative(), threshold=at).models["model"].corrected
    keys = ("roc_auc", "average_precision", "precision", "f1", "accuracy")
    titles = ("ROC AUC", "Average precision", "Precision", "F1 score", "Accuracy")
    figure, ax = plt.subplots(figsize=(7.6, 2.9), layout="constrained")
    for row, key in enumerate(keys):
        naive, value = model.naive[key].value, model.corrected[key]
        low, high = value.interval
        ax.plot([naive, value.value], [row, row], color=FAINT, linewidth=1, zorder=1)
        ax.plot([low, high], [row, row], color=BLUE, linewidth=5, alpha=0.28, solid_capstyle="butt")
        ax.plot(naive, row, "o", color="white", markeredgecolor=GREY, markeredgewidth=1.6, ms=8)
        ax.plot(min(value.value, 1), row, "o", color=BLUE, ms=8, zorder=3)
        ax.plot(truth[key].value, row, "|", color=INK, ms=17, markeredgewidth=1.8, zorder=4)
        ax.text(naive - 0.018, row, f"{naive:.2f}", ha="right", va="center", color=QUIET, size=9)
        ax.text(1.03, row, f"{value.value:.2f}", ha="left", va="center", color=BLUE, size=9)
    key = (
        (
            0.2,
            "o",
            {"color": "white", "markeredgecolor": GREY},
            "unlabeled taken as negative",
            QUIET,
        ),
        (0.535, "o", {"color": BLUE}, "corrected, with 95% interval", BLUE),
        (0.885, "|", {"color": INK, "ms": 12}, "hidden truth", INK),
    )
    for x, marker, look, words, color in key:
        ax.plot(x, -0.95, marker, **{"ms": 7, "markeredgewidth": 1.6, **look}, clip_on=False)
        ax.text(x + 0.016, -0.95, words, va="center", color=color, size=9.5)
    ax.set_yticks(range(len(keys)), titles, size=10)
    ax.set(xlim=(0.19, 1.09), ylim=(len(keys) - 0.5, -1.2))
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", colors=QUIET, labelsize=9)
    ax.set_xticks(np.arange(0.2, 1.01, 0.2))
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.spines["bottom"].set_bounds(0.2, 1)
    return figure


def single_training_set() -> Any:
    """One sample; some positives carry a label."""
    figure, ax = _canvas(ACROSS)
    kinds = _kinds(LABELLED, HIDDEN)
    _frame(ax, 0, ACROSS, "one sample of the population")
    _dots(ax, kinds, 0)
    n, positives = ACROSS * DOWN, LABELLED + HIDDEN
    _words(
        ax,
        f"prior = positives among all rows = ({LABELLED} + {HIDDEN}) / {n} = {positives / n:.2f}",
        f"share among the unlabeled = {HIDDEN} / {n - LABELLED} = {HIDDEN / (n - LABELLED):.2f}, "
        "smaller than the prior",
    )
    return figure


def case_control() -> Any:
    """Unlabeled rows sampled from the population; positives collected apart."""
    apart = 3
    figure, ax = _canvas(ACROSS + apart)
    _frame(ax, 0, 2, "positives,\ncollected apart")
    _dots(ax, np.ones(LABELLED + 2, dtype=int), 0, across=2)
    _frame(ax, apart, ACROSS, "unlabeled sample of the population")
    hidden = LABELLED + HIDDEN
    _dots(ax, _kinds(0, hidden), apart)
    n = ACROSS * DOWN
    _words(
        ax,
        f"prior = positives among the unlabeled rows = {hidden} / {n} = {hidden / n:.2f}",
        "how many positives were collected apart says nothing about the prior",
    )
    return figure


def _kinds(labelled: int, hidden: int) -> Any:
    """1 labelled positive, 2 hidden positive, 0 negative; in a fixed random order."""
    kinds = np.zeros(ACROSS * DOWN, dtype=int)
    kinds[:labelled], kinds[labelled : labelled + hidden] = 1, 2
    return np.random.default_rng(5).permutation(kinds)


def _canvas(across: int) -> tuple[Any, Any]:
    figure, ax = plt.subplots(figsize=(7.6, 3.6))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99)
    width = ACROSS + 4
    left = (width - across) / 2
    ax.set(xlim=(-left - 0.5, width - left - 0.5), ylim=(DOWN + 2.35, -2.0))
    ax.set_aspect("equal")
    ax.axis("off")
    return figure, ax


def _frame(ax: Any, x: float, across: int, title: str) -> None:
    ax.add_patch(
        FancyBboxPatch(
            (x - 0.5, -0.5),
            across,
            DOWN,
            boxstyle="round,pad=0.12",
            fill=False,
            color=FAINT,
            lw=1.2,
        )
    )
    ax.text(x + across / 2 - 0.5, -0.82, title, ha="center", va="bottom", size=10, color=INK)


def _dots(ax: Any, kinds: Any, x: float, across: int = ACROSS) -> None:
    looks = {
        0: {"facecolor": "white", "edgecolor": GREY},
        1: {"facecolor": BLUE, "edgecolor": BLUE},
        2: {"facecolor": PALE, "edgecolor": BLUE},
    }
    for i, kind in enumerate(kinds):
        place = (x + i % across, i // across)
        ax.add_patch(plt.Circle(place, 0.33, lw=1.2, **looks[int(kind)]))


def _words(ax: Any, first: str, second: str) -> None:
    left, right = ax.get_xlim()
    middle = (left + right) / 2
    for i, (kind, words) in enumerate(
        ((1, "labelled positive"), (2, "positive, unlabeled"), (0, "negative, unlabeled"))
    ):
        x = middle - 5.6 + 4 * i
        look = {0: ("white", GREY), 1: (BLUE, BLUE), 2: (PALE, BLUE)}[kind]
        ax.add_patch(
            plt.Circle((x, DOWN + 0.35), 0.2, facecolor=look[0], edgecolor=look[1], lw=1.2)
        )
        ax.text(x + 0.35, DOWN + 0.35, words, va="center", size=8.5, color=QUIET)
    ax.text(middle, DOWN + 1.25, first, ha="center", va="center", size=11, weight="bold")
    ax.text(middle, DOWN + 1.95, second, ha="center", va="center", size=9, color=QUIET)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
