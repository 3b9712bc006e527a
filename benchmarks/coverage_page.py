"""The page docs/evidence/trust_coverage.md, from the numbers that simulate_everything.py measured."""

from __future__ import annotations

from typing import Any

import evidence
import harsh_page
import numpy as np
from coverage_choices import audit_coverage
from coverage_plan import AUDIT, REASONS, SECTIONS

FLOOR = harsh_page.FLOOR
AUDITS = ((50, None), (200, None), (50, 300))
COMMAND = "python benchmarks/simulate_everything.py docs/evidence/trust_coverage.md"
Cells = dict[str, list[float]]  # setting: share, repeats, width, λ95
Numbers = dict[str, dict[str, Cells]]  # section, setting, label


def page(done: Numbers, harsh: Numbers, when: str) -> tuple[list[str], list[str]]:
    """Lines of the page, and the labels whose low coverage has no reason."""
    reasons, missing = _low(done)
    lines = evidence.opening(
        "Coverage of every interval",
        f"{harsh_page.sentence(harsh)} {_ordinary(done)}",
        "harsh_coverage.png",
        "Coverage of intervals in harsh settings, one dot for each case",
        "A dot is one interval in one harsh setting, which `python benchmarks/simulate_harsh.py docs/evidence` measures; "
        f"the lines are at 0.95 and {FLOOR:g}.",
        COMMAND,
        when,
    )
    return [*lines, *harsh_page.lines(harsh), *_summary(done), *reasons, *_matrices(done)], missing


def _ordinary(done: Numbers) -> str:
    lowest = [min(cells.values())[0] for _, _, cells in by_label(done)]
    held = sum(low >= FLOOR for low in lowest)
    return (
        f"In ordinary settings {held} of {len(lowest)} simulated intervals reach {FLOOR:g} in every setting; the others are "
        "listed below, with the reason."
    )


def _summary(done: Numbers) -> list[str]:
    """Ordinary settings: a row for each section, and one for each interval."""
    rows, each = [], []
    for section in SECTIONS:
        mine = [item for item in by_label(done) if item[0] == section.title]
        shares = [cell[0] for _, _, cells in mine for cell in cells.values()]
        if shares:
            low = sum(share < FLOOR for share in shares)
            middle = [float(np.quantile(shares, q)) for q in (0, 0.05, 0.5)]
            rows.append([section.title, len(mine), len(shares), *middle, low])
        for title, label, cells in mine:
            share, repeats, *_ = min(cells.values())
            error = float(np.sqrt(max(share * (1 - share), 0.5 / repeats) / repeats))
            middle = [share, error, float(np.median([cell[0] for cell in cells.values()]))]
            needed = [cell[3] for cell in cells.values() if len(cell) > 3 and np.isfinite(cell[3])]
            told = [f"{float(np.median(needed)):.2f}"] if needed else [""]
            each.append([label, title, len(cells), int(repeats), *middle, *told])
    for checked, total in AUDITS:
        where = f"{checked} checked" + ("" if total is None else f" of {total}")
        for label, found in audit_coverage(checked, total).items():
            each.append(
                [label, f"{where}, all shares, exactly", 1, "", found[0], 0.0, found[1], ""]
            )
    return [
        "## Ordinary settings",
        "",
        "Intervals of all kinds that public functions return, over settings of both scenarios, clean and noisy labels, known and "
        "uncertain priors, few and many rows, with and without ties. Where a first number fell below 0.935 it was "
        "measured again on twice as many new samples, which is the number shown: the lowest of many would be too low by "
        "chance alone. λ95 says [how much of its length](sharpness.md) an interval needs, where there is a value inside. "
        f"Numbers: `trust_coverage.json`.{_not_yet(done)}",
        "",
        *evidence.table(
            ("tried with", "intervals", "cases", "lowest", "5% quantile", "median", f"below {FLOOR:g}"),
            rows,
            f"Lowest and median share in {len(rows)} groups of settings",
        ),
        *evidence.table(
            ("interval", "tried with", "settings", "samples", "lowest", "standard error", "median", "median λ95"),
            each,
            f"Each of {len(each)} intervals by itself",
        ),
    ]  # fmt: skip


def _not_yet(done: Numbers) -> str:
    """Which sections have no numbers, if any."""
    titles = [section.title for section in SECTIONS if section.title not in done]
    return f" Not measured here: {'; '.join(titles)}." if titles else ""


def by_label(done: Numbers) -> list[tuple[str, str, Cells]]:
    """Section, label, and its cell in each setting."""
    found = []
    for section in SECTIONS:
        labels: dict[str, Cells] = {}
        for setting, cells in done.get(section.title, {}).items():
            for label, cell in cells.items():
                labels.setdefault(label, {})[setting] = cell
        found += [(section.title, label, cells) for label, cells in labels.items()]
    return found


def _low(done: Numbers) -> tuple[list[str], list[str]]:
    """What is below the floor, by reason, and what has none."""
    said: dict[str, list[str]] = {}
    missing = []
    for title, label, cells in by_label(done):
        low: dict[str, dict[str, float]] = {}
        for setting, cell in cells.items():
            if cell[0] < FLOOR:
                reason = reason_of(f"{title}: {label}", setting)
                if reason is None:
                    missing.append(f"{title}: {label} ({setting}) {cell[0]:.3f}")
                    reason = "Not explained."
                low.setdefault(reason, {})[setting] = cell[0]
        for reason, found in low.items():
            worst = min(found, key=lambda setting: found[setting])
            said.setdefault(reason, []).append(
                f"{label} ({title.lower()}): {len(found)} of {len(cells)} settings, lowest "
                f"{found[worst]:.3f} ({worst})"
            )
    lines = [f"## Below {FLOOR:g}, and why", ""]
    for reason, items in said.items():
        lines += [f"- {reason}", *(f"  - {item}" for item in items)]
    if any(lowest < FLOOR for case in AUDITS for lowest, _ in audit_coverage(*case).values()):
        lines.append(f"- {AUDIT}")
    return [*lines, ""], missing


def reason_of(label: str, setting: str) -> str | None:
    """Why this interval is low in this setting, if that is known."""
    for start, part, reason in REASONS:
        if label.startswith(start) and part in setting:
            return reason
    return None


def _matrices(done: Numbers) -> list[str]:
    """Every share of every section, folded."""
    lines = ["## All numbers", ""]
    for section in SECTIONS:
        results: Any = done.get(section.title)
        if not results:
            continue
        about = [section.about, ""] if section.about else []
        settings = [f"{i}. {setting}" for i, setting in enumerate(results, start=1)]
        labels = list(dict.fromkeys(label for cells in results.values() for label in cells))
        matrix = [["", *(str(i + 1) for i in range(len(results)))], ["---"] * (len(results) + 1)]
        for label in labels:
            cells = [c.get(label) for c in results.values()]
            matrix.append([label, *("" if c is None else f"{c[0]:.3f}" for c in cells)])
        counts = sorted({int(c[1]) for cells in results.values() for c in cells.values()})
        samples = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        table = ["| " + " | ".join(row) + " |" for row in matrix]
        inside = [*about, *settings, "", *table, "", f"Samples: {samples}."]
        lines += evidence.folded(section.title, inside)
    return lines
