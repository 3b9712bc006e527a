"""Measured coverage of every interval that the library returns; writes docs/evidence/trust_coverage.md.

Run: python benchmarks/simulate_everything.py [docs/evidence/trust_coverage.md] [share of the repeats, such as 0.1]
[start of a section's title]. Sections that are not chosen keep their numbers, which trust_coverage.json
holds; with a share of 0 only the page is written. What is tried is listed in coverage_plan.py. Ends with
an error if a number below the floor has no reason there.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from coverage_page import FLOOR, page
from coverage_plan import SECTIONS
from coverage_probes import Section, Shot

SEED = 77
AGAIN = 2  # times the repeats, on new samples, where the first number is below FLOOR + 0.005


class Cell(NamedTuple):
    """Measured coverage of one interval in one setting."""

    share: float
    repeats: int
    width: float  # mean, of intervals of a single number

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
    held, widths = [], []
    for shot in shots:
        target = truth if truth is not None else shot.truth
        low, high = np.asarray(shot.low), np.asarray(shot.high)
        inside = (low <= target + 1e-12) & (target <= high + 1e-12)
        held.append(np.where(np.isnan(target), np.nan, inside))  # undefined: nothing to hold
        widths.append(float(np.mean(high - low)))
    if held[0].ndim and not shots[0].mean:
        share = float(np.nanmean(held, axis=0).min())
    else:
        share = float(np.nanmean([np.nanmean(part) for part in held]))
    return Cell(share, len(shots), float(np.mean(widths)))


def run(section: Section, part: float, done: dict[str, Any]) -> None:
    """Measure all settings of a section; numbers go to ``done`` as they come."""
    repeats = max(int(section.repeats * part), 2)
    for setting in section.settings:
        start = time.perf_counter()
        cells = measure(section, setting, repeats, SEED)
        low = {label for label, c in cells.items() if c.share < FLOOR + 0.005}
        if low and part >= 0.2:  # judged by new samples, so that the worst of many is not picked
            again = measure(section, setting, AGAIN * repeats, SEED + 1)
            cells |= {label: again[label] for label in low}
        done.setdefault(section.title, {})[str(setting)] = {k: list(c) for k, c in cells.items()}
        worst = min(cells, key=lambda label: cells[label].share)
        spent = time.perf_counter() - start
        print(
            f"{spent:6.1f} s  {section.title}: {setting}: {worst} {cells[worst].share:.3f}",
            flush=True,
        )


def _harsh(target: str | None) -> Any:
    """What simulate_harsh.py has measured, if it has."""
    found = None if target is None else Path(target).with_name("harsh_coverage.json")
    return json.loads(found.read_text(encoding="utf-8")) if found and found.exists() else None


def main(target: str | None, part: float = 1.0, chosen: str = "") -> None:
    numbers = None if target is None else Path(target).with_suffix(".json")
    done: dict[str, Any] = {}
    if numbers is not None and numbers.exists():
        done = json.loads(numbers.read_text(encoding="utf-8"))
    for section in SECTIONS:
        if part > 0 and section.title.startswith(chosen):
            done.pop(section.title, None)
            run(section, part, done)
            if numbers is not None:  # after every section: the whole takes long
                text = json.dumps(done, ensure_ascii=False, indent=1)
                numbers.write_text(text + "\n", encoding="utf-8")
    lines, missing = page(done, _harsh(target))
    if target is None:
        print("\n".join(lines))
    else:
        Path(target).write_text("\n".join(lines), encoding="utf-8")
    if missing:
        sys.exit("Low coverage without a reason in coverage_plan.REASONS: " + "; ".join(missing))


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else None, *(float(x) for x in given[1:2]), *given[2:3])
