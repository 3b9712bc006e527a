"""Coverage with biased labels: intervals with ``label_bias=Γ`` where the true bias is Γ, and without.

Run: python benchmarks/simulate_label_bias.py docs/evidence [repeats]. Writes docs/evidence/label_bias_coverage.md and its
picture.

Two normal classes; the score is that of the first model, a second one adds noise. Positives are labelled with
chances (single training set: odds) that differ by exactly Γ: at a step that is worst for the AUC, above or
below it, or smoothly along the score. The truth is that of the population.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, ndtr, ndtri
from sharpness import lambda95, need_of

import puremetrics as pm
from puremetrics.comparing.comparison import difference_ends
from puremetrics.setting import Setting
from puremetrics.statistics import find

REPEATS = 400
KINDS = ("high scores", "low scores", "smoothly, high", "smoothly, low")
COLUMNS = {
    "auc": "ROC AUC", "average_precision": "average precision", "recall": "recall",
    "precision": "precision", "f1": "F1", "brier": "Brier", "difference": "difference of AUCs",
    "tipping": "tipping point",
}  # fmt: skip
NOISE = 1.0  # of the second model
SCENARIOS = ("case_control", "single_training_set")
GAMMAS = (1.5, 2.0, 4.0)


@dataclass(frozen=True)
class World:
    """Two normal classes and labels that favour some scores."""

    scenario: str
    area: float
    prior: float
    labelled: int
    gamma: float
    kind: str
    unlabeled: int = 4000

    @property
    def apart(self) -> float:
        return float(np.sqrt(2) * ndtri(self.area))

    @property
    def threshold(self) -> float:
        return self.apart / 2 + 0.4

    def chance(self, score: Any) -> Any:
        """The chance (or odds) of a positive to be labelled, between 1 and Γ."""
        favoured = score >= self.step
        if self.kind.startswith("smoothly"):
            favoured = expit(3 * (score - self.step))
        if self.kind.endswith("low") or self.kind.startswith("low"):
            favoured = 1 - favoured
        return 1 + (self.gamma - 1) * favoured

    @cached_property
    def step(self) -> float:
        """Where a step is worst for the AUC: where as many rows are below as the area says."""
        grid = np.linspace(-4, 4 + self.apart, 20001)
        below = self.prior * ndtr(grid - self.apart) + (1 - self.prior) * ndtr(grid)
        return float(grid[np.searchsorted(below, (1 - self.prior) * self.area + self.prior / 2)])

    def probability(self, score: Any) -> Any:
        """A score that is nearly a probability: too sure of itself."""
        odds = np.log(self.prior / (1 - self.prior)) + self.apart * (score - self.apart / 2)
        return expit(1.2 * odds)

    @cached_property
    def truth(self) -> dict[str, float]:
        grid = np.linspace(-8, 8 + self.apart, 400001)[::-1]
        recall, false = ndtr(self.apart - grid), ndtr(-grid)
        precision = self.prior * recall / (self.prior * recall + (1 - self.prior) * false)
        at = int(np.argmin(np.abs(grid - self.threshold)))
        both = self.prior + self.prior * recall[at] + (1 - self.prior) * false[at]
        p = self.probability(grid)
        inside = np.diff(recall), np.diff(false)
        brier = self.prior * np.sum((1 - p[1:]) ** 2 * inside[0])
        brier += (1 - self.prior) * np.sum(p[1:] ** 2 * inside[1])
        second = float(ndtr(self.apart / np.sqrt(2 + 2 * NOISE**2)))
        return {
            "auc": self.area,
            "average_precision": float(np.sum(inside[0] * (precision[1:] + precision[:-1]) / 2)),
            "recall": float(recall[at]),
            "precision": float(precision[at]),
            "f1": float(2 * self.prior * recall[at] / both),
            "brier": float(brier),
            "difference": self.area - second,
        }

    def rows(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Labels and scores."""
        if self.scenario == "case_control":
            drawn = rng.normal(size=8 * self.labelled) + self.apart
            kept = drawn[rng.random(drawn.size) < self.chance(drawn) / self.gamma][: self.labelled]
            positive = rng.random(self.unlabeled) < self.prior
            unlabeled = rng.normal(size=self.unlabeled) + self.apart * positive
            y = np.repeat([1, 0], [kept.size, unlabeled.size])
            return y, np.concatenate([kept, unlabeled])
        size = self.unlabeled
        positive = rng.random(size) < self.prior
        score = rng.normal(size=size) + self.apart * positive
        odds = self.base_odds * self.chance(score)
        return (positive & (rng.random(size) < odds / (1 + odds))).astype(int), score

    @cached_property
    def base_odds(self) -> float:
        """Odds of the least favoured positive such that the number of labels is as wished on average."""
        draws = np.random.default_rng(0).normal(size=20000) + self.apart
        chance, low, high = self.chance(draws), 1e-6, 1e3
        share = min(self.labelled / (self.prior * self.unlabeled), 0.8)
        for _ in range(60):
            middle = np.sqrt(low * high)
            mean = float(np.mean(middle * chance / (1 + middle * chance)))
            low, high = (middle, high) if mean < share else (low, middle)
        return float(middle)

    def __str__(self) -> str:
        words = self.scenario.replace("_", " ")
        return f"{words}, AUC {self.area:g}, prior {self.prior:g}, {self.labelled} labels"


