"""Coverage with labels that are not random: propensities known, and estimated by `estimate_propensity`.

Run: python benchmarks/simulate_propensity.py docs/evidence [repeats]. Writes docs/evidence/propensity.md and its picture.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import evidence
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom
from sharpness import lambda95, need_of

import puremetrics as pm

STATISTICS = ("ROC AUC", "average precision", "precision", "recall", "F1")
REPEATS = 500
PRIOR = 0.2
SPREADS, LABELS = (1.5, 3.0, 8.0), (30, 100, 300, 1000)
SCENARIOS = ("case_control", "single_training_set")
LINKS = (0.8, -0.8)  # labels favour high scores, or low ones


@dataclass(frozen=True)
class World:
    """Two normal classes; the chance to be labelled differs by a factor of up to ``spread``.

    It depends on a hidden reason whose correlation with a positive's score is ``link``.
    """

    scenario: str
    spread: float
    labelled: int
    link: float = 0.8
    area: float = 0.9

    @property
    def apart(self) -> float:
        return float(np.sqrt(2) * ndtri(self.area))

    @property
    def threshold(self) -> float:
        return self.apart / 2 + 0.5

    @property
    def mean_chance(self) -> float:
        """Relative to the largest."""
        return float((1 - 1 / self.spread) / np.log(self.spread))

    @property
    def rows(self) -> int:
        """Rows of a single training set in which the likeliest positives are labelled every second time."""
        return round(2 * self.labelled / PRIOR / self.mean_chance)

    @cached_property
    def truth(self) -> dict[str, float]:
        grid = np.linspace(-8.0, self.apart + 8.0, 40_001)
        recall, false = ndtr(self.apart - grid), ndtr(-grid)
        precision = PRIOR * recall / (PRIOR * recall + (1 - PRIOR) * false)
        average = float(np.sum(-np.diff(recall) * (precision[1:] + precision[:-1]) / 2))
        at = int(np.searchsorted(grid, self.threshold))
        hit, exact = float(recall[at]), float(precision[at])
        known = (self.area, average, exact, hit, 2 * exact * hit / (exact + hit), PRIOR)
        return dict(zip((*STATISTICS, "prior"), known, strict=True))

    def positives(self, size: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Scores of positives, and their chance to be labelled relative to the largest."""
        noise = rng.normal(size=size)
        reason = self.link * noise + np.sqrt(1 - self.link**2) * rng.normal(size=size)
        return self.apart + noise, self.spread ** (ndtr(reason) - 1)

    def sample(self, rng: np.random.Generator) -> tuple[Any, Any, Any]:
        """Labels, scores and propensities."""
        if self.scenario == "case_control":
            score, chance = self.positives(round(3 * self.labelled / self.mean_chance) + 50, rng)
            kept = np.flatnonzero(rng.random(chance.size) < chance)[: self.labelled]
            hidden = rng.random(10 * self.labelled + 1000) < PRIOR
            others = rng.normal(size=hidden.size) + self.apart * hidden
            y = np.repeat([1, 0], [kept.size, others.size])
            blank = np.full(others.size, np.nan)
            return y, np.append(score[kept], others), np.append(chance[kept], blank)
        truth = rng.random(self.rows) < PRIOR
        score = rng.normal(size=truth.size)
        chance = np.full(truth.size, np.nan)
        score[truth], relative = self.positives(int(truth.sum()), rng)
        chance[truth] = relative / 2
        labelled = truth & (rng.random(truth.size) < np.nan_to_num(chance))
        return labelled.astype(int), score, chance

    def __str__(self) -> str:
        words = self.scenario.replace("_", " ")
        towards = "" if self.link > 0 else ", to low scores"
        return f"{words}, {self.labelled} labels, spread {self.spread:g}{towards}"


def estimates(table: pm.ScoreTable, threshold: float, prior: float = PRIOR) -> dict[str, Any]:
    """All estimates at the true prior."""
    at = {"threshold": threshold, "prior": prior}
    return {
        "ROC AUC": pm.roc_auc(table, prior=prior),
        "average precision": pm.average_precision(table, prior=prior),
        "precision": pm.metric(table, "precision", **at),
        "recall": pm.metric(table, "recall", **at),
        "F1": pm.metric(table, "f1", **at),
    }


