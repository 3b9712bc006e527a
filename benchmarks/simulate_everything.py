"""Measured coverage of every interval that the library returns; writes docs/evidence/trust_coverage.md.

Run: python benchmarks/simulate_everything.py [docs/evidence/trust_coverage.md] [share of the repeats, such as 0.1]
[start of a section's title]. Sections that are not chosen keep their numbers, which trust_coverage.json
holds; with a share of 0 only the page is written. The numbers of harsh settings are those of simulate_harsh.py.
What is tried is listed in coverage_plan.py. Ends with an error if a number below the floor has no reason there.
"""

from __future__ import annotations

import sys
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from coverage_page import FLOOR, page
from coverage_plan import SECTIONS
from coverage_probes import Section, Shot
from evidence import Record, each
from sharpness import needed

SEED = 77
AGAIN = 2  # times the repeats, on new samples, where the first number is below FLOOR + 0.005


class Cell(NamedTuple):
    """Measured coverage of one interval in one setting."""

    share: float
    repeats: int
    width: float  # mean, of intervals of a single number
    lambda95: float = np.nan  # how much of its length the interval needs; see sharpness.py

    @property
    def error(self) -> float:
        return float(np.sqrt(self.share * (1 - self.share) / max(self.repeats, 1)))


def measure(section: Section, setting: Any, repeats: int, seed: int) -> dict[str, Cell]:
    """Coverage of every label of the section in one setting."""
    name = zlib.crc32(f"{section.title}: {setting}".encode())
    rng = np.random.default_rng([seed, name])
    shots: dict[str, list[Shot]] = {}
    for _ in range(repeats):
        for label, shot in section.trial(setting, rng).items():
            shots.setdefault(label, []).append(shot)
    return {label: cell(found) for label, found in shots.items()}


def cell(shots: list[Shot]) -> Cell:
    """Share of the samples that hold the truth; of several places, the worst or the mean."""
    truth = float(np.mean([s.value for s in shots])) if shots[0].truth is None else None
    held, widths, factors = [], [], []
    for shot in shots:
        target = truth if truth is not None else shot.truth
        low, high = np.asarray(shot.low), np.asarray(shot.high)
        inside = (low <= target + 1e-12) & (target <= high + 1e-12)
        held.append(np.where(np.isnan(target), np.nan, inside))  # undefined: nothing to hold
        widths.append(float(np.mean(high - low)))
        factors.append(needed(target, np.asarray(shot.value, dtype=np.float64), low, high))
    if held[0].ndim and not shots[0].mean:
        share = float(np.nanmean(held, axis=0).min())
    else:
        share = float(np.nanmean([np.nanmean(part) for part in held]))
    return Cell(share, len(shots), float(np.mean(widths)), _lambda95(factors, shots[0].mean))


def _lambda95(factors: list[np.ndarray], alike: bool) -> float:
    """The 95% quantile of how much of its length each interval needs; of several places the largest, or of all."""
    found = np.concatenate(factors) if alike else np.array(factors)
    known = found[~np.isnan(found).any(axis=tuple(range(1, found.ndim)))]
    return float(np.quantile(known, 0.95, axis=0).max()) if known.size else np.nan


def settled(task: tuple[int, int, float]) -> tuple[dict[str, Cell], float]:
    """All labels of a section in one of its settings, and the seconds it took."""
    place, number, part = task
    section, start = SECTIONS[place], time.perf_counter()
    setting, repeats = section.settings[number], max(int(section.repeats * part), 2)
    cells = measure(section, setting, repeats, SEED)
    low = {label for label, c in cells.items() if c.share < FLOOR + 0.005}
    if low and part >= 0.2:  # judged by new samples, so that the worst of many is not picked
        again = measure(section, setting, AGAIN * repeats, SEED + 1)
        cells |= {label: again[label] for label in low}
    return cells, time.perf_counter() - start


def renew(record: Record, part: float, chosen: str) -> None:
    """Measure the chosen sections; each is kept as soon as its last setting is done."""
    places = [i for i, section in enumerate(SECTIONS) if section.title.startswith(chosen)]
    tasks = [(i, number, part) for i in places for number in range(len(SECTIONS[i].settings))]
    found: dict[str, Any] = {}
    for (place, number, _), (cells, spent) in zip(tasks, each(settled, tasks), strict=True):
        section = SECTIONS[place]
        setting = str(section.settings[number])
        found[setting] = {label: list(cell) for label, cell in cells.items()}
        worst = min(cells, key=lambda label: cells[label].share)
        print(f"{spent:6.1f} s  {section.title}: {setting}: {worst} {cells[worst].share:.3f}")
        if number == len(section.settings) - 1:
            record.keep(section.title, found)
            found = {}


def main(
    target: str = "docs/evidence/trust_coverage.md", part: float = 1.0, chosen: str = ""
) -> None:
    path = Path(target)
    record = Record(path.with_suffix(".json"))
    harsh = Record(path.with_name("harsh_coverage.json"))
    if part > 0:
        renew(record, part, chosen)
    if not harsh.parts:
        sys.exit("The page shows what simulate_harsh.py measures: run that first.")
    when = " and ".join(sorted({*record.days.values(), *harsh.days.values()}))
    lines, missing = page(record.parts, harsh.parts, when)
    path.write_text("\n".join(lines), encoding="utf-8")
    if missing:
        sys.exit("Low coverage without a reason in coverage_plan.REASONS: " + "; ".join(missing))


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*given[:1], *(float(x) for x in given[1:2]), *given[2:3])
