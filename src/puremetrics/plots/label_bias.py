"""A statistic against the bias of labels: how much depends on their being random."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.comparing.bias_sensitivity import (
    LabelBiasSensitivity,
    label_bias_sensitivity,
    sensitivity_to_bias,
)
from puremetrics.comparing.tipping import TippingPoint, tipping_point
from puremetrics.plots import _style as style
from puremetrics.plots import _words as words
from puremetrics.plots._display import Display
from puremetrics.results import Columns
from puremetrics.scenarios import CASE_CONTROL, Scenario, design_of
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["LabelBiasDisplay"]


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
            sensitivity=sensitivity_to_bias(setting, "roc_auc"),
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
            ax, f"Label bias: ratio of the {design.biased} of two positives to be labelled", title
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
            f"Left: labels at random. Right: some positives {design.favoured('so many')}.",
            "" if self.tipping is None else self.tipping.words,
        ]


def _spread(setting: Setting) -> tuple[float, float] | None:
    known = setting.assumed
    return None if known.is_point else (known.low, known.high)