def coverage_of(
    world: World, repeats: int, seed: int, known: bool = True
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Share of samples whose intervals hold the truth, with propensities or without, and what each needs."""
    held: dict[str, int] = {}
    needs: dict[str, list[float]] = {}
    for repeat in range(repeats):
        y, score, chance = world.sample(np.random.default_rng([seed, repeat]))
        table = pm.ScoreTable.from_arrays(
            y, score, scenario=world.scenario, propensity=chance if known else None
        )
        found = estimates(table, world.threshold)
        if known and table.design.one_sample:
            found["prior"] = pm.prior_from_propensities(table)
        for key, one in found.items():
            held[key] = held.get(key, 0) + (world.truth[key] in one.interval)
            value = one.prior if key == "prior" else one.value
            needs.setdefault(key, []).append(need_of(world.truth[key], value, one.interval))
    return {key: count / repeats for key, count in held.items()}, needs


@dataclass(frozen=True)
class Features:
    """Four features: the class depends on three of them, the propensity on the second by a logistic slope."""

    rows: int
    slope: float

    def sample(self, rng: np.random.Generator) -> tuple[Any, Any, Any, Any, Any]:
        """Features, labels, scores, propensities and the hidden classes."""
        features = rng.normal(size=(self.rows, 4))
        odds = features @ np.array([2.0, 1.0, 0.5, 0.0]) - 1.5
        truth = rng.random(self.rows) < 1 / (1 + np.exp(-odds))
        chance = 1 / (1 + np.exp(0.5 - self.slope * features[:, 1]))
        score = 1.5 * features[:, 0] + 0.8 * features[:, 1] + 0.5 * rng.normal(size=self.rows)
        return (
            features,
            (truth & (rng.random(self.rows) < chance)).astype(int),
            score,
            chance,
            truth,
        )

    def __str__(self) -> str:
        return f"{self.rows} rows, slope {self.slope:g}"


AT = 1.2  # threshold on the score of that model
WAYS = ("none", "true", "estimated")


def truth_of_features() -> tuple[float, dict[str, float]]:
    """Prior and metrics, from two million rows."""
    _, _, score, _, truth = Features(2_000_000, 0.0).sample(np.random.default_rng(0))
    order = np.argsort(-score)
    hits = np.cumsum(truth[order])
    precision = hits / np.arange(1, truth.size + 1)
    average = float(np.sum(precision[truth[order]]) / hits[-1])
    below = np.cumsum(~truth[order])[truth[order]]
    area = float(1 - below.mean() / np.sum(~truth))
    head = int(np.sum(score >= AT))
    exact, hit = float(precision[head - 1]), float(hits[head - 1] / hits[-1])
    known = (area, average, exact, hit, 2 * exact * hit / (exact + hit))
    return float(truth.mean()), dict(zip(STATISTICS, known, strict=True))


def estimated(
    world: Features, repeats: int, prior: float, truth: dict[str, float]
) -> dict[str, dict[str, float]]:
    """Coverage and the mean error of the AUC without, with true and with estimated propensities."""
    found: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for repeat in range(repeats):
        rng = np.random.default_rng([world.rows, round(10 * world.slope), repeat])
        features, y, score, chance, _ = world.sample(rng)
        model = pm.estimate_propensity(features, y, attributes=[1])
        for way, propensity in zip(WAYS, (None, chance, model.propensity), strict=True):
            table = pm.ScoreTable.from_arrays(
                y, score, scenario="single_training_set", propensity=propensity
            )
            one = estimates(table, AT, prior)
            held = [truth[k] in e.interval for k, e in one.items()]
            need = need_of(truth["ROC AUC"], one["ROC AUC"].value, one["ROC AUC"].interval)
            found[way].append([*held, one["ROC AUC"].value - truth["ROC AUC"], need])
    keys = (*STATISTICS, "error", "λ95")
    told = {}
    for way, rows in found.items():
        columns = np.array(rows, dtype=np.float64)
        numbers = (*map(float, columns[:, :-1].mean(axis=0)), lambda95(columns[:, -1]))
        told[way] = dict(zip(keys, numbers, strict=True))
    return told


KEYS = (*STATISTICS, "prior")
Known = list[
    tuple[World, dict[str, float], float, dict[str, float]]
]  # lowest of both directions; the AUC without; λ95 over both directions
Modelled = list[tuple[Features, dict[str, dict[str, float]]]]


def _known(task: tuple[int, World, int]) -> tuple[dict[str, float], float, dict[str, float]]:
    """Lower coverage of the two directions, that of the AUC without propensities, and λ95 of both together."""
    number, world, repeats = task
    found = [
        coverage_of(replace(world, link=link), repeats, 2 * number + i)
        for i, link in enumerate(LINKS)
    ]
    plain = coverage_of(world, max(repeats // 5, 1), 2 * number, known=False)[0]["ROC AUC"]
    lowest = {key: min(each[key] for each, _ in found) for key in found[0][0]}
    need = {key: lambda95([n for _, needs in found for n in needs[key]]) for key in lowest}
    return lowest, plain, need


def _modelled(task: tuple[Features, int, float, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The same of one setting with features."""
    return estimated(*task)


def sentence(known: Known, modelled: Modelled) -> str:
    """What the picture says."""
    lowest = min(share for _, found, _, _ in known for share in found.values())
    without = min(plain for _, _, plain, _ in known)
    found = [by_way["estimated"]["ROC AUC"] for _, by_way in modelled]
    return (
        f"Where chances to be labelled differ by up to {max(SPREADS):g} times, every 95% interval with the true propensities "
        f"held the truth in at least {lowest:.3f} of the samples (in at least {steepest(modelled):.2f} where they differ by "
        f"hundreds of times); without them intervals of the AUC held in as few as {without:.2f}. With propensities that "
        f"`estimate_propensity` had to find, those of the AUC held in {min(found):.2f} to {max(found):.2f}."
    )


def steepest(modelled: Modelled) -> float:
    """The lowest share with true propensities where they differ most."""
    return min(
        found["true"][key] for world, found in modelled if world.slope >= 2 for key in STATISTICS
    )


def draw(known: Known, modelled: Modelled, target: Path) -> None:
    """Coverage of intervals of the AUC with propensities and without."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained", sharey=True)
    colours = {"true": evidence.BLUE, "estimated": evidence.GREEN, "none": evidence.ORANGE}
    for scenario, spread in product(SCENARIOS, SPREADS):
        mine = [row for row in known if (row[0].scenario, row[0].spread) == (scenario, spread)]
        labels = [world.labelled for world, *_ in mine]
        for way, shares in (
            ("true", [found["ROC AUC"] for _, found, *_ in mine]),
            ("none", [plain for _, _, plain, _ in mine]),
        ):
            axes[0].plot(labels, shares, "o-", ms=4, color=colours[way], alpha=0.75)
    for rows in (1000, 4000):
        mine = [(world.slope, found) for world, found in modelled if world.rows == rows]
        for way, colour in colours.items():
            shares = [found[way]["ROC AUC"] for _, found in mine]
            axes[1].plot([slope for slope, _ in mine], shares, "o-", ms=4, color=colour, alpha=0.75)
    axes[0].set_title("Two normal classes", loc="left", fontsize=11)
    axes[0].set_xscale("log")
    axes[0].set_xticks(LABELS, [f"{labelled:,}" for labelled in LABELS])
    axes[0].minorticks_off()
    axes[1].set_title("Four features", loc="left", fontsize=11)
    axes[1].set_xticks([0.5, 1, 2], ["0.5", "1", "2"])
    for ax, words in zip(axes, ("labelled rows", "slope of the propensity"), strict=True):
        ax.axhline(0.95, color="black", lw=0.8, zorder=0)
        evidence.plain(ax, ylim=(-0.03, 1.05), xlabel=words)
    axes[0].set_ylabel("share of samples whose 95%\ninterval of the AUC holds the truth")
    lines = [plt.Line2D([], [], color=colour, marker="o", ms=4) for colour in colours.values()]
    names = ["propensities known", "estimated", "left out"]
    figure.legend(lines, names, loc="outside upper center", ncols=3, frameon=False)
    evidence.save(figure, target)


def page(known: Known, modelled: Modelled, repeats: int) -> list[str]:
    """The page: a sentence, the picture, both tables."""
    shares = sum(2 * len(found) for _, found, *_ in known)
    by_chance = binom.ppf(1 - 0.5 ** (1 / shares), repeats, 0.95) / repeats
    first = [
        [world, *(f"{found[key]:.3f}" if key in found else "–" for key in KEYS), f"{plain:.2f}"]
        for world, found, plain, _ in known
    ]
    needed = [
        [world, *(f"{need[key]:.2f}" if key in need else "–" for key in KEYS)]
        for world, *_, need in known
    ]
    second = [
        [
            world,
            way,
            *(numbers[key] for key in STATISTICS),
            f"{numbers['error']:+.3f}",
            f"{numbers['λ95']:.2f}",
        ]
        for world, found in modelled
        for way, numbers in found.items()
    ]
    return [
        *evidence.opening(
            "Labels by propensity",
            sentence(known, modelled),
            "propensity.png",
            "Coverage of intervals of the AUC with known, estimated and without propensities",
            f"{repeats} samples of each setting with known propensities, {_fewer(repeats)} with estimated ones. A line is one "
            "scenario and spread, or one number of rows.",
            f"python benchmarks/simulate_propensity.py docs/evidence {repeats}",
        ),
        "## Known propensities",
        "",
        f"Two normal classes, AUC 0.9, prior {PRIOR:g}; the chance of a positive to be labelled differs by a factor up to the "
        "spread, and goes up (or down) with its score, correlation 0.8; the lower coverage of the two directions counts. "
        f"By chance alone the lowest of {shares} such shares would be about {by_chance:.2f}. The threshold of precision, recall "
        "and F1 is fixed beforehand. The prior is that of `prior_from_propensities`. Last column: the AUC if propensities "
        "are left out.",
        "",
        *evidence.table(("setting", *KEYS, "AUC without"), first, f"All {len(first)} settings"),
        "How much of its length each interval needs, [λ95](sharpness.md), over both directions:",
        "",
        *evidence.table(("setting", *KEYS), needed, f"λ95 in all {len(needed)} settings"),
        "## Estimated propensities",
        "",
        "A single training set with four features; three decide the class, the second also the propensity (logistic, with "
        "the slope given), and the models that are fitted have the right form. The prior is known. At slope 2 chances differ by "
        f"hundreds of times, and even with the true propensities the lowest share is {steepest(modelled):.2f}. Intervals take propensities "
        "as known: estimated ones add an error of their own. Last columns: mean error of the AUC, and its λ95.",
        "",
        *evidence.table(
            ("setting", "propensities", *STATISTICS, "error", "λ95"),
            second,
            f"All {len(second)} rows",
        ),
    ]


def _fewer(repeats: int) -> int:
    """Samples of each setting with estimated propensities, which take longer."""
    return max(repeats * 2 // 5, 1)


def main(folder: Path, repeats: int = REPEATS) -> None:
    worlds = [World(*cell) for cell in product(SCENARIOS, SPREADS, LABELS)]
    tasks = [(number, world, repeats) for number, world in enumerate(worlds)]
    known = [(w, *found) for w, found in zip(worlds, evidence.each(_known, tasks), strict=True)]
    settings = [Features(*cell) for cell in product((1000, 4000), (0.5, 1.0, 2.0))]
    truth = truth_of_features()
    others = evidence.each(_modelled, [(one, _fewer(repeats), *truth) for one in settings])
    modelled = list(zip(settings, others, strict=True))
    draw(known, modelled, folder / "propensity.png")
    lines = page(known, modelled, repeats)
    (folder / "propensity.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(x) for x in sys.argv[2:3]))
