"""What biased labels leave open, from the definition: linear programs, trying all tilts, bisection.

The positives that a correction has to find are distributed as s·g·v, with g the shares of the labelled
positives at each score, v between 1 and Γ, and s a constant. They fit among the unlabeled rows: their
share of those, α, times their distribution is nowhere more than the distribution of the unlabeled rows.
Rows are in falling order of their scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog, minimize

_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Case(NamedTuple):
    """One model's counts at each score, and what is known of the positives."""

    share: np.ndarray  # of the labelled positives, g
    caps: np.ndarray  # the most of the positives to find that fit at each score
    population: np.ndarray  # F
    prior: float
    known: float  # share of all positives that are labelled rows of the population, c
    alpha: float

    def found(self, tilt: Sequence[float] | np.ndarray) -> np.ndarray:
        """The distribution of all positives at a tilt v."""
        moved = self.share * np.asarray(tilt, float)
        return self.known * self.share + (1 - self.known) * moved / moved.sum()

    def mean_range(self, values, ratio, *, capped=True, side="either"):
        """The least and the largest Σ f·values of all positives; None if no tilt fits."""
        # Where labels at random do not fit, by noise, they stay possible.
        room = np.maximum(self.caps, self.share) if capped else None
        ends = extremes(self.share, values, ratio, room, side)
        if ends is None:
            return None
        fixed = self.known * (np.atleast_2d(values) @ self.share)
        ends = fixed[:, None] + (1 - self.known) * np.atleast_2d(ends)
        return ends[0] if np.ndim(values) == 1 else ends


def case(pos, unl, neg, *, scenario: str, prior: float) -> Case | None:
    """Counts at falling scores as a case; None if the prior leaves no hidden positives."""
    pos, unl, neg = (np.asarray(x, float) for x in (pos, unl, neg))
    if scenario == "case_control":
        population, known, alpha = unl / unl.sum(), 0.0, prior
    else:
        rows = pos + unl + neg
        population = rows / rows.sum()
        known = pos.sum() / (prior * rows.sum())
        alpha = (prior * rows.sum() - pos.sum()) / unl.sum()
    if not 0 < alpha < 1:
        return None
    caps = unl / unl.sum() / alpha
    return Case(pos / pos.sum(), caps, population, prior, known, alpha)


def extremes(share, values, ratio, caps=None, side="either"):
    """The least and the largest Σ φ·values over φ = s·share·v ≤ caps, v in [1, ratio]; None if no φ fits.

    With side "high" v does not rise with the score, with "low" it does not fall. Several rows of values
    make one program of independent blocks.
    """
    keep = np.asarray(share) > 0
    g = np.asarray(share, float)[keep]
    several = np.atleast_2d(np.asarray(values, float))[:, keep]
    size, blocks = g.size, 2 * len(several)
    rows = np.vstack(
        [
            np.hstack([-np.eye(size), g[:, None]]),
            np.hstack([np.eye(size), -ratio * g[:, None]]),
        ]
    )
    if side != "either" and size > 1:  # v = φ / (s·g), the first row has the highest score
        steps = np.zeros((size - 1, size + 1))
        for i in range(size - 1):
            steps[i, i], steps[i, i + 1] = 1 / g[i], -1 / g[i + 1]
        rows = np.vstack([rows, steps if side == "high" else -steps])
    upper = [None] * size if caps is None else list(np.asarray(caps, float)[keep])
    objective = [[*sign * h, 0.0] for h in several for sign in (1, -1)]
    result = linprog(
        np.concatenate(objective),
        A_ub=sparse.kron(sparse.eye(blocks), rows, format="csc"),
        b_ub=np.zeros(blocks * len(rows)),
        A_eq=sparse.kron(sparse.eye(blocks), [[1.0] * size + [0.0]], format="csc"),
        b_eq=np.ones(blocks),
        bounds=([(0, cap) for cap in upper] + [(0, None)]) * blocks,
        method="highs",
        options=_OPTIONS,
    )
    if result.status == 2:
        return None
    assert result.status == 0, result.message
    found = result.x.reshape(blocks, size + 1)[:, :size]
    ends = [
        (float(low @ h), float(high @ h))
        for h, low, high in zip(several, found[::2], found[1::2], strict=True)
    ]
    return ends[0] if np.ndim(values) == 1 else ends


