"""Estimates of the same prior put together: one from scores and one from an audit, or of several models.

Several models that score the same rows (`of_models`) are no independent witnesses, so their errors do not
average out: what they say is a weighted mean, of ends as of values, the weights being inverse squared widths.
Each model's upper limit holds by itself, so nothing above the lowest of them is kept. (The lowest of several
estimates, which looks safe because negatives that look like positives raise an estimate, was below the truth
on two of three real sets.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from puremetrics.checking.arguments import check_choice
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.numerics.quantiles import normal_quantile
from puremetrics.results import Interval, PriorEstimate, Trust, most_trusted

__all__ = ["combine", "of_models"]

_LEAST_WIDTH = 0.01  # below which an estimate weighs no more


def combine(
    first: PriorEstimate, second: PriorEstimate, *, how: str = "precision"
) -> PriorEstimate:
    """Join two independent estimates of the same prior, such as one from scores and one from an audit.

    Parameters
    ----------
    first, second : PriorEstimate
        Each with an interval of the same level.
    how : {"precision", "intersection"}
        "precision": mean on the logit scale, each weighted by the inverse square of its interval's
        width there; right if both aim at the same number. "intersection": what both intervals
        allow, at level 1 − 2 (1 − level) by Bonferroni; assumes nothing about how they were made.

    Notes
    -----
    If the two differ by more than their errors explain, the result carries PM204 and its interval
    spans both. An estimate from scores is an upper bound where negatives can look like positives, an
    audit is not: believe the audit.

    Examples
    --------
    >>> from puremetrics import prior_from_audit
    >>> scores = PriorEstimate(0.10, Interval(0.07, 0.14, 0.95, "confidence", "combined"))
    >>> both = combine(scores, prior_from_audit(200, 14))
    >>> 0.06 < both.interval.low < both.prior < both.interval.high < 0.14
    True
    """
    how = check_choice(how, ("precision", "intersection"), "how")
    for estimate in (first, second):
        if not isinstance(estimate, PriorEstimate):
            raise InputError(
                f"combine joins two PriorEstimate objects, but got a {type(estimate).__name__}. Pass what "
                "estimate_prior or prior_from_audit returned."
            )
    if first.interval is None or second.interval is None:
        raise InputError(
            "combine weighs estimates by their intervals, but one of them has none. Use one with an interval."
        )
    one, two = first.interval, second.interval
    if one.level != two.level:
        raise InputError(
            f"The intervals have levels {one.level:g} and {two.level:g}. Make both at the same level."
        )
    if first.scenario and second.scenario and first.scenario != second.scenario:
        raise InputError(
            f"One prior is of scenario {first.scenario!r}, the other of {second.scenario!r}: they are "
            "shares of different populations. Give prior_from_audit the table."
        )
    precise = _precision if how == "precision" else _intersection
    prior, low, high, level, agree = precise(first, second, one, two)
    diagnostics = [*first.diagnostics, *second.diagnostics]
    if not agree:
        diagnostics.append(
            Diagnostic(
                "PM204",
                f"the two estimates, {first.prior:.3g} by {first.method!r} and {second.prior:.3g} "
                f"by {second.method!r}, differ by more than their errors; the interval spans both. Trust an "
                "audit of rows drawn at random; scores give only an upper bound.",
            )
        )
    source = first if first.purity is not None else second
    return PriorEstimate(
        prior,
        Interval(low, high, level, "confidence", how),
        purity=source.purity,
        purity_interval=source.purity_interval,
        method=f"{how} of {first.method} and {second.method}",
        status="combined estimate",
        trust=_joined(first, second, agree),
        diagnostics=tuple(diagnostics),
        scenario=first.scenario or second.scenario,
    )


def of_models(found: Sequence[PriorEstimate]) -> PriorEstimate:
    """One estimate from those that several models' scores of the same rows gave.

    Estimates that their own scores contradict do not count, unless all are contradicted. Where the purity was
    estimated too, prior and purity belong together, and the narrowest estimate stands for all.
    """
    sound = [e for e in found if e.trust is None or e.trust.level != "contradicted"] or list(found)
    narrowest = min(sound, key=lambda e: 1.0 if e.interval is None else e.interval.width)
    spans = [e.interval for e in sound if e.interval is not None]
    if len(sound) == 1 or len(spans) < len(sound) or narrowest.region is not None:
        return narrowest
    weights = [1 / (span.width + _LEAST_WIDTH) ** 2 for span in spans]

    def mean(values: Sequence[float]) -> float:
        return math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)

    limits = [e.upper_limit for e in sound if e.upper_limit is not None]
    high = min([mean([span.high for span in spans]), *limits])
    low = min(mean([span.low for span in spans]), high)
    prior = min(max(mean([e.prior for e in sound]), low), high)
    opened = [e.open_range or span for e, span in zip(sound, spans, strict=True)]
    open_low, open_high = (
        min(max(mean([getattr(part, end) for part in opened]), low), high)
        for end in ("low", "high")
    )
    assert narrowest.interval is not None
    return replace(
        narrowest,
        prior=prior,
        interval=replace(narrowest.interval, low=low, high=high),
        open_range=Interval(open_low, open_high, 1.0, "identification", "lookalikes"),
        upper_limit=min(limits, default=None),
        diagnostics=narrowest.diagnostics,
        row_effects=None,
        separable=None,
        lookalikes=None,
        unlabeled_share=None,
        label_frequency=None,
        grid=None,
        objective=None,
        method=f"{narrowest.method} of {len(sound)} models",
    )


def _joined(first: PriorEstimate, second: PriorEstimate, agree: bool) -> Trust | None:
    """The trust of the better source, unless the two contradict each other."""
    if not agree:
        return Trust(
            "contradicted",
            f"two estimates of the prior, {first.prior:.3g} by {first.method!r} and {second.prior:.3g} by "
            f"{second.method!r}, differ by more than their errors.",
        )
    known = [estimate.trust for estimate in (first, second) if estimate.trust is not None]
    return most_trusted(*known) if known else None


def _precision(
    first: PriorEstimate, second: PriorEstimate, one: Interval, two: Interval
) -> tuple[float, float, float, float, bool]:
    quantile = normal_quantile(one.level)
    centres, errors = [], []
    for estimate, interval in ((first, one), (second, two)):
        low, high = (_logit(end) for end in interval)
        centres.append(min(max(_logit(estimate.prior), low), high))
        errors.append(max((high - low) / (2 * quantile), 1e-9))
    agree = abs(centres[0] - centres[1]) <= quantile * math.hypot(*errors)
    weights = [1 / error**2 for error in errors]
    centre = (centres[0] * weights[0] + centres[1] * weights[1]) / sum(weights)
    reach = quantile / math.sqrt(sum(weights))
    low, high = _expit(centre - reach), _expit(centre + reach)
    if not agree:
        low, high = min(one.low, two.low), max(one.high, two.high)
    prior = _expit(centre)  # the same by rounding as an end, where one is known to the last digits
    return min(max(prior, low), high), low, high, one.level, agree


def _intersection(
    first: PriorEstimate, second: PriorEstimate, one: Interval, two: Interval
) -> tuple[float, float, float, float, bool]:
    low, high = max(one.low, two.low), min(one.high, two.high)
    agree = low <= high
    if not agree:
        low, high = min(one.low, two.low), max(one.high, two.high)
    narrow = first if one.width <= two.width else second
    level = max(1 - 2 * (1 - one.level), 0.0)
    return min(max(narrow.prior, low), high), low, high, level, agree


def _logit(share: float) -> float:
    inside = min(max(share, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value))
