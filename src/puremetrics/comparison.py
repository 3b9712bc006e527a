"""Comparing models on the same rows: paired differences, multiplicity, and where the prior decides.

Two models scored on the same rows err together, so their difference is known better than either. Its
variance is that of the difference of their influence values, row by row: for the area under the ROC
curve that is the paired form of DeLong, Delong and Clarke-Pearson (1988), carried through the correction
(Jain, Eq. (4)); metrics at a threshold use their own. ``method="bootstrap"`` resamples rows instead, each
with its scores by all models. It is the default for average precision, whose influence values belong to
the raw sum, which varies more than the repaired one: valid there, but up to twice as wide.

Limits and p-values are Student's, which matters where few rows are labelled.

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
    check_count,
    check_level,
    check_number,
)
from puremetrics.confusion import heads_of, metric, metric_of_shares, shares_at
from puremetrics.correction import area_influence, average_precision, precision_influence, roc_auc
from puremetrics.exceptions import InputError, UnsupportedError
from puremetrics.formulas import find_formula
from puremetrics.intervals import contributions, small_sample, student_quantile
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
    if not isinstance(joint, JointTable):
        raise InputError(
            "compare takes a JointTable, which knows that the rows are the same ones. Build one with "
            "JointTable.from_arrays."
        )
    statistic = _check_statistic(statistic, threshold, options)
    if method is None:
        method = "bootstrap" if statistic == "average_precision" else "influence"
    method = check_choice(method, ("influence", "bootstrap"), "method")
    first = next(iter(joint.tables.values()))
    known = resolve_prior(first, prior, purity)
    estimates = {
        name: _estimate(table, statistic, known, known.value, threshold, level, options)
        for name, table in joint.tables.items()
    }
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(
                f"{estimate.title} of model {name!r} is undefined at this threshold, so it cannot be "
                "compared. Choose a threshold inside the range of the scores, or another metric."
            )
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
            errors = [_error_of(joint, rows[a] - rows[b]) for a, b in pairs]
        else:
            check_count(n_resamples, "n_resamples", smallest=2)
            drawn = _replicates(
                joint, statistic, known, point, threshold, options, n_resamples, rng
            )
            labelled = first.total_pos
            errors = [
                (
                    float(np.std(drawn[a] - drawn[b], ddof=1)) * small_sample(labelled),
                    max(labelled - 1, 1.0),
                )
                for a, b in pairs
            ]
        spreads.append(
            [(values[a] - values[b], *e) for (a, b), e in zip(pairs, errors, strict=True)]
        )
    differences = _differences(pairs, spreads, level, known, method)
    ranking = best_by_prior(joint.tables, statistic=statistic) if statistic in _CURVES else None
    return Comparison(statistic, estimates, differences, ranking, method)


def _error_of(joint: JointTable, rows: FloatArray) -> tuple[float, float]:
    """Standard error of a sum over rows, and its degrees of freedom (Welch and Satterthwaite)."""
    parts = [
        (float(np.sum(rows[g] ** 2)), int(g.sum())) for g in (joint.group == k for k in range(3))
    ]
    total = sum(part for part, _ in parts)
    spread = sum(part**2 / max(size - 1, 1) for part, size in parts)
    return float(np.sqrt(total)), total**2 / spread if spread > 0 else 1.0


def _check_statistic(statistic: str, threshold: float | None, options: dict[str, float]) -> str:
    if isinstance(statistic, str) and statistic in _CURVES:
        if threshold is not None or options:
            raise InputError(
                f"{statistic!r} takes neither a threshold nor options. Leave them out."
            )
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
    replicates = {name: np.array(values) for name, values in drawn.items()}
    undefined = sum(not np.isfinite(values).all() for values in replicates.values())
    if undefined:
        raise UnsupportedError(
            f"{statistic!r} is undefined on some resamples, so its spread is unknown. Use "
            "method='influence', or choose a threshold with more rows on both sides."
        )
    return replicates


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
    spreads: list[list[tuple[float, float, float]]],
    level: float,
    known: PriorRange,
    method: str,
) -> list[Difference]:
    from scipy.special import stdtr

    count = len(pairs)
    p_values = np.ones(count)
    for i in range(count):
        # Over a range of priors the least convincing difference counts.
        chances = [
            2 * float(stdtr(degrees, -abs(d) / e)) if e > 0 else float(d == 0)
            for d, e, degrees in (s[i] for s in spreads)
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
        for sure in (level, 1 - (1 - level) / count):
            reaches = [student_quantile(s[i][2], sure) * s[i][1] for s in spreads]
            low = min(s[i][0] - reach for s, reach in zip(spreads, reaches, strict=True))
            high = max(s[i][0] + reach for s, reach in zip(spreads, reaches, strict=True))
            ends.append(Interval(low, high, level, kind, f"paired_{method}"))  # type: ignore[arg-type]
        value, error, _ = spreads[0][i]
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
