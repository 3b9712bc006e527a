"""Slow definitions for the prior estimators, on raw rows or raw histograms."""

import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaincinv


def alphamax_numeric(w, v, c):
    """L(c) by a general solver: maximise over b with 0 <= b <= w, sum b = c."""
    w, v = np.asarray(w, float), np.asarray(v, float)

    def loss(b):
        b = np.maximum(b, 1e-300)
        inner = np.maximum(w - b + c * v, 1e-300)
        return -(np.sum(v * np.log(b / c)) + np.sum(w * np.log(inner)))

    def slope(b):
        b = np.maximum(b, 1e-300)
        return -(v / b - w / np.maximum(w - b + c * v, 1e-300))

    def feasible(b):
        """The solver's point, which misses the sum by its tolerance, with exactly that sum."""
        missing = c - b.sum()
        return b * (c / b.sum()) if missing < 0 else b + (w - b) * (missing / (w - b).sum())

    best = math.inf
    for start in (c * w, np.clip(c * v, 1e-9, w)):
        found = minimize(
            loss,
            np.maximum(start * c / start.sum(), 1e-9),
            jac=slope,
            bounds=[(1e-12, x) for x in w],
            constraints={
                "type": "eq",
                "fun": lambda b: b.sum() - c,
                "jac": lambda b: np.ones_like(b),
            },
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        if abs(found.x.sum() - c) < 1e-9:
            best = min(best, loss(feasible(found.x)))
    return -best


def alphamax_dual(w, v, c):
    """Smallest value of the dual function: a tight upper bound of L(c), which is concave in b.

    A batch of histograms at once, shapes (r, k), (r, k) and (r,). Everything by ternary search.
    """
    c = np.asarray(c, float)[:, None]

    def dual(multiplier):
        low, high = np.zeros_like(w), w.copy()

        def inside(b):
            first = np.where(v > 0, v * np.log(np.maximum(b, 1e-300) / c), 0.0)
            return first + w * np.log(w + c * v - b + 1e-300) - multiplier * b

        for _ in range(100):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            left = inside(a) < inside(b)
            low, high = np.where(left, a, low), np.where(left, high, b)
        return inside((low + high) / 2).sum(axis=1, keepdims=True) + multiplier * c

    low, high = np.full_like(c, -1e4), np.full_like(c, 1e4)
    for _ in range(90):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        falls = dual(a) > dual(b)
        low, high = np.where(falls, a, low), np.where(falls, high, b)
    return dual((low + high) / 2)[:, 0]


def best_bin(pos, unl, delta=0.1, gamma=0.01):
    """The smallest ratio plus penalty over every threshold, and the ratio there."""
    m, n = len(pos), len(unl)
    slack = math.sqrt(math.log(4 / delta) / (2 * n)) + math.sqrt(math.log(4 / delta) / (2 * m))
    best = (math.inf, math.nan)
    for t in sorted({*pos, *unl}, reverse=True):
        q_pos = sum(x >= t for x in pos) / m
        q_unl = sum(x >= t for x in unl) / n
        if q_pos > 0:
            best = min(best, (q_unl / q_pos + (1 + gamma) / q_pos * slack, q_unl / q_pos))
    return best[0], min(best[1], 1.0)


def elkan_noto(pos, unl, which):
    """Label frequency from probabilities, then positives among the unlabeled: a = m (1 − c) / (c n)."""
    if which == "e1":
        c = sum(pos) / len(pos)
    elif which == "e2":
        c = sum(pos) / (sum(pos) + sum(unl))
    else:
        c = max([*pos, *unl])
    return min(len(pos) * (1 - c) / (c * len(unl)), 1.0)


def clopper_pearson(k, n, level):
    """Exact limits of a proportion by the beta quantiles."""
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def finite_limits(k, checked, rows, level):
    """Numbers of positives K among ``rows`` that an exact hypergeometric test does not reject."""
    tail = (1 - level) / 2
    kept = []
    for total in range(k, rows - (checked - k) + 1):
        ways = math.comb(rows, checked)
        chance = [
            math.comb(total, j) * math.comb(rows - total, checked - j) / ways
            for j in range(checked + 1)
        ]
        if min(sum(chance[: k + 1]), sum(chance[k:])) > tail - 1e-12:
            kept.append(total)
    return kept[0] / rows, kept[-1] / rows


def slope_limit(pos, unl, ranks, level):
    """min over fixed ranks k of CP upper(U at or above the k-th labelled score) / beta lower(k)."""
    m, n = len(pos), len(unl)
    tail = (1 - level) / (2 * len(ranks))
    ordered = sorted(pos, reverse=True)
    best = 1.0
    for k in ranks:
        t = ordered[k - 1]
        found = sum(x >= t for x in unl)
        upper = 1.0 if found == n else float(betaincinv(found + 1, n - found, 1 - tail))
        lower = float(betaincinv(k, m - k + 1, tail))
        best = min(best, upper / lower)
    return best
