"""What simulate_calibration.py measures: one setting each of bias, debiasing, coverage, rare positives, priors, repair.

The model is that of Kiryo, Futami and Sugiyama (2025), Section 5.1, except where positives are rare.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from runs import seed_of
from sharpness import lambda95, need_of
from worlds import GRID, Model

import puremetrics as pm
from puremetrics.calibration import calibration_error
from puremetrics.calibration.gaps import split_size
from puremetrics.calibration.recalibration import recalibrate
from puremetrics.calibration.theory import optimal_bins

SEED = 30
INF = float("inf")
GROWING = {  # labelled and unlabeled rows, as multiples of N or fixed
    "n_P = N, n_U = 10·N": lambda n: (n, 10 * n),
    "n_P = N, n_U = ∞": lambda n: (n, INF),
    "n_P = ∞, n_U = N": lambda n: (INF, n),
    "n_P = 100, n_U = N": lambda n: (100, n),
    "n_P = 1000, n_U = N": lambda n: (1000, n),
}
FACTORS = (0.9, 0.95, 1.0, 1.05, 1.1)  # of the prior
METHODS = ("isotonic", "platt", "temperature", "beta")


def fresh(setting: Any) -> np.random.Generator:
    """Random numbers of this setting."""
    return np.random.default_rng(seed_of(setting, SEED))


class Bias(NamedTuple):
    """A model and a size; ``rows`` names how both groups grow."""

    model: Model
    rows: str
    n: int


def bias(setting: Bias, samples: int) -> tuple[float, float]:
    """Mean distance of the plug-in and of the debiased estimate from the truth."""
    rng, model = fresh(setting), setting.model
    n_pos, n_unl = GROWING[setting.rows](setting.n)
    bins = optimal_bins(prior=0.5, n_pos=min(n_pos, 1e15), n_unl=min(n_unl, 1e15))
    known = {"prior": 0.5, "n_bins": bins, "binning": "mass"}
    found = [calibration_error(model.table(rng, n_pos, n_unl), **known) for _ in range(samples)]
    plain = np.mean([abs(r.error - model.truth) for r in found])
    return float(plain), float(np.mean([abs(r.debiased - model.truth) for r in found]))


class Supervised(NamedTuple):
    """A model, and a number of rows that all have labels."""

    model: Model
    n: int


def supervised(setting: Supervised, samples: int) -> float:
    """Mean distance of Eq. (1) from the truth, with ⌈n^(1/3)⌉ bins of equal mass."""
    rng, (model, rows) = fresh(setting), setting
    bins = int(np.ceil(rows ** (1 / 3) - 1e-9))
    found = []
    for _ in range(samples):
        y = rng.random(rows) < 0.5
        s = model.draw(rng, y)
        edges = np.sort(s)[np.arange(1, bins) * rows // bins - 1]
        at = np.searchsorted(edges, s)
        found.append(np.abs(np.bincount(at, s - y, minlength=bins)).sum() / rows)
    return float(np.mean(np.abs(np.array(found) - model.truth)))


class Debiasing(NamedTuple):
    """A model, a size, and a number of bins."""

    model: Model
    n_pos: int
    n_unl: int
    bins: int


def debiasing(setting: Debiasing, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Plug-in, debiased and split estimate: their means, and mean distances from the truth."""
    rng, (model, n_pos, n_unl, bins) = fresh(setting), setting
    found = np.empty((samples, 3))
    for i in range(samples):
        result = calibration_error(
            model.table(rng, n_pos, n_unl), prior=0.5, n_bins=bins, binning="mass"
        )
        split = float(split_size(result.bins.gap, result.bins.noise).sum())
        found[i] = result.error, result.debiased, max(split, 0.0)
    return found.mean(axis=0), np.abs(found - model.truth).mean(axis=0)


class Cover(NamedTuple):
    """A scenario, a model, a size, and how scores are binned."""

    scenario: str
    model: Model
    n_pos: int
    n_unl: int
    purity: float
    binning: str
    bins: int


