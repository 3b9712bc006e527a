"""Coverage in harsh worlds as a picture, a sentence and a table, from what simulate_harsh.py measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FLOOR = 0.93
LEFT = 0.87  # of the picture; lower shares are written at its edge
ALWAYS = 0.999  # share of samples with a warning that counts as every one
Numbers = dict[
    str, dict[str, dict[str, list[float]]]
]  # group, interval, setting: held, samples, width, warned


def columns(done: Numbers) -> dict[str, np.ndarray]:
    """Of each interval, one row for each setting: held, samples, width, warned."""
    return {
        label: np.array(list(cells.values()))
        for group in done.values()
        for label, cells in group.items()
    }


def sentence(done: Numbers) -> str:
    """What the picture says."""
    cells = np.concatenate(list(columns(done).values()))
    low, warned = _low(cells), cells[:, 3] > ALWAYS
    silent = int((low & ~warned).sum())
    rest = (
        "every one of them says so in every sample"
        if silent == 0
        else f"{silent} of them without a warning in every sample"
    )
    return (
        f"Of {len(cells):,} harsh settings (rare positives, few labels, saturated, tied and heavy-tailed scores), nominal "
        f"95 % intervals hold the truth in less than {FLOOR:g} of the samples in {int(low.sum())}; {rest}."
    )


def _low(cells: np.ndarray) -> np.ndarray:
    """Settings whose share is below the floor by more than two standard errors of the simulation."""
    error = np.sqrt(FLOOR * (1 - FLOOR) / cells[:, 1])
    return np.asarray(cells[:, 0] < FLOOR - 2 * error)


def lines(done: Numbers, worlds: str) -> list[str]:
    """The top of the coverage page."""
    table = [
        "| interval | settings | lowest | 5 % of the settings below | median | median width | below, without a warning |",
        "|---|---|---|---|---|---|---|",
    ]
    for label, cells in columns(done).items():
        held = cells[:, 0]
        silent = int((_low(cells) & (cells[:, 3] <= ALWAYS)).sum())
        table.append(
            f"| {label} | {held.size} | {held.min():.3f} | {np.quantile(held, 0.05):.3f} | {np.median(held):.3f} | "
            f"{np.nanmedian(cells[:, 2]):.3g} | {silent} |"
        )
    fewest = int(min(cells[:, 1].min() for cells in columns(done).values()))
    return [
        sentence(done),
        "",
        "![Coverage of each interval in harsh settings, one dot for each](harsh_coverage.png)",
        "",
        "## Harsh settings",
        "",
        f"{worlds} At least {fewest} samples a setting; a setting is below {FLOOR:g} if its share is two standard errors "
        "of the simulation lower. Numbers: `harsh_coverage.json`.",
        "",
        *table,
        "",
    ]


def draw(done: Numbers, target: Path) -> None:
    """The picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = columns(done)
    labels = list(found)
    figure, ax = plt.subplots(figsize=(9, 0.3 * len(labels) + 1.3), layout="constrained")
    rng = np.random.default_rng(0)
    for row, label in enumerate(labels):
        share, warned = found[label][:, 0], found[label][:, 3] > ALWAYS
        spread = row + rng.uniform(-0.25, 0.25, share.size)
        for mask, color, name in (
            (~warned, "#2563eb", "no warning"),
            (warned, "#f59e0b", "warned in every sample"),
        ):
            ax.scatter(
                np.maximum(share[mask], LEFT),
                spread[mask],
                s=9,
                color=color,
                alpha=0.65,
                label=name if row == 0 else None,
            )
        for low, height in zip(share[share < LEFT], spread[share < LEFT], strict=True):
            ax.annotate(
                f"◂ {low:.2f}",
                (LEFT, height),
                (6, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
    ax.set_xlim(LEFT - 0.003, 1.003)
    ax.axvline(0.95, color="#111827", linewidth=1)
    ax.axvline(FLOOR, color="#dc2626", linewidth=1, linestyle="--")
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlabel("share of samples whose 95 % interval holds the truth, one dot for each setting")
    ax.legend(loc="lower left", frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(target, dpi=130)
    plt.close(figure)
