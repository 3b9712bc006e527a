"""Coverage in harsh worlds as a sentence, a picture and tables, from what simulate_harsh.py measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np

FLOOR = 0.93
LEFT = 0.85  # of the picture; lower shares are written at its edge
ALWAYS = 0.999  # share of samples with a warning that counts as every one
Numbers = dict[
    str, dict[str, dict[str, list[float]]]
]  # group, interval, setting: held, samples, width, warned
CORRECTED = {"roc_auc": "ROC AUC", "average_precision": "average precision"}
FAMILIES = {
    "correction": "precision, recall, F1, MCC",
    "weights": "all of these, weighted rows",
    "risks": "Brier score, log loss",
    "calibration": "calibration error",
    "reliability": "reliability curve, top step",
    "rankings": "PULP and other rankings",
    "lists": "top of the list",
}
HEAD = ("interval", "cases", "lowest", "5% quantile", "median", f"below {FLOOR:g}")


def columns(done: Numbers) -> dict[str, np.ndarray]:
    """Of each interval, one row for each setting: held, samples, width, warned."""
    return {
        label: np.array(list(cells.values()))
        for group in done.values()
        for label, cells in group.items()
    }


def families(done: Numbers) -> dict[str, np.ndarray]:
    """The same rows, of similar intervals together."""
    found: dict[str, list[list[float]]] = {}
    for group, labels in done.items():
        for label, cells in labels.items():
            name = CORRECTED.get(label, FAMILIES[group])
            found.setdefault(name, []).extend(cells.values())
    return {name: np.array(cells) for name, cells in found.items()}


def sentence(done: Numbers) -> str:
    """What the picture says."""
    cells = np.concatenate(list(columns(done).values()))
    low, silent = _counts(cells)
    warned = (
        "each of those comes with a warning in every sample"
        if silent == 0
        else f"{silent} of those do not warn in every sample"
    )
    return (
        f"In {low} of {len(cells):,} harsh cases (rare positives, few labels, saturated, tied or heavy-tailed scores) a "
        f"95% interval holds the truth in less than {FLOOR:g} of the samples by more than two standard errors; {warned}."
    )


def _counts(cells: np.ndarray) -> tuple[int, int]:
    """How many shares are below the floor by more than two standard errors, and how many of them do not always warn."""
    error = np.sqrt(FLOOR * (1 - FLOOR) / cells[:, 1])
    low = cells[:, 0] < FLOOR - 2 * error
    return int(low.sum()), int((low & (cells[:, 3] <= ALWAYS)).sum())


def _row(name: str, cells: np.ndarray) -> list[Any]:
    """Shares of one interval, or of similar ones, and how many are below the floor."""
    middle = [float(np.quantile(cells[:, 0], q)) for q in (0, 0.05, 0.5)]
    low, silent = _counts(cells)
    told = "" if low == 0 else f", {silent} without a warning" if silent else ", with a warning"
    return [name, len(cells), *middle, f"{low}{told}"]


def lines(done: Numbers) -> list[str]:
    """The section of harsh settings: similar intervals together, and each by itself."""
    found = columns(done)
    fewest = int(min(cells[:, 1].min() for cells in found.values()))
    each = [
        [*_row(label, cells), f"{np.nanmedian(cells[:, 2]):.3g}"] for label, cells in found.items()
    ]
    return [
        "## Harsh settings",
        "",
        "Both scenarios, 10 to 1000 labels, priors from 0.001 to 0.4, six families of scores: smooth, saturated (6% of the "
        "positives look like clear negatives), heavy-tailed, tied at 5 and at 50 levels, 5% of the positives below "
        "everything. A case is one interval in one setting, with at least "
        f"{fewest} samples; it is below {FLOOR:g} if its share is two standard errors of the simulation lower. Warnings "
        "that count: PM105 (few labels), PM110, PM314, PM315. Weights are up to 5, and largest where scores are low: where a "
        "sample happens to hold none of the few heavy rows, nothing in it tells. Numbers: `harsh_coverage.json`.",
        "",
        *evidence.table(HEAD, [_row(*item) for item in families(done).items()]),
        *evidence.table((*HEAD, "median width"), each, f"Each of {len(each)} intervals by itself"),
    ]


def draw(done: Numbers, target: Path) -> None:
    """The picture: one dot for each case."""
    colours = {"no warning": evidence.BLUE, "warned in every sample": evidence.ORANGE}
    rows = {
        name: dict(
            zip(colours, (held[warned <= ALWAYS], held[warned > ALWAYS]), strict=True),
        )
        for name, (held, _, _, warned) in ((n, cells.T) for n, cells in families(done).items())
    }
    figure, ax = plt.subplots(figsize=(7, 3.9), layout="constrained")
    evidence.strips(ax, rows, colours, LEFT)
    ax.axvline(FLOOR, color="black", lw=0.8, ls=":", zorder=0)
    evidence.plain(ax, xlim=(LEFT - 0.002, 1.002), xlabel=f"{evidence.HELD}, one dot a case")
    figure.legend(loc="outside upper center", ncols=2, frameon=False, markerscale=2)
    evidence.save(figure, target)
