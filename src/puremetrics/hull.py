"""The ROC convex hull as maximum likelihood, and a bootstrap that splits its variance (Lim, Won 2012).

Renamed: D are the labelled positives, ND the rows they are compared with (negatives with full labels, the
comparison sample of `scenario` otherwise); S_D and S_ND are their shares above a score.

The hull is the least concave majorant of the ROC curve ("convex" in the paper). Its blocks are those of
the isotonic regression of the share of positives along the scores. It maximises two likelihoods:
the unconditional one (Lloyd's two steps, Eqs. (11) and (12)) and the one given the other group's
empirical distribution (Theorem 1). The correction for positives among the unlabeled is affine, so it
commutes with taking the hull: the corrected hull is the hull of the corrected curve.

A prior limits the slope: (1 − purity)/(1 − share) ≤ dG/dF ≤ purity/share, since neither rate can fall. With
``limit_slope=True`` the hull is cut by the line of the larger slope through (0, 0) and, with noisy labels,
by that of the smaller one through (1, 1). Without a prior, the
reciprocal of the first, steepest slope bounds the prior from above (no positives beyond those that a pure
top block would hold).

Errata: in Eq. (3) the exponents of π_0 and 1 − π_0 are swapped. In Eq. (9) the product runs over distinct
scores. In Eq. (14) the inner exponent is d_{D,j}. After Eq. (19) the first term is the variability due to
the *positive* group, and after Eq. (22) the roles of n_D and n_ND are exchanged: the first term vanishes
as n_D grows. In Eqs. (11) and (12), μ = n_D / n_ND.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics._validation import (
    FloatArray,
    as_generator,
    as_scores,
    check_count,
    check_flag,
    check_level,
    check_number,
)
from puremetrics.confusion import corrected_rates, range_diagnostics
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.intervals import normal_quantile
from puremetrics.pava import concave_blocks
from puremetrics.resampling import resampled_tables
from puremetrics.results import Curve
from puremetrics.scenario import (
    PriorLike,
    check_table,
    comparison_counts,
    comparison_share,
    resolve_prior,
)
from puremetrics.table import ScoreTable

__all__ = [
    "HullLikelihood",
    "HullResult",
    "HullVariance",
    "hull_likelihood",
    "hull_variance",
    "roc_hull",
]


@dataclass(frozen=True)
class HullResult:
    """The ROC convex hull: vertices, and one entry per block between them.

    Attributes
    ----------
    fpr, tpr, threshold : ndarray, shape (k + 1,)
        Vertices from (0, 0) to (1, 1), corrected if a prior was given; rows with
        ``score >= threshold`` are predicted positive.
    slope : ndarray, shape (k,)
        Likelihood ratio of positives to negatives in each block, decreasing; infinite if vertical.
    posterior : ndarray, shape (k,) or None
        Calibrated probability of being positive in each block; needs a prior or full labels. Values
        above 1 say that the slope exceeds what the prior allows.
    area : float
        Area under the hull.
    largest_prior : float
        Reciprocal of the steepest slope against the comparison sample, the plug-in of an upper bound on
        the prior. The steepest block may rest on few rows, which biases it downwards; the function
        `largest_prior` gives a confidence limit. 1 with full labels.
    """

    fpr: FloatArray
    tpr: FloatArray
    threshold: FloatArray
    slope: FloatArray
    posterior: FloatArray | None
    area: float
    largest_prior: float
    prior: float | None
    limited: bool
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def curve(self) -> Curve:
        """The hull as a curve."""
        return Curve(
            name="roc_hull",
            x=self.fpr,
            y=self.tpr,
            threshold=self.threshold,
            x_label="false positive rate",
            y_label="true positive rate",
            method="hull",
            prior=self.prior,
            diagnostics=self.diagnostics,
        )

    def best_threshold(
        self, *, cost_fp: float = 1.0, cost_fn: float = 1.0, prior: float | None = None
    ) -> float:
        """Threshold with the least expected cost.

        It is the vertex at which the slope passes cost_fp · (1 − prior) / (cost_fn · prior). The prior
        defaults to that of the hull.
        """
        at = self.prior if prior is None else check_number(prior, "prior")
        fp, fn = check_number(cost_fp, "cost_fp"), check_number(cost_fn, "cost_fn")
        if at is None or not 0 < at < 1:
            raise InputError(
                "The best threshold depends on the prior: pass prior=… between 0 and 1."
            )
        if fp < 0 or fn <= 0:
            raise InputError("Pass cost_fp >= 0 and cost_fn > 0.")
        weight = fn * at
        critical = fp * (1 - at) / weight if weight > 0 else np.inf
        return float(self.threshold[int(np.count_nonzero(self.slope > critical))])


@dataclass(frozen=True)
class HullLikelihood:
    """Both likelihood estimates at every distinct score: the columns of the paper's Table 1.

    ``survival`` columns are shares *strictly above* the score. ``conditional_pos`` is the hull at the
    empirical ``empirical_other``; the ``lloyd`` columns are the unconditional estimate.
    """

    score: FloatArray
    empirical_other: FloatArray
    empirical_pos: FloatArray
    conditional_pos: FloatArray
    posterior: FloatArray
    odds: FloatArray
    density_other: FloatArray
    density_pos: FloatArray
    lloyd_other: FloatArray
    lloyd_pos: FloatArray


@dataclass(frozen=True)
class HullVariance:
    """Variance of the hull at fixed false positive rates, split by group.

    Attributes
    ----------
    fpr, tpr : ndarray, shape (k,)
        Where, and the hull there.
    due_to_pos, due_to_others, total : ndarray, shape (k,)
        Variance due to the positives, due to the rows they are compared with, and their sum.
    low, high : ndarray, shape (k,)
        Pointwise confidence limits of the curve below the hull, within [0, 1]. Where the curve is steep
        (false positive rates below 0.1) they hold less often than they say (docs/trust_coverage.md).
    area, area_due_to_pos, area_due_to_others : float
        The same for the area under the hull.
    """

    fpr: FloatArray
    tpr: FloatArray
    due_to_pos: FloatArray
    due_to_others: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    area: float
    area_due_to_pos: float
    area_due_to_others: float
    replicates: dict[str, FloatArray] = field(repr=False)

    @property
    def total(self) -> FloatArray:
        """Sum of both parts, Eq. (22)."""
        return self.due_to_pos + self.due_to_others

    def with_more(self, *, positives: float = 1.0, others: float = 1.0) -> float:
        """Standard error of the area if the groups were so many times as large (inf: unlimited)."""
        times = []
        for name, given in (("positives", positives), ("others", others)):
            times.append(
                np.inf
                if isinstance(given, float) and given == np.inf
                else check_number(given, name)
            )
            if times[-1] <= 0:
                raise InputError(
                    f"{name}={times[-1]:g}: pass how many times as large the group becomes, a positive "
                    "number."
                )
        positives, others = times
        return float(np.sqrt(self.area_due_to_pos / positives + self.area_due_to_others / others))

    def __str__(self) -> str:
        now = self.with_more()
        return (
            f"Area under the hull: {self.area:.4f}, standard error {now:.4f}\n"
            f"  with unlimited other rows it would still be {self.with_more(others=np.inf):.4f}, "
            f"with unlimited positives {self.with_more(positives=np.inf):.4f}"
        )


def roc_hull(
    table: ScoreTable, *, prior: PriorLike = None, purity: float = 1.0, limit_slope: bool = False
) -> HullResult:
    """Least concave majorant of the ROC curve, corrected if a prior is given.

    It is the best curve that thresholds and randomising between them can reach, and the maximum
    likelihood estimate of a concave ROC curve. On the data it was fitted to it is optimistic: small
    samples raise it.

    Parameters
    ----------
    table : ScoreTable
    prior : float, (low, high) or PriorEstimate, optional
        P(y = 1) in the population. Without one, and with unlabeled rows, the hull is that of the labelled
        positives against all other rows, as they are.
    purity : float, default 1
        Share of true positives among the labelled.
    limit_slope : bool, default False
        Cut the hull at the steepest slope that the prior allows.

    Returns
    -------
    HullResult
        Cost: O(labelled · log rows).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario="case_control")
    >>> hull = roc_hull(table)
    >>> hull.tpr.round(3), hull.fpr.round(3)
    (array([0.   , 0.667, 1.   , 1.   ]), array([0.   , 0.   , 0.333, 1.   ]))
    >>> hull.best_threshold(cost_fn=3)
    2.0
    """
    uncorrected = prior is None and table.total_unl > 0
    used = table.cut().unlabeled_as_negative() if uncorrected else table
    _check_purity(uncorrected, purity)
    known = resolve_prior(used, prior, purity)
    ranked = used.cut()
    share = comparison_share(ranked, known.value)
    whole = _majorant(ranked)
    f, g, threshold = whole
    if check_flag(limit_slope, "limit_slope"):
        f, g, threshold = _between_slopes(f, g, threshold, share, known.purity)
    cut = f is not whole[0]
    tpr, fpr = corrected_rates(g, f, share, known.purity)
    dg, df = np.diff(tpr), np.diff(fpr)
    flat = df <= 1e-15
    slope = np.divide(dg, df, out=np.full(dg.size, np.inf), where=~flat)
    posterior = None
    if not uncorrected:
        found = known.value * dg
        reached = found + (1 - known.value) * df
        posterior = np.divide(found, reached, out=np.full(dg.size, np.inf), where=reached > 1e-15)
    return HullResult(
        fpr=fpr,
        tpr=tpr,
        threshold=threshold,
        slope=slope,
        posterior=posterior,
        area=float(np.sum(df * (tpr[1:] + tpr[:-1])) / 2),
        largest_prior=_reciprocal(table),
        prior=None if uncorrected else known.value,
        limited=cut,
        diagnostics=(*known.diagnostics, *range_diagnostics(tpr, fpr)),
    )


def hull_likelihood(table: ScoreTable) -> HullLikelihood:
    """Both maximum likelihood estimates of a concave ROC curve, row by row.

    Positives are compared with all other rows as they are. The unconditional estimate is Lloyd's:
    isotonic posteriors π, odds φ = π/(1 − π), and densities by Eqs. (11) and (12). The conditional one keeps
    the others' empirical distribution and puts the positives on the hull (Theorem 1).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario="case_control")
    >>> hull_likelihood(table).posterior
    array([1. , 1. , 0.5, 0.5, 0. , 0. ])
    """
    check_table(table)
    naive = table.unlabeled_as_negative()
    pos, other = np.asarray(naive.n_pos, float), np.asarray(naive.n_neg, float)
    size = pos + other
    blocks = concave_blocks(other / other.sum(), pos / pos.sum())
    starts = blocks[:-1]
    lengths = np.diff(blocks)
    share = np.add.reduceat(pos, starts) / np.add.reduceat(size, starts)
    posterior = np.repeat(share, lengths)
    certain = posterior == 1.0
    odds = np.divide(posterior, 1 - posterior, out=np.full(size.size, np.inf), where=~certain)
    ratio = pos.sum() / other.sum()
    finite = np.where(certain, 0.0, odds)
    bottom = pos.sum() * finite + other.sum() * ratio
    density_other = np.where(certain, 0.0, size * ratio / bottom)
    density_pos = np.where(certain, size / pos.sum(), size * finite / bottom)
    empirical_other, empirical_pos = _above(other / other.sum()), _above(pos / pos.sum())
    f, g = (
        np.concatenate([[0.0], np.cumsum(d)])[blocks]
        for d in (other / other.sum(), pos / pos.sum())
    )
    return HullLikelihood(
        score=naive.score,
        empirical_other=empirical_other,
        empirical_pos=empirical_pos,
        conditional_pos=_height(f, g, empirical_other),
        posterior=posterior,
        odds=odds,
        density_other=density_other,
        density_pos=density_pos,
        lloyd_other=_above(density_other),
        lloyd_pos=_above(density_pos),
    )


def hull_variance(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: float = 1.0,
    fpr: Any = None,
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> HullVariance:
    """Variance of the hull due to the positives and due to the rows they are compared with.

    Conditional bootstrap (Algorithm 1): one group is resampled, the other held fixed. The two variances
    add up to the total one, Eq. (22). Each is what would remain if the other group were unlimited. In a
    single training set the sizes of the groups vary, too.

    Parameters
    ----------
    table : ScoreTable
        Without sampling weights.
    prior, purity
        As in `roc_hull`.
    fpr : array-like, optional
        False positive rates at which the hull is evaluated; default 0, 0.01 … 1.
    n_resamples : int, default 500
        Of each group.
    confidence_level : float, default 0.95
    rng : int or Generator, optional

    Returns
    -------
    HullVariance
        Cost: O(labelled) a resample, whatever the number of unlabeled rows.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(10, 40), unlabeled=None, negative=range(30), scenario="case_control")
    >>> variance = hull_variance(table, n_resamples=50, rng=0)
    >>> bool(variance.with_more(others=float("inf")) < variance.with_more())
    True
    """
    level = check_level(confidence_level)
    n_resamples = check_count(n_resamples, "n_resamples", smallest=2)
    grid = np.linspace(0, 1, 101) if fpr is None else as_scores(fpr, "fpr")
    if not np.all((grid >= 0) & (grid <= 1)):
        raise InputError("fpr must hold false positive rates, between 0 and 1.")
    uncorrected = prior is None and table.total_unl > 0
    _check_purity(uncorrected, purity)
    used = table.cut().unlabeled_as_negative() if uncorrected else table
    known = resolve_prior(used, prior, purity)
    ranked = used.cut()
    # One training set has no fixed numbers of labelled and other rows: Poisson counts let them vary.
    scheme = "poisson" if table.scenario == "single_training_set" else "multinomial"
    others = tuple(name for name, n in (("unl", used.total_unl), ("neg", used.total_neg)) if n > 0)
    share = comparison_share(ranked, known.value)

    def heights(resampled: ScoreTable) -> FloatArray:
        f, g, _ = _majorant(resampled)
        tpr, rate = corrected_rates(g, f, share, known.purity)
        area = float(np.sum(np.diff(rate) * (tpr[1:] + tpr[:-1])) / 2)
        return np.append(np.clip(_height(rate, tpr, grid), 0.0, 1.0), area)

    centre = heights(ranked)
    generator = as_generator(rng)
    replicates = {
        name: np.array(
            [
                heights(t)
                for t in resampled_tables(ranked, groups, n_resamples, scheme, True, generator)
            ]
        )
        for name, groups in (("pos", ("pos",)), ("others", others))
    }
    parts = {name: values.var(axis=0, ddof=1) for name, values in replicates.items()}
    lifted = sum(values.mean(axis=0) - centre for values in replicates.values())
    low, high = _height_limits(
        centre[:-1],
        np.sqrt(parts["pos"] + parts["others"])[:-1],
        np.maximum(lifted, 0.0)[:-1],
        table.total_pos,
        level,
    )
    return HullVariance(
        fpr=grid,
        tpr=centre[:-1],
        due_to_pos=parts["pos"][:-1],
        due_to_others=parts["others"][:-1],
        low=low,
        high=high,
        level=level,
        area=float(centre[-1]),
        area_due_to_pos=float(parts["pos"][-1]),
        area_due_to_others=float(parts["others"][-1]),
        replicates=replicates,
    )


def _height_limits(
    height: FloatArray, error: FloatArray, lifted: FloatArray, labelled: float, level: float
) -> tuple[FloatArray, FloatArray]:
    """Pointwise limits of the curve below the hull.

    A majorant lies too high on average: the resampled hulls show by how much they exceed the hull that
    they are drawn from, and its own excess over the curve is about as large again, so the lower limit
    starts below the height by twice that. It is taken on the probit scale of the height with two hits
    and two misses added, and the error is at least that of so many positives: near 1 resamples hardly
    differ.
    """
    from scipy.special import ndtr, ndtri

    quantile = normal_quantile(level)
    inside = (height * labelled + 2) / (labelled + 4)
    error = np.maximum(error, np.sqrt(inside * (1 - inside) / (labelled + 4)))
    ends = []
    for sign, start in ((-1, np.clip(inside - 2 * lifted, 0.01, 0.99)), (1, inside)):
        place = ndtri(start)
        density = np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi)
        ends.append(ndtr(place + sign * quantile * error / density))
    low, high = np.minimum(ends[0], height), np.maximum(ends[1], height + quantile * error)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _majorant(table: ScoreTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vertices of the hull in shares of the comparison sample (F) and of the positives (G)."""
    counts, _ = comparison_counts(table)
    df, dg = counts / counts.sum(), table.n_pos / table.n_pos.sum()
    used = df + dg > 0
    if not used.all():
        df, dg = df[used], dg[used]
    ends = concave_blocks(df, dg)
    f, g = (np.concatenate([[0.0], np.cumsum(d)])[ends] for d in (df, dg))
    f[-1] = g[-1] = 1.0
    return f, g, np.concatenate([[np.inf], table.score[used]])[ends]


