"""An evaluation as a page for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puremetrics.results import Estimate, Interval

if TYPE_CHECKING:
    from puremetrics.evaluation.narrowing import Narrowing
    from puremetrics.evaluation.records import ConfusionMatrix, Evaluation

__all__ = ["page_lines"]

_COUNTS = {
    "tp": "true positives",
    "fp": "false positives",
    "fn": "missed positives",
    "tn": "true negatives",
}


def page_lines(result: Evaluation) -> list[str]:
    """Return the lines of the page."""
    known = result.prior
    span = f"{known.value:.4g}"
    if not known.is_point:
        span += f" ({known.low:.4g} to {known.high:.4g})"
    lines = [f"prior {span}, {result.prior_source}; purity of the labels {known.purity:.4g}"]
    if result.largest_prior is not None:
        lines.append(
            f"largest prior that the data allow, with confidence {result.level:g}: {result.largest_prior:.4g}"
        )
    for model in result.models.values():
        lines += ["", f"{model.name}: {model.table}"]
        interval = f"{100 * result.level:g} % interval"
        lines.append(f"  {'':<24}{'naive':>8}{'corrected':>11}   {interval:<19}{'bounds':<19}")
        for key, estimate in model.corrected.items():
            bound = model.bounds.get(key)
            lines.append(
                f"  {_short(estimate):<24}{model.naive[key].value:>8.4f}{estimate.value:>11.4f}   "
                f"{_span(estimate.interval):<19}{_span(bound):<19}".rstrip()
            )
        if model.operating_point is not None:
            choice = model.operating_point
            name, estimate = choice.objective, choice.estimate
            lines.append(
                f"  metrics at score >= {choice.threshold:.6g}, the best threshold for {name}; corrected for "
                f"having chosen, {name} is {estimate.value:.4f} ({_span(estimate.interval)})"
            )
        if model.confusion is not None:
            lines.append("  " + _confusion_line(model.confusion))
        if model.prior_free:
            shown = [f"{_short(e)} {e.value:.4f}" for e in model.prior_free.values()]
            lines.append("  without a prior: " + ", ".join(shown))
        if model.calibration is not None:
            lines.append("  " + str(model.calibration).splitlines()[0])
        lines += ["  " + text for text in _narrowing_lines(model.narrowing)]
        lines += [f"  {remark}" for remark in model.diagnostics]
    if result.ranking is not None:
        lines += ["", *str(result.ranking).splitlines()]
    if result.drift is not None:
        lines += ["", *str(result.drift).splitlines()]
    lines += [str(remark) for remark in result.diagnostics if remark.code != "PM604"]
    return lines


def _confusion_line(matrix: ConfusionMatrix) -> str:
    parts = []
    for name, word in _COUNTS.items():
        bound = matrix.bounds.get(name)
        ends = "" if bound is None else f" ({bound.low:.0f} to {bound.high:.0f})"
        parts.append(f"{getattr(matrix, name):.0f} {word}{ends}")
    return ", ".join(parts)


def _narrowing_lines(narrow: Narrowing) -> list[str]:
    shares = (narrow.due_to_positives, narrow.due_to_others, narrow.due_to_prior)
    parts = [f"{100 * share:.0f} % from the {what}" for share, what in zip(
        shares, ("labelled positives", "other rows", "prior"), strict=True)]  # fmt: skip
    text = f"width of the AUC's interval, {narrow.width:.4f}: {', '.join(parts)}"
    bought = [
        f"twice the labels {narrow.twice_the_labels:.4f}",
        f"twice the other rows {narrow.twice_the_rows:.4f}",
    ]
    bought += [f"an audit of {rows} rows {width:.4f}" for rows, width in narrow.audits.items()]
    return [text, "it would be about: " + ", ".join(bought)]


def _short(estimate: Estimate) -> str:
    return estimate.title.split(" (")[0]


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"
