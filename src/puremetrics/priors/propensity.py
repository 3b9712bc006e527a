"""How likely each positive was to be labelled, from features (SAR-EM).

Bekker, Robberechts, Davis, "Beyond the selected completely at random assumption for learning from positive
and unlabeled data" (ECML PKDD 2019), Section 5. A row is labelled with chance P(x)·e(x): the chance to be
positive, by a logistic model of all features, times the chance of a positive to be labelled, by a logistic
model of the propensity attributes alone. The paper climbs the likelihood of the labels

    Σ_labelled log(P·e) + Σ_unlabeled log(1 − P·e)

by expectation (an unlabeled row is positive with chance P(1 − e)/(1 − P·e)) and maximisation in turn.

Deviations: the same likelihood, less a ridge on standardised slopes, is climbed by L-BFGS, which ends where
EM ends in a fraction of its steps (a test compares the two); four starts at different overall chances, the
best of which is taken, replace the paper's single one.

**What identifies it.** The labels show the product P·e alone. Without further assumptions a rarer class that
is labelled more often explains them as well. Two things tell the factors apart: attributes that matter for
the class only, and the form of both models. The first settles how propensities *differ*, on which weighting
rests (`ScoreTable.from_arrays` needs ratios only). Their overall *level*, and with it the prior, rests on the
logistic form alone: on where P stops rising. With all features as attributes the two models can be exchanged,
and nothing is identified; that is refused.

**The prior that propensities give by themselves** (`prior_from_propensities`; Horvitz, Thompson 1952). In a
single training set a positive is labelled with chance e, so a labelled row stands for 1 / e positives: prior
= Σ_labelled (1 / e) / n. Each row adds z / e (z: whether it is labelled), and the variance of the mean of
that over rows is (Σ 1 / e² − n · prior²) / n². Unlike the ratio that weights a table, this needs propensities
of the right level, not only of the right ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.arguments import check_count, check_level, check_number, shown
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError, UnsupportedError
from puremetrics.priors.features import as_features, labelled_rows
from puremetrics.results import Columns, Interval, PriorEstimate, Result, Trust
from puremetrics.sampling.limits import agresti_coull
from puremetrics.setting import TwoSamples, check_table
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["PropensityEstimate", "estimate_propensity", "prior_from_propensities"]


_STARTS = (0.1, 0.3, 0.6, 0.9)  # overall chances to be labelled
_FEW_OF_ALL = 0.5  # effective labels, as a share of all
_CLEAR = 1.92  # half of the χ² quantile with one degree of freedom
_APART = 1.25  # factor between priors that fit as well as each other
_TINY = 1e-300
_MOST_ITERATIONS = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class PropensityEstimate(Result):
    """Chances to be labelled, and what they rest on.

    Attributes
    ----------
    propensity : ndarray, shape (n,)
        Chance of each row to be labelled if it is positive, clipped; for
        ``ScoreTable.from_arrays(…, propensity=…)``.
    class_probability : ndarray, shape (n,)
        Chance of each row to be positive, before its label is seen.
    prior : float
        Mean of the latter. It rests on the form of the models: see `estimate_propensity`.
    attributes : tuple of int
        Columns that the propensity depends on.
    n_labelled : int
    effective_labels : float
        How many labels of equal chance would tell as much (Kish).
    clipped : int
        Labelled rows whose propensity was raised to the smallest one allowed.
    iterations : int
    converged : bool
    log_likelihood : float
        Of the labels, without the ridge.
    """

    propensity: FloatArray
    class_probability: FloatArray
    prior: float
    attributes: tuple[int, ...]
    n_labelled: int
    effective_labels: float
    clipped: int
    iterations: int
    converged: bool
    log_likelihood: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return both chances by row."""
        return {"propensity": self.propensity, "class_probability": self.class_probability}

    def __str__(self) -> str:
        low, high = float(self.propensity.min()), float(self.propensity.max())
        lines = [
            f"Propensities of {self.propensity.size} rows: {low:.3g} to {high:.3g} by column"
            f"{'' if len(self.attributes) == 1 else 's'} {', '.join(map(str, self.attributes)) or '(none)'}",
            f"  {self.n_labelled} labels carry as much information as {self.effective_labels:.4g} with "
            "equal chances",
            f"  implied prior {self.prior:.4f}, from the form of the models alone",
        ]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def estimate_propensity(
    X: Any,  # noqa: N803
    y: Any,
    *,
    attributes: Sequence[int],
    ridge: float = 1.0,
    clip: float = 0.01,
    max_iterations: int = 1000,
    pos_label: Any = 1,
    unlabeled_label: Any = 0,
) -> PropensityEstimate:
    """Estimate the chance of each positive to be labelled, by SAR-EM.

    For a single training set: labels were given to some positives of one sample. Positives that were
    collected separately (case-control) have no share of unlabeled rows to compare with.

    Parameters
    ----------
    X : array-like, shape (n, d)
        Features, as numbers. The class is modelled by a logistic regression on all of them.
    y : array-like, shape (n,)
        Labels, as for `ScoreTable.from_arrays`, without known negatives.
    attributes : sequence of int
        Columns of ``X`` that the propensity depends on; at least one column must be left out. An empty
        sequence means one propensity for all.
    ridge : float, default 1
        Penalty on the squared slopes of standardised features.
    clip : float, default 0.01
        Smallest propensity: a row that is hardly ever labelled would carry too much weight.
    max_iterations : int, default 1000
    pos_label, unlabeled_label : scalar

    Returns
    -------
    PropensityEstimate

    Notes
    -----
    Ratios of propensities are identified if some features matter for the class and not for the label; their
    level, and the implied prior, only by the logistic form of both models. Diagnostics say where
    propensities were clipped (PM121), where few labels carry the weight (PM120), and where the search did not
    settle or fits of different priors are equally good (PM122). Intervals of a table take propensities
    as known: estimated ones add an error that they do not hold.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> positive = rng.random(4000) < 1 / (1 + np.exp(1 - 3 * X[:, 0]))
    >>> chance = 1 / (1 + np.exp(-X[:, 1]))
    >>> found = estimate_propensity(X, positive & (rng.random(4000) < chance), attributes=[1])
    >>> bool(np.corrcoef(found.propensity, chance)[0, 1] > 0.99)
    True
    """
    labelled = labelled_rows(X, y, pos_label, unlabeled_label)
    features = as_features(X, 1e100, "estimate_propensity")
    columns = _columns(attributes, features.shape[1])
    penalty, least = check_number(ridge, "ridge"), check_number(clip, "clip")
    if penalty < 0:
        raise InputError(f"ridge={penalty:g} is negative. Pass a penalty of 0 or more.")
    if not 0 < least < 1:
        raise InputError(f"clip={least:g} must lie between 0 and 1: it is the smallest propensity.")
    steps = check_count(max_iterations, "max_iterations", largest=_MOST_ITERATIONS)
    model = _Model(_standardised(features), columns, labelled, penalty)
    fits = sorted((_fit(model, start, steps) for start in _STARTS), key=lambda fit: fit.loss)
    best = fits[0]
    chance, by_class = model.chances(best.parameters)
    clipped = int(np.count_nonzero(chance[labelled] < least))
    propensity = np.clip(chance, least, 1.0)
    weight = 1 / propensity[labelled]
    effective = float(weight.sum() ** 2 / np.sum(weight**2))
    priors = [
        float(model.chances(f.parameters)[1].mean()) for f in fits if f.loss < best.loss + _CLEAR
    ]
    return PropensityEstimate(
        propensity=propensity,
        class_probability=by_class,
        prior=float(by_class.mean()),
        attributes=columns,
        n_labelled=int(labelled.sum()),
        effective_labels=effective,
        clipped=clipped,
        iterations=best.iterations,
        converged=best.settled,
        log_likelihood=model.log_likelihood(best.parameters),
        diagnostics=(
            *_few_labels_remark(effective, int(labelled.sum())),
            *_clipped_remark(clipped, least),
            *_search_remarks(best.settled, steps, priors),
        ),
    )