def covered(world: World, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """For each statistic: whether the interval holds the truth with Γ and without; with Γ width and need."""
    y, score = world.rows(rng)
    other = score + rng.normal(size=score.size) * NOISE
    table = pm.ScoreTable.from_arrays(y, score, scenario=world.scenario)
    probable = pm.ScoreTable.from_arrays(y, world.probability(score), scenario=world.scenario)
    found = {}
    known: dict[str, Any] = {"prior": world.prior}
    for key, truth in world.truth.items():
        ends = []
        for gamma in dict.fromkeys((world.gamma, 1.0)):
            with_bias = {**known, "label_bias": gamma}
            one: Any
            if key == "auc":
                one = pm.roc_auc(table, **with_bias)
            elif key == "average_precision":
                one = pm.average_precision(table, **with_bias)
            elif key == "brier":
                one = pm.brier_score(probable, **with_bias)
            elif key == "difference":
                one = difference(y, score, other, world, gamma)
            else:
                one = pm.metric(table, key, threshold=world.threshold, **with_bias)
            interval = one.interval
            assert interval is not None
            ends.append((truth in interval, interval.width, need_of(truth, one.value, interval)))
        found[key] = (ends[0][0], ends[-1][0], *ends[0][1:])
    if world.gamma > 1 and world.kind == "high scores":
        point = pm.tipping_point(table, above=world.truth["auc"], **known)
        found["tipping"] = (
            point.low <= world.gamma,
            point.label_bias <= world.gamma,
            point.low,
            np.nan,
        )
    return found


def difference(y: Any, score: Any, other: Any, world: World, gamma: float) -> SimpleNamespace:
    """The difference of `compare` without all else that it finds out."""
    joint = pm.JointTable.from_arrays(y, {"a": score, "b": other}, scenario=world.scenario)
    measured = find("roc_auc")
    points = {name: Setting.of(joint[name], world.prior, label_bias=gamma) for name in ("a", "b")}
    _, limits = difference_ends(joint, points, measured, ("a", "b"))
    value = measured.plain(points["a"]) - measured.plain(points["b"])
    return SimpleNamespace(
        value=value, interval=pm.Interval(*limits, 0.95, "combined", "paired_analytic")
    )


def worlds() -> list[World]:
    found = []
    for scenario, (area, prior), labelled in product(
        SCENARIOS, ((0.85, 0.1), (0.95, 0.3)), (30, 100, 1000)
    ):
        if scenario == "single_training_set" and labelled > 0.75 * prior * 4000:
            labelled = round(0.75 * prior * 4000)
        found.append(World(scenario, area, prior, labelled, 1.0, KINDS[0]))
        found += [
            World(scenario, area, prior, labelled, gamma, kind)
            for gamma in GAMMAS
            for kind in KINDS
        ]
    return found


Shares = dict[str, tuple[float, ...]]  # coverage with Γ, without, mean width, and λ95
Results = list[tuple[World, Shares]]


def _of_world(task: tuple[int, World, int]) -> Shares:
    number, world, repeats = task
    rng = np.random.default_rng([17, number])
    runs = [covered(world, rng) for _ in range(repeats)]
    found: Shares = {}
    for key in runs[0]:
        columns = np.array([run[key] for run in runs], dtype=np.float64)
        found[key] = (*map(float, columns[:, :3].mean(axis=0)), lambda95(columns[:, 3]))
    return found


def shares(results: Results, biased: bool, place: int = 0) -> list[float]:
    """All shares with biased labels, or with random ones."""
    return [
        numbers[place]
        for world, found in results
        for numbers in found.values()
        if (world.gamma > 1) == biased
    ]


def sentence(results: Results, repeats: int) -> str:
    """What the picture says."""
    held, even = (shares(results, biased) for biased in (True, False))
    without, error = shares(results, True, 1), np.sqrt(0.95 * 0.05 / repeats)
    return (
        "With `label_bias=Γ`, which lets some positives be Γ times as likely to be labelled as others, 95% intervals held the "
        f"truth in at least {min(held):.3f} of the samples where labels are biased by exactly Γ, and in {np.mean(held):.3f} on "
        f"average; intervals that take such labels as random "
        f"held it in as few as {min(without):.3f}. With random labels and Γ = 1 they held in {np.mean(even):.3f} on average "
        f"(the lowest of {len(even)} shares is {min(even):.3f}; a standard error is {error:.3f})."
    )


def page(results: Results, repeats: int) -> list[str]:
    """The page: a sentence, the picture, tables."""
    rows = []
    for key, title in COLUMNS.items():
        mine = [(world.gamma, found[key]) for world, found in results if key in found]
        held = [numbers[0] for gamma, numbers in mine if gamma > 1]
        without = min(numbers[1] for gamma, numbers in mine if gamma > 1)
        need = [numbers[3] for gamma, numbers in mine if gamma > 1 and np.isfinite(numbers[3])]
        told = f"{np.median(need):.2f}" if need else "–"
        rows.append([title, min(held), float(np.mean(held)), without, told])
    lines = [
        *evidence.opening(
            "Coverage with biased labels",
            sentence(results, repeats),
            "label_bias_coverage.png",
            "Coverage with the true bias and with labels taken as random, by bias",
            f"{len(results)} settings, {repeats} samples each: two normal classes, known prior, 30 to 1,000 labels, 4,000 unlabeled "
            "rows (single training set: 4,000 rows in all), Γ of 1, 1.5, 2 and 4. Labels favour high or low scores at a step "
            "that is worst for the AUC, or smoothly.",
            f"python benchmarks/simulate_label_bias.py docs/evidence {repeats}",
        ),
        "## By statistic",
        "",
        "Where labels are biased. The difference is that of the AUCs of two models on the same rows; for the tipping point, how "
        "often its lower limit was not above the true one.",
        "",
        *evidence.table(
            (
                "statistic",
                "lowest with Γ",
                "mean with Γ",
                "lowest as if at random",
                "median [λ95](sharpness.md) with Γ",
            ),
            rows,
        ),
        "## Every setting, with Γ",
        "",
    ]
    for scenario in SCENARIOS:
        mine = [_row(world, found) for world, found in results if world.scenario == scenario]
        head = ("setting", "Γ", "labels favour", *COLUMNS.values())
        lines += evidence.table(head, mine, evidence.words(scenario).capitalize())
    return lines


def _row(world: World, found: Shares) -> list[str]:
    kind = "" if world.gamma == 1 else world.kind
    cells = (f"{found[key][0]:.3f}" if key in found else "" for key in COLUMNS)
    return [str(world).split(", ", 1)[1], f"{world.gamma:g}", kind, *cells]


def draw(results: Results, path: Path) -> None:
    """Coverage with Γ and as if labels were at random, by Γ."""
    colours = {"label_bias=Γ": evidence.BLUE, "labels taken as random": evidence.ORANGE}
    rows = {
        "labels at random" if gamma == 1 else f"true bias Γ = {gamma:g}": {
            way: [n[place] for w, found in results if w.gamma == gamma for n in found.values()]
            for place, way in enumerate(colours)
        }
        for gamma in (1.0, *GAMMAS)
    }
    figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
    evidence.strips(ax, rows, colours)
    evidence.plain(ax, xlabel=f"{evidence.HELD},\none dot a setting and statistic")
    figure.legend(loc="outside upper center", ncols=2, frameon=False, markerscale=2)
    evidence.save(figure, path)


def main(folder: Path = Path("docs/evidence"), repeats: int = REPEATS) -> None:
    tasks = [(number, world, repeats) for number, world in enumerate(worlds())]
    results: Results = []
    for (_, world, _), found in zip(tasks, evidence.each(_of_world, tasks), strict=True):
        results.append((world, found))
        print(world, world.gamma, world.kind, flush=True)
    draw(results, folder / "label_bias_coverage.png")
    lines = page(results, repeats)
    (folder / "label_bias_coverage.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *map(int, sys.argv[2:3]))
