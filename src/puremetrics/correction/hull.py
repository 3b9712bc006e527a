"""The ROC convex hull as maximum likelihood (Lim, Won 2012).

Renamed: D are the labelled positives, ND the rows they are compared with (negatives with full labels, the
comparison sample of `scenarios` otherwise); S_D and S_ND are their shares above a score.

The hull is the least concave majorant of the ROC curve ("convex" in the paper). Its blocks are those of the
isotonic regression of the share of positives along the scores. It maximises two likelihoods
(`hull_likelihood`): the unconditional one (Lloyd's two steps, Eqs. (11) and (12)) and the one given the
empirical distribution of the other sample (Theorem 1). The correction for positives among the unlabeled is
affine, so it commutes with taking the hull: the corrected hull is the hull of the corrected curve.

A prior limits the slope: (1 − purity)/(1 − share) ≤ dG/dF ≤ purity/share, since neither rate can fall. With
``limit_slope=True`` the hull is cut by the line of the larger slope through (0, 0) and, with noisy labels, by
that of the smaller one through (1, 1). Without a prior, the reciprocal of the first, steepest slope bounds
the prior from above (no positives beyond those that a pure top block would hold).

The paper's bootstrap, which splits the variance of the hull, is in `statistics.hull_variance`.

Errata: in Eq. (3) the exponents of π_0 and 1 − π_0 are swapped. In Eq. (9) the product runs over distinct
scores. In Eq. (14) the inner exponent is d_{D,j}. After Eq. (19) the first term is the variability due to the
*positive* sample, and after Eq. (22) the roles of n_D and n_ND are exchanged: the first term vanishes as n_D
grows. In Eqs. (11) and (12), μ = n_D / n_ND.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics.checking.arguments import check_flag, check_level, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.correction.rates import corrected_rates, range_diagnostics, rate_errors
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.monotone import concave_blocks
from puremetrics.results import Columns, Curve, Result
from puremetrics.results.picture import Drawing, Picture
from puremetrics.setting import (
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_table,
    purity_range,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "HullLikelihood",
    "HullResult",
    "height",
    "hull_likelihood",
    "hull_of",
    "hull_setting",
    "majorant",
    "roc_hull",
]


@dataclass(frozen=True, eq=False, repr=False)
class HullResult(Result):
    """The ROC convex hull: vertices, and one entry per block between them.

    Attributes
    ----------
    fpr, tpr, threshold : ndarray, shape (k + 1,)
        Vertices from (0, 0) to (1, 1), corrected if a prior was given; rows with
        ``score >= threshold`` are predicted positive. A vertex where ``limit_slope`` cut the hull is reached
        by drawing lots between two thresholds, and has none of its own (NaN).
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
        defaults to that of the hull. Where a limited hull has no threshold at that vertex, it is the
        cheaper one of its neighbours.
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
        best = int(np.count_nonzero(self.slope > critical))
        if np.isnan(
            self.threshold[best]
        ):  # a vertex of the cut: only its neighbours are thresholds
            sides = [i for i in (best - 1, best + 1) if not np.isnan(self.threshold[i])]
            costs = fp * (1 - at) * self.fpr + weight * (1 - self.tpr)
            best = min(sides, key=lambda i: costs[i])
        return float(self.threshold[best])

    _picture = Picture("false positive rate", ("true positive rate",), diagonal=True)

    def frame(self) -> Columns:
        """Return the vertices; slope and posterior of the block that ends at each (NaN at the first)."""
        empty = np.full(self.slope.size, np.nan)
        blocks = {
            "slope": self.slope,
            "posterior": empty if self.posterior is None else self.posterior,
        }
        return {
            "false positive rate": self.fpr,
            "true positive rate": self.tpr,
            "threshold": self.threshold,
            **{name: np.concatenate([[np.nan], column]) for name, column in blocks.items()},
        }

    def __str__(self) -> str:
        lines = [f"ROC convex hull: area {self.area:.4f}, {self.fpr.size} vertices"]
        assumed = "not corrected" if self.prior is None else f"assumes prior {self.prior:.4g}"
        lines.append(
            f"  {assumed}; its steepest slope allows priors up to {self.largest_prior:.4g}"
        )
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@takes_data
def roc_hull(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    purity: PurityLike = None,
    limit_slope: bool = False,
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
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, its middle is used.
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
    return hull_of(hull_setting(table, prior, purity), check_flag(limit_slope, "limit_slope"))


def hull_setting(
    table: ScoreTable, prior: PriorLike, purity: PurityLike, confidence_level: float = 0.95
) -> Setting:
    """The setting of a hull: without a prior, unlabeled rows are taken as negative."""
    check_table(table)
    if prior is not None or table.total_unl == 0:
        return Setting.of(table, prior, purity, confidence_level)
    if purity is not None and purity_range(purity)[1] != 1.0:
        raise InputError(
            "purity corrects for noisy labels, which needs a prior as well. Pass prior=…, or leave both out."
        )
    return replace(
        Setting.naive(table.cut(), check_level(confidence_level)), rows=TwoSamples(table)
    )


def hull_of(setting: Setting, limit_slope: bool = False) -> HullResult:
    """The hull of a setting; ``setting.rows`` holds the table as it was given."""
    given = setting.rows.table
    uncorrected = setting.table.total_unl != given.total_unl
    whole = majorant(setting.samples)
    f, g, threshold = whole
    if limit_slope:
        f, g, threshold = _between_slopes(f, g, threshold, setting.share, setting.purity)
    tpr, fpr = corrected_rates(g, f, setting.share, setting.purity)
    errors = rate_errors(g, f, setting.share, setting.purity, setting.samples.sizes)
    dg, df = np.diff(tpr), np.diff(fpr)
    flat = df <= 1e-15
    slope = np.divide(dg, df, out=np.full(dg.size, np.inf), where=~flat)
    posterior = None
    if not uncorrected:
        found = setting.prior * dg
        reached = found + (1 - setting.prior) * df
        posterior = np.divide(found, reached, out=np.full(dg.size, np.inf), where=reached > 1e-15)
    return HullResult(
        fpr=fpr,
        tpr=tpr,
        threshold=threshold,
        slope=slope,
        posterior=posterior,
        area=float(np.sum(df * (tpr[1:] + tpr[:-1])) / 2),
        largest_prior=_reciprocal(setting, uncorrected),
        prior=None if uncorrected else setting.prior,
        limited=f is not whole[0],
        diagnostics=(*setting.diagnostics, *range_diagnostics(tpr, fpr, errors)),
    )


def majorant(samples: TwoSamples) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vertices of the hull in shares of the comparison sample (F) and of the positives (G)."""
    counts, table = samples.cmp, samples.table
    df, dg = counts / counts.sum(), samples.pos / samples.pos.sum()
    used = df + dg > 0
    if not used.all():
        df, dg = df[used], dg[used]
    ends = concave_blocks(df, dg)
    f, g = (np.concatenate([[0.0], np.cumsum(d)])[ends] for d in (df, dg))
    f[-1] = g[-1] = 1.0
    return f, g, np.concatenate([[np.inf], table.score[used]])[ends]


def _reciprocal(setting: Setting, uncorrected: bool) -> float:
    """One over the steepest slope against the comparison sample."""
    given = setting.rows.table
    if given.total_unl == 0:
        return 1.0
    f, g, _ = majorant(TwoSamples(given.cut()) if uncorrected else setting.samples)
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
    return f, g, np.concatenate([threshold[:1], [np.nan], threshold[below:]])


def height(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """A concave curve at given abscissae; where it is vertical, its top."""
    last = np.searchsorted(x, at, side="right") - 1
    last = np.clip(last, 0, x.size - 2)
    run = x[last + 1] - x[last]
    part = np.divide(at - x[last], run, out=np.ones_like(at), where=run > 0)
    return np.asarray(y[last] + np.clip(part, 0.0, 1.0) * (y[last + 1] - y[last]))


@dataclass(frozen=True, eq=False, repr=False)
class HullLikelihood(Result):
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
    diagnostics: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        return (
            f"Two likelihood estimates of a concave ROC curve at {self.score.size} scores\n"
            "  conditional: the hull; unconditional: Lloyd's"
        )

    def _drawing(self) -> Drawing:
        lines = {
            "conditional": (self.empirical_other, self.conditional_pos),
            "unconditional": (self.lloyd_other, self.lloyd_pos),
        }
        return Drawing(
            "share of the other rows", "share of the labelled rows", lines, diagonal=True
        )


@takes_data
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
        conditional_pos=height(f, g, empirical_other),
        posterior=posterior,
        odds=odds,
        density_other=density_other,
        density_pos=density_pos,
        lloyd_other=_above(density_other),
        lloyd_pos=_above(density_pos),
    )


def _above(density: FloatArray) -> FloatArray:
    """Share strictly above each score, from densities in order of falling scores."""
    return np.concatenate([[0.0], np.cumsum(density)[:-1]])
