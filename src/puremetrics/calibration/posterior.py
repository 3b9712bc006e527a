"""Fitting P(y = 1 | score): the isotonic posterior, logistic fits, and mixtures where the truth is known.

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

*Mixtures* (`mixture_calibration_error`), for rows whose true labels are known. To measure the bias of an
estimate one needs the true calibration error, E |P(y = 1 | s) − s|, which no rows have. Section 5.1 of the
paper models the logits of each class by a mixture of 1 to 10 Gaussians, the number chosen by the Bayesian
information criterion (BIC), and takes these mixtures as the truth. With densities f_1 and f_0 of the logits
and σ the logistic function the error is then

    ∫ |h(z)| dz,    h(z) = π·f_1(z)·(1 − σ(z)) − (1 − π)·f_0(z)·σ(z)

Fits are by expectation maximisation from many starts: every split of a component of the best smaller mixture,
quantiles, and rows drawn at random. The likelihood of a mixture has no maximum, because a component on a
single row may be as narrow as it likes; no spread is therefore below a thousandth of that of the class, and
there is at most one component for every five rows. More than 2,000 different logits are put into groups of
neighbours, but for 250 rows on either end; a group has a mean and a variance, and its rows share their
responsibilities. That maximises a lower bound of the likelihood (Jensen's inequality), which still rises with
every step. With 5,000 rows of three components it fell short by 0.05 nats in all: the groups are far narrower
than a component.

The integral is by Gauss–Legendre quadrature on pieces no longer than half a spread of any component that
matters there, nor than 1 where the logistic function bends, and cut where h changes its sign. It agrees with
adaptive quadrature to twelve decimals, where the trapezoidal rule of the paper is only as good as its grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from puremetrics.auditing.audit import as_answers
from puremetrics.checking.arguments import as_generator, check_count, check_share
from puremetrics.checking.columns import as_scores, check_same_length
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.correction.rates import corrected_rates
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.monotone import bounded_isotonic
from puremetrics.numerics.sums import weighted_sum
from puremetrics.results import Result
from puremetrics.setting import Setting

__all__ = [
    "LogisticFit",
    "LogitMixture",
    "MixtureCalibration",
    "Steps",
    "error_of_mixtures",
    "fit_logistic",
    "fit_mixture",
    "isotonic_posterior",
    "mixture_calibration_error",
]

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


# ---------------------------------------------------------------- mixtures of logits

_MOST_POINTS = 2000  # different logits; more are put into groups that share their responsibilities
_ENDS = 250  # rows on either end that stay by themselves: groups would be wide there
_NARROWEST = 1e-3  # spread of a component, over that of its class
_ROWS_EACH = 5  # fewest rows for a component
_DRAWN_STARTS = 5
_FIRST_STEPS, _LAST_STEPS = 10, 300  # each of them three of expectation maximisation
_GOOD_STARTS = 3  # which are followed to the end
_OPEN = 1e-6  # nats that further steps would gain
_LARGEST_LOGIT = 1e6
_REACH = 9  # spreads on either side of a mean that hold all but 2e-19 of a component
_LOGISTIC_REACH = 40  # beyond which the logistic function is 0 or 1
_MOST_COMPONENTS = 100
_MOST_DRAWN = 10**8


@dataclass(frozen=True, eq=False, repr=False)
class LogitMixture(Result):
    """A mixture of Gaussians, one of the logits of a class.

    Attributes
    ----------
    weight, mean, spread : ndarray
        Shares of the components, their means and standard deviations, by rising mean.
    rows : int
        How many rows it was fitted to; 0 for a mixture that was made.
    bic : float
        Its Bayesian information criterion, (3·k − 1)·log(rows) − 2·log(likelihood) for k components.
    """

    weight: FloatArray
    mean: FloatArray
    spread: FloatArray
    rows: int = 0
    bic: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def n_components(self) -> int:
        """How many components there are."""
        return int(self.weight.size)

    def density(self, at: FloatArray) -> FloatArray:
        """Return the density at some logits."""
        z = (np.asarray(at, dtype=np.float64)[..., None] - self.mean) / self.spread
        parts = np.exp(-(z**2) / 2) * (self.weight / self.spread)
        return np.asarray(parts.sum(axis=-1) / np.sqrt(2 * np.pi))

    def sample(self, rows: int, rng: Any = 0) -> FloatArray:
        """Draw logits."""
        generator = as_generator(rng)
        size = check_count(rows, "rows", 0, _MOST_DRAWN)
        part = generator.choice(self.weight.size, size, p=self.weight)
        return np.asarray(generator.normal(self.mean[part], self.spread[part]))

    def __str__(self) -> str:
        parts = ", ".join(
            f"{w:.3g} of N({m:.4g}, {s:.3g}²)"
            for w, m, s in zip(self.weight, self.mean, self.spread, strict=True)
        )
        return f"mixture of {self.n_components}: {parts}"


@dataclass(frozen=True, eq=False, repr=False)
class MixtureCalibration(Result):
    """The calibration error of a world in which the logits of each class are a mixture of Gaussians.

    ``float(result)`` is the error.

    Attributes
    ----------
    value : float
        E |P(y = 1 | score) − score|.
    prior : float
        P(y = 1).
    positive, negative : LogitMixture
        The mixtures: ``weight``, ``mean`` and ``spread`` of their components, ``density`` and ``sample``.
    """

    value: float
    prior: float
    positive: LogitMixture
    negative: LogitMixture
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        sizes = self.positive.n_components, self.negative.n_components
        return (
            f"calibration error {self.value:.4f} at prior {self.prior:.4g}, if logits are mixtures of "
            f"{sizes[0]} (positives) and {sizes[1]} (negatives) Gaussians"
        )

    def sample(self, rows: int, rng: Any = 0) -> tuple[FloatArray, BoolArray]:
        """Draw rows of the population: their scores (probabilities), and which of them are positive."""
        generator = as_generator(rng)
        y = generator.random(check_count(rows, "rows", 0, _MOST_DRAWN)) < self.prior
        logit = np.empty(y.size)
        for side, mixture in ((y, self.positive), (~y, self.negative)):
            logit[side] = mixture.sample(int(side.sum()), generator)
        return np.asarray(expit(logit)), y


def mixture_calibration_error(
    logit: Any,
    y: Any,
    *,
    prior: float | None = None,
    max_components: int = 10,
    rng: Any = 0,
) -> MixtureCalibration:
    """Return the true calibration error of a model of the logits: a Gaussian mixture for each class.

    Kiryo's Section 5.1: mixtures of 1 to 10 components, their number chosen by BIC, stand for the truth when
    the bias of an estimate is measured, and new samples are drawn from them. This needs the true labels of
    some rows. It is exact for the mixtures, and for the rows as good as these describe them.

    Parameters
    ----------
    logit : array-like, shape (n,)
        Logits, log(score / (1 − score)): what the model gives before the logistic function.
    y : array-like, shape (n,)
        Their true labels, 1 and 0 or True and False.
    prior : float, optional
        P(y = 1); the share of positives among the rows unless it is given.
    max_components : int, default 10
        The largest mixture that is tried; with n rows of a class at most n / 5 components are.
    rng : int or Generator, default 0
        Decides some of the places where fits start.

    Notes
    -----
    O(n log n) for the rows, and some seconds for ten components: beyond 2,000 rows of a class neighbours
    form groups.

    Examples
    --------
    The logits of the paper's synthetic model are Gaussian in both classes, and its error is 0.0744.

    >>> import numpy as np
    >>> import puremetrics as pm
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(20_000) < 10_000
    >>> logit = -0.5 + 1.5 * (np.where(y, 1, -1) + rng.normal(size=20_000))
    >>> found = pm.mixture_calibration_error(logit, y, max_components=3)
    >>> found.positive.n_components, found.negative.n_components
    (1, 1)
    >>> round(float(found), 4)
    0.0743
    >>> score, hidden = found.sample(1000, rng=1)
    """
    truth = as_answers(y, "y")
    values = as_scores(logit, "logit", ranked=False)
    check_same_length(values.size, truth.size, "logit and y")
    if not np.all(np.abs(values) <= _LARGEST_LOGIT):
        raise InputError(
            "logit holds values that are missing, infinite or beyond a million, which a Gaussian cannot "
            "describe. Scores of exactly 0 or 1 have no logit: pass the model's own output before the "
            "logistic function, or drop these rows."
        )
    most = check_count(max_components, "max_components", 1, _MOST_COMPONENTS)
    given = None if prior is None else check_share(prior, "prior")
    generator = as_generator(rng)
    sides = {"1": values[truth], "0": values[~truth]}
    for label, own in sides.items():
        # Closer together they differ by rounding alone, and their density would be one of it.
        if own.size == 0 or np.ptp(own) <= 1e-9 * max(1.0, float(np.abs(own).max())):
            found = f"{own.size} rows with the same logit" if own.size else "no rows"
            raise InputError(
                f"y = {label} has {found}, but a mixture needs different logits in both classes. Pass the "
                "rows of both classes, with their logits."
            )
    share = float(np.mean(truth)) if given is None else given
    positive, negative = (fit_mixture(own, most, generator) for own in sides.values())
    error = error_of_mixtures(share, positive, negative)
    return MixtureCalibration(error, share, positive, negative)


def error_of_mixtures(prior: float, positive: LogitMixture, negative: LogitMixture) -> float:
    """Return E |P(y = 1 | score) − score| of a classifier whose logits have these densities."""

    def gap(z: FloatArray) -> FloatArray:
        one, zero = prior * positive.density(z), (1 - prior) * negative.density(z)
        return np.asarray(one * expit(-z) - zero * expit(z))

    steps = np.arange(-2 * _REACH, 2 * _REACH + 1) / 2
    around = [(m.mean[:, None] + m.spread[:, None] * steps).ravel() for m in (positive, negative)]
    logistic = np.arange(-_LOGISTIC_REACH, _LOGISTIC_REACH + 1.0)
    ends = np.unique(np.concatenate(around))
    inside = logistic[(logistic > ends[0]) & (logistic < ends[-1])]
    ends = np.union1d(ends, inside)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    at = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
    # Absolute values have kinks where the gap changes its sign: cut there.
    points = np.sort(np.concatenate([ends, at.ravel()]))
    signs = np.sign(gap(points))
    turns = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    low, high, sign = points[turns], points[turns + 1], signs[turns]
    for _ in range(60):
        middle = (low + high) / 2
        same = np.sign(gap(middle)) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    ends = np.union1d(ends, low)
    length = np.diff(ends)
    at = ends[:-1, None] + length[:, None] * (nodes + 1) / 2
    return float(np.sum(np.abs(gap(at)) * weights * length[:, None] / 2))


def fit_mixture(logit: FloatArray, most: int, rng: np.random.Generator) -> LogitMixture:
    """Return the mixture of one up to ``most`` components that BIC likes best."""
    rows = logit.size
    ordered = np.sort(logit)
    middle = float(ordered.mean())
    scale = float(np.sqrt(np.mean((ordered - middle) ** 2)))
    points = _Points.of((ordered - middle) / scale)
    best: LogitMixture | None = None
    parts: _Parts | None = None
    for k in range(1, min(most, max(rows // _ROWS_EACH, 1), points.mean.size) + 1):
        starts = _starts(points, parts, k, rng)
        tried = sorted(
            (_climb_mixture(points, start, _FIRST_STEPS) for start in starts), key=lambda t: -t[1]
        )
        ended = [_climb_mixture(points, t[0], _LAST_STEPS) for t in tried[:_GOOD_STARTS]]
        parts, likelihood = max(ended, key=lambda t: t[1])
        bic = (3 * k - 1) * np.log(rows) - 2 * (likelihood - rows * np.log(scale))
        if best is None or bic < best.bic:
            by_mean = np.argsort(parts.mean)
            best = LogitMixture(
                weight=parts.weight[by_mean] / parts.weight.sum(),
                mean=middle + scale * parts.mean[by_mean],
                spread=scale * np.sqrt(parts.variance[by_mean]),
                rows=rows,
                bic=float(bic),
            )
    assert best is not None
    return best


class _Parts(NamedTuple):
    """Components of a mixture."""

    weight: FloatArray
    mean: FloatArray
    variance: FloatArray


class _Points(NamedTuple):
    """Groups of neighbouring values: how many, their mean and their variance."""

    rows: FloatArray
    mean: FloatArray
    variance: FloatArray

    @staticmethod
    def of(ordered: FloatArray) -> _Points:
        """Different values as they are; if they are many, groups of equally many rows but at the ends."""
        starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > 0)
        if starts.size > _MOST_POINTS:
            groups = _MOST_POINTS - 2 * _ENDS
            single = np.arange(_ENDS)
            between = _ENDS + np.arange(groups) * (ordered.size - 2 * _ENDS) // groups
            starts = np.concatenate([single, between, ordered.size - _ENDS + single])
        rows = np.diff(starts, append=ordered.size).astype(np.float64)
        mean = np.add.reduceat(ordered, starts) / rows
        off = ordered - np.repeat(mean, rows.astype(np.int64))
        return _Points(rows, mean, np.add.reduceat(off**2, starts) / rows)


def _starts(
    points: _Points, smaller: _Parts | None, k: int, rng: np.random.Generator
) -> list[_Parts]:
    """Return mixtures of k components to start from; values have mean 0 and variance 1."""
    if smaller is None:
        return [_Parts(np.ones(1), np.zeros(1), np.ones(1))]
    even = np.full(k, 1 / k)
    share = points.rows / points.rows.sum()
    quantiles = np.interp((np.arange(k) + 0.5) / k, np.cumsum(share), points.mean)
    found = [_Parts(even, quantiles, np.full(k, 1 / k**2))]
    for _ in range(_DRAWN_STARTS):
        mean = rng.choice(points.mean, k, replace=False, p=share)
        found.append(_Parts(even, mean, rng.uniform(0.3, 2.0, k) ** 2 / k))
    for i in range(k - 1):  # split a component: into two places, or into a narrow and a wide one
        spread = float(np.sqrt(smaller.variance[i]))
        for shift, factors in ((0.7, (0.7, 0.7)), (0.0, (0.5, 1.3))):
            weight, mean, variance = (np.append(column, column[i]) for column in smaller)
            weight[[i, -1]] /= 2
            mean[[i, -1]] += np.array([-shift, shift]) * spread
            variance[[i, -1]] *= np.square(factors)
            found.append(_Parts(weight, mean, variance))
    return found


def _climb_mixture(points: _Points, parts: _Parts, steps: int) -> tuple[_Parts, float]:
    """Expectation maximisation, until further steps would hardly gain; and the log-likelihood.

    Where components overlap, single steps are tiny. Two of them show the direction and by which factor steps
    shrink, and a longer one follows (SQUAREM, Varadhan and Roland 2008) unless it loses.
    """
    for _ in range(steps):
        first, likelihood = _maximise(points, parts)
        second, after = _maximise(points, first)
        start, one, two = (np.concatenate(_free(p)) for p in (parts, first, second))
        step, bend = one - start, two - 2 * one + start
        length = max(float(np.sqrt(np.sum(step**2) / max(np.sum(bend**2), 1e-300))), 1.0)
        if (after - likelihood) * length < _OPEN:  # of the order of all that is left to gain
            return first, after
        ahead = _bound(start + 2 * length * step + length**2 * bend)
        third, there = _maximise(points, ahead)
        parts = third if there > after else second
    return first, after


def _free(parts: _Parts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return numbers that may be anything."""
    return np.log(parts.weight), parts.mean, np.log(parts.variance)


