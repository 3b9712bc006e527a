"""ROC convex hull and the two likelihood problems of Lim and Won (2012), by brute force.

Transcribed: Table 1, the least concave majorant of section 2.3, the unconditional problem of
Eqs. (6)-(8) and the conditional problem of Eq. (14) with the inner exponent d_{D,j}.  Survival
functions are strict, S(x) = P(X > x), as in the paper.

Both problems are handed to a general solver as they stand, written in class-conditional masses:
with f_i(x_j) = S_i(x_{j-1}) - S_i(x_j), convexity of the ROC curve says that f_D / f_ND does not
fall as the score grows.  Nothing here uses the closed-form solutions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.optimize import OptimizeResult, minimize

Real = TypeVar("Real", Fraction, float)
INF = math.inf


class Row(NamedTuple):
    """One row of Table 1; the names follow the paper's columns 1 to 11."""

    score: float
    label: float
    s_nd: float
    s_d: float
    s_d_lcm: float
    posterior: float
    odds: float
    f_nd_lloyd: float
    f_d_lloyd: float
    s_nd_lloyd: float
    s_d_lloyd: float


TABLE_1: tuple[Row, ...] = (
    Row(0.9, 1, 0, 0, 0.2222, 1, INF, 0, 0.1111, 0, 0),
    Row(0.8, 1, 0, 0.1111, 0.2222, 1, INF, 0, 0.1111, 0, 0.1111),
    Row(0.7, 0, 0, 0.2222, 0.2222, 0.75, 3, 0.0417, 0.0833, 0, 0.2222),
    Row(0.6, 1, 0.1667, 0.2222, 0.5556, 0.75, 3, 0.0417, 0.0833, 0.0417, 0.3056),
    Row(0.55, 1, 0.1667, 0.3333, 0.5556, 0.75, 3, 0.0417, 0.0833, 0.0833, 0.3889),
    Row(0.5, 1, 0.1667, 0.4444, 0.5556, 0.75, 3, 0.0417, 0.0833, 0.125, 0.4722),
    Row(0.45, 0, 0.1667, 0.5556, 0.5556, 0.6667, 2, 0.0556, 0.0741, 0.1667, 0.5556),
    Row(0.4, 1, 0.3333, 0.5556, 0.7778, 0.6667, 2, 0.0556, 0.0741, 0.2222, 0.6296),
    Row(0.35, 1, 0.3333, 0.6667, 0.7778, 0.6667, 2, 0.0556, 0.0741, 0.2778, 0.7037),
    Row(0.3, 0, 0.3333, 0.7778, 0.7778, 0.5, 1, 0.0833, 0.0556, 0.3333, 0.7778),
    Row(0.27, 1, 0.5, 0.7778, 0.8889, 0.5, 1, 0.0833, 0.0556, 0.4167, 0.8333),
    Row(0.2, 0, 0.5, 0.8889, 0.8889, 0.3333, 0.5, 0.1111, 0.0370, 0.5, 0.8889),
    Row(0.18, 0, 0.6667, 0.8889, 0.9444, 0.3333, 0.5, 0.1111, 0.0370, 0.6111, 0.9259),
    Row(0.1, 1, 0.8333, 0.8889, 1, 0.3333, 0.5, 0.1111, 0.0370, 0.7222, 0.9630),
    Row(0.02, 0, 0.8333, 1, 1, 0, 0, 0.1667, 0, 0.8333, 1),
)


class Fit(NamedTuple):
    """Fitted masses on the distinct scores, lowest first, and the maximised log-likelihood."""

    scores: list[float]
    f_d: list[float]
    f_nd: list[float]
    log_likelihood: float


def survival_share(scores: Sequence[float], x: float) -> Fraction:
    """Share of the scores strictly above x."""
    return Fraction(sum(1 for s in scores if s > x), len(scores))


def empirical_roc(
    scores_pos: Sequence[float], scores_neg: Sequence[float]
) -> list[tuple[Fraction, Fraction]]:
    """(S_ND, S_D) at every distinct score, highest first, and (1, 1) at the end."""
    points = [
        (survival_share(scores_neg, x), survival_share(scores_pos, x))
        for x in sorted({*scores_pos, *scores_neg}, reverse=True)
    ]
    return [*points, (Fraction(1), Fraction(1))]


def majorant_at(x: Real, points: Sequence[tuple[Real, Real]]) -> Real:
    """Least concave majorant at x: the highest chord between two points that spans x."""
    best: Real | None = None
    for x0, y0 in points:
        for x1, y1 in points:
            if x0 == x1 == x:
                value = max(y0, y1)
            elif x0 <= x <= x1 and x0 < x1:
                value = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            else:
                continue
            best = value if best is None or value > best else best
    if best is None:
        raise ValueError("x lies outside the range of the points")
    return best


