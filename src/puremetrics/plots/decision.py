"""What acting on probabilities is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.checking.arguments import check_flag
from puremetrics.listing import DecisionCurve, net_benefit
from puremetrics.listing.decisions import decision_of
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, prior_of_truth
from puremetrics.results import Columns
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["DecisionCurveDisplay"]


@dataclass(kw_only=True)
class DecisionCurveDisplay(Display):
    """Net benefit against the probability from which one acts, with limits and both simple rules.

    Attributes
    ----------
    curve : DecisionCurve
    standardised : bool
        Whether net benefit is shown as a multiple of the prior.
    truth : DecisionCurve, optional
        The same with the hidden labels.
    """

    curve: DecisionCurve
    standardised: bool = False
    truth: DecisionCurve | None = None
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: PolyCollection = field(init=False, repr=False, compare=False)
    treat_all_: Line2D = field(init=False, repr=False, compare=False)
    treat_none_: Line2D = field(init=False, repr=False, compare=False)

    _size: ClassVar[tuple[float, float]] = (6.2, 5.0)
    _responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        purity: PurityLike = None,
        thresholds: Any = None,
        standardised: bool = False,
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the decision curve of a table and draw it.

        Parameters
        ----------
        table : ScoreTable
        prior, purity, thresholds, confidence_level, label_bias, label_bias_side
            As in `net_benefit`.
        standardised : bool, default False
            Show net benefit as a multiple of the prior.
        truth, name
            As in `RocCurveDisplay.from_table`.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=[0.9, 0.6, 0.3], unlabeled=[0.8, 0.5, 0.2, 0.1], scenario="case_control")
        >>> display = DecisionCurveDisplay.from_table(
        ...     table, prior=0.25, thresholds=[0.2, 0.5], ax=Figure().subplots())
        >>> display.line_.get_ydata().round(4)
        array([ 0.125 , -0.1667])
        """
        curve = net_benefit(
            table,
            prior=prior,
            purity=purity,
            thresholds=thresholds,
            confidence_level=confidence_level,
            label_bias=label_bias,
            label_bias_side=label_bias_side,
        )
        scaled = check_flag(standardised, "standardised")
        known = None
        if truth is not None:
            hidden = prior_of_truth(table, truth, curve.purity)
            known = net_benefit(truth, prior=hidden, thresholds=curve.threshold)
        return cls(curve=curve, standardised=scaled, truth=known, name=name).plot(
            ax, **plot_options
        )

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        return cls(curve=decision_of(model.setting, np.arange(1, 100) / 100), name=model.name)

    def frame(self) -> Columns:
        """Return the curve with its limits and both simple rules, as columns."""
        return self.curve.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        first = ax is None or not style.estimates_drawn(ax)
        ax = self._start(ax)
        at = self.curve.threshold
        drawn = self.curve.standardised if self.standardised else self.curve.frame()
        look = style.look_of_next(ax, color, line_options)
        look = {"label": self._named(name, "net benefit")} | look
        (self.line_,) = ax.plot(at, drawn["net_benefit"], **look)
        label = self._named(name, f"{words.level_words(self.curve.level)}limits at each threshold")
        pale: dict[str, Any] = {"color": look["color"], "alpha": 0.17, "linewidth": 0}
        self.band_ = ax.fill_between(
            at, drawn["low"], drawn["high"], zorder=1.5, label=label, **pale
        )
        self.truth_line_ = None
        if self.truth is not None:
            known = self.truth.standardised if self.standardised else self.truth.frame()
            label = self._named(name, "true labels")
            (self.truth_line_,) = ax.plot(at, known["net_benefit"], label=label, **style.TRUTH)
        grey: dict[str, Any] = {"color": "#8a8a8a", "linewidth": 1.0, "zorder": 1.6}
        (self.treat_all_,) = ax.plot(
            at, drawn["treat_all"], label="act on all rows" if first else "_all", **grey
        )
        self.treat_none_ = ax.axhline(
            0.0, linestyle=(0, (4, 3)), label="act on none" if first else "_none", **grey
        )
        unit = "as a multiple of the prior" if self.standardised else "by row"
        style.tidy(ax, "Probability from which one acts", f"Net benefit, {unit}")
        top = 1.0 if self.standardised else max(self.curve.prior, 1e-6)
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(-0.25 * top, 1.05 * top)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _sentences(self) -> list[str]:
        curve = self.curve
        return [
            words.assumption(curve.scenario, curve.prior, curve.purity),
            "One false positive costs the odds of the threshold, in units of what a true positive is worth.",
        ]
