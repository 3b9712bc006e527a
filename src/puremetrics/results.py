"""Frozen results. They hold numbers and say what was assumed; they compute nothing from data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from puremetrics._validation import FloatArray, Scenario
from puremetrics.exceptions import Diagnostic
from puremetrics.formulas import find_formula

__all__ = [
    "ConfusionBounds",
    "ConfusionCounts",
    "Curve",
    "CurveBounds",
    "Estimate",
    "Interval",
    "PriorEstimate",
    "json_ready",
]

IntervalKind = Literal["confidence", "identification", "combined", "resolution"]


@dataclass(frozen=True)
class Interval:
    """An interval that says what it is.

    Attributes
    ----------
    low, high : float
        Its ends, within the range that the quantity can take.
    level : float
        Nominal coverage, such as 0.95; 1 for a pure identification interval.
    kind : {"confidence", "identification", "combined", "resolution"}
        Sampling error; what the data cannot tell however many there are (an uncertain prior);
        both; or what the buckets of a reader hide.
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return asdict(self)

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
    lines for "linear" (ROC); for "step" (precision-recall) each value reaches back to the previous
    point; for "hyperbolic" (bounds of precision-recall) ``reached`` is linear between the points and y
    is x / reached.

    Attributes
    ----------
    x, y : ndarray, shape (k,)
        The points; for ROC false and true positive rate, for PR recall and precision.
    threshold : ndarray, shape (k,)
        Operating points: rows with ``score >= threshold`` are predicted positive. The first is
        infinite. Vertices between two operating points carry the lower of both thresholds.
    raw_x, raw_y : ndarray
        The values before they were fitted into what is possible; they may leave [0, 1].
    reached : ndarray, optional
        Rows predicted positive at each point, as a multiple of the number of positives.
    """

    name: str
    x: FloatArray
    y: FloatArray
    threshold: FloatArray
    x_label: str
    y_label: str
    interpolation: Literal["linear", "step", "hyperbolic"] = "linear"
    method: str = ""
    prior: float | None = None
    raw_x: FloatArray | None = None
    raw_y: FloatArray | None = None
    reached: FloatArray | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def area(self) -> float:
        """The area under the curve as it is drawn."""
        width = np.diff(self.x)
        if self.interpolation == "step":
            return float(np.sum(width * self.y[1:]))
        if self.interpolation == "hyperbolic":
            assert self.reached is not None
            return _hyperbolic_area(self.x, self.reached)
        return float(np.sum(width * (self.y[1:] + self.y[:-1])) / 2)

    def frame(self) -> dict[str, FloatArray]:
        """Return what a plot draws, as columns that any data frame library takes."""
        return {self.x_label: self.x, self.y_label: self.y, "threshold": self.threshold}


@dataclass(frozen=True)
class Estimate:
    """One number with its interval and everything it assumes.

    ``float(estimate)`` is the value. ``curve`` is the curve that a value summarises, where there
    is one: its area is the value. ``bracket``, where a reader had to put scores into buckets, is sure to
    contain the value that the rows themselves would give.
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
    curve: Curve | None = field(default=None, repr=False, compare=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    bracket: Interval | None = None

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
        if self.bracket is not None:
            least, most = self.bracket
            lines.append(
                f"  scores were put into buckets: exactly, it lies between {least:.6f} and {most:.6f}"
            )
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        interval = None if self.interval is None else self.interval.to_dict()
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
            "bracket": None if self.bracket is None else self.bracket.to_dict(),
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
class ConfusionBounds:
    """Contingency tables that bound the truth: ``upper`` has the lowest false positive rate."""

    lower: ConfusionCounts
    upper: ConfusionCounts
    level: float
    band: str
    basis: str


@dataclass(frozen=True)
class CurveBounds:
    """Two curves between which the true one lies."""

    lower: Curve
    upper: Curve
    level: float
    band: str
    basis: str

    def frame(self) -> dict[str, FloatArray]:
        """Return what a plot draws: the points of both curves."""
        sides = {"lower": self.lower, "upper": self.upper}
        return {
            f"{side} {name}": column
            for side, curve in sides.items()
            for name, column in curve.frame().items()
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
    scenario : str or None
        The scenario whose population the prior is about.
    upper_limit, upper_level : float or None
        The largest prior that the data allow, at that confidence, whatever the negatives.
    grid, objective : ndarray or None
        Candidates and what was compared at each, for a plot: shares among the unlabeled, or for
        "best_bin" and "slope" the share of the labelled above each threshold.
    """

    prior: float
    interval: Interval | None = None
    purity: float | None = None
    unlabeled_share: float | None = None
    label_frequency: float | None = None
    method: str = "given"
    status: str = "estimate"
    diagnostics: tuple[Diagnostic, ...] = ()
    scenario: Scenario | None = None
    upper_limit: float | None = None
    upper_level: float | None = None
    grid: FloatArray | None = field(default=None, repr=False, compare=False)
    objective: FloatArray | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        return self.prior

    def __str__(self) -> str:
        lines = [f"Prior: {_number(self.prior)}"]
        if self.interval is not None:
            low, high = (_number(end) for end in self.interval)
            lines[0] += f", {_percent(self.interval.level)} {self.interval.kind} interval"
            lines[0] += f" {low} to {high}"
        if self.purity is not None:
            lines[0] += f"; purity of the labels {_number(self.purity)}"
        known = [] if self.scenario is None else [str(self.scenario)]
        if self.unlabeled_share is not None and self.scenario == "single_training_set":
            known.append(f"share of positives among the unlabeled {_number(self.unlabeled_share)}")
        lines.append("  " + "; ".join([*known, f"method {self.method!r}", self.status]))
        if self.upper_limit is not None and self.upper_level is not None:
            confidence = _percent(self.upper_level)
            lines.append(f"  at most {_number(self.upper_limit)} with {confidence} confidence")
        lines += [f"  {diagnostic}" for diagnostic in self.diagnostics]
        return "\n".join(lines)

    def frame(self) -> dict[str, FloatArray]:
        """Return the objective curve that a plot draws; the answer sits at ``unlabeled_share``."""
        if self.grid is None or self.objective is None:
            return {"share": np.empty(0), "objective": np.empty(0)}
        return {"share": self.grid, "objective": self.objective}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        interval = None if self.interval is None else self.interval.to_dict()
        return {
            "prior": self.prior,
            "interval": interval,
            "purity": self.purity,
            "unlabeled_share": self.unlabeled_share,
            "label_frequency": self.label_frequency,
            "method": self.method,
            "status": self.status,
            "scenario": self.scenario,
            "upper_limit": self.upper_limit,
            "upper_level": self.upper_level,
            "diagnostics": [{"code": d.code, "message": d.message} for d in self.diagnostics],
        }


def json_ready(value: Any) -> Any:
    """Plain Python for JSON: numpy numbers unwrapped, infinite and undefined ones as null."""
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _number(value: float) -> str:
    """Format to four significant decimals without exponent for ordinary sizes."""
    if not np.isfinite(value) or value == 0:
        return f"{value:g}"
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"


def _hyperbolic_area(x: FloatArray, reached: FloatArray) -> float:
    """Integrate x / q(x) with q linear between the points.

    On a piece of width w, x = x0 + w·u and q = q0·(1 + v·u) with u from 0 to 1. The integrals of
    1/(1 + v·u) and u/(1 + v·u) cancel near v = 0, where their series are used.
    """
    width, rise = np.diff(x), np.diff(reached)
    some = width > 0
    width, rise, x0, q0 = width[some], rise[some], x[:-1][some], reached[:-1][some]
    empty = q0 <= 0  # a first piece from the origin: x/q is constant
    total = float(np.sum(width[empty] ** 2 / rise[empty]))
    width, rise, x0, q0 = width[~empty], rise[~empty], x0[~empty], q0[~empty]
    v = rise / q0
    large = np.abs(v) > 1e-3
    u = np.where(large, 0.0, v)
    first = 1 - u / 2 + u**2 / 3 - u**3 / 4 + u**4 / 5
    second = 1 / 2 - u / 3 + u**2 / 4 - u**3 / 5 + u**4 / 6
    first[large] = np.log1p(v[large]) / v[large]
    second[large] = (1 - first[large]) / v[large]
    return total + float(np.sum(width / q0 * (x0 * first + width * second)))
