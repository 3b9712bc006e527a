"""How displays are made: from a table, from labels and scores, or from a fitted model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from puremetrics.bounds.contingency import LatentChoice
from puremetrics.checking.columns import as_column, as_scores, check_same_length
from puremetrics.exceptions import InputError, PuremetricsError
from puremetrics.plots._style import new_axes
from puremetrics.results import Columns, CurveBounds, Interval
from puremetrics.scenarios import Scenario
from puremetrics.setting import Setting
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Annotation

    from puremetrics.evaluation import Evaluation, ModelEvaluation

__all__ = ["Display", "bounds_or_reason", "check_truth", "prior_of_truth"]


@dataclass(kw_only=True)
class Display:
    """What every display has; names ending in an underscore exist once it is drawn."""

    name: str | None = None
    ax_: Axes = field(init=False, repr=False, compare=False)
    figure_: Figure | SubFigure = field(init=False, repr=False, compare=False)
    legend_: Legend | None = field(init=False, repr=False, compare=False)
    caption_: Annotation | None = field(init=False, repr=False, compare=False)

    from_table: ClassVar[Any]  # each display has its own options
    _responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")
    _size: ClassVar[tuple[float, float]] = (5.4, 6.8)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        score: Any,
        *,
        scenario: Scenario,
        sample_weight: Any = None,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
        truth: Any = None,
        **options: Any,
    ) -> Self:
        """Draw from one label and one score per row.

        Parameters
        ----------
        y, score, scenario, sample_weight, pos_label, unlabeled_label, neg_label
            As in `ScoreTable.from_arrays`.
        truth : array-like, shape (n,), optional
            Hidden labels, for demonstrations: ``pos_label`` marks the positives, anything else the
            negatives.
        options
            As in `from_table`, among them ``prior`` and ``ax``.
        """
        table = ScoreTable.from_arrays(
            y,
            score,
            scenario=scenario,
            sample_weight=sample_weight,
            pos_label=pos_label,
            unlabeled_label=unlabeled_label,
            neg_label=neg_label,
        )
        if truth is not None:
            scores, hidden = as_scores(score), as_column(truth, "truth") == pos_label
            check_same_length(hidden.size, scores.size, "truth and score")
            options["truth"] = ScoreTable.from_arrays(
                hidden.astype(np.int64),
                scores,
                scenario=scenario,
                sample_weight=sample_weight,
                unlabeled_label=None,
                neg_label=0,
            )
        display: Self = cls.from_table(table, **options)
        return display

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        scenario: Scenario,
        pos_label: Any = 1,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw from a fitted classifier with scikit-learn's interface.

        Parameters
        ----------
        estimator : object
            Its ``decision_function`` is used, or ``predict_proba`` where there is none (for calibration
            always ``predict_proba``), and its class name in the legend.
        X, y
            Rows it was not fitted on, and their labels.
        scenario, pos_label
            As in `ScoreTable.from_arrays`.
        name : str, optional
        options
            As in `from_predictions`.
        """
        score = _scores_of(estimator, X, pos_label, cls._responses)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(
            y, score, scenario=scenario, pos_label=pos_label, name=name, **options
        )

    @classmethod
    def from_evaluation(
        cls,
        evaluation: Evaluation,
        model: str | None = None,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw what an evaluation holds; nothing is computed again.

        Parameters
        ----------
        evaluation : Evaluation
        model : str, optional
            Name of the model; needed if there are several.
        ax, options
            As in `plot`.
        """
        if model is None and len(evaluation.models) == 1:
            model = next(iter(evaluation.models))
        if model not in evaluation.models:
            listed = ", ".join(map(repr, evaluation.models))
            raise InputError(f"model={model!r} is not among the models evaluated: {listed}.")
        display: Self = cls._of_model(evaluation.models[model], evaluation)
        return display.plot(ax, **options)

    @classmethod
    def _of_model(cls, model: ModelEvaluation, evaluation: Evaluation) -> Self:
        raise NotImplementedError

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw into ``ax``, or into a new figure."""
        raise NotImplementedError

    def frame(self) -> Columns:
        """Return what is drawn, as columns."""
        raise NotImplementedError

    def _start(self, ax: Axes | None) -> Axes:
        self.ax_ = new_axes(self._size) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _named(self, name: str | None, what: str = "") -> str:
        """Start of a legend entry: the model's name, and what of it is drawn."""
        shown = self.name if name is None else name
        if not what:
            return "estimate" if shown is None else shown
        return what if shown is None else f"{shown}, {what}"


def check_truth(truth: object) -> None:
    """Refuse true labels that come without scores."""
    if truth is not None and not isinstance(truth, ScoreTable):
        raise InputError(
            f"truth is a table of the true labels here, not {type(truth).__name__}. Pass "
            "ScoreTable.from_arrays(labels, score, …).unlabeled_as_negative(), or use "
            "from_predictions, which takes the labels."
        )


def prior_of_truth(
    table: ScoreTable, truth: ScoreTable | None, purity: float = 1.0
) -> float | None:
    """Prior at which fully labelled rows are weighed; None: the share of positives among them.

    In case-control the labelled rows are no part of the population, so they are taken out of the share.
    """
    check_truth(truth)
    if truth is None or truth.total != table.total:  # the unlabeled rows alone
        return None
    return table.design.prior_of_truth(table.totals, truth.total_pos, purity)


def bounds_or_reason(
    wanted: bool | None,
    setting: Setting,
    compute: Callable[[LatentChoice], tuple[CurveBounds, Interval]],
) -> tuple[CurveBounds | None, Interval | None, str]:
    """Bounds as far as they exist; if not asked for by name, a sentence says why they are missing."""
    if wanted is False:
        return None, None, ""
    if not setting.assumed.clean:
        reason = "bounds need labels without error, and purity is below 1"
        if wanted:
            raise InputError(f"bounds=True: {reason}. Pass bounds=False, or purity=1.")
        return None, None, f"No band: {reason}."
    try:
        return *compute(LatentChoice.of(setting)), ""
    except PuremetricsError as error:
        if wanted:
            raise
        return None, None, f"No band: {str(error).split('. ')[0].rstrip('.')}."


def _scores_of(estimator: Any, rows: Any, pos_label: Any, responses: tuple[str, ...]) -> Any:
    found = next((name for name in responses if hasattr(estimator, name)), None)
    if found is None:
        raise InputError(
            f"{type(estimator).__name__} has no {' or '.join(responses)}, so there is no score to draw. "
            "Pass a fitted classifier, or compute scores and use from_predictions."
        )
    score = np.asarray(getattr(estimator, found)(rows))
    classes = list(getattr(estimator, "classes_", ()))
    if score.ndim == 2:
        if classes and pos_label not in classes:
            raise InputError(
                f"pos_label={pos_label!r} is not among the classes {classes} that "
                f"{type(estimator).__name__} was fitted on. Pass the label of the positives."
            )
        return score[:, classes.index(pos_label) if classes else -1]
    # One column speaks for the second class.
    return -score if len(classes) == 2 and classes[0] == pos_label else score
