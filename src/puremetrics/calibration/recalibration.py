"""Repair: monotone maps from score to probability, fitted without negatives.

``method="isotonic"``   the hull's slopes times the prior: no shape assumed, any scores
``method="platt"``      p = σ(a·x + b), a ≥ 0
``method="temperature"`` p = σ(a·x), a ≥ 0 (1/a is the temperature)
``method="beta"``       p = σ(a·log s − b·log(1 − s) + c), a, b ≥ 0; probabilities only

with σ the logistic function and x the logit of the score if all scores lie in [0, 1], else the score itself.
Scores of exactly 0 and 1, whose logit is endless, are given a place first (below). How maps are fitted is
derived in `calibration.posterior`. Kiryo names recalibration (Section 4) but gives no method; Platt's and
beta calibration are the usual maps, with the likelihood of positive labels in place of that of labels that
are not there. Maps are deterministic functions of the table.

Judge a map on data that it was not fitted on: on its own data its calibration error is too small.
`Recalibrator` is recalibration with scikit-learn's manners, without importing scikit-learn.

**Scores of 0 and 1** (`fit_with_ends`) would be endlessly far out on the logit scale. Such scores (and those
below 2⁻⁵³, as near to 0 as floats get to 1) are rounded: by single precision, by few decimals, by a clip, or
because the model failed. What they stood for is not known. Taking them at some fixed distance from the end,
such as 1e-7, makes a logistic map depend on that choice: with a few positives at 0, which then have a logit
of −16, the map gets flat to reach them. Their place is therefore estimated along with the map:

1. The map is fitted to the rows that score between 0 and 1.
2. The rows at 0 are placed where that map reaches their own rate of positives (with half a row of the
   nearest score added), below all other scores. If their rate is too high for that, they are pooled with the
   lowest other scores, as isotonic regression does, until the rate of all of them is no higher than the map
   at the next; all of them then count as the last one. Other rows join the pool with the rate that the map
   gives them, for how well it fits there has nothing to do with the end. Rows at 1 likewise.
3. The map is fitted to all rows.

That is one round of maximising the likelihood over map and places by turns. The rows at the ends then say how
many positives there are at the ends, and hardly anything about how steep the map is. Without rows enough for
a map in between, or if it is flat, they are placed half-way between the end and the nearest other score.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.calibration.bins import merged_remark, score_span
from puremetrics.calibration.posterior import LogisticFit, fit_logistic, isotonic_posterior
from puremetrics.checking.arguments import check_choice, check_number, check_share
from puremetrics.checking.columns import as_column, as_scores, raise_not_finite
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError, PriorError, ScoreError, UnsupportedError
from puremetrics.results import Columns, Result
from puremetrics.results.picture import Drawing, steps_after
from puremetrics.setting import PriorLike, PurityLike, Setting, check_table, check_uncut
from puremetrics.tables.framing import takes_data
from puremetrics.tables.merging import thinned
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "EXACT_ENDS",
    "UNPLACED",
    "Inside",
    "RecalibrationMap",
    "Recalibrator",
    "features_of",
    "fit_with_ends",
    "recalibrate",
    "saturation_remark",
    "score_column",
]


Inside = tuple[float, float]
UNPLACED: Inside = (1e-7, 1 - 1e-7)  # of maps that were stored without any
_LEAST, _MOST = 2.0**-53, 1 - 2.0**-53  # floats have none nearer to 1
EXACT_ENDS = (_LEAST, 1.0)  # rows below the first, and from the second on, are placed by themselves


def features_of(score: FloatArray, method: str, link: str, inside: Inside) -> FloatArray:
    """What a map is linear in, one row for each score."""
    x = score
    if link == "logit":
        kept = np.clip(score, *inside)
        if method == "beta":
            return np.stack([np.log(kept), -np.log1p(-kept), np.ones(score.size)], axis=1)
        x = np.log(kept) - np.log1p(-kept)
    return x[:, None] if method == "temperature" else np.stack([x, np.ones(score.size)], axis=1)


def fit_with_ends(
    setting: Setting, method: str, link: str, start: FloatArray, rising: list[bool]
) -> tuple[LogisticFit, Inside]:
    """Fit a logistic map, with a place for scores of exactly 0 and 1 if there are any."""
    score = setting.table.centre
    inside = _LEAST, _MOST
    if link == "logit" and (score[-1] < _LEAST or score[0] > _MOST):
        inside = _places(setting, method, start, rising)
    fit = fit_logistic(setting, features_of(score, method, link, inside), start, rising)
    return fit, inside


def saturation_remark(table: ScoreTable, inside: Inside) -> list[Diagnostic]:
    """PM316 if rows score exactly 0 or 1: how many, and where they were placed."""
    score = table.centre
    size = table.n_pos + table.n_unl + table.n_neg
    found = [
        f"{float(size[there].sum()):g} rows score exactly {end} and count as {place:.6g}"
        for end, place, there in zip((0, 1), inside, (score < _LEAST, score > _MOST), strict=True)
        if there.any()
    ]
    if not found:
        return []
    return [
        Diagnostic(
            "PM316",
            f"{', and '.join(found)}: their logit is infinite, so they were placed where the map fitted to "
            "the other rows reaches their positive rate. Unrounded scores would give a better map.",
        )
    ]


def _places(setting: Setting, method: str, start: FloatArray, rising: list[bool]) -> Inside:
    """Scores between 0 and 1 that stand for rows at 0 and at 1."""
    score, rows = setting.table.centre, setting.rows
    pos, cmp = (np.asarray(column, dtype=np.float64) for column in (rows.pos, rows.cmp))
    inner = (score >= _LEAST) & (score <= _MOST)
    others = score[inner]
    if not others.size:
        half = 0.5 / (rows.sizes[1] + 1)
        return half, 1 - half
    fallback = max(float(others[-1]) / 2, _LEAST), min((1 + float(others[0])) / 2, _MOST)
    if others.size < 2 or not (pos[inner].sum() > 0 and cmp[inner].sum() > 0):
        return fallback
    features = features_of(others, method, "logit", (_LEAST, _MOST))
    fit = fit_logistic(setting, features, start, rising, (pos[inner], cmp[inner]))
    if fit.at_limit or not any(v > 0 for v, up in zip(fit.parameters, rising, strict=True) if up):
        return fallback
    fitted = _sigmoid(features @ fit.parameters)
    low, high = _LEAST, _MOST
    if score[-1] < _LEAST:
        rate = _pooled_rates(setting, score < _LEAST, fitted[::-1], cmp[inner][::-1])
        low = _place(fit, method, rate, fitted[::-1], others[::-1], _LEAST)
    if score[0] > _MOST:
        rate = _pooled_rates(setting, score > _MOST, fitted, cmp[inner])
        high = _place(fit, method, rate, fitted, others, _MOST)
    return (low, high) if low < high else fallback


def _place(
    fit: LogisticFit,
    method: str,
    rate: FloatArray,
    fitted: FloatArray,
    score: FloatArray,
    end: float,
) -> float:
    """Place of the rows at an end, from the rates of those rows pooled with the next 0, 1, 2 … scores."""
    sign = -1.0 if end < 0.5 else 1.0
    beyond = sign * (rate[:-1] - fitted) >= 0  # the pool lies beyond the next score, as it should
    pooled = int(np.argmax(beyond)) if beyond.any() else score.size
    if pooled > 0:
        return float(score[pooled - 1])
    near, far = (float(np.log(s) - np.log1p(-s)) for s in (score[0], end))
    for _ in range(100):
        middle = (near + far) / 2
        at = features_of(np.array([1 / (1 + np.exp(-middle))]), method, "logit", (_LEAST, _MOST))
        if sign * (rate[0] - float(_sigmoid(at @ fit.parameters)[0])) > 0:
            near = middle
        else:
            far = middle
    return float(np.clip(1 / (1 + np.exp(-far)), _LEAST, _MOST))


def _pooled_rates(setting: Setting, end: Any, fitted: FloatArray, rows: FloatArray) -> FloatArray:
    """Rates of the rows at an end, by themselves and with the next 1, 2 … scores."""
    own = setting.rows
    labelled, more = (_labelled(setting, *some) for some in ((fitted, rows), (fitted[:1], 0.5)))
    pools = [
        np.cumsum(np.append(float(np.sum(column[end])) + float(half), others))
        for column, others, half in ((own.pos, labelled, more[0]), (own.cmp, rows, 0.5))
    ]
    ratio = pools[0] / own.total_pos / (pools[1] / own.total_cmp)
    prior, purity, share = setting.prior, setting.purity, setting.share
    top = prior * ((1 - share) * ratio - (1 - purity))
    bottom = (prior - share) * ratio + (purity - prior)
    rate = np.divide(top, bottom, out=np.ones(ratio.size), where=bottom > 0)
    return np.asarray(np.clip(rate, 0.0, 1.0))


def _labelled(setting: Setting, rate: FloatArray, rows: FloatArray | float) -> FloatArray:
    """Labelled rows that go with a rate of positives, among so many rows of the comparison sample."""
    prior, purity, share = setting.prior, setting.purity, setting.share
    top = rate * (purity - prior) + prior * (1 - purity)
    ratio = top / np.maximum(prior * (1 - share) - rate * (prior - share), 1e-12)
    return np.asarray(ratio * rows / setting.rows.total_cmp * setting.rows.total_pos)


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -700, 700))))


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

    def _drawing(self) -> Drawing:
        score, probability = self.frame().values()
        if self.method == "isotonic":
            first, last = score[0], score[-1]  # the highest step has no end of its own
            end = 1.0 if first >= 0 and last < 1 else last + 0.05 * (last - first)
            score, probability = steps_after(
                np.append(score, end), np.append(probability, probability[-1])
            )
        return Drawing("score", "probability", {"probability": (score, probability)})

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


@takes_data
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
        log rows). Others: maximum likelihood of the labels given the scores; of more than 131,072 rows in
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
                f"with prior={setting.prior:.4g} the estimated rate falls outside [0, 1] at the lowest or "
                "highest scores and was clipped there. Small excursions are sampling error; large ones mean "
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
                "the likelihood keeps rising as the map gets steeper, so its steepness was limited: these "
                "few labels are separated perfectly, or the prior is too high. Try method='isotonic', a "
                "smaller prior, or more labels.",
            )
        )
    if not fit.settled:
        diagnostics.append(
            Diagnostic(
                "PM313",
                "the search for the best map stopped while it was still improving, so the map may not be "
                "the best one. Try method='platt' or 'isotonic', which are easier to fit.",
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
        raise InputError("start and value must be increasing and have the same length")
    if value.size and not (value[0] >= 0 and value[-1] <= 1):
        raise InputError("value must hold probabilities")
    inside = data.get("inside", list(UNPLACED))  # maps stored by earlier versions have none
    low, high = (check_share(end, "inside") for end in inside)
    if not 0.0 < low <= high < 1.0:
        raise InputError("inside must hold two increasing scores between 0 and 1")
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


def score_column(X: Any) -> Any:  # noqa: N803
    """The scores in a feature matrix: its one column, or the second of two (predict_proba)."""
    try:
        shape = np.shape(X)
    except ValueError:  # rows of different lengths: as_column says so
        shape = ()
    if len(shape) == 2 and shape[1] == 2:
        return np.asarray(X)[:, 1]
    return as_column(X, "X")


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
