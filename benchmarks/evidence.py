"""How a page of evidence opens: one sentence, one plot, what was done and by which command; long tables folded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import puremetrics as pm

BLUE, ORANGE, GREY, GREEN = "#1f5fa8", "#d9822b", "#8a8f98", "#2e8b57"
HELD = "share of samples whose 95% interval holds the truth"
_LONG = 14  # rows from which on a table is folded


def opening(
    title: str, sentence: str, picture: str, alt: str, how: str, command: str, when: str = ""
) -> list[str]:
    """The first screen: a title, what was found, the plot of it, and how it was made.

    ``how`` says in a few sentences what was simulated or measured, ``when`` on which days if not today.
    """
    day = when or date.today().isoformat()
    made = f"Made by `{command}` on {day}, puremetrics {pm.__version__}."
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


def words(name: str) -> str:
    """A statistic as it is written in text."""
    own = {"roc_auc": "ROC AUC", "f1": "F1", "mcc": "MCC", "brier_score": "Brier score"}
    return own.get(name, name.replace("_", " "))


def strips(
    ax: plt.Axes,
    rows: Mapping[str, Mapping[str, Any]],
    colours: Mapping[str, str],
    left: float = 0.0,
    size: float = 5.0,
) -> None:
    """A line of dots for each row and series; dots beyond the left edge are drawn on it, with the lowest share."""
    lane = 0.8 / len(colours)
    for place, series in enumerate(rows.values()):
        for turn, (name, colour) in enumerate(colours.items()):
            shares = np.sort(np.asarray(series.get(name, ()), dtype=float))
            spread = (np.arange(shares.size) * 0.618) % 1 - 0.5
            height = place + lane * (turn - (len(colours) - 1) / 2 + 0.8 * spread)
            label = name if place == 0 and len(colours) > 1 else None
            look: dict[str, Any] = {"color": colour, "alpha": 0.6, "ms": size, "mew": 0}
            ax.plot(np.maximum(shares, left), height, ".", label=label, **look)
            beyond = shares[shares < left]
            if beyond.size:
                told = (
                    f"{beyond[0]:.2f}"
                    if beyond.size == 1
                    else f"{beyond.size} from {beyond[0]:.2f}"
                )
                at = (left, float(height[: beyond.size].mean()))
                ax.annotate(told, at, (5, 0), textcoords="offset points", va="center", size=8)
    ax.axvline(0.95, color="black", lw=0.8, zorder=0)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.5)


def each(work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """Results of independent tasks, in their order, from two processes; every task brings its own seed."""
    with ProcessPoolExecutor(2) as pool:
        yield from pool.map(work, tasks)


class Record:
    """The numbers of a page by part, and the day on which each part was measured, kept in a JSON file."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        held = json.loads(path.read_text("utf-8")) if path is not None and path.exists() else {}
        self.days: dict[str, str] = held.pop("measured", {})
        self.parts: dict[str, Any] = held

    def keep(self, part: str, numbers: Any) -> None:
        """Take the numbers of a part that was measured today."""
        self.parts[part], self.days[part] = numbers, date.today().isoformat()
        if self.path is not None:
            held = {"measured": self.days, **self.parts}
            text = json.dumps(held, ensure_ascii=False, indent=1)
            self.path.write_text(text + "\n", "utf-8")

    @property
    def when(self) -> str:
        """The days on which anything was measured."""
        return " and ".join(sorted(set(self.days.values())))
