"""`estimate_prior`: one entrance to every method, and what all of their results have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.bounds.largest import largest_prior
from puremetrics.checking.arguments import check_choice, check_level, shown
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.priors.alphamax import alphamax, alphamax_n, likelihood_ratio_limits
from puremetrics.priors.combined import combined, combined_n
from puremetrics.priors.lookalikes import (
    BY_NEGATIVES,
    FEWEST,
    MISFIT,
    mixture_of,
    overlap,
    stacked_ends,
)
from puremetrics.priors.ratio_methods import best_bin, dedpul, elkan_noto, slope
from puremetrics.priors.samples import SAMPLING, Samples, ShareFit
from puremetrics.priors.trusting import Found, trust_of, trust_remarks
from puremetrics.results import Interval, IntervalKind, Pair, Place, PriorEstimate
from puremetrics.sampling.bootstrap import bootstrap
from puremetrics.sampling.bounded import combined_limits
from puremetrics.sampling.clustered import head_effects
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.setting import FEW_POSITIVES, PurityLike, check_uncut, purity_range
from puremetrics.tables.framing import takes_data
from puremetrics.tables.score_table import ScoreTable

__all__ = ["METHODS", "as_estimate", "estimate_prior"]

_FITS: dict[str, Callable[[Samples], ShareFit]] = {
    "combined": combined,
    "combined_n": combined_n,
    "alphamax": alphamax,
    "alphamax_n": alphamax_n,
    "best_bin": best_bin,
    "slope": slope,
    "dedpul": dedpul,
    "elkan_noto": elkan_noto,
    "elkan_noto_e2": lambda samples: elkan_noto(samples, "e2"),
    "elkan_noto_e3": lambda samples: elkan_noto(samples, "e3"),
}
METHODS = tuple(_FITS)
_INTERVALS = ("auto", "bootstrap", "likelihood_ratio", "none")
_WITH_PURITY = ("combined_n", "alphamax_n")
_OWN_INTERVAL = ("combined", "combined_n", "slope")
_REGION = 9  # values of each of two uncertain numbers


@takes_data
def estimate_prior(
    table: ScoreTable,
    *,
    method: str = "combined",
    purity: PurityLike = None,
    confidence_level: float = 0.95,
    interval: str = "auto",
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Any = 0,
) -> PriorEstimate:
    """Estimate P(y = 1) in the population from the scores of labelled and unlabeled rows.

    Labels must have been given at random among positives. Then the largest share of the labelled's
    distribution that the unlabeled can contain is an upper bound of the share of positives, and equal to it
    if no negative looks like a positive. The default allows for as many look-alikes as real data have
    shown, and says how far the answer can be trusted (``trust``).

    Parameters
    ----------
    table : ScoreTable, or a data frame with ``label``, ``score`` and ``scenario``, as in `evaluate`
        Scores must come from a model that has not seen the rows (`out_of_fold_scores`). Known negatives
        settle how many of them look like positives; the default uses them, if there are ten or more.
    method : str, default "combined"
        "combined": likelihood averaged over shapes of the negatives, with a convex fit; the default
        by evidence (evidence/priors.md). "alphamax"; "combined_n" and "alphamax_n" for noisy labels,
        which give the purity as well; "best_bin"; "slope", an upper bound with a guarantee;
        "dedpul"; "elkan_noto" (e1), "elkan_noto_e2", "elkan_noto_e3", which need calibrated
        probabilities of being labelled.
    purity : float or (low, high), default 1
        Share of true positives among the labelled. Methods read the largest share of the labelled's
        distribution that the unlabeled contain, which is the share of positives divided by the purity.
    confidence_level : float, default 0.95
    interval : {"auto", "bootstrap", "likelihood_ratio", "none"}
        "auto" takes the method's own interval ("combined", "combined_n", "slope") and otherwise the
        bootstrap: the estimate plus and minus a normal quantile of its bootstrap standard error.
        "likelihood_ratio" is for AlphaMax.
    n_resamples : int, default 500
        Bootstrap resamples.
    rng : int or Generator, default 0
        Seed of the bootstrap; the estimates themselves are deterministic.

    Returns
    -------
    PriorEstimate
        With ``prior``, ``unlabeled_share``, ``label_frequency``, ``interval``, ``purity`` (for "combined_n"
        and "alphamax_n"), ``upper_limit`` and the curve whose elbow or mode is the answer (``grid``,
        ``objective``, `PriorEstimate.frame`).

    Notes
    -----
    Everything but Elkan–Noto reads ranks only and works on the table cut at the
    labelled scores, binned to about 40 bins: the cost after sorting does not depend on the number
    of unlabeled rows. The default takes some 20 ms.

    Examples
    --------
    >>> table = ScoreTable.from_counts(
    ...     [3, 2, 1], n_pos=[60, 30, 10], n_unl=[60, 30, 910], scenario="single_training_set")
    >>> estimate = estimate_prior(table, method="best_bin", rng=0)
    >>> round(estimate.unlabeled_share, 3), round(estimate.prior, 3)
    (0.1, 0.182)
    """
    if not isinstance(table, ScoreTable):
        raise InputError(
            f"estimate_prior takes a ScoreTable, not {type(table).__name__}. Build one with "
            "ScoreTable.from_arrays, or use estimate_prior_from_features for features."
        )
    method = check_choice(method, METHODS, "method")
    level = check_level(confidence_level)
    interval = check_choice(interval, _INTERVALS, "interval")
    labels = None if purity is None else purity_range(purity)
    if labels is not None and method in _WITH_PURITY:
        raise InputError(
            f"method={method!r} estimates the purity itself, but purity={shown(purity)} was given. Leave "
            f"the purity out, or pass method={method.removesuffix('_n')!r}."
        )
    if interval == "likelihood_ratio" and method != "alphamax":
        raise InputError(
            "interval='likelihood_ratio' compares AlphaMax's curve with its plateau, but method "
            f"is {method!r}. Pass method='alphamax' or interval='bootstrap'."
        )
    on_scores = method.startswith("elkan_noto")
    if on_scores:
        check_uncut(table, f"method={method!r}")
    samples = Samples.of(table, cut=not on_scores)
    fit = _fit(method, samples, level)
    diagnostics: list[Diagnostic] = []
    if method == "combined" and table.total_neg > 0:
        fit, remark = _with_negatives(table, samples, fit, level)
        diagnostics.append(remark)
    grouping = None
    if table.clusters is not None:
        worth, grouping = head_effects(table.clusters, level)
        diagnostics += grouping.remarks()
        if method in _OWN_INTERVAL and not table.clusters.alone:
            fit = _in_groups(table, method, samples.thinned(worth), fit, level)
    name = method
    if interval == "likelihood_ratio":
        low, high = likelihood_ratio_limits(samples, fit, normal_quantile(level))
        fit, name = replace(fit, low=low, high=high), "likelihood_ratio"
    elif interval == "bootstrap" or (interval == "auto" and method not in _OWN_INTERVAL):
        if table.whole or interval == "bootstrap":
            fit, name = _bootstrapped(table, method, fit, level, n_resamples, rng), "bootstrap"
        else:
            diagnostics.append(
                Diagnostic(
                    "PM107",
                    f"the bootstrap of method {method!r} needs whole rows, but the table is weighted, so "
                    "there is no interval. The default method gives one.",
                )
            )
            fit = _without_interval(fit)
    elif interval == "none":
        fit = _without_interval(fit)
    if labels is not None:
        fit = _with_purity(fit, labels)
    found = as_estimate(table, samples, fit, method, level, name, tuple(diagnostics))
    if grouping is None:
        return found
    return replace(found, n_groups=grouping.number, design_effect=grouping.design_effect)


def _in_groups(
    table: ScoreTable, method: str, fewer: Samples, fit: ShareFit, level: float
) -> ShareFit:
    """The fit with the limits of as many independent rows as those of groups are worth."""
    again = _fit(method, fewer, level)
    if method == "combined" and table.total_neg > 0:
        again = _with_negatives(table, fewer, again, level)[0]
    return fit.covering(again)


def _with_negatives(
    table: ScoreTable, samples: Samples, fit: ShareFit, level: float
) -> tuple[ShareFit, Diagnostic]:
    """What the known negatives say of the share, if they are enough and a random sample; and a remark."""
    negatives = Samples.of_negatives(table)
    if negatives.size_unl < FEWEST:
        why = f"are not used: at least {FEWEST:g} are needed to show what negatives look like"
        return fit, Diagnostic("PM106", f"the {table.total_neg:g} known negatives {why}.")
    found = mixture_of(samples, negatives, level)
    if found.p_value < MISFIT:
        return fit, Diagnostic(
            "PM106",
            f"the {table.total_neg:g} known negatives are not used: no mixture of them and the labelled "
            f"positives looks like the unlabeled rows (p = {found.p_value:.2g}), so they are not a random "
            "sample of the negatives, or the labels are not one of the positives.",
        )
    return found.fit, Diagnostic(
        "PM106",
        f"the {table.total_neg:g} known negatives are assumed to be a random sample of the negatives. If "
        "easy ones are known more often, the estimated prior is too high.",
    )


def _without_interval(fit: ShareFit) -> ShareFit:
    return replace(
        fit, low=None, high=None, purity_low=None, purity_high=None, open_low=None, open_high=None, places=(),
        moves=None, lookalikes=None, row_effects=None,
    )  # fmt: skip


def _with_purity(fit: ShareFit, labels: tuple[float, float, float]) -> ShareFit:
    """The share of positives from the share of the labelled's distribution, at a given purity."""
    value, least, most = labels
    places: list[Place] = []
    if least < most:
        ends = (
            (fit.share, fit.share) if fit.low is None or fit.high is None else (fit.low, fit.high)
        )
        open_ = (
            ends if fit.open_low is None or fit.open_high is None else (fit.open_low, fit.open_high)
        )
        places = [
            place
            for purity in np.linspace(least, most, _REGION)
            for place in _at_purity(float(purity), fit.share, ends, open_)
        ]

    def scaled(number: float | None, factor: float) -> float | None:
        return None if number is None else factor * number

    return replace(
        fit,
        share=value * fit.share,
        separable=scaled(fit.separable, value),
        low=scaled(fit.low, least),
        high=scaled(fit.high, most),
        open_low=scaled(fit.open_low, least),
        open_high=scaled(fit.open_high, most),
        purity=value,
        purity_low=least,
        purity_high=most,
        places=tuple(places),
        row_effects=None,
    )


