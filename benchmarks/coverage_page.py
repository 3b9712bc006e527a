"""The page docs/evidence/trust_coverage.md, from the numbers that simulate_everything.py measured."""

from __future__ import annotations

from typing import Any

import numpy as np
from coverage_choices import audit_coverage
from coverage_plan import AUDIT, REASONS, SECTIONS
from harsh_page import lines as harsh_lines

FLOOR = 0.93
AUDITS = ((50, None), (200, None), (50, 300))
Numbers = dict[
    str, dict[str, dict[str, list[float]]]
]  # section, setting, label: share, repeats, width


HARSH = (
    "Both scenarios, 10 to 1000 labels, priors from 0.001 to 0.4, six families of scores: smooth, saturated (6 % of the "
    "positives look like clear negatives), heavy-tailed, tied at 5 and at 50 levels, 5 % of the positives below everything. "
    "Warnings that count: PM105 (few labels), PM110, PM314, PM315."
)


def page(done: Numbers, harsh: Numbers | None = None) -> tuple[list[str], list[str]]:
    """Lines of the page, and the labels whose low coverage has no reason."""
    lines = [
        "# Coverage of every interval",
        "",
        *(harsh_lines(harsh, HARSH) if harsh else []),
        "## Ordinary settings",
        "",
        "Share of simulated samples whose nominal 95 % interval holds the truth, for every interval that a public "
        "function returns, over settings of both scenarios, clean and noisy labels, known and uncertain priors, few "
        "and many rows, with and without ties. Where a first number fell below 0.935 it was measured again on twice "
        "as many new samples, which is the number shown: the lowest of many would be too low by chance alone. "
        "Made by `make coverage-tables`; the numbers themselves are in `trust_coverage.json`.",
        "",
        "| interval | tried with | settings | samples | lowest | standard error | median |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, label, cells in by_label(done):
        share, repeats, _ = min(cells.values())
        error = np.sqrt(max(share * (1 - share), 0.5 / repeats) / repeats)
        middle = float(np.median([cell[0] for cell in cells.values()]))
        mark = " *" if share < FLOOR else ""
        lines.append(
            f"| {label} | {title} | {len(cells)} | {int(repeats)} | {share:.3f}{mark} | {error:.3f} | {middle:.3f} |"
        )
    for (checked, rows), found in zip(AUDITS, map(_audit, AUDITS), strict=True):
        for label, (lowest, mean) in found.items():
            where = f"{checked} checked" + ("" if rows is None else f" of {rows}")
            mark = " *" if lowest < FLOOR else ""
            lines.append(
                f"| {label} | {where}, all shares, exactly | 1 | | {lowest:.3f}{mark} | 0 | {mean:.3f} |"
            )
    reasons, missing = _low(done)
    return [*lines, "", *reasons, *_matrices(done)], missing


def by_label(done: Numbers) -> list[tuple[str, str, dict[str, list[float]]]]:
    """Section, label, and its cell in each setting."""
    found = []
    for section in SECTIONS:
        labels: dict[str, dict[str, list[float]]] = {}
        for setting, cells in done.get(section.title, {}).items():
            for label, cell in cells.items():
                labels.setdefault(label, {})[setting] = cell
        found += [(section.title, label, cells) for label, cells in labels.items()]
    return found


def _audit(case: tuple[int, int | None]) -> dict[str, tuple[float, float]]:
    return audit_coverage(*case)


def _low(done: Numbers) -> tuple[list[str], list[str]]:
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
    if any(lowest < FLOOR for case in AUDITS for lowest, _ in _audit(case).values()):
        lines.append(f"- {AUDIT}")
    return [*lines, ""], missing


def reason_of(label: str, setting: str) -> str | None:
    """Why this interval is low in this setting, if that is known."""
    for start, part, reason in REASONS:
        if label.startswith(start) and part in setting:
            return reason
    return None


def _matrices(done: Numbers) -> list[str]:
    lines = ["## All numbers", ""]
    for section in SECTIONS:
        results: Any = done.get(section.title)
        if not results:
            continue
        lines += [f"### {section.title}", "", section.about, ""]
        lines += [f"{i}. {setting}" for i, setting in enumerate(results, start=1)]
        labels = list(dict.fromkeys(label for cells in results.values() for label in cells))
        lines += ["", "| | " + " | ".join(str(i + 1) for i in range(len(results))) + " |"]
        lines += ["|---" * (len(results) + 1) + "|"]
        for label in labels:
            cells = [c.get(label) for c in results.values()]
            shown = ["" if c is None else f"{c[0]:.3f}" for c in cells]
            lines.append(f"| {label} | " + " | ".join(shown) + " |")
        counts = sorted({int(c[1]) for cells in results.values() for c in cells.values()})
        lines += ["", f"Samples: {' or '.join(map(str, counts))}.", ""]
    return lines
