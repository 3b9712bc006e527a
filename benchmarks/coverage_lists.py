"""What is tried of the top of the list: worlds whose truth along the ranking is a sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from coverage_probes import Shot
from scipy.special import ndtr
from scipy.stats import spearmanr
from worlds import World, trapezoid

import puremetrics as pm

ALPHA = 20.0
METRICS = ("precision", "recall", "f1", "mcc")


def sum_of(tpr: np.ndarray, share: np.ndarray, rows: float, first: float, discount: str) -> float:
    """Mean over positives of a discount of the rank, within the first rows; from heads along the ranking."""
    ranks = np.arange(int(rows) + 2.0)
    if discount == "even":
        sums = ranks
    elif discount == "exponential":
        ranks = np.linspace(0, rows, 100_001)
        sums = rows / ALPHA * (1 - np.exp(-ALPHA * ranks / rows))
    else:
        sums = np.concatenate([[0.0], np.cumsum(1 / np.log2(ranks[1:] + 1))])[: ranks.size]
    start, end = share[:-1] * rows, share[1:] * rows
    last = np.maximum(np.minimum(end, first), start)
    rise = np.interp(last, ranks, sums) - np.interp(start, ranks, sums)
    return float(np.sum(np.diff(tpr) * rise / np.maximum(end - start, 1e-300)))


def truths_of(
    tpr: np.ndarray, fpr: np.ndarray, prior: float, rows: float, tops: tuple[float, ...]
) -> dict[str, float]:
    """What the estimates of a population with these rates are about."""
    share = prior * tpr + (1 - prior) * fpr
    truths = {}
    scale = ALPHA / (1 - np.exp(-ALPHA))
    rie = sum_of(tpr, share, rows, rows, "exponential") * scale
    most = (1 - np.exp(-ALPHA * prior)) / (prior * (1 - np.exp(-ALPHA)))
    least = (1 - np.exp(ALPHA * prior)) / (prior * (1 - np.exp(ALPHA)))
    truths |= {"rie": rie, "bedroc": (rie - least) / (most - least)}
    for top in tops:
        found = sum_of(tpr, share, rows, top, "even")
        x = top / rows
        truths[f"enrichment_factor, top {top:g}"] = found / x
        counts = (prior * found, x - prior * found)
        entries = (*counts, prior - counts[0], 1 - prior - counts[1])
        arrays = (np.array([entry]) for entry in entries)
        held = pm.ConfusionCounts(np.zeros(1), *arrays)
        for name in METRICS:
            truths[f"metric, {name}, top {top:g}"] = float(held.metric(name)[0])
        ideal = min(prior * rows, top)
        best = np.sum(1 / np.log2(np.arange(int(ideal)) + 2)) + (ideal % 1) / np.log2(
            int(ideal) + 2
        )
        gain = prior * rows * sum_of(tpr, share, rows, top, "logarithmic")
        truths[f"ndcg, top {top:g}"] = gain / best
    return truths


def tops_of(rows: float) -> tuple[float, ...]:
    return tuple(sorted({max(round(part * rows), 3.0) for part in (0.01, 0.1)}))


def shots_of(
    table: pm.ScoreTable, known: dict[str, Any], truths: dict[str, float], tops: tuple[float, ...]
) -> dict[str, Shot]:
    free = {} if known.get("purity", 1.0) == 1.0 else known
    found = {"rie": pm.rie(table, alpha=ALPHA, **free)}
    found["bedroc"] = pm.bedroc(table, alpha=ALPHA, **known)
    for top in tops:
        found[f"enrichment_factor, top {top:g}"] = pm.enrichment_factor(table, top=int(top), **free)
        found[f"ndcg, top {top:g}"] = pm.ndcg(table, top=int(top), **known)
        for name in METRICS:
            found[f"metric, {name}, top {top:g}"] = pm.metric(table, name, top=int(top), **known)
    return {label: Shot.about(estimate, truths[label]) for label, estimate in found.items()}


def partial_areas(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """Parts of the area under the ROC curve, on McClish's scale."""
    table = world.table(rng)
    known = {"prior": world.prior, "purity": world.purity}
    tpr, fpr = world.rates()
    fine = np.linspace(0, 1, 100_001)
    height, width = np.interp(fine, fpr, tpr), np.interp(fine, tpr, fpr)
    shots = {}
    for x in (0.1, 0.3):
        inside = fine <= x
        area = trapezoid(height[inside], fine[inside])
        truth = (1 + (area - x**2 / 2) / (x - x**2 / 2)) / 2
        found = pm.roc_auc(table, max_fpr=x, **known)
        shots[f"roc_auc, max_fpr {x:g}"] = Shot.about(found, truth)
    inside = fine >= 0.8
    area = trapezoid(1 - width[inside], fine[inside])
    truth = (1 + (area - 0.02) / (0.2 - 0.02)) / 2
    found = pm.roc_auc(table, recall_range=(0.8, 1.0), **known)
    shots["roc_auc, recall from 0.8"] = Shot.about(found, truth)
    return shots