def _reciprocal(table: ScoreTable) -> float:
    """One over the steepest slope against the comparison sample."""
    if table.total_unl == 0:
        return 1.0
    f, g, _ = _majorant(table.cut())
    return float(min(f[1] / g[1], 1.0))


def _between_slopes(
    f: FloatArray, g: FloatArray, threshold: FloatArray, share: float, purity: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cut a concave curve by the lines of the steepest and the flattest slope that are possible."""
    steepest = purity / share if share > 0 else np.inf
    flattest = (1 - purity) / (1 - share)
    if np.isfinite(steepest) and g[1] > steepest * f[1] * (1 + 1e-12):
        f, g, threshold = _cut_start(f, g, threshold, steepest)
    if purity < 1 and 1 - g[-2] < flattest * (1 - f[-2]) * (1 - 1e-12):
        # Seen from (1, 1) with the axes exchanged, the flattest slope is the steepest.
        back = _cut_start(1 - g[::-1], 1 - f[::-1], threshold[::-1], 1 / flattest)
        f, g, threshold = 1 - back[1][::-1], 1 - back[0][::-1], back[2][::-1]
    moves = np.concatenate([(np.diff(f) > 1e-12) | (np.diff(g) > 1e-12), [True]])
    if moves.all():
        return f, g, threshold
    return (
        f[moves],
        g[moves],
        threshold[moves],
    )  # where both lines meet, blocks of no length are left


def _cut_start(
    f: FloatArray, g: FloatArray, threshold: FloatArray, slope: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Replace the part of a concave curve above the line of that slope through the origin."""
    below = int(np.flatnonzero(g <= slope * f + 1e-15)[1])  # the first vertex after the origin
    df, dg = f[below] - f[below - 1], g[below] - g[below - 1]
    part = (g[below - 1] - slope * f[below - 1]) / (slope * df - dg)
    x = f[below - 1] + part * df
    f = np.concatenate([[0.0, x], f[below:]])
    g = np.concatenate([[0.0, slope * x], g[below:]])
    return f, g, np.concatenate([threshold[:1], threshold[below : below + 1], threshold[below:]])


def _check_purity(uncorrected: bool, purity: float) -> None:
    if uncorrected and purity != 1.0:
        raise InputError(
            "purity corrects for noisy labels, which needs a prior as well. Pass prior=…, or leave both out."
        )


def _height(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """A concave curve at given abscissae; where it is vertical, its top."""
    last = np.searchsorted(x, at, side="right") - 1
    last = np.clip(last, 0, x.size - 2)
    run = x[last + 1] - x[last]
    part = np.divide(at - x[last], run, out=np.ones_like(at), where=run > 0)
    return np.asarray(y[last] + np.clip(part, 0.0, 1.0) * (y[last + 1] - y[last]))


def _above(density: FloatArray) -> FloatArray:
    """Share strictly above each score, from densities in order of falling scores."""
    return np.concatenate([[0.0], np.cumsum(density)[:-1]])
