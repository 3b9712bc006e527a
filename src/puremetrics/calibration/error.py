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

from puremetrics._validation import as_generator, check_choice, check_level, shown
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
from puremetrics.confusion import few_positives
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.intervals import effective_sizes, recovered_limits
from puremetrics.results import Interval
from puremetrics.scenario import (
    PriorLike,
    PriorRange,
    check_table,
    comparison_share,
    population_size,
    resolve_prior,
    unlabeled_share,
)
from puremetrics.table import ScoreTable

__all__ = ["calibration_error", "rate_limits"]

_MOST_BINS = 1_000_000


def calibration_error(
    table: ScoreTable,
    *,
    prior: PriorLike,
    binning: str = "mass",
    n_bins: int | str = "optimal",
    lipschitz: float = 1.0,
    purity: float = 1.0,
    confidence_level: float = 0.95,
    interval_method: str = "analytic",
    n_resamples: int = 999,
    delta: float = 0.05,
    rng: Any = None,
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
    purity : float, default 1
        Share of true positives among the labelled.
    confidence_level : float, default 0.95
    interval_method : {"analytic", "bootstrap"}
        Where the spread of both ends of the interval comes from; the bootstrap's is never the
        narrower one.
    n_resamples, rng
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
    level = check_level(confidence_level)
    method = check_choice(interval_method, ("analytic", "bootstrap"), "interval_method")
    known = resolve_prior(table, prior, purity)
    sizes = (table.total_pos, population_size(table))
    effective = effective_sizes(table) if table.weighted else sizes
    wanted = _bin_count(n_bins, known.value, effective)
    share = comparison_share(table, known.value)
    mass_of_positives = (known.value - share) / (known.purity - share)
    upper = bin_edges(table, binning, wanted, mass_of_positives)
    moments = reduce_to_bins(table, upper)
    gaps = bin_gaps(moments, known.value, known.purity)
    bins = _bins(table if table.weighted else moments.table, gaps, known, level)
    diagnostics = [*known.diagnostics, *few_positives(table)]
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
    if method == "bootstrap":
        resamples, generator = _check_bootstrap(table, n_resamples), as_generator(rng)
    limits, signed = [], []
    for point in known.points():
        at = gaps if known.is_point else bin_gaps(moments, float(point), known.purity)
        if method == "bootstrap":
            limits.append(bootstrap_limits(at, level, resamples, generator))
        else:
            limits.append(at.limits(level))
        signed.append(at.signed_limits(level))
    by_prior = _errors_over_range(gaps, known)
    lows, highs = zip(*limits, strict=True)
    below, above = zip(*signed, strict=True)
    kind: Any = "confidence" if known.is_point else "combined"
    worst = np.divide(
        bins.contribution, gaps.share_pop, out=np.zeros(len(bins)), where=gaps.share_pop > 0
    )
    return CalibrationResult(
        error=gaps.error,
        bins=bins,
        bias_bound=bound,
        debiased=max(debiased, 0.0),
        interval=Interval(
            min(min(lows), 1.0), min(max(highs), 1.0), level, kind, f"split_{method}"
        ),
        standard_error=gaps.standard_error,
        signed_error=float(gaps.gap.sum()),
        signed_interval=Interval(
            max(min(below), -1.0), min(max(above), 1.0), level, kind, "normal"
        ),
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
        scenario=table.scenario,
        prior=known.value,
        unlabeled_share=unlabeled_share(table, known.value, known.purity),
        purity=known.purity,
        diagnostics=tuple(diagnostics),
    )


def rate_limits(
    sizes: ScoreTable, gaps: BinGaps, known: PriorRange, level: float
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], ...]:
    """Estimated positive rate of each bin, and its limits over the range of the prior.

    Agresti–Coull limits of both shares are carried through prior · P(b | y = 1) / P(b) and cut to
    [0, 1]; ``sizes`` is any table with the sample sizes of the data.
    """
    pos, cmp = gaps.moments.positives[0], gaps.moments.comparison[0]
    shares = np.stack([pos / pos.sum(), cmp / cmp.sum()])
    filled = gaps.share_pop > 0
    rate = np.full(filled.size, np.nan)
    np.divide(known.value * gaps.share_pos, gaps.share_pop, out=rate, where=filled)
    low, high = np.full(filled.size, np.inf), np.full(filled.size, -np.inf)
    for point in (known.low, known.high) if not known.is_point else (known.value,):
        share = comparison_share(sizes, point)
        span = known.purity - share

        def compute(g: Any, f: Any, point: float = point, a: float = share, s: float = span) -> Any:
            top = point * ((1 - a) * g - (1 - known.purity) * f) / s
            bottom = ((point - a) * g + (known.purity - point) * f) / s
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, 0.0))

        for b in np.flatnonzero(filled):
            ends = recovered_limits(sizes, compute, shares[0, b], shares[1, b], level)
            low[b], high[b] = min(low[b], ends[0]), max(high[b], ends[1])
    low[~filled], high[~filled] = 0.0, 1.0
    return rate, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _bins(sizes: ScoreTable, gaps: BinGaps, known: PriorRange, level: float) -> CalibrationBins:
    moments = gaps.moments
    rate, low, high = rate_limits(sizes, gaps, known, level)
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


def _errors_over_range(gaps: BinGaps, known: PriorRange) -> tuple[float, float]:
    """Smallest and largest error over the range of the prior, at these bins."""
    if known.is_point:
        return gaps.error, gaps.error
    points = known.points()
    if known.purity == 1.0:  # convex and piecewise linear: its least value is at a kink or an end
        kinks = np.divide(
            gaps.score_pop,
            gaps.share_pos,
            out=np.full(gaps.gap.size, -1.0),
            where=gaps.share_pos > 0,
        )
        points = np.concatenate([points, kinks[(kinks > known.low) & (kinks < known.high)]])
    errors = [bin_gaps(gaps.moments, float(p), known.purity).error for p in points]
    return min(errors), max(errors)


def _shift(gaps: BinGaps, known: PriorRange, errors: tuple[float, float]) -> float:
    if known.purity == 1.0:
        return max(prior_shift_bound(known.value, end) for end in (known.low, known.high))
    return max(abs(end - gaps.error) for end in errors)


def _check_bootstrap(table: ScoreTable, n_resamples: object) -> int:
    if not table.whole:
        raise UnsupportedError(
            "The bootstrap draws whole rows, and a table keeps only sums of weights. Use "
            "interval_method='analytic'."
        )
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int) or n_resamples < 2:
        raise InputError(f"n_resamples={n_resamples!r} must be a whole number above 1.")
    return n_resamples