def hull(points: Sequence[tuple[Real, Real]]) -> list[tuple[Real, Real]]:
    """Corners of the least concave majorant, left to right, read as a function of x.

    A point is a corner if removing every copy of it lowers the majorant at its own place or leaves
    that place uncovered.  Among points with one x only the highest can qualify.
    """
    corners = []
    for x, y in sorted(set(points)):
        others = [p for p in points if p != (x, y)]
        covered = bool(others) and min(p[0] for p in others) <= x <= max(p[0] for p in others)
        if not covered or majorant_at(x, others) < y:
            corners.append((x, y))
    return corners


def survival(density: Sequence[float]) -> list[float]:
    """Mass strictly above each score, for masses listed from the lowest score up."""
    return [math.fsum(density[j + 1 :]) for j in range(len(density))]


def _require(found: OptimizeResult) -> None:
    """Accept convergence, and status 8: no better point along the search line."""
    if found.status not in (0, 8):
        raise RuntimeError(found.message)


def conditional_npmle(scores_pos: Sequence[float], scores_neg: Sequence[float]) -> Fit:
    """Eq. (14): masses of D given the empirical masses of ND.

    The cells are (n_{j-1}, n_j] between neighbouring negative scores, and (n_l, infinity) at the
    top.  A cell's fitted mass is put on the negative score that closes it, the top cell's on the
    largest score of all.  The log-likelihood is that of the positives over the cells.
    """
    closing = sorted(set(scores_neg))
    edges = [-INF, *closing, INF]
    cells = range(len(closing) + 1)
    counts = np.array(
        [sum(1 for s in scores_pos if edges[j] < s <= edges[j + 1]) for j in cells], dtype=float
    )
    width = [sum(1 for s in scores_neg if s == x) / len(scores_neg) for x in closing]
    seen = counts > 0

    def loss(mass: np.ndarray) -> float:
        return -float(counts[seen] @ np.log(mass[seen])) / len(scores_pos)

    def slope(mass: np.ndarray) -> np.ndarray:
        gradient = np.zeros_like(mass)
        gradient[seen] = -counts[seen] / mass[seen] / len(scores_pos)
        return gradient

    order = np.zeros((len(closing) - 1, len(closing) + 1))
    for j in range(len(closing) - 1):
        order[j, j], order[j, j + 1] = -width[j + 1], width[j]
    constraints = [{"type": "eq", "fun": lambda m: m.sum() - 1, "jac": np.ones_like}]
    if len(closing) > 1:
        constraints.append({"type": "ineq", "fun": lambda m: order @ m, "jac": lambda m: order})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Values in x were outside bounds")  # SciPy before 1.15
        found = minimize(
            loss,
            np.array([*(0.5 * w for w in width), 0.5]),
            jac=slope,
            bounds=[(1e-9 if s else 0.0, 1.0) for s in seen],
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 2000},
        )
    _require(found)
    scores = sorted({*scores_pos, *scores_neg})
    f_d, f_nd = dict.fromkeys(scores, 0.0), dict.fromkeys(scores, 0.0)
    for x, w, m in zip(closing, width, found.x[:-1], strict=True):
        f_d[x], f_nd[x] = float(m), w
    f_d[scores[-1]] += float(found.x[-1])
    return Fit(scores, list(f_d.values()), list(f_nd.values()), -found.fun * len(scores_pos))


def unconditional_npmle(scores_pos: Sequence[float], scores_neg: Sequence[float]) -> Fit:
    """Eqs. (6)-(8) in the logarithms of both classes' masses, where the problem is convex.

    A mass that is zero in the limit is held at exp(-30).  The log-likelihood is that of both
    samples, without the term of the class prior.
    """
    scores = sorted({*scores_pos, *scores_neg})
    m, n = len(scores), len(scores_pos) + len(scores_neg)
    counts = np.array(
        [sum(1 for s in sample if s == x) for sample in (scores_pos, scores_neg) for x in scores],
        dtype=float,
    )
    order = np.zeros((m - 1, 2 * m))
    for j in range(m - 1):  # log f_D - log f_ND must not fall from score j to score j + 1
        order[j, j], order[j, j + 1], order[j, m + j], order[j, m + j + 1] = -1, 1, 1, -1

    def room(z: np.ndarray) -> np.ndarray:
        return np.array([1 - np.exp(z[:m]).sum(), 1 - np.exp(z[m:]).sum()])

    def room_slope(z: np.ndarray) -> np.ndarray:
        rows = np.zeros((2, 2 * m))
        rows[0, :m], rows[1, m:] = -np.exp(z[:m]), -np.exp(z[m:])
        return rows

    constraints = [{"type": "ineq", "fun": room, "jac": room_slope}]
    if m > 1:
        constraints.append({"type": "ineq", "fun": lambda z: order @ z, "jac": lambda z: order})
    found = minimize(
        lambda z: -float(counts @ z) / n,
        np.full(2 * m, -math.log(m)),
        jac=lambda z: -counts / n,
        bounds=[(-30.0, 0.0)] * (2 * m),
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 5000},
    )
    _require(found)
    masses = np.exp(found.x)
    return Fit(scores, masses[:m].tolist(), masses[m:].tolist(), -found.fun * n)
