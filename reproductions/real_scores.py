"""Draws from pools of real scores whose truth is known: PU samples with any prior and number of labels.

A pool is one file `score_pools/NAME.npz` of the data folder: `y`, the truth, and columns of scores that
models gave to rows they had not seen. `*_pu` models were trained on 30% of the positives against
everything else, `*_sup` models on the truth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from sklearn.metrics import roc_auc_score

import puremetrics as pm

SCENARIOS = ("case_control", "single_training_set")
PRIORS = (None, 0.01, 0.05, 0.2, 0.5)  # None: as in the pool
LABELS = (30, 100, 1000)
FREQUENCIES = (0.05, 0.2, 0.5)
MODELS = ("lr_pu", "hgb_pu", "mlp_pu", "lr_sup")
MOST_ROWS = 60_000

Pool = dict[str, np.ndarray]


class Cell(NamedTuple):
    """What is asked of a draw."""

    set: str
    scenario: str
    wanted: float | None
    labels: int
    frequency: float


@dataclass(frozen=True)
class Draw:
    """Rows of a pool with labels on some of the positives."""

    cell: Cell
    pool: Pool
    rows: np.ndarray
    labelled: np.ndarray
    truth: np.ndarray

    @property
    def population(self) -> np.ndarray:
        """The rows that the prior and every metric are about."""
        if self.cell.scenario == "case_control":
            return ~self.labelled
        return np.ones(self.rows.size, dtype=bool)

    @property
    def prior(self) -> float:
        return float(self.truth[self.population].mean())

    @property
    def hidden_share(self) -> float:
        """Share of positives among the unlabeled rows."""
        return float(self.truth[~self.labelled].mean())

    def scores(self, model: str) -> np.ndarray:
        return self.pool[model][self.rows].astype(float)

    def table(self, scores: np.ndarray) -> pm.ScoreTable:
        return pm.ScoreTable.from_arrays(
            self.labelled.astype(int), scores, scenario=self.cell.scenario
        )

    def judged(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Truth and scores of the population, for scikit-learn."""
        return self.truth[self.population], scores[self.population]

    def auc(self, scores: np.ndarray) -> float:
        return float(roc_auc_score(*self.judged(scores)))


def pools(folder: Path | None) -> dict[str, Pool]:
    """All pools of the data folder; none, with a sentence, where there are none."""
    named = folder or os.environ.get("PUREMETRICS_DATA_FOLDER")
    files = sorted((Path(named) / "score_pools").glob("*.npz")) if named else []
    if not files:
        print(
            "Without pools of scores: no score_pools/*.npz in the data folder (--folder or "
            "PUREMETRICS_DATA_FOLDER).",
            flush=True,
        )
    found = {}
    for file in files:
        with np.load(file) as columns:
            found[file.stem] = {name: columns[name] for name in ("y", *MODELS)}
    return found


def made_pools(seed: int, size: int = 4000) -> dict[str, Pool]:
    """Two small pools of normal scores: classes that part, and classes that overlap."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, apart in {"made_apart": 4.0, "made_overlapping": 1.5}.items():
        y = (rng.random(size) < 0.3).astype(int)
        common = apart * y + rng.normal(size=size)
        spread = dict(zip(MODELS, (0.3, 0.5, 0.9, 0.1), strict=True))
        found[name] = {"y": y} | {m: common + s * rng.normal(size=size) for m, s in spread.items()}
    return found


def sizes(cell: Cell, pool: Pool) -> tuple[int, int]:
    """Positives and negatives that a draw needs."""
    positives = round(cell.labels / cell.frequency)
    prior = float(pool["y"].mean()) if cell.wanted is None else cell.wanted
    of = positives if cell.scenario == "single_training_set" else positives - cell.labels
    return positives, round(of * (1 - prior) / prior)


def cells(found: dict[str, Pool], labels: Sequence[int] = LABELS) -> Iterator[Cell]:
    """All cells that the pools can fill."""
    for name, pool in found.items():
        available = int(pool["y"].sum())
        for scenario, prior, count, frequency in product(SCENARIOS, PRIORS, labels, FREQUENCIES):
            cell = Cell(name, scenario, prior, count, frequency)
            positives, negatives = sizes(cell, pool)
            enough = positives <= available and negatives <= pool["y"].size - available
            if enough and positives + negatives <= MOST_ROWS:
                yield cell


def generator(seed: int, *what: object) -> np.random.Generator:
    """Random numbers that depend on nothing but the seed and what they are for."""
    return np.random.default_rng([seed, crc32(repr(what).encode())])


def draw(cell: Cell, pool: Pool, seed: int) -> Draw:
    """One sample: the first positives that are drawn carry the labels."""
    positives, negatives = sizes(cell, pool)
    rng = generator(seed, *cell)
    chosen = [
        rng.choice(np.flatnonzero(pool["y"] == value), count, replace=False)
        for value, count in ((1, positives), (0, negatives))
    ]
    rows = np.concatenate(chosen)
    place = np.arange(rows.size)
    return Draw(cell, pool, rows, place < cell.labels, place < positives)
