"""Reproduce Claesen, Davis, De Smet, De Moor (2015): Figures 1 to 5 and Tables 1 and 2.

    python reproductions/claesen.py

Figure 5 needs covtype and is left out where it cannot be had. The paper's figures and tables carry no
numbers but those of Figure 4.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtri
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.claesen_flips import PAPER, PRINTED, areas_of, corner, figure_4
from reproductions.claesen_ranks import figure_1
from reproductions.claesen_tables import tables_1_and_2
from reproductions.common import (
    BLUE,
    GREEN,
    GREY,
    RED,
    Run,
    asked,
    dataset,
    picture,
    plain_axes,
    table,
)  # fmt: skip

import puremetrics as pm

SEED = 15
RESAMPLES = 2000
LABELLED = (100, 200, 500, 1000, 2000, 5000, 10_000)  # positives, in Figure 2
TRUE_AUC = 0.8
FIGURE_2 = ("claesen-figure-2", "Bounds on AUC close in on the truth as positives are labelled")


def normal(rng: np.random.Generator, size: int, shift: float) -> np.ndarray:
    return rng.normal(shift, 1, size)


def shift_of(auc: float) -> float:
    return float(np.sqrt(2) * ndtri(auc))


def span(interval: pm.Interval) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}"


def unlabeled_rows(run: Run) -> int:
    """How many rows of Figure 2 are unlabeled."""
    return 5000 if run.quick else 100_000


@cache
def bounds_by_labels(run: Run) -> np.ndarray:
    """Bounds on AUC, of which the true share is 0.2; shape (numbers of labelled positives, repeats, sides)."""
    rng, shift = np.random.default_rng(run.seed), shift_of(TRUE_AUC)
    rest = unlabeled_rows(run)
    found = np.empty((len(LABELLED), 3 if run.quick else 200, 2))
    for i, size in enumerate(LABELLED):
        for j in range(found.shape[1]):
            unlabeled = [normal(rng, rest // 5, shift), normal(rng, rest - rest // 5, 0.0)]
            sample = pm.ScoreTable.from_groups(
                positive=normal(rng, size, shift),
                unlabeled=np.concatenate(unlabeled),
                scenario="case_control",
            )
            found[i, j] = tuple(pm.roc_auc_bounds(sample, prior=0.2, rank_limits="bootstrap"))
    return found


def widths_and_hits(found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How wide the bounds are, and whether they hold the truth."""
    low, high = found[..., 0], found[..., 1]
    return high - low, (low <= TRUE_AUC) & (high >= TRUE_AUC)


def opening(run: Run) -> list[str]:
    """What was found, and Figure 2."""
    width, holds = widths_and_hits(bounds_by_labels(run))
    most = areas_of(corner(PRINTED, "piled"), PAPER)[1]
    return [
        "As in the paper, bounds on AUC close in on the truth as positives are labelled: they are "
        f"{width[0].mean():.3f} wide with {LABELLED[0]} labelled positives and {width[-1].mean():.3f} with "
        f"{LABELLED[-1]:,}, and hold the truth in at least {100 * holds.mean(axis=1).min():.1f}% of the repeats. "
        "All figures and tables show the paper's pattern; of the few numbers that it prints one does not reproduce: the "
        f"{PAPER[0.1][0]}% of Figure 4, where the paper's formula allows at most {most:.1f}%.",
        "",
        *picture(*FIGURE_2),
    ]


def figure_2(run: Run) -> list[str]:
    """Bounds on AUC against the number of labelled positives; the figure stands at the top of the page."""
    found = bounds_by_labels(run)
    drawing, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
    for side, colour in ((0, BLUE), (1, RED)):
        low, middle, high = np.quantile(found[:, :, side], [0.025, 0.5, 0.975], axis=1)
        ax.plot(LABELLED, middle, color=colour, label=("lower", "upper")[side] + " bound")
        ax.fill_between(LABELLED, low, high, color=colour, alpha=0.2, lw=0)
    ax.axhline(TRUE_AUC, color=GREY, ls="--", lw=1, label="true AUC")
    plain_axes(ax, xscale="log", xlabel="labelled positives", ylabel="AUC")
    ax.legend(frameon=False)
    run.figure(drawing, *FIGURE_2)
    width, holds = widths_and_hits(found)
    repeats = found.shape[1]
    rows = [
        [size, f"{w.mean():.4f} ± {w.std() / np.sqrt(repeats):.4f}", f"{100 * h.mean():.1f}%"]
        for size, w, h in zip(LABELLED, width, holds, strict=True)
    ]
    return [
        "## Figure 2: bounds narrow with the number of labelled positives",
        "",
        f"Drawn at the top of this page. The paper's setting: {unlabeled_rows(run):,} unlabeled rows, share 0.2, bootstrap "
        f"band, {repeats} repeats (bands in the figure: 95% of them). The paper prints no numbers; as there, the bounds "
        "close in on the truth.",
        "",
        *table(["labelled positives", "mean width ± standard error", "bounds hold 0.8"], rows),
    ]


