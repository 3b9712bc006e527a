"""Fitting P(y = 1 | score) to a table: the isotonic posterior, and convex fits of few parameters.

F is the comparison sample, G the labelled positives, π the prior; E_pop and E_1 are means over the
population and over the positives (for clean labels over F and over G, else corrected).

*Isotonic.* Kiryo's Eq. (2) with the squared loss is E[(p − Y)²] = E_pop[p²] − 2·π·E_1[p] + π. Over
rising p this is least squares of π·dG/dF with weights dF, so p is the slope of the greatest convex
minorant of π·G against F (both counted upwards; the concave majorant, if counted from the top). That is
the hull of the ROC curve of Lim and Won: hull slopes times prior are calibrated posteriors. Cutting
the slopes at 0 and 1 solves the problem within [0, 1]. Labelled rows at scores without any row of F
want p as large as possible: they join the next higher score with rows of F, or get p = 1 above all of
them. Runs of unlabeled rows have equal slope and are never split by the fit, so it costs O(labelled ·
log rows) on a cut table.

*Logistic.* p = 1/(1 + exp(−z)) with z linear in few parameters, fitted by maximum likelihood of which
rows carry a label, given their scores. With purity β and share a of positives in F, the density of the
labelled over that of F is

    r(p) = (β·p/π + (1 − β)·(1 − p)/(1 − π)) / (a·p/π + (1 − a)·(1 − p)/(1 − π)),

p/π for clean labels against the population. With k = |G|/|F|, a row of two separate samples is of G
with chance k·r/(1 + k·r) (Lancaster and Imbens 1996; Ward et al. 2009); a row of a single training set
is labelled with chance k·r. The other candidate, the unbiased log loss of Eq. (2), is convex but follows
single labelled rows far out: in simulation its Platt and beta maps were 1.2 to 2.6 times as far from
the truth (mean |p − P(y = 1 | s)|, 100 to 2000 labels), so it is not offered. The likelihood is
not convex; the search starts at the scores themselves and is deterministic. Where labels are few it may
be highest for an infinitely steep map; steepness is therefore limited, and PM310 says when that limit
was reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.correction.rates import corrected_rates
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.numerics.sums import weighted_sum
from puremetrics.setting import Setting

__all__ = ["LogisticFit", "Steps", "fit_logistic", "isotonic_posterior"]

_STEPS = 200
STEEPEST = 20.0  # largest slope of a feature that is scaled to unit spread


_LARGEST = 1e140  # of a ratio: its square must stay finite


class Steps(NamedTuple):
    """A rising step function: ``value[i]`` from ``start[i]`` up to the next start.

    ``weight`` and ``labelled`` are the shares of F and of G on each step.
    """

    start: FloatArray
    value: FloatArray
    weight: FloatArray
    labelled: FloatArray
    cut: bool


class LogisticFit(NamedTuple):
    """Parameters of z = parameters · features, and which of them reached a limit."""

    parameters: FloatArray
    at_limit: bool
    loss: float  # mean negative log-likelihood of the labels
    settled: bool  # whether the search ended where no step gains


def isotonic_posterior(setting: Setting) -> Steps:
    """Return the rising map that minimises the unbiased Brier risk, pooled into its steps."""
    ranked, counts = setting.ranked, setting.samples.cmp
    prior, purity, share = setting.prior, setting.purity, setting.share
    g = np.asarray(setting.samples.pos[::-1] / ranked.total_pos, dtype=np.float64)
    f = np.asarray(counts[::-1] / counts.sum(), dtype=np.float64)
    positives, negatives = corrected_rates(g, f, share, purity)
    hits, mass = prior * positives, prior * positives + (1 - prior) * negatives
    if share == prior:  # spares the common case a rounding
        mass = f
    score = ranked.score[::-1]
    above = int(mass.size - np.argmax(mass[::-1] > 0))  # rows from here on are labelled only
    owner = np.searchsorted(np.flatnonzero(mass[:above] > 0), np.arange(above))
    pooled = np.asarray(np.bincount(owner, hits[:above]), dtype=np.float64)
    weight = mass[:above][mass[:above] > 0]
    slope = bounded_isotonic(pooled / weight, weight)
    fitted = np.ones(mass.size)
    fitted[:above] = np.clip(slope, 0.0, 1.0)[owner]
    starts = np.flatnonzero(np.diff(fitted, prepend=-1.0) > 0)
    return Steps(
        score[starts],
        fitted[starts],
        np.add.reduceat(f, starts),
        np.add.reduceat(g, starts),
        bool(slope.max() > 1 + 1e-12 or slope.min() < -1e-12 or above < mass.size),
    )


def fit_logistic(
    setting: Setting,
    features: FloatArray,
    start: FloatArray,
    rising: list[bool],
    counts: tuple[FloatArray, FloatArray] | None = None,
) -> LogisticFit:
    """Maximise the likelihood of the labels given the scores over z = parameters · features.

    Parameters
    ----------
    features : ndarray, shape (rows of the table, k)
        Each rises with the score, except a constant, which comes last if there is one.
    start : ndarray, shape (k,)
        Where the search starts.
    rising : list of bool
        Which parameters must be at least 0, so that the map rises.
    counts : two arrays, optional
        Labelled rows and rows of F for each row of ``features``; those of the table by default.

    Notes
    -----
    Damped Fisher scoring within limits: O(rows) for each of some ten steps.
    """
    huge = np.maximum(np.abs(features).max(axis=0) / 1e150, 1.0)  # differences must not overflow
    if np.any(huge > 1):
        fit = fit_logistic(setting, features / huge, start * huge, rising, counts)
        return fit._replace(parameters=fit.parameters / huge)
    samples = setting.rows
    pos, cmp = (
        np.asarray(column, dtype=np.float64) for column in counts or (samples.pos, samples.cmp)
    )
    # Centred and scaled features make the limits on steepness mean the same for all scores.
    weight = (cmp / cmp.sum() + pos / pos.sum()) / 2
    centre = np.zeros(features.shape[1])
    if not all(rising):
        centre = np.where(rising, np.einsum("i,ij->j", weight, features), 0.0)
    moved = features - centre
    largest = np.maximum(np.abs(moved).max(axis=0), 1e-300)  # squares of huge scores would overflow
    scale = largest * np.sqrt(np.einsum("i,ij->j", weight, (moved / largest) ** 2))
    scale[scale < 1e-12 * (1 + np.abs(centre))] = 1.0  # a feature without any spread
    moved /= scale
    begin = start.astype(np.float64).copy()
    if not all(rising):
        begin[-1] += float(start[:-1] @ centre[:-1])
    likelihood = _Likelihood(setting, pos, cmp)
    low = np.where(rising, 0.0, -STEEPEST)
    theta, loss, settled = _climb(likelihood, moved, np.clip(begin * scale, low, STEEPEST), low)
    at_limit = bool(np.abs(theta).max() >= STEEPEST)
    theta = theta / scale
    if not all(rising):
        theta[-1] -= float(theta[:-1] @ centre[:-1])
    return LogisticFit(theta, at_limit, loss, settled)


def _climb(
    likelihood: _Likelihood, features: FloatArray, theta: FloatArray, low: FloatArray
) -> tuple[FloatArray, float, bool]:
    """Scoring steps, damped until they gain; parameters that the gradient holds at a limit stay."""
    damping = 1e-6
    loss, gradient, information = likelihood(features, theta)
    settled = False
    for _ in range(_STEPS):
        held = ((theta <= low) & (gradient > 0)) | ((theta >= STEEPEST) & (gradient < 0))
        free = np.flatnonzero(~held)
        if not free.size or np.abs(gradient[free]).max() < 1e-12:
            settled = True
            break
        square = information[np.ix_(free, free)]
        lift = np.diag(np.diag(square) + 1e-12)
        while damping < 1e12:
            trial = theta.copy()
            trial[free] -= np.linalg.solve(square + damping * lift, gradient[free])
            trial = np.clip(trial, low, STEEPEST)
            there = likelihood(features, trial)
            if there[0] < loss or _flatter(there, loss, gradient, free):
                break
            damping *= 10
        else:
            settled = True  # no step gains any more: rounding is all that is left
            break
        theta, (loss, gradient, information) = trial, there
        damping = max(damping / 100, 1e-12)
    return theta, loss, settled


def _flatter(
    there: tuple[float, FloatArray, FloatArray], loss: float, gradient: FloatArray, free: Any
) -> bool:
    """Whether the loss is the same but for rounding, and its slope clearly smaller.

    Near its minimum a loss changes by the square of a step. Comparing losses alone would end the search a
    root of rounding away from it, at a place that depends on the machine.
    """
    slope, before = np.abs(there[1][free]).max(), np.abs(gradient[free]).max()
    return bool(there[0] <= loss + 1e-14 * (1 + abs(loss)) and slope < 0.9 * before)


class _Likelihood:
    """Mean negative log-likelihood of the labels, its gradient and the expected curvature."""

    def __init__(self, setting: Setting, pos: FloatArray, cmp: FloatArray) -> None:
        prior, purity, share = setting.prior, setting.purity, setting.share
        self.ratio = float(pos.sum() / cmp.sum())
        self.nested = setting.rows.one_sample
        self.pos = pos
        self.all = np.maximum(cmp, pos) if self.nested else cmp + pos
        self.top = min(purity / prior, _LARGEST), (1 - purity) / (1 - prior)
        self.bottom = (1.0, 1.0) if share == prior else (share / prior, (1 - share) / (1 - prior))

    def __call__(
        self, features: FloatArray, theta: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        p = 1 / (1 + np.exp(-np.clip(np.einsum("ij,j->i", features, theta), -700, 700)))
        p = np.clip(
            p, 1e-300, 1 - 1e-16
        )  # neither class may become impossible: ratios have poles there
        top, bottom = (a * p + b * (1 - p) for a, b in (self.top, self.bottom))
        ratio = self.ratio * top / bottom
        slope = (self.top[0] - self.top[1]) / top - (self.bottom[0] - self.bottom[1]) / bottom
        slope = slope * p * (1 - p)  # of log(ratio) by z
        odds = ratio / np.maximum(1 - ratio, 1e-12) if self.nested else ratio
        chance = odds / (1 + odds)
        rise = slope * (1 + odds) if self.nested else slope  # of log(odds) by z
        value = weighted_sum(self.all, np.log1p(odds)) - weighted_sum(self.pos, np.log(odds))
        gradient = np.einsum("i,ij->j", (self.all * chance - self.pos) * rise, features)
        weight = self.all * chance * (1 - chance) * rise**2
        information = np.einsum("ij,ik->jk", features * weight[:, None], features)
        size = float(self.all.sum())
        return value / size, np.asarray(gradient / size), np.asarray(information / size)
