"""A statistic against the prior, and against the bias of labels: how much depends on them.

`PriorSensitivityDisplay` shows how much depends on knowing the prior, `LabelBiasDisplay` how much depends on
labels being random.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.comparing.sensitivity import (
    LabelBiasSensitivity,
    PriorSensitivity,
    label_bias_sensitivity,
    prior_sensitivity,
    sensitivity_to_bias,
)
from puremetrics.comparing.tipping import TippingPoint, tipping_point
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, prior_of_truth
from puremetrics.results import Columns, Estimate
from puremetrics.scenarios import CASE_CONTROL, Scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting, purity_range
from puremetrics.statistics.precision_area import average_precision
from puremetrics.statistics.roc_area import RocAuc, roc_auc
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    from puremetrics.evaluation import Evaluation, ModelEvaluation


__all__ = ["LabelBiasDisplay", "PriorSensitivityDisplay"]


@dataclass(kw_only=True)
class LabelBiasDisplay(Display):
    """What labels leave open the more they may be biased, and where a conclusion fails.

    Attributes
    ----------
    sensitivity : LabelBiasSensitivity
    tipping : TippingPoint, optional
        Of a conclusion about the same statistic.
    truth : float, optional
        The value with the hidden labels, for demonstrations.
    scenario : str, optional
    prior, purity : float
        What was assumed.
    spread : (float, float), optional
        Ends of the prior, if it is a range.
    """

    sensitivity: LabelBiasSensitivity
    tipping: TippingPoint | None = None
    truth: float | None = None
    scenario: Scenario | None = None
    prior: float | None = None
    purity: float = 1.0
    spread: tuple[float, float] | None = None
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: PolyCollection = field(init=False, repr=False, compare=False)
    bias_band_: PolyCollection = field(init=False, repr=False, compare=False)
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    tipping_point_: Line2D | None = field(init=False, repr=False, compare=False)

    _size: ClassVar[tuple[float, float]] = (6.2, 5.0)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        statistic: str = "roc_auc",
        above: float | None = None,
        below: float | None = None,
        ratios: Any = None,
        purity: PurityLike = None,
        threshold: float | None = None,
        confidence_level: float = 0.95,
        label_bias_side: str = "either",
        truth: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Trace a statistic of a table over the label bias and draw it.

        Parameters
        ----------
        table : ScoreTable
        prior, statistic, ratios, purity, threshold, confidence_level, label_bias_side
            As in `label_bias_sensitivity`.
        above, below : float, optional
            A conclusion whose tipping point is marked.
        truth : float, optional
            The value with the hidden labels.
        name : str, optional
            Of the model.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
        >>> display = LabelBiasDisplay.from_table(
        ...     table, prior=0.1, ratios=[1, 2], ax=Figure().subplots())
        >>> display.line_.get_xdata()
        array([1., 2.])
        """
        known: dict[str, Any] = {
            "prior": prior,
            "purity": purity,
            "threshold": threshold,
            "confidence_level": confidence_level,
            "label_bias_side": label_bias_side,
        }
        found = label_bias_sensitivity(table, statistic, ratios=ratios, **known)
        point = None
        if above is not None or below is not None:
            point = tipping_point(table, statistic, above=above, below=below, **known)
        setting = Setting.of(table, prior, purity, confidence_level)
        display = cls(
            sensitivity=found, tipping=point, truth=truth, scenario=table.scenario,
            prior=setting.prior, purity=setting.purity, name=name, spread=_spread(setting),
        )  # fmt: skip
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        setting = model.setting
        return cls(
            sensitivity=sensitivity_to_bias(setting, RocAuc()),
            tipping=model.tipping.get("roc_auc"), scenario=setting.scenario, prior=setting.prior,
            purity=setting.purity, name=model.name, spread=_spread(setting),
        )  # fmt: skip

    def frame(self) -> Columns:
        """Return the limits over the label bias, as columns."""
        return self.sensitivity.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_truth: bool = True,
        plot_tipping: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        ax = self._start(ax)
        drawn = self.sensitivity
        look = style.look_of_next(ax, color, line_options)
        title = drawn.title.split(" (")[0]
        look = {"label": f"{self._named(name)}: {title} {words.number(drawn.value)}"} | look
        level = np.full(drawn.label_bias.size, drawn.value)
        (self.line_,) = ax.plot(drawn.label_bias, level, **look)
        pale: dict[str, Any] = {"color": look["color"], "linewidth": 0}
        self.bias_band_ = ax.fill_between(
            drawn.label_bias, drawn.bias_low, drawn.bias_high, alpha=0.28, zorder=1.6,
            label=self._named(name, "left open by the bias"), **pale,
        )  # fmt: skip
        self.band_ = ax.fill_between(
            drawn.label_bias, drawn.low, drawn.high, alpha=0.14, zorder=1.5,
            label=self._named(name, f"with sampling error, {words.percent(drawn.level)}"), **pale,
        )  # fmt: skip
        self.truth_line_ = None
        if plot_truth and self.truth is not None:
            label = f"{self._named(name, 'true labels')}: {words.number(self.truth)}"
            self.truth_line_ = ax.axhline(self.truth, **({"label": label} | style.TRUTH))
        self.tipping_point_ = self._mark_tipping(ax, look["color"]) if plot_tipping else None
        ax.set_xscale("log")
        most = drawn.label_bias.max(initial=1.0)
        ticks = [t for t in (1, 1.5, 2, 3, 5, 10, 20, 50, 100) if t <= most]
        ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
        ax.minorticks_off()
        design = CASE_CONTROL if self.scenario is None else design_of(self.scenario)
        style.tidy(
            ax, f"Label bias: ratio of two positives' {design.biased} of being labelled", title
        )
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _mark_tipping(self, ax: Axes, color: str) -> Line2D | None:
        point = self.tipping
        if point is None:
            return None
        look: dict[str, Any] = {"color": style.QUIET, "linewidth": 0.8, "linestyle": (0, (4, 3))}
        ax.axhline(point.target, **look)
        if not np.isfinite(point.low) or point.low > float(self.sensitivity.label_bias.max()):
            return None
        if point.low <= 1.0:
            return None  # it is not certain even of random labels, which the caption says
        label = f"{point.relation} up to a bias of {point.low:.2g}"
        mark: dict[str, Any] = {"marker": "o", "markersize": 6, "linestyle": "none", "zorder": 3}
        return ax.plot([point.low], [point.target], color=color, label=label, **mark)[0]

    def _sentences(self) -> list[str]:
        design = CASE_CONTROL if self.scenario is None else design_of(self.scenario)
        return [
            words.assumption(self.scenario, self.prior, self.purity, label_bias=np.inf),
            ""
            if self.spread is None
            else f"The prior may lie between {self.spread[0]:.4g} and {self.spread[1]:.4g}.",
            f"Left: labels at random. Right: some positives {design.favoured('that many')}.",
            "" if self.tipping is None else self.tipping.words,
        ]


