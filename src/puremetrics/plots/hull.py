"""The ROC convex hull with the spread that its two samples cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from puremetrics.checking.arguments import check_flag
from puremetrics.correction.curves import roc_curve_of
from puremetrics.correction.hull import HullResult, hull_of, hull_setting, roc_hull
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, prior_of_truth
from puremetrics.plots.curves import RocCurveDisplay
from puremetrics.results import Columns, Curve
from puremetrics.sampling.resampling import DEFAULT_RESAMPLES
from puremetrics.scenarios import Scenario
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.statistics.hull_variance import HullVariance, hull_variance
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["HullDisplay"]

_UNCORRECTED = "Labelled rows against all others: not corrected for unlabeled positives."


@dataclass(kw_only=True)
class HullDisplay(Display):
    """The hull of the ROC curve: the best that thresholds, and drawing lots between two, can reach.

    Attributes
    ----------
    hull : HullResult
    variance : HullVariance, optional
        Pointwise limits, drawn as a band; its parts are named in the caption.
    curve : Curve, optional
        The ROC curve below the hull.
    naive, truth : HullResult, optional
        The same with the unlabeled taken as negative, and with the hidden labels.
    scenario, purity
        What the hull was corrected with; None if it was not.
    """

    hull: HullResult
    variance: HullVariance | None = None
    curve: Curve | None = None
    naive: HullResult | None = None
    truth: HullResult | None = None
    scenario: Scenario | None = None
    purity: float | None = None
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: PolyCollection | None = field(init=False, repr=False, compare=False)
    curve_line_: Line2D | None = field(init=False, repr=False, compare=False)
    naive_line_: Line2D | None = field(init=False, repr=False, compare=False)
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    chance_level_: Line2D = field(init=False, repr=False, compare=False)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike = None,
        purity: PurityLike = None,
        limit_slope: bool = True,
        n_resamples: int = DEFAULT_RESAMPLES,
        confidence_level: float = 0.95,
        rng: Any = 0,
        variance: bool = True,
        naive: bool = True,
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the hull of a table and draw it.

        Parameters
        ----------
        table : ScoreTable
        prior, purity, limit_slope
            As in `roc_hull`; here the slope is limited unless asked otherwise, which keeps the hull
            inside the unit square. Limits and standard error are those of the uncut hull.
        n_resamples, confidence_level, rng
            As in `hull_variance`.
        variance : bool
            Compute the band.
        naive, truth, name
            As in `RocCurveDisplay.from_table`.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=[5, 4, 2], unlabeled=None, negative=[3, 1, 0], scenario="case_control")
        >>> display = HullDisplay.from_table(table, variance=False, ax=Figure().subplots())
        >>> display.line_.get_ydata().round(3)
        array([0.   , 0.667, 1.   , 1.   ])
        """
        setting = hull_setting(table, prior, purity, confidence_level)
        asked: dict[str, Any] = {"prior": prior, "purity": purity}
        sampling: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng}
        sampling["confidence_level"] = confidence_level
        with_naive = naive and prior is not None and table.total_unl > 0
        hidden = prior_of_truth(table, truth, setting.purity)
        display = cls(
            hull=hull_of(setting, check_flag(limit_slope, "limit_slope")),
            variance=hull_variance(table, **asked, **sampling) if variance else None,
            curve=roc_curve_of(setting, "indirect"),
            naive=roc_hull(table) if with_naive else None,
            truth=None if truth is None else roc_hull(truth, prior=hidden),
            scenario=table.scenario if prior is not None else None,
            purity=setting.purity if prior is not None else None,
            name=name,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        return cls(
            hull=model.hull,
            curve=model.modelled["roc_auc"].curve,
            scenario=model.table.scenario,
            purity=evaluation.prior.purity,
            name=model.name,
        )

    def frame(self) -> Columns:
        """Return the vertices of the hull, as columns."""
        return self.hull.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_curve: bool = True,
        plot_naive: bool = True,
        plot_truth: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        ax = self._start(ax)
        chosen = style.look_of_next(ax, color, line_options)
        label = f"{self._named(name, 'hull')}: area {words.number(self.hull.area)}"
        look: dict[str, Any] = {"label": label, "marker": "o", "markersize": 3.0}
        look |= chosen
        (self.line_,) = ax.plot(self.hull.fpr, self.hull.tpr, **look)
        self.band_ = self._draw_band(ax, name, look["color"])
        self.curve_line_ = self.naive_line_ = self.truth_line_ = None
        if self.curve is not None and plot_curve:
            thin: dict[str, Any] = {"color": look["color"], "linewidth": 0.7, "zorder": 2.3}
            label = f"{self._named(name, 'ROC curve')}: area {words.number(self.curve.area)}"
            (self.curve_line_,) = ax.plot(self.curve.x, self.curve.y, label=label, **thin)
        if self.naive is not None and plot_naive:
            label = self._named(name, "hull, unlabeled treated as negative")
            label = f"{label}: area {words.number(self.naive.area)}"
            self.naive_line_ = ax.plot(self.naive.fpr, self.naive.tpr, label=label, **style.NAIVE)[
                0
            ]
        if self.truth is not None and plot_truth:
            label = (
                f"{self._named(name, 'hull, true labels')}: area {words.number(self.truth.area)}"
            )
            self.truth_line_ = ax.plot(self.truth.fpr, self.truth.tpr, label=label, **style.TRUTH)[
                0
            ]
        self.chance_level_ = style.draw_reference(ax, (0.0, 1.0))
        style.tidy(ax, *RocCurveDisplay._labels)
        style.show_unit_range(ax)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _draw_band(self, ax: Axes, name: str | None, color: str) -> PolyCollection | None:
        drawn = self.variance
        if drawn is None:
            return None
        look: dict[str, Any] = {"color": color, "alpha": 0.17, "linewidth": 0, "zorder": 1.5}
        label = self._named(name, f"{words.percent(drawn.level)} confidence at each rate")
        return ax.fill_between(drawn.fpr, drawn.low, drawn.high, label=label, **look)

    def _sentences(self) -> list[str]:
        sentences = ["All rows are labelled." if self.hull.prior is not None else _UNCORRECTED]
        if self.scenario is not None:
            sentences = [words.assumption(self.scenario, self.hull.prior, self.purity)]
        if self.hull.limited:
            sentences.append("Cut where it would be steeper than the prior allows.")
        outside = words.outside_sentence(self.hull.fpr, self.hull.tpr)
        sentences += ["Grey dashes: random guessing.", outside]
        if self.variance is not None:
            total, positives, others = (
                words.number(self.variance.with_more(**more))
                for more in ({}, {"others": np.inf}, {"positives": np.inf})
            )
            sentences.append(
                f"Standard error of the area: {total}; with unlimited other rows {positives}, "
                f"with unlimited positives {others}."
            )
        return sentences
