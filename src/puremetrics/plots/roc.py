"""The ROC curve with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from puremetrics.bounds.areas import roc_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import roc_bounds_of
from puremetrics.checking.arguments import check_choice
from puremetrics.correction.areas import area_estimate, roc_auc
from puremetrics.correction.curve_bands import check_band
from puremetrics.correction.curves import METHODS
from puremetrics.plots import _style as style
from puremetrics.plots._curves import CurveDisplay, with_curve_band
from puremetrics.plots._display import bounds_or_reason, prior_of_truth
from puremetrics.results import CurveBounds, Interval
from puremetrics.setting import PriorLike, PurityLike, Setting
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["RocCurveDisplay"]


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
            estimate=with_curve_band(setting, area_estimate(setting, method), kind),
            bounds=edges,
            bounds_interval=interval,
            naive=area_estimate(Setting.naive(table, setting.level)) if with_naive else None,
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
