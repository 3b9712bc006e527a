"""Samples with evidence of every kind, and with the truth beside them.

Positives score higher than negatives: two normal classes, or rows of real data sets whose truth is known (folder
score_pools of the one that PUREMETRICS_DATA_FOLDER names), drawn with replacement. Everything else, who catches
which positive, who looks at which row, who errs, is drawn from chances that depend on the standardised score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

import puremetrics as pm

APART = 1.6
STATISTICS = ("prior", "precision", "recall", "f1", "roc_auc", "average_precision")
Arrays = np.ndarray[Any, Any]


@dataclass(frozen=True)
class World:
    """Rows, prior, threshold (in standard deviations above the mean negative), and what is known."""

    kind: str
    told: str
    rows: int
    prior: float
    known: Callable[[np.random.Generator, Arrays, Arrays], Known]
    threshold: float = 1.0
    pool: str = ""


@dataclass(frozen=True)
class Known:
    """Labels, and evidence beside them; ``alone`` is what somebody would have without the newest kind."""

    label: Arrays
    evidence: list[Any]
    alone: list[Any] = field(default_factory=list)


def scaled(logits: Arrays, among: Arrays, share: float) -> Arrays:
    """Chances with these logits, up to a constant that makes their mean over some rows right."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        below = expit(logits[among] + middle).mean() < share
        low, high = (middle, high) if below else (low, middle)
    return np.asarray(expit(logits + low))


def draw(world: World, rng: np.random.Generator) -> tuple[Arrays, Arrays, dict[str, float]]:
    """Truth and score of each row, and the statistics of the population that they are from."""
    truth = rng.random(world.rows) < world.prior
    if not world.pool:
        return truth, rng.normal(size=world.rows) + APART * truth, normal_truths(world)
    is_, score = pool(world.pool)
    chosen = np.where(
        truth,
        rng.choice(np.flatnonzero(is_), world.rows),
        rng.choice(np.flatnonzero(~is_), world.rows),
    )
    weight = np.where(is_, world.prior / is_.sum(), (1 - world.prior) / (~is_).sum())
    return truth, score[chosen], weighted_truths(is_, score, weight, world.threshold)


def pool(name: str) -> tuple[Arrays, Arrays]:
    """Truth and standardised score of a data set, written as file:column."""
    file, column = name.split(":")
    with np.load(Path(file)) as held:
        is_, score = np.asarray(held["y"]) == 1, np.asarray(held[column], dtype=np.float64)
    ranks = np.argsort(np.argsort(score, kind="stable"), kind="stable")
    from scipy.special import ndtri

    # As normal as it gets, so that one threshold and one slope mean about the same everywhere; ties stay.
    _, place = np.unique(score, return_inverse=True)
    middle = np.bincount(place, ranks) / np.bincount(place)
    return is_, np.asarray(ndtri((middle[place] + 0.5) / score.size))


def normal_truths(world: World) -> dict[str, float]:
    """What two normal classes have."""
    cuts = np.linspace(-8, 12, 200_001)[::-1]
    found, others = ndtr(APART - cuts), ndtr(-cuts)
    hits, wrong = ndtr(APART - world.threshold), ndtr(-world.threshold)
    return _told(world.prior, hits, wrong, found, others)


def weighted_truths(is_: Arrays, score: Arrays, weight: Arrays, cut: float) -> dict[str, float]:
    """What the rows of a data set have, with these weights."""
    order = np.argsort(-score, kind="stable")
    ends = np.r_[np.flatnonzero(np.diff(score[order])), score.size - 1]
    found = np.cumsum(np.where(is_, weight, 0)[order])[ends]
    others = np.cumsum(np.where(is_, 0, weight)[order])[ends]
    prior = float(found[-1])
    above = score >= cut
    hits, wrong = (float(weight[above & side].sum()) for side in (is_, ~is_))
    return _told(prior, hits / prior, wrong / (1 - prior), found / prior, others / others[-1])


def _told(
    prior: float, hits: float, wrong: float, found: Arrays, others: Arrays
) -> dict[str, float]:
    precision = prior * hits / (prior * hits + (1 - prior) * wrong)
    at = prior * found / np.maximum(prior * found + (1 - prior) * others, 1e-300)
    steps = np.diff(found, prepend=0.0)
    return {
        "prior": prior,
        "precision": precision,
        "recall": hits,
        "f1": 2 * precision * hits / (precision + hits),
        "roc_auc": _area(found, others),
        "average_precision": float(np.sum(steps * at)),
    }


def _area(found: Arrays, others: Arrays) -> float:
    """Area under the curve, ties counted half."""
    steps = np.diff(others, prepend=0.0)
    return float(np.sum(steps * (found + np.r_[0.0, found[:-1]]) / 2))


def measured(table: pm.ScoreTable, evidence: list[Any], threshold: float) -> dict[str, Any]:
    """Value and interval of every statistic."""
    told = pm.assume(table, evidence=evidence)
    return {
        "prior": told.joint_prior(),
        **{name: told.metric(name, threshold=threshold) for name in ("precision", "recall", "f1")},
        "roc_auc": told.roc_auc(),
        "average_precision": told.average_precision(),
    }


# ---------------------------------------------------------------------- kinds


def labelled(
    rng: np.random.Generator, truth: Arrays, score: Arrays, favoured: float, share: float = 0.2
) -> Arrays:
    """Which positives have a label: more of those with high scores, the more so the larger ``favoured``."""
    return np.asarray(
        truth & (rng.random(truth.size) < scaled(favoured * (score - APART), truth, share))
    )


