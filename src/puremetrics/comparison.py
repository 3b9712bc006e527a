"""Comparing models on the same rows: paired differences, multiplicity, and where the prior decides.

Two models scored on the same rows err together, so their difference is known better than either. Its
variance is that of the difference of their influence values, row by row: for the area under the ROC
curve that is the paired form of DeLong, Delong and Clarke-Pearson (1988), carried through the correction
(Jain, Eq. (4)); metrics at a threshold use their own. ``method="bootstrap"`` resamples rows instead, each
with its scores by all models. It is the default for average precision, whose influence values belong to
the raw sum, which varies more than the repaired one: valid there, but up to twice as wide.

With more than two models every pair is compared: p-values are adjusted by Holm's procedure, and
``simultaneous`` intervals by Bonferroni's, so that all of them hold at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from puremetrics._validation import (
    FloatArray,
    as_generator,
    check_choice,
    check_level,
    check_number,
)
from puremetrics.confusion import heads_of, metric, metric_of_shares, shares_at
from puremetrics.correction import area_influence, average_precision, precision_influence, roc_auc
from puremetrics.exceptions import InputError
from puremetrics.formulas import find_formula
from puremetrics.intervals import contributions, normal_quantile
from puremetrics.joint import JointTable
from puremetrics.results import Estimate, Interval
from puremetrics.scenario import PriorLike, PriorRange, comparison_share, resolve_prior
from puremetrics.sensitivity import ModelRanking, best_by_prior
from puremetrics.table import ScoreTable

__all__ = ["Comparison", "Difference", "compare"]

_CURVES = {"roc_auc": roc_auc, "average_precision": average_precision}


@dataclass(frozen=True)
class Difference:
    """How much the first model exceeds the second, on the same rows.

    Attributes
    ----------
    value, standard_error : float
    interval : Interval
        For this pair alone.
    simultaneous : Interval
        Such that the intervals of all pairs hold at once.
    p_value, adjusted_p_value : float
        Two-sided, of no difference; adjusted by Holm's procedure.
    """

    first: str
    second: str
    value: float
    standard_error: float
    interval: Interval
    simultaneous: Interval
    p_value: float
    adjusted_p_value: float

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first} − {self.second}: {self.value:+.4f}, {100 * self.interval.level:g} % "
            f"{self.interval.kind} interval {low:+.4f} to {high:+.4f}, adjusted p {self.adjusted_p_value:.3g}"
        )


@dataclass(frozen=True)
class Comparison:
    """Estimates of each model, differences of each pair, and which is best at which prior."""

    statistic: str
    estimates: dict[str, Estimate]
    differences: list[Difference]
    ranking: ModelRanking | None
    method: str

    def __str__(self) -> str:
        lines = [f"{name}: {estimate.value:.4f}" for name, estimate in self.estimates.items()]
        lines += [str(difference) for difference in self.differences]
        if self.ranking is not None:
            lines.append(str(self.ranking))
        return "\n".join(lines)


def compare(
    joint: JointTable,
    *,
    statistic: str = "roc_auc",
    prior: PriorLike,
    purity: float = 1.0,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    method: str | None = None,
    n_resamples: int = 499,
    rng: Any = None,
    **options: float,
) -> Comparison:
    """Compare models scored on the same rows.

    Parameters
    ----------
    joint : JointTable
    statistic : str
        "roc_auc", "average_precision", or a metric at ``threshold``.
    prior : float, (low, high) or PriorEstimate
        P(y = 1) in the population. A range widens every difference.
    purity : float, default 1
        Share of true positives among the labelled.
    threshold : float, optional
        For metrics of the confusion matrix; the same for all models.
    confidence_level : float, default 0.95
    method : {"influence", "bootstrap"}, optional
        Default: the bootstrap for average precision, influence values otherwise.
    n_resamples, rng
        Of the bootstrap; its cost is O(rows) a resample.
    options
        Of the metric, such as ``beta``.

    Examples
    --------
    >>> joint = JointTable.from_arrays(
    ...     [1, 1, 1, 0, 0, 0], {"a": [6, 5, 3, 4, 2, 1], "b": [6, 1, 3, 4, 2, 5]},
    ...     scenario="case_control")
    >>> compare(joint, prior=0.1).differences[0].value > 0
    True
    """
    level = check_level(confidence_level)
    default = "bootstrap" if statistic == "average_precision" else "influence"
    method = check_choice(method or default, ("influence", "bootstrap"), "method")
    if not isinstance(joint, JointTable):
        raise InputError("compare takes a JointTable, which knows that the rows are the same ones.")
    statistic = _check_statistic(statistic, threshold, options)
    first = next(iter(joint.tables.values()))
    known = resolve_prior(first, prior, purity)
    estimates = {
        name: _estimate(table, statistic, known, known.value, threshold, level, options)
        for name, table in joint.tables.items()
    }
    pairs = list(combinations(joint, 2))
    points = [known.value] if known.is_point else [known.value, known.low, known.high]
    spreads = []
    for point in points:
        values = {
            name: _estimate(table, statistic, known, point, threshold, level, options).value
            for name, table in joint.tables.items()
        }
        if method == "influence":
            rows = _row_errors(joint, statistic, known, point, threshold, options)
            errors = [float(np.sqrt(np.sum((rows[a] - rows[b]) ** 2))) for a, b in pairs]
        else:
            drawn = _replicates(
                joint, statistic, known, point, threshold, options, n_resamples, rng
            )
            errors = [float(np.std(drawn[a] - drawn[b], ddof=1)) for a, b in pairs]
        spreads.append(
            [(values[a] - values[b], e) for (a, b), e in zip(pairs, errors, strict=True)]
        )
    differences = _differences(pairs, spreads, level, known, method)
    ranking = best_by_prior(joint.tables, statistic=statistic) if statistic in _CURVES else None
    return Comparison(statistic, estimates, differences, ranking, method)


def _check_statistic(statistic: str, threshold: float | None, options: dict[str, float]) -> str:
    if statistic in _CURVES:
        if threshold is not None or options:
            raise InputError(f"{statistic!r} takes neither a threshold nor options.")
        return statistic
    formula, _ = find_formula(statistic, dict(options))
    if threshold is None:
        raise InputError(f"{statistic!r} is a metric of the confusion matrix: pass threshold=….")
    check_number(threshold, "threshold")
    return formula.name


def _estimate(
    table: ScoreTable,
    statistic: str,
    known: PriorRange,
    prior: float,
    threshold: float | None,
    level: float,
    options: dict[str, float],
) -> Estimate:
    given: dict[str, Any] = {"prior": prior, "purity": known.purity, "confidence_level": level}
    if statistic in _CURVES:
        return _CURVES[statistic](table, **given)
    assert threshold is not None
    return metric(table, statistic, threshold=threshold, **given, **options)


def _row_errors(
    joint: JointTable,
    statistic: str,
    known: PriorRange,
    prior: float,
    threshold: float | None,
    options: dict[str, float],
) -> dict[str, FloatArray]:
    """What each row adds to the error of each model's estimate."""
    errors = {}
    for name, table in joint.tables.items():
        ranked = table.cut()
        if threshold is None:
            heads = heads_of(ranked)
            if statistic == "roc_auc":
                gap = known.purity - comparison_share(ranked, prior)
                influence = area_influence(heads, gap)
            else:
                influence = precision_influence(ranked, heads, prior, known.purity)
            via_pos, via_cmp = contributions(ranked, *influence)
            place = joint.places[name]
            on_pos, on_cmp = via_pos[place], via_cmp[place]
        else:
            on_pos, on_cmp = _metric_errors(
                table, joint.scores[name], statistic, known, prior, threshold, options
            )
        rows = np.where(joint.group == 0, on_pos, on_cmp)
        if joint.scenario == "case_control":  # known negatives are no part of the comparison sample
            rows[joint.group == (2 if table.total_unl > 0 else 1)] = 0.0
        errors[name] = rows
    return errors


