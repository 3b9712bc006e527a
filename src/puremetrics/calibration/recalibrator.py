"""`Recalibrator`: recalibration with scikit-learn's manners, without importing scikit-learn."""

from __future__ import annotations

from typing import Any

from puremetrics.calibration.recalibration import recalibrate, score_column
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.setting import PriorLike, PurityLike
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Recalibrator"]


class Recalibrator:
    """`recalibrate` as a scikit-learn transformer that can be cloned, refitted and tuned.

    ``fit(X, y)`` takes scores as one column (or the two of ``predict_proba``) and labels, and
    ``transform`` returns probabilities as a column. scikit-learn itself is not needed.

    Parameters
    ----------
    prior, method, purity
        As in `recalibrate`.
    scenario, pos_label, unlabeled_label, neg_label
        As in `ScoreTable.from_arrays`.

    Examples
    --------
    >>> model = Recalibrator(prior=0.4, scenario="single_training_set")
    >>> model.fit([[5.0], [4.0], [3.0], [2.0], [1.0]], [1, 0, 1, 0, 0]).transform([[4.5], [0.5]])
    array([[0.5],
           [0. ]])
    """

    def __init__(
        self,
        *,
        prior: PriorLike = None,
        scenario: Any = None,
        method: str = "isotonic",
        purity: PurityLike = None,
        pos_label: Any = 1,
        unlabeled_label: Any = 0,
        neg_label: Any = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.method = method
        self.purity = purity
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.neg_label = neg_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Recalibrator:  # noqa: N803
        """Fit the map; it is kept as ``map_``."""
        table = ScoreTable.from_arrays(
            y,
            score_column(X),
            scenario=self.scenario,
            sample_weight=sample_weight,
            pos_label=self.pos_label,
            unlabeled_label=self.unlabeled_label,
            neg_label=self.neg_label,
        )
        self.map_ = recalibrate(table, prior=self.prior, method=self.method, purity=self.purity)
        return self

    def transform(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the probabilities as a column, shape (n, 1)."""
        if not self.__sklearn_is_fitted__():
            raise InputError("This Recalibrator is not fitted yet. Call fit(X, y) first.")
        return self.map_.transform(X)

    def fit_transform(self, X: Any, y: Any, **options: Any) -> FloatArray:  # noqa: N803
        """Fit, then transform the same scores."""
        return self.fit(X, y, **options).transform(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {name: getattr(self, name) for name in _parameter_names()}

    def set_params(self, **params: Any) -> Recalibrator:
        """Change constructor's arguments; takes effect at the next fit."""
        for name, value in params.items():
            if name not in _parameter_names():
                names = ", ".join(_parameter_names())
                raise InputError(
                    f"{name!r} is not a parameter of Recalibrator. Choose one of {names}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "map_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags(),
        )

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"Recalibrator({given})"


def _parameter_names() -> list[str]:
    options = Recalibrator.__init__.__kwdefaults__
    return list(options or {})
