"""The reliability diagram: share of positives against score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.calibration.bins import check_probabilities
from puremetrics.calibration.error import calibration_of
from puremetrics.calibration.reliability import (
    ReliabilityCurve,
    binned_reliability,
    reliability_curve,
)
from puremetrics.calibration.results import CalibrationResult
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, prior_of_truth
from puremetrics.results import Columns
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["CalibrationDisplay"]


@dataclass(kw_only=True)
class CalibrationDisplay(Display):
    """Estimated share of positives along the score; a calibrated model lies on the diagonal.

    Attributes
    ----------
    curve : ReliabilityCurve
        Bins are drawn as points with their limits, isotonic steps as a line with a band.
    error : CalibrationResult, optional
        For the legend.
    naive, truth : ReliabilityCurve, optional
        The same with the unlabeled taken as negative, and with the hidden labels.
    """

    curve: ReliabilityCurve
    error: CalibrationResult | None = None
    naive: ReliabilityCurve | None = None
    truth: ReliabilityCurve | None = None
    line_: Line2D = field(init=False, repr=False, compare=False)
    limits_: LineCollection | PolyCollection = field(init=False, repr=False, compare=False)
    naive_line_: Line2D | None = field(init=False, repr=False, compare=False)
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    diagonal_: Line2D = field(init=False, repr=False, compare=False)

    _responses: ClassVar[tuple[str, ...]] = ("predict_proba",)
    _size: ClassVar[tuple[float, float]] = (5.4, 7.0)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        purity: PurityLike = None,
        method: str = "binned",
        binning: str = "balanced",
        n_bins: int | str = "optimal",
        confidence_level: float = 0.95,
        naive: bool = True,
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the reliability curve of a table of probabilities and draw it.

        Parameters
        ----------
        table : ScoreTable
        prior, purity, method, binning, n_bins, confidence_level
            As in `reliability_curve`; the error in the legend is that of `calibration_error`.
        naive, truth, name
            As in `RocCurveDisplay.from_table`.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=[0.9, 0.7], unlabeled=[0.9, 0.6, 0.2, 0.1], scenario="case_control")
        >>> display = CalibrationDisplay.from_table(
        ...     table, prior=0.25, n_bins=2, ax=Figure().subplots())
        >>> display.line_.get_xdata(), display.line_.get_ydata()
        (array([0.3, 0.9]), array([0.16666667, 0.5       ]))
        """
        check_table(table)
        check_probabilities(table, "CalibrationDisplay")
        setting = Setting.of(table, prior, purity, confidence_level)
        error = calibration_of(setting, binning, n_bins)
        bins: dict[str, Any] = {"binning": binning, "n_bins": n_bins}
        shape = {"method": method, "confidence_level": confidence_level, **bins}
        hidden = prior_of_truth(table, truth, setting.purity)
        naive_table = table.unlabeled_as_negative() if naive and table.total_unl > 0 else None
        if method == "binned":
            curve = binned_reliability(error)
        else:
            curve = reliability_curve(table, prior=prior, purity=purity, **shape)
        display = cls(
            curve=curve,
            error=error,
            naive=None
            if naive_table is None
            else reliability_curve(naive_table, prior=None, **shape),
            truth=None if truth is None else reliability_curve(truth, prior=hidden, **shape),
            name=name,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        if model.calibration is None:
            raise InputError(
                f"The scores of {model.name!r} are not probabilities, so there is no calibration to "
                "draw. Recalibrate them first."
            )
        return cls(
            curve=binned_reliability(model.calibration), error=model.calibration, name=model.name
        )

    def frame(self) -> Columns:
        """Return the reliability curve, as columns."""
        return self.curve.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_naive: bool = True,
        plot_truth: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        ax = self._start(ax)
        look = style.look_of_next(ax, color, line_options)
        label = self._named(name)
        if self.error is not None:
            error = words.with_interval("calibration error", self.error.error, self.error.interval)
            label = f"{label}: {error}"
        look = {"label": label} | look
        self.limits_ = self._draw_limits(ax, look["color"])
        if self.curve.method != "isotonic":
            look = {"marker": "o", "markersize": 4.0} | look | {"linewidth": 1.0}
        (self.line_,) = ax.plot(*_points(self.curve), **look)
        what = "unlabeled treated as negative"
        self.naive_line_ = self._draw_other(ax, self.naive, name, what, style.NAIVE, plot_naive)
        self.truth_line_ = self._draw_other(
            ax, self.truth, name, "true labels", style.TRUTH, plot_truth
        )
        self.diagonal_ = style.draw_reference(ax, (0.0, 1.0))
        style.tidy(ax, "Score (predicted probability)", "Share of rows that are positive")
        style.show_unit_range(ax)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _draw_limits(self, ax: Axes, color: str) -> LineCollection | PolyCollection:
        curve = self.curve
        if curve.method == "isotonic":
            low, high = (np.repeat(column, 2) for column in (curve.low, curve.high))
            look: dict[str, Any] = {"color": color, "alpha": 0.17, "linewidth": 0, "zorder": 1.5}
            return ax.fill_between(_points(curve)[0], low, high, **look)
        return ax.vlines(
            curve.score, curve.low, curve.high, color=color, linewidth=3.2, alpha=0.3, zorder=2.2
        )

    def _draw_other(
        self,
        ax: Axes,
        other: ReliabilityCurve | None,
        name: str | None,
        what: str,
        look: dict[str, Any],
        wanted: bool,
    ) -> Line2D | None:
        if other is None or not wanted:
            return None
        return ax.plot(*_points(other), label=self._named(name, what), **look)[0]

    def _sentences(self) -> list[str]:
        curve, interval = self.curve, None if self.error is None else self.error.interval
        uncertain = interval is not None and interval.kind == "combined"
        bars = "Band" if curve.method == "isotonic" else "Bars"
        return [
            words.assumption(curve.scenario, curve.prior, curve.purity, uncertain=uncertain),
            "Grey dashes: perfect calibration; above them, scores are too low.",
            f"{bars}: {words.percent(curve.level)} confidence, pointwise.",
            words.outside_sentence(curve.rate),
        ]


def _points(curve: ReliabilityCurve) -> tuple[FloatArray, FloatArray]:
    """Points of the line: bins at their mean score, isotonic steps over their whole range."""
    if curve.method != "isotonic":
        return curve.score, curve.rate
    return np.stack([curve.lower, curve.upper], axis=1).ravel(), np.repeat(curve.rate, 2)