def figure_3(run: Run) -> list[str]:
    """ROC curves at wrong shares; 2,000 labelled, 100,000 unlabeled, share 0.3."""
    rng, shift = np.random.default_rng(run.seed), shift_of(0.8)
    hidden, negative = normal(rng, 30_000, shift), normal(rng, 70_000, 0.0)
    sample = pm.ScoreTable.from_groups(
        positive=normal(rng, 2000, shift),
        unlabeled=np.concatenate([hidden, negative]),
        scenario="case_control",
    )
    drawing, ax = plt.subplots(figsize=(4.2, 4), layout="constrained")
    rows = []
    for share, colour in ((0.0, GREY), (0.15, GREEN), (0.3, BLUE), (0.45, RED)):
        curve = pm.roc_curve(sample, prior=share, method="direct")
        label = f"share {share:g}" + (" (true)" if share == 0.3 else "")
        ax.plot(curve.x, curve.y, color=colour, label=label, lw=1.6)
        rows.append([f"{share:g}", float(curve.area)])
    plain_axes(ax, xlabel="false positive rate", ylabel="true positive rate",
               xlim=(-0.12, 1), ylim=(0, 1))  # fmt: skip
    ax.legend(frameon=False)
    return [
        "## Figure 3: a wrong share tilts the ROC curve",
        "",
        *run.figure(drawing, "claesen-figure-3", "ROC curves at four shares"),
        "Corrected paths as they come out (true AUC 0.8, true share 0.3): too small a share underestimates, too "
        "large a one overestimates, as the paper's Lemma 4 says, and then the curve leaves the unit square.",
        "",
        *table(["share assumed", "AUC"], rows),
    ]


