"""What a wrong prior does: derivatives, metrics against the prior, and which model is best where.

Claesen et al. (2015), Sections 6.1 and 6.2, Lemma 4, Appendix B.

Derivatives. With G and F the shares of the labelled positives and of the comparison sample in the head,
α the prior and clean labels, TP/n = α·G, FP/n = F − α·G, FN/n = α·(1 − G), TN/n = 1 − F − α·(1 − G), so

    dTP/dα = n·G,  dFP/dα = −n·G,  dFN/dα = n·(1 − G),  dTN/dα = −n·(1 − G),
    dTPR/dα = 0,   dFPR/dα = (F − G) / (1 − α)²,   dPrecision/dα = G / F.

In case-control these are the paper's, F being |head(U)|/|U|. Erratum: Eqs. (15) and (20) lack the factor
1/|U| in the derivative of the false positive rate.

The largest prior. If m of the unlabeled rows are positive, their rank distribution stays within
c(m) = sqrt(log(1/δ)/2 · (n + m)/(n·m)) below that of the n labelled ones, at all thresholds at once with
confidence 1 − δ (one-sided two-sample band). A head of h_U unlabeled rows holds at most h_U of them:
m·(G − c(m)) ≤ h_U at every threshold. The largest m for which that is true is an upper confidence limit of
the number of latent positives. The prior is that of the population they were drawn from: half of the error
level goes to the binomial (Clopper–Pearson) limit of its share given m of |U|, or in a single training set
given the labelled and m of all rows.

Model selection. The exact correction of the area under the ROC curve is one increasing map for all
models (Jain, Eq. (4)), so the prior never changes their order: Figure 4's flip comes from the corner
cases of Eq. (11). There the ranking of one model rises faster than 1/prior, which no curve can if the
prior is right. `best_by_prior` reports such priors as contradicted. The order by average precision or by
metrics at a threshold does depend on the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics._validation import (
    FloatArray,
    as_scores,
    check_choice,
    check_flag,
    check_level,
    check_number,
    check_share,
)
from puremetrics.bands import check_whole
from puremetrics.bounds import average_precision_bounds, roc_auc_bounds
from puremetrics.confusion import heads_of, metric
from puremetrics.correction import average_precision, roc_auc
from puremetrics.exceptions import InputError, PriorError, UnsupportedError
from puremetrics.formulas import SMALLER_IS_BETTER
from puremetrics.results import Interval, PriorEstimate
from puremetrics.scenario import (
    PriorLike,
    check_table,
    comparison_share,
    population_size,
    prior_limits,
    resolve_prior,
    unlabeled_share,
)
from puremetrics.table import ScoreTable

__all__ = [
    "ModelRanking",
    "PriorDerivatives",
    "PriorSensitivity",
    "best_by_prior",
    "largest_prior",
    "prior_derivatives",
    "prior_sensitivity",
]

_STATISTICS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "roc_auc": (roc_auc, roc_auc_bounds),
    "average_precision": (average_precision, average_precision_bounds),
}


@dataclass(frozen=True)
class PriorDerivatives:
    """Derivatives with respect to the prior, at every threshold; entries are counts of rows."""

    threshold: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    precision: FloatArray


@dataclass(frozen=True)
class PriorSensitivity:
    """A statistic against the prior: point estimate, confidence interval and bounds."""

    statistic: str
    prior: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    bound_low: FloatArray
    bound_high: FloatArray
    largest_prior: float

    def frame(self) -> dict[str, FloatArray]:
        """Return what a plot draws."""
        return {
            "prior": self.prior,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "bound low": self.bound_low,
            "bound high": self.bound_high,
        }


@dataclass(frozen=True)
class ModelRanking:
    """Which model is best at which prior.

    Attributes
    ----------
    prior : ndarray, shape (k,)
    values : dict of str to ndarray, shape (k,)
        The statistic of each model at each prior.
    ranges : list of (low, high, name)
        Ranges of the prior in which one model is best.
    crossings : list of float
        Priors at which the best model changes.
    dominant : str or None
        The model that is best at every prior, if there is one.
    contradicted : dict of str to float
        Smallest prior, of those tried, that each model's ranking contradicts (its corrected curve leaves
        the unit square by more than sampling error); infinite if none.
    """

    statistic: str
    prior: FloatArray
    values: dict[str, FloatArray]
    ranges: list[tuple[float, float, str]]
    crossings: list[float]
    dominant: str | None
    contradicted: dict[str, float]

    def __str__(self) -> str:
        lines = [f"best by {self.statistic}:"]
        lines += [f"  prior {low:.4g} to {high:.4g}: {name}" for low, high, name in self.ranges]
        for name, limit in self.contradicted.items():
            if np.isfinite(limit):
                lines.append(f"  the ranking of {name} contradicts priors of {limit:.4g} and above")
        return "\n".join(lines)


def prior_derivatives(table: ScoreTable, *, prior: PriorLike) -> PriorDerivatives:
    """Derivatives of every entry and rate of the confusion matrix with respect to the prior.

    For clean labels, at every distinct score; precision has no derivative where nothing of the
    comparison sample is in the head (NaN there).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2], unlabeled=[3, 2, 1, 0], scenario="case_control")
    >>> prior_derivatives(table, prior=0.25).fpr.round(3)
    array([ 0.   , -0.889, -0.444, -0.889, -0.444,  0.   ])
    """
    known = resolve_prior(table, prior)
    if known.purity != 1.0:
        raise UnsupportedError(
            "These derivatives are for clean labels: pass a prior without a purity."
        )
    heads = heads_of(table)
    g, f, n = heads.pos, heads.cmp, population_size(table)
    share = comparison_share(table, known.value)
    by_share = 0.0 if table.scenario == "case_control" and table.total_unl == 0 else 1.0
    precision = np.divide(g, f, out=np.full(g.size, np.nan), where=f > 0)
    return PriorDerivatives(
        threshold=heads.threshold,
        tp=n * g,
        fp=-n * g,
        fn=n * (1 - g),
        tn=-n * (1 - g),
        tpr=np.zeros(g.size),
        fpr=by_share * (f - g) / (1 - share) ** 2,
        precision=precision,
    )


def largest_prior(table: ScoreTable, *, confidence_level: float = 0.95) -> PriorEstimate:
    """Upper confidence limit of the prior: above it the positives could not be placed.

    Holds if the labelled positives are a random sample of all positives; its coverage is checked by
    simulation. ``estimate_prior(table, method="slope")`` gives a slightly wider limit that is proved for
    samples of any size. Neither says how small the prior may be.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=list(range(1000, 1100)) * 10, unlabeled=range(1100), scenario="case_control")
    >>> round(largest_prior(table).prior, 2)  # 100 of 1,100 rows, plus what 1,000 labels leave open
    0.12
    """
    level = check_level(confidence_level)
    check_whole(table)
    ranked = table.cut()
    size = int(table.total_unl)
    heads = np.cumsum(ranked.n_pos) / table.total_pos
    rows = np.cumsum(ranked.n_unl)
    within = (1 + level) / 2
    low, high = 0, size
    while low < high:  # the largest m that contradicts no threshold
        latent = (low + high + 1) // 2
        reach = _one_sided_reach(int(table.total_pos), latent, within)
        if np.all(latent * (heads - reach) <= rows + 1e-9):
            low = latent
        else:
            high = latent - 1
    smallest, limit = prior_limits(table)
    # Positives among the rows that stand for the population: the other half of the error.
    found, counted = low, size
    if table.scenario == "single_training_set":
        found, counted = low + int(table.total_pos), int(table.total)
    if low < size:
        from scipy.special import betaincinv

        limit = min(float(betaincinv(found + 1, counted - found, (1 + level) / 2)), limit)
    interval = Interval(smallest, limit, level, "confidence", "two_sample_band")
    return PriorEstimate(
        prior=limit,
        interval=interval,
        unlabeled_share=unlabeled_share(table, limit),
        method="largest_prior",
        status="upper bound",
        scenario=table.scenario,
    )


def prior_sensitivity(
    table: ScoreTable,
    *,
    statistic: str = "roc_auc",
    priors: Any = None,
    purity: float = 1.0,
    bounds: bool = True,
    confidence_level: float = 0.95,
) -> PriorSensitivity:
    """Trace a statistic, its confidence interval and its bounds over the prior.

    Parameters
    ----------
    table : ScoreTable
    statistic : {"roc_auc", "average_precision"}
    priors : array-like, optional
        Default: 41 values from the smallest possible prior to the largest the data allow.
    purity : float, default 1
        Share of true positives among the labelled; the bounds assume 1.
    bounds : bool, default True
        Also compute the bounds at every prior; without them they are 0 and 1.
    confidence_level : float, default 0.95

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
    >>> curve = prior_sensitivity(table, priors=[0.1, 0.2])
    >>> bool(curve.value[0] < curve.value[1])
    True
    """
    estimate, bound = _STATISTICS[check_choice(statistic, tuple(_STATISTICS), "statistic")]
    check_table(table)
    check_flag(bounds, "bounds")
    limit = prior_limits(table, check_share(purity, "purity"))[1]
    if table.whole and table.total_unl > 0:
        limit = largest_prior(table, confidence_level=confidence_level).prior
    grid = _default_priors(table, limit) if priors is None else as_scores(priors, "priors")
    columns = np.full((5, grid.size), np.nan)
    for i, prior in enumerate(map(float, grid)):
        result = estimate(table, prior=prior, purity=purity, confidence_level=confidence_level)
        columns[:3, i] = result.value, *result.interval
        columns[3:, i] = 0.0, 1.0
        if bounds:
            with suppress(PriorError):  # no latent positive or no negative: nothing is bounded
                columns[3:, i] = tuple(bound(table, prior=prior, confidence_level=confidence_level))
    value, low, high, bound_low, bound_high = columns
    return PriorSensitivity(statistic, grid, value, low, high, bound_low, bound_high, limit)


def best_by_prior(
    tables: Mapping[str, ScoreTable],
    *,
    statistic: str = "roc_auc",
    threshold: float | Mapping[str, float] | None = None,
    priors: Any = None,
) -> ModelRanking:
    """Say which of several models is best at which prior.

    The tables must describe the same rows. Values are point estimates (`roc_auc`,
    `average_precision`); crossings are located by linear interpolation between the priors tried.

    Parameters
    ----------
    tables : mapping of str to ScoreTable
        At least two models.
    statistic : str
        "roc_auc", "average_precision", or a metric at ``threshold``; errors and costs are minimised.
    threshold : float or mapping of str to float, optional
        For metrics of the confusion matrix: one for all models, or one for each.
    priors : array-like, optional
        Default: 101 values over the range that the labels of the first table allow. Those at which a
        metric is undefined for some model are left out.

    Examples
    --------
    >>> a = ScoreTable.from_groups(positive=[9, 8], unlabeled=[7, 5, 1], scenario="case_control")
    >>> b = ScoreTable.from_groups(positive=[9, 3], unlabeled=[7, 5, 1], scenario="case_control")
    >>> best_by_prior({"a": a, "b": b}, priors=[0.0, 0.1]).dominant
    'a'
    """
    if not isinstance(tables, Mapping) or len(tables) < 2:
        raise InputError("best_by_prior compares models: pass two or more tables by name.")
    first = next(iter(tables.values()))
    for table in tables.values():
        check_table(table)
    if any((t.scenario, t.totals) != (first.scenario, first.totals) for t in tables.values()):
        raise InputError(
            "The tables differ in scenario or in their numbers of rows, so they do not describe the "
            "same rows. Score all models on the same rows first."
        )
    grid = _default_priors(first, None) if priors is None else np.sort(as_scores(priors, "priors"))
    if not grid.size:
        raise InputError("priors is empty. Pass the priors to try, or leave it out.")
    values = {
        name: _values_by_prior(table, statistic, _threshold_of(threshold, name), grid)
        for name, table in tables.items()
    }
    defined = np.isfinite(list(values.values())).all(axis=0)
    if not defined.any():
        raise UnsupportedError(
            f"{statistic!r} is undefined for some model at every prior. Choose another threshold."
        )
    grid, values = grid[defined], {name: column[defined] for name, column in values.items()}
    contradicted = {name: _contradiction(table, grid) for name, table in tables.items()}
    names, matrix = list(values), np.array(list(values.values()))
    if statistic in SMALLER_IS_BETTER:
        matrix = -matrix
    best = matrix.argmax(axis=0)
    ranges, crossings, start = [], [], float(grid[0])
    for i in range(1, grid.size):
        if best[i] != best[i - 1]:
            gap = matrix[best[i - 1]] - matrix[best[i]]
            part = gap[i - 1] / (gap[i - 1] - gap[i])
            crossing = float(grid[i - 1] + part * (grid[i] - grid[i - 1]))
            ranges.append((start, crossing, names[best[i - 1]]))
            crossings.append(crossing)
            start = crossing
    ranges.append((start, float(grid[-1]), names[best[-1]]))
    top = matrix[best[0]]
    dominant = names[best[0]] if np.all(top >= matrix) else None
    return ModelRanking(statistic, grid, values, ranges, crossings, dominant, contradicted)


def _threshold_of(threshold: Any, name: str) -> float | None:
    if isinstance(threshold, Mapping):
        if name not in threshold:
            raise InputError(f"threshold has no entry for model {name!r}. Pass one for each model.")
        threshold = threshold[name]
    return None if threshold is None else check_number(threshold, "threshold")


def _values_by_prior(
    table: ScoreTable, statistic: str, threshold: float | None, grid: FloatArray
) -> FloatArray:
    if threshold is None:
        estimate, _ = _STATISTICS[check_choice(statistic, tuple(_STATISTICS), "statistic")]
        return np.array([estimate(table, prior=float(p)).value for p in grid])
    return np.array(
        [metric(table, statistic, threshold=threshold, prior=float(p)).value for p in grid]
    )


def _one_sided_reach(labelled: int, latent: int, level: float) -> float:
    return float(np.sqrt(np.log(1 / (1 - level)) / 2 * (labelled + latent) / (labelled * latent)))


def _default_priors(table: ScoreTable, limit: float | None) -> FloatArray:
    low, high = prior_limits(table)
    if limit is not None:
        return np.linspace(low, min(limit, high - 1e-6), 41)
    return np.linspace(low, low + 0.95 * (high - low), 101)


def _contradiction(table: ScoreTable, grid: FloatArray) -> float:
    """Smallest prior at which some head would hold more latent positives than rows."""
    if not table.whole or table.total_unl == 0:
        return float("inf")
    limit = largest_prior(table).prior
    above = grid[grid > limit]
    return float(above[0]) if above.size else float("inf")
