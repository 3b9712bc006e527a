"""Comparing models with an audit: no prior, and no assumption about the labels.

A difference of two models is one sum over positives (`auditing.areas`), in which what both get right
cancels:

- ROC areas have the same denominator, so their difference is Σ M·(q_A − q_B) / [P·(1 − P/N)], with M, P, N
  and q as in `auditing.areas`. A value θ is inside the interval if numerator − θ·denominator can be 0.
- Average precisions likewise, with their slopes by the positives for q, and P for the denominator.
- The Brier score is linear: [Σ s² − 2·Σ M·s + P] / N.
- Metrics at a threshold depend on the positives in the four groups of rows that both, one, or none of the
  models predict. Limits of each of the four are carried through both metrics, and squared distances add up.
  They lie around the difference of both estimates, each of which knows its own threshold only.

Estimates of single models come from the same sums, with one model for two; the average precision of one is
that of `auditing.areas`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing import Audit, audited_precision
from puremetrics.auditing.areas import FEWEST, Paired, inverted, precision_slopes
from puremetrics.auditing.metrics import Hidden, audited_estimate, possible
from puremetrics.calibration.bins import check_probabilities
from puremetrics.checking.arguments import check_level, check_number
from puremetrics.checking.types import FloatArray
from puremetrics.comparing.differences import Difference
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.formulas import Formula, find_formula
from puremetrics.numerics.quantiles import holm_adjusted
from puremetrics.results import Estimate
from puremetrics.sampling.bounded import combined_reach
from puremetrics.setting import PurityLike, check_known_head
from puremetrics.tables.joint import JointTable

__all__ = ["Signs", "audited_comparison"]

Signs = dict[str, float]  # models, and how they count: one for its estimate, two for a difference
_AREAS = {"roc_auc": "ROC AUC", "average_precision": "Average precision"}
_STEP = 1e-6


class Found(NamedTuple):
    """A value and its limits."""

    value: float
    low: float
    high: float


Measure = Callable[[Paired, Signs], Found]


def audited_comparison(
    joint: JointTable,
    statistic: str,
    audit: Audit,
    purity: PurityLike,
    threshold: float | None,
    confidence_level: float,
    options: dict[str, float],
) -> tuple[str, dict[str, Estimate], list[Difference], tuple[Diagnostic, ...]]:
    """Name of the statistic, estimates of all models, differences of all pairs, and remarks."""
    level = check_level(confidence_level)
    paired = Paired.of(joint, audit, purity, level)
    name, title, measure = _measure(joint, statistic, threshold, options)
    at = measure.threshold if isinstance(measure, _Metric) else None
    estimates = {
        model: _estimate(paired, name, title, model, measure(paired, {model: 1.0}), at)
        for model in joint
    }
    pairs = list(combinations(joint, 2))
    strict = paired.with_level(1 - (1 - level) / len(pairs))
    found = [measure(paired, {a: 1.0, b: -1.0}) for a, b in pairs]
    together = [measure(strict, {a: 1.0, b: -1.0}) for a, b in pairs]
    chances = np.array([_chance(one, paired.base.quantile) for one in found])
    adjusted = holm_adjusted(chances)
    interval = paired.base.interval
    differences = [
        Difference(
            first, second, one.value,
            max(one.high - one.value, one.value - one.low) / paired.base.quantile,
            interval(one.low, one.high), interval(all_.low, all_.high), float(p), float(q),
        )
        for (first, second), one, all_, p, q in zip(
            pairs, found, together, chances, adjusted, strict=True
        )
    ]  # fmt: skip
    return name, estimates, differences, paired.base.diagnostics


def _measure(
    joint: JointTable, statistic: str, threshold: float | None, options: dict[str, float]
) -> tuple[str, str, Measure]:
    known = statistic if isinstance(statistic, str) else ""
    if known in _AREAS:
        area = _area if known == "roc_auc" else _precision
        return known, _AREAS[known], _at_all_purities(area)
    if known == "brier_score":
        for table in joint.tables.values():
            check_probabilities(table, statistic)
        return statistic, "Brier score", _at_all_purities(_brier)
    if known in ("log_loss", "calibration_error", "pulp"):
        raise UnsupportedError(
            f"{statistic} is not compared with an audit. Compare roc_auc, average_precision, brier_score or "
            "a metric at a threshold."
        )
    formula, checked = find_formula(statistic, dict(options))
    if threshold is None:
        raise InputError(f"{formula.name} is a metric at a threshold: pass threshold=….")
    at = check_number(threshold, "threshold")
    for table in joint.tables.values():
        check_known_head(table, at)
    return formula.name, formula.title, _Metric(formula, checked, at)


def _at_all_purities(measure: Measure) -> Measure:
    """The same with limits that hold at both ends of the purity."""

    def measured(paired: Paired, signs: Signs) -> Found:
        here = measure(paired, signs)
        ends = [measure(end, signs) for end in paired.at_purities()]
        lows, highs = [end.low for end in ends], [end.high for end in ends]
        return Found(here.value, min([here.low, *lows]), max([here.high, *highs]))

    return measured


def _chance(found: Found, quantile: float) -> float:
    """Two-sided p-value of no difference, from the limit on the side of 0."""
    from scipy.special import ndtr

    reach = found.value - found.low if found.value > 0 else found.high - found.value
    if reach <= 0:
        return float(found.value == 0)
    return float(2 * ndtr(-abs(found.value) / reach * quantile))


def _estimate(
    paired: Paired, name: str, title: str, model: str, found: Found, threshold: float | None
) -> Estimate:
    audited = paired.models[model]
    if not np.isfinite(found.value):
        raise UnsupportedError(
            f"{title} of model {model!r} is undefined with the positives that the audit found, so it cannot "
            "be compared. Check more rows, or choose another threshold or statistic."
        )
    interval = audited.interval(found.low, found.high)
    return audited_estimate(
        audited, name, title, found.value, interval, audited.diagnostics, threshold
    )


class _Rows(NamedTuple):
    """What each row of the joint table has, and each checked row."""

    every: FloatArray
    checked: FloatArray

    def total(self, paired: Paired) -> Any:
        """Σ over all positives, hidden and known, with how far it may be off."""
        found = paired.total(self.every[paired.unlabeled], self.checked)
        return found._replace(value=found.value + float(paired.known @ self.every))

    def moved(self, by: float) -> _Rows:
        return _Rows(self.every + by, self.checked + by)


def _combined(paired: Paired, signs: Signs, column: Callable[[str], FloatArray]) -> _Rows:
    """Σ sign·value, from the values at each row of every model's table."""
    every, checked = np.zeros(paired.joint.group.size), np.zeros(paired.base.score.size)
    for name, sign in signs.items():
        values = column(name)
        every += sign * values[paired.joint.whole_places[name]]
        checked += sign * values[paired.models[name].place]
    return _Rows(every, checked)


