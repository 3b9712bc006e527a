"""Repair: monotone maps from score to probability, fitted without negatives.

``method="isotonic"``   the hull's slopes times the prior: no shape assumed, any scores
``method="platt"``      p = σ(a·x + b), a ≥ 0
``method="temperature"`` p = σ(a·x), a ≥ 0 (1/a is the temperature)
``method="beta"``       p = σ(a·log s − b·log(1 − s) + c), a, b ≥ 0; probabilities only

with σ the logistic function and x the logit of the score if all scores lie in [0, 1], else the score
itself. Scores of exactly 0 and 1, whose logit is endless, are given a place first (`saturated`). How
maps are fitted is derived in `posterior`. Kiryo names recalibration (Section 4) but gives
no method; Platt's and beta calibration are the usual maps, with the likelihood of positive labels in
place of that of labels that are not there. Maps are deterministic functions of the table.

Judge a map on data that it was not fitted on: on its own data its calibration error is too small.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.calibration.bins import merged_remark, score_span
from puremetrics.calibration.posterior import isotonic_posterior
from puremetrics.calibration.saturated import (
    EXACT_ENDS,
    UNPLACED,
    Inside,
    features_of,
    fit_with_ends,
    saturation_remark,
)
from puremetrics.checking.arguments import check_choice, check_number, check_share
from puremetrics.checking.columns import as_column, as_scores, raise_not_finite
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError, ScoreError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table, check_uncut
from puremetrics.tables.score_table import ScoreTable
from puremetrics.tables.thinning import thinned

__all__ = ["RecalibrationMap", "recalibrate", "score_column"]

_METHODS = ("isotonic", "platt", "temperature", "beta")
_PARAMETERS = {"platt": ("slope", "intercept"), "temperature": ("slope",), "beta": ("a", "b", "c")}
_FORMAT = "puremetrics.calibration.recalibration/1"


@dataclass(frozen=True, eq=False, repr=False)
class RecalibrationMap(Result):
    """A rising map from score to probability; call it, or use it as a fitted transformer.

    Attributes
    ----------
    method : str
    parameters : dict
        Of the logistic maps: slope and intercept, or those of beta calibration.
    start, value : ndarray
        Steps of the isotonic map: ``value[i]`` from ``start[i]`` up to the next start. Below all
        starts the first value holds.
    link : {"logit", "identity", "none"}
        What is done to a score first.
    prior, purity : float
        What was assumed in fitting.
    inside : (float, float)
        Scores below the first, or above the second, count as these before a logit is taken.
    """

    method: str
    link: str
    parameters: dict[str, float]
    start: FloatArray
    value: FloatArray
    prior: float
    purity: float
    diagnostics: tuple[Diagnostic, ...] = ()
    inside: Inside = UNPLACED

    def __call__(self, scores: Any) -> FloatArray:
        """Return the probability of each score."""
        return self.predict(scores)

    def predict(self, scores: Any) -> FloatArray:
        """Return the probability of each score, shape (n,)."""
        score = as_scores(scores)
        if not np.isfinite(score).all():
            raise_not_finite(score)
        if self.method == "isotonic":
            step = np.searchsorted(self.start, score, side="right") - 1
            return np.asarray(self.value[np.maximum(step, 0)])
        if self.link == "logit" and score.size and (score.min() < 0 or score.max() > 1):
            raise ScoreError(
                f"The map was fitted on probabilities, but scores span [{score.min():.4g}, "
                f"{score.max():.4g}]. Pass scores of the same kind, or fit again on these."
            )
        weights = np.array(list(self.parameters.values()))
        with np.errstate(over="ignore"):  # beyond the largest float the probability is 0 or 1
            return _sigmoid(
                np.einsum(
                    "ij,j->i", features_of(score, self.method, self.link, self.inside), weights
                )
            )

    def apply(self, table: ScoreTable) -> ScoreTable:
        """Return the table with its scores replaced by probabilities; equal ones are added up."""
        check_table(table)
        if table.weighted:
            raise UnsupportedError(
                "A weighted table cannot be rebuilt from its sums. Map the scores of the rows with "
                "predict, then build the table."
            )
        check_uncut(table, "RecalibrationMap.apply")
        return ScoreTable.from_counts(
            self.predict(table.centre),
            n_pos=table.n_pos,
            n_unl=table.n_unl,
            n_neg=table.n_neg,
            scenario=table.scenario,
        )

    # ------------------------------------------------------------ a fitted transformer

    def fit(self, X: Any = None, y: Any = None) -> RecalibrationMap:  # noqa: N803
        """Return the map itself: it is fitted. `Recalibrator` can be refitted."""
        return self

    def transform(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the probabilities as a column, shape (n, 1)."""
        return self.predict(score_column(X))[:, None]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    # ------------------------------------------------------------ showing and storing

    def frame(self) -> Columns:
        """Return the columns score and probability: the steps, or 101 points of a smooth map."""
        if self.method == "isotonic":
            return {"score": self.start, "probability": self.value}
        grid = np.linspace(0, 1, 101) if self.link != "identity" else np.linspace(-5, 5, 101)
        return {"score": grid, "probability": self.predict(grid)}

    def to_json(self) -> str:
        """Return the map as JSON; `from_json` gives it back exactly."""
        return json.dumps(
            {
                "format": _FORMAT,
                "method": self.method,
                "link": self.link,
                "parameters": self.parameters,
                "start": self.start.tolist(),
                "value": self.value.tolist(),
                "prior": self.prior,
                "purity": self.purity,
                "inside": list(self.inside),
                "diagnostics": [[d.code, d.message] for d in self.diagnostics],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> RecalibrationMap:
        """Return the map that `to_json` wrote."""
        try:
            data = json.loads(text)
            known = isinstance(data, dict) and data.get("format") == _FORMAT
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"This is not JSON: {error}. Pass what to_json wrote.") from None
        if not known:
            raise InputError(
                f"This JSON is not a recalibration map of format {_FORMAT!r}. Pass what to_json wrote."
            )
        try:
            return _stored(data)
        except (KeyError, TypeError, ValueError, RecursionError, AttributeError) as error:
            raise InputError(
                f"This recalibration map is damaged ({type(error).__name__}: {str(error).rstrip('.')}). "
                "Pass what to_json wrote, unchanged."
            ) from None

    def __str__(self) -> str:
        if self.method == "isotonic":
            shape = f"{self.start.size} steps from {self.value[0]:.4g} to {self.value[-1]:.4g}"
        else:
            shape = ", ".join(f"{name} {value:.4g}" for name, value in self.parameters.items())
        lines = [f"Recalibration map ({self.method}): {shape}; assumes prior {self.prior:.4g}"]
        return "\n".join(lines + [f"  {diagnostic}" for diagnostic in self.diagnostics])


def recalibrate(
    table: ScoreTable,
    *,
    prior: PriorLike,
    method: str = "isotonic",
    purity: PurityLike = None,
) -> RecalibrationMap:
    """Fit a rising map from score to P(y = 1 | score).

    Holds if the labelled positives are a random sample of all positives, mixed with a share
    ``1 − purity`` of negatives.

    Parameters
    ----------
    table : ScoreTable
        Of any scores for "isotonic", "platt" and "temperature"; of probabilities for "beta". A cut
        table will do for "isotonic".
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population; of an interval, its middle is used.
    method : {"isotonic", "platt", "temperature", "beta"}
        With few labels (below some hundred) a logistic map is steadier than the isotonic one.
    purity : float or (low, high), default 1
        Share of true positives among the labelled; of a range, its middle is used.

    Returns
    -------
    RecalibrationMap
        "isotonic": prior · dG/dF made rising, the minimiser of the unbiased Brier score; O(labelled ·
        log rows). Others: maximum likelihood of the labels given the scores; of more than 131 072 rows in
        narrow bins, which changes parameters in about the eighth digit.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=[4, 2, 2], unlabeled=[4, 3, 2, 1, 0, 0], scenario="case_control")
    >>> to_probability = recalibrate(table, prior=0.25)
    >>> to_probability([0, 1, 2, 3, 4, 5])
    array([0. , 0. , 0.5, 0.5, 0.5, 0.5])
    """
    check_table(table)
    method = check_choice(method, _METHODS, "method")
    setting = Setting.of(table, prior, purity)
    return _isotonic_map(setting) if method == "isotonic" else _logistic_map(setting, method)


def _isotonic_map(setting: Setting) -> RecalibrationMap:
    steps = isotonic_posterior(setting)
    diagnostics = list(setting.diagnostics)
    if steps.cut:
        diagnostics.append(
            Diagnostic(
                "PM311",
                f"with prior={setting.prior:.4g} the estimated rate leaves [0, 1] at the ends of the "
                "scores and was cut there. Small excursions are sampling error; large ones say "
                "that the prior is too high or that the labels are not a random sample.",
            )
        )
    if steps.start.size == 1:
        diagnostics.append(_constant())
    return RecalibrationMap(
        "isotonic", "none", {}, steps.start, steps.value, setting.prior, setting.purity,
        tuple(diagnostics),
    )  # fmt: skip


def _logistic_map(setting: Setting, method: str) -> RecalibrationMap:
    table = setting.table
    check_uncut(table, f"method={method!r}")
    low, high = score_span(table)
    link = "logit" if low >= 0.0 and high <= 1.0 else "identity"
    if method == "beta" and link != "logit":
        raise ScoreError(
            f"Beta calibration needs probabilities, but scores span [{low:.4g}, {high:.4g}]. Use "
            "method='platt' or method='isotonic', which take any scores."
        )
    names = _PARAMETERS[method]
    rising = [name not in ("intercept", "c") for name in names]
    if not 0.0 < setting.prior < 1.0:
        raise PriorError(
            f"method={method!r} cannot fit a map at prior={setting.prior:g}, where every score has the "
            "same probability. Pass a prior strictly between 0 and 1."
        )
    start = np.array([float(up) for up in rising])  # the map that leaves probabilities alone
    # A likelihood is smooth in the scores: of very many rows narrow bins say the same.
    fewer = thinned(table, EXACT_ENDS if link == "logit" else ())
    fit, inside = fit_with_ends(setting.on(fewer), method, link, start, rising)
    diagnostics = [*setting.diagnostics, *merged_remark(table, "recalibrate")]
    if link == "logit":
        diagnostics += saturation_remark(fewer, inside)
    if fit.at_limit:
        diagnostics.append(
            Diagnostic(
                "PM310",
                "the likelihood rises without end as the map gets steeper, so its steepness was "
                "limited: these few labels are told apart perfectly, or the prior is too high. Try "
                "method='isotonic', a smaller prior, or more labels.",
            )
        )
    if not fit.settled:
        diagnostics.append(
            Diagnostic(
                "PM313",
                "the search for the best map was stopped while it still gained: the map may be some way "
                "from the best one. Try method='platt' or 'isotonic', which have fewer ways to wander.",
            )
        )
    if not any(value > 0 for value, up in zip(fit.parameters, rising, strict=True) if up):
        diagnostics.append(_constant())
    parameters = dict(zip(names, map(float, fit.parameters), strict=True))
    return RecalibrationMap(
        method, link, parameters, np.empty(0), np.empty(0), setting.prior, setting.purity,
        tuple(diagnostics), inside,
    )  # fmt: skip


def _stored(data: dict[str, Any]) -> RecalibrationMap:
    """The map in a decoded JSON object, every entry checked: it may have been edited by hand."""
    method = check_choice(data["method"], _METHODS, "method")
    links = ("none",) if method == "isotonic" else ("logit", "identity")
    wanted = _PARAMETERS.get(method, ())
    found = data["parameters"]
    if not isinstance(found, dict) or tuple(found) != wanted:
        raise InputError(f"parameters must be those of {method!r}: {', '.join(wanted) or 'none'}")
    start, value = (as_scores(data[name], name) for name in ("start", "value"))
    for column in (start, value):
        if not np.isfinite(column).all():
            raise InputError("the steps must be finite")
    rising = np.all(np.diff(start) > 0) and np.all(np.diff(value) >= 0)
    if start.size != value.size or not rising or (method == "isotonic") != (start.size > 0):
        raise InputError("start and value must be rising steps of the same number")
    if value.size and not (value[0] >= 0 and value[-1] <= 1):
        raise InputError("value must hold probabilities")
    inside = data.get("inside", list(UNPLACED))  # maps stored by earlier versions have none
    low, high = (check_share(end, "inside") for end in inside)
    if not 0.0 < low <= high < 1.0:
        raise InputError("inside must hold two rising scores between 0 and 1")
    return RecalibrationMap(
        method=method,
        link=check_choice(data["link"], links, "link"),
        parameters={name: check_number(found[name], name) for name in wanted},
        start=start,
        value=value,
        prior=check_share(data["prior"], "prior"),
        purity=check_share(data["purity"], "purity"),
        diagnostics=tuple(Diagnostic(code, str(text)) for code, text in data["diagnostics"]),
        inside=(low, high),
    )


def _constant() -> Diagnostic:
    return Diagnostic(
        "PM312",
        "the map is constant: labelled rows do not score higher than the population. Check that "
        "higher scores mean more likely positive.",
    )


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))


def score_column(X: Any) -> Any:  # noqa: N803
    """The scores in a feature matrix: its one column, or the second of two (predict_proba)."""
    try:
        shape = np.shape(X)
    except ValueError:  # rows of different lengths: as_column says so
        shape = ()
    if len(shape) == 2 and shape[1] == 2:
        return np.asarray(X)[:, 1]
    return as_column(X, "X")
