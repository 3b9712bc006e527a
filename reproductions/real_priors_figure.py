"""The figure of `real_priors`: error follows overlap, and coverage with and without the allowance."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from reproductions.common import BLUE, GREEN, GREY, RED, plain_axes
from reproductions.real_priors_tables import BAND_NAMES, BANDS, Data, held, held_without, wanted
from reproductions.real_scores import LABELS

EDGES = (0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4)
FEWEST = 5  # cases behind a point
TITLES = {
    "separable": (RED, "as if no negative looked like a positive"),
    "prior": (BLUE, "estimate"),
}


def drawing(data: Data) -> plt.Figure:
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    errors(axes[0], data)
    coverage(axes[1], data, "all priors")
    coverage(axes[2], data.where(wanted(data, 0.01)), "prior 0.01")
    axes[1].legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def errors(ax: plt.Axes, data: Data) -> None:
    """Every case as a dot, and mean errors by overlap."""
    apart = 1 - data["true_auc"]
    ax.axhline(0, color=GREY, lw=0.8)
    ax.scatter(apart, data["separable"] - data["truth"], s=4, color=RED, alpha=0.15, lw=0)
    for name, (colour, title) in TITLES.items():
        error = data[name] - data["truth"]
        groups = [(apart >= low) & (apart < high) for low, high in pairwise(EDGES)]
        means = [(apart[g].mean(), error[g].mean()) for g in groups if g.sum() >= FEWEST]
        if means:
            ax.plot(*np.transpose(means), "o-", color=colour, ms=4, label=title)
    plain_axes(
        ax, xlabel="overlap of the classes, 1 − AUC", ylabel="estimated − true prior",
        xlim=(0, EDGES[-1]), ylim=(-0.3, 0.4),
    )  # fmt: skip
    ax.legend(frameon=False, fontsize=8, title="mean error", title_fontsize=8, loc="upper left")


def coverage(ax: plt.Axes, data: Data, title: str) -> None:
    """Share of intervals that hold the prior, by AUC and labels; nothing where there are few cases."""
    places = np.arange(len(BANDS))
    ax.axhline(0.95, color=GREY, lw=0.8)
    for labels, colour in zip(LABELS, (GREEN, BLUE, RED), strict=True):
        parts = [data.band(place) for place in places]
        cells = [part.where(part["labels"] == labels) for part in parts]
        for test, line in ((held, "o-"), (held_without, "o:")):
            rates = [test(cell).mean() if len(cell) >= FEWEST else np.nan for cell in cells]
            told = f"{labels} labels" if test is held else None
            ax.plot(places, rates, line, color=colour, ms=4, label=told)
    ax.plot([], [], "o:", color=GREY, ms=4, label="without the allowance")
    plain_axes(
        ax, title=title, xlabel="AUC of the model", ylabel="share of intervals that hold the prior",
        ylim=(0, 1.03), xticks=places,
    )  # fmt: skip
    ax.set_xticklabels(BAND_NAMES, fontsize=8)
    ax.title.set_fontsize(10)
