"""Coverage of the bands of ROC, precision-recall and discovery curves.

Run: python benchmarks/simulate_bands.py docs/evidence [repeats]. Writes docs/evidence/band_coverage.md and its picture.
Worlds: two normal classes, known prior. The bands of the ROC and the precision-recall curve are about the population;
that of the discovery curve is about the rows at hand. Widths are compared with those of `metric` at the threshold that has the same rate in the population.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
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
LABELS = (20, 100, 1000)


def worlds() -> list[World]:
    made = [
        World(scenario, auc, prior, labelled, 10_000)
        for scenario, auc, prior, labelled in product(SCENARIOS, (0.75, 0.93), (0.05, 0.3), LABELS)
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


Results = list[tuple[World, tuple[np.ndarray, np.ndarray]]]


def sentence(results: Results, repeats: int) -> str:
    """What the picture says."""
    every = np.array([found for _, (found, _) in results])
    error = float(np.sqrt(BAR * (1 - BAR) / repeats))
    low = int(np.count_nonzero(every < BAR))
    return (
        f"95% bands held the truth in {every[:, :8].mean():.3f} of the samples at single points and in "
        f"{every[:, 8:].mean():.3f} along whole curves. Of {every.size} shares {low} {'is' if low == 1 else 'are'} below "
        f"{BAR}, and the lowest is {every.min():.3f} (standard error {error:.3f})."
    )


def page(results: Results, repeats: int) -> list[str]:
    """The page: a sentence, the picture, tables."""
    every = np.array([found for _, (found, _) in results])
    wide = np.array([widths for _, (_, widths) in results])
    mean, least, most = every.mean(axis=0), every.min(axis=0), wide.mean(axis=0)
    kinds = [
        [name, mean[i], least[i], f"{most[i]:.2f}" if i < len(WIDTHS) else ""]
        for i, name in enumerate(COLUMNS)
    ]
    settings = ("scenario", "AUC", "prior", "labels")
    return [
        *evidence.opening(
            "Coverage of bands",
            sentence(results, repeats),
            "band_coverage.png",
            "Coverage of bands by kind and number of labels, one dot for each setting",
            f"{len(results)} settings, {repeats} samples each, 10,000 unlabeled rows, two normal classes, known prior. Bands of ROC "
            "curves are tried at false positive rates, those of precision-recall curves at recalls. Both are about the population, "
            f"along {WHOLE.size} points where the whole curve counts; that of the discovery curve is about the hidden positives of "
            "the rows at hand.",
            f"python benchmarks/simulate_bands.py docs/evidence {repeats}",
        ),
        "## By kind",
        "",
        "The last column is the mean width over that of `metric`, of recall or precision at the threshold which has that rate "
        "in the population. A band at a rate is wider: the rate itself is estimated, too, and a steep curve turns its error "
        "into one of height.",
        "",
        *evidence.table(("band", "mean coverage", "lowest", "width over that at a threshold"), kinds),
        "## Every setting",
        "",
        *evidence.table(
            (*settings, *COLUMNS),
            [[*_named(world), *map(float, found)] for world, (found, _) in results],
            "Coverage",
        ),
        *evidence.table(
            (*settings, *WIDTHS),
            [[*_named(world), *map(float, wide)] for world, (_, wide) in results],
            "Mean width over that at a fixed threshold",
            digits=2,
        ),
    ]  # fmt: skip


def _named(world: World) -> list[str]:
    scenario = world.scenario.replace("_", " ").replace("case control", "case-control")
    return [scenario, f"{world.auc:g}", f"{world.prior:g}", f"{world.labelled}"]


def draw(results: Results, path: Path) -> None:
    """Coverage of each kind of band, by number of labels."""
    shades = (evidence.ORANGE, evidence.BLUE, evidence.GREEN)
    colours = {f"{n:,} labels": shade for n, shade in zip(LABELS, shades, strict=True)}
    rows = {
        name: {
            way: [found[i] for world, (found, _) in results if world.labelled == labelled]
            for way, labelled in zip(colours, LABELS, strict=True)
        }
        for i, name in enumerate(COLUMNS)
    }
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    evidence.strips(ax, rows, colours, size=8)
    ax.axvline(BAR, color="black", lw=0.8, ls=":", zorder=0)
    evidence.plain(ax, xlabel="share of samples whose 95% band holds the truth, one dot a setting")
    figure.legend(loc="outside upper center", ncols=3, frameon=False, markerscale=2)
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    every = worlds()
    jobs = [(number, world, repeats) for number, world in enumerate(every)]
    results = list(zip(every, evidence.each(coverage, jobs), strict=True))
    draw(results, folder / "band_coverage.png")
    (folder / "band_coverage.md").write_text("\n".join(page(results, repeats)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
