"""Coverage of the bounds if labels are biased; the second section of docs/evidence/bounds.md.

It is a part of simulate_bounds.py, which writes the page. Positives are normal around 1.5, negatives around 0. A
positive's odds of being labelled (its chance in case-control) are Γ times those of others if it lies above ("step")
or below ("reversed step") the median of the positives, or rise with its rank from 1 to Γ ("smooth").
"""

from __future__ import annotations

from dataclasses import dataclass

import evidence
import numpy as np
import runs
from scipy.special import ndtr, ndtri

import puremetrics as pm
from puremetrics.bounds.latent_limits import LatentLimits
from puremetrics.setting import LabelBias

SEED = 11
SHIFT = 1.5
HEADS = (0.02, 0.5, 0.9)  # of the positives, above three thresholds
NAMES = ("rates", "AUC", "average precision", "all at once", "largest prior")
RANDOM = "labels taken as random"


def odds_of(score: np.ndarray, shape: str, gamma: float) -> np.ndarray:
    """Odds of being labelled, from 1 to Γ."""
    if shape == "smooth":
        return gamma ** ndtr(score - SHIFT)
    return np.where((score > SHIFT) == (shape == "step"), gamma, 1.0)


@dataclass(frozen=True)
class World:
    """A scenario, how labels are biased, and by how much."""

    scenario: str
    shape: str
    gamma: float
    labelled: int = 200
    latent: int = 400
    negatives: int = 1200

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labelled positives, latent positives, negatives."""
        negative = rng.normal(0, 1, self.negatives)
        if self.scenario == "case_control":
            hidden = rng.normal(SHIFT, 1, self.latent)
            some = rng.normal(SHIFT, 1, int(20 * self.gamma * self.labelled))
            chance = odds_of(some, self.shape, self.gamma) / self.gamma
            return some[rng.random(some.size) < chance][: self.labelled], hidden, negative
        score = rng.normal(SHIFT, 1, self.labelled + self.latent)
        odds = (
            odds_of(score, self.shape, self.gamma) / self.gamma**0.5 * self.labelled / self.latent
        )
        known = rng.random(score.size) < odds / (1 + odds)
        return score[known], score[~known], negative

    def coverage(self, repeats: int, seed: int) -> dict[str, float]:
        """Share of samples in which bounds at Γ, and those for random labels, hold."""
        rng = np.random.default_rng(seed)
        single = self.scenario != "case_control"
        cuts = SHIFT - ndtri(np.array(HEADS))
        hits = {name: np.zeros(len(HEADS)) for name in ("rates", f"rates, {RANDOM}")}
        counts = dict.fromkeys([*NAMES[1:], f"AUC, {RANDOM}"], 0)
        for _ in range(repeats):
            known, hidden, negative = self.draw(rng)
            table = pm.ScoreTable.from_groups(
                positive=known,
                unlabeled=np.concatenate([hidden, negative]),
                scenario=self.scenario,
            )
            inside, heads = ((group[:, None] >= cuts).sum(axis=0) for group in (hidden, known))
            for name, gamma in (("rates", self.gamma), (f"rates, {RANDOM}", 1.0)):
                limits = LatentLimits(known.size, "exact", 0.95, bias=LabelBias(gamma))
                low, high = limits(heads, hidden.size)
                hits[name] += (low <= inside) & (inside <= high)
            truly = np.concatenate([known, hidden]) if single else hidden
            full = pm.ScoreTable.from_groups(
                positive=truly, unlabeled=None, negative=negative, scenario="case_control"
            )
            share = truly.size / (truly.size + negative.size)
            given = {"prior": share, "prior_of": "rows", "label_bias": self.gamma}
            area = pm.roc_auc(full, prior=None).value
            counts["AUC"] += area in pm.roc_auc_bounds(table, **given)
            counts[f"AUC, {RANDOM}"] += area in pm.roc_auc_bounds(
                table, prior=share, prior_of="rows"
            )
            precision = pm.average_precision(full, prior=share).value
            counts["average precision"] += precision in pm.average_precision_bounds(table, **given)
            band = pm.rank_cdf_band(table, simultaneous=True, **given)
            above = hidden.size - np.searchsorted(np.sort(hidden), band.threshold)
            true = above / hidden.size
            # At a labelled score, and just above it: the latent positives between two labelled ones.
            counts["all at once"] += bool(
                np.all((band.lower[1:] <= true[1:] + 1e-12) & (true[1:] <= band.upper[:-1] + 1e-12))
            )
            limit = pm.largest_prior(table, label_bias=self.gamma).prior
            counts["largest prior"] += limit >= share
        found = {name: float(values.min()) / repeats for name, values in hits.items()}
        return found | {name: count / repeats for name, count in counts.items()}


WORLDS = [
    World(scenario, shape, gamma)
    for scenario in ("case_control", "single_training_set")
    for shape in ("step", "reversed step", "smooth")
    for gamma in (1.5, 2.0, 4.0)
]


def measured(world: World, samples: int) -> dict[str, float]:
    """The shares of one world."""
    return world.coverage(samples, runs.seed_of(world, SEED))


def sentence(found: list[dict[str, float]]) -> str:
    """What was found."""
    names = ("rates", "AUC", "average precision")
    lowest = {name: min(one[name] for one in found) for name in found[0]}
    return (
        f"Bounds that allow for the bias hold {', '.join(names[:-1])} and {names[-1]} in at least "
        f"{min(lowest[name] for name in names):.3f} of the samples in all {len(found)} settings. Those that take labels "
        f"as given at random fall to {lowest[f'rates, {RANDOM}']:.3f} for the rates and {lowest[f'AUC, {RANDOM}']:.3f} "
        "for the AUC."
    )


def table(found: list[dict[str, float]]) -> list[str]:
    """All worlds."""
    columns = ["rates", f"rates, {RANDOM}", "AUC", f"AUC, {RANDOM}", *NAMES[2:]]
    rows = [
        (runs.SCENARIOS[w.scenario], w.shape, f"{w.gamma:g}", *(one[name] for name in columns))
        for w, one in zip(WORLDS, found, strict=True)
    ]
    return evidence.table(
        ["scenario", "bias", "Γ", *columns], rows, f"The shares in all {len(rows)} settings"
    )


def section(samples: int) -> list[str]:
    """What was found, how, and the table."""
    found = runs.in_parallel(measured, WORLDS, samples=samples)
    first = WORLDS[0]
    return [
        "## If labels are biased",
        "",
        sentence(found),
        "",
        "`label_bias=Γ` says that any two positives differ in their odds of being labelled by at most Γ. There are "
        f"{samples} samples of each setting, with {first.labelled} labelled and {first.latent} latent positives (in the "
        f"single training set about so many) and {first.negatives} negatives. The odds of being labelled are Γ times as "
        "high above the median of the positives (step) or below it (reversed step), or rise with the rank (smooth). The "
        "step makes the exact band as bad as it can be. The share of the rates is the lowest over heads with "
        f"{', '.join(f'{100 * h:g}%' for h in HEADS)} of the positives. All at once: `rank_cdf_band` with "
        "`simultaneous=True`.",
        "",
        *table(found),
    ]
