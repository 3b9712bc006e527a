"""The ROC and precision-recall curves with their bounds.

`CurveDisplay` is what both figures share: an estimate with its curve, bounds, naive curve and truth.
`RocCurveDisplay` and `PrecisionRecallDisplay` are the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.bounds.areas import precision_area_bounds, roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.checking.arguments import check_choice
from puremetrics.checking.types import FloatArray
from puremetrics.correction.curve_bands import check_band, with_band
from puremetrics.correction.curves import METHODS
from puremetrics.exceptions import InputError
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, bounds_or_reason, prior_of_truth
from puremetrics.results import Columns, CurveBounds, Estimate, Interval
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.statistics.precision_area import AveragePrecision, average_precision
from puremetrics.statistics.roc_area import RocAuc, roc_auc
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    from puremetrics.evaluation import Evaluation, ModelEvaluation


__all__ = ["CurveDisplay", "PrecisionRecallDisplay", "RocCurveDisplay", "with_curve_band"]


@dataclass(kw_only=True)
class CurveDisplay(Display):
    """A curve and its area; made by its two subclasses.

    Attributes
    ----------
    estimate : Estimate
        The area with its curve.
    bounds : CurveBounds, optional
        Drawn as a band.
    bounds_interval : Interval, optional
        Bounds of the area, for the legend.
    naive, truth : Estimate, optional
        The same with the unlabeled taken as negative, and with the hidden labels.
    note : str
        One more sentence for the caption.
    """

    estimate: Estimate
    bounds: CurveBounds | None = None
    bounds_interval: Interval | None = None
    naive: Estimate | None = None
    truth: Estimate | None = None
    note: str = ""
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: Polygon | None = field(init=False, repr=False, compare=False)
    bias_band_: Polygon | None = field(init=False, repr=False, compare=False)
    confidence_band_: PolyCollection | None = field(init=False, repr=False, compare=False)
    naive_line_: Line2D | None = field(init=False, repr=False, compare=False)
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    chance_level_: Line2D | None = field(init=False, repr=False, compare=False)

    _title: ClassVar[str]
    _labels: ClassVar[tuple[str, str]]
    _drawstyle: ClassVar[Any] = "default"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_bounds: bool = True,
        plot_naive: bool = True,
        plot_truth: bool = True,
        plot_chance_level: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure.

        Parameters
        ----------
        ax : Axes, optional
        name : str, optional
            Of the model, for the legend.
        color : str, optional
            Default: the next one not used in these axes.
        plot_bounds, plot_naive, plot_truth, plot_chance_level : bool
            What to draw besides the estimate, as far as it is there.
        legend : bool or str
            True: above the axes, or inside if these have a title; a string: inside, at that
            location; False: none.
        caption : bool
            Say below the axes what is assumed.
        line_options
            Passed to ``ax.plot`` for the estimate.
        """
        ax = self._start(ax)
        look = style.look_of_next(ax, color, line_options)
        value = words.with_interval(self._title, self.estimate.value, self.estimate.interval)
        look = {"label": f"{self._named(name)}: {value}", "drawstyle": self._drawstyle} | look
        (self.line_,) = ax.plot(*_curve_of(self.estimate), **look)
        self.band_ = self._draw_bounds(ax, name, look["color"]) if plot_bounds else None
        self.bias_band_ = self._draw_bias(ax, name, look["color"])
        self.confidence_band_ = self._draw_band(ax, name, look["color"])
        what = "unlabeled treated as negative"
        self.naive_line_ = (
            self._draw_other(ax, self.naive, name, what, style.NAIVE) if plot_naive else None
        )
        self.truth_line_ = (
            self._draw_other(ax, self.truth, name, "true labels", style.TRUTH)
            if plot_truth
            else None
        )
        self.chance_level_ = self._draw_chance(ax) if plot_chance_level else None
        style.tidy(ax, *self._labels)
        style.show_unit_range(ax)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def frame(self) -> Columns:
        """Return the points of the estimated curve, as columns."""
        assert self.estimate.curve is not None
        return self.estimate.curve.frame()

    def _draw_bias(self, ax: Axes, name: str | None, color: str) -> Polygon | None:
        curve, found = self.estimate.curve, self.estimate.bias_range
        if curve is None or curve.bias_range is None or found is None:
            return None
        lower, upper = curve.bias_range.lower.drawn(), curve.bias_range.upper.drawn()
        x, y = (np.concatenate([a, b[::-1]]) for a, b in zip(lower, upper, strict=True))
        label = self._named(name, f"labels biased up to {self.estimate.label_bias:.3g}")
        label += f": {self._title} {words.number(found.low)} to {words.number(found.high)}"
        look: dict[str, Any] = {"facecolor": color, "alpha": 0.25, "linewidth": 0.0, "zorder": 1.6}
        (band,) = ax.fill(x, y, label=label, **look)
        return band

    def _draw_band(self, ax: Axes, name: str | None, color: str) -> PolyCollection | None:
        curve = self.estimate.curve
        if curve is None or curve.band is None:
            return None
        band = curve.band
        label = self._named(name, f"{words.level_words(band.level)}{band.kind} band")
        look: dict[str, Any] = {"facecolor": color, "alpha": 0.3, "linewidth": 0.0, "zorder": 1.7}
        return ax.fill_between(band.x, band.low, band.high, label=label, **look)

    def _draw_bounds(self, ax: Axes, name: str | None, color: str) -> Polygon | None:
        if self.bounds is None:
            return None
        lower, upper = self.bounds.lower.drawn(), self.bounds.upper.drawn()
        x, y = (np.concatenate([a, b[::-1]]) for a, b in zip(lower, upper, strict=True))
        label = self._named(name, "bounds")
        if self.bounds_interval is not None:
            low, high = self.bounds_interval
            label += f": {self._title} {words.number(low)} to {words.number(high)}"
        look: dict[str, Any] = {"facecolor": color, "alpha": 0.17, "linewidth": 0.0, "zorder": 1.5}
        (band,) = ax.fill(x, y, label=label, **look)
        return band

    def _draw_other(
        self, ax: Axes, other: Estimate | None, name: str | None, what: str, look: dict[str, Any]
    ) -> Line2D | None:
        if other is None:
            return None
        label = f"{self._named(name, what)}: {self._title} {words.number(other.value)}"
        look = {"label": label, "drawstyle": self._drawstyle} | look
        (line,) = ax.plot(*_curve_of(other), **look)
        return line

    def _draw_chance(self, ax: Axes) -> Line2D:
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        used, interval = self.estimate, self.estimate.interval
        uncertain = interval is not None and interval.kind == "combined"
        known = used.unlabeled_share is None
        sentences = [
            "All rows are labelled."
            if known
            else words.assumption(
                used.scenario,
                used.prior,
                used.purity,
                uncertain=uncertain,
                label_bias=used.label_bias,
            ),
            words.interval_sentence(interval),
            "" if self.chance_level_ is None else "Grey dashes: random guessing.",
            words.outside_sentence(*_curve_of(used)),
            self.note,
        ]
        if self.bounds is not None and self.band_ is not None:
            sentences.insert(
                2,
                "Shaded: where the curve can lie, whichever unlabeled rows are the positives "
                f"({words.percent(self.bounds.level)} confidence at each threshold).",
            )
        band = None if used.curve is None else used.curve.band
        if band is not None:
            held = "at each point separately"
            if band.kind == "simultaneous":
                held = "the whole curve at once"
            sentences.insert(
                2, f"Darker: {words.level_words(band.level)}confidence band of the curve, {held}."
            )
        return sentences


