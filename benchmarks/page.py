"""Run the speed programs, keep their ratios, and write the page that shows them over time.

Run: python benchmarks/page.py [--rows N] [--history FILE] [--page FILE] [--only NAME …] [--no-run]

Every run appends its ratios to benchmarks/history.csv and rewrites docs/evidence/benchmarks.md from that file. With
--rows all programs take that many rows, a quick check; the page shows runs at the programs' own sizes only.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from growth import BAR, BARRED, FILE, JOINT

import puremetrics as pm

HERE = Path(__file__).resolve().parent
PROGRAMS = (
    "correction",
    "bounds",
    "hull",
    "ranking",
    "priors",
    "calibration",
    "listing",
    "evaluation",
)
COLUMNS = (
    "date", "version", "python", "numpy", "cores", "rows", "program", "measure", "ratio", "bar",
)  # fmt: skip
OWN = "own"  # in column rows: the size that the program itself chooses
SHOWN = 6  # runs side by side on the page
_LINE = re.compile(r"^(\s*\S.*?)\s+(\d+\.\d{3})(?:\s+bar (\S+)\s+(?:ok|MISSED))?$")
Row = dict[str, str]


def measured(output: str) -> list[tuple[str, str, str]]:
    """Measure, ratio and bar (or nothing) of each line that `common.report` printed.

    An indented line belongs to the heading above it, whose words up to the semicolon tell it from
    lines of the same name below other headings.
    """
    found, heading = [], ""
    for line in output.splitlines():
        match = _LINE.match(line)
        if not match:
            heading = line.split(";")[0].split(", ", 1)[-1].strip() if line[:1].strip() else heading
            continue
        name = match[1].strip()
        name = f"{name}, {heading}" if line[0].isspace() and heading else name
        found.append((name, match[2], match[3] or ""))
    return found


def run(programs: Iterable[str], rows: int | None) -> list[Row]:
    """Ratios of some programs, measured now."""
    about = {
        "date": datetime.date.today().isoformat(),
        "version": pm.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": str(os.cpu_count()),
        "rows": OWN if rows is None else str(rows),
    }
    kept = []
    for program in programs:
        print(f"— {program}", file=sys.stderr, flush=True)
        command = [
            sys.executable,
            str(HERE / f"{program}.py"),
            *([] if rows is None else [str(rows)]),
        ]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for name, ratio, bar in measured(output):
            kept.append({**about, "program": program, "measure": name, "ratio": ratio, "bar": bar})
    return kept


def read(history: Path) -> list[Row]:
    """All rows of a history, oldest first; none if there is no file yet."""
    if not history.exists():
        return []
    with history.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(history: Path, rows: Sequence[Row]) -> None:
    """Add rows to a history, which is begun if there is none."""
    begin = not history.exists()
    with history.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if begin:
            writer.writeheader()
        writer.writerows(rows)


def page(rows: Sequence[Row]) -> str:
    """The page, from a history."""
    rows = [row for row in rows if row["rows"] == OWN]
    lines = [
        "# Benchmarks",
        "",
        "Ratios, not seconds: every time is divided by that of `np.sort` or of scikit-learn's `roc_auc_score` "
        "on the same rows in the same run, and memory by the size of the input, so numbers of "
        "different machines can be compared. Smaller is better; **bold** misses its bar. Each column is a run. Made by `python benchmarks/page.py`.",
        "",
    ]
    dates = sorted({row["date"] for row in rows})[-SHOWN:]
    if not dates:
        return "\n".join([*lines, "No run at full size has been recorded yet.", ""])
    last = next(row for row in reversed(rows) if row["date"] == dates[-1])
    lines += [
        f"Last run: puremetrics {last['version']}, Python {last['python']}, numpy {last['numpy']}, "
        f"{last['cores']} cores.",
        "",
    ]
    for program in dict.fromkeys(row["program"] for row in rows):
        lines += [f"## {program.capitalize()}", ""]
        lines += _table([row for row in rows if row["program"] == program], dates)
    return "\n".join(lines)


def growth(rows: Sequence[Row]) -> list[str]:
    """The section about growth, from the file that growth.py writes."""
    if not rows:
        return []
    sizes = sorted({int(row["rows"]) for row in rows})
    found = {(row["function"], int(row["rows"])): row["ratio"] for row in rows}
    lines = [
        "## Growth",
        "",
        "CPU time of every function over that of building the table of the same rows, 2 % of them labelled; made by "
        "`make bench-growth`. A ratio that falls from left to right grows more slowly than the table. A dash stands "
        "for what was not measured: it takes too long, or the run was stopped before; “>” for what was ended at its limit of time. "
        "**Bold** misses the bar of 5 at ten million rows, for `compare` of 5 times building its joint table.",
        "",
        f"| function | {' | '.join(f'{size:.0e} rows'.replace('e+0', 'e') for size in sizes)} |",
        "|---" * (1 + len(sizes)) + "|",
    ]
    for function in dict.fromkeys(row["function"] for row in rows):
        cells = []
        for size in sizes:
            ratio = found.get((function, size), "–")
            joint = found.get((JOINT, size), "1") if function.startswith("compare") else "1"
            bar = BAR * float(joint.lstrip(">"))
            known = function in BARRED and size >= 10**7 and ratio != "–"
            late = known and float(ratio.lstrip(">")) > bar
            cells.append(f"**{ratio}**" if late else ratio)
        lines.append(f"| {function} | {' | '.join(cells)} |")
    return [*lines, ""]


def _table(rows: Sequence[Row], dates: Sequence[str]) -> list[str]:
    latest = {(row["measure"], row["date"]): row for row in rows}  # of several a day the last
    bars = {row["measure"]: row["bar"] for row in rows}
    lines = [f"| measure | bar | {' | '.join(dates)} |", "|---" * (2 + len(dates)) + "|"]
    for measure, bar in bars.items():
        cells = [_cell(latest.get((measure, date))) for date in dates]
        if any(cells):
            lines.append(f"| {measure} | {bar} | {' | '.join(cells)} |")
    return [*lines, ""]


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    missed = row["bar"] and float(row["ratio"]) > float(row["bar"])
    return f"**{row['ratio']}**" if missed else row["ratio"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)))
    parser.add_argument("--history", type=Path, default=HERE / "history.csv")
    parser.add_argument(
        "--page", type=Path, default=HERE.parent / "docs" / "evidence" / "benchmarks.md"
    )
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    parser.add_argument("--no-run", action="store_true", help="rewrite the page from the history")
    options = parser.parse_args(arguments)
    if not options.no_run:
        append(options.history, run(options.only, options.rows))
    text = "\n".join([page(read(options.history)), *growth(read(FILE))])
    options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
