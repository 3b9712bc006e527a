"""The calibration error without negatives (Kiryo, Futami, Sugiyama 2025).

Estimand: the binned calibration error, TCE(f_I) of Section 2.2.2: over the bins, the sum of
P(bin) · |mean score − share of positives|, in the population of the scenario. The true calibration
error, TCE(f), is the same with infinitely narrow bins and never smaller; `bias_bound` limits the
distance between it and the estimate. Equal-mass bins depend on the data; the estimand is that of
the bins as they came out.

``error`` is ECE_PU in the reformulated version (Section 3.1), which is well defined in bins without
unlabeled rows. It is biased upwards: noise in a bin counts as error whatever its sign, so that a
perfectly calibrated model with few labels seems badly calibrated. ``debiased`` takes the estimated bias
off; the interval is built so that it holds at δ = 0 as well (see `gaps`, and docs/calibration.md for
what was measured).

Renamed: π_P is ``prior``. Deviations from the paper: gaps are score less truth, so positive means
over-confident; both scenarios and noisy labels; merged bins (see `bins`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.calibration.bins import (
    bin_edges,
    check_bin_count,
    check_probabilities,
    moved_edges,
    reduce_to_bins,
)
from puremetrics.calibration.gaps import BinGaps, bin_gaps, bootstrap_limits
from puremetrics.calibration.outcome import CalibrationBins, CalibrationResult
from puremetrics.calibration.theory import BiasBound, bias_bound, optimal_bins, prior_shift_bound
from puremetrics.checking.arguments import as_generator, check_choice, check_count, shown
from puremetrics.checking.renaming import renamed
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.results import Interval
from puremetrics.sampling.limits import recovered_limits
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.setting import (
    Assumed,
    PriorLike,
    PurityLike,
    Setting,
    check_table,
    check_whole,
)
from puremetrics.tables.score_table import ScoreTable

__all__ = ["calibration_error", "calibration_of", "positive_rates"]

_MOST_BINS = 1_000_000


@renamed(interval_method="interval")
def calibration_error(
    table: ScoreTable,
    *,
    prior: PriorLike,
    binning: str = "mass",
    n_bins: int | str = "optimal",
    lipschitz: float = 1.0,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    interval: str = "analytic",
    n_resamples: int = DEFAULT_RESAMPLES,
    delta: float = 0.05,
    rng: Any = 0,
) -> CalibrationResult:
    """Estimate how far scores are from the probability of being positive, in bins.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if scores were not fitted on these data.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval.
    binning : {"mass", "width"}
    n_bins : int or "optimal"
        "optimal" is ⌈(prior²/n_P + 1/n_U)^(−1/3)⌉ (Section 5.1), n_U the size of the population's
        sample.
    lipschitz : float, default 1
        Assumed by the bias bound: most that P(y = 1 | score) changes per change of score.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; a range widens the interval. Left out, it is that of
        the prior's estimate, if it has one.
    confidence_level : float, default 0.95
    interval : {"analytic", "bootstrap"}
        Where the spread of both ends of the interval comes from; the bootstrap's is never the
        narrower one.
    n_resamples, rng : int, default 500 and 0
        Of the bootstrap; tables without weights only.
    delta : float, default 0.05
        Chance that the second bound of Theorem 1 may fail.

    Returns
    -------
    CalibrationResult
        Σ_b |prior · P̂(b | y = 1) − mean over the population of score · 1_b| (Section 3.1). Cost:
        one pass over the scores; everything else, bootstrap included, O(bins).

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
    >>> result = calibration_error(table, prior=0.5, n_bins=2)
    >>> round(result.error, 4), result.bins.upper
    (0.2, array([0.2, 1. ]))
    """
    check_table(table)
    check_probabilities(table, "calibration_error")
    method = check_choice(interval, ("analytic", "bootstrap"), "interval")
    setting = Setting.of(table, prior, purity, confidence_level)
    resampling = None
    if method == "bootstrap":
        resampling = _check_bootstrap(table, n_resamples), as_generator(rng)
    return calibration_of(setting, binning, n_bins, lipschitz, delta, resampling)


def calibration_of(
    setting: Setting,
    binning: str = "mass",
    n_bins: int | str = "optimal",
    lipschitz: float = 1.0,
    delta: float = 0.05,
    resampling: tuple[int, np.random.Generator] | None = None,
) -> CalibrationResult:
    """The calibration error of a setting; ``resampling`` is how often, and with which generator."""
    table, known, level = setting.table, setting.assumed, setting.level
    sizes = (table.total_pos, setting.population_size)
    effective = setting.rows.sizes if table.weighted else sizes
    wanted = _bin_count(n_bins, known.value, effective)
    mass_of_positives = (known.value - setting.share) / setting.gap
    upper = bin_edges(table, binning, wanted, mass_of_positives)
    moments = reduce_to_bins(table, upper)
    gaps = bin_gaps(moments, known.value, known.purity)
    bins = _bins(setting, gaps)
    diagnostics = [*setting.diagnostics, *setting.rows.few_positives()]
    diagnostics += _bin_remarks(table, bins, wanted)
    diagnostics += moved_edges(table, binning, wanted, upper)
    bound = _bound(gaps, effective, known.value, binning, lipschitz, delta, diagnostics)
    debiased = gaps.debiased
    if debiased < 0:
        diagnostics.append(
            Diagnostic(
                "PM306",
                f"the debiased calibration error came out at {debiased:.4g} and is reported as 0: "
                "the gaps are smaller than their noise, so nothing speaks against calibration.",
            )
        )
    limits, signed = [], []
    for pair in known.pairs:
        at = gaps if known.is_point else bin_gaps(moments, *pair)
        limits.append(
            at.limits(level) if resampling is None else bootstrap_limits(at, level, *resampling)
        )
        signed.append(at.signed_limits(level))
    by_prior = _errors_over_range(gaps, known)
    lows, highs = zip(*limits, strict=True)
    below, above = zip(*signed, strict=True)
    worst = np.divide(
        bins.contribution, gaps.share_pop, out=np.zeros(len(bins)), where=gaps.share_pop > 0
    )
    how = "split_analytic" if resampling is None else "split_bootstrap"
    return CalibrationResult(
        error=gaps.error,
        bins=bins,
        bias_bound=bound,
        debiased=max(debiased, 0.0),
        interval=setting.interval(min(min(lows), 1.0), min(max(highs), 1.0), how),
        standard_error=gaps.standard_error,
        signed_error=float(gaps.gap.sum()),
        signed_interval=setting.interval(max(min(below), -1.0), min(max(above), 1.0), "normal"),
        overconfidence=float(np.maximum(gaps.gap, 0).sum()),
        underconfidence=float(np.maximum(-gaps.gap, 0).sum()),
        max_error=float(worst.max()),
        max_bin=int(worst.argmax()),
        prior_interval=None
        if known.is_point
        else Interval(by_prior[0], by_prior[1], 1.0, "identification", "prior_range"),
        prior_shift=_shift(gaps, known, by_prior),
        binning=binning,
        n_bins=len(bins),
        scenario=setting.scenario,
        prior=known.value,
        unlabeled_share=setting.unlabeled_share,
        purity=known.purity,
        diagnostics=tuple(diagnostics),
        moments=moments,
    )


def positive_rates(setting: Setting, gaps: BinGaps) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimated positive rate of each bin, and its limits over all that is possible.

    Agresti–Coull limits of both shares are carried through prior · P(b | y = 1) / P(b) and cut to
    [0, 1].
    """
    pos, cmp = gaps.moments.positives[0], gaps.moments.comparison[0]
    shares = np.stack([pos / pos.sum(), cmp / cmp.sum()])
    filled = gaps.share_pop > 0
    rate = np.full(filled.size, np.nan)
    np.divide(setting.prior * gaps.share_pos, gaps.share_pop, out=rate, where=filled)
    low, high = np.zeros(filled.size), np.ones(filled.size)
    prior, purity = (column[:, None] for column in setting.assumed.arrays())
    share = setting.shares_of(prior)
    span = purity - share

    def compute(g: FloatArray, f: FloatArray) -> FloatArray:
        top = prior * ((1 - share) * g - (1 - purity) * f) / span
        bottom = ((prior - share) * g + (purity - prior) * f) / span
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))

    for b in np.flatnonzero(filled):
        ends = recovered_limits(setting.rows, compute, shares[0, b], shares[1, b], setting.level)
        low[b], high[b] = ends[0].min(), ends[1].max()
    return rate, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _bins(setting: Setting, gaps: BinGaps) -> CalibrationBins:
    moments = gaps.moments
    rate, low, high = positive_rates(setting, gaps)
    mean = np.full(rate.size, np.nan)
    np.divide(gaps.score_pop, gaps.share_pop, out=mean, where=gaps.share_pop > 0)
    return CalibrationBins(
        lower=moments.lower,
        upper=moments.upper,
        n_pos=moments.positives[0],
        n_population=moments.comparison[0],
        mean_score=mean,
        positive_rate=rate,
        rate_low=low,
        rate_high=high,
        gap=gaps.gap,
        noise=gaps.noise,
        contribution=np.abs(gaps.gap),
    )


