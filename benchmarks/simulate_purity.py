"""Coverage with noisy labels: purity known, known as a range, or estimated together with the prior.

Run: python benchmarks/simulate_purity.py docs/evidence [repeats]. Writes docs/evidence/purity.md and docs/evidence/purity.png.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr, ndtri
from sharpness import lambda95, need_of

import puremetrics as pm

STATISTICS = ("ROC AUC", "recall", "precision", "prior", "purity")
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
            "purity": self.purity,
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
    World("case_control", 0.9, 0.1, 1.0, 3000, 10000),
    World("case_control", 0.8, 0.3, 0.65, 1000, 10000),
    World("case_control", 0.983, 0.3, 0.7, 1000, 10000),
    World("single_training_set", 0.9, 0.3, 0.9, 1500, 8000),
    World("single_training_set", 0.85, 0.15, 0.8, 200, 5000),
    World("single_training_set", 0.983, 0.3, 0.8, 500, 5000),
]
KNOWN = ("purity known", "a range of the purity", "prior and purity estimated")


def shots(world: World, rng: np.random.Generator) -> dict[str, dict[str, tuple[bool, float]]]:
    """Which intervals hold the truth in one sample, and how much of its length each needs."""
    table, truth = world.table(rng), world.truth()
    given: dict[str, dict[str, Any]] = {
        KNOWN[0]: {"prior": world.prior, "purity": world.purity},
        KNOWN[1]: {
            "prior": world.prior,
            "purity": (world.purity - 0.05, min(world.purity + 0.05, 1.0)),
        },
        KNOWN[2]: {"prior": pm.estimate_prior(table, method="combined_n")},
    }
    held = {}
    for name, known in given.items():
        at = {"threshold": world.threshold, **known}
        found = {
            "ROC AUC": pm.roc_auc(table, **known),
            "recall": pm.metric(table, "recall", **at),
            "precision": pm.metric(table, "precision", **at),
        }
        intervals = {key: (one.value, one.interval) for key, one in found.items()}
        if isinstance(known["prior"], pm.PriorEstimate):
            intervals["prior"] = known["prior"].prior, known["prior"].interval
            intervals["purity"] = known["prior"].purity, known["prior"].purity_interval
        held[name] = {
            key: (truth[key] in interval, need_of(truth[key], value, interval))
            for key, (value, interval) in intervals.items()
        }
    return held


Key = tuple[int, str, str]  # world, what is known, and statistic
Coverage = dict[Key, float]


def of_world(task: tuple[int, int]) -> tuple[Coverage, Coverage]:
    """Share of samples whose intervals hold the truth in one world, and λ95."""
    number, repeats = task
    found: dict[Key, list[tuple[bool, float]]] = {}
    for repeat in range(repeats):
        for name, held in shots(WORLDS[number], np.random.default_rng([number, repeat])).items():
            for key, hit in held.items():
                found.setdefault((number, name, key), []).append(hit)
    held = {key: float(np.mean([hit for hit, _ in hits])) for key, hits in found.items()}
    return held, {key: lambda95([need for _, need in hits]) for key, hits in found.items()}


def sentence(coverage: Coverage) -> str:
    """What the picture says."""
    known = [share for (_, name, _), share in coverage.items() if name != KNOWN[2]]
    least = {key: min(coverage[i, KNOWN[2], key] for i in range(len(WORLDS))) for key in STATISTICS}
    worst = min(least, key=lambda key: least[key])
    return (
        f"With a known purity of the labels, or a range that holds it, 95% intervals held the truth in at least "
        f"{min(known):.2f} of the samples. With prior and purity both estimated they held it in at least "
        f"{least[worst]:.2f} (the {worst}), those of ROC AUC in at least {least['ROC AUC']:.3f}."
    )


def page(coverage: Coverage, needed: Coverage, repeats: int) -> list[str]:
    """The page: a sentence, the picture, the tables."""

    def told(numbers: Coverage, digits: int) -> list[list[Any]]:
        return [
            [world, name]
            + [
                f"{numbers[number, name, key]:.{digits}f}"
                if (number, name, key) in numbers
                else "–"
                for key in STATISTICS
            ]
            for number, world in enumerate(WORLDS)
            for name in KNOWN
        ]

    return [
        *evidence.opening(
            "Noisy labels",
            sentence(coverage),
            "purity.png",
            "Coverage of 95% intervals with noisy labels",
            f"Two normal classes, {len(WORLDS)} settings, {repeats} samples each; recall and precision at a threshold fixed "
            "beforehand. The range of the purity is the true one ± 0.05. Where both are estimated, intervals allow for rows "
            "of either class that look like the other, as many as the classes overlap.",
            f"python benchmarks/simulate_purity.py docs/evidence {repeats}",
        ),
        "## By setting",
        "",
        *evidence.table(("setting", "what is known", *STATISTICS), told(coverage, 3)),
        "## How much of its length an interval needs",
        "",
        "[λ95](sharpness.md) in the same samples.",
        "",
        *evidence.table(("setting", "what is known", *STATISTICS), told(needed, 2)),
    ]


def draw(coverage: Coverage, target: Path) -> None:
    """Coverage of each statistic by what is known; a mark for each setting."""
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    colours = dict(zip(KNOWN, (evidence.BLUE, evidence.GREEN, evidence.ORANGE), strict=True))
    rows = {
        key: {
            name: [share for (_, n, k), share in coverage.items() if (n, k) == (name, key)]
            for name in KNOWN
        }
        for key in STATISTICS
    }
    evidence.strips(ax, rows, colours, size=13)
    evidence.plain(ax, xlabel=f"{evidence.HELD}, one dot a setting")
    ax.set_xlim(right=1.01)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9.5)
    evidence.save(figure, target)


def main(folder: Path, repeats: int = REPEATS) -> None:
    coverage: Coverage = {}
    needed: Coverage = {}
    for held, need in evidence.each(of_world, [(number, repeats) for number in range(len(WORLDS))]):
        coverage |= held
        needed |= need
    draw(coverage, folder / "purity.png")
    (folder / "purity.md").write_text("\n".join(page(coverage, needed, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(x) for x in sys.argv[2:3]))