def _bound(free: FloatArray) -> _Parts:
    """Return the components of such numbers, within limits."""
    logs, mean, log_variance = np.split(free, 3)
    weight = np.exp(np.maximum(logs - logs.max(), -600.0))
    variance = np.exp(np.clip(log_variance, 2 * np.log(_NARROWEST), 20.0))
    return _Parts(weight / weight.sum(), np.clip(mean, -1e6, 1e6), variance)


def _maximise(points: _Points, parts: _Parts) -> tuple[_Parts, float]:
    """Take one step of expectation maximisation; return also the log-likelihood before it."""
    rows = points.rows
    weight, mean, variance = (column[:, None] for column in parts)
    logs = (points.mean - mean) ** 2
    logs += points.variance
    logs /= -2 * variance
    logs += np.log(weight) - np.log(2 * np.pi * variance) / 2
    top = logs.max(axis=0)
    shares = np.exp(logs - top)
    together = shares.sum(axis=0)
    likelihood = weighted_sum(rows, top + np.log(together))
    shares *= rows / together
    owned = np.maximum(shares.sum(axis=1), 1e-200)
    centre = np.sum(shares * points.mean, axis=1) / owned
    squares = (points.mean - centre[:, None]) ** 2
    squares += points.variance
    spread = np.sum(shares * squares, axis=1) / owned
    found = _Parts(owned / owned.sum(), centre, np.maximum(spread, _NARROWEST**2))
    return found, likelihood