def _bin_count(n_bins: object, prior: float, sizes: tuple[float, float]) -> int:
    if isinstance(n_bins, str):
        check_choice(n_bins, ("optimal",), "n_bins")
        return optimal_bins(prior=prior, n_pos=sizes[0], n_unl=sizes[1])
    wanted = check_bin_count(n_bins)
    if wanted > _MOST_BINS:
        raise InputError(f"n_bins={shown(n_bins)} must be at most {_MOST_BINS:_}; use fewer bins.")
    return wanted


def _bin_remarks(table: ScoreTable, bins: CalibrationBins, wanted: int) -> list[Diagnostic]:
    remarks = []
    if len(bins) < wanted:
        remarks.append(
            Diagnostic(
                "PM301",
                f"{wanted} bins of equal mass became {len(bins)}: scores are tied, or fewer than "
                "the bins, and bins between equal edges were merged.",
            )
        )
    empty = int(np.count_nonzero(np.isnan(bins.positive_rate)))
    if empty:
        remarks.append(
            Diagnostic(
                "PM302",
                f"{empty} of {len(bins)} bins hold no row of the population: their mean score and "
                "positive rate are undefined (NaN). The error counts their labelled rows.",
            )
        )
    outside = int(
        np.count_nonzero((bins.positive_rate > 1 + 1e-12) | (bins.positive_rate < -1e-12))
    )
    if outside:
        worst = float(np.nanmax(np.abs(bins.positive_rate - 0.5)))
        shown = 0.5 + worst if 0.5 + worst in bins.positive_rate else 0.5 - worst
        remarks.append(
            Diagnostic(
                "PM303",
                f"the estimated positive rate leaves [0, 1] in {outside} of {len(bins)} bins (it "
                f"reaches {shown:.4g}). Small excursions are sampling error; large ones say that "
                "the prior is too high or that the labels are not a random sample.",
            )
        )
    if table.resolution > 0 and not table.is_scanned:  # a scan keeps the sums of the scores
        remarks.append(
            Diagnostic(
                "PM305",
                f"scores were bucketed to a resolution of {table.resolution:g}, so the calibration "
                f"error is known to within {table.resolution:g}.",
            )
        )
    return remarks


