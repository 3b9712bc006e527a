"""The figures of `real_priors`: coverage by set, at the top; error and coverage by overlap, below."""

from __future__ import annotations

from collections.abc import Mapping
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


Rates = Mapping[str, tuple[float, float]]  # cases: coverage with the allowance and without


def coverage_by_set(data: Data) -> dict[str, float]:
    """Share of intervals that hold the prior, by data set."""
    return {
        str(name): float(held(data.where(data["set"] == name)).mean()) for name in np.unique(data["set"])
    }  # fmt: skip


def coverage_by_labels(data: Data) -> Rates:
    """The same by the number of labels, with the allowance and without, of all cases and of rare positives."""
    found = {}
    for title, part in (("all priors", data), ("prior 0.01", data.where(wanted(data, 0.01)))):
        for labels in LABELS:
            cell = part.where(part["labels"] == labels)
            if len(cell) >= FEWEST:
                means = float(held(cell).mean()), float(held_without(cell).mean())
                found[f"{title}, {labels} labels"] = means
    return found


def summary(by_set: Mapping[str, float], by_labels: Rates) -> plt.Figure:
    """Coverage of every set, and by labels with and without the allowance."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.6), layout="constrained")
    names = sorted(by_set, key=by_set.__getitem__, reverse=True)
    left.plot([by_set[name] for name in names], range(len(names)), "o", color=BLUE)
    left.set_yticks(range(len(names)), names, fontsize=8)
    left.set_title("by data set", fontsize=10)
    for place, (with_it, without) in enumerate(by_labels.values()):
        right.plot([without, with_it], [place] * 2, color=GREY, lw=1)
        right.plot(without, place, "o", mfc="white", color=BLUE,
                   label=None if place else "without the allowance")  # fmt: skip
        right.plot(
            with_it, place, "o", color=BLUE, label=None if place else "with it, as by default"
        )
    right.set_yticks(range(len(by_labels)), list(by_labels), fontsize=8)
    right.set_title("by prior and labels", fontsize=10)
    right.legend(frameon=False, fontsize=8, loc="upper left")
    both = [rate for pair in by_labels.values() for rate in pair]
    for ax, rates, low in ((left, by_set.values(), 0.85), (right, both, 0.45)):
        ax.axvline(0.95, color=GREY, ls="--", lw=1)
        ax.grid(axis="x", color=GREY, alpha=0.2, lw=0.6)
        plain_axes(ax, xlim=(min(low, *rates), 1.01))
        ax.invert_yaxis()
    figure.supxlabel("share of 95% intervals that hold the true prior", fontsize=10)
    return figure


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