def _metric_errors(
    table: ScoreTable,
    score: FloatArray,
    statistic: str,
    known: PriorRange,
    prior: float,
    threshold: float,
    options: dict[str, float],
) -> tuple[FloatArray, FloatArray]:
    """Influence of a row on a metric: its derivative by each head, if the row is in the head."""
    formula, checked = find_formula(statistic, dict(options))
    compute = metric_of_shares(table, formula, checked, prior, known.purity)
    g, f = shares_at(table, threshold)
    step = 1e-6
    by_g = float(
        compute(np.array(g + step), np.array(f)) - compute(np.array(g - step), np.array(f))
    )
    by_f = float(
        compute(np.array(g), np.array(f + step)) - compute(np.array(g), np.array(f - step))
    )
    two = ScoreTable.from_counts(
        [1.0, 0.0],
        n_pos=_split(table.n_pos, table.score, threshold),
        n_unl=_split(table.n_unl, table.score, threshold),
        n_neg=_split(table.n_neg, table.score, threshold),
        scenario=table.scenario,
    )
    inside = np.array([1.0, 0.0])[: two.score.size] if two.score[0] == 1.0 else np.array([0.0])
    via_pos, via_cmp = contributions(two, by_g / (2 * step) * inside, by_f / (2 * step) * inside)
    row = np.where(score >= threshold, 0, two.score.size - 1)
    return via_pos[row], via_cmp[row]


