"""What the programs of this folder share: arguments, the head of a page, tables, figures, data.

Each program is run by one command, `python reproductions/NAME.py [--quick] [--out FOLDER] [--folder DATA]`,
and writes NAME.md with its figures into the out folder. `--quick` uses few repeats and made data. `--only
"Figure 1"` makes the sections whose headings begin so, and keeps the rest of the page as it stands.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from benchmarks import evidence

import puremetrics as pm

BLUE, ORANGE, GREEN = evidence.BLUE, evidence.ORANGE, evidence.GREEN
RED, GREY = "#c0392b", "#888888"
plain_axes = evidence.plain


@dataclass(frozen=True)
class Run:
    """What a program was asked to do, and when it started."""

    name: str
    seed: int
    quick: bool = False
    out: Path = Path("docs/evidence")
    folder: Path | None = None
    only: tuple[str, ...] = ()
    started: float = field(default_factory=time.perf_counter)

    def head(
        self, title: str, opening: Callable[[], list[str]], note: str = "", timed: bool = True
    ) -> list[str]:
        """First lines of a page: title, what was found, its plot, then command, date, seed, time taken, machine.

        With `--only` all but the title stands as it is, and ``opening`` is not asked for. A time is not told if
        it is not that of all measurements.
        """
        if self.only:
            return [f"# {title}", *self._stands("")[1:]]
        found = opening()
        taken = time.perf_counter() - self.started
        spent = f"{taken:.0f} s" if taken < 100 else f"{taken / 60:.0f} minutes"
        short = " --quick" if self.quick else ""
        return [
            f"# {title}",
            "",
            *found,
            f"Made by `python reproductions/{self.name}.py{short}` on {date.today().isoformat()}, seed "
            f"{self.seed}, {f'in {spent} ' if timed else ''}on a machine with {os.cpu_count()} cores, Python "
            f"{platform.python_version()}, numpy {np.__version__}, puremetrics {pm.__version__}.{note and ' ' + note}",
            "",
        ]

    def makes(self, *titles: str) -> None:
        """Stop with a sentence if `--only` asks for a section that cannot be made by itself."""
        if unknown := [title for title in self.only if title not in titles]:
            raise SystemExit(
                f"--only {unknown[0]!r}: sections that can be made by themselves are {', '.join(map(repr, titles))}."
            )

    def section(self, title: str, make: Callable[[], list[str]]) -> list[str]:
        """The section whose heading begins so: made, or as it stands on the page if others are asked for."""
        if not self.only:
            return make()
        if title not in self.only:
            return self._stands(title)
        begun, lines = time.perf_counter(), make()
        while lines and not lines[-1]:
            lines.pop()
        return [
            *lines,
            "",
            f"(This section: `python reproductions/{self.name}.py --only '{title}'` on "
            f"{date.today().isoformat()}, in {time.perf_counter() - begun:.0f} s.)",
            "",
        ]

    def _stands(self, title: str) -> list[str]:
        """Lines of a section of the page as it is; with an empty title, those before the first heading."""
        page = (self.out / f"{self.name}.md").read_text(encoding="utf-8")
        head, *sections = ("\n" + page.strip() + "\n").split("\n## ")
        if not title:
            return [*head.strip().splitlines(), ""]
        found = [text for text in sections if text.startswith(title)]
        return [line for text in found for line in [*f"## {text}".strip().splitlines(), ""]]

    def figure(self, drawing: plt.Figure, name: str, caption: str) -> list[str]:
        """Save a figure beside the page; the lines that show it."""
        evidence.save(drawing, self.out / f"{name}.png")
        return picture(name, caption)

    def write(self, lines: Iterable[str]) -> Path:
        page = self.out / f"{self.name}.md"
        page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
        print(f"{page.name} written in {time.perf_counter() - self.started:.0f} s", flush=True)
        return page


def asked(name: str, seed: int, arguments: Sequence[str] | None = None) -> Run:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog=f"reproductions/{name}.py")
    parser.add_argument("--quick", action="store_true", help="few repeats, made data, seconds")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/evidence"), help="where the page goes"
    )
    parser.add_argument("--folder", type=Path, help="data folder, where no package has the data")
    parser.add_argument("--only", action="append", default=[], metavar="HEADING",
                        help="make the section whose heading begins so, keep the others")  # fmt: skip
    parser.add_argument("--seed", type=int, default=seed)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    return Run(name, given.seed, given.quick, given.out, given.folder, tuple(given.only))


def picture(name: str, caption: str) -> list[str]:
    """The lines that show a figure which lies beside the page."""
    return [f"![{caption}]({name}.png)", ""]


def table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], digits: int = 4, summary: str = ""
) -> list[str]:
    """A Markdown table, floats with so many digits; a long one is folded under its summary."""
    return evidence.table(head, rows, summary, digits)


def dataset(name: str, run: Run) -> Any | None:
    """A data set of `puremetrics.datasets`, or None with a sentence where it cannot be had."""
    from puremetrics.datasets import load_dataset
    from puremetrics.exceptions import PuremetricsError

    try:
        return load_dataset(name, folder=run.folder)
    except PuremetricsError as error:
        print(f"Without {name}: {error}", flush=True)
        return None
