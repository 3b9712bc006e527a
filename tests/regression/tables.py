"""A few hundred small tables of every kind, the same in every run."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from puremetrics import JointTable, ScoreTable

COUNT = 240
_SCENARIOS = ("case_control", "single_training_set")


def tables() -> Iterator[tuple[str, ScoreTable, float]]:
    """Names, tables and a prior that each of them allows."""
    for number in range(COUNT):
        yield made(number)


def made(number: int) -> tuple[str, ScoreTable, float]:
    """The table of that number, with its name and a possible prior."""
    rng = np.random.default_rng(number)
    scenario = _SCENARIOS[number % 2]
    labelled, unlabeled = int(rng.integers(6, 60)), int(rng.integers(20, 300))
    hidden = int(rng.uniform(0.05, 0.4) * unlabeled) + 1
    apart = float(rng.uniform(0.3, 3.0))
    score = rng.normal(size=labelled + unlabeled)
    score[: labelled + hidden] += apart
    y = np.zeros(score.size, dtype=int)
    y[:labelled] = 1
    kinds = []
    if number % 3 == 0:  # probabilities
        score = 1 / (1 + np.exp(-score))
        kinds.append("probabilities")
    if number % 4 == 1:
        score = np.round(score, 1)
        kinds.append("ties")
    if number % 5 == 2:
        y[-int(rng.integers(3, 15)) :] = 2
        kinds.append("negatives")
    options: dict[str, Any] = {"neg_label": 2 if (y == 2).any() else None}
    if number % 7 == 3:
        options["sample_weight"] = rng.uniform(0.5, 2.0, size=y.size)
        kinds.append("weights")
    table = ScoreTable.from_arrays(y, score, scenario=scenario, **options)
    prior = hidden / (y == 0).sum()
    if scenario == "single_training_set":
        prior = (table.total_pos + prior * table.total_unl) / table.total
    return f"{number} {scenario} {' '.join(kinds)}".strip(), table, float(prior)


def joint(number: int) -> tuple[JointTable, float]:
    """Two models on the same rows, and a possible prior."""
    rng = np.random.default_rng(1000 + number)
    labelled, unlabeled, hidden = 30, 120, 25
    truth = np.zeros(labelled + unlabeled)
    truth[: labelled + hidden] = 1
    scores = {name: truth * by + rng.normal(size=truth.size) for name, by in (("a", 2.0), ("b", 1))}
    if number % 2:
        scores = {name: np.round(score, 1) for name, score in scores.items()}
    y = (np.arange(truth.size) < labelled).astype(int)
    scenario = _SCENARIOS[number % 2]
    prior = hidden / unlabeled if number % 2 == 0 else (labelled + hidden) / truth.size
    return JointTable.from_arrays(y, scores, scenario=scenario), prior
