"""The words of legends and captions: what an estimate is, and what it takes for granted."""

from __future__ import annotations

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.results import Interval
from puremetrics.scenarios import Scenario, design_of

__all__ = [
    "assumption",
    "interval_sentence",
    "level_words",
    "number",
    "outside_sentence",
    "percent",
    "prior_words",
    "with_interval",
]


def number(value: float) -> str:
    """Three decimals, as legends show them."""
    return f"{value:.3f}"


def percent(share: float) -> str:
    """Format a share in per cent, without needless digits."""
    return f"{100 * share:.3g} %"


def level_words(level: float | None) -> str:
    """Confidence level before the word "confidence"; nothing if it is not known."""
    return "" if level is None else f"{percent(level)} "


def prior_words(scenario: Scenario | None) -> str:
    """Say what the prior is the share of."""
    return f"share of positives among {_population(scenario)}"


def with_interval(title: str, value: float, interval: Interval | None) -> str:
    """Name an estimate with its interval: "AUC 0.973 (0.956 to 0.998)"."""
    text = f"{title} {number(value)}"
    if interval is None:
        return text
    return f"{text} ({number(interval.low)} to {number(interval.high)})"


def assumption(
    scenario: Scenario | None,
    prior: float | None,
    purity: float | None,
    *,
    uncertain: bool = False,
    label_bias: float = 1.0,
) -> str:
    """Say in one sentence what an estimate takes for granted; an infinite label bias is left out."""
    parts = []
    alike = "a random sample of the positives"
    if label_bias > 1:
        alike = f"taken from the positives with chances that differ up to {label_bias:.3g}-fold"
    if prior is not None:
        about = "about " if uncertain else ""
        parts.append(f"{about}{percent(prior)} of {_population(scenario)} are positive")
    if purity is not None and purity < 1:
        parts.append(f"{percent(purity)} of the labelled rows are truly positive")
        parts.append(f"those are {alike}")
    elif np.isfinite(label_bias):
        parts.append(f"the labelled rows are {alike}")
    if not parts:
        return ""
    listed = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    return f"Assumes that {listed}."


def interval_sentence(interval: Interval | None) -> str:
    """Say what the interval in the legend is."""
    if interval is None:
        return ""
    what = {
        "confidence": "confidence interval",
        "identification": "range over the possible priors",
        "combined": "confidence interval, widened by uncertain assumptions",
    }[interval.kind]
    level = f"{percent(interval.level)} " if interval.level < 1 else ""
    return f"In brackets: {level}{what}."


def outside_sentence(*columns: FloatArray) -> str:
    """Say so if something drawn lies outside [0, 1], and if it leaves the axes."""
    furthest = max(float(np.max(np.abs(column - 0.5))) - 0.5 for column in columns)
    if furthest <= 1e-9:
        return ""
    where = ", some beyond the axes" if furthest > 0.1 else ""
    return f"Values outside 0 to 1{where}: sampling error, or too high a prior."


def _population(scenario: Scenario | None) -> str:
    return "all rows" if scenario is None else design_of(scenario).population((1, 1, 0))