def _at_purity(
    purity: float, share: float, ends: tuple[float, float], open_: tuple[float, float]
) -> list[Place]:
    """Shares of positives that may be true at one purity, and what errors may have moved the outer ones."""

    def pair(part: float) -> Pair:
        return purity * part, purity

    middle = Place(pair(share))
    below, above = (
        Place(pair(inner), ((pair((inner + outer) / 2), pair(outer)),))
        for inner, outer in zip(open_, ends, strict=True)
    )
    return [middle, below, above]


def as_estimate(
    table: ScoreTable,
    samples: Samples,
    fit: ShareFit,
    method: str,
    level: float,
    interval_method: str,
    diagnostics: tuple[Diagnostic, ...] = (),
) -> PriorEstimate:
    """Turn the share among the unlabeled into a `PriorEstimate` of the table's population."""
    purity = 1.0 if fit.purity is None else fit.purity
    interval = purity_interval = region = None
    design, totals = table.design, table.totals
    point = float(design.prior_of(totals, fit.share, purity))
    least = purity if fit.purity_low is None else fit.purity_low
    most = purity if fit.purity_high is None else fit.purity_high
    allows = fit.lookalikes is not None  # for what no sample tells, however large it is
    plain = method in _WITH_PURITY or least == most
    kind: IntervalKind = "confidence" if plain and not allows else "combined"
    if fit.low is not None and fit.high is not None:
        ends = design.prior_of(totals, fit.low, least), design.prior_of(totals, fit.high, most)
        if fit.moves is not None:
            moved = design.prior_of(totals, fit.moves[..., 0], fit.moves[..., 1])
            lows, highs = zip(*(stacked_ends(point, moves) for moves in moved), strict=True)
            ends = min(lows), max(highs)
        # How many positives got a label is random, too.
        rows = table.effective_rows((True, True, True))
        by_labels = (purity - fit.share) * design.labelled_error(totals, rows)
        reach = normal_quantile(level) * abs(by_labels)
        ends = combined_limits(point, ends, reach, reach) if reach > 0 else ends
        smallest, largest = design.prior_limits(totals, purity)
        ends = max(float(ends[0]), min(smallest, point)), min(float(ends[1]), max(largest, point))
        interval = Interval(*ends, level, kind, interval_method)
    if least < most:
        how = interval_method if method in _WITH_PURITY else "given"
        certain: IntervalKind = kind if method in _WITH_PURITY else "identification"
        purity_interval = Interval(least, most, level, certain, how)

    def as_prior(pair: Pair) -> Pair:
        return float(design.prior_of(totals, *pair)), pair[1]

    places = tuple(
        Place(as_prior(place.pair), tuple(tuple(map(as_prior, e)) for e in place.errors))
        for place in fit.places
    )
    if places:
        region = np.array(
            [p for place in places for p in (place.pair, *(q for e in place.errors for q in e))]
        )
    upper = sure = None
    if table.whole and method not in _WITH_PURITY:
        sure = largest_prior(table, purity=(least, most), confidence_level=level).interval
        upper = None if sure is None else sure.high
        if allows and interval is not None and upper is not None and upper < interval.high:
            interval = replace(interval, high=max(upper, point))
    open_range = None
    if interval is not None and fit.open_low is not None and fit.open_high is not None:
        open_ends = (
            design.prior_of(totals, fit.open_low, least),
            design.prior_of(totals, fit.open_high, most),
        )
        inner, outer = (min(max(float(end), interval.low), interval.high) for end in open_ends)
        open_range = Interval(inner, outer, 1.0, "identification", "lookalikes")
    separable = fit.share if fit.separable is None else fit.separable
    known = fit.status == BY_NEGATIVES
    noisy = method in _WITH_PURITY
    found = Found(
        interval, purity_interval if noisy else None, fit.turned, known, fit.excess, noisy
    )
    trust = trust_of(table, found, overlap(samples, separable, purity), upper, level)
    remarks = [*fit.diagnostics, *diagnostics, *_remarks(table, samples, fit, method)]
    said = {"PM206" if remark.code == "PM203" else remark.code for remark in remarks}
    labelled = purity * table.total_pos
    hidden = fit.share * table.total_unl
    return PriorEstimate(
        prior=point,
        interval=interval,
        purity=fit.purity,
        unlabeled_share=fit.share,
        label_frequency=labelled / (labelled + hidden) if labelled + hidden > 0 else None,
        method=method,
        status=fit.status,
        diagnostics=(
            *(remark for remark in trust_remarks(trust, found) if remark.code not in said),
            *remarks,
        ),
        scenario=table.scenario,
        upper_limit=upper,
        upper_level=None if upper is None else level,
        grid=fit.grid,
        objective=fit.objective,
        purity_interval=purity_interval,
        trust=trust,
        certain=sure,
        separable=None if fit.separable is None else design.prior_of(totals, separable, purity),
        lookalikes=fit.lookalikes,
        region=region,
        open_range=open_range,
        places=places,
        row_effects=fit.row_effects,
    )


