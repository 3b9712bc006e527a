"""Coverage of the bands of ROC, precision-recall and discovery curves: `python benchmarks/simulate_bands.py docs/evidence`.

Writes docs/evidence/band_coverage.md and docs/evidence/band_coverage.png. Worlds: two normal classes, known prior. The bands of
the ROC and the precision-recall curve are about the population; that of the discovery curve is about the rows
at hand. Widths are compared with those of `metric` at the threshold that has the same rate in the population.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri
from worlds import World

import puremetrics as pm

REPEATS, SEED = 200, 881_402
SCENARIOS = ("case_control", "single_training_set")
FPRS, RECALLS = np.array([0.02, 0.1, 0.3, 0.6]), np.array([0.1, 0.3, 0.6, 0.9])
WHOLE = np.linspace(0.001, 0.999, 999)  # where the whole curve is looked at
COLUMNS = (
    *(f"ROC at {x:g}" for x in FPRS), *(f"PR at {x:g}" for x in RECALLS),
    "whole ROC", "whole PR", "whole discovery",
)  # fmt: skip
WIDTHS = COLUMNS[:8]
BAR = 0.93


def worlds() -> list[World]:
    made = [
        World(scenario, auc, prior, labelled, 10_000)
        for scenario, auc, prior, labelled in product(
            SCENARIOS, (0.75, 0.93), (0.05, 0.3), (20, 100, 1000)
        )
    ]
    return [w for w in made if w.scenario == SCENARIOS[0] or w.labelled < w.prior * w.unlabeled / 2]


class Truth:
    """Both curves of a world, and the thresholds of the points that are looked at."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tpr, self.fpr = world.rates()
        self.thresholds = np.concatenate([-ndtri(FPRS), world.shift - ndtri(RECALLS)])

    def height(self, fpr: np.ndarray) -> np.ndarray:
        return np.interp(fpr, self.fpr, self.tpr)

    def precision(self, recall: np.ndarray) -> np.ndarray:
        found = self.world.prior * recall
        return found / (found + (1 - self.world.prior) * np.interp(recall, self.tpr, self.fpr))


