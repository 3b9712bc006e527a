"""Curves over operating points, pairs of them, and confusion matrices along thresholds.

`Curve` is one curve over operating points, `CurveBand` and `CurveBounds` are pairs of them. `ConfusionCounts`
are confusion matrices along thresholds, `ConfusionBounds` bounds of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.formulas import find_formula
from puremetrics.results.picture import Drawing, Picture, steps_before
from puremetrics.results.protocol import Columns, IntervalKind, Result, number, percent

__all__ = ["ConfusionBounds", "ConfusionCounts", "Curve", "CurveBand", "CurveBounds"]


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
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
    bias_range : CurveBounds, optional
        The curves between which biased labels leave it at each threshold, without sampling error.
    band : CurveBand, optional
        Where the true curve lies at a confidence level, if that was asked for.
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
    bias_range: CurveBounds | None = field(default=None, repr=False)
    band: CurveBand | None = field(default=None, repr=False)

    @property
    def area(self) -> float:
        """The area under the curve as it is drawn; NaN along thresholds, which start at infinity."""
        if self.x.size and not np.isfinite(self.x[0]):
            return float("nan")
        width = np.diff(self.x)
        if self.interpolation == "step":
            return float(np.sum(width * self.y[1:]))
        if self.interpolation == "hyperbolic":
            assert self.reached is not None
            return _hyperbolic_area(self.x, self.reached)
        return float(np.sum(width * (self.y[1:] + self.y[:-1])) / 2)

    def drawn(self, finest: float = 0.004) -> tuple[FloatArray, FloatArray]:
        """Points of a line that shows the curve: its own, and for hyperbolae chords in between.

        Between two vertices ``x`` and ``reached`` are linear, and y is x / reached; no chord is longer
        than ``finest`` in either direction.
        """
        if self.interpolation != "hyperbolic":
            return self.x, self.y
        assert self.reached is not None
        length = np.maximum(np.abs(np.diff(self.x)), np.abs(np.diff(self.y)))
        pieces = np.maximum(np.ceil(length / finest), 1).astype(int)
        vertex = np.repeat(np.arange(pieces.size), pieces)
        step = np.arange(vertex.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        at = np.append(vertex + step / pieces[vertex], pieces.size)
        number = np.arange(self.x.size)
        x, reached, y = (np.interp(at, number, c) for c in (self.x, self.reached, self.y))
        inside = (at % 1 > 0) & (reached > 0)  # the vertices keep the curve's own numbers
        return x, np.divide(x, reached, out=y, where=inside)

    def frame(self) -> Columns:
        """Return what a plot draws, as columns that any data frame library takes."""
        if self.x_label == "threshold":
            return {self.x_label: self.x, self.y_label: self.y}
        return {self.x_label: self.x, self.y_label: self.y, "threshold": self.threshold}

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.y_label} against {self.x_label} at {self.x.size} points"
            + ("" if np.isnan(self.area) else f", area {number(self.area)}")
        ]
        if self.prior is not None:
            lines.append(f"  assumes prior {number(self.prior)}; method {self.method!r}")
        if self.bias_range is not None:
            areas = (number(curve.area) for curve in (self.bias_range.lower, self.bias_range.upper))
            lines.append(
                f"  biased labels leave open a band whose edges have areas {' and '.join(areas)}"
            )
        if self.band is not None:
            lines.append(f"  {self.band.words()}")
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])

    def _drawing(self) -> Drawing:
        points = self.drawn()
        if self.interpolation == "step":
            points = steps_before(*points)
        bands = []
        if self.band is not None:
            x, name = self.band.x, f"{percent(self.band.level)} band"
            bands.append((name, (x, self.band.low), (x, self.band.high)))
        if self.bias_range is not None:
            edges = self.bias_range.lower.drawn(), self.bias_range.upper.drawn()
            bands.append(("left open by biased labels", *edges))
        return Drawing(
            self.x_label,
            self.y_label,
            {self.y_label: points},
            bands,
            unit=self.x_label == "recall",
            diagonal=self.x_label == "false positive rate",
        )


@dataclass(frozen=True, eq=False, repr=False)
class CurveBand(Result):
    """A confidence band around a curve: limits of y along x.

    Attributes
    ----------
    x : ndarray, shape (k,)
        False positive rates for ROC, recalls for precision-recall; closer near both ends.
    low, high : ndarray, shape (k,)
        Limits of the true positive rate, or of precision, there; straight in between.
    level : float
        Their confidence level.
    kind : {"pointwise", "simultaneous"}
        Whether it holds at each x by itself, or for the whole curve at once.
    holds : {"confidence", "combined"}
        Sampling error alone, or uncertain assumptions too.
    """

    x: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: str
    holds: IntervalKind
    x_label: str
    y_label: str
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture("{0.x_label}", bands=(("low", "high"),), y_title="{0.y_label}")

    def frame(self) -> Columns:
        """Return the limits along x."""
        return {self.x_label: self.x, "low": self.low, "high": self.high}

    def words(self) -> str:
        """What the band promises, in a line."""
        held = "at each point separately"
        if self.kind == "simultaneous":
            held = "for the whole curve at once"
        width = float(np.sum(np.diff(self.x) * _middles(self.high - self.low)))
        return f"{percent(self.level)} {self.kind} band, {held}; {number(width)} wide on average"

    def __str__(self) -> str:
        lines = [f"Band of {self.y_label} against {self.x_label}", f"  {self.words()}"]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@dataclass(frozen=True, eq=False, repr=False)
class CurveBounds(Result):
    """Two curves between which the true one lies."""

    lower: Curve
    upper: Curve
    level: float
    rank_limits: str
    basis: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def band(self) -> str:
        """The old name of ``rank_limits``."""
        return self.rank_limits

    def frame(self) -> Columns:
        """Return the points of both curves, one below the other; ``bound`` says whose they are."""
        lower, upper = self.lower.frame(), self.upper.frame()
        sides = np.repeat(["lower", "upper"], [self.lower.x.size, self.upper.x.size])
        both = {name: np.concatenate([lower[name], upper[name]]) for name in lower}
        return {"bound": sides, **both}

    def __str__(self) -> str:
        areas = self.lower.area, self.upper.area
        said = "" if np.isnan(areas).any() else f": areas {number(areas[0])} and {number(areas[1])}"
        return f"Bounds of {self.lower.y_label} against {self.lower.x_label}{said}\n" + self._made()

    def _drawing(self) -> Drawing:
        curve = self.lower._drawing()
        band = "", self.lower.drawn(), self.upper.drawn()
        return replace(curve, lines={}, bands=[band])

    def _made(self) -> str:
        if self.rank_limits == "label_bias":
            return "  what biased labels leave open at each threshold separately, without sampling error"
        return (
            f"  {percent(self.level)} confidence at each point; ranks limited by {self.rank_limits!r}, "
            f"basis {self.basis!r}"
        )


def _middles(values: FloatArray) -> FloatArray:
    return np.asarray((values[1:] + values[:-1]) / 2)


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


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionCounts(Result):
    """Confusion matrices along thresholds.

    Counts refer to the population of the scenario: all rows in a single training set, the
    unlabeled rows in case-control. They are estimates, hence not whole numbers; as the correction gives
    them they need not lie inside their range either (`possible`).
    """

    threshold: FloatArray
    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    _picture = Picture("threshold", ("tp", "fp", "fn", "tn"), y_title="rows")

    def possible(self) -> ConfusionCounts:
        """Return the counts moved into their range, with the same numbers of positives and negatives."""
        positives, negatives = self.tp + self.fn, self.fp + self.tn
        tp, fp = np.clip(self.tp, 0.0, positives), np.clip(self.fp, 0.0, negatives)
        return replace(self, tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)

    def metric(self, name: str, **options: float) -> FloatArray:
        """Return any metric at every threshold; NaN where it is 0/0."""
        formula, checked = find_formula(name, dict(options))
        return formula(self.tp, self.fp, self.fn, self.tn, **checked)

    def frame(self) -> Columns:
        """Return the columns threshold, tp, fp, fn and tn."""
        return {
            "threshold": self.threshold,
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
        }

    def __str__(self) -> str:
        size = float(self.tp[-1] + self.fp[-1])
        lines = [f"Confusion matrices of {number(size)} rows at {self.threshold.size} thresholds"]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionBounds(Result):
    """Contingency tables that bound the truth: ``upper`` has the lowest false positive rate."""

    lower: ConfusionCounts
    upper: ConfusionCounts
    level: float
    rank_limits: str
    basis: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def band(self) -> str:
        """The old name of ``rank_limits``."""
        return self.rank_limits

    def frame(self) -> Columns:
        """Return the threshold, and both tables' entries as ``tp_low``, ``tp_high`` and so on."""
        columns: Columns = {"threshold": self.lower.threshold}
        for name in ("tp", "fp", "fn", "tn"):
            ends = getattr(self.lower, name), getattr(self.upper, name)
            columns |= {f"{name}_low": np.minimum(*ends), f"{name}_high": np.maximum(*ends)}
        return columns

    def __str__(self) -> str:
        return (
            f"Bounds of the confusion matrix at {self.lower.threshold.size} thresholds\n"
            f"  {percent(self.level)} confidence at each; ranks limited by {self.rank_limits!r}, "
            f"basis {self.basis!r}"
        )
