"""Figures 3 and 4 of Jain, White and Radivojac (2017): the error of the recovered area over wrong estimates.

With the true (α, β, AUC), Eq. (4) gives AUC_pu; with estimates in place of α and β, the same equation turns it
back into an area. Where that area leaves [0, 1], no pair of estimates is feasible.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

SHARES, PURITIES, AREAS = (0.05, 0.25, 0.5), (0.75, 0.95, 1.0), (0.65, 0.8, 0.95)
ONE = (0.25, 0.75, 0.9)


def observed(share: float, purity: float, area: float) -> float:
    """AUC_pu, Eq. (4)."""
    return (1 - (purity - share)) / 2 + (purity - share) * area


def recovered_square(area_pu: float, points: int) -> np.ndarray:
    """Area that Eq. (4) gives for every estimated (share, purity); NaN outside [0, 1]. Rows: purity."""
    grid = np.linspace(0, 1, points)
    gap = grid[:, None] - grid[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        area = (area_pu - (1 - gap) / 2) / gap
    return np.where((area >= 0) & (area <= 1), area, np.nan)


def figure_3(points: int = 201) -> plt.Figure:
    """27 squares: rows by the true AUC and purity, columns by the true share."""
    drawing, axes = plt.subplots(3, 9, figsize=(17, 6.6), sharex=True, sharey=True)
    image = None
    for row, area in enumerate(AREAS):
        for column in range(9):
            share, purity = SHARES[column // 3], PURITIES[column % 3]
            ax = axes[row, column]
            error = np.abs(recovered_square(observed(share, purity, area), points) - area)
            ax.set_facecolor("#bbbbbb")
            image = ax.imshow(
                error, origin="lower", extent=(0, 1, 0, 1), vmin=0, vmax=1, cmap="viridis"
            )
            ax.axvline(share, ls=":", color="white", lw=1)
            ax.axhline(purity, ls=":", color="white", lw=1)
            ax.set_xticks([0, 1])
            ax.set_yticks([0, 1])
            ax.set_title(f"α {share:g}, β {purity:g}, AUC {area:g}", fontsize=8)
    drawing.supxlabel("estimated share of positives among the unlabeled, α̂", fontsize=10)
    drawing.supylabel("estimated purity, β̂", fontsize=10)
    drawing.subplots_adjust(left=0.05, right=0.92, top=0.95, bottom=0.09, wspace=0.12, hspace=0.2)
    bar = drawing.colorbar(image, cax=drawing.add_axes((0.94, 0.09, 0.012, 0.86)))
    bar.set_label("|AUC recovered − AUC|; grey: infeasible")
    return drawing


def figure_4(points: int = 401) -> plt.Figure:
    """One square, and the lines that matter in it."""
    share, purity, area = ONE
    area_pu = observed(*ONE)
    reach, gap = 2 * area_pu - 1, purity - share
    drawing, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
    error = np.abs(recovered_square(area_pu, points) - area)
    image = left.imshow(error, origin="lower", extent=(0, 1, 0, 1), vmin=0, vmax=1, cmap="Greys")
    drawing.colorbar(image, ax=left, label="|AUC recovered − AUC|; blue: infeasible")
    left.set_facecolor("#d6e4f5")
    left.plot(share, purity, "x", color="#c0392b", ms=9, label="truth")
    left.legend(loc="lower right", frameon=True)
    line = np.array([0.0, 1.0])
    right.fill_between(line, line - reach, line + reach, color="#d6e4f5")
    for offset, colour, text in (
        (gap, "#2e8b57", f"AUC recovered = AUC = {area:g}: β̂ − α̂ = {gap:g}"),
        (reach, "#1f5fa8", f"AUC recovered = 1: β̂ − α̂ = {reach:.2g}"),
        (-reach, "#c0392b", f"AUC recovered = 0: β̂ − α̂ = −{reach:.2g}"),
        (-gap, "#888888", f"AUC recovered = 1 − AUC: β̂ − α̂ = −{gap:g}"),
    ):
        right.plot(line, line + offset, color=colour, lw=1.8, label=text)
    right.plot(
        0,
        1,
        "o",
        color="black",
        ms=7,
        clip_on=False,
        label=f"AUC recovered = AUC_pu = {area_pu:.2g}",
    )
    right.plot(share, purity, "x", color="#c0392b", ms=9)
    right.text(0.5, 0.5, "infeasible", ha="center", va="center", rotation=45, color="#555555")
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, ncol=2, frameon=False)
    for ax in (left, right):
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="α̂", ylabel="β̂", aspect="equal")
    drawing.tight_layout()
    return drawing
