"""Coverage and width with audits: planned and random draws, labels at random and strongly biased.

Run: python benchmarks/simulate_audits.py docs/evidence [repeats]. Writes docs/evidence/audit_coverage.md and its picture.

Two normal classes with an AUC of 0.92. A positive's odds of being labelled (its chance in case-control) rise or fall
with its score, exp(slope · score), or do not. Audits are planned for F1 at a threshold, from a guess of the prior that
is off by 20 %, or drawn at random. The truth is that of the population.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

import puremetrics as pm
from puremetrics.planning import plan as planning

planning._BUDGETS = ()  # what other budgets would give takes half of the time and is not used here
REPEATS = 100
APART, ROWS = 2.0, 10_000
THRESHOLDS = {0.01: 2.2, 0.05: 1.7, 0.2: 1.2, 0.4: 0.9}
LABELS = {0.01: 40, 0.05: 150, 0.2: 300, 0.4: 500}
METRICS = ("precision", "recall", "f1")
COLUMNS = (*METRICS, "roc_auc", "average_precision", "prior")


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


def _of_world(task: tuple[int, World, int]) -> dict[str, tuple[float, float, float]]:
    number, world, repeats = task
    rng, truths = np.random.default_rng([18, number]), world.truths()
    runs: dict[str, list[tuple[bool, float, float]]] = {name: [] for name in COLUMNS}
    for _ in range(repeats):
        for name, estimate in estimates(world, rng).items():
            ends = estimate.interval or pm.Interval(0.0, 1.0, 0.95, "confidence", "none")
            runs[name].append((truths[name] in ends, ends.width, float(estimate) - truths[name]))
    return {name: tuple(np.nanmean(rows, axis=0)) for name, rows in runs.items()}  # type: ignore[misc]


def worlds() -> list[World]:
    """All settings."""
    scenarios, designs = ("case_control", "single_training_set"), ("f1", "random")
    grid = product(scenarios, THRESHOLDS, (0.0, 2.0, -2.0), (50, 200, 500), designs)
    extra = product(scenarios, (0.01, 0.05), (0.0,), (200,), ("precision", "recall"))
    return [World(*world) for world in [*grid, *extra]]


def page(results: list[tuple[World, Any]], repeats: int) -> str:
    """One sentence, then tables."""
    every = np.array([[found[name][0] for name in COLUMNS] for _, found in results])
    error = np.sqrt(0.93 * 0.07 / repeats)
    low = int(np.count_nonzero(every < 0.93 - 2 * error))
    told = ", ".join(
        f"{name.replace('_', ' ')} {share:.3f}"
        for name, share in zip(COLUMNS, every.mean(axis=0), strict=True)
    )
    at = {(w.scenario, w.prior, w.slope, w.budget, w.design): found for w, found in results}
    lines = [
        "# Coverage with audits",
        "",
        f"Over {len(results)} settings, {repeats} samples each, 95 % intervals from an audit held the truth in "
        f"{every.mean():.3f} of the samples, whether labels were at random or strongly biased; {low} of {every.size} shares "
        f"are below 0.93 by more than two standard errors ({error:.3f}).",
        "",
        f"By statistic: {told}.",
        "",
        "![Coverage by statistic](audit_coverage.png)",
        "",
        "Two normal classes, AUC 0.92, 10,000 rows; 50, 200 or 500 of them checked, planned for one statistic or drawn at "
        f"random. `python benchmarks/simulate_audits.py docs/evidence {repeats}`.",
        "",
        "## Planned against random: mean width with 200 rows",
        "",
        "| scenario | prior | statistic | planned for it | at random | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for scenario, prior, name in product(
        ("case_control", "single_training_set"), (0.01, 0.05), ("precision", "recall")
    ):
        own = at[scenario, prior, 0.0, 200, name][name][1]
        other = at[scenario, prior, 0.0, 200, "random"][name][1]
        lines.append(
            f"| {scenario} | {prior:g} | {name} | {own:.3f} | {other:.3f} | {own / other:.2f} |"
        )
    for scenario in ("case_control", "single_training_set"):
        lines += ["", f"## {scenario.replace('_', ' ').capitalize()}: coverage (mean width)", ""]
        lines.append("| prior | labels | rows | drawn | " + " | ".join(COLUMNS) + " |")
        lines.append("|---" * (4 + len(COLUMNS)) + "|")
        for world, found in results:
            if world.scenario != scenario:
                continue
            kind = {0.0: "random", 2.0: "high scores", -2.0: "low scores"}[world.slope]
            drawn = "at random" if world.design == "random" else f"for {world.design}"
            cells = [f"{found[name][0]:.3f} ({found[name][1]:.3f})" for name in COLUMNS]
            lines.append(
                f"| {world.prior:g} | {kind} | {world.budget} | {drawn} | "
                + " | ".join(cells)
                + " |"
            )
    return "\n".join(lines) + "\n"


def picture(results: list[tuple[World, Any]], path: Path) -> None:
    """The coverage of every setting, by statistic and by how labels were given."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), sharey=True)
    kinds = {
        0.0: "labels at random",
        2.0: "labels favour high scores",
        -2.0: "labels favour low scores",
    }
    for ax, (slope, title) in zip(axes, kinds.items(), strict=True):
        for place, name in enumerate(COLUMNS):
            for budget, shade in ((50, "0.7"), (200, "tab:blue"), (500, "tab:red")):
                shown = [f[name][0] for w, f in results if w.slope == slope and w.budget == budget]
                at = place + (np.arange(len(shown)) - len(shown) / 2) / (2.5 * len(shown))
                label = f"{budget} rows checked" if place == 0 else None
                ax.plot(at, shown, ".", color=shade, alpha=0.7, label=label)
        ax.axhline(0.95, color="0.4", linewidth=0.8)
        words = [name.replace("_", " ").replace("roc auc", "ROC AUC") for name in COLUMNS]
        ax.set_xticks(range(len(COLUMNS)), words, rotation=40, ha="right", fontsize=8)
        ax.set_title(title, loc="left", fontsize=10)
    axes[0].set_ylabel("share of samples whose\n95 % interval holds the truth")
    axes[0].set_ylim(0.6, 1.02)
    axes[2].legend(fontsize=8, frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/evidence")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS
    every = worlds()
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_of_world, [(i, world, repeats) for i, world in enumerate(every)]))
    results = list(zip(every, found, strict=True))
    (folder / "audit_coverage.md").write_text(page(results, repeats), encoding="utf-8")
    picture(results, folder / "audit_coverage.png")


if __name__ == "__main__":
    main()