def _bounded(signs: Signs, low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    """Where values can lie: one model's, or a difference."""
    return (low, high) if len(signs) == 1 else (low - high, high - low)


def _area(paired: Paired, signs: Signs) -> Found:
    size, plain = paired.size, sum(signs.values())

    def below(name: str) -> FloatArray:
        rows = paired.models[name].population
        return np.asarray(1 - (np.cumsum(rows) - rows / 2) / size)

    def above(name: str) -> FloatArray:
        held = _held(paired, name)
        return np.asarray((np.cumsum(held) - held / 2) / size)

    placed = _combined(paired, signs, below)
    ones = _Rows(np.ones(placed.every.size), np.ones(placed.checked.size))
    hits, positives = placed.total(paired).value, ones.total(paired).value
    share = positives / size
    if not 0 < share < 1:
        return Found(np.nan, *_bounded(signs))
    bottom = positives * (1 - share)
    others = _combined(paired, signs, above).every

    def margin(theta: float) -> tuple[float, float, float]:
        values = placed.moved(-plain * share - theta * (1 - 2 * share))
        total = values.total(paired)
        error = paired.base.row_quantile * paired.by_rows(values.every, others)
        value = hits - plain * positives * share / 2 - theta * bottom
        return value, combined_reach(total.down, error), combined_reach(total.up, error)

    value = (hits - plain * positives * share / 2) / bottom
    return _settled(paired, signs, value, margin)


def _held(paired: Paired, name: str) -> FloatArray:
    """Positives at each row of a model's table."""
    place, size = paired.joint.whole_places[name], paired.joint[name].score.size
    return np.bincount(place, weights=paired.mass, minlength=size).astype(np.float64)


def _precision(paired: Paired, signs: Signs) -> Found:
    if len(signs) == 1:
        alone = audited_precision(paired.models[next(iter(signs))])
        return Found(alone.value, *(alone.interval or _bounded(signs)))
    ones = _Rows(np.ones(paired.joint.group.size), np.ones(paired.base.score.size))
    positives = ones.total(paired).value
    margins, value = [], np.nan
    for trust in (None, 0.0, 1.0):
        slopes = {name: precision_slopes(paired.models[name], trust) for name in signs}
        here = sum(sign * slopes[name].value for name, sign in signs.items())
        value = here if trust is None else value
        gain = _combined(paired, signs, lambda name, s=slopes: s[name].gain)  # type: ignore[misc]
        others = _combined(paired, signs, lambda name, s=slopes: s[name].others).every  # type: ignore[misc]

        def margin(
            theta: float, here: float = here, gain: _Rows = gain, others: FloatArray = others
        ) -> tuple[float, float, float]:
            values = gain.moved(-theta)
            total = values.total(paired)
            error = paired.base.row_quantile * paired.by_rows(values.every, others)
            return (
                (here - theta) * positives,
                combined_reach(total.down, error),
                combined_reach(total.up, error),
            )

        margins.append(margin)
    if not np.isfinite(value) or positives <= 0:
        return Found(np.nan, *_bounded(signs))
    return _settled(paired, signs, value, *margins)


def _settled(paired: Paired, signs: Signs, value: float, *margins: Any) -> Found:
    low, high = _bounded(signs)
    value = float(np.clip(value, low, high))
    if paired.base.audit.n_positive < FEWEST:
        return Found(value, low, high)
    ends = [inverted(margin, value, low, high) for margin in margins]
    return Found(value, min(end[0] for end in ends), max(end[1] for end in ends))


def _brier(paired: Paired, signs: Signs) -> Found:
    size, plain = paired.size, sum(signs.values())
    score = _combined(paired, signs, lambda name: paired.joint[name].score)
    square = _combined(paired, signs, lambda name: paired.joint[name].score ** 2).every
    values = _Rows(plain - 2 * score.every, plain - 2 * score.checked)
    total = values.total(paired)
    error = paired.base.row_quantile * paired.by_rows(values.every, square)
    value = (float(paired.counts @ square) + total.value) / size
    least, most = _bounded(signs)
    low, high = (combined_reach(part, error) / size for part in (total.down, total.up))
    return Found(value, max(value - low, least), min(value + high, most))


@dataclass(frozen=True)
class _Metric:
    """A metric at a threshold, from the positives in every group of rows that the models predict alike."""

    formula: Formula
    options: dict[str, float]
    threshold: float

    def __call__(self, paired: Paired, signs: Signs) -> Found:
        groups = self._groups(paired, signs)
        purity, least, most = paired.base.purity
        count = len(groups)
        hidden = np.tile([[group.value] for group in groups], (1, 3 + 2 * count))
        for place, group in enumerate(groups):
            hidden[place, 2 * place + 1 : 2 * place + 3] = group.low, group.high
        labels = np.append(np.full(2 * count + 1, purity), [least, most])
        values = self._of_counts(signs, self._counts(paired, groups, hidden, labels))
        centre = float(values[0])
        if not np.isfinite(centre):
            return Found(np.nan, *_bounded(signs, self.formula.low, self.formula.high))
        moves = (values[1:] - centre).reshape(count + 1, 2)
        moves = np.where(np.isfinite(moves), moves, 0.0)
        by_rows = paired.base.row_quantile * self._row_error(paired, signs, groups)
        reach = [
            combined_reach(*np.maximum(sign * moves, 0.0).max(axis=1), by_rows)
            for sign in (-1.0, 1.0)
        ]
        if (
            len(signs) > 1
        ):  # cells that are cut by one model alone tell its metric, and so the difference
            centre = sum(sign * self(paired, {name: 1.0}).value for name, sign in signs.items())
        low, high = _bounded(signs, self.formula.low, self.formula.high)
        return Found(centre, max(centre - reach[0], low), min(centre + reach[1], high))

    def _groups(self, paired: Paired, signs: Signs) -> list[Hidden]:
        """Positives among the rows that all, some or none of the models predict."""
        every, checked = (
            sum(
                2**bit * (scores[name] >= self.threshold).astype(np.intp)
                for bit, name in enumerate(signs)
            )
            for scores in (
                paired.joint.scores,
                {name: paired.models[name].score for name in signs},
            )
        )
        every, checked = np.asarray(every), np.asarray(checked)
        found = []
        for group in range(2 ** len(signs)):
            here = (every[paired.unlabeled] == group).astype(np.float64)
            mine = (checked == group).astype(np.float64)
            total = paired.total(here, mine, (every[paired.unlabeled], checked))
            rows = (
                float(np.count_nonzero((every == group) & (paired.joint.group == kind)))
                for kind in range(3)
            )
            found.append(possible(paired.base, total, mine, *rows))
        return found

    def _counts(
        self, paired: Paired, groups: list[Hidden], hidden: FloatArray, purity: Any
    ) -> FloatArray:
        """Positive and negative rows of the population in each group: shape (2, groups, …)."""
        found = [
            np.broadcast_arrays(*paired.base.counted(*group.rows, latent, purity))
            for group, latent in zip(groups, hidden, strict=True)
        ]
        return np.moveaxis(np.array(found, dtype=np.float64), 1, 0)

    def _of_counts(self, signs: Signs, counts: FloatArray) -> FloatArray:
        places = np.arange(counts.shape[1])
        value = np.zeros(counts.shape[2:])
        for bit, sign in enumerate(signs.values()):
            inside = (places >> bit) & 1 == 1
            (tp, fp), (fn, tn) = (counts[:, side].sum(axis=1) for side in (inside, ~inside))
            value = value + sign * self.formula(tp, fp, fn, tn, **self.options)
        return np.asarray(value)

    def _row_error(self, paired: Paired, signs: Signs, groups: list[Hidden]) -> float:
        """Standard error if the counts are those of a sample of rows."""
        values = np.array([[group.value] for group in groups])
        counts = self._counts(paired, groups, values, np.array([paired.base.purity[0]]))[..., 0]
        total = float(counts.sum())
        slopes = np.zeros(counts.shape)
        for place in np.ndindex(counts.shape):
            moved = np.stack([counts, counts], axis=-1)
            here = float(counts[place])
            ends = here + _STEP * total, max(here - _STEP * total, 0.0)
            moved[place] = np.array(ends)
            up, down = self._of_counts(signs, moved)
            if np.isfinite(up) and np.isfinite(down):
                slopes[place] = (up - down) / (ends[0] - ends[1])
        mean = float(np.sum(counts * slopes)) / total
        return float(np.sqrt(np.sum(counts * (slopes - mean) ** 2)))
