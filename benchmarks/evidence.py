"""How a page of evidence opens: one sentence, one plot, what was done and by which command; long tables folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import puremetrics as pm

BLUE, ORANGE, GREY, GREEN = "#1f5fa8", "#d9822b", "#8a8f98", "#2e8b57"
_LONG = 14  # rows from which on a table is folded


def opening(title: str, sentence: str, picture: str, alt: str, how: str, command: str) -> list[str]:
    """The first screen: a title, what was found, the plot of it, and how it was made.

    ``how`` says in a few sentences what was simulated or measured.
    """
    made = f"Made by `{command}` on {date.today().isoformat()}, puremetrics {pm.__version__}."
    return [f"# {title}", "", sentence, "", f"![{alt}]({picture})", "", f"{how} {made}", ""]


def table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], summary: str = "", digits: int = 3
) -> list[str]:
    """A table; a long one is folded under its summary, which says what it shows."""
    shown = [[f"{c:.{digits}f}" if isinstance(c, float) else str(c) for c in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *shown)]
    if len(shown) <= _LONG:
        return [*lines, ""]
    return folded(summary or f"All {len(shown)} rows", lines)


def folded(summary: str, lines: Sequence[str]) -> list[str]:
    """Lines that a reader opens if they want them."""
    return [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>", ""]


def save(drawing: plt.Figure, path: Path) -> None:
    """Save a plot, small."""
    drawing.savefig(path, dpi=110)
    plt.close(drawing)


def plain(ax: plt.Axes, **settings: Any) -> None:
    """Labels and limits; no frame above and to the right."""
    ax.set(**settings)
    ax.spines[["top", "right"]].set_visible(False)
