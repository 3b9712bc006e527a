"""Coverage of the bounds with known truth; writes docs/evidence/bounds.md and its plot.

Run: python benchmarks/simulate_bounds.py docs/evidence [--samples N]. In each sample the truth is that of the rows at
hand: the true positive rate of the latent positives and the false positive rate of the negatives at
three fixed thresholds, and the area under the ROC curve of all rows. `biased_bounds` adds labels that are not
given at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import evidence
import matplotlib.pyplot as plt
import numpy as np
import runs
from biased_bounds import section
from scipy.special import ndtri

import puremetrics as pm
from puremetrics.bounds.latent_limits import LatentLimits

SAMPLES, SEED = 1000, 5
HEADS = (0.02, 0.5, 0.98)  # true positive rates of the three thresholds
BANDS = {"exact": evidence.BLUE, "bootstrap": evidence.ORANGE}
Shares = list[dict[str, float]]  # one for each setting


@dataclass(frozen=True)
class Setting:
    """So many labelled and latent positives and negatives, μ apart; ties: scores rounded to halves."""

    labelled: int
    latent: int
    negatives: int
    shift: float
    ties: bool = False

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        groups = (
            rng.normal(self.shift, 1, self.labelled),
            rng.normal(self.shift, 1, self.latent),
            rng.normal(0, 1, self.negatives),
        )
        if not self.ties:
            return groups
        return tuple(np.round(2 * np.clip(g, -2, self.shift + 2)) / 2 for g in groups)

    def thresholds(self) -> list[float]:
        cuts = [self.shift - float(ndtri(share)) for share in HEADS]
        return [float(np.round(2 * cut) / 2) for cut in cuts] if self.ties else cuts

    def coverage(self, repeats: int, seed: int) -> dict[str, float]:
        """Share of samples that the exact and the paper's bounds hold in, the lowest of the heads."""
        rng = np.random.default_rng(seed)
        hits = {name: np.zeros(len(HEADS)) for name in BANDS}
        areas = dict.fromkeys(BANDS, 0)
        prior = self.latent / (self.latent + self.negatives)
        for _ in range(repeats):
            known, hidden, negative = self.draw(rng)
            inside = [int((hidden >= t).sum()) for t in self.thresholds()]
            heads = np.array([int((known >= t).sum()) for t in self.thresholds()])
            table = pm.ScoreTable.from_groups(
                positive=known,
                unlabeled=np.concatenate([hidden, negative]),
                scenario="case_control",
            )
            truth = pm.roc_auc(
                pm.ScoreTable.from_groups(
                    positive=hidden, unlabeled=None, negative=negative, scenario="case_control"
                ),
                prior=None,
            ).value
            for band in hits:
                low, high = LatentLimits(self.labelled, band, 0.95)(heads, self.latent)
                # FPR = (h_U − x) / negatives: it is covered if and only if x, hence TPR, is.
                hits[band] += (low <= inside) & (inside <= high)
                areas[band] += truth in pm.roc_auc_bounds(
                    table, prior=prior, rank_limits=band, prior_of="rows"
                )
        result = {f"rates, {band}": float(hits[band].min()) / repeats for band in hits}
        return result | {f"AUC, {band}": areas[band] / repeats for band in areas}


GRID = [
    Setting(1000, 50, 1000, 1.0),
    Setting(1000, 200, 1000, 1.0),
    Setting(1000, 1000, 1000, 1.0),
    Setting(1000, 10_000, 10_000, 1.0),
    Setting(50, 50, 500, 1.0),
    Setting(50, 500, 500, 1.0),
    Setting(50, 5000, 5000, 1.0),
    Setting(200, 50, 2000, 2.5),
    Setting(200, 200, 200, 2.5),
    Setting(200, 2000, 20_000, 0.3),
    Setting(1000, 50, 1000, 1.0, ties=True),
    Setting(50, 500, 500, 1.0, ties=True),
    Setting(200, 1000, 5000, 2.5, ties=True),
]


def measured(setting: Setting, samples: int) -> dict[str, float]:
    """The shares of one setting."""
    return setting.coverage(samples, runs.seed_of(setting, SEED))


def sentence(found: Shares) -> str:
    """What was found."""
    lowest = {name: min(one[name] for one in found) for name in found[0]}
    return (
        f"In all {len(found)} settings, nominal 95% bounds with the exact band hold the true and false positive rates "
        f"in {runs.span(one['rates, exact'] for one in found)} of the samples, and the ROC AUC in at least "
        f"{lowest['AUC, exact']:.3f}. The bootstrap band of Claesen et al. (2015) falls to "
        f"{lowest['rates, bootstrap']:.3f} for the rates and {lowest['AUC, bootstrap']:.3f} for the AUC."
    )


def draw(found: Shares, target: Path) -> None:
    """Both bands in each setting, for the rates and for the AUC."""
    figure, axes = plt.subplots(
        1, 2, figsize=(7, 4.2), layout="constrained", sharex=True, sharey=True
    )
    for ax, name in zip(axes, ("rates", "AUC"), strict=True):
        pairs = {band: [one[f"{name}, {band}"] for one in found] for band in BANDS}
        ax.hlines(range(len(GRID)), *pairs.values(), color=evidence.GREY, lw=1, alpha=0.6)
        ax.axvline(0.95, color="black", lw=1, zorder=1)
        for band, size in (("bootstrap", 7), ("exact", 5)):  # seen where both are the same
            ax.plot(pairs[band], range(len(GRID)), "o", ms=size, color=BANDS[band])
        ax.set_title({"rates": "true and false positive rates", "AUC": "ROC AUC"}[name], size=11)
        evidence.plain(ax)
    labels = [f"{s.labelled} / {s.latent}{', ties' if s.ties else ''}" for s in GRID]
    axes[0].set_yticks(range(len(GRID)), labels, size=9)
    axes[0].set(ylabel="labelled / latent positives", xlim=(None, 1.02))
    axes[0].invert_yaxis()
    figure.supxlabel("share of samples in which the bounds hold; nominal 0.95", size=10)
    handles = [plt.Line2D([], [], marker="o", ls="", color=c) for c in BANDS.values()]
    names = "exact band", "the paper's bootstrap band"
    figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False)
    evidence.save(figure, target)


def table(found: Shares) -> list[str]:
    """Both bands in each setting."""
    head = ["labelled", "latent", "negatives", "μ", "ties", *found[0]]
    rows = [
        (
            s.labelled,
            s.latent,
            s.negatives,
            f"{s.shift:g}",
            "yes" if s.ties else "no",
            *one.values(),
        )
        for s, one in zip(GRID, found, strict=True)
    ]
    return evidence.table(head, rows)


def main(run: runs.Run) -> None:
    found = runs.in_parallel(measured, GRID, samples=run.samples)
    draw(found, run.picture)
    how = (
        f"There are {run.samples} samples of each setting, so a share of 0.95 has a standard error of "
        f"{runs.standard_error(run.samples):.3f}. Negatives score N(0, 1), positives N(μ, 1); with ties, scores are "
        "rounded to halves. Latent positives are the unlabeled ones. The share of the rates is the lowest over heads "
        f"with {', '.join(f'{100 * h:g}%' for h in HEADS)} of the positives."
    )
    run.write(
        [
            *evidence.opening(
                "Coverage of the bounds", sentence(found), run.picture.name,
                "Share of samples in which the bounds hold, with the exact and with the bootstrap band",
                how, run.command,
            ),
            "## Labels given at random", "", *table(found),
            *section(run.samples),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(runs.asked("bounds", SAMPLES))
