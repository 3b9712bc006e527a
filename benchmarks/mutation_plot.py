"""Draw docs/evidence/mutation.png from the tables of the page: ``python benchmarks/mutation_plot.py``.

The page is written by hand from what ``benchmarks/mutate.py`` prints; the plot follows its two tables.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from evidence import BLUE, GREY, plain, save

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "mutation.md"
KINDS = {"noticed at once": BLUE, "noticed by new tests": "#9dbfe6", "equivalent": GREY}
TITLES = ("seed 1: tests as they were", "seed 2: mutants not seen before")
Counts = dict[str, tuple[int, ...]]  # module: tried, noticed at first, noticed after, equivalent


def tables(text: str) -> list[Counts]:
    """The counts of each table, by module; the row of all modules is left out."""
    found: list[Counts] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| module |"):
            found.append({})
        elif found and line.startswith("| `"):
            found[-1][cells[0].strip("`")] = tuple(int(cell) for cell in cells[1:5])
    return found


def drawing(found: list[Counts]) -> plt.Figure:
    """Noticed at first, noticed by tests written since, and equivalent, by module and seed."""
    names = list(dict.fromkeys(name for counts in reversed(found) for name in counts))
    figure, axes = plt.subplots(
        1, len(found), figsize=(7.4, 4.2), layout="constrained", sharex=True, sharey=True
    )
    for ax, counts, title in zip(axes, found, TITLES, strict=True):
        for name, (tried, first, after, equivalent) in counts.items():
            start = 0
            for width, colour in zip(
                (first, after - first, equivalent), KINDS.values(), strict=True
            ):
                ax.barh(names.index(name), width, left=start, color=colour, height=0.7, lw=0)
                start += width
            assert start == tried, f"{name}: {start} of {tried}"
        first, able = (sum(c[i] for c in counts.values()) for i in (1, 2))
        ax.set_title(f"{title}\n{first} of {able} noticed at once", fontsize=9)
        plain(ax, xlabel="mutants", xlim=(0, 9))
    axes[0].set_yticks(range(len(names)), names, fontsize=8)
    axes[0].invert_yaxis()
    bars = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in KINDS.values()]
    figure.legend(bars, list(KINDS), loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return figure


def main() -> None:
    save(drawing(tables(PAGE.read_text(encoding="utf-8"))), PAGE.with_suffix(".png"))


if __name__ == "__main__":
    main()
