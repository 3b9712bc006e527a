"""What each kind of evidence says of a number, on one axis, and all of them together below."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from puremetrics.auditing.metrics import PRIOR
from puremetrics.evidence import EvidenceTable, Joined
from puremetrics.exceptions import InputError
from puremetrics.plots import _style as style
from puremetrics.plots._display import Display
from puremetrics.results import Columns, Estimate, PriorEstimate
from puremetrics.setting import PriorLike
from puremetrics.statistics.catalogue import find
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["EvidenceDisplay"]

_WIDE = 34  # characters of a kind on one line
_ROOM = 0.06  # of the axis, beyond the outermost limits
_A_KIND, _FRAME = 0.62, 1.7  # inches


@dataclass(kw_only=True)
class EvidenceDisplay(Display):
    """What each kind of evidence says of a number, with what all of them say together: a forest plot.

    Attributes
    ----------
    table : EvidenceTable
    """

    table: EvidenceTable
    lines_: tuple[Line2D, ...] = field(init=False, repr=False, compare=False)
    points_: PathCollection = field(init=False, repr=False, compare=False)
    joint_line_: Line2D = field(init=False, repr=False, compare=False)
    joint_point_: Line2D | None = field(init=False, repr=False, compare=False)
    joint_range_: Rectangle | None = field(init=False, repr=False, compare=False)

    @classmethod
    def from_table(
        cls,
        table: ScoreTable,
        *,
        evidence: Any,
        statistic: str = "prior",
        threshold: float | None = None,
        prior: PriorLike = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Put evidence about a table together and draw what each kind says.

        Parameters
        ----------
        table : ScoreTable
        evidence : list
            As in `evaluate`.
        statistic : str, default "prior"
            What is drawn: the prior, or any statistic.
        threshold : float, optional
            For a metric.
        prior, confidence_level
            As in `evaluate`.
        name : str, optional
            Of the model.
        ax, plot_options
            As in `plot`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from puremetrics import PublishedPrior
        >>> table = ScoreTable.from_groups(
        ...     positive=range(30, 60), unlabeled=range(90), scenario="single_training_set")
        >>> display = EvidenceDisplay.from_table(
        ...     table, evidence=[PublishedPrior(0.4, 0.05), PublishedPrior(0.42, 0.04)],
        ...     ax=Figure().subplots())
        >>> [label.get_text() for label in display.ax_.get_yticklabels()][-1]
        'all together'
        """
        joined = Joined.stated(table, evidence, prior=prior, level=confidence_level)
        asked = PRIOR if statistic == "prior" else find(statistic, {}, threshold=threshold)
        return cls(table=EvidenceTable.of(joined, asked), name=name).plot(ax, **plot_options)

    @classmethod
    def from_estimate(
        cls,
        estimate: Estimate | PriorEstimate | EvidenceTable,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the evidence of an estimate.

        Parameters
        ----------
        estimate : Estimate, PriorEstimate or EvidenceTable
            Made with ``evidence=[…]``.
        name : str, optional
            Of the model.
        ax, plot_options
            As in `plot`.
        """
        found = getattr(estimate, "evidence", estimate)
        if not isinstance(found, EvidenceTable):
            raise InputError(
                f"This {type(estimate).__name__} rests on no evidence that could be drawn. Pass one that was "
                "made with evidence=[…]."
            )
        return cls(table=found, name=name).plot(ax, **plot_options)

    @classmethod
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        model: str | None = None,
        *,
        figure: str = "prior",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the evidence that an evaluation rests on.

        Parameters
        ----------
        evaluation : Evaluation
        model : str, optional
            Name of the model; needed if there are several and a figure of one is asked for.
        figure : str, default "prior"
            What is drawn: the prior, or a figure of the model such as "precision".
        ax, options
            As in `plot`.
        """
        if not evaluation.rests_on_evidence:
            raise InputError(
                "The evaluation rests on no evidence that could be drawn. Pass evidence=[…] to evaluate."
            )
        if figure == "prior" and model is None:
            assert evaluation.evidence is not None
            return cls(table=evaluation.evidence).plot(ax, **options)
        if model is None and len(evaluation.models) == 1:
            model = next(iter(evaluation.models))
        if model is None:
            listed = ", ".join(map(repr, evaluation.models))
            raise InputError(f"figure={figure!r} needs a model=…, one of {listed}.")
        own = evaluation[model]
        if figure == "prior":
            return cls._of_model(own, evaluation).plot(ax, **options)
        return cls.from_estimate(own[figure], name=model, ax=ax, **options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        if model.joined is None:
            raise InputError(
                "The evaluation rests on no evidence that could be drawn. Pass evidence=[…] to evaluate."
            )
        return cls(table=EvidenceTable.of(model.joined, PRIOR), name=model.name)

    def frame(self) -> Columns:
        """Return what is drawn, as columns."""
        return self.table.frame()

    def plot(
        self,
        ax: Axes | None = None,
        *,
        color: str | None = None,
        caption: bool = True,
        **line_options: Any,
    ) -> Self:
        """Draw into ``ax``, or into a new figure.

        Parameters
        ----------
        ax : Axes, optional
        color : str, optional
            Of the kinds; those that contradict each other have another.
        caption : bool, default True
            Whether to say below what must be true.
        line_options
            Of the lines, for matplotlib.
        """
        found = self.table
        tall = _FRAME + _A_KIND * (len(found.kinds) + 1) * (1.5 if caption else 1.0)
        ax = self._start(style.new_axes((7.4, tall)) if ax is None else ax)
        own = color or style.look_of_next(ax, None, {})["color"]
        clashing = {kind for pair in found.contradicting for kind in pair}
        colors = [style.CLASH if i in clashing else own for i in range(len(found.kinds))]
        places = np.arange(len(found.kinds))
        look: dict[str, Any] = {"linewidth": 2.2, "solid_capstyle": "round", **line_options}
        start, end = self._axis()
        lines = []
        for i, (value, low, high) in enumerate(
            zip(found.value, found.low, found.high, strict=True)
        ):
            how = look | {"color": colors[i]}
            if np.isnan(value):  # it leaves everything open by itself
                how |= {"linestyle": (0, (1, 3)), "linewidth": 1.2, "color": style.QUIET}
                low, high = max(low, start), min(high, end)
            lines.append(ax.plot([low, high], [i, i], zorder=2.4, **how)[0])
        self.lines_ = tuple(lines)
        self.points_ = ax.scatter(
            found.value, places, s=52, c=colors, edgecolors="white", zorder=2.6
        )
        self._draw_joint(ax, len(found.kinds))
        ax.set_yticks(
            [*places, len(places)],
            [*(textwrap.fill(kind, _WIDE) for kind in found.kinds), "all together"],
        )
        ax.set_ylim(len(places) + 0.6, -0.6)
        ax.set_xlim(start, end)
        style.tidy(ax, self._named(None, found.title) if self.name else found.title, "")
        ax.grid(False, axis="y")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        self.legend_ = None
        self.caption_ = style.add_caption(ax, self._sentences()) if caption else None
        return self

    def _draw_joint(self, ax: Axes, place: int) -> None:
        value, low, high = self.table.together
        known = not np.isnan(value)
        look: dict[str, Any] = {"color": style.INK, "linewidth": 3.6, "solid_capstyle": "butt"}
        if not known:
            look |= {"linestyle": (0, (2, 1.2)), "linewidth": 2.0}
        self.joint_line_ = ax.plot([low, high], [place, place], zorder=2.4, **look)[0]
        self.joint_point_ = self.joint_range_ = None
        if known:
            dot: dict[str, Any] = {"marker": "D", "markersize": 7, "markeredgecolor": "white"}
            self.joint_point_ = ax.plot([value], [place], color=style.INK, zorder=2.7, **dot)[0]
            self.joint_range_ = ax.axvspan(low, high, color=style.FAINT, zorder=1.2, linewidth=0)

    def _axis(self) -> tuple[float, float]:
        found = self.table
        says = ~np.isnan(found.value)
        low = min([*found.low[says], found.together[1]])
        high = max([*found.high[says], found.together[2]])
        room = _ROOM * max(high - low, 1e-9)
        return low - room, high + room

    def _sentences(self) -> list[str]:
        found = self.table
        said = []
        for kind, assumes in zip(found.kinds, found.assumes, strict=True):
            said.append(f"{kind[:1].upper()}{kind[1:]}: right if {assumes}.")
        for one, other in found.contradicting:
            said.append(
                f"Contradicting each other: {found.kinds[one]} and {found.kinds[other]}; one is wrong."
            )
        if np.isnan(found.value).any():
            said.append("Dotted: leaves it open by itself.")
        return said