def _spread(setting: Setting) -> tuple[float, float] | None:
    known = setting.assumed
    return None if known.is_point else (known.low, known.high)


_TITLES = {"roc_auc": "AUC", "average_precision": "AP"}
_WORDS = {"roc_auc": "ROC AUC", "average_precision": "Average precision"}
_ESTIMATES = {"roc_auc": roc_auc, "average_precision": average_precision}


@dataclass(kw_only=True)
class PriorSensitivityDisplay(Display):
    """Estimate, confidence interval and bounds over the prior, with the largest prior the data allow.

    Attributes
    ----------
    sensitivity : PriorSensitivity
    naive, truth : Estimate, optional
        With the unlabeled taken as negative (a level line), and with the hidden labels (a point at the
        true prior).
    scenario : str, optional
    level : float, optional
        Confidence level of the interval.
    purity : float
        Of the labels.
    """

    sensitivity: PriorSensitivity
    naive: Estimate | None = None
    truth: Estimate | None = None
    scenario: Scenario | None = None
    level: float | None = None
    purity: float = 1.0
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: PolyCollection = field(init=False, repr=False, compare=False)
    bound_lines_: tuple[Line2D, ...] = field(init=False, repr=False, compare=False)
    naive_line_: Line2D | None = field(init=False, repr=False, compare=False)
    truth_point_: Line2D | None = field(init=False, repr=False, compare=False)
    largest_prior_: Line2D = field(init=False, repr=False, compare=False)
    ruled_out_: Rectangle | None = field(init=False, repr=False, compare=False)

    _size: ClassVar[tuple[float, float]] = (6.2, 5.0)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        statistic: str = "roc_auc",
        priors: Any = None,
        purity: PurityLike = None,
        confidence_level: float = 0.95,
        naive: bool = True,
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Trace a statistic of a table over the prior and draw it.

        Parameters
        ----------
        table : ScoreTable
        statistic, priors, purity, confidence_level
            As in `prior_sensitivity`.
        naive, truth, name
            As in `RocCurveDisplay.from_table`.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=range(30, 60), unlabeled=range(50), scenario="case_control")
        >>> display = PriorSensitivityDisplay.from_table(
        ...     table, priors=[0.1, 0.2], ax=Figure().subplots())
        >>> display.line_.get_xdata()
        array([0.1, 0.2])
        """
        sensitivity = prior_sensitivity(
            table,
            statistic=statistic,
            priors=priors,
            purity=purity,
            confidence_level=confidence_level,
        )
        clean = 1.0 if purity is None else purity_range(purity)[0]
        estimate = _ESTIMATES[sensitivity.statistic]
        display = cls(
            sensitivity=sensitivity,
            naive=estimate(table.unlabeled_as_negative(), prior=None) if naive else None,
            truth=None
            if truth is None
            else estimate(truth, prior=prior_of_truth(table, truth, clean)),
            scenario=table.scenario,
            level=confidence_level,
            purity=clean,
            name=name,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        return cls(
            sensitivity=model.sensitivity,
            naive=model.naive["roc_auc"],
            scenario=model.table.scenario,
            level=evaluation.level,
            purity=evaluation.prior.purity,
            name=model.name,
        )

    def frame(self) -> Columns:
        """Return the statistic with its limits over the prior, as columns."""
        return self.sensitivity.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_bounds: bool = True,
        plot_naive: bool = True,
        plot_truth: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        ax = self._start(ax)
        drawn, title = self.sensitivity, _TITLES[self.sensitivity.statistic]
        shown = (ax.get_xlim()[1], ax.get_ylim()[0]) if style.estimates_drawn(ax) else (0.0, 1.0)
        look = style.look_of_next(ax, color, line_options)
        ends = f"{words.number(drawn.value[0])} to {words.number(drawn.value[-1])}"
        look = {"label": f"{self._named(name)}: {title} {ends} over these priors"} | look
        (self.line_,) = ax.plot(drawn.prior, drawn.value, **look)
        label = self._named(name, f"{words.level_words(self.level)}confidence interval")
        pale: dict[str, Any] = {"color": look["color"], "alpha": 0.17, "linewidth": 0}
        self.band_ = ax.fill_between(
            drawn.prior, drawn.low, drawn.high, zorder=1.5, label=label, **pale
        )
        self.bound_lines_ = self._draw_bounds(ax, name, look["color"]) if plot_bounds else ()
        self.naive_line_ = self._draw_naive(ax, name, title) if plot_naive else None
        self.truth_point_ = self._draw_truth(ax, name, title) if plot_truth else None
        self._mark_largest(ax, name, look["color"], shown)
        y_label = f"{_WORDS[drawn.statistic]} at that prior"
        style.tidy(ax, f"Prior ({words.prior_words(self.scenario)})", y_label)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _draw_bounds(self, ax: Axes, name: str | None, color: str) -> tuple[Line2D, ...]:
        drawn = self.sensitivity
        if np.isnan(drawn.bound_low).all():
            return ()
        look: dict[str, Any] = {"color": color, "linewidth": 0.9, "linestyle": (0, (1.5, 1.5))}
        labels = self._named(name, "bounds"), "_bounds"
        columns = drawn.bound_low, drawn.bound_high
        return tuple(
            ax.plot(drawn.prior, column, label=label, **look)[0]
            for column, label in zip(columns, labels, strict=True)
        )

    def _draw_naive(self, ax: Axes, name: str | None, title: str) -> Line2D | None:
        if self.naive is None:
            return None
        label = self._named(name, "unlabeled treated as negative")
        label = f"{label}: {title} {words.number(self.naive.value)}"
        return ax.axhline(self.naive.value, label=label, **style.NAIVE)

    def _draw_truth(self, ax: Axes, name: str | None, title: str) -> Line2D | None:
        if self.truth is None or self.truth.prior is None:
            return None
        label = f"{self._named(name, 'true labels')}: {title} {words.number(self.truth.value)}"
        look: dict[str, Any] = {"color": "black", "marker": "D", "markersize": 5, "zorder": 2.8}
        look |= {"linestyle": "none", "label": label}
        return ax.plot([self.truth.prior], [self.truth.value], **look)[0]

    def _mark_largest(
        self, ax: Axes, name: str | None, color: str, shown: tuple[float, float]
    ) -> None:
        """Mark the largest prior, shade what lies beyond it, and keep it all in sight."""
        limit = self.sensitivity.largest_prior
        label = f"{self._named(name, 'largest prior the data allow')}: {words.number(limit)}"
        self.largest_prior_ = ax.axvline(
            limit, color=color, linewidth=0.8, linestyle=(0, (6, 2)), zorder=2.0, label=label
        )
        floor = np.floor(10 * ax.dataLim.y0 - 1e-9) / 10
        right = min(1.3 * max(limit, float(self.sensitivity.prior.max())), 1.0)
        grey: dict[str, Any] = {"facecolor": style.FAINT, "alpha": 0.6, "zorder": 1.2}
        self.ruled_out_ = ax.axvspan(limit, 1.0, linewidth=0, **grey) if limit < 1 else None
        ax.set_xlim(0.0, max(right, shown[0]))
        ax.set_ylim(max(min(floor, shown[1]), 0.0), 1.005)

    def _sentences(self) -> list[str]:
        dotted = "Dotted: bounds that hold whichever unlabeled rows are the positives."
        return [
            words.assumption(self.scenario, None, self.purity),
            "Shaded on the right: priors that the data contradict"
            + (f" ({words.percent(self.level)} confidence)." if self.level else "."),
            dotted if self.bound_lines_ else "",
        ]
