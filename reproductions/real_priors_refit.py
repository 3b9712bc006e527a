"""Constants of `lookalikes`, chosen again on ten sets and tried on the other five."""

from __future__ import annotations

from typing import NamedTuple
from unittest import mock

import numpy as np
from reproductions.real_priors_tables import Data, inside

from puremetrics.priors import lookalikes

EXPECTED = np.round(np.arange(0.1, 0.901, 0.1), 1)
MOST = np.round(np.arange(0.5, 1.501, 0.1), 1)
SPLITS, LEFT_OUT = 10, 1 / 3
ENOUGH = 0.95


class Constants(NamedTuple):
    """The mean share of look-alikes and the largest, both as multiples of the overlap."""

    expected: float
    most: float


class Outcome(NamedTuple):
    """What a pair of constants gives, case by case."""

    error: np.ndarray
    held: np.ndarray
    width: np.ndarray


class Split(NamedTuple):
    """One split: sets left out, what was chosen without them, and what that gives on them."""

    left_out: list[str]
    chosen: Constants
    error: float
    coverage: float
    error_now: float
    coverage_now: float


def outcome(data: Data, constants: Constants) -> Outcome:
    """The default method with other constants, from what it knew before."""
    expected, most = constants
    columns = (data[f"before_{name}"] for name in ("share", "low", "high", "apart"))
    with mock.patch.multiple(lookalikes, EXPECTED=expected, MOST=most):
        found = [lookalikes.likely_share(*values) for values in zip(*columns, strict=True)]
    share, low, high = (
        np.array([getattr(f, name) for f in found]) for name in ("share", "low", "high")
    )
    to_prior = np.where(data["scenario"] == "single_training_set", data["unlabeled"], 1.0)
    error = to_prior * np.abs(share - data["hidden"])
    return Outcome(error, inside(data["hidden"], low, high), to_prior * (high - low))


def chosen_on(data: Data, outcomes: dict[Constants, Outcome], cases: np.ndarray) -> Constants:
    """The rule: least error; then the smallest allowance that covers at every number of labels."""
    first = MOST[0]
    expected = min(EXPECTED, key=lambda e: outcomes[Constants(e, first)].error[cases].mean())
    for most in MOST:
        held = outcomes[Constants(expected, most)].held
        groups = [cases & (data["labels"] == n) for n in np.unique(data["labels"][cases])]
        if all(held[group].mean() >= ENOUGH for group in groups):
            return Constants(float(expected), float(most))
    return Constants(float(expected), float(MOST[-1]))


def splits(data: Data, rng: np.random.Generator, count: int = SPLITS) -> list[Split]:
    """Random splits of the sets."""
    outcomes = {Constants(e, m): outcome(data, Constants(e, m)) for e in EXPECTED for m in MOST}
    now = outcome(data, Constants(lookalikes.EXPECTED, lookalikes.MOST))
    names = list(dict.fromkeys(data["set"]))
    result = []
    for _ in range(count):
        size = max(round(LEFT_OUT * len(names)), 1)
        left_out = sorted(rng.choice(names, size, replace=False).tolist())
        out = np.isin(data["set"], left_out)
        chosen = chosen_on(data, outcomes, ~out)
        found = outcomes[chosen]
        means = [float(column[out].mean()) for column in (*found[:2], *now[:2])]
        result.append(Split(left_out, chosen, *means))
    return result