def found_in(hidden: np.ndarray, negative: np.ndarray, rows: float) -> float:
    """Hidden positives among the first unlabeled rows; the mean over orders of tied rows."""
    scores = np.concatenate([hidden, negative])
    positive = np.arange(scores.size) < hidden.size
    cut = np.sort(scores)[::-1][int(rows) - 1]
    above, tied = scores > cut, scores == cut
    share = (rows - above.sum()) / tied.sum()
    return float(positive[above].sum() + share * positive[tied].sum())


def discoveries(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """What checking the first unlabeled rows would find, against what is there."""
    sample = world.draw(rng)
    table = sample.table(world.scenario)
    tops = tops_of(table.total_unl)
    curve = pm.discovery_curve(table, prior=world.prior, purity=world.purity, rows=tops)
    shots = {}
    for name, top in zip(("first 1%", "first 10%"), tops, strict=True):
        truth = found_in(sample.hidden, sample.negative, top)
        shots[f"discovery_curve, {name}"] = Shot.about(curve.at(top), truth)
    return shots


THRESHOLDS = (0.05, 0.1, 0.2, 0.5, 0.8)


def decisions(setting: Any, rng: np.random.Generator) -> dict[str, Shot]:
    """Net benefit of probabilities."""
    model = setting.model
    table = model.table(rng, setting.labelled, setting.unlabeled, setting.scenario, setting.purity)
    curve = pm.net_benefit(table, prior=model.prior, purity=setting.purity, thresholds=THRESHOLDS)
    shots = {}
    for place, at in enumerate(THRESHOLDS):
        x = (np.log(at / (1 - at)) - model.beta0) / model.beta1
        tpr, fpr = ndtr(1 - x), ndtr(-1 - x)
        truth = model.prior * tpr - at / (1 - at) * (1 - model.prior) * fpr
        shots[f"net_benefit, {at:g}"] = Shot(
            curve.low[place], curve.high[place], float(truth), curve.net_benefit[place]
        )
    return shots


_MADE: dict[Any, dict[str, float]] = {}


def lists(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """The top of the list, with a known prior."""
    table = world.table(rng)
    rows = table.design.population_size(table.totals)
    tops = tops_of(world.unlabeled)
    if (world, rows) not in _MADE:
        _MADE[world, rows] = truths_of(*world.rates(), world.prior, rows, tops)
    known = {"prior": world.prior, "purity": world.purity}
    return shots_of(table, known, _MADE[world, rows], tops)


def bands(world: World, rng: np.random.Generator) -> dict[str, Shot]:
    """Bands of both curves, at each of four rates by itself."""
    table, known = world.table(rng), {"prior": world.prior, "purity": world.purity}
    tpr, fpr = world.rates()
    at = np.array([0.1, 0.3, 0.6, 0.9])
    found = world.prior * at
    precision = found / (found + (1 - world.prior) * np.interp(at, tpr, fpr))
    shots = {}
    for name, curve_of, truth in (
        ("roc_curve", pm.roc_curve, np.interp(at, fpr, tpr)),
        ("pr_curve", pm.pr_curve, precision),
    ):
        curve = curve_of(table, band="pointwise", **known)
        assert curve.band is not None
        low, high = (
            np.interp(at, curve.band.x, edge) for edge in (curve.band.low, curve.band.high)
        )
        shots[f"{name}, band"] = Shot(low, high, truth, np.interp(at, curve.x, curve.y))
    return shots


@dataclass(frozen=True)
class Presences:
    """Even background scores, and presences whose density against them is known."""

    shape: str
    labelled: int
    unlabeled: int
    scenario: str = "case_control"

    def density(self, score: np.ndarray) -> np.ndarray:
        if self.shape == "rising":
            return 2 * score
        if self.shape == "bent":
            return 1 + 0.8 * np.sin(2.2 * np.pi * score - 1.2)
        return 6 * score * (1 - score)

    @cached_property
    def index(self) -> float:
        """Spearman's correlation of a hundred and one windows with their ratios, on a fine grid."""
        fine = np.linspace(0, 1, 100_001)
        heads = np.concatenate(
            [[0.0], np.cumsum((self.density(fine)[1:] + self.density(fine)[:-1]) / 2)]
        )
        starts = 0.9 * np.arange(101) / 100
        ratio = np.interp(starts + 0.1, fine, heads) - np.interp(starts, fine, heads)
        return float(spearmanr(starts, np.round(ratio, 6)).statistic)

    def table(self, rng: np.random.Generator) -> pm.ScoreTable:
        tried = rng.random(30 * self.labelled)
        kept = tried[rng.random(tried.size) * 2.2 < self.density(tried)][: self.labelled]
        return pm.ScoreTable.from_groups(
            positive=kept, unlabeled=rng.random(self.unlabeled), scenario=self.scenario
        )

    def __str__(self) -> str:
        return f"{self.shape} ratio, {self.labelled} + {self.unlabeled} rows"


def presences(world: Presences, rng: np.random.Generator) -> dict[str, Shot]:
    """The Boyce index with and without smoothing."""
    table, shots = world.table(rng), {}
    for smoothing in ("none", "monotone"):
        found = pm.boyce_index(table, smoothing=smoothing, n_resamples=200)
        shots[f"boyce_index, {smoothing}"] = Shot.about(found, world.index)
    return shots