class _Fit(NamedTuple):
    parameters: FloatArray
    loss: float
    iterations: int
    settled: bool


class _Model:
    """The likelihood of the labels; parameters are those of the class, then those of the propensity."""

    def __init__(
        self, features: FloatArray, attributes: tuple[int, ...], labelled: BoolArray, ridge: float
    ) -> None:
        ones = np.ones((features.shape[0], 1))
        self.by_class = np.hstack([ones, features])
        self.by_label = np.hstack([ones, features[:, list(attributes)]])
        self.labelled = labelled
        self.ridge = np.full(self.by_class.shape[1] + self.by_label.shape[1], ridge)
        self.ridge[[0, self.by_class.shape[1]]] = 0.0

    def start(self, chance: float) -> FloatArray:
        """One chance to be labelled for all positives, and as many of these as go with it."""
        theta = np.zeros(self.ridge.size)
        share = min(float(self.labelled.mean()) / chance, 0.9)
        theta[0] = np.log(share / (1 - share))
        theta[self.by_class.shape[1]] = np.log(chance / (1 - chance))
        return theta

    def chances(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Propensity and class probability of each row."""
        logs = self._logs(theta)
        return np.exp(logs[1]), np.exp(logs[0])

    def log_likelihood(self, theta: FloatArray) -> float:
        """Without the ridge."""
        together = sum(self._logs(theta))
        return float(np.sum(np.where(self.labelled, together, _log_other(np.asarray(together)))))

    def loss(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Negative log-likelihood with the ridge, and its gradient."""
        class_log, label_log = self._logs(theta)
        together = class_log + label_log
        other = _log_other(together)
        value = -float(np.sum(np.where(self.labelled, together, other)))
        # Of log(1 − P·e) by log(P·e): −P·e / (1 − P·e).
        slope = np.where(self.labelled, 1.0, -np.exp(together - other))
        parts = [
            np.einsum("i,ij->j", -slope * -np.expm1(log), features)
            for log, features in ((class_log, self.by_class), (label_log, self.by_label))
        ]
        penalty = float(np.sum(self.ridge * theta**2)) / 2
        return value + penalty, np.concatenate(parts) + self.ridge * theta

    def _logs(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logarithms of class probability and propensity."""
        size = self.by_class.shape[1]
        z = (
            np.einsum("ij,j->i", features, part)
            for features, part in ((self.by_class, theta[:size]), (self.by_label, theta[size:]))
        )
        first, second = (-np.logaddexp(0.0, -values) for values in z)
        return first, second


def _log_other(together: FloatArray) -> FloatArray:
    """log(1 − P·e) from log(P·e)."""
    return np.asarray(np.log(np.maximum(-np.expm1(together), _TINY)))


def _fit(model: _Model, chance: float, steps: int) -> _Fit:
    from scipy.optimize import minimize

    options = {"maxiter": steps, "maxfun": 2 * steps + 100, "ftol": 1e-11, "gtol": 1e-6}
    found = minimize(model.loss, model.start(chance), jac=True, method="L-BFGS-B", options=options)
    return _Fit(np.asarray(found.x), float(found.fun), int(found.nit), found.status == 0)


def _standardised(features: FloatArray) -> FloatArray:
    """Columns of mean 0 and standard deviation 1; constant ones become 0."""
    largest = np.maximum(np.abs(features).max(axis=0), _TINY)
    scaled = features / largest  # squares of huge values would overflow
    moved = scaled - scaled.mean(axis=0)
    spread = moved.std(axis=0)
    return np.asarray(np.where(spread > 1e-12, moved / np.maximum(spread, 1e-12), 0.0))


def _columns(attributes: Any, size: int) -> tuple[int, ...]:
    """Checked places of the propensity attributes."""
    several = isinstance(attributes, Sequence | np.ndarray | range) and not isinstance(
        attributes, str | bytes
    )
    if isinstance(attributes, np.ndarray) and attributes.ndim != 1:
        several = False
    if not several or not all(
        isinstance(place, int | np.integer) and not isinstance(place, bool) and 0 <= place < size
        for place in attributes
    ):
        raise InputError(
            f"attributes={shown(attributes)} must list columns of X by number, from 0 to {size - 1}. Use "
            "[0, 2], for example; an empty list means one propensity for all."
        )
    columns = tuple(sorted({int(place) for place in attributes}))
    if len(columns) == size:
        raise InputError(
            f"attributes lists all {size} columns of X. If both use the same features, the models of the "
            "class and of the label can be swapped, and the labels cannot show which is which: leave out at "
            "least one feature that has no influence on who is labelled."
        )
    return columns


def _few_labels_remark(effective: float, count: int) -> list[Diagnostic]:
    if effective >= _FEW_OF_ALL * count:
        return []
    return [
        Diagnostic(
            "PM120",
            f"with these propensities {count} labels carry as much information as {effective:.3g} with "
            "equal chances. Raise clip for a steadier result at the price of a small bias, or label more of "
            "the positives that rarely get a label.",
        )
    ]


def _clipped_remark(count: int, least: float) -> list[Diagnostic]:
    if not count:
        return []
    return [
        Diagnostic(
            "PM121",
            f"{count} labelled rows had an estimated propensity below {least:g} and were raised to it. They "
            "stand for fewer positives than the model says; see whether results change with clip.",
        )
    ]


def _search_remarks(settled: bool, steps: int, priors: list[float]) -> list[Diagnostic]:
    remarks = []
    if not settled:
        remarks.append(
            Diagnostic(
                "PM122",
                f"the search for propensities did not converge in {steps} steps. Pass a larger "
                "max_iterations, or a larger ridge.",
            )
        )
    if max(priors) > _APART * min(priors):
        remarks.append(
            Diagnostic(
                "PM122",
                f"fits with priors from {min(priors):.3g} to {max(priors):.3g} explain the labels equally "
                "well, so the level of the propensities is not identified. Their ratios may be; do not use "
                "the prior.",
            )
        )
    return remarks


@takes_data
def prior_from_propensities(table: ScoreTable, *, confidence_level: float = 0.95) -> PriorEstimate:
    """Share of positives in a single training set, from the chances of its labelled rows.

    Parameters
    ----------
    table : ScoreTable
        Of a single training set, with propensities. Twice as large propensities halve the prior: their level
        must be right, which that of `estimate_propensity` is by the form of its models only.
    confidence_level : float, default 0.95

    Returns
    -------
    PriorEstimate
        Its interval takes the propensities as known, and is that of Agresti and Coull for as many rows as
        would make a plain share vary as much.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [1, 1, 0, 0, 0, 0, 0, 0], range(8), scenario="single_training_set",
    ...     propensity=[0.5, 1] + 6 * [None])
    >>> prior_from_propensities(table).prior
    0.375
    """
    check_table(table)
    level = check_level(confidence_level)
    if not (table.has_propensities and table.design.one_sample):
        why = "has no propensities" if not table.has_propensities else f"is {table.scenario}"
        raise UnsupportedError(
            f"The table {why}. Propensities give the prior in a single training set only, where every "
            "positive had its chance: pass propensity=… and scenario='single_training_set' to "
            "ScoreTable.from_arrays."
        )
    samples, rows = TwoSamples(table), table.total
    inverse, squares, products = (float(column.sum()) for column in table.additive()[6:])
    prior = inverse / rows
    least, most = (float(end) for end in table.design.prior_limits(table.totals))
    if prior > most:
        raise PriorError(
            f"By their propensities the labelled rows stand for {inverse:.6g} positives, more than the "
            f"{most * rows:.6g} rows that can be positive. The propensities are too small: check their level."
        )
    error = squares - 2 * prior * products + prior**2 * float(samples.cmp_squares.sum())
    size = prior * (1 - prior) * rows**2 / error if 0 < prior < 1 and error > 0 else rows
    low, high = agresti_coull(prior, size, level)
    return PriorEstimate(
        prior,
        Interval(
            min(max(low, least), prior),
            max(min(high, most), prior),
            level,
            "confidence",
            "propensity",
        ),
        unlabeled_share=table.design.unlabeled_share(table.totals, prior),
        label_frequency=table.total_pos / inverse,
        method="propensity",
        status="estimate from propensities that are assumed known",
        trust=Trust(
            "identified",
            "the propensities of the labelled rows give the prior, if their level is right.",
        ),
        scenario=table.scenario,
        diagnostics=tuple(samples.few_positives()),
    )
