"""Run the speed programs, keep their ratios, and write the page that shows them over time.

Run: python benchmarks/page.py [--rows N] [--history FILE] [--page FILE] [--only NAME …] [--no-run]

Every run appends its ratios to benchmarks/history.csv and rewrites docs/evidence/benchmarks.md and its plot from that
file. With --rows all programs take that many rows, a quick check; the page shows runs at the programs' own sizes only.
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
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from evidence import BLUE, ORANGE, folded, opening, plain, save, table
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
PICTURE = "benchmarks.png"  # beside the page
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


def page(rows: Sequence[Row], grown: Sequence[Row] = ()) -> str:
    """The page, from a history and from the file that growth.py writes."""
    rows = own(rows)
    if not barred(rows):
        said = "No run at full size has been recorded yet; `python benchmarks/page.py` makes one."
        return "\n".join(["# Benchmarks", "", said, "", *growth(grown)])
    dates = sorted({row["date"] for row in rows})[-SHOWN:]
    last = next(row for row in reversed(rows) if row["date"] == dates[-1])
    about = f"Last run: {last['date']}, puremetrics {last['version']}, Python {last['python']}, numpy {last['numpy']}, {last['cores']} cores."
    lines = opening(
        "Benchmarks",
        sentence(rows, grown),
        PICTURE,
        "Ratios as shares of their bars",
        f"{HOW} {about}",
        "python benchmarks/page.py",
    )
    for program in dict.fromkeys(row["program"] for row in rows):
        lines += [f"## {program.capitalize()}", ""]
        lines += _table([row for row in rows if row["program"] == program], dates)
    return "\n".join([*lines, *growth(grown)])


def own(rows: Sequence[Row]) -> list[Row]:
    """Rows of runs at the programs' own sizes."""
    return [row for row in rows if row["rows"] == OWN]


def barred(rows: Sequence[Row]) -> dict[str, float]:
    """The last ratio of every measure that has a bar, as a share of the bar, the largest first."""
    found = {
        f"{row['program']}: {row['measure']}": float(row["ratio"]) / float(row["bar"])
        for row in rows
        if row["bar"]
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def sentence(rows: Sequence[Row], grown: Sequence[Row]) -> str:
    """How many ratios are below their bars, which comes closest, and the same at ten million rows."""
    shares = barred(rows)
    first, most = next(iter(shares.items()))
    below = sum(share <= 1 for share in shares.values())
    told = (
        "Each cost has a limit, its bar: so many times `np.sort` or scikit-learn's `roc_auc_score` on the same rows, or the size "
        f"of the input. {below} of {len(shares)} are below it; the closest, “{first}”, is at {most:.2f} of its bar."
    )
    known = [(row, _late(row, grown)) for row in grown if _judged(row)]
    if not known:
        return told
    late = [f"`{row['function']}`" for row, missed in known if missed]
    return (
        f"{told} At ten million rows {len(known) - len(late)} of the {len(known)} functions that have a bar there are below "
        f"it{'' if not late else '; above it: ' + ' and '.join(late)}."
    )


def summary(rows: Sequence[Row]) -> plt.Figure:
    """Every ratio that has a bar, as a share of it."""
    shares = barred(rows)
    drawing, ax = plt.subplots(figsize=(7.4, 0.6 + 0.3 * len(shares)), layout="constrained")
    low, high = min(0.02, *shares.values()) / 1.2, max(2, *shares.values()) * 1.2
    ax.axvline(1, color="black", lw=1)
    for place, share in enumerate(shares.values()):
        colour = BLUE if share <= 1 else ORANGE
        ax.plot([low, share], [place] * 2, color=colour, lw=1, alpha=0.5)
        ax.plot(share, place, "o", color=colour)
    ax.set_yticks(range(len(shares)), [fill(name, 50) for name in shares], fontsize=7.5)
    ax.set_ylim(len(shares) - 0.4, -0.6)
    plain(
        ax,
        xscale="log",
        xlim=(low, high),
        xlabel="ratio as a share of its bar (line: the bar)",
    )
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    return drawing


def growth(rows: Sequence[Row]) -> list[str]:
    """The section about growth, from the file that growth.py writes."""
    if not rows:
        return []
    sizes = sorted({int(row["rows"]) for row in rows})
    found = {(row["function"], int(row["rows"])): row for row in rows}
    functions = list(dict.fromkeys(row["function"] for row in rows))
    lines = [
        f"| function | {' | '.join(f'{size:.0e} rows'.replace('e+0', 'e') for size in sizes)} |",
        "|---" * (1 + len(sizes)) + "|",
    ]
    for function in functions:
        cells = []
        for size in sizes:
            row = found.get((function, size))
            ratio = row["ratio"] if row else "–"
            cells.append(f"**{ratio}**" if row and _judged(row) and _late(row, rows) else ratio)
        lines.append(f"| {function} | {' | '.join(cells)} |")
    return ["## Growth", "", GROWTH, "", *folded(f"All {len(functions)} functions", lines)]


def _judged(row: Row) -> bool:
    """Whether a row of the growth table has a bar."""
    return row["function"] in BARRED and int(row["rows"]) >= 10**7


def _late(row: Row, rows: Sequence[Row]) -> bool:
    """Whether it misses the bar: 5 times building the table, for `compare` the joint table."""
    joint = "1"
    if row["function"].startswith("compare"):
        same = (r["ratio"] for r in rows if (r["function"], r["rows"]) == (JOINT, row["rows"]))
        joint = next(same, joint)
    return float(row["ratio"].lstrip(">")) > BAR * float(joint.lstrip(">"))


def _table(rows: Sequence[Row], dates: Sequence[str]) -> list[str]:
    latest = {(row["measure"], row["date"]): row for row in rows}  # of several a day the last
    bars = {row["measure"]: row["bar"] for row in rows}
    body = []
    for measure, bar in bars.items():
        cells = [_cell(latest.get((measure, date))) for date in dates]
        if any(cells):
            body.append([measure, bar, *cells])
    return table(["measure", "bar", *dates], body, f"All {len(body)} ratios")


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    missed = row["bar"] and float(row["ratio"]) > float(row["bar"])
    return f"**{row['ratio']}**" if missed else row["ratio"]


HOW = (
    "Ratios, not seconds: every time is divided by that of `np.sort` or of scikit-learn's `roc_auc_score` on the same rows in "
    "the same run, and memory by the size of the input, so numbers of different machines can be compared. Smaller is better; "
    "**bold** misses its bar. Each column is a run."
)
GROWTH = (
    "CPU time of every function over that of building the table of the same rows, 2% of them labelled; made by "
    "`make bench-growth`. A ratio that falls from left to right grows more slowly than the table. A dash stands for what was "
    "not measured: it takes too long, or the run was stopped before; “>” for what was ended at its limit of time. "
    f"{len(BARRED)} functions have a bar of {BAR:g} at ten million rows, the others none: {'; '.join(BARRED)}. For compare it is "
    f"{BAR:g} times building its joint table. **Bold** misses it."
)


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
    rows = read(options.history)
    options.page.write_text(page(rows, read(FILE)), encoding="utf-8")
    if barred(own(rows)):
        save(summary(own(rows)), options.page.with_name(PICTURE))


if __name__ == "__main__":
    main()
