"""Coverage with noisy labels: purity known, known as a range, or estimated together with the prior.

Run: python benchmarks/simulate_purity.py docs/evidence [repeats]. Writes docs/evidence/purity.md and docs/evidence/purity.png.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import puremetrics as pm

STATISTICS = ("ROC AUC", "recall", "precision", "prior")
REPEATS = 300


@dataclass(frozen=True)
class World:
    """Two normal classes; a share of the labelled positives is wrong."""

    scenario: str
    area: float
    prior: float
    purity: float
    labelled: int
    unlabeled: int

    @property
    def apart(self) -> float:
        return float(np.sqrt(2) * ndtri(self.area))

    @property
    def threshold(self) -> float:
        return self.apart / 2 + 0.5

    def truth(self) -> dict[str, float]:
        recall = float(ndtr(self.apart - self.threshold))
        found = self.prior * recall
        flagged = found + (1 - self.prior) * float(ndtr(-self.threshold))
        return {
            "ROC AUC": self.area,
            "recall": recall,
            "precision": found / flagged,
            "prior": self.prior,
        }

    def table(self, rng: np.random.Generator) -> pm.ScoreTable:
        right = rng.binomial(self.labelled, self.purity)
        if self.scenario == "case_control":
            hidden = rng.binomial(self.unlabeled, self.prior)
        else:
            rows = self.labelled + self.unlabeled
            share = (self.prior * rows - self.purity * self.labelled) / self.unlabeled
            hidden = rng.binomial(self.unlabeled, share)
        parts = []
        for positive, size in ((right, self.labelled), (hidden, self.unlabeled)):
            classes = np.arange(size) < positive
            parts.append(rng.normal(size=size) + self.apart * classes)
        return pm.ScoreTable.from_groups(
            positive=parts[0], unlabeled=parts[1], scenario=self.scenario
        )

    def __str__(self) -> str:
        words = self.scenario.replace("_", " ")
        return (
            f"{words}, AUC {self.area:g}, prior {self.prior:g}, purity {self.purity:g}, "
            f"{self.labelled} + {self.unlabeled} rows"
        )


WORLDS = [
    World("case_control", 0.9, 0.1, 0.8, 3000, 10000),
    World("case_control", 0.983, 0.3, 0.7, 1000, 10000),
    World("single_training_set", 0.9, 0.3, 0.9, 1500, 8000),
    World("single_training_set", 0.983, 0.3, 0.8, 500, 5000),
]
KNOWN = ("purity known", "a range of the purity", "prior and purity estimated")


def shots(world: World, rng: np.random.Generator) -> dict[str, dict[str, bool]]:
    """Which intervals hold the truth in one sample."""
    table, truth = world.table(rng), world.truth()
    given: dict[str, dict[str, Any]] = {
        KNOWN[0]: {"prior": world.prior, "purity": world.purity},
        KNOWN[1]: {"prior": world.prior, "purity": (world.purity - 0.05, world.purity + 0.05)},
        KNOWN[2]: {"prior": pm.estimate_prior(table, method="combined_n")},
    }
    held = {}
    for name, known in given.items():
        at = {"threshold": world.threshold, **known}
        intervals = {
            "ROC AUC": pm.roc_auc(table, **known).interval,
            "recall": pm.metric(table, "recall", **at).interval,
            "precision": pm.metric(table, "precision", **at).interval,
        }
        if isinstance(known["prior"], pm.PriorEstimate):
            intervals["prior"] = known["prior"].interval
        held[name] = {key: truth[key] in interval for key, interval in intervals.items()}
    return held


def main(folder: Path, repeats: int) -> None:
    found: dict[tuple[int, str, str], list[bool]] = {}
    for number, world in enumerate(WORLDS):
        for repeat in range(repeats):
            for name, held in shots(world, np.random.default_rng([number, repeat])).items():
                for key, hit in held.items():
                    found.setdefault((number, name, key), []).append(hit)
    coverage = {key: float(np.mean(hits)) for key, hits in found.items()}
    _draw(coverage, folder / "purity.png")
    joint = [coverage[i, KNOWN[2], k] for i in range(len(WORLDS)) for k in STATISTICS[:2]]
    known = [v for (_, name, _), v in coverage.items() if name != KNOWN[2]]
    worst = min(coverage[i, KNOWN[2], "precision"] for i in range(len(WORLDS)))
    prior = min(coverage[i, KNOWN[2], "prior"] for i in range(len(WORLDS)))
    lines = [
        "# Noisy labels",
        "",
        "![Coverage of 95 % intervals with noisy labels](purity.png)",
        "",
        f"*With prior and purity estimated together, intervals of ROC AUC and recall held the truth in at least {min(joint):.2f} of the "
        f"samples; with a known purity, or a range that holds it, all intervals in at least {min(known):.2f}. Precision follows the "
        f"prior, whose own interval held in only {prior:.2f} of the samples where classes overlap most; precision in {worst:.2f}.*",
        "",
        f"Two normal classes, {repeats} samples a setting; recall and precision at a threshold fixed beforehand. The range of the purity is the "
        "true one ± 0.05. Where an estimate of the prior misses, classes overlap and the estimate is an upper bound: audit some rows.",
        "",
        f"| setting | what is known | {' | '.join(STATISTICS)} |",
        f"|---|---|{'---|' * len(STATISTICS)}",
    ]
    for number, world in enumerate(WORLDS):
        for name in KNOWN:
            cells = [coverage.get((number, name, key)) for key in STATISTICS]
            shown = " | ".join("–" if cell is None else f"{cell:.3f}" for cell in cells)
            lines.append(f"| {world} | {name} | {shown} |")
    lines += ["", "Made by `python benchmarks/simulate_purity.py docs/evidence`.", ""]
    (folder / "purity.md").write_text("\n".join(lines), encoding="utf-8")


def _draw(coverage: dict[tuple[int, str, str], float], target: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    axes = figure.subplots(1, len(KNOWN), sharey=True)
    marks = {"ROC AUC": "o", "recall": "s", "precision": "^", "prior": "D"}
    for ax, name in zip(axes, KNOWN, strict=True):
        for key, mark in marks.items():
            at = [
                (n, v)
                for (n, known, k), v in sorted(coverage.items())
                if known == name and k == key
            ]
            if at:
                ax.plot(*zip(*at, strict=True), mark, label=key, markersize=6, alpha=0.85)
        ax.axhline(0.95, color="black", linewidth=0.8, linestyle="--")
        ax.set_title(name, fontsize=10)
        ax.set_xticks(range(len(WORLDS)), [f"{w.scenario.split('_')[0]}\nAUC {w.area:g}" for w in WORLDS],
                      fontsize=7)  # fmt: skip
        ax.set_ylim(0.5, 1.01)
    axes[0].set_ylabel("share of samples that hold the truth")
    axes[-1].legend(fontsize=8, loc="lower right")
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS)
