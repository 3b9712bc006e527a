"""The standard set of everything: one honest picture of one or more classifiers.

`evaluate` only calls the other modules and puts their results side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from puremetrics._validation import check_level
from puremetrics.bounds import average_precision_bounds, bounds_at_threshold, roc_auc_bounds
from puremetrics.calibration.bins import score_span
from puremetrics.calibration.error import calibration_error
from puremetrics.confusion import metric
from puremetrics.correction import average_precision, roc_auc
from puremetrics.drifting import drift
from puremetrics.evaluation.narrowing import narrowing_of
from puremetrics.evaluation.records import ENTRIES, ConfusionMatrix, Evaluation, ModelEvaluation
from puremetrics.exceptions import Diagnostic, InputError, PuremetricsError, UnsupportedError
from puremetrics.hull import roc_hull
from puremetrics.labelling import check_labelling
from puremetrics.priors import estimate_prior
from puremetrics.ranking.measures import (
    lee_liu,
    mean_f1,
    mean_mutual_information,
    mean_pearson,
    pulp,
)
from puremetrics.results import Estimate, Interval, PriorEstimate
from puremetrics.scenario import (
    PriorLike,
    PriorRange,
    population_size,
    prior_limits,
    resolve_prior,
)
from puremetrics.segments import Segments
from puremetrics.sensitivity import (
    best_by_prior,
    largest_prior,
    prior_sensitivity,
)
from puremetrics.table import ScoreTable
from puremetrics.threshold import choose_threshold

__all__ = ["evaluate"]

_AT_THRESHOLD = ("precision", "recall", "specificity", "f1", "accuracy", "mcc")
_PRIOR_FREE = (pulp, lee_liu, mean_f1, mean_mutual_information, mean_pearson)
_MUCH_TIED = 0.2


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
                table, (*_AT_THRESHOLD, *ENTRIES), threshold=at, prior=span, confidence_level=level
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
        narrowing=narrowing_of(table, corrected["roc_auc"], known, level),
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
    kept = {name: bounds[name] for name in ENTRIES if name in bounds}
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


def _largest(table: ScoreTable, level: float) -> float | None:
    with suppress(UnsupportedError):
        return largest_prior(table, confidence_level=level).prior
    return None
