"""The precision-recall curve with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from puremetrics.bounds.areas import precision_area_bounds
from puremetrics.bounds.contingency import LatentChoice
from puremetrics.bounds.curves import pr_bounds_of, roc_bounds_of
from puremetrics.checking.arguments import check_choice
from puremetrics.correction.curve_bands import check_band
from puremetrics.correction.curves import METHODS
from puremetrics.correction.precision import average_precision, precision_estimate
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

__all__ = ["PrecisionRecallDisplay"]


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
            estimate=with_curve_band(setting, precision_estimate(setting, method), kind),
            bounds=edges,
            bounds_interval=interval,
            naive=precision_estimate(Setting.naive(table, setting.level)) if with_naive else None,
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