def _split(counts: Any, score: FloatArray, threshold: float) -> list[float]:
    above = score >= threshold
    return [counts[above].sum(), counts[~above].sum()]


def _replicates(
    joint: JointTable,
    statistic: str,
    known: PriorRange,
    prior: float,
    threshold: float | None,
    options: dict[str, float],
    n_resamples: int,
    rng: Any,
) -> dict[str, FloatArray]:
    """Statistics of resampled rows, each row keeping its scores by all models."""
    drawn: dict[str, list[float]] = {name: [] for name in joint}
    for weights in _row_weights(joint, n_resamples, rng):
        for name, table in joint.tables.items():
            resampled = _reweighted(joint, name, table, weights, threshold is None)
            estimate = _estimate(resampled, statistic, known, prior, threshold, 0.95, options)
            drawn[name].append(estimate.value)
    return {name: np.array(values) for name, values in drawn.items()}


def _row_weights(joint: JointTable, n_resamples: int, rng: Any) -> Iterator[Any]:
    generator = as_generator(rng)
    members = [np.flatnonzero(joint.group == group) for group in range(3)]
    for _ in range(n_resamples):
        weights = np.zeros(joint.group.size, dtype=np.int64)
        for rows in members:
            if rows.size:
                picked = generator.integers(rows.size, size=rows.size)
                weights[rows] = np.bincount(picked, minlength=rows.size)
        yield weights


def _reweighted(
    joint: JointTable, name: str, table: ScoreTable, weights: Any, ranks_only: bool
) -> ScoreTable:
    base = table.cut() if ranks_only else table
    place = (
        joint.places[name]
        if ranks_only
        else np.searchsorted(-table.score, -joint.scores[name], side="left")
    )
    columns = []
    for group in range(3):
        rows = joint.group == group
        columns.append(np.bincount(place[rows], weights=weights[rows], minlength=base.score.size))
    return base.with_counts(*(column.astype(np.int64) for column in columns))


def _differences(
    pairs: list[tuple[str, str]],
    spreads: list[list[tuple[float, float]]],
    level: float,
    known: PriorRange,
    method: str,
) -> list[Difference]:
    from scipy.special import ndtr

    count = len(pairs)
    quantile, wide = normal_quantile(level), normal_quantile(1 - (1 - level) / count)
    p_values = np.ones(count)
    for i in range(count):
        # Over a range of priors the least convincing difference counts.
        chances = [
            2 * float(ndtr(-abs(d) / e)) if e > 0 else float(d == 0)
            for d, e in (s[i] for s in spreads)
        ]
        p_values[i] = max(chances)
    order = np.argsort(p_values)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate(
        np.minimum(p_values[order] * (count - np.arange(count)), 1.0)
    )
    kind = "confidence" if known.is_point else "combined"
    result = []
    for i, (first, second) in enumerate(pairs):
        ends = []
        for reach in (quantile, wide):
            low = min(s[i][0] - reach * s[i][1] for s in spreads)
            high = max(s[i][0] + reach * s[i][1] for s in spreads)
            ends.append(Interval(low, high, level, kind, f"paired_{method}"))  # type: ignore[arg-type]
        value, error = spreads[0][i]
        result.append(
            Difference(
                first,
                second,
                value,
                error,
                ends[0],
                ends[1],
                float(p_values[i]),
                float(adjusted[i]),
            )
        )
    return result