def cover(setting: Cover, samples: int) -> np.ndarray:
    """Share of intervals that hold: analytic, bootstrap, analytic of the unbinned error; mean width; λ95."""
    rng, model = fresh(setting), setting.model
    known = {"prior": 0.5, "purity": setting.purity, "n_bins": setting.bins,
             "binning": setting.binning}  # fmt: skip
    found, needs = np.empty((samples, 4)), np.empty(samples)
    for i in range(samples):
        table = model.table(rng, setting.n_pos, setting.n_unl, setting.scenario, setting.purity)
        plain = calibration_error(table, **known)
        drawn = calibration_error(table, **known, interval="bootstrap", n_resamples=200, rng=rng)
        truth = model.binned_truth(plain.bins.upper)
        found[i] = (truth in plain.interval, truth in drawn.interval,
                    model.truth in plain.interval, plain.interval.width)  # fmt: skip
        needs[i] = need_of(truth, plain.error, plain.interval)
    return np.append(found.mean(axis=0), lambda95(needs))


class Rare(NamedTuple):
    """Few positives, N(3, 1) against N(0, 1), and a model whose logits are too steep."""

    prior: float
    n_pos: int
    n_unl: int
    steeper: float
    binning: str


def rare(setting: Rare, samples: int) -> np.ndarray:
    """Share that holds the binned and the unbinned error, labels in one bin, and binned / unbinned error."""
    rng, (prior, n_pos, n_unl, steeper, binning) = fresh(setting), setting
    x = np.linspace(-7, 10, 400_001)
    laws = [np.exp(-((x - move) ** 2) / 2) for move in (3.0, 0.0)]
    laws = [law / law.sum() for law in laws]
    evidence = np.log(prior / (1 - prior)) + 3 * x - 4.5
    score = 1 / (1 + np.exp(-steeper * evidence))
    gap = score * (prior * laws[0] + (1 - prior) * laws[1]) - prior * laws[0]
    true = float(np.abs(gap).sum())
    found = np.empty((samples, 4))
    for i in range(samples):
        y = rng.random(n_unl) < prior
        raw = rng.normal(size=n_pos) + 3, rng.normal(size=n_unl) + 3 * y
        pos, unl = (np.interp(part, x, score) for part in raw)
        table = pm.ScoreTable.from_groups(positive=pos, unlabeled=unl, scenario="case_control")
        result = calibration_error(table, prior=prior, binning=binning)
        binned = np.abs(np.bincount(np.searchsorted(result.bins.upper, score), gap)).sum()
        found[i] = (binned in result.interval, true in result.interval,
                    result.bins.n_pos.max() / n_pos, binned / true)  # fmt: skip
    return found.mean(axis=0)


class WrongPrior(NamedTuple):
    """A model, n labelled and 10·n unlabeled rows."""

    model: Model
    n: int


def wrong_prior(setting: WrongPrior, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest shift of the estimate by each factor of the prior, and mean distance from the truth."""
    rng, (model, n) = fresh(setting), setting
    known = {"n_bins": optimal_bins(prior=0.5, n_pos=n, n_unl=10 * n), "binning": "mass"}
    errors = np.empty((samples, len(FACTORS)))
    for i in range(samples):
        table = model.table(rng, n, 10 * n)
        errors[i] = [calibration_error(table, prior=0.5 * f, **known).error for f in FACTORS]
    right = errors[:, [FACTORS.index(1.0)]]
    return np.abs(errors - right).max(axis=0), np.abs(errors - model.truth).mean(axis=0)


class Repair(NamedTuple):
    """A model, and the size of the sample that its map is fitted on."""

    model: Model
    n_pos: int
    n_unl: int


def repair(setting: Repair, samples: int) -> np.ndarray:
    """Before and after each method: the debiased estimate on new data, and the map's distance from the truth."""
    rng, (model, n_pos, n_unl) = fresh(setting), setting
    found = np.empty((samples, 1 + len(METHODS), 2))
    for i in range(samples):
        fit_on, judge_on = model.table(rng, n_pos, n_unl), model.table(rng, 2000, 20_000)
        found[i, 0] = calibration_error(judge_on, prior=0.5).debiased, model.truth
        for j, method in enumerate(METHODS, start=1):
            to_probability = recalibrate(fit_on, prior=0.5, method=method)
            after = calibration_error(to_probability.apply(judge_on), prior=0.5).debiased
            found[i, j] = after, model.distance(to_probability(model.score(GRID)))
    return found.mean(axis=0)