def covtype(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Scores and truth of the test rows, and which of them are labelled (5% of the positives)."""
    rng = np.random.default_rng(run.seed)
    per_class = 20_000
    if run.quick:
        per_class = 1000
        y = np.arange(4 * per_class) % 2
        features = rng.normal(size=(y.size, 3)) + 0.7 * y[:, None]
    else:
        found = dataset("covtype", run)
        if found is None:
            return None
        features, y = found.X, np.asarray(found.y).astype(int)
    positive, negative = (rng.permutation(np.flatnonzero(y == v)) for v in (1, 0))
    test = np.concatenate([part[:per_class] for part in (positive, negative)])
    half = per_class // 2
    train = np.concatenate([part[per_class : per_class + half] for part in (positive, negative)])
    seen = (y[train] == 1) & (rng.random(train.size) < 0.2)
    model = HistGradientBoostingClassifier(max_iter=60, random_state=run.seed)
    model.fit(np.asarray(features[train], float), seen)
    score = model.predict_proba(np.asarray(features[test], float))[:, 1]
    known = np.zeros(test.size, dtype=int)
    known[rng.permutation(per_class)[: per_class // 20]] = 1
    return score, y[test], known


def resampled_band(run: Run, sample: pm.ScoreTable) -> np.ndarray:
    """The paper's band, drawn: pointwise 2.5 and 97.5% of resampled rank CDFs at every threshold."""
    n_pos = np.asarray(sample.cut().n_pos, float)
    total = n_pos.sum()
    rng = np.random.default_rng(run.seed)
    drawn = rng.multinomial(int(total), n_pos / total, size=RESAMPLES)
    return np.quantile(np.cumsum(drawn, axis=1) / total, [0.025, 0.975], axis=0)


def figure_5(run: Run) -> list[str]:
    """Rank CDF, ROC and PR bounds on covtype: 5% of 20,000 positives labelled."""
    data = covtype(run)
    lines = ["## Figure 5: covtype", ""]
    if data is None:
        return [*lines, "Left out: covtype could not be had.", ""]
    score, truth, known = data
    sample = pm.ScoreTable.from_arrays(known, score, scenario="single_training_set")
    share = float(np.sum(truth) - known.sum()) / sample.total_unl
    prior = sample.design.prior_of(sample.totals, share)
    wide = tuple(sample.design.prior_of(sample.totals, factor * share) for factor in (0.8, 1.2))
    drawing, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    bands = {
        kind: pm.rank_cdf_band(sample, prior=prior, rank_limits=kind)
        for kind in ("exact", "bootstrap")
    }
    cut = sample.cut()
    ranks = np.concatenate([[0], np.cumsum(cut.n_unl + cut.n_pos)]) / sample.total
    hidden = np.sort(score[(truth == 1) & (known == 0)])
    latent = 1 - np.searchsorted(hidden, bands["exact"].threshold, side="left") / hidden.size
    inside = {
        kind: float(np.mean((band.lower <= latent) & (latent <= band.upper)))
        for kind, band in bands.items()
    }
    drawn = resampled_band(run, sample)
    apart = max(
        float(np.abs(drawn[i] - side[1:]).max())
        for i, side in enumerate((bands["bootstrap"].lower, bands["bootstrap"].upper))
    )
    axes[0].fill_between(ranks, bands["bootstrap"].lower, bands["bootstrap"].upper, color=BLUE,
                         alpha=0.45, lw=0, label="CI from the labelled (paper)")  # fmt: skip
    for side in (bands["exact"].lower, bands["exact"].upper):
        label = "exact band (ours)" if side is bands["exact"].lower else None
        axes[0].plot(ranks, side, color=BLUE, lw=0.8, ls="--", label=label)
    axes[0].plot(ranks, latent, color="black", lw=1, label="latent positives")
    settings = {"known share": (prior, BLUE), "0.8 to 1.2 of it": (wide, RED)}
    for name, (given, colour) in settings.items():
        roc = pm.roc_bounds(sample, prior=given, rank_limits="bootstrap")
        pr = pm.pr_bounds(sample, prior=given, rank_limits="bootstrap")
        for ax, bounds in ((axes[1], roc), (axes[2], pr)):
            for curve in (bounds.lower, bounds.upper):
                label = name if curve is bounds.lower else None
                ax.plot(curve.x, curve.y, color=colour, lw=1.2, label=label)
    naive = sample.unlabeled_as_negative()
    fpr, tpr, _ = roc_curve(truth, score)
    precision, recall, _ = precision_recall_curve(truth, score)
    zero = {1: pm.roc_curve(naive, prior=None), 2: pm.pr_curve(naive, prior=None)}
    for place, (x, y) in {1: (fpr, tpr), 2: (recall, precision)}.items():
        axes[place].plot(x, y, color="black", lw=1, label="truth")
        axes[place].plot(zero[place].x, zero[place].y, color=GREY, ls="--", lw=1, label="share 0")
    names = (("rank (normalised)", "true positive rate", "rank CDF"),
             ("false positive rate", "true positive rate", "ROC"),
             ("recall", "precision", "precision-recall"))  # fmt: skip
    for ax, (x, y, title) in zip(axes, names, strict=True):
        plain_axes(ax, xlabel=x, ylabel=y, title=title, xlim=(0, 1), ylim=(0, 1.01))
        corner = {"loc": "lower left", "bbox_to_anchor": (0, 0.08)} if ax is axes[2] else {}
        ax.legend(frameon=False, fontsize=8, **({"loc": "lower right"} | corner))
    rows = []
    for title, bound, estimate, exact in (
        ("AUC", pm.roc_auc_bounds, pm.roc_auc, roc_auc_score(truth, score)),
        ("average precision", pm.average_precision_bounds, pm.average_precision,
         average_precision_score(truth, score)),
    ):  # fmt: skip
        cells = [
            span(bound(sample, prior=given, rank_limits=band))
            for band in ("bootstrap", "exact")
            for given in (prior, wide)
        ]
        rows.append([title, float(exact), float(estimate(naive, prior=None).value), *cells])
    where = "made rows" if run.quick else "covtype"
    return [
        *lines,
        *run.figure(drawing, "claesen-figure-5", "Rank CDF, ROC and PR bounds on covtype"),
        f"{truth.sum():,} positives ({known.sum():,} of them labelled, 5%) and {int((truth == 0).sum()):,} "
        f"negatives of {where}: share {share:.3f} among the unlabeled. Gradient boosting trained on other rows, "
        "20% of whose positives were labelled (the paper used an ensemble of SVMs, so its curves are not ours).",
        "",
        *table(
            ["", "truth", "share 0", "paper's band, known share", "paper's band, 0.8 to 1.2",
             "exact band, known share", "exact band, 0.8 to 1.2"],
            rows,
        ),
        f"The paper's band from {RESAMPLES:,} resamples and the binomial quantile that replaces it here differ by "
        f"at most {apart:.4f}. The latent positives' rank CDF lies within the paper's band at "
        f"{100 * inside['bootstrap']:.1f}% of the thresholds and within the exact one at "
        f"{100 * inside['exact']:.1f}% (the paper: within).",
        "",
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    run = asked("claesen", SEED, arguments)
    parts: dict[str, Callable[[Run], list[str]]] = {
        "Figure 1": figure_1,
        "Figure 2": figure_2,
        "Figure 3": figure_3,
        "Figure 4": figure_4,
        "Figure 5": figure_5,
        "Table": tables_1_and_2,
    }
    run.makes(*parts)
    lines = [
        line
        for title, part in parts.items()
        for line in run.section(title, lambda part=part: part(run))  # type: ignore[misc]
    ]
    title = "Claesen, Davis, De Smet, De Moor (2015), reproduced"
    run.write([*run.head(title, lambda: opening(run)), *lines])


if __name__ == "__main__":
    main()