def _bound(
    gaps: BinGaps,
    sizes: tuple[float, float],
    prior: float,
    binning: str,
    lipschitz: float,
    delta: float,
    diagnostics: list[Diagnostic],
) -> BiasBound | None:
    on_cmp = np.array([gaps.on_cmp[0], sum(gaps.on_cmp)])  # of a row that scores 0, and 1
    on_pos = np.array([gaps.on_pos[0], sum(gaps.on_pos)])
    if gaps.moments.in_comparison[0]:
        on_pos = on_pos + sizes[0] / sizes[1] * on_cmp
    try:
        return bias_bound(
            n_pos=sizes[0],
            n_unl=sizes[1],
            prior=prior,
            n_bins=gaps.gap.size,
            binning=binning,
            lipschitz=lipschitz,
            delta=delta,
            pos_factor=float(np.abs(on_pos).max()),
            unl_factor=float(np.abs(on_cmp).max()),
        )
    except UnsupportedError as error:
        diagnostics.append(Diagnostic("PM304", str(error)))
        return None


def _errors_over_range(gaps: BinGaps, known: Assumed) -> tuple[float, float]:
    """Smallest and largest error over the range of the prior, at these bins."""
    if known.is_point:
        return gaps.error, gaps.error
    pairs = list(known.pairs)
    if known.clean:  # convex and piecewise linear: its least value is at a kink or an end
        kinks = np.divide(
            gaps.score_pop,
            gaps.share_pos,
            out=np.full(gaps.gap.size, -1.0),
            where=gaps.share_pos > 0,
        )
        inside = kinks[(kinks > known.low) & (kinks < known.high)]
        pairs += [(float(kink), 1.0) for kink in inside]
    errors = [bin_gaps(gaps.moments, *pair).error for pair in pairs]
    return min(errors), max(errors)


def _shift(gaps: BinGaps, known: Assumed, errors: tuple[float, float]) -> float:
    if known.clean:
        return max(prior_shift_bound(known.value, end) for end in (known.low, known.high))
    return max(abs(end - gaps.error) for end in errors)


def _check_bootstrap(table: ScoreTable, n_resamples: object) -> int:
    check_whole(table, "The bootstrap", "interval='analytic'")
    return check_count(n_resamples, "n_resamples", smallest=2)
