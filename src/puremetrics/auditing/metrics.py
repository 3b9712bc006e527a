"""Metrics of the confusion matrix, and the prior, from an audit.

Positives above and below the threshold are two independent numbers: each has its estimate and limits from
the cells on its side (`audited`), cut at what was found and what is possible. A metric carries their limits,
and those of the purity in a single training set, through its formula one at a time, and the squared
distances add up. The rows as a sample of the population add the variance of a multinomial law.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from puremetrics.auditing.audited import Audited, Stretches, Total
from puremetrics.checking.types import FloatArray
from puremetrics.numerics.formulas import Formula
from puremetrics.results import Interval, PriorEstimate, Trust
from puremetrics.setting import check_known_head

__all__ = [
    "assumptions_of_audit",
    "audited_counts",
    "audited_metric",
    "audited_prior",
    "confusion_of",
    "cut_to_possible",
    "hidden_positives",
    "row_error",
    "trust_of_audit",
]


Options = dict[str, float]
_STEP = 1e-6


def _share_of_positives(
    tp: Any, fp: Any, fn: Any, tn: Any
) -> Any:  # a name, so that it can be pickled
    return (tp + fn) / (tp + fp + fn + tn)


PRIOR = Formula("prior", "Prior", 0.0, 1.0, _share_of_positives)


class Hidden(NamedTuple):
    """Positives among some unlabeled rows: estimate, limits, and the rows of each kind there."""

    value: float
    low: float
    high: float
    rows: tuple[float, float, float]  # labelled, unlabeled, known negatives


def hidden_positives(audited: Audited, threshold: float) -> tuple[Hidden, Hidden]:
    """Positives among the unlabeled rows that reach a threshold, and among the others."""
    inside_range = np.isfinite(threshold)
    edges = np.unique(np.append(audited.edges, threshold)) if inside_range else audited.edges
    pieces, cells = audited.pieces(edges), np.searchsorted(edges, audited.score, side="right")
    starts = np.concatenate([[-np.inf], pieces.edges])
    found = []
    for above in (True, False):
        side = (starts >= threshold) == above
        used = side.astype(np.float64)
        at_checked = ((audited.score >= threshold) == above).astype(np.float64)
        total = audited.total(
            pieces, cells, used * pieces.rows, Stretches.of(pieces, used), at_checked
        )
        rows = (pieces.labelled[side], pieces.rows[side], pieces.negative[side])
        found.append(
            cut_to_possible(audited, total, at_checked, *(float(part.sum()) for part in rows))
        )
    return found[0], found[1]


def cut_to_possible(
    audited: Audited, total: Total, at_checked: FloatArray, pos: float, unl: float, neg: float
) -> Hidden:
    """A number of positives among so many rows, no fewer and no more than the answers leave possible.

    ``at_checked`` is 1 for the checked rows among them.
    """
    least = float(audited.answer @ at_checked)
    most = unl - float((1 - audited.answer) @ at_checked)
    value = min(max(total.value, least), max(most, least))
    low = min(max(total.value - total.down, least), value)
    high = max(min(total.value + total.up, most), value)
    return Hidden(value, low, high, (pos, unl, neg))


def confusion_of(
    audited: Audited, above: Hidden, below: Hidden, tp: Any, fn: Any, purity: Any
) -> tuple[Any, Any, Any, Any]:
    """TP, FP, FN and TN of the population, with so many hidden positives above and below."""
    positive, negative = audited.counted(*above.rows, tp, purity)
    missed, others = audited.counted(*below.rows, fn, purity)
    return positive, negative, missed, others


def audited_metric(
    audited: Audited, formula: Formula, options: Options, threshold: float
) -> tuple[float, float, float] | None:
    """The metric at a threshold and its limits; None where it is undefined."""
    check_known_head(audited.table, threshold)
    value, interval, _ = _carried(audited, formula, options, threshold)
    return None if interval is None else (value, interval.low, interval.high)


def assumptions_of_audit(audited: Audited) -> dict[str, Any]:
    """What an estimate from checked rows says of its assumptions."""
    prior, share = _prior_and_share(audited)
    return {
        "scenario": audited.table.scenario,
        "prior": prior,
        "unlabeled_share": share,
        "purity": audited.purity[0],
        "n_checked": audited.audit.n_checked,
        "n_groups": audited.alike.number,
        "design_effect": audited.alike.design_effect,
    }


def _prior_and_share(audited: Audited) -> tuple[float, float]:
    """Share of positives in the population, and among the unlabeled rows."""
    above, below = hidden_positives(audited, -np.inf)
    counts = confusion_of(audited, above, below, above.value, below.value, audited.purity[0])
    return float(PRIOR(*counts)), above.value / audited.table.total_unl


def audited_counts(audited: Audited) -> tuple[FloatArray, ...]:
    """Cells by rising scores: where they begin and end, rows, checked rows, positives, and expected ones."""
    edges, cells = audited.edges, audited.cells
    count = edges.size + 1
    pieces = audited.pieces(edges)
    rows = np.bincount(pieces.cell, weights=pieces.rows, minlength=count)
    checked, positive, expected = (
        np.bincount(cells, weights=column, minlength=count).astype(np.float64)
        for column in (np.ones(cells.size), audited.answer, audited.expected)
    )
    starts, stops = np.concatenate([[-np.inf], edges]), np.concatenate([edges, [np.inf]])
    return starts, stops, rows.astype(np.float64), checked, positive, expected


def trust_of_audit(audited: Audited) -> Trust:
    """Rows that were checked say it."""
    audit = audited.audit
    return Trust(
        "audited",
        f"{audit.n_checked} unlabeled rows were checked, and {audit.n_positive} of them "
        f"{'is' if audit.n_positive == 1 else 'are'} positive.",
    )


def audited_prior(audited: Audited) -> PriorEstimate:
    """The prior, whatever the design of the audit."""
    value, interval, purity = _carried(audited, PRIOR, {}, -np.inf)
    table, labels = audited.table, audited.purity
    _, share = _prior_and_share(audited)
    right = labels[0] * table.total_pos
    known = audited.given is not None or bool(audited.audit.labelled.any())
    return PriorEstimate(
        value,
        interval,
        purity=purity if known else None,
        purity_interval=None
        if labels[1] == labels[2]
        else Interval(labels[1], labels[2], audited.level, "confidence", "audit"),
        unlabeled_share=share,
        label_frequency=right / (right + share * table.total_unl) if right > 0 else 0.0,
        method="audit",
        status="estimate from an audit",
        scenario=table.scenario,
        trust=trust_of_audit(audited),
        diagnostics=audited.diagnostics,
        n_groups=audited.alike.number,
        design_effect=audited.alike.design_effect,
    )


def _carried(
    audited: Audited, formula: Formula, options: Options, threshold: float
) -> tuple[float, Interval | None, float]:
    """Value and interval of a metric, and the purity that it was made with."""
    above, below = hidden_positives(audited, threshold)
    purity, least, most = audited.purity
    tp = np.array([above.value, above.low, above.high, *[above.value] * 4])
    fn = np.array([below.value] * 3 + [below.low, below.high] + [below.value] * 2)
    labels = np.array([purity] * 5 + [least, most])
    counts = np.array(
        np.broadcast_arrays(*confusion_of(audited, above, below, tp, fn, labels)), dtype=np.float64
    )
    values = formula(*counts, **options)
    centre = float(np.clip(values[0], formula.low, formula.high))  # which rounding may leave
    if np.isnan(centre):
        return centre, None, purity
    with np.errstate(invalid="ignore"):  # an endless ratio does not move
        moves = (values[1:] - centre).reshape(3, 2)
    moves = np.where(np.isnan(moves), 0.0, moves)
    error = row_error(lambda *moved: formula(*moved, **options), counts[:, 0])
    by_rows = audited.row_quantile * error
    reach = [
        float(np.sqrt(np.sum(np.maximum(sign * moves, 0.0).max(axis=1) ** 2) + by_rows**2))
        for sign in (-1.0, 1.0)
    ]
    low = formula.low if np.isinf(reach[0]) else max(centre - reach[0], formula.low)
    high = formula.high if np.isinf(reach[1]) else min(centre + reach[1], formula.high)
    return centre, audited.interval(low, high), purity


def row_error(metric: Callable[..., Any], counts: FloatArray) -> float:
    """Standard error of a metric of four counts (tp, fp, fn, tn) if these are those of a sample of rows."""
    total = float(counts.sum())
    step = _STEP * total
    slopes = np.zeros(4)
    for place in range(4):
        moved = np.array([counts, counts])
        moved[0, place] += step
        moved[1, place] = max(moved[1, place] - step, 0.0)
        high, low = metric(*moved.T)
        if np.isfinite(high) and np.isfinite(low):
            slopes[place] = (high - low) / (moved[0, place] - moved[1, place])
    mean = float(counts @ slopes) / total
    return float(np.sqrt(max(float(counts @ (slopes - mean) ** 2), 0.0)))