def below(population) -> np.ndarray:
    """Share of the population below each score, and half of it at the score."""
    population = np.asarray(population, float)
    return np.cumsum(population[::-1])[::-1] - population / 2


def auc(mean_below: float, prior: float) -> float:
    """The area from Σ f·q."""
    return (mean_below - prior / 2) / (1 - prior)


def rates(tpr: float, head: float, prior: float) -> dict[str, float]:
    """Metrics at a threshold from the recall and the share of the population above it."""
    fpr = (head - prior * tpr) / (1 - prior)
    tp, fp = prior * tpr, head - prior * tpr
    fn, tn = prior - tp, 1 - prior - fp
    return {
        "recall": tpr,
        "fnr": 1 - tpr,
        "fpr": fpr,
        "specificity": 1 - fpr,
        "precision": tp / head if head else math.nan,
        "fdr": fp / head if head else math.nan,
        "npv": tn / (1 - head) if head < 1 else math.nan,
        "f1": 2 * tp / (prior + head),
        "accuracy": tp + tn,
        "balanced_accuracy": (tpr + 1 - fpr) / 2,
        "informedness": tpr - fpr,
        "lift": tpr / head if head else math.nan,
        "jaccard": tp / (tp + fp + fn),
    }


def average_precision(found, population, prior: float) -> float:
    """Precision averaged over gains in recall, of positives with a given distribution."""
    tpr, head = np.cumsum(found), np.cumsum(population)
    precision = np.divide(prior * tpr, head, out=np.zeros_like(tpr), where=head > 0)
    return float(np.sum(found * precision))


def least_average_precision(case: Case, ratio: float) -> float:
    """The least over all tilts, caps aside: a convex quadratic program, since 1/F falls with the score."""
    keep = case.share > 0
    g = case.share[keep]
    size = g.size

    def at(x):
        found = case.known * case.share
        found[keep] += (1 - case.known) * x[:size]
        return average_precision(found, case.population, case.prior)

    result = minimize(
        at,
        [*g, 1.0],
        method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda x: x[:size].sum() - 1},
            {"type": "ineq", "fun": lambda x: x[:size] - x[size] * g},
            {"type": "ineq", "fun": lambda x: ratio * x[size] * g - x[:size]},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    corners = (
        average_precision(case.found(v), case.population, case.prior)
        for v in tilts(case.share.size, ratio)
    )
    return min(float(result.fun), *corners)


def tilts(size: int, ratio: float):
    """All v with each entry 1 or Γ."""
    return product((1.0, ratio), repeat=size)


def step_tilts(size: int, ratio: float):
    """All v of one step, up or down."""
    for cut in range(size + 1):
        yield [ratio] * cut + [1.0] * (size - cut)
        yield [1.0] * cut + [ratio] * (size - cut)


def smallest(reached: Callable[[float], bool], most: float = 1e6) -> float:
    """The smallest Γ from 1 at which something is reached, by bisection; infinite if not at ``most``."""
    if reached(1.0):
        return 1.0
    if not reached(most):
        return math.inf
    low, high = 0.0, math.log(most)
    while high - low > 1e-8:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(math.exp(middle)) else (middle, high)
    return math.exp(high)


def balance(share, values, target: float) -> float:
    """Γ at which the least mean of ``values`` comes down to ``target``, no caps: a ratio of sums."""
    share, values = np.asarray(share, float), np.asarray(values, float)
    over = float(share @ np.maximum(values - target, 0))
    under = float(share @ np.maximum(target - values, 0))
    if over <= under:
        return 1.0
    return over / under if under else math.inf


def shifted(share: float, ratio: float) -> float:
    """A share moved by log(ratio) on the logit scale."""
    return ratio * share / (1 + (ratio - 1) * share)