def with_curve_band(setting: Setting, estimate: Estimate, kind: str | None) -> Estimate:
    """The estimate, its curve with a band if one is asked for."""
    if kind is None or estimate.curve is None:
        return estimate
    return replace(estimate, curve=with_band(setting, estimate.curve, kind))


def _curve_of(estimate: Estimate) -> tuple[FloatArray, FloatArray]:
    if estimate.curve is None:
        raise InputError(
            f"The estimate {estimate.name!r} carries no curve, so there is nothing to draw."
        )
    return estimate.curve.x, estimate.curve.y


@dataclass(kw_only=True)
class RocCurveDisplay(CurveDisplay):
    """ROC curve, corrected for the positives among the unlabeled.

    Holds the results it draws, ``estimate`` (of `roc_auc`), ``bounds`` (of `roc_bounds`), ``naive`` and
    ``truth``; after `plot` also ``ax_``, ``figure_``, ``line_``, ``band_``, ``naive_line_``, ``truth_line_``,
    ``chance_level_``, ``legend_`` and ``caption_``.
    """

    _title: ClassVar[str] = "AUC"
    _labels: ClassVar[tuple[str, str]] = (
        "False positive rate (negatives flagged)",
        "True positive rate (positives found)",
    )

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        purity: PurityLike = None,
        method: str = "indirect",
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        band: str | None = None,
        bounds: bool | None = None,
        naive: bool = True,
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the curves of a table and draw them.

        Parameters
        ----------
        table : ScoreTable
        prior, purity, method, confidence_level, label_bias, label_bias_side
            As in `roc_auc`.
        band : {None, "pointwise", "simultaneous"}
            Add the confidence band of the curve, as in `roc_curve`.
        bounds : bool, optional
            Default: where they exist; otherwise the caption says why they do not.
        naive : bool
            Add the curve that takes the unlabeled as negative.
        truth : ScoreTable, optional
            The same rows with their hidden labels, for demonstrations.
        name : str, optional
            Of the model.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
        >>> display = RocCurveDisplay.from_table(table, prior=0.25, ax=Figure().subplots())
        >>> display.line_.get_xdata().round(3)
        array([0.   , 0.111, 0.333, 0.333, 1.   ])
        """

        def compute(choice: LatentChoice) -> tuple[CurveBounds, Interval]:
            found = roc_bounds_of(choice)
            return found, roc_area_bounds(found)

        method = check_choice(method, METHODS, "method")
        kind = check_band(band)
        setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
        edges, interval, note = bounds_or_reason(bounds, setting, compute)
        with_naive = naive and table.total_unl > 0
        hidden = prior_of_truth(table, truth, setting.purity)
        display = cls(
            estimate=with_curve_band(setting, RocAuc(method).estimate(setting), kind),
            bounds=edges,
            bounds_interval=interval,
            naive=RocAuc().estimate(Setting.naive(table, setting.level)) if with_naive else None,
            truth=None if truth is None else roc_auc(truth, prior=hidden),
            name=name,
            note=note,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        return cls(
            estimate=model.modelled["roc_auc"],
            bounds=model.bounded.roc,
            bounds_interval=model.bounds.get("roc_auc"),
            naive=model.naive["roc_auc"],
            name=model.name,
        )

    def _draw_chance(self, ax: Axes) -> Line2D:
        return style.draw_reference(ax, (0.0, 1.0))


@dataclass(kw_only=True)
class PrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve in the population, corrected for the positives among the unlabeled.

    The estimate is drawn by steps, so that the area below the line is the average precision; the bounds
    are hyperbolae between their vertices. Attributes are those of `RocCurveDisplay`, with results of
    `average_precision` and `pr_bounds`.
    """

    _title: ClassVar[str] = "AP"
    _labels: ClassVar[tuple[str, str]] = (
        "Recall (positives found)",
        "Precision (positives among the flagged)",
    )
    _drawstyle: ClassVar[Any] = "steps-pre"

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        purity: PurityLike = None,
        method: str = "indirect",
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        band: str | None = None,
        bounds: bool | None = None,
        naive: bool = True,
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the curves of a table and draw them; parameters are those of `RocCurveDisplay`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
        >>> display = PrecisionRecallDisplay.from_table(table, prior=0.25, ax=Figure().subplots())
        >>> display.line_.get_ydata().round(3)
        array([0.5 , 0.5 , 0.25, 0.5 , 0.25])
        """

        def compute(choice: LatentChoice) -> tuple[CurveBounds, Interval]:
            found = pr_bounds_of(choice, roc_bounds_of(choice))
            return found, precision_area_bounds(choice, found)

        method = check_choice(method, METHODS[1:], "method")
        kind = check_band(band)
        setting = Setting.of(table, prior, purity, confidence_level, label_bias, label_bias_side)
        edges, interval, note = bounds_or_reason(bounds, setting, compute)
        with_naive = naive and table.total_unl > 0
        hidden = prior_of_truth(table, truth, setting.purity)
        display = cls(
            estimate=with_curve_band(setting, AveragePrecision(method).estimate(setting), kind),
            bounds=edges,
            bounds_interval=interval,
            naive=AveragePrecision().estimate(Setting.naive(table, setting.level))
            if with_naive
            else None,
            truth=None if truth is None else average_precision(truth, prior=hidden),
            name=name,
            note=note,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        return cls(
            estimate=model.modelled["average_precision"],
            bounds=model.bounded.precision_recall,
            bounds_interval=model.bounds.get("average_precision"),
            naive=model.naive["average_precision"],
            name=model.name,
        )

    def _draw_chance(self, ax: Axes) -> Line2D:
        prior = float(self.estimate.prior or 0.0)
        return style.draw_reference(ax, (prior, prior))
