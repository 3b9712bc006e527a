"""The top of the list: what acting on probabilities is worth, and how many positives the first rows hold.

`DecisionCurveDisplay` is the first of the two, `DiscoveryDisplay` the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.checking.arguments import check_flag
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import UnsupportedError
from puremetrics.listing import DecisionCurve, DiscoveryCurve, discovery_curve, net_benefit
from puremetrics.listing.decisions import decision_of
from puremetrics.plots import _style as style
from puremetrics.plots import _style as words
from puremetrics.plots._display import Display, check_truth, prior_of_truth
from puremetrics.results import Columns
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation


__all__ = ["DecisionCurveDisplay", "DiscoveryDisplay"]


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
        style.tidy(ax, "Threshold probability", f"Net benefit, {unit}")
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


@dataclass(kw_only=True)
class DiscoveryDisplay(Display):
    """Positives to be found against unlabeled rows checked, from the top of the list, with limits.

    Attributes
    ----------
    curve : DiscoveryCurve
    rows : float, optional
        How many rows are shown; all if left out.
    truth : pair of ndarray, optional
        Unlabeled rows and hidden positives from the top on, where these are known.
    """

    curve: DiscoveryCurve
    rows: float | None = None
    truth: tuple[FloatArray, FloatArray] | None = None
    truth_line_: Line2D | None = field(init=False, repr=False, compare=False)
    line_: Line2D = field(init=False, repr=False, compare=False)
    band_: PolyCollection = field(init=False, repr=False, compare=False)
    chance_level_: Line2D | None = field(init=False, repr=False, compare=False)

    _size: ClassVar[tuple[float, float]] = (6.2, 5.0)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        prior: PriorLike,
        purity: PurityLike = None,
        rows: float | None = None,
        confidence_level: float = 0.95,
        label_bias: float = 1.0,
        label_bias_side: str = "either",
        band: str = "pointwise",
        truth: ScoreTable | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Compute the discovery curve of a table and draw it.

        Parameters
        ----------
        table : ScoreTable
        prior, purity, confidence_level, label_bias, label_bias_side, band
            As in `discovery_curve`.
        rows : float, optional
            How many rows are shown; all if left out.
        truth, name
            As in `RocCurveDisplay.from_table`.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> table = ScoreTable.from_groups(
        ...     positive=range(30, 70), unlabeled=range(60), scenario="case_control")
        >>> display = DiscoveryDisplay.from_table(table, prior=0.3, ax=Figure().subplots())
        >>> float(display.line_.get_ydata()[-1])
        18.0
        """
        curve = discovery_curve(
            table,
            prior=prior,
            purity=purity,
            rows=rows,
            confidence_level=confidence_level,
            label_bias=label_bias,
            label_bias_side=label_bias_side,
            band=band,
        )
        hidden = None if truth is None else _hidden(table, truth)
        return cls(curve=curve, rows=rows, truth=hidden, name=name).plot(ax, **plot_options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        if model.discovery is None:
            raise UnsupportedError(
                "This evaluation has no discovery curve: there are no unlabeled rows, the prior is "
                "contradicted, or propensities leave it open. Use another display."
            )
        return cls(curve=model.discovery, name=model.name)

    def frame(self) -> Columns:
        """Return the curve with its limits, as columns."""
        return self.curve.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        color: str | None = None,
        plot_chance_level: bool = True,
        legend: bool | str = True,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure; parameters are those of `RocCurveDisplay.plot`."""
        ax = self._start(ax)
        curve = self.curve
        shown = curve.rows <= (curve.unlabeled if self.rows is None else self.rows)
        rows = curve.rows[shown]
        look = style.look_of_next(ax, color, line_options)
        look = {"label": self._named(name, "positives to be found")} | look
        (self.line_,) = ax.plot(rows, curve.finds[shown], **look)
        label = self._named(name, f"{words.level_words(curve.level)}limits {curve.held}")
        pale: dict[str, Any] = {"color": look["color"], "alpha": 0.17, "linewidth": 0}
        self.band_ = ax.fill_between(
            rows, curve.low[shown], curve.high[shown], zorder=1.5, label=label, **pale
        )
        self.truth_line_ = None
        if self.truth is not None:
            inside = self.truth[0] <= rows[-1]
            known = {"label": self._named(name, "true labels"), **style.TRUTH}
            (self.truth_line_,) = ax.plot(self.truth[0][inside], self.truth[1][inside], **known)
        self.chance_level_ = None
        if plot_chance_level:
            share = curve.positives / curve.unlabeled
            dashes: dict[str, Any] = {"color": "#8a8a8a", "linewidth": 1.0, "zorder": 1.4}
            self.chance_level_ = ax.plot(
                [0.0, float(rows[-1])], [0.0, share * float(rows[-1])], linestyle=(0, (4, 3)),
                label="rows in random order", **dashes,
            )[0]  # fmt: skip
        style.tidy(ax, "Unlabeled rows checked, from the top of the list", "Positives found")
        ax.set_xlim(0.0, float(rows[-1]))
        ax.set_ylim(0.0, max(float(np.max(curve.high[shown])), 1.0) * 1.02)
        self.legend_ = style.add_legend(ax, legend)
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _sentences(self) -> list[str]:
        curve = self.curve
        told = curve.rows_to_find(max(curve.positives / 2, 1e-9))
        return [
            words.assumption(curve.scenario, curve.prior, curve.purity),
            f"Half of the {curve.positives:.0f} hidden positives are in the first {told.value:.0f} rows."
            if curve.positives >= 1
            else "",
        ]


def _hidden(table: ScoreTable, truth: ScoreTable) -> tuple[FloatArray, FloatArray]:
    """Unlabeled rows and the positives among them, from the top down."""
    check_truth(truth)
    positives = np.concatenate([[0.0], np.cumsum(truth.n_pos, dtype=np.float64)])
    found = positives[np.searchsorted(-truth.score, -table.score, side="right")]
    if truth.total == table.total:
        found = found - np.cumsum(table.n_pos)
    rows = np.cumsum(table.n_unl, dtype=np.float64)
    return np.concatenate([[0.0], rows]), np.concatenate([[0.0], found])