def _fit(method: str, samples: Samples, level: float) -> ShareFit:
    if method in _OWN_INTERVAL:
        return {"combined": combined, "combined_n": combined_n, "slope": slope}[method](
            samples, level
        )
    return _FITS[method](samples)


def _bootstrapped(
    table: ScoreTable, method: str, fit: ShareFit, level: float, n_resamples: int, rng: Any
) -> ShareFit:
    """The fit with limits from the bootstrap: of the share, and of the purity where there is one."""
    on_scores = method.startswith("elkan_noto")

    def statistic(resampled: ScoreTable) -> FloatArray:
        again = _FITS[method](Samples.of(resampled, cut=not on_scores))
        return np.array([again.share, 1.0 if again.purity is None else again.purity])

    result = bootstrap(table, statistic, n_resamples=n_resamples, cut=not on_scores, rng=rng)
    reach = normal_quantile(level) * result.replicates.std(axis=0)
    low, high = max(fit.share - float(reach[0]), 0.0), min(fit.share + float(reach[0]), 1.0)
    status = fit.status if fit.lookalikes is None else SAMPLING
    fit = replace(
        fit,
        low=low,
        high=high,
        open_low=None,
        open_high=None,
        lookalikes=None,
        row_effects=None,
        status=status,
    )
    if fit.purity is None:
        return fit
    least = max(fit.purity - float(reach[1]), 0.0)
    most = min(fit.purity + float(reach[1]), 1.0)
    by_share = tuple((float(share), fit.purity) for share in np.linspace(low, high, _REGION))
    by_purity = tuple((fit.share, float(purity)) for purity in np.linspace(least, most, _REGION))
    place = Place((fit.share, fit.purity), (by_share, by_purity))
    return replace(fit, purity_low=least, purity_high=most, places=(place,), moves=None)


