"""The precision-recall curve with its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from puremetrics.bounds import average_precision_bounds, pr_bounds
from puremetrics.correction import average_precision
from puremetrics.plots import _style as style
from puremetrics.plots._curves import CurveDisplay
from puremetrics.plots._display import bounds_or_reason, prior_of_truth
from puremetrics.results import CurveBounds, Interval
from puremetrics.scenario import PriorLike, resolve_prior
from puremetrics.table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

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
        purity: float = 1.0,
        method: str = "indirect",
        confidence_level: float = 0.95,
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

        def compute() -> tuple[CurveBounds, Interval]:
            asked: dict[str, Any] = {"prior": prior, "confidence_level": confidence_level}
            return pr_bounds(table, **asked), average_precision_bounds(table, **asked)

        options: dict[str, Any] = {"method": method, "confidence_level": confidence_level}
        estimate = average_precision(table, prior=prior, purity=purity, **options)
        used = resolve_prior(table, prior, purity).purity
        band, interval, note = bounds_or_reason(bounds, used, compute)
        with_naive = naive and table.total_unl > 0
        hidden = prior_of_truth(table, truth, used)
        naive_table = table.unlabeled_as_negative() if with_naive else None
        display = cls(
            estimate=estimate,
            bounds=band,
            bounds_interval=interval,
            naive=None if naive_table is None else average_precision(naive_table, prior=None),
            truth=None if truth is None else average_precision(truth, prior=hidden),
            name=name,
            note=note,
        )
        return display.plot(ax, **plot_options)

    def _draw_chance(self, ax: Axes) -> Line2D:
        prior = float(self.estimate.prior or 0.0)
        return style.draw_reference(ax, (prior, prior))
