"""Coverage and width with audits: planned and random draws, labels at random and strongly biased.

Run: python benchmarks/simulate_audits.py docs/evidence [repeats]. Writes docs/evidence/audit_coverage.md and its picture.

Two normal classes with an AUC of 0.92. A positive's odds of being labelled (its chance in case-control) rise or fall
with its score, exp(slope · score), or do not. Audits are planned for F1 at a threshold, from a guess of the prior that
is off by 20%, or drawn at random. The truth is that of the population.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, ndtr
from sharpness import Shot, sharpness

import puremetrics as pm
from puremetrics.planning import plan as planning

planning._BUDGETS = ()  # what other budgets would give takes half of the time and is not used here
REPEATS = 100
APART, ROWS = 2.0, 10_000
THRESHOLDS = {0.01: 2.2, 0.05: 1.7, 0.2: 1.2, 0.4: 0.9}
LABELS = {0.01: 40, 0.05: 150, 0.2: 300, 0.4: 500}
METRICS = ("precision", "recall", "f1")
COLUMNS = (*METRICS, "roc_auc", "average_precision", "prior")
SCENARIOS = ("case_control", "single_training_set")
KINDS = {0.0: "random", 2.0: "high scores", -2.0: "low scores"}  # which positives labels favour
BUDGETS = (50, 200, 500)


@dataclass(frozen=True)
class World:
    """A scenario, a prior, how labels depend on the score, rows to check, and how they are drawn."""

    scenario: str
    prior: float
    slope: float
    budget: int
    design: str

    @property
    def threshold(self) -> float:
        return THRESHOLDS[self.prior]

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labels, scores and the truth."""
        truth = rng.random(ROWS) < self.prior
        score = rng.normal(size=ROWS) + APART * truth
        wanted = LABELS[self.prior]
        if self.scenario == "single_training_set":
            chance = _scaled(self.slope * (score - APART), truth, wanted / truth.sum())
            return (truth & (rng.random(ROWS) < chance)).astype(int), score, truth
        some = rng.normal(size=100 * wanted) + APART
        kept = some[rng.random(some.size) < expit(self.slope * (some - APART) - 1)][:wanted]
        labels = np.r_[np.ones(kept.size, int), np.zeros(ROWS, int)]
        return labels, np.r_[kept, score], np.r_[np.ones(kept.size, bool), truth]

    def truths(self) -> dict[str, float]:
        """What the population has."""
        recall, flagged = ndtr(APART - self.threshold), ndtr(-self.threshold)
        hits = self.prior * recall
        precision = hits / (hits + (1 - self.prior) * flagged)
        cuts = np.linspace(-8, 12, 400_001)[::-1]
        found, others = ndtr(APART - cuts), ndtr(-cuts)
        at = self.prior * found / (self.prior * found + (1 - self.prior) * others)
        return {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
            "roc_auc": float(ndtr(APART / np.sqrt(2))),
            "average_precision": float(np.sum(np.diff(found) * (at[1:] + at[:-1]) / 2)),
            "prior": self.prior,
        }


def _scaled(logits: np.ndarray, truth: np.ndarray, share: float) -> np.ndarray:
    """Chances with these logits, up to a constant that makes their mean over the positives right."""
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        below = expit(logits[truth] + middle).mean() < min(share, 0.9)
        low, high = (middle, high) if below else (low, middle)
    return np.asarray(expit(logits + low))


def estimates(world: World, rng: np.random.Generator) -> dict[str, Any]:
    """All statistics of one sample."""
    labels, score, truth = world.draw(rng)
    table = pm.ScoreTable.from_arrays(labels, score, scenario=world.scenario)
    if world.design == "random":
        rows = rng.choice(np.flatnonzero(labels == 0), world.budget, replace=False)
        audit = pm.Audit.from_arrays(score[rows], truth[rows])
    else:
        guess = world.prior * np.exp(rng.normal() / 5)
        if world.scenario == "single_training_set":
            guess = max(guess, 1.02 * labels.mean())
        plan = pm.plan_audit(
            table, budget=world.budget, target=world.design, threshold=world.threshold, prior=guess
        )
        rows = plan.draw(labels, score, rng=rng)
        audit = plan.audit(rows, truth[rows])
    found: dict[str, Any] = {
        name: pm.metric(table, name, threshold=world.threshold, audit=audit) for name in METRICS
    }
    found["roc_auc"] = pm.roc_auc(table, audit=audit)
    found["average_precision"] = pm.average_precision(table, audit=audit)
    found["prior"] = pm.prior_from_audit(audit, table=table)
    return found


def _of_world(task: tuple[int, World, int]) -> dict[str, tuple[float, float, float, float]]:
    number, world, repeats = task
    rng, truths = np.random.default_rng([18, number]), world.truths()
    runs: dict[str, list[Shot]] = {name: [] for name in COLUMNS}
    for _ in range(repeats):
        for name, estimate in estimates(world, rng).items():
            ends = estimate.interval or pm.Interval(0.0, 1.0, 0.95, "confidence", "none")
            value = float(np.nan_to_num(float(estimate), nan=0.5))  # no positive was found
            runs[name].append(Shot(truths[name], value, ends.low, ends.high))
    return {name: _row_of(shots) for name, shots in runs.items()}


def _row_of(shots: list[Shot]) -> tuple[float, float, float, float]:
    found = sharpness(shots)
    error = float(np.mean([shot.value - shot.truth for shot in shots]))
    return found.coverage, found.width, error, found.lambda95