def _remarks(table: ScoreTable, samples: Samples, fit: ShareFit, method: str) -> list[Diagnostic]:
    remarks = []
    if table.total_pos < FEW_POSITIVES:
        remarks.append(
            Diagnostic(
                "PM105",
                f"only {table.total_pos:g} labelled positives: the distribution of their scores, which "
                "every estimate of the prior relies on, is poorly known. Label more, or audit.",
            )
        )
    if table.total_neg > 0 and method != "combined":
        remarks.append(
            Diagnostic(
                "PM106",
                f"the {table.total_neg:g} known negatives are not used: the share of positives is "
                "estimated from the labelled and the unlabeled rows alone.",
            )
        )
    above = float(samples.pos[: int(np.argmax(samples.unl > 0))].sum()) / samples.size_pos
    if above >= 0.5 and samples.size_unl >= 20 and samples.size_pos >= 10:
        remarks.append(
            Diagnostic(
                "PM203",
                f"{100 * above:.0f}% of the labelled scores lie above every unlabeled one. Either no "
                "unlabeled row is positive, or the model was trained on the rows it scores. Score rows "
                "that the model has not seen (out_of_fold_scores).",
            )
        )
    positives = fit.share * table.total_unl
    if positives < 5 or fit.share > 0.99:
        where = f"about {positives:.2g} positives" if positives < 5 else "hardly a negative"
        remarks.append(
            Diagnostic(
                "PM205",
                f"a share of {fit.share:.3g} means {where} among {table.total_unl:g} unlabeled rows, too "
                "few to tell from none. Rely on the interval, not the number.",
            )
        )
    return remarks
