"""Figure 4 of Claesen, Davis, De Smet, De Moor (2015), for `claesen.py`: how far an area can move with the share.

Let p be the share of the labelled in a head, u(p) that of the unlabeled, s the share of positives among the
unlabeled, and A the area at share 0, so that ∫ (1 − u) dp = A. The corrected path is x(p) = (u(p) − s·p)/(1 − s). An
area at share s is 1 − ∫ m dp, where m is x clipped to [0, 1], if curves follow Eq. (11) rank by rank; for an envelope over
folds it is the smallest of that at p and beyond.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import BLUE, GREY, RED, Run, plain_axes, table

import puremetrics as pm

PAPER = {0.0: (72.5, 73.2), 0.1: (75.5, 74.7)}
PRINTED = 0.7254  # the largest area, to four digits, that is printed as 72.5


def figure_4(run: Run) -> list[str]:
    """Two models whose order by AUC changes between shares 0 and 0.1, and how far areas can move at all."""
    runs = {
        "model 1": [(2750, 4500), (2250, 40_500)],
        "model 2": [(2500, 450), (0, 2250), (2500, 42_300)],
    }
    found: dict[float, list[float]] = {share: [] for share in PAPER}
    drawing, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained")
    for (name, steps), colour in zip(runs.items(), (BLUE, RED), strict=True):
        pos, unl = (np.array(counts) for counts in zip(*steps, strict=True))
        sample = pm.ScoreTable.from_counts(
            range(len(steps), 0, -1), n_pos=pos, n_unl=unl, scenario="single_training_set"
        )
        rank, head = (np.append(0, np.cumsum(n)) for n in (pos + unl, pos))
        axes[0].plot(rank / rank[-1], head / head[-1], color=colour, label=name)
        for share, style in ((0.0, "--"), (0.1, "-")):
            curve = pm.roc_curve(sample, prior=sample.design.prior_of(sample.totals, share))
            found[share].append(100 * curve.area)
            axes[1].plot(curve.x, curve.y, color=colour, ls=style, label=f"{name}, share {share:g}")
    plain_axes(axes[0], xlabel="rank (normalised)", ylabel="true positive rate", title="rank CDF",
               xlim=(0, 1), ylim=(0, 1))  # fmt: skip
    plain_axes(axes[1], xlabel="false positive rate", ylabel="true positive rate", title="ROC",
               xlim=(0, 1), ylim=(0, 1))  # fmt: skip
    at = np.linspace(0.70, 0.76, 31)
    lines = {
        "exact": ((at - 0.05) / 0.9, GREY),
        "most, rank by rank": (np.array([most_by_piling(a) for a in at]), BLUE),
        "most, envelope over folds": (np.array([most_by_folding(a) for a in at]), "black"),
    }
    for name, (values, colour) in lines.items():
        axes[2].plot(100 * at, 100 * values, color=colour, label=name)
    axes[2].plot(PAPER[0.0], PAPER[0.1], "o", color=RED, label="the paper's two models")
    plain_axes(axes[2], xlabel="AUC at share 0, %", ylabel="AUC at share 0.1, %", title="how far?",
               ylim=(68, 86))  # fmt: skip
    for ax, place in zip(axes, ("lower right",) * 3, strict=True):
        ax.legend(frameon=False, fontsize=8, loc=place)
    piled, folded = (areas_of(corner(PRINTED, kind), PAPER) for kind in ("piled", "folded"))
    rows = [
        [f"{share:g}", theirs[0], f"{found[share][0]:.1f}", theirs[1], f"{found[share][1]:.1f}"]
        for share, theirs in PAPER.items()
    ]
    return [
        "## Figure 4: the order of two models flips",
        "",
        *run.figure(drawing, "claesen-figure-4", "Two models at two shares, and how far areas can move"),
        f"The flip reproduces; model 1's 75.5 does not if curves follow Eq. (11) rank by rank, where {piled[1]:.2f} is the most "
        f"that an area printed as 72.5 can become. An envelope over folds allows up to {folded[1]:.2f}.",
        "",
        *table(["share", "model 1, paper", "ours", "model 2, paper", "ours"], rows, digits=1),
        "AUC in per cent; the paper gives no data, so the two rankings (45,000 unlabeled, 5,000 labelled) are "
        "constructed. The exact correction of AUC is the same increasing map for every model (Jain, Eq. (4)): it "
        "takes 72.5 to 75.0 and 73.2 to 75.8 and cannot change their order. The flip comes from the corner cases "
        "of Eq. (11): model 2 rises faster than 1/0.1 at first, which a share of 0.1 cannot explain, and "
        "`best_by_prior` says that its ranking contradicts that prior. Labelled positives piled up at the very bottom, "
        "the other corner case, raise the area instead.",
        "",
        "Rank by rank the area rises most if a share A of the labelled comes first, as densely as a share of 0.1 allows, "
        "then all other unlabeled rows, then the rest of the labelled: the area is A − 0.05 A² at share 0, and A at share "
        f"0.1. From 72.50 that makes {100 * most_by_piling(0.725):.2f}, from the largest area that is still printed as "
        f"72.5 ({piled[0]:.2f}) {piled[1]:.2f}. A search through all rankings on a grid finds none that does better by "
        "0.1 (a test repeats it). With an envelope over folds of the path (Jain's Algorithm 1, the default here) an area of A can "
        "become A/(1 − 0.1) and no more. That takes a share 1 − A of the unlabeled on top, then all the labelled, then the "
        f"other unlabeled: from 72.50 it makes {100 * most_by_folding(0.725):.2f}. An earlier version of this page gave 78.7 "
        "for the envelope, which was not the maximum.",
        "",
    ]  # fmt: skip


def most_by_piling(area: float, share: float = 0.1) -> float:
    """The largest area at this share of curves that have such an area at share 0, without folds.

    The exact correction is the same for all of them, so that only what lies outside the unit square makes a
    difference: before a false positive rate of 0 it lowers the area, beyond 1 it raises it. If the curve leaves
    the square at a true positive rate A, at most the triangle share·(1 − A)²/(2·(1 − share)) is gained, and the
    area is at most A. Both are equal where A − share·A²/2 is the area at share 0. (Curves that leave it more than
    once are in the tests' search through a grid.)
    """
    return float((1 - np.sqrt(1 - 2 * share * area)) / share)


def most_by_folding(area: float, share: float = 0.1) -> float:
    """The largest area at this share of envelopes over folds: area/(1 − share), at most 1.

    If m(p), before clipping, is x(q) at some q ≥ p, then u(p) ≤ u(q) = (1 − s)·m(p) + s·q ≤ (1 − s)·m(p) + s, also where m is
    clipped (0 is more than m; and 1 makes the right side 1). The integral is 1 − area ≤ (1 − s)·(1 − area at s) + s. All
    labelled at once after a share 1 − area of the unlabeled make it an equality, if area ≤ 1 − s.
    """
    return min(area / (1 - share), 1.0)


def corner(area: float, kind: str) -> tuple[list[int], list[int]]:
    """Labelled and unlabeled rows, from the top down, of the ranking that gains most at a share of 0.1."""
    if kind == "piled":
        head = round(5000 * most_by_piling(area))
        level = round(4500 * most_by_piling(area))
        return [head, 0, 5000 - head], [level, 45_000 - level, 0]
    before = round(45_000 * (1 - area))
    return [0, 5000, 0], [before, 0, 45_000 - before]


def areas_of(ranking: tuple[list[int], list[int]], shares: Iterable[float]) -> list[float]:
    """Areas at these shares, in per cent."""
    pos, unl = ranking
    sample = pm.ScoreTable.from_counts(
        range(len(pos), 0, -1), n_pos=pos, n_unl=unl, scenario="single_training_set"
    )
    priors = [sample.design.prior_of(sample.totals, share) for share in shares]
    return [100 * pm.roc_auc(sample, prior=prior).value for prior in priors]
