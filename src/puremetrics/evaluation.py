"""The standard set of everything: one honest picture of one or more classifiers.

`evaluate` only calls the other modules and puts their results side by side; it computes nothing of its
own but what would narrow the interval of the area under the ROC curve. Its width has three sources: few
labelled positives, few rows to compare them with, and an uncertain prior. The first two come from the
parts of the linearised variance, the third is how much the range of the prior widens the interval.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics._validation import check_level
from puremetrics.bounds import average_precision_bounds, bounds_at_threshold, roc_auc_bounds
from puremetrics.calibration.bins import score_span
from puremetrics.calibration.error import calibration_error
from puremetrics.calibration.outcome import CalibrationResult
from puremetrics.confusion import heads_of, metric
from puremetrics.correction import area_influence, average_precision, roc_auc
from puremetrics.drifting import Drift, drift
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError, UnsupportedError
from puremetrics.hull import HullResult, roc_hull
from puremetrics.intervals import agresti_coull, linear_variance
from puremetrics.labelling import check_labelling
from puremetrics.priors import estimate_prior
from puremetrics.ranking.measures import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    pulp,
)
from puremetrics.results import Estimate, Interval, PriorEstimate, json_ready
from puremetrics.scenario import (
    PriorLike,
    PriorRange,
    comparison_share,
    population_size,
    prior_limits,
    resolve_prior,
)
from puremetrics.segments import Segments
from puremetrics.sensitivity import (
    ModelRanking,
    PriorSensitivity,
    best_by_prior,
    largest_prior,
    prior_sensitivity,
)
from puremetrics.table import ScoreTable
from puremetrics.threshold import ThresholdChoice, choose_threshold

__all__ = ["ConfusionMatrix", "Evaluation", "ModelEvaluation", "Narrowing", "evaluate"]

SCHEMA_VERSION = 1
_AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")
_PRIOR_FREE = (pulp, lee_liu, mean_f1, mean_mutual_information, mean_pearson)
_AUDITS = (50, 200, 1000)
_ENTRIES = ("tp", "fp", "fn", "tn")
_MUCH_TIED = 0.2


@dataclass(frozen=True)
class Narrowing:
    """Where the width of the AUC's interval comes from, and what more data would buy.

    Attributes
    ----------
    width : float
        Of the interval as it is.
    due_to_positives, due_to_others, due_to_prior : float
        Shares of it, adding up to 1.
    twice_the_labels, twice_the_rows : float
        Approximate width with twice as many labelled positives, or other rows.
    audits : dict of int to float
        Approximate width if so many unlabeled rows, drawn at random, were checked by hand.
    """

    width: float
    due_to_positives: float
    due_to_others: float
    due_to_prior: float
    twice_the_labels: float
    twice_the_rows: float
    audits: dict[int, float]


@dataclass(frozen=True)
class ConfusionMatrix:
    """Estimated counts at the operating point, in the population of the scenario.

    Attributes
    ----------
    threshold : float
    tp, fp, fn, tn : float
        Corrected counts; outside their range if the prior is too high or the sample too small.
    bounds : dict of str to Interval
        What each count can be whichever unlabeled rows are positive; empty where bounds do not exist.
    """

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    bounds: dict[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        counts = {name: getattr(self, name) for name in _ENTRIES}
        return {"threshold": self.threshold, **counts, "bounds": _bounds_dict(self.bounds)}


@dataclass(frozen=True)
class ModelEvaluation:
    """Everything about one model."""

    name: str
    table: ScoreTable = field(repr=False)
    naive: dict[str, Estimate]
    corrected: dict[str, Estimate]
    bounds: dict[str, Interval]
    prior_free: Mapping[str, Estimate]
    hull: HullResult
    calibration: CalibrationResult | None
    operating_point: ThresholdChoice | None
    confusion: ConfusionMatrix | None
    sensitivity: PriorSensitivity
    narrowing: Narrowing
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Evaluation:
    """One honest picture of one or more classifiers on the same rows.

    ``print(evaluation)`` is a page for the terminal; `to_dict` and `to_json` follow a versioned schema;
    `to_frame` gives one row per model and metric.
    """

    models: dict[str, ModelEvaluation]
    prior: PriorRange
    prior_source: str
    largest_prior: float | None
    level: float
    ranking: ModelRanking | None
    diagnostics: tuple[Diagnostic, ...]
    drift: Drift | None = None

    def __str__(self) -> str:
        return "\n".join(_page(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings under ``schema_version``."""
        return {
            "schema_version": SCHEMA_VERSION,
            "confidence_level": self.level,
            "prior": {
                "value": self.prior.value,
                "low": self.prior.low,
                "high": self.prior.high,
                "purity": self.prior.purity,
                "source": self.prior_source,
                "largest": self.largest_prior,
            },
            "models": {name: _model_dict(model) for name, model in self.models.items()},
            "ranking": None
            if self.ranking is None
            else {
                "statistic": self.ranking.statistic,
                "ranges": [
                    {"low": low, "high": high, "best": best}
                    for low, high, best in self.ranking.ranges
                ],
            },
            "drift": None if self.drift is None else self.drift.to_dict(),
            "diagnostics": [{"code": d.code, "message": d.message} for d in self.diagnostics],
        }

    def to_json(self, **options: Any) -> str:
        """Return `to_dict` as JSON; infinite and undefined numbers become null."""
        return json.dumps(json_ready(self.to_dict()), **{"indent": 1, **options}, allow_nan=False)

    def to_html(
        self,
        *,
        title: str | None = None,
        truth: Mapping[str, Mapping[str, float]] | None = None,
    ) -> str:
        """Return a self-contained page in which prior and purity can be moved.

        Parameters
        ----------
        title : str, optional
        truth : mapping of model to mapping of metric to number, optional
            Known values to show beside the estimates, such as those of fully labelled test data.
        """
        from puremetrics.report import render

        return render(self, title=title, truth=truth)

    def _repr_html_(self) -> str:
        from puremetrics.report import notebook

        return notebook(self)

    def to_frame(self) -> dict[str, list[Any]]:
        """Return columns that any data frame library takes, one row per model and metric."""
        names = ("model", "metric", "naive", "corrected", "low", "high", "bound_low", "bound_high")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for model in self.models.values():
            for metric_name, estimate in model.corrected.items():
                low, high = estimate.interval or (np.nan, np.nan)
                bound = model.bounds.get(metric_name)
                row = (
                    model.name, metric_name, model.naive[metric_name].value, estimate.value, low, high,
                    np.nan if bound is None else bound.low, np.nan if bound is None else bound.high,
                )  # fmt: skip
                for name, value in zip(names, row, strict=True):
                    columns[name].append(value)
        return columns