def _falling(share, side: str) -> np.ndarray:
    """Inequalities, one a row, which say that labels favour a side; columns are bins in rising order.

    If they favour high scores, v falls along the bins: φ/g of a bin is at most that of the one below it.
    """
    g, rows = np.asarray(share, float), []
    for i, j in pairwise(np.flatnonzero(g > 0)) if side != "either" else ():
        less, more = (i, j) if side == "low" else (j, i)
        row = np.zeros(g.size)
        row[less], row[more] = 1 / g[less], -1 / g[more]
        rows.append(row)
    return np.array(rows).reshape(-1, g.size)


def least_error(scores, share, ratio, caps, prior: float, known: float, side="either") -> float:
    """The least Σ |gap| over bins, gap = scores − prior·(distribution of all positives), as a program.

    ``scores`` are means over the population of score · 1_bin; ``share`` and ``caps`` belong to bins.
    """
    size = len(share)
    zero, eye, g = np.zeros((size, size)), np.eye(size), np.asarray(share, float)[:, None]
    moved = prior * (1 - known) * eye
    gap = np.asarray(scores, float) - prior * known * np.asarray(
        share, float
    )  # minus what is moved
    column, falls = np.zeros((size, 1)), _falling(share, side)
    result = linprog(
        [0.0] * size + [0.0] + [1.0] * size,  # φ, s and |gap|
        A_ub=np.block(
            [
                [-eye, g, zero],
                [eye, -ratio * g, zero],
                [-moved, column, -eye],
                [moved, column, -eye],
                [falls, np.zeros((len(falls), size + 1))],
            ]
        ),
        b_ub=np.concatenate([np.zeros(2 * size), -gap, gap, np.zeros(len(falls))]),
        A_eq=[[1.0] * size + [0.0] * (size + 1)],
        b_eq=[1.0],
        bounds=[(0, cap) for cap in caps] + [(0, None)] * (size + 1),
        method="highs",
        options=_OPTIONS,
    )
    assert result.status == 0, result.message
    return float(result.fun)


def most_of_heads(share, weights, ratio, caps) -> float:
    """The largest Σ weights·head over heads of s·share·v with v in [1, ratio], no head above its cap."""
    size = len(share)
    g, eye = np.asarray(share, float)[:, None], np.eye(size)
    sums = np.tri(size)
    result = linprog(
        [*-(np.asarray(weights, float) @ sums), 0.0],
        A_ub=np.block([[-eye, g], [eye, -ratio * g], [sums, np.zeros((size, 1))]]),
        b_ub=[*np.zeros(2 * size), *caps],
        A_eq=[[1.0] * size + [0.0]],
        b_eq=[1.0],
        method="highs",
        options=_OPTIONS,
    )
    assert result.status == 0, result.message
    return -float(result.fun)


def largest_error(scores, share, ratio, caps, prior: float, known: float, side="either") -> float:
    """The largest Σ |gap| over bins: a linear program for all signs that gaps may have.

    ``side`` says which scores labels favour; bins are in rising order of the score.
    """
    size = len(share)
    g, eye = np.asarray(share, float), np.eye(size)
    below = [np.hstack([-eye, g[:, None]]), np.hstack([eye, -ratio * g[:, None]])]
    falls = _falling(share, side)
    below.append(np.hstack([falls, np.zeros((len(falls), 1))]))
    fixed = np.asarray(scores, float) - prior * known * g
    found = []
    for signs in product((-1.0, 1.0), repeat=size):
        result = linprog(
            np.append(np.array(signs) * prior * (1 - known), 0.0),
            A_ub=np.vstack(below),
            b_ub=np.zeros(sum(len(part) for part in below)),
            A_eq=[[1.0] * size + [0.0]],
            b_eq=[1.0],
            bounds=[*((0, cap) for cap in caps), (0, None)],
            method="highs",
            options=_OPTIONS,
        )
        assert result.status == 0, result.message
        found.append(np.abs(fixed - prior * (1 - known) * result.x[:size]).sum())
    return float(max(found))
