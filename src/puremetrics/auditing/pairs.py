"""Several models and one audit: sums over positives of what depends on the scores of all of them.

Rows are counted one by one, since no single score orders them. Cells and forecast are those of one model: the
one that rows were drawn by, else the first. A difference of two models is one sum over positives, in which
what both get right cancels:

- ROC areas have the same denominator, so their difference is Σ M·(q_A − q_B) / [P·(1 − P/N)], with M, P, N
  and q as in `auditing.areas`. A value θ is inside the interval if numerator − θ·denominator can be 0.
- Average precisions likewise, with their slopes by the positives for q, and P for the denominator.
- Means of losses are linear: the Brier score is [Σ s² + Σ M·(1 − 2s)] / N.
- Metrics at a threshold depend on the positives in the four kinds of rows that both, one, or none of the
  models predict. Limits of each of the four are carried through both metrics, and squared distances add up.
  They lie around the difference of both estimates, each of which knows its own threshold only.

Estimates of single models come from the same sums, with one model for two; the average precision of one is
that of `auditing.areas`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.areas import (
    FEWEST,
    Measured,
    audited_precision,
    precision_slopes,
    spread_positives,
    values_inside,
)
from puremetrics.auditing.audit import Audit, check_audit
from puremetrics.auditing.audited import Audited, Pieces, Stretches, Total
from puremetrics.auditing.metrics import Hidden, cut_to_possible
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import InputError
from puremetrics.numerics.formulas import Formula
from puremetrics.sampling.bounded import combined_reach
from puremetrics.setting import PurityLike
from puremetrics.tables.joint import JointTable

__all__ = [
    "Paired",
    "PairedMetric",
    "Signs",
    "at_all_purities",
    "paired_area",
    "paired_mean",
    "paired_precision",
]

Signs = dict[str, float]  # models, and how they count: one for its estimate, two for a difference
_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Paired:
    """Models on the same rows with an audit of these rows."""

    joint: JointTable
    models: Mapping[str, Audited]
    leading: str

    @classmethod
    def of(cls, joint: JointTable, audit: Audit, purity: PurityLike, level: float) -> Paired:
        """Check that the audit belongs to the rows and knows the scores of all models."""
        checked = check_audit(audit)
        missing = [name for name in joint if name not in checked.scores]
        if missing:
            raise InputError(
                f"The audit has no scores for {', '.join(map(repr, missing))}. A comparison needs every "
                "model's scores for the checked rows: plan.draw(y, {'a': …, 'b': …}), or "
                "Audit.from_arrays({'a': …, 'b': …}, positive)."
            )
        models = {
            name: Audited.of(table, checked, purity, level, name)
            for name, table in joint.tables.items()
        }
        strata = checked.strata
        leading = (
            strata.model if strata is not None and strata.model in models else next(iter(joint))
        )
        return cls(joint, models, leading)

    def with_level(self, level: float) -> Paired:
        """The models and their audit at another confidence level."""
        made = {name: replace(model, level=level) for name, model in self.models.items()}
        return replace(self, models=made)

    def at_purities(self) -> list[Paired]:
        """The models with the purity at each of its ends; nothing if it is known or does not matter."""
        ends = zip(*(model.at_purities() for model in self.models.values()), strict=True)
        return [
            replace(self, models=dict(zip(self.models, models, strict=True))) for models in ends
        ]

    @property
    def base(self) -> Audited:
        """The model that cells and forecast are from."""
        return self.models[self.leading]

    @cached_property
    def unlabeled(self) -> Any:
        """Which rows are unlabeled."""
        return self.joint.kind == 1

    def unlabeled_scores(self, name: str) -> FloatArray:
        """Their scores by a model."""
        return np.asarray(self.joint.scores[name][self.unlabeled])

    @cached_property
    def _cell_of_rows(self) -> Any:
        return np.searchsorted(self.base.edges, self.unlabeled_scores(self.leading), side="right")

    @cached_property
    def _rate_of_rows(self) -> FloatArray:
        return np.asarray(self.base.forecast.at(self.unlabeled_scores(self.leading)))

    def total(self, values: FloatArray, at_checked: FloatArray, split: Any = None) -> Total:
        """Σ values over the positives among the unlabeled rows.

        ``split`` cuts cells once more: a small whole number for each unlabeled row, and for each checked one.
        """
        cell, checked = self._cell_of_rows, self.base.cells
        if split is not None:
            most = int(split[0].max(initial=0)) + 1
            cell, checked = most * cell + split[0], most * checked + split[1]
        ones, none = np.ones(values.size), np.zeros(values.size)
        pieces = Pieces(np.empty(0), cell, ones, none, none, self._rate_of_rows)
        return self.base.total(pieces, checked, values, Stretches.of(pieces, values), at_checked)

    # ---------------------------------------------------------------- rows of the population

    @cached_property
    def counts(self) -> FloatArray:
        """1 for rows of the population, 0 for labelled rows that are none of it."""
        inside = np.array(
            [float(used) for used in self.base.design.compared(self.base.table.totals)]
        )
        return inside[self.joint.kind]

    @property
    def size(self) -> float:
        """Rows of the population."""
        return float(self.counts.sum())

    @cached_property
    def known(self) -> FloatArray:
        """How much of each row counts as a positive that was labelled."""
        purity = self.base.purity[0]
        return np.where(self.joint.kind == 0, purity * self.counts, 0.0)

    @cached_property
    def mass(self) -> FloatArray:
        """How much of each row counts as a positive, as the leading model's scores tell."""
        pieces, rates = spread_positives(self.base)
        at = np.searchsorted(pieces.edges, self.unlabeled_scores(self.leading), side="right")
        found = self.known.copy()
        found[self.unlabeled] = rates[at]
        return found

    def by_rows(self, values: FloatArray, others: FloatArray) -> float:
        """Standard error of a sum over rows: ``others`` of each, and ``values`` more if it is positive."""
        positive, rest = self.mass, np.maximum(self.counts - self.mass, 0.0)
        mean = (positive @ (values + others) + rest @ others) / self.size
        apart = positive @ (values + others - mean) ** 2 + rest @ (others - mean) ** 2
        return float(np.sqrt(apart))


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
    every, checked = np.zeros(paired.joint.kind.size), np.zeros(paired.base.score.size)
    for name, sign in signs.items():
        values = column(name)
        every += sign * values[paired.joint.whole_places[name]]
        checked += sign * values[paired.models[name].place]
    return _Rows(every, checked)


