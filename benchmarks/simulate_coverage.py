"""Measured coverage of every interval of the correction; writes docs/evidence/coverage.md and its plot.

Run: python benchmarks/simulate_coverage.py docs/evidence [--samples N]. Scores of negatives are N(0, 1), those of
positives N(μ, 1); with ties both are cut into ten levels. Truth is computed, not simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import evidence
import matplotlib.pyplot as plt
import numpy as np
import runs
from sharpness import Shot, sharpness
from worlds import World

import puremetrics as pm

SAMPLES, SEED = 2000, 20
STATISTICS = {
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


@dataclass(frozen=True)
class Setting(World):
    """A world whose intervals of the correction are tried."""

    def coverage(self, repeats: int, seed: int) -> dict[str, tuple[float, float]]:
        """Share of samples whose 95% interval holds the truth, and λ95."""
        truth = self.truth()
        shots: dict[str, list[Shot]] = {name: [] for name in truth}
        rng = np.random.default_rng(seed)
        known = {"prior": self.prior, "purity": self.purity}
        for _ in range(repeats):
            table = self.table(rng)
            for name, value in truth.items():
                if name == "roc_auc":
                    estimate = pm.roc_auc(table, **known)
                elif name == "average_precision":
                    estimate = pm.average_precision(table, **known)
                else:
                    estimate = pm.metric(table, name, threshold=self.threshold(), **known)
                shots[name].append(Shot(value, float(estimate), estimate.low, estimate.high))
        return {name: sharpness(found)[:2] for name, found in shots.items()}


def grid() -> list[Setting]:
    settings = []
    for auc, prior, size in product(
        (0.6, 0.76, 0.9, 0.98), (0.05, 0.2, 0.5), ((30, 300), (30, 5000), (100, 1000), (500, 500))
    ):
        settings.append(Setting("case_control", auc, prior, *size))
    for auc, prior, size in product((0.76, 0.9, 0.98), (0.2, 0.5), ((30, 300), (100, 1000))):
        settings.append(Setting("single_training_set", auc, prior, *size))
        settings.append(Setting("case_control", auc, prior, *size, levels=10))
        settings.append(Setting("case_control", auc, prior, *size, purity=0.9))
        settings.append(Setting("single_training_set", auc, prior, *size, purity=0.9))
    return settings


def measured(setting: Setting, samples: int) -> list[tuple[float, float]]:
    """Share and λ95 in one setting, in the order of the statistics."""
    found = setting.coverage(samples, runs.seed_of(setting, SEED))
    return [found[name] for name in STATISTICS]


def sentence(shares: np.ndarray) -> str:
    """What was found; one row for each setting, one column for each statistic."""
    names, medians = list(STATISTICS.values()), np.median(shares, axis=0)
    return (
        f"Over {len(shares)} settings, nominal 95% intervals of {', '.join(names[:-1])} and {names[-1]} hold the "
        f"truth in {runs.span(shares.ravel())} of the samples, with a median of {np.median(shares):.3f}. The most "
        f"cautious are those of {names[medians.argmax()]}, with a median of {medians.max():.3f}."
    )


def draw(shares: np.ndarray, samples: int, target: Path) -> None:
    """One dot for each setting and statistic, and the line where they should be."""
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    error = 2 * runs.standard_error(samples)
    ax.axvspan(0.95 - error, 0.95 + error, color=evidence.GREY, alpha=0.2, lw=0)
    ax.axvline(0.95, color="black", lw=1)
    aside = np.random.default_rng(0).uniform(-0.26, 0.26, len(shares))
    for row, column in enumerate(shares.T):
        ax.scatter(column, row + aside, s=11, color=evidence.BLUE, alpha=0.55, lw=0)
        lowest, height = column.min(), row + aside[column.argmin()]
        ax.text(lowest - 0.001, height, f"{lowest:.3f}", ha="right", va="center", size=9)
    ax.annotate("0.95 ± two standard errors", (0.95, 1.02), xycoords=("data", "axes fraction"),
                ha="center", size=9)  # fmt: skip
    ax.set_yticks(range(len(STATISTICS)), STATISTICS.values())
    evidence.plain(
        ax,
        xlim=(shares.min() - 0.008, 1.001),
        ylim=(len(STATISTICS) - 0.5, -0.5),
        xlabel="share of samples whose interval holds the truth; one dot for each setting",
    )
    evidence.save(figure, target)


def summary(settings: list[Setting], shares: np.ndarray, needed: np.ndarray) -> list[str]:
    """A table of the statistics, with the setting in which each is lowest, and how much of its length it needs."""
    rows = [
        (name, float(column.min()), in_words(settings[column.argmin()]), float(np.median(column)),
         float(column.max()), float(np.median(own)))
        for name, column, own in zip(STATISTICS.values(), shares.T, needed.T, strict=True)
    ]  # fmt: skip
    head = ["interval of", "lowest", "where", "median", "highest", "median [λ95](sharpness.md)"]
    return evidence.table(head, rows)


def in_words(setting: Setting) -> str:
    """A setting as readers call it."""
    return str(setting).replace(setting.scenario, runs.SCENARIOS[setting.scenario])


def everything(settings: list[Setting], shares: np.ndarray) -> list[str]:
    """A table of all settings."""
    head = ["scenario", "AUC", "prior", "rows", "purity", "ties", *STATISTICS.values()]
    rows = [
        (runs.SCENARIOS[s.scenario], f"{s.auc:g}", f"{s.prior:g}", f"{s.labelled} + {s.unlabeled}",
         f"{s.purity:g}", "yes" if s.levels else "no", *map(float, found))
        for s, found in zip(settings, shares, strict=True)
    ]  # fmt: skip
    return evidence.table(head, rows, f"The shares in all {len(rows)} settings")


def main(run: runs.Run) -> None:
    settings = grid()
    both = np.array(runs.in_parallel(measured, settings, samples=run.samples))
    shares, needed = both[..., 0], both[..., 1]
    draw(shares, run.samples, run.picture)
    how = (
        f"There are {run.samples} samples of each setting, so a share of 0.95 has a standard error of "
        f"{runs.standard_error(run.samples):.3f}; two of them on either side are grey in the plot. Negatives score "
        "N(0, 1), positives N(μ, 1); with ties, scores are cut into ten levels. Precision, recall and F1 are taken at "
        "the threshold μ/2 + 0.5. Rows are labelled + unlabeled."
    )
    run.write(
        [
            *evidence.opening(
                "Measured coverage", sentence(shares), run.picture.name,
                "Share of samples whose interval holds the truth, for each statistic and setting",
                how, run.command,
            ),
            "## By statistic", "", *summary(settings, shares, needed),
            "## All settings", "", *everything(settings, shares),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(runs.asked("coverage", SAMPLES))