def worlds() -> list[World]:
    """All settings."""
    grid = product(SCENARIOS, THRESHOLDS, KINDS, BUDGETS, ("f1", "random"))
    extra = product(SCENARIOS, (0.01, 0.05), (0.0,), (200,), ("precision", "recall"))
    return [World(*world) for world in [*grid, *extra]]


Results = list[tuple[World, Any]]  # coverage, mean width, mean error and λ95 by statistic


def planned(results: Results) -> list[list[Any]]:
    """Mean widths with 200 rows: planned for a statistic, at random, and their ratio."""
    at = {(w.scenario, w.prior, w.slope, w.budget, w.design): found for w, found in results}
    rows = []
    for scenario, prior, name in product(SCENARIOS, (0.01, 0.05), ("precision", "recall")):
        own, other = (at[scenario, prior, 0.0, 200, way][name][1] for way in (name, "random"))
        rows.append([evidence.words(scenario), f"{prior:g}", name, own, other, own / other])
    return rows


def sentence(results: Results, repeats: int) -> str:
    """What the picture says."""
    every = {
        kind: np.array([[f[n][0] for n in COLUMNS] for w, f in results if bool(w.slope) == kind])
        for kind in (False, True)
    }
    error = np.sqrt(0.93 * 0.07 / repeats)
    low = sum(int(np.count_nonzero(shares < 0.93 - 2 * error)) for shares in every.values())
    count = sum(shares.size for shares in every.values())
    ratios = [row[-1] for row in planned(results) if row[2] == "precision"]
    return (
        f"95% intervals from an audit held the truth in {every[False].mean():.3f} of the samples with labels at random and "
        f"in {every[True].mean():.3f} with strongly biased ones; {low} of {count} shares are below 0.93 by more than two "
        f"standard errors ({error:.3f}). Where positives are rare, an interval of the precision from 200 rows that were "
        f"planned for it is {min(ratios):.2f} to {max(ratios):.2f} times as wide as one from 200 rows drawn at random."
    )


def page(results: Results, repeats: int) -> list[str]:
    """The page: a sentence, the picture, tables."""
    every = np.array([[found[name][0] for name in COLUMNS] for _, found in results])
    words = [evidence.words(name) for name in COLUMNS]
    needed = np.array([[found[name][3] for name in COLUMNS] for _, found in results])
    told = zip(words, every.mean(axis=0), every.min(axis=0), np.median(needed, axis=0), strict=True)
    lines = [
        *evidence.opening(
            "Coverage with audits",
            sentence(results, repeats),
            "audit_coverage.png",
            "Coverage by statistic, rows checked and how labels were given, one dot for each setting",
            f"{len(results)} settings, {repeats} samples each: two normal classes, AUC 0.92, 10,000 rows; 50, 200 or 500 of them "
            "checked, planned for one statistic or drawn at random. A positive's odds of being labelled (its chance in "
            "case-control) are the same for all, or rise or fall with its score.",
            f"python benchmarks/simulate_audits.py docs/evidence {repeats}",
        ),
        "## By statistic",
        "",
        *evidence.table(
            ("statistic", "mean coverage", "lowest", "median [λ95](sharpness.md)"), told
        ),
        "## Planned against random: mean width with 200 rows",
        "",
        *evidence.table(
            ("scenario", "prior", "statistic", "planned for it", "at random", "ratio"),
            [[*row[:5], f"{row[5]:.2f}"] for row in planned(results)],
        ),
        "## Every setting: coverage (mean width)",
        "",
    ]
    for scenario in SCENARIOS:
        rows = [_row(world, found) for world, found in results if world.scenario == scenario]
        head = ("prior", "labels", "rows", "drawn", *words)
        lines += evidence.table(head, rows, evidence.words(scenario).capitalize())
    return lines


def _row(world: World, found: Any) -> list[str]:
    drawn = "at random" if world.design == "random" else f"for {evidence.words(world.design)}"
    cells = (f"{found[name][0]:.3f} ({found[name][1]:.3f})" for name in COLUMNS)
    return [f"{world.prior:g}", KINDS[world.slope], str(world.budget), drawn, *cells]


def draw(results: Results, path: Path) -> None:
    """The coverage of every setting, by statistic and by how labels were given."""
    shades = (evidence.GREY, evidence.BLUE, evidence.ORANGE)
    colours = {f"{n} rows checked": shade for n, shade in zip(BUDGETS, shades, strict=True)}
    figure, axes = plt.subplots(
        1, 3, figsize=(7, 3.8), sharey=True, sharex=True, layout="constrained"
    )
    for ax, (slope, kind) in zip(axes, KINDS.items(), strict=True):
        rows = {
            evidence.words(name): {
                way: [f[name][0] for w, f in results if (w.slope, w.budget) == (slope, budget)]
                for way, budget in zip(colours, BUDGETS, strict=True)
            }
            for name in COLUMNS
        }
        evidence.strips(ax, rows, colours)
        title = "labels at random" if slope == 0 else f"labels favour {kind}"
        ax.set_title(title, loc="left", fontsize=10)
        evidence.plain(ax)
    axes[0].set_xlim(right=1.005)
    figure.supxlabel(evidence.HELD, fontsize=10)
    lines, names = axes[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=3, frameon=False, markerscale=2)
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    every = worlds()
    tasks = [(number, world, repeats) for number, world in enumerate(every)]
    results = list(zip(every, evidence.each(_of_world, tasks), strict=True))
    draw(results, folder / "audit_coverage.png")
    (folder / "audit_coverage.md").write_text("\n".join(page(results, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