def _bounded(signs: Signs, low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    """Where values can lie: one model's, or a difference."""
    return (low, high) if len(signs) == 1 else (low - high, high - low)


def paired_area(paired: Paired, signs: Signs) -> Measured:
    """The ROC area of one model, or the difference of two."""
    size, plain = paired.size, sum(signs.values())

    def below(name: str) -> FloatArray:
        rows = paired.models[name].population
        return np.asarray(1 - (np.cumsum(rows) - rows / 2) / size)

    def above(name: str) -> FloatArray:
        held = _positives_by_row(paired, name)
        return np.asarray((np.cumsum(held) - held / 2) / size)

    placed = _combined(paired, signs, below)
    ones = _Rows(np.ones(placed.every.size), np.ones(placed.checked.size))
    hits, positives = placed.total(paired).value, ones.total(paired).value
    share = positives / size
    if not 0 < share < 1:
        return Measured(np.nan, *_bounded(signs))
    bottom = positives * (1 - share)
    others = _combined(paired, signs, above).every

    def margin(theta: float) -> tuple[float, float, float]:
        values = placed.moved(-plain * share - theta * (1 - 2 * share))
        total = values.total(paired)
        error = paired.base.row_quantile * paired.by_rows(values.every, others)
        value = hits - plain * positives * share / 2 - theta * bottom
        return value, combined_reach(total.down, error), combined_reach(total.up, error)

    value = (hits - plain * positives * share / 2) / bottom
    return _limits_of_margins(paired, signs, value, margin)


def _positives_by_row(paired: Paired, name: str) -> FloatArray:
    """Positives at each row of a model's table."""
    place, size = paired.joint.whole_places[name], paired.joint[name].score.size
    return np.bincount(place, weights=paired.mass, minlength=size).astype(np.float64)


def paired_precision(paired: Paired, signs: Signs) -> Measured:
    """The average precision of one model, or the difference of two."""
    if len(signs) == 1:
        return audited_precision(paired.models[next(iter(signs))])
    ones = _Rows(np.ones(paired.joint.kind.size), np.ones(paired.base.score.size))
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
        return Measured(np.nan, *_bounded(signs))
    return _limits_of_margins(paired, signs, value, *margins)


def _limits_of_margins(paired: Paired, signs: Signs, value: float, *margins: Any) -> Measured:
    low, high = _bounded(signs)
    value = float(np.clip(value, low, high))
    if paired.base.audit.n_positive < FEWEST:
        return Measured(value, low, high)
    ends = [values_inside(margin, value, low, high) for margin in margins]
    return Measured(value, min(end[0] for end in ends), max(end[1] for end in ends))


def paired_mean(
    paired: Paired, signs: Signs, losses: Mapping[str, tuple[FloatArray, FloatArray]], span: float
) -> Measured:
    """Means of losses if rows are positive and if they are negative, by row of each model's table."""

    def at(end: Paired) -> Measured:
        gain = _combined(end, signs, lambda name: losses[name][0] - losses[name][1])
        plain = _combined(end, signs, lambda name: losses[name][1]).every
        total = gain.total(end)
        error = end.base.row_quantile * end.by_rows(gain.every, plain)
        value = (float(end.counts @ plain) + total.value) / end.size
        least, most = _bounded(signs, 0.0, span)
        low, high = (combined_reach(part, error) / end.size for part in (total.down, total.up))
        return Measured(value, max(value - low, least), min(value + high, most))

    return at_all_purities(paired, at)


def at_all_purities(paired: Paired, measure: Callable[[Paired], Measured]) -> Measured:
    """What is measured, with limits that hold at both ends of the purity."""
    here = measure(paired)
    ends = [measure(end) for end in paired.at_purities()]
    lows, highs = [end.low for end in ends], [end.high for end in ends]
    return Measured(here.value, min([here.low, *lows]), max([here.high, *highs]))


@dataclass(frozen=True)
class PairedMetric:
    """A metric at a threshold, from the positives in every group of rows that the models predict alike."""

    formula: Formula
    options: dict[str, float]
    threshold: float

    def of(self, paired: Paired, signs: Signs) -> Measured:
        """The metric of one model, or the difference of two."""
        patterns = self._hidden_by_pattern(paired, signs)
        purity, least, most = paired.base.purity
        count = len(patterns)
        hidden = np.tile([[pattern.value] for pattern in patterns], (1, 3 + 2 * count))
        for place, pattern in enumerate(patterns):
            hidden[place, 2 * place + 1 : 2 * place + 3] = pattern.low, pattern.high
        labels = np.append(np.full(2 * count + 1, purity), [least, most])
        values = self._of_counts(signs, self._counts(paired, patterns, hidden, labels))
        centre = float(values[0])
        if not np.isfinite(centre):
            return Measured(np.nan, *_bounded(signs, self.formula.low, self.formula.high))
        moves = (values[1:] - centre).reshape(count + 1, 2)
        moves = np.where(np.isfinite(moves), moves, 0.0)
        by_rows = paired.base.row_quantile * self._row_error(paired, signs, patterns)
        reach = [
            combined_reach(*np.maximum(sign * moves, 0.0).max(axis=1), by_rows)
            for sign in (-1.0, 1.0)
        ]
        if (
            len(signs) > 1
        ):  # cells that are cut by one model alone tell its metric, and so the difference
            centre = sum(sign * self.of(paired, {name: 1.0}).value for name, sign in signs.items())
        low, high = _bounded(signs, self.formula.low, self.formula.high)
        return Measured(centre, max(centre - reach[0], low), min(centre + reach[1], high))

    def _hidden_by_pattern(self, paired: Paired, signs: Signs) -> list[Hidden]:
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
        for pattern in range(2 ** len(signs)):
            here = (every[paired.unlabeled] == pattern).astype(np.float64)
            mine = (checked == pattern).astype(np.float64)
            total = paired.total(here, mine, (every[paired.unlabeled], checked))
            rows = (
                float(np.count_nonzero((every == pattern) & (paired.joint.kind == kind)))
                for kind in range(3)
            )
            found.append(cut_to_possible(paired.base, total, mine, *rows))
        return found

    def _counts(
        self, paired: Paired, patterns: list[Hidden], hidden: FloatArray, purity: Any
    ) -> FloatArray:
        """Positive and negative rows of the population in each pattern: shape (2, patterns, …)."""
        found = [
            np.broadcast_arrays(*paired.base.counted(*pattern.rows, latent, purity))
            for pattern, latent in zip(patterns, hidden, strict=True)
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

    def _row_error(self, paired: Paired, signs: Signs, patterns: list[Hidden]) -> float:
        """Standard error if the counts are those of a sample of rows."""
        values = np.array([[pattern.value] for pattern in patterns])
        counts = self._counts(paired, patterns, values, np.array([paired.base.purity[0]]))[..., 0]
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
