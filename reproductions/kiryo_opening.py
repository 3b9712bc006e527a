"""How the page of `kiryo.py` opens: the rate at which the bias falls, in one paragraph and one plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from reproductions.common import BLUE, GREEN, ORANGE, Run, plain_axes

BOTH = "n_P = N, n_U = 10 N"  # the setting that is drawn
DEBIASED = "the same, debiased (ours)"
PU = ("n_P = N, n_U = ∞", "n_P = ∞, n_U = N", BOTH)
Means = Mapping[tuple[str, str], np.ndarray]  # (world, setting): mean bias at each size


def slope(ns: Sequence[int], values: np.ndarray) -> float:
    """The exponent of N in the bias."""
    return float(np.polyfit(np.log(ns), np.log(values), 1)[0])


def opening(run: Run, ns: Sequence[int], printed: Sequence[int], means: Means) -> list[str]:
    """What was found, and the plot of it."""
    worlds = list(dict.fromkeys(world for world, _ in means))
    exponents = [slope(ns, means[world, name]) for world in worlds for name in PU]
    left = [means[world, DEBIASED][-1] / means[world, BOTH][-1] for world in worlds]
    drawn = {place: values[list(printed)] for place, values in means.items()}
    return [
        "The paper's estimate of the calibration error from positive and unlabeled rows, PU-ECE, loses its bias faster than the "
        "paper's bound, N to the power of −1/3: with exponents between "
        f"{max(exponents):.2f} and {min(exponents):.2f} on the synthetic model and on {worlds[-1]}. The debiased estimate, "
        f"which is not in the paper, has {min(left):.1f} to {max(left):.1f} of that bias at N = {ns[-1]:,}.".replace("-0", "−0"),
        "",
        *run.figure(
            summary([ns[i] for i in printed], worlds, drawn), "kiryo", "The bias falls faster than the bound"
        ),
    ]  # fmt: skip


def summary(ns: Sequence[int], worlds: Sequence[str], means: Means) -> plt.Figure:
    """Mean bias of PU-ECE and of the debiased estimate against N, beside the paper's rate."""
    drawing, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    rate = 0.3 * (np.array(ns) / ns[0]) ** (-1 / 3)
    ax.loglog(ns, rate, "k--", lw=1, label="the paper's rate, power −1/3")
    for world, colour in zip(worlds, (BLUE, GREEN, ORANGE), strict=False):
        ax.loglog(ns, means[world, BOTH], "o-", color=colour, ms=4, label=f"PU-ECE, {world}")
        ax.loglog(ns, means[world, DEBIASED], "o:", color=colour, ms=3, lw=1)
    ax.loglog([], [], "k:", lw=1, label="the same, debiased")
    ax.set_xticks(ns, [f"{n:,}" for n in ns])
    ax.minorticks_off()
    ax.set_yticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
    plain_axes(
        ax, xlabel="N: labelled positives, with ten times as many unlabeled rows",
        ylabel="mean absolute error", ylim=(0.001, 0.5),
    )  # fmt: skip
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    return drawing
