"""What programs that try many settings share: their command line, two processes, seeds, and words for shares."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evidence import each

SCENARIOS = {"case_control": "case-control", "single_training_set": "single training set"}


@dataclass(frozen=True)
class Run:
    """One run of a program: the page it writes, and how many samples it draws of each setting."""

    program: str
    page: Path
    samples: int
    usual: int

    @property
    def picture(self) -> Path:
        """The plot at the top of the page."""
        return self.page.with_suffix(".png")

    @property
    def command(self) -> str:
        """What makes the page again."""
        number = "" if self.samples == self.usual else f" --samples {self.samples}"
        return f"python benchmarks/{self.program}.py docs/evidence{number}"

    def write(self, lines: Sequence[str]) -> None:
        """Write the page."""
        self.page.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")


def asked(name: str, usual: int) -> Run:
    """What the command line of simulate_NAME.py asks for; NAME.md is written into a folder."""
    parser = argparse.ArgumentParser(prog=f"benchmarks/simulate_{name}.py")
    parser.add_argument("target", type=Path, help="the page, or the folder of the pages")
    parser.add_argument(
        "--samples", type=int, default=usual, help=f"samples of each setting, usually {usual}"
    )
    given = parser.parse_args()
    page = given.target / f"{name}.md" if given.target.is_dir() else given.target
    return Run(f"simulate_{name}", page, given.samples, usual)


def in_parallel(measure: Callable[..., Any], settings: Sequence[Any], **options: Any) -> list[Any]:
    """What is measured of each setting, in their order; two are worked on at a time."""
    found = []
    for one in each(partial(measure, **options), settings):
        print(f"{len(found) + 1} of {len(settings)}: {settings[len(found)]}", flush=True)
        found.append(one)
    return found


def seed_of(setting: Any, seed: int) -> int:
    """A seed of its own for each setting, whatever else is tried."""
    return zlib.crc32(f"{seed} {setting!r}".encode())


def standard_error(samples: int, share: float = 0.95) -> float:
    """Of a share of so many samples."""
    return float((share * (1 - share) / samples) ** 0.5)


def span(values: Iterable[float], digits: int = 3) -> str:
    """From the smallest to the largest, in words."""
    values = list(values)
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"
