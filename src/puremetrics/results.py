"""Frozen results. They hold numbers and say what was assumed; they compute nothing from data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from puremetrics._validation import FloatArray, Scenario
from puremetrics.exceptions import Diagnostic
from puremetrics.formulas import find_formula

__all__ = ["ConfusionCounts", "Curve", "Estimate", "Interval", "PriorEstimate"]

IntervalKind = Literal["confidence", "identification", "combined"]


@dataclass(frozen=True)
class Interval:
    """An interval that says what it is.

    Attributes
    ----------
    low, high : float
        Its ends, within the range that the quantity can take.
    level : float
        Nominal coverage, such as 0.95; 1 for a pure identification interval.
    kind : {"confidence", "identification", "combined"}
        Sampling error; what the data cannot tell however many there are (an uncertain prior); or
        both.
    method : str
        How it was computed.
    """

    low: float
    high: float
    level: float
    kind: IntervalKind
    method: str

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{_number(self.low)} to {_number(self.high)} ({self.level:.3g} {self.kind})"


@dataclass(frozen=True)
class Curve:
    """A curve over operating points, from the highest threshold to the lowest.

    ``interpolation`` says how the points join, and `area` is the area under exactly that: straight
    lines for "linear" (ROC), and for "step" (precision-recall) each value reaches back to the
    previous point.

    Attributes
    ----------
    x, y : ndarray, shape (k,)
        The points; for ROC false and true positive rate, for PR recall and precision.
    threshold : ndarray, shape (k,)
        Operating points: rows with ``score >= threshold`` are predicted positive. The first is
        infinite. Vertices between two operating points carry the lower of both thresholds.
    raw_x, raw_y : ndarray
        The values before they were fitted into what is possible; they may leave [0, 1].
    """

    name: str
    x: FloatArray
    y: FloatArray
    threshold: FloatArray
    x_label: str
    y_label: str
    interpolation: Literal["linear", "step"] = "linear"
    method: str = ""
    prior: float | None = None
    raw_x: FloatArray | None = None
    raw_y: FloatArray | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def area(self) -> float:
        """The area under the curve as it is drawn."""
        width = np.diff(self.x)
        if self.interpolation == "step":
            return float(np.sum(width * self.y[1:]))
        return float(np.sum(width * (self.y[1:] + self.y[:-1])) / 2)

    def frame(self) -> dict[str, FloatArray]:
        """Return what a plot draws, as columns that any data frame library takes."""
        return {self.x_label: self.x, self.y_label: self.y, "threshold": self.threshold}


@dataclass(frozen=True)
class Estimate:
    """One number with its interval and everything it assumes.

    ``float(estimate)`` is the value. ``curve`` is the curve that a value summarises, where there
    is one: its area is the value.
    """

    name: str
    title: str
    value: float
    interval: Interval | None
    standard_error: float | None
    method: str
    scenario: Scenario
    prior: float | None = None
    unlabeled_share: float | None = None
    purity: float | None = None
    threshold: float | None = None
    curve: Curve | None = field(default=None, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        at = "" if self.threshold is None else f" at score >= {self.threshold:g}"
        lines = [f"{self.title}{at}: {_number(self.value)}"]
        if self.interval is not None:
            low, high = (_number(end) for end in self.interval)
            lines[0] += f", {_percent(self.interval.level)} {self.interval.kind} interval"
            lines[0] += f" {low} to {high}"
        assumed: list[str] = [self.scenario]
        if self.prior is not None:
            assumed.append(f"prior {_number(self.prior)}")
        if self.unlabeled_share is not None and self.scenario == "single_training_set":
            assumed.append(
                f"share of positives among the unlabeled {_number(self.unlabeled_share)}"
            )
        if self.purity is not None:
            assumed.append(f"purity of the labels {_number(self.purity)}")
        lines.append(f"  assumes {', '.join(assumed)}; method {self.method!r}")
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        interval = None
        if self.interval is not None:
            interval = {
                "low": self.interval.low,
                "high": self.interval.high,
                "level": self.interval.level,
                "kind": self.interval.kind,
                "method": self.interval.method,
            }
        return {
            "name": self.name,
            "value": self.value,
            "interval": interval,
            "standard_error": self.standard_error,
            "method": self.method,
            "scenario": self.scenario,
            "prior": self.prior,
            "unlabeled_share": self.unlabeled_share,
            "purity": self.purity,
            "threshold": self.threshold,
            "diagnostics": [{"code": d.code, "message": d.message} for d in self.diagnostics],
        }


@dataclass(frozen=True)
class ConfusionCounts:
    """Confusion matrices along thresholds.

    Counts refer to the population of the scenario: all rows in a single training set, the
    unlabeled rows in case-control. They are estimates, hence neither whole numbers nor always
    inside their range; a diagnostic says where they are not.
    """

    threshold: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    def metric(self, name: str, **options: float) -> FloatArray:
        """Return any metric at every threshold; NaN where it is 0/0."""
        formula, checked = find_formula(name, dict(options))
        return formula(self.tp, self.fp, self.fn, self.tn, **checked)

    def frame(self) -> dict[str, FloatArray]:
        """Return the columns threshold, tp, fp, fn and tn."""
        return {
            "threshold": self.threshold,
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
        }


@dataclass(frozen=True)
class PriorEstimate:
    """An estimate of the class prior, with its interval; wherever a prior is taken, so is this.

    Attributes
    ----------
    prior : float
        P(y = 1) in the population of the scenario.
    interval : Interval or None
        Interval of the prior.
    purity : float or None
        Share of true positives among the labelled, where it was estimated too.
    unlabeled_share, label_frequency : float or None
        Share of positives among the unlabeled; share of positives that carry a label.
    method, status : str
        How it was estimated and what the number is ("estimate", "upper bound", …).
    """

    prior: float
    interval: Interval | None = None
    purity: float | None = None
    unlabeled_share: float | None = None
    label_frequency: float | None = None
    method: str = "given"
    status: str = "estimate"
    diagnostics: tuple[Diagnostic, ...] = ()

    def __float__(self) -> float:
        return self.prior


def _number(value: float) -> str:
    """Format to four significant decimals without exponent for ordinary sizes."""
    if not np.isfinite(value) or value == 0:
        return f"{value:g}"
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"