def evaluate(
    tables: ScoreTable | Segments | Mapping[str, ScoreTable] | Mapping[str, Segments],
    *,
    prior: PriorLike = None,
    purity: float = 1.0,
    threshold: float | None = None,
    objective: str = "f1",
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> Evaluation:
    """Evaluate one classifier, or several on the same rows.

    Parameters
    ----------
    tables : ScoreTable, Segments, or mapping of str to one of them
        Of `Segments` (see `scan`) the rows of all segments are evaluated, and ``drift`` compares the
        segments: those of the first model if there are several.
    prior : float, (low, high) or PriorEstimate, optional
        P(y = 1) in the population. Without one it is estimated from the scores of the model with the
        best naive ranking (and is then an upper bound if classes overlap).
    purity : float, default 1
        Share of true positives among the labelled.
    threshold : float, optional
        Operating point, ``score >= threshold``; without one it is chosen to be best for ``objective``.
    objective : str, default "f1"
    confidence_level : float, default 0.95
    rng : int or Generator, default 0
        Seed of the bootstraps, so that a second run says the same.

    Examples
    --------
    >>> table = ScoreTable.from_groups(
    ...     positive=range(40, 80), unlabeled=range(60), scenario="case_control")
    >>> result = evaluate(table, prior=0.2)
    >>> result.models["model"].corrected["roc_auc"].value > result.models["model"].naive["roc_auc"].value
    True
    """
    level = check_level(confidence_level)
    named, segments = _named(tables)
    _check_tables(named)
    first = next(iter(named.values()))
    used, source = _prior(named, prior, purity, level, rng)
    known = resolve_prior(first, used, purity)
    models = {
        name: _model(name, table, used, known, threshold, objective, level, rng)
        for name, table in named.items()
    }
    limit = _largest(first, level)
    diagnostics = list(getattr(used, "diagnostics", ()))
    ranking = None
    if len(named) > 1:
        ranking = best_by_prior(named)
        inside = [c for c in ranking.crossings if known.low < c < known.high]
        if inside:
            diagnostics.append(
                Diagnostic(
                    "PM502",
                    f"the best model by AUC changes at prior {inside[0]:.4g}, inside its range "
                    f"{known.low:.4g} to {known.high:.4g}: narrow the prior before choosing a model.",
                )
            )
    if limit is not None and known.low > limit:
        diagnostics.append(
            Diagnostic(
                "PM503",
                f"prior {known.low:.4g} exceeds {limit:.4g}, the largest that the ranking allows with "
                f"confidence {level:g}: the prior is too high or the labels are not a random sample.",
            )
        )
    view = None
    if segments is not None:
        view = drift(segments, prior=prior, purity=known.purity, confidence_level=level)
        diagnostics += [remark for remark in view.diagnostics if remark.code == "PM604"]
    return Evaluation(models, known, source, limit, level, ranking, tuple(diagnostics), view)


def _named(tables: Any) -> tuple[Any, Segments | None]:
    """Tables by the name of their model, and the segments of the first, if there are any."""
    named = {"model": tables} if isinstance(tables, ScoreTable | Segments) else tables
    if not isinstance(named, Mapping):
        return named, None
    segments = [table for table in named.values() if isinstance(table, Segments)]
    whole = {k: t.total if isinstance(t, Segments) else t for k, t in named.items()}
    return whole, segments[0] if segments else None


def _check_tables(named: Any) -> None:
    if not isinstance(named, Mapping) or not named:
        raise InputError("evaluate takes a ScoreTable, or a mapping of model names to tables.")
    first = next(iter(named.values()))
    for name, table in named.items():
        if not isinstance(table, ScoreTable):
            raise InputError(f"{name!r} is a {type(table).__name__}, not a ScoreTable.")
        if (table.scenario, table.totals) != (first.scenario, first.totals):
            raise InputError(
                f"{name!r} differs from the first table in scenario or in its numbers of rows. Models "
                "are compared on the same rows: evaluate others separately."
            )


def _prior(
    named: Mapping[str, ScoreTable], prior: PriorLike, purity: float, level: float, rng: Any
) -> tuple[PriorLike, str]:
    if prior is not None:
        return prior, "estimate" if isinstance(prior, PriorEstimate) else "given"
    if next(iter(named.values())).total_unl == 0:
        return None, "labels"
    areas = {
        name: roc_auc(table.cut().unlabeled_as_negative(), prior=None).value
        for name, table in named.items()
    }
    best = max(areas, key=lambda name: areas[name])
    found = estimate_prior(named[best], confidence_level=level, rng=rng)
    return found, f"estimated from the scores of {best!r}"


def _model(
    name: str,
    table: ScoreTable,
    prior: PriorLike,
    known: PriorRange,
    threshold: float | None,
    objective: str,
    level: float,
    rng: Any,
) -> ModelEvaluation:
    given: dict[str, Any] = {"prior": prior, "purity": known.purity, "confidence_level": level}
    naive_table, naive_ranks = table.unlabeled_as_negative(), table.cut().unlabeled_as_negative()
    naive, corrected, bounds = {}, {}, {}
    curves = (
        ("roc_auc", roc_auc, roc_auc_bounds),
        ("average_precision", average_precision, average_precision_bounds),
    )
    span = (known.low, known.high) if not known.is_point else known.value
    for key, function, bound in curves:
        corrected[key] = function(table, **given)
        naive[key] = function(naive_ranks, prior=None, confidence_level=level)
        with suppress(PuremetricsError):  # noisy or weighted labels, or nothing hidden: no bounds
            if known.purity == 1.0:
                bounds[key] = bound(table, prior=span, confidence_level=level)
    choice = None
    at = threshold
    if at is None and table.whole:
        choice = choose_threshold(
            table,
            objective=objective,
            prior=prior,
            purity=known.purity,
            confidence_level=level,
            n_resamples=int(np.clip(2_000_000 // max(table.cut().score.size, 1), 20, 200)),
            rng=rng,
        )
        at = choice.threshold if np.isfinite(choice.threshold) else None
    for key in _AT_THRESHOLD if at is not None else ():
        assert at is not None
        corrected[key] = metric(table, key, threshold=at, **given)
        naive[key] = metric(naive_table, key, threshold=at, prior=None, confidence_level=level)
    at_threshold: dict[str, Interval] = {}
    with suppress(PuremetricsError):
        if at is not None and known.purity == 1.0:
            at_threshold = bounds_at_threshold(
                table, (*_AT_THRESHOLD, *_ENTRIES), threshold=at, prior=span, confidence_level=level
            )
    bounds |= {key: at_threshold[key] for key in _AT_THRESHOLD if key in at_threshold}
    free: Mapping[str, Estimate] = {}
    with suppress(UnsupportedError):
        free = {f.__name__: f(table, confidence_level=level) for f in _PRIOR_FREE}
    low, high = score_span(table)
    calibration = None
    if low >= 0 and high <= 1 and high > low and not table.is_cut:
        calibration = calibration_error(
            table, prior=prior, purity=known.purity, confidence_level=level
        )
    hull = roc_hull(table, prior=known.value, purity=known.purity)
    sensitivity = prior_sensitivity(
        table,
        priors=_around(table, known),
        purity=known.purity,
        bounds=False,
        confidence_level=level,
    )
    seen: dict[str, Diagnostic] = {}
    if table.hidden is not None:
        seen["PM606"] = Diagnostic(
            "PM606",
            f"the labelled scores did not fit and were put into {table.score.size} buckets. ROC AUC and "
            "average precision come with brackets; all else counts the rows of a bucket as tied.",
        )
    for estimate in [*corrected.values(), *free.values()]:
        for remark in estimate.diagnostics:
            seen.setdefault(remark.code, remark)
    for remark in _remarks(table, known, (low, high), prior):
        seen.setdefault(remark.code, remark)
    return ModelEvaluation(
        name=name,
        table=table,
        naive=naive,
        corrected=corrected,
        bounds=bounds,
        prior_free=free,
        hull=hull,
        calibration=calibration,
        operating_point=choice,
        confusion=None if at is None else _confusion(table, known, corrected, at_threshold),
        sensitivity=sensitivity,
        narrowing=_narrowing(table, corrected["roc_auc"], known, level),
        diagnostics=tuple(seen.values()),
    )


def _confusion(
    table: ScoreTable,
    known: PriorRange,
    corrected: Mapping[str, Estimate],
    bounds: Mapping[str, Interval],
) -> ConfusionMatrix:
    """Counts from the corrected rates at the operating point, and their bounds."""
    recall, specificity = corrected["recall"], corrected["specificity"]
    assert recall.threshold is not None
    size = population_size(table)
    positive, negative = known.value * size, (1 - known.value) * size
    found, spared = positive * recall.value, negative * specificity.value
    kept = {name: bounds[name] for name in _ENTRIES if name in bounds}
    return ConfusionMatrix(
        recall.threshold, found, negative - spared, positive - found, spared, bounds=kept
    )


def _remarks(
    table: ScoreTable, known: PriorRange, span: tuple[float, float], prior: PriorLike
) -> list[Diagnostic]:
    """What the scores and labels themselves give reason to say."""
    remarks = []
    low, high = span
    if low < 0 or high > 1:
        remarks.append(
            Diagnostic(
                "PM504",
                f"scores span {low:.4g} to {high:.4g} and are no probabilities, so calibration was left "
                "out. `recalibrate` turns them into probabilities.",
            )
        )
    tied = _largest_tie(table)
    if tied >= _MUCH_TIED:
        remarks.append(
            Diagnostic(
                "PM505",
                f"{100 * tied:.0f} % of the unlabeled rows share one score, and no threshold can part "
                "them: curves are straight there, and tied pairs count one half. Score them more "
                "finely if you can.",
            )
        )
    if prior is not None and not isinstance(prior, PriorEstimate):
        with suppress(PuremetricsError):  # weights, or no unlabeled rows: nothing to compare
            remarks += check_labelling(table, prior=prior, purity=known.purity).diagnostics
    return remarks


def _largest_tie(table: ScoreTable) -> float:
    """Share of the unlabeled rows in the largest group of ties, if it is large; O(log rows)."""
    if table.total_unl == 0 or table.is_cut or table.is_scanned:
        return 0.0
    heads = np.floor(table.total_unl * np.arange(1, 10) / 10)
    above, through = table.unlabeled_steps(heads)
    return float(np.max(through - above)) / table.total_unl


def _around(table: ScoreTable, known: PriorRange) -> Any:
    """Priors from half to one and a half times the one used, as far as they are possible."""
    low, high = prior_limits(table, known.purity)
    high = min(high, 0.98 * known.purity)
    ends = max(0.5 * known.value, low), min(max(1.5 * known.value, known.high), high)
    if table.total_unl == 0 or ends[0] >= ends[1]:
        return np.array([known.value])
    return np.linspace(ends[0], ends[1], 9)


def _narrowing(table: ScoreTable, area: Estimate, known: PriorRange, level: float) -> Narrowing:
    ranked = table.cut()
    gap = known.purity - comparison_share(table, known.value)
    parts = linear_variance(ranked, *area_influence(heads_of(ranked), gap))
    fixed = roc_auc(table, prior=known.value, purity=known.purity, confidence_level=level)
    assert area.interval is not None
    assert fixed.interval is not None
    width, sampling = area.interval.width, fixed.interval.width
    by_prior = max(width - sampling, 0.0) / width if width > 0 else 0.0
    share = parts.from_positives / parts.total if parts.total > 0 else 0.5
    spread = known.high - known.low
    audits = {}
    if spread > 0 and table.total_unl > 0:
        for rows in _AUDITS:
            low, high = agresti_coull(known.value, rows, level)
            audits[rows] = sampling + (width - sampling) * min((high - low) / spread, 1.0)
    return Narrowing(
        width=width,
        due_to_positives=(1 - by_prior) * share,
        due_to_others=(1 - by_prior) * (1 - share),
        due_to_prior=by_prior,
        twice_the_labels=width - sampling * (1 - np.sqrt(share / 2 + 1 - share)),
        twice_the_rows=width - sampling * (1 - np.sqrt(share + (1 - share) / 2)),
        audits=audits,
    )


def _largest(table: ScoreTable, level: float) -> float | None:
    with suppress(UnsupportedError):
        return largest_prior(table, confidence_level=level).prior
    return None


# ------------------------------------------------------------------------------------- showing


def _page(result: Evaluation) -> list[str]:
    known = result.prior
    span = f"{known.value:.4g}"
    if not known.is_point:
        span += f" ({known.low:.4g} to {known.high:.4g})"
    lines = [f"prior {span}, {result.prior_source}; purity of the labels {known.purity:.4g}"]
    if result.largest_prior is not None:
        lines.append(
            f"largest prior that the data allow, with confidence {result.level:g}: {result.largest_prior:.4g}"
        )
    for model in result.models.values():
        lines += ["", f"{model.name}: {model.table}"]
        interval = f"{100 * result.level:g} % interval"
        lines.append(f"  {'':<24}{'naive':>8}{'corrected':>11}   {interval:<19}{'bounds':<19}")
        for key, estimate in model.corrected.items():
            bound = model.bounds.get(key)
            lines.append(
                f"  {_short(estimate):<24}{model.naive[key].value:>8.4f}{estimate.value:>11.4f}   "
                f"{_span(estimate.interval):<19}{_span(bound):<19}".rstrip()
            )
        if model.operating_point is not None:
            choice = model.operating_point
            name, estimate = choice.objective, choice.estimate
            lines.append(
                f"  metrics at score >= {choice.threshold:.6g}, the best threshold for {name}; corrected for "
                f"having chosen, {name} is {estimate.value:.4f} ({_span(estimate.interval)})"
            )
        if model.confusion is not None:
            lines.append("  " + _confusion_line(model.confusion))
        if model.prior_free:
            shown = [f"{_short(e)} {e.value:.4f}" for e in model.prior_free.values()]
            lines.append("  without a prior: " + ", ".join(shown))
        if model.calibration is not None:
            lines.append("  " + str(model.calibration).splitlines()[0])
        lines += ["  " + text for text in _narrowing_lines(model.narrowing)]
        lines += [f"  {remark}" for remark in model.diagnostics]
    if result.ranking is not None:
        lines += ["", *str(result.ranking).splitlines()]
    if result.drift is not None:
        lines += ["", *str(result.drift).splitlines()]
    lines += [str(remark) for remark in result.diagnostics if remark.code != "PM604"]
    return lines


def _confusion_line(matrix: ConfusionMatrix) -> str:
    words = ("true positives", "false positives", "missed positives", "true negatives")
    parts = []
    for name, word in zip(_ENTRIES, words, strict=True):
        bound = matrix.bounds.get(name)
        ends = "" if bound is None else f" ({bound.low:.0f} to {bound.high:.0f})"
        parts.append(f"{getattr(matrix, name):.0f} {word}{ends}")
    return ", ".join(parts)


def _narrowing_lines(narrow: Narrowing) -> list[str]:
    shares = (narrow.due_to_positives, narrow.due_to_others, narrow.due_to_prior)
    parts = [f"{100 * share:.0f} % from the {what}" for share, what in zip(
        shares, ("labelled positives", "other rows", "prior"), strict=True)]  # fmt: skip
    text = f"width of the AUC's interval, {narrow.width:.4f}: {', '.join(parts)}"
    bought = [
        f"twice the labels {narrow.twice_the_labels:.4f}",
        f"twice the other rows {narrow.twice_the_rows:.4f}",
    ]
    bought += [f"an audit of {rows} rows {width:.4f}" for rows, width in narrow.audits.items()]
    return [text, "it would be about: " + ", ".join(bought)]


def _short(estimate: Estimate) -> str:
    return estimate.title.split(" (")[0]


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"


def _bounds_dict(bounds: Mapping[str, Interval]) -> dict[str, Any]:
    return {key: {"low": b.low, "high": b.high, "level": b.level} for key, b in bounds.items()}


def _model_dict(model: ModelEvaluation) -> dict[str, Any]:
    pos, unl, neg = model.table.totals
    choice = model.operating_point
    return {
        "rows": {
            "positive": pos,
            "unlabeled": unl,
            "negative": neg,
            "scenario": model.table.scenario,
        },
        "naive": {key: e.to_dict() for key, e in model.naive.items()},
        "corrected": {key: e.to_dict() for key, e in model.corrected.items()},
        "bounds": _bounds_dict(model.bounds),
        "prior_free": {key: e.to_dict() for key, e in model.prior_free.items()},
        "hull": {"area": model.hull.area, "largest_prior": model.hull.largest_prior},
        "calibration_error": None if model.calibration is None else model.calibration.error,
        "operating_point": None
        if choice is None
        else {
            "threshold": choice.threshold,
            "objective": choice.objective,
            "estimate": choice.estimate.to_dict(),
            "tp": choice.tp,
            "fp": choice.fp,
            "fn": choice.fn,
            "tn": choice.tn,
        },
        "confusion": None if model.confusion is None else model.confusion.to_dict(),
        "sensitivity": {
            k: v.tolist() for k, v in model.sensitivity.frame().items() if "bound" not in k
        },
        "narrowing": {
            "width": model.narrowing.width,
            "due_to_positives": model.narrowing.due_to_positives,
            "due_to_others": model.narrowing.due_to_others,
            "due_to_prior": model.narrowing.due_to_prior,
            "twice_the_labels": model.narrowing.twice_the_labels,
            "twice_the_rows": model.narrowing.twice_the_rows,
            "audits": {str(k): v for k, v in model.narrowing.audits.items()},
        },
        "diagnostics": [{"code": d.code, "message": d.message} for d in model.diagnostics],
    }