def sources(
    rates: tuple[float, ...], slopes: tuple[float, ...], shared: float = 0.0, dependence: Any = 1.0
) -> Callable[..., Known]:
    """Label sources that each catch a share of the positives, rather high scores or low ones.

    ``shared`` is the standard deviation of a cause beyond the score that makes all of them catch a positive.
    """

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        common = shared * rng.normal(size=truth.size)
        caught = {}
        for number, (rate, slope) in enumerate(zip(rates, slopes, strict=True)):
            chance = scaled(slope * (score - APART) + common, truth, rate)
            caught[f"source {number + 1}"] = (truth & (rng.random(truth.size) < chance)).astype(int)
        label = np.any(list(caught.values()), axis=0).astype(int)
        return Known(label, [pm.LabelSources.from_arrays(score, caught, dependence=dependence)])

    return known


def investigated(
    share: float, slope: float, sensitivity: float = 1.0, specificity: float = 1.0, told: str = "",
    favoured: float = 0.0,
) -> Callable[..., Known]:  # fmt: skip
    """Rows that somebody looked at, rather those with high scores; whoever did may err.

    ``told`` says what is known of the errors: nothing to tell, "known", "range", or "second" answers to 40%.
    """

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        label = labelled(rng, truth, score, favoured)
        rest = np.flatnonzero(~label)
        chance = scaled(slope * score[rest], np.ones(rest.size, bool), share)
        looked = rng.random(rest.size) < chance
        is_ = truth[rest]
        right = rng.random(rest.size) < np.where(is_, sensitivity, specificity)
        answers = np.where(looked, np.where(right, is_, ~is_), np.nan)
        errors: dict[str, Any] = {}
        if told == "known":
            errors = {"sensitivity": sensitivity, "specificity": specificity}
        elif told == "range":
            errors = {
                "sensitivity": (sensitivity - 0.05, min(sensitivity + 0.05, 1.0)),
                "specificity": (specificity - 0.01, min(specificity + 0.01, 1.0)),
            }
        elif told == "second":
            again = looked & (rng.random(rest.size) < 0.4)
            errors = {"second": np.where(again, is_, np.nan)}
        found = pm.Investigated.from_arrays(score[rest], answers, **errors)
        return Known(label.astype(int), [found])

    return known


def checkers(share: float, errors: tuple[tuple[float, float], ...]) -> Callable[..., Known]:
    """Several checkers who answer to the same rows, each with a sensitivity and a specificity."""

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        label = truth & (rng.random(truth.size) < 0.2)
        rest = np.flatnonzero(~label)
        looked = rng.random(rest.size) < scaled(0.5 * score[rest], np.ones(rest.size, bool), share)
        is_ = truth[rest]
        answers = {}
        for number, (sensitivity, specificity) in enumerate(errors):
            right = rng.random(rest.size) < np.where(is_, sensitivity, specificity)
            answers[f"checker {number + 1}"] = np.where(looked, np.where(right, is_, ~is_), np.nan)
        return Known(label.astype(int), [pm.Investigated.from_arrays(score[rest], answers)])

    return known


def judged(
    sensitivity: float,
    specificity: float,
    answers: int,
    slope: float = 0.0,
    where: float = -np.inf,
    favoured: float = 0.0,
) -> Callable[..., Known]:
    """A judge of all rows, and people who look at some with scores of at least ``where``.

    ``slope`` makes the judge better (or worse) at positives with high scores.
    """

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        label = labelled(rng, truth, score, favoured)
        rest = np.flatnonzero(~label)
        is_, at = truth[rest], score[rest]
        yes = np.log(sensitivity / (1 - sensitivity)) + slope * (at - APART)
        no = np.log((1 - specificity) / specificity) + slope * at
        said = (rng.random(rest.size) < expit(np.where(is_, yes, no))).astype(int)
        outcome = np.full(rest.size, np.nan)
        asked = rng.choice(np.flatnonzero(at >= where), answers, replace=False)
        outcome[asked] = is_[asked]
        return Known(
            label.astype(int),
            [pm.Judged.from_arrays(at, said, outcome)],
            [pm.Investigated.from_arrays(at, outcome)],
        )

    return known


def random_labels(labels: float, checked: int, error: float = 0.0) -> Callable[..., Known]:
    """Labels at random beside rows that were checked at random, or beside a published prior."""

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        label = truth & (rng.random(truth.size) < labels)
        rest = np.flatnonzero(~label)
        if error:
            prior = float(np.clip(rng.normal(truth.mean(), error), 0.1 * error, 0.95))
            return Known(
                label.astype(int), [pm.RandomLabels(), pm.PublishedPrior(prior, error=error)]
            )
        rows = rng.choice(rest, checked, replace=False)
        audit = pm.Audit.from_arrays(score[rows], truth[rows])
        return Known(label.astype(int), [pm.RandomLabels(), audit], [audit])

    return known


def several(*parts: Callable[..., Known]) -> Callable[..., Known]:
    """Label sources with other evidence beside them: labels are those of the sources."""

    def known(rng: np.random.Generator, truth: Arrays, score: Arrays) -> Known:
        first = parts[0](rng, truth, score)
        return Known(first.label, [*first.evidence, pm.PublishedPrior(
            float(rng.normal(truth.mean(), 0.1 * truth.mean())), error=0.1 * float(truth.mean())
        )], first.evidence)  # fmt: skip

    return known
