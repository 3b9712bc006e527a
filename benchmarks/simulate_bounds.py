"""Coverage of the bounds with known truth; writes the tables of docs/evidence/bounds.md.

Run: python benchmarks/simulate_bounds.py [docs/evidence/bounds.md]. In each sample the truth is that of the rows at
hand: the true positive rate of the latent positives and the false positive rate of the negatives at
three fixed thresholds, and the area under the ROC curve of all rows. `biased_bounds` adds labels that are not
given at random.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from biased_bounds import section
from scipy.special import ndtri

import puremetrics as pm
from puremetrics.bounds.limits import LatentLimits

REPEATS = 1000
HEADS = (0.02, 0.5, 0.98)  # true positive rates of the three thresholds


@dataclass(frozen=True)
class Setting:
    """So many labelled and latent positives and negatives, μ apart; ties: scores cut to ten levels."""

    labelled: int
    latent: int
    negatives: int
    shift: float
    ties: bool = False

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        groups = (
            rng.normal(self.shift, 1, self.labelled),
            rng.normal(self.shift, 1, self.latent),
            rng.normal(0, 1, self.negatives),
        )
        if not self.ties:
            return groups
        return tuple(np.round(2 * np.clip(g, -2, self.shift + 2)) / 2 for g in groups)

    def thresholds(self) -> list[float]:
        cuts = [self.shift - float(ndtri(share)) for share in HEADS]
        return [float(np.round(2 * cut) / 2) for cut in cuts] if self.ties else cuts

    def coverage(self, repeats: int, seed: int) -> dict[str, float]:
        """Share of samples that the exact and the paper's bounds hold in, the lowest of the heads."""
        rng = np.random.default_rng(seed)
        hits = {name: np.zeros(len(HEADS)) for name in ("exact", "bootstrap")}
        areas = {"exact": 0, "bootstrap": 0}
        prior = self.latent / (self.latent + self.negatives)
        for _ in range(repeats):
            known, hidden, negative = self.draw(rng)
            inside = [int((hidden >= t).sum()) for t in self.thresholds()]
            heads = np.array([int((known >= t).sum()) for t in self.thresholds()])
            table = pm.ScoreTable.from_groups(
                positive=known,
                unlabeled=np.concatenate([hidden, negative]),
                scenario="case_control",
            )
            truth = pm.roc_auc(
                pm.ScoreTable.from_groups(
                    positive=hidden, unlabeled=None, negative=negative, scenario="case_control"
                ),
                prior=None,
            ).value
            for band in hits:
                low, high = LatentLimits(self.labelled, band, 0.95)(heads, self.latent)
                # FPR = (h_U − x) / negatives: it is covered if and only if x, hence TPR, is.
                hits[band] += (low <= inside) & (inside <= high)
                areas[band] += truth in pm.roc_auc_bounds(
                    table, prior=prior, band=band, prior_of="rows"
                )
        result = {f"rates, {band}": float(hits[band].min()) / repeats for band in hits}
        return result | {f"AUC, {band}": areas[band] / repeats for band in areas}


GRID = [
    Setting(1000, 50, 1000, 1.0),
    Setting(1000, 200, 1000, 1.0),
    Setting(1000, 1000, 1000, 1.0),
    Setting(1000, 10_000, 10_000, 1.0),
    Setting(50, 50, 500, 1.0),
    Setting(50, 500, 500, 1.0),
    Setting(50, 5000, 5000, 1.0),
    Setting(200, 50, 2000, 2.5),
    Setting(200, 200, 200, 2.5),
    Setting(200, 2000, 20_000, 0.3),
    Setting(1000, 50, 1000, 1.0, ties=True),
    Setting(50, 500, 500, 1.0, ties=True),
    Setting(200, 1000, 5000, 2.5, ties=True),
]


def main(target: str | None) -> None:
    lines = [
        "# Coverage of the bounds",
        "",
        f"Share of {REPEATS} samples, at nominal 0.95, in which the bounds on the true and false positive "
        f"rates hold (the lowest over heads with {', '.join(f'{100 * h:g} %' for h in HEADS)} of the "
        "positives), and those on the AUC; with the exact band, and with the paper's bootstrap band beside "
        "it. Made by `make coverage-tables`.",
        "",
        "| labelled | latent | negatives | μ | ties | rates, exact | rates, bootstrap | AUC, exact "
        "| AUC, bootstrap |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in GRID:
        c = setting.coverage(REPEATS, 5)
        lines.append(
            f"| {setting.labelled} | {setting.latent} | {setting.negatives} | {setting.shift} "
            f"| {'yes' if setting.ties else 'no'} | {c['rates, exact']:.3f} | {c['rates, bootstrap']:.3f} "
            f"| {c['AUC, exact']:.3f} | {c['AUC, bootstrap']:.3f} |"
        )
        print(lines[-1], flush=True)
    lines += ["", *section()]
    if target:
        Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
