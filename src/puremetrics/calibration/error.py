"""The calibration error without negatives (Kiryo, Futami, Sugiyama 2025).

Estimand: the binned calibration error, TCE(f_I) of Section 2.2.2: over the bins, the sum of P(bin) · |mean
score − share of positives|, in the population of the scenario. The true calibration error, TCE(f), is the
same with infinitely narrow bins and never smaller; `bias_bound` limits the distance between it and the
estimate. Balanced and equal-mass bins depend on the data; the estimand is that of the bins as they came out.
How near it is to the true error depends on the bins (`calibration.bins`).

``error`` is ECE_PU in the reformulated version (Section 3.1), which is well defined in bins without unlabeled
rows. It is biased upwards: noise in a bin counts as error whatever its sign, so that a perfectly calibrated
model with few labels seems badly calibrated. ``debiased`` takes the estimated bias off; the interval is built
so that it holds at δ = 0 as well (see `calibration.gaps`, and evidence/calibration.md for what was measured).

Renamed: π_P is ``prior``. Deviations from the paper: gaps are score less truth, so positive means
over-confident; both scenarios and noisy labels; balanced bins by default; merged bins (see
`calibration.bins`). Errors lie in [0, 1]: an estimate beyond 1 is cut there (PM315).

**The Lipschitz constant that the data suggest** (`suggested_lipschitz`). The bounds of `calibration.theory`
assume that P(y = 1 | score) changes by at most L times a change of the score. No data can prove that, since
scores arbitrarily near to each other may differ; and L = 1, which a calibrated model has, is too small for
the very models that one wants to bound (1.52 and 1.14 in Section 5.1 of the paper). What can be had is a
guess: a logistic map p = σ(a·logit s + b), fitted to the counts of the bins, has slope a·p·(1 − p)/(s·(1 −
s)) at the score s, and the largest of it over the mean scores of the bins is taken, at least 1. A map that is
not logistic may be steeper somewhere, and few labels make the guess vary; bounds that rest on it are
estimates of bounds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.auditing import Audit, Audited, check_alone
from puremetrics.bounds.largest import above_largest
from puremetrics.calibration.audited import audited_calibration
from puremetrics.calibration.bin_rates import positive_rates, worst_bin
from puremetrics.calibration.bins import (
    bin_edges,
    check_bin_count,
    check_probabilities,
    moved_edges,
    reduce_to_bins,
)
from puremetrics.calibration.gaps import (
    BinGaps,
    biased_gaps,
    bin_gaps,
    bootstrap_limits,
    error_range,
)
from puremetrics.calibration.posterior import fit_logistic
from puremetrics.calibration.results import (
    CalibrationBins,
    CalibrationResult,
    bin_remarks,
    crowded_bin,
    cut_error,
    nothing_left,
)
from puremetrics.calibration.theory import BiasBound, bias_bound, optimal_bins, prior_shift_bound
from puremetrics.checking.arguments import as_generator, check_choice, check_resamples, renamed
from puremetrics.correction.biased import bias_interval
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Interval
from puremetrics.sampling.bounded import combined_limits
from puremetrics.sampling.clustered import allow_for_groups
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.sampling.uncertain import limits_over
from puremetrics.setting import (
    Assumed,
    PriorLike,
    PurityLike,
    Setting,
    TwoSamples,
    check_table,
    check_whole,
)
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["calibration_error", "calibration_of", "positive_rates", "suggested_lipschitz"]


_EDGE = 1e-12  # mean scores nearer to 0 or 1 say nothing about slopes


def suggested_lipschitz(setting: Setting, gaps: BinGaps) -> float:
    """Return the steepest slope of a logistic map of the bins, at least 1; O(bins)."""
    moments = gaps.moments
    score = gaps.mean_score
    inside = (gaps.share_pop > 0) & (score > _EDGE) & (score < 1 - _EDGE)
    if np.count_nonzero(inside) < 2 or not 0.0 < setting.prior < 1.0:
        return 1.0
    s = score[inside]
    x = np.log(s) - np.log1p(-s)
    features = np.stack([x, np.ones(x.size)], axis=1)
    counts = moments.positives[0][inside], moments.comparison[0][inside]
    if not (counts[0].sum() > 0 and counts[1].sum() > 0):
        return 1.0
    fit = fit_logistic(setting, features, np.array([1.0, 0.0]), [True, False], counts)
    z = np.clip(np.einsum("ij,j->i", features, fit.parameters), -700, 700)
    p = 1 / (1 + np.exp(-z))
    return max(1.0, float(np.max(fit.parameters[0] * p * (1 - p) / (s * (1 - s)))))


_MOST_IF_BIASED = 1000  # bins


@renamed(interval_method="interval")
@takes_data
def calibration_error(
    table: ScoreTable,
    *,
    prior: PriorLike = None,
    binning: str = "balanced",
    n_bins: int | str = "optimal",
    lipschitz: float | None = None,
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    interval: str = "analytic",
    n_resamples: int = DEFAULT_RESAMPLES,
    delta: float = 0.05,
    rng: Any = 0,
    label_bias: float = 1.0,
    label_bias_side: str = "either",
    audit: Audit | None = None,
    prior_of: str = "population",
) -> CalibrationResult:
    """Estimate how far scores are from the probability of being positive, in bins.

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives, and if scores were not fitted on these data.

    Parameters
    ----------
    table : ScoreTable
        Of probabilities in [0, 1], not cut.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens the interval. Needed unless there is an audit.
    binning : {"balanced", "mass", "width"}
        Bins with equal mass in ½·(labelled positives) + ½·(population's sample), in the population's
        sample, or of equal width; the latter two are the paper's. See `calibration.bins` for why they are
        not the default.
    n_bins : int or "optimal"
        "optimal" is ⌈(prior²/n_P + 1/n_U)^(−1/3)⌉ (Section 5.1), n_U the size of the population's
        sample.
    lipschitz : float, optional
        Assumed by the bias bound: most that P(y = 1 | score) changes per change of score. Left out, it
        is that of a logistic map fitted to the bins, at least 1: a guess, which makes the bound one.
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
    label_bias, label_bias_side : float, default 1, and {"either", "high", "low"}
        How many times as likely to be labelled some positives may be as others; see `roc_auc`. It widens
        the interval and those of the bins' rates; ``bias_range`` is its own part.
    audit : Audit, optional
        Rows that were checked. Then neither a prior nor random labels are assumed, "optimal" is the number
        of bins for so many answers, and there is no bias bound.
    prior_of : {"population", "rows"}
        Whose share of positives the prior is; see `roc_auc`.

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
    (0.05, array([0.7, 1. ]))
    """
    check_table(table)
    check_probabilities(table, "calibration_error")
    method = check_choice(interval, ("analytic", "bootstrap"), "interval")
    if audit is not None:
        check_alone(prior, label_bias)
        if method == "bootstrap":
            raise UnsupportedError(
                "Intervals of an audit come from its answers. Leave out interval='bootstrap'."
            )
        return audited_calibration(
            Audited.of(table, audit, purity, confidence_level), binning, n_bins
        )
    setting = Setting.of(
        table, prior, purity, confidence_level, label_bias, label_bias_side, prior_of
    )
    resampling = None
    if method == "bootstrap":
        resampling = _check_bootstrap(table, n_resamples), as_generator(rng)
    found = calibration_of(setting, binning, n_bins, lipschitz, delta, resampling)
    against = above_largest(setting)
    return replace(found, diagnostics=(*found.diagnostics, *against)) if against else found


def calibration_of(
    setting: Setting,
    binning: str = "balanced",
    n_bins: int | str = "optimal",
    lipschitz: float | None = None,
    delta: float = 0.05,
    resampling: tuple[int, np.random.Generator] | None = None,
) -> CalibrationResult:
    """The calibration error of a setting; ``resampling`` is how often, and with which generator."""
    table, known, level = setting.table, setting.assumed, setting.level
    sizes = (table.total_pos, setting.population_size)
    weighed = setting.rows.sizes if table.weighted else sizes
    wanted = _bin_count(n_bins, known.value, weighed, biased=not setting.bias.is_random)
    mass_of_positives = (known.value - setting.share) / setting.gap
    upper = bin_edges(table, binning, wanted, mass_of_positives)
    moments = reduce_to_bins(table, upper)
    gaps = bin_gaps(moments, known.value, known.purity)
    if table.clusters is not None:
        setting = _allow_for_groups(setting, gaps)
        moments = moments.deflated(setting.rows.effect)
        gaps = bin_gaps(moments, known.value, known.purity)
    effective = sizes
    if (
        setting.rows.weighted
    ):  # groups that even each other out do not count for more rows than there are
        own, plain = setting.rows.sizes, setting.rows.row_sizes
        effective = min(own[0], plain[0]), min(own[1], plain[1])
    bins = _bins(setting, gaps)
    diagnostics = [*setting.diagnostics, *setting.rows.few_positives()]
    diagnostics += bin_remarks(table, bins, wanted, binning)
    diagnostics += [*crowded_bin(gaps, wanted), *cut_error(gaps.error)]
    diagnostics += moved_edges(table, binning, wanted, upper)
    constant = suggested_lipschitz(setting, gaps) if lipschitz is None else lipschitz
    bound = _bound(gaps, effective, known.value, binning, constant, delta, diagnostics)
    if bound is not None and lipschitz is None:
        bound = replace(bound, estimated=True)
    debiased = gaps.debiased
    diagnostics += nothing_left(debiased)
    limits, signed, biased = [], [], None
    centres = []
    for pair in known.pairs:
        at = gaps if known.is_point else bin_gaps(moments, *pair)
        centres.append((min(max(at.debiased, 0.0), 1.0), at.signed))
        limits.append(
            at.limits(level) if resampling is None else bootstrap_limits(at, level, *resampling)
        )
        signed.append(at.signed_limits(level))
        if not setting.bias.is_random:
            limits[-1], opened = _with_bias(setting.at(*pair), at, limits[-1])
            biased = opened if biased is None else biased
    by_prior = _errors_over_range(gaps, known)
    error = gaps.standard_error
    if setting.prior_drawn:
        others = [
            bin_gaps(moments, w.prior, w.purity, w.share) for w in setting.other_populations()
        ]
        moved = max(abs(other.error - gaps.error) for other in others)
        moved_signed = max(abs(other.signed - gaps.signed) for other in others)
        inside = min(max(debiased, 0.0), 1.0)
        limits = [combined_limits(inside, ends, moved, moved) for ends in limits]
        limits = [(max(float(low), 0.0), min(float(high), 1.0)) for low, high in limits]
        signed = [combined_limits(gaps.signed, ends, *2 * (moved_signed,)) for ends in signed]
        error = float(np.hypot(error, moved / normal_quantile(level)))
    middle, middles = zip(*centres, strict=True)
    low, high = limits_over(known, (middle, *zip(*limits, strict=True)), level)
    below, above = limits_over(known, (middles, *zip(*signed, strict=True)), level)
    worst = worst_bin(setting, gaps)
    how = "split_analytic" if resampling is None else "split_bootstrap"
    return CalibrationResult(
        error=min(gaps.error, 1.0),
        bins=bins,
        bias_bound=bound,
        debiased=min(max(debiased, 0.0), 1.0),
        interval=setting.interval(float(low), float(high), how),
        standard_error=setting.standard_error(error),
        signed_error=gaps.signed,
        signed_interval=setting.interval(float(below), float(above), "agresti_coull"),
        overconfidence=float(np.maximum(gaps.gap, 0).sum()),
        underconfidence=float(np.maximum(-gaps.gap, 0).sum()),
        max_error=worst.size,
        max_bin=worst.place,
        max_interval=setting.interval(worst.low, worst.high, "simultaneous"),
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
        label_bias=setting.bias.most,
        bias_range=biased,
        n_groups=setting.n_groups,
        design_effect=setting.design_effect,
    )


def _with_bias(
    setting: Setting, gaps: BinGaps, limits: tuple[float, float]
) -> tuple[tuple[float, float], Interval]:
    """Limits that biased labels widen, and what they leave open without sampling error."""
    bias, error = setting.bias, min(gaps.error, 1.0)
    at, opened = [limits], [error]
    for step in sorted({*bias.steps, bias}, key=lambda one: one.most):
        ends = biased_gaps(setting.with_bias(step), gaps)
        if step.most <= bias.most:
            opened += error_range(*ends, error)
        if step in bias.steps:
            each = [end.limits(setting.level) for end in ends]
            at.append((min(low for low, _ in each), max(high for _, high in each)))
    low, high = bias.between(at)
    return (low, high), bias_interval(opened)


def _allow_for_groups(setting: Setting, gaps: BinGaps) -> Setting:
    """The setting with groups of rows allowed for: each row adds its gap with the sign of its bin."""
    on_pos, on_cmp = (
        (gaps.sign * (c0 + c1 * gaps.mean_score))[::-1] for c0, c1 in (gaps.on_pos, gaps.on_cmp)
    )
    return allow_for_groups(
        setting, on_pos, on_cmp, TwoSamples(gaps.moments.as_rows(setting.table))
    )


def _bins(setting: Setting, gaps: BinGaps) -> CalibrationBins:
    mean = np.full(gaps.gap.size, np.nan)
    np.divide(gaps.score_pop, gaps.share_pop, out=mean, where=gaps.share_pop > 0)
    rates = positive_rates(setting, gaps)
    return CalibrationBins.of(gaps.moments, mean, rates, gaps.gap, gaps.noise)


def _bin_count(n_bins: object, prior: float, sizes: tuple[float, float], *, biased: bool) -> int:
    """How many bins; the search for the worst bias takes the square of their number."""
    if isinstance(n_bins, str):
        check_choice(n_bins, ("optimal",), "n_bins")
        best = optimal_bins(prior=prior, n_pos=sizes[0], n_unl=sizes[1])
        return min(best, _MOST_IF_BIASED) if biased else best
    wanted = check_bin_count(n_bins)
    if biased and wanted > _MOST_IF_BIASED:
        raise UnsupportedError(
            f"n_bins={wanted} is too many: with a label bias there can be at most {_MOST_IF_BIASED}. Pass "
            "fewer, or leave out label_bias."
        )
    return wanted


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
        return min(gaps.error, 1.0), min(gaps.error, 1.0)
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
    errors = [min(bin_gaps(gaps.moments, *pair).error, 1.0) for pair in pairs]
    return min(errors), max(errors)


def _shift(gaps: BinGaps, known: Assumed, errors: tuple[float, float]) -> float:
    if known.clean:
        return max(prior_shift_bound(known.value, end) for end in (known.low, known.high))
    return max(abs(end - min(gaps.error, 1.0)) for end in errors)


def _check_bootstrap(table: ScoreTable, n_resamples: object) -> int:
    check_whole(table, "The bootstrap", "interval='analytic'")
    if table.clusters is not None:
        raise UnsupportedError(
            "The bootstrap of a calibration error draws rows one by one, but these rows belong to groups. "
            "Use interval='analytic', which allows for them."
        )
    return check_resamples(n_resamples)
