"""An evaluation as a page for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puremetrics.results import Estimate, Interval
from puremetrics.results.protocol import sentence

if TYPE_CHECKING:
    from puremetrics.evaluation.model import ModelEvaluation
    from puremetrics.evaluation.records import Evaluation

__all__ = ["model_lines", "page_lines"]


def page_lines(result: Evaluation) -> list[str]:
    """Return the lines of the page."""
    known = result.prior
    span = f"prior {known.value:.4g}"
    if result.trust.level == "upper_bound":
        span = f"likely prior {known.low:.4g} to {known.high:.4g}"
    elif not known.is_point:
        span += f" ({known.low:.4g} to {known.high:.4g})"
    purity = f"{known.purity:.4g}"
    if known.purity_low < known.purity_high:
        purity += f" ({known.purity_low:.4g} to {known.purity_high:.4g})"
    lines = [str(result.trust)]
    against = result.trust.level == "contradicted"
    if not against or result.estimate is None:
        told = f"{span}, {result.prior_source}; purity of the labels {purity}"
        if result.label_bias > 1:
            told += f"; label bias up to {result.label_bias:.4g}"
            if result.label_bias_side != "either":
                told += f" towards {result.label_bias_side} scores"
        lines.append(told)
    if result.certain is not None:
        lines.append(
            f"certain with confidence {result.level:g}: the prior is at least {result.certain.low:.4g} and "
            f"at most {result.certain.high:.4g}, whatever the negatives are"
        )
        if result.estimate is not None and result.estimate.separable is not None and not against:
            lines.append(
                f"if no negative looked like a positive, it would be {result.estimate.separable:.4g}"
            )
    elif result.largest_prior is not None:
        lines.append(
            f"largest prior that the data allow, with confidence {result.level:g}: {result.largest_prior:.4g}"
        )
    if result.audit is not None:
        lines += ["", *str(result.audit).splitlines()]
    for model in result.models.values():
        lines += ["", *model_lines(model, result.level)]
    if result.ranking is not None and not against:
        lines += ["", *str(result.ranking).splitlines()]
    for name, found in result.drifts.items():
        own = str(found).splitlines()
        if len(result.drifts) > 1:
            own[0] = f"{name}: {own[0]}"
        lines += ["", *own]
    said = ("PM604", "PM206") if against else ("PM604",)
    lines += [str(remark) for remark in result.diagnostics if remark.code not in said]
    return lines


def model_lines(model: ModelEvaluation, level: float) -> list[str]:
    """Return the lines of one model."""
    lines = [f"{model.name}: {model.table}"]
    if model.trust.level == "contradicted":
        lines.append(f"  no figures are given. {sentence(model.trust.words)}")
        return lines + [f"  {remark}" for remark in model.diagnostics]
    certain = model.trust.level != "upper_bound"
    audited = bool(model.if_random)
    head = (
        f"{'audited' if audited else 'corrected':>11}   {f'{100 * level:g} % interval':<19}"
        if certain
        else f"   {'likely':<19}"
    )
    last = "if labels are random" if audited else "bounds"
    lines.append(f"  {'':<24}{'naive':>8}{head}{last:<19}".rstrip())
    for key, estimate in model.corrected.items():
        beside = _span(model.bounds.get(key))
        if audited:
            other = model.if_random[key]
            beside = f"{other.value:.4f} ({_span(other.interval)})"
        value = f"{estimate.value:>11.4f}" if certain else ""
        lines.append(
            f"  {_short(estimate):<24}{model.naive[key].value:>8.4f}{value}   "
            f"{_span(estimate.interval):<19}{beside:<19}".rstrip()
        )
    if model.operating_point is not None:
        choice = model.operating_point
        how = (
            "chosen by the labels, not by the audit"
            if audited
            else "they account for having chosen it"
        )
        lines.append(
            f"  metrics at score >= {choice.threshold:.6g}, the best threshold for {choice.objective}; {how}"
        )
    if model.confusion is not None:
        lines.append(f"  {model.confusion.words(ranged=not certain)}")
    if not certain and model.certain:
        spans = [
            f"{_short(model.corrected[key])} {_span(span)}" for key, span in model.certain.items()
        ]
        lines.append("  over all priors that are possible: " + ", ".join(spans[:2]))
    if model.discoveries and not audited:
        lines.append(f"  {model.discoveries}")
    lines += [f"  {point.words}" for point in model.tipping.values()]
    if model.prior_free:
        shown = [f"{_short(e)} {e.value:.4f}" for e in model.prior_free.values()]
        lines.append("  without a prior: " + ", ".join(shown))
    if model.calibration is not None:
        lines.append("  " + str(model.calibration).splitlines()[0])
    if not audited:
        lines += ["  " + text for text in str(model.narrowing).splitlines()]
    return lines + [f"  {remark}" for remark in model.diagnostics]


def _short(estimate: Estimate) -> str:
    return estimate.title.split(" (")[0]


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"
