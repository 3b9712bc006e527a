"""Figure 1 of Claesen, Davis, De Smet, De Moor (2015), for `claesen.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import BLUE, RED, Run, plain_axes, table

import puremetrics as pm

RANKING = "BEDGHAFCI"
SETS = {"P1": "BDAC", "P2": "EGF"}


def rank_cdf(ranking: str, members: str) -> list[float]:
    """Eq. (6): the share of the members at rank r or before, for every r."""
    ranks = [ranking.index(member) + 1 for member in members]
    return [sum(rank <= r for rank in ranks) / len(ranks) for r in range(1, len(ranking) + 1)]


def true_positive_rates(ranking: str, members: str) -> list[float]:
    """TPR when the r rows at the top are called positive and the members are the positives."""
    scores = np.arange(len(ranking), 0, -1.0)
    rows = pm.ScoreTable.from_groups(
        positive=[s for s, name in zip(scores, ranking, strict=True) if name in members],
        unlabeled=None,
        negative=[s for s, name in zip(scores, ranking, strict=True) if name not in members],
        scenario="case_control",
    )
    return [float(pm.metric(rows, statistic="recall", threshold=s, prior=None)) for s in scores]


def figure_1(run: Run) -> list[str]:
    drawing, ax = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
    places, rows, worst = range(1, len(RANKING) + 1), [], 0.0
    for (name, members), colour in zip(SETS.items(), (BLUE, RED), strict=True):
        defined, ours = rank_cdf(RANKING, members), true_positive_rates(RANKING, members)
        worst = max(worst, float(np.abs(np.subtract(defined, ours)).max()))
        ax.step([0, *places], [0, *ours], where="post", color=colour,
                label=f"{name} = {{{', '.join(members)}}}")  # fmt: skip
        rows.append([f"F({name}, r)", *defined])
        rows.append([f"TPR({name}, r), ours", *ours])
    plain_axes(ax, xlabel="rank r", ylabel="rank CDF", xlim=(0, 9), ylim=(0, 1.02))
    ax.set_xticks([*places], [f"{r}\n{name}" for r, name in zip(places, RANKING, strict=True)])
    ax.legend(frameon=False, loc="upper left", fontsize=8)
    return [
        "## Figure 1: the rank CDF is a true positive rate",
        "",
        *run.figure(drawing, "claesen-figure-1", "Rank CDF of two sets in a ranking of nine"),
        "The rank CDF of each set, by Eq. (6), is the recall that `metric` gives if the set are the positives: "
        + ("all 18 values are equal." if worst < 1e-12 else f"largest difference {worst:.1e}."),
        "",
        *table(["", *(f"r = {r}, {name}" for r, name in zip(places, RANKING, strict=True))], rows, digits=3),
    ]  # fmt: skip
