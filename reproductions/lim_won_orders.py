"""Corollary 1 of Lim and Won (2012), and their ordered curves, for `lim_won.py`.

Corollary 1: with the true positive rates held at their empirical values the most likely concave ROC curve is the
hull again, seen from the other axis. Ordered curves (end of Section 2.3, not carried out in the paper): the most
likely pair of concave curves of which one lies above the other, with the false positive rates held as in Eq. (14).
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import BLUE, GREY, RED, Run, plain_axes, table

import puremetrics as pm
from tests.oracles.limwon import TABLE_1, conditional_npmle

SIZES = (25, 25)  # rows of each class and model, of the ordered curves


def hull_of(pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the hull: false and true positive rates."""
    rows = pm.ScoreTable.from_groups(
        positive=pos, unlabeled=None, negative=neg, scenario="case_control"
    )
    found = pm.roc_hull(rows, prior=None)
    return np.asarray(found.fpr), np.asarray(found.tpr)


def at_fixed_tpr(pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True positive rates of the positives' heads, most likely false ones (by the solver), and the hull's.

    The solver of Eq. (14) is used as it is, with the scores turned round and the classes switched. A cell of its
    first class ends at a positive, with the negatives above that positive and below the one before it.
    """
    fit = conditional_npmle(list(-np.asarray(neg)), list(-np.asarray(pos)))
    scores = -np.asarray(fit.scores)  # falling: heads from the top down
    places = np.sort(np.unique(pos))[::-1]
    tpr = np.array([np.mean(pos >= s) for s in places])
    mass = np.asarray(fit.f_d)
    last = (
        float(mass[-1]) if scores[-1] < places[-1] else 0.0
    )  # of the negatives below all positives
    solved = np.array([mass[scores >= s].sum() for s in places])
    if not last:  # that cell is put on the last score; if it is a positive's, nothing is below
        solved[-1] = mass.sum()
    fpr, height = hull_of(pos, neg)
    # From the true positive rate's axis: at each height the leftmost point of the hull.
    left = np.array([leftmost(fpr, height, t) for t in tpr])
    return tpr, solved, left


def leftmost(fpr: np.ndarray, tpr: np.ndarray, height: float) -> float:
    """The smallest false positive rate at which the hull is that high."""
    i = int(np.searchsorted(tpr, height - 1e-12))
    if i == 0:
        return float(fpr[0])
    rise = tpr[i] - tpr[i - 1]
    return float(fpr[i - 1] + (fpr[i] - fpr[i - 1]) * (height - tpr[i - 1]) / rise)


def cells(pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
    """Positives before the first negative, and between each negative and the next one below it.

    A positive tied with a negative comes after it, as in Eq. (14).
    """
    falling = np.sort(neg)[::-1]
    return np.bincount(np.searchsorted(-falling, -pos, side="right"), minlength=neg.size + 1)


def log_likelihood(counts: np.ndarray, mass: np.ndarray) -> float:
    seen = counts > 0
    return float(counts[seen] @ np.log(mass[seen]))


def concave_masses(counts: np.ndarray) -> np.ndarray:
    """The hull's masses: those of the cells after the first fall, by pooling neighbours."""
    blocks: list[list[float]] = []
    for count in counts[1:]:
        blocks.append([float(count), 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] < blocks[-1][0] / blocks[-1][1]:
            total, width = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += width
    level = [total / width for total, width in blocks for _ in range(round(width))]
    return np.array([float(counts[0]), *level]) / counts.sum()


def ordered_masses(better: np.ndarray, worse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most likely masses of two concave curves, the first nowhere below the second.

    Cells of both lie between the same false positive rates. Convex: a sum of logarithms under linear constraints.
    """
    size = better.size
    starts = concave_masses(better), concave_masses(worse)
    if np.all(np.cumsum(starts[0]) >= np.cumsum(starts[1]) - 1e-12):
        return starts
    both = np.concatenate([better, worse]).astype(float)
    seen = both > 0
    total = both.sum()

    def loss(x: np.ndarray) -> float:
        return -float(both[seen] @ np.log(np.maximum(x[seen], 1e-12))) / total

    def gradient(x: np.ndarray) -> np.ndarray:
        found = np.zeros_like(x)
        found[seen] = -both[seen] / np.maximum(x[seen], 1e-12) / total
        return found

    falling = np.zeros((size - 2, size))
    falling[np.arange(size - 2), np.arange(1, size - 1)] = 1
    falling[np.arange(size - 2), np.arange(2, size)] = -1
    heads = np.tril(np.ones((size, size)))[:-1]
    zero = np.zeros_like(falling)
    limits = np.block([[falling, zero], [zero, falling], [heads, -heads]])
    sums = np.kron(np.eye(2), np.ones(size))
    pooled = concave_masses(better + worse)
    result = minimize(
        loss,
        np.concatenate([pooled, pooled]) * 0.9 + 0.1 / size,
        jac=gradient,
        bounds=[(1e-10 if s else 0.0, 1.0) for s in seen],
        constraints=[
            {"type": "ineq", "fun": lambda x: limits @ x, "jac": lambda x: limits},
            {"type": "eq", "fun": lambda x: sums @ x - 1, "jac": lambda x: sums},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    if result.status not in (0, 8):
        raise RuntimeError(result.message)
    return result.x[:size], result.x[size:]


def corollary_1(run: Run) -> list[str]:
    rng = np.random.default_rng(run.seed)
    pos, neg = (np.array([r.score for r in TABLE_1 if r.label == label]) for label in (1, 0))
    shown = at_fixed_tpr(pos, neg)
    trials = 5 if run.quick else 100
    worst = float(np.abs(shown[1] - shown[2]).max())
    for _ in range(trials):
        sizes = rng.integers(3, 15, size=2)
        samples = (
            np.round(rng.normal(shift, 1, n), 1) for shift, n in zip((0.7, 0), sizes, strict=True)
        )
        _, solved, left = at_fixed_tpr(*samples)
        worst = max(worst, float(np.abs(solved - left).max()))
    drawing, ax = plt.subplots(figsize=(4.4, 4), layout="constrained")
    fpr, tpr = hull_of(pos, neg)
    order = np.sort(np.concatenate([pos, neg]))[::-1]
    ax.step([0, *(np.mean(neg >= s) for s in order)], [0, *(np.mean(pos >= s) for s in order)],
            where="post", color=GREY, lw=1, label="empirical ROC curve")  # fmt: skip
    ax.plot(fpr, tpr, color=BLUE, lw=1.6, label="its hull")
    ax.plot(shown[1], shown[0], "o", color=RED, ms=5, mfc="none", label="most likely, TPR fixed")
    plain_axes(ax, xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02),
               ylim=(-0.02, 1.02))  # fmt: skip
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return [
        "## Corollary 1: the same hull from the other axis",
        "",
        *run.figure(drawing, "lim_won-corollary-1", "Most likely curve with the true positive rates fixed"),
        "With the true positive rates held at their empirical values, the most likely concave curve found by a solver of Eq. "
        f"(14), classes switched, lies on the hull: the largest difference is {worst:.0e}, on the rows of Table 1 and on "
        f"{trials} small samples with ties. **The corollary reproduces.**",
        "",
        *table(
            ["TPR, fixed", "FPR, solver", "FPR, hull"],
            [[*map(float, row)] for row in zip(*shown, strict=True)],
        ),
    ]  # fmt: skip


def ordered_curves(run: Run) -> list[str]:
    rng = np.random.default_rng(run.seed)
    n_pos, n_neg = SIZES
    trials = 4 if run.quick else 60
    rows, shown = [], None
    for better, worse in ((1.5, 0.7), (1.0, 0.7), (1.0, 1.0)):
        crossed, lost, moved = 0, [], []
        for _ in range(trials):
            counts = [
                cells(rng.normal(shift, 1, n_pos), rng.normal(0, 1, n_neg))
                for shift in (better, worse)
            ]
            free = [concave_masses(c) for c in counts]
            if np.all(np.cumsum(free[0]) >= np.cumsum(free[1]) - 1e-12):
                continue
            crossed += 1
            held = ordered_masses(*counts)
            lost.append(
                sum(log_likelihood(c, f) - log_likelihood(c, h)
                    for c, f, h in zip(counts, free, held, strict=True))
            )  # fmt: skip
            moved.append(
                max(float(np.abs(np.cumsum(f) - np.cumsum(h)).max())
                    for f, h in zip(free, held, strict=True))
            )  # fmt: skip
            if shown is None and (better, worse) == (1.0, 0.7):
                shown = free, held
        share = f"{crossed} of {trials}"
        median = [f"{np.median(v):.3f}" if v else "–" for v in (lost, moved)]
        rows.append([f"N({better:g}, 1)", f"N({worse:g}, 1)", share, *median])
    drawing, ax = plt.subplots(figsize=(4.4, 4), layout="constrained")
    grid = np.arange(n_neg + 1) / n_neg
    for i, (name, colour) in enumerate((("upper model", BLUE), ("lower model", RED))):
        if shown is not None:
            free, held = shown
            ax.plot(
                [0, *grid],
                [0, *np.cumsum(free[i])],
                color=colour,
                ls="--",
                lw=1,
                label=f"{name}, hull",
            )
            ax.plot(
                [0, *grid], [0, *np.cumsum(held[i])], color=colour, lw=1.8, label=f"{name}, ordered"
            )
    plain_axes(ax, xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1),
               ylim=(0, 1.02))  # fmt: skip
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return [
        "## Ordered curves: one hull above another",
        "",
        *run.figure(drawing, "lim_won-ordered", "Two hulls that cross, and the most likely ordered pair"),
        "If one model is known to be nowhere below another, the most likely pair of concave curves is the two hulls where "
        "these do not cross, and otherwise a pair that touches where they did, at a small loss of likelihood.",
        "",
        "The paper names this as a use of its formulation (end of Section 2.3) and prints no result. With the false positive "
        "rates held as in Eq. (14) the problem is a sum of logarithms under linear constraints, solved here for "
        f"{n_pos} positives and {n_neg} negatives of each model (samples of their own; rows that both models score would be "
        f"dependent, and this likelihood does not know it), {trials} pairs a line:",
        "",
        *table(
            ["positives, upper model", "lower model", "hulls cross", "log-likelihood lost, median", "TPR moved, largest, median"],
            rows,
        ),
    ]  # fmt: skip