def holds(band: pm.CurveBand, at: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the band holds the truth, and how wide it is."""
    low, high = np.interp(at, band.x, band.low), np.interp(at, band.x, band.high)
    return (low <= truth + 1e-9) & (truth <= high + 1e-9), high - low


def found_by(scores: pm.DiscoveryCurve, sample: Any) -> bool:
    """Whether the limits of a discovery curve hold what is there, at all numbers of rows."""
    every = np.concatenate([sample.hidden, sample.negative])
    order = np.argsort(-every, kind="stable")
    finds = np.concatenate([[0.0], np.cumsum(order < sample.hidden.size)])
    truth = finds[scores.rows.astype(int)]
    return bool(np.all((scores.low <= truth + 1e-9) & (truth <= scores.high + 1e-9)))


def one(truth: Truth, rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Which bands hold in one sample, and widths over those at fixed thresholds."""
    sample = truth.world.draw(rng)
    table, known = sample.table(truth.world.scenario), {"prior": truth.world.prior}
    roc, rocs = holds(pm.roc_curve(table, band="pointwise", **known).band, FPRS, truth.height(FPRS))
    pr, prs = holds(
        pm.pr_curve(table, band="pointwise", **known).band, RECALLS, truth.precision(RECALLS)
    )
    whole = [
        holds(curve(table, band="simultaneous", **known).band, WHOLE, of(WHOLE))[0].all()
        for curve, of in ((pm.roc_curve, truth.height), (pm.pr_curve, truth.precision))
    ]
    whole.append(found_by(pm.discovery_curve(table, band="simultaneous", **known), sample))
    names = ["recall"] * FPRS.size + ["precision"] * RECALLS.size
    fixed = [
        pm.metric(table, name, threshold=float(at), **known).interval.width  # type: ignore[union-attr]
        for name, at in zip(names, truth.thresholds, strict=True)
    ]
    widths = np.concatenate([rocs, prs])
    return [*map(float, [*roc, *pr, *whole])], [*widths, *fixed]


def coverage(job: tuple[int, World, int]) -> tuple[np.ndarray, np.ndarray]:
    """Shares of samples that the bands hold in, and mean widths over those at fixed thresholds."""
    number, world, repeats = job
    truth = Truth(world)
    runs = [one(truth, np.random.default_rng([SEED, number, i])) for i in range(repeats)]
    widths = np.mean([run[1] for run in runs], axis=0)
    print(world, flush=True, file=sys.stderr)
    return np.mean([run[0] for run in runs], axis=0), widths[:8] / widths[8:]


def page(results: list[tuple[World, tuple[np.ndarray, np.ndarray]]], repeats: int) -> str:
    """One sentence and one picture, then the table."""
    every = np.array([found for _, (found, _) in results])
    error = float(np.sqrt(BAR * (1 - BAR) / repeats))
    low = int(np.count_nonzero(every < BAR))
    lines = [
        "# Coverage of bands",
        "",
        f"95 % bands held the truth in {every[:, :8].mean():.3f} of the samples at single points and in "
        f"{every[:, 8:].mean():.3f} along whole curves; {low} of {every.size} shares are below {BAR} (standard "
        f"error {error:.3f}), the lowest is {every.min():.3f}.",
        "",
        "![Coverage of bands by kind and number of labels](band_coverage.png)",
        "",
        f"{len(results)} settings, {repeats} samples each, 10 000 unlabeled rows, two normal classes, known prior. Bands "
        f"of ROC and precision-recall curves are about the population, along {WHOLE.size} points where the whole "
        "curve counts; that of the discovery curve is about the hidden positives of the rows at hand. "
        f"`python benchmarks/simulate_bands.py docs/evidence {repeats}`.",
        "",
        "| scenario | AUC | prior | labels | " + " | ".join(COLUMNS) + " |",
        "|---" * (4 + len(COLUMNS)) + "|",
    ]
    for world, (found, _) in results:
        lines.append(f"| {_named(world)} | " + " | ".join(f"{x:.3f}" for x in found) + " |")
    lines += [
        "",
        "## Mean width over that at a fixed threshold",
        "",
        "`metric` of recall or precision at the threshold which has that rate in the population. A band at a rate is wider: "
        "the rate itself is estimated, too, and a steep curve turns its error into one of height.",
        "",
        "| scenario | AUC | prior | labels | " + " | ".join(WIDTHS) + " |",
        "|---" * (4 + len(WIDTHS)) + "|",
    ]
    for world, (_, wide) in results:
        lines.append(f"| {_named(world)} | " + " | ".join(f"{x:.2f}" for x in wide) + " |")
    return "\n".join(lines) + "\n"


def _named(world: World) -> str:
    scenario = world.scenario.replace("_", " ").replace("case control", "case-control")
    return f"{scenario} | {world.auc:g} | {world.prior:g} | {world.labelled}"


def picture(results: list[tuple[World, tuple[np.ndarray, np.ndarray]]], path: Path) -> None:
    """Coverage of each kind of band, by number of labels."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(9, 3.6))
    for side, (labelled, shade) in enumerate(
        ((20, "tab:orange"), (100, "tab:blue"), (1000, "tab:green"))
    ):
        kept = np.array([found for world, (found, _) in results if world.labelled == labelled])
        for place in range(len(COLUMNS)):
            at = place + 0.25 * (side - 1) + np.linspace(-0.08, 0.08, kept.shape[0])
            label = f"{labelled} labels" if place == 0 else None
            ax.plot(at, kept[:, place], ".", color=shade, markersize=5, label=label)
    ax.axhline(0.95, color="0.4", linewidth=0.8)
    ax.axhline(BAR, color="0.7", linewidth=0.8, linestyle="--")
    ax.set_xticks(range(len(COLUMNS)), COLUMNS, rotation=40, ha="right", fontsize=8)
    ax.set_ylabel("share of samples whose\n95 % band holds the truth")
    ax.set_ylim(min(0.9, ax.get_ylim()[0]), 1.005)
    ax.legend(fontsize=8, frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/evidence")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS
    every = worlds()
    jobs = [(number, world, repeats) for number, world in enumerate(every)]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(coverage, jobs))
    results = list(zip(every, found, strict=True))
    (folder / "band_coverage.md").write_text(page(results, repeats), encoding="utf-8")
    picture(results, folder / "band_coverage.png")


if __name__ == "__main__":
    main()
