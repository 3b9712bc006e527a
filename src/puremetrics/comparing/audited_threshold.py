"""Choosing an operating point by an audit: no prior, and no assumption about the labels.

Thresholds are judged by the positives that the audit found, spread over the rows as `auditing.areas` does it:
few answers lie between two thresholds, and their shape has to be filled in. What the chosen threshold
achieves is then told by the answers on both sides of it (`auditing.metrics`), as for a threshold that was
fixed beforehand.

It was not, and the best value is optimistic. As in `comparing.threshold`, resamples show by how much: answers
are drawn again within their cells, the choice is repeated, and what a metric gains where a resample chose is
taken off.

Of very many scores some thousand are candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from puremetrics.auditing import (
    Audited,
    confusion_of,
    hidden_positives,
    shape_trust,
    spread_positives,
)
from puremetrics.checking.arguments import as_generator
from puremetrics.comparing.threshold_choice import (
    Judged,
    Limits,
    ThresholdChoice,
    account_for_choice,
    best_place,
    edge_remark,
    few_rows_factor,
    gains_of,
    of_counts,
    places_of,
)
from puremetrics.numerics.formulas import METRICS, Formula
from puremetrics.results import ConfusionCounts
from puremetrics.statistics.threshold_metric import ThresholdMetric
from puremetrics.statistics.worlds import audited_estimate

__all__ = ["audited_choice"]

_CANDIDATES = 2048


def audited_choice(
    audited: Audited,
    formula: Formula,
    options: dict[str, float],
    limits: Limits,
    n_resamples: int,
    rng: Any,
) -> ThresholdChoice:
    """The best threshold by the answers of an audit."""
    trust = shape_trust(audited)
    candidates = _candidates(audited)
    judged = of_counts(_counts(audited, candidates, trust), formula, options, limits)
    chosen = best_place(formula, judged, limits)
    threshold = float(judged.counts.threshold[chosen])
    bound = Formula(
        formula.name, formula.title, formula.low, formula.high,
        lambda tp, fp, fn, tn: formula(tp, fp, fn, tn, **options),
    )  # fmt: skip
    gains = []
    for again in _redrawn(audited, candidates, trust, formula, options, limits, n_resamples, rng):
        place = places_of(again, formula, limits, chosen)
        gains.append(gains_of([bound], again.counts, judged.counts, place)[0])
    plain = audited_estimate(ThresholdMetric(formula, threshold, options), audited)
    few = few_rows_factor(max(audited.audit.n_positive, 2.0), audited.strict_level)
    estimate = account_for_choice(plain, formula, np.concatenate(gains), few)
    above, below = hidden_positives(audited, threshold)
    tp, fp, fn, tn = confusion_of(
        audited, above, below, above.value, below.value, audited.purity[0]
    )
    remarks = (*estimate.diagnostics, *edge_remark(chosen, judged.values))
    return ThresholdChoice(
        threshold=threshold,
        objective=formula.name,
        estimate=replace(estimate, diagnostics=remarks),
        apparent=plain.value,
        tp=float(tp),
        fp=float(fp),
        fn=float(fn),
        tn=float(tn),
        limits={
            name: audited_estimate(ThresholdMetric(METRICS[name], threshold), audited).value
            for name in limits
        },
    )


def _candidates(audited: Audited) -> Any:
    """Rows of the table from the top that thresholds may take in: none first, all last."""
    rows = audited.table.score.size
    if rows <= _CANDIDATES:
        return np.arange(rows + 1)
    pos, unl, _ = audited.heads
    held = np.asarray(pos / max(pos[-1], 1.0) + unl / unl[-1])
    # Even in rank at the top, where few rows make a difference, and in mass below.
    top = np.unique(np.geomspace(1, rows, _CANDIDATES // 2).astype(np.intp))
    body = np.searchsorted(held, np.linspace(0, held[-1], _CANDIDATES // 2))
    return np.unique(np.concatenate([[0], top, np.minimum(body, rows), [rows]]))


def _counts(audited: Audited, candidates: Any, trust: float) -> ConfusionCounts:
    """Confusion matrices at the candidates, with the positives spread over the rows."""
    pieces, rates = spread_positives(audited, trust)
    rows = np.concatenate([[0.0], np.cumsum(pieces.rows[::-1])])
    found = np.concatenate([[0.0], np.cumsum((pieces.rows * rates)[::-1])])
    pos, unl, neg = (head[candidates] for head in audited.heads)
    latent = np.interp(unl, rows, found)
    purity = audited.purity[0]
    tp, fp = audited.counted(pos, unl, neg, latent, purity)
    fn, tn = audited.counted(
        pos[-1] - pos, unl[-1] - unl, neg[-1] - neg, latent[-1] - latent, purity
    )
    threshold = np.concatenate([[np.inf], audited.table.score])[candidates]
    counts = [np.asarray(count, dtype=np.float64) for count in (tp, fp, fn, tn)]
    return ConfusionCounts(threshold, counts[0], counts[1], counts[2], counts[3])


def _redrawn(
    audited: Audited,
    candidates: Any,
    trust: float,
    formula: Formula,
    options: dict[str, float],
    limits: Limits,
    n_resamples: int,
    rng: Any,
) -> Iterator[Judged]:
    """What thresholds are judged by if the answers are drawn again."""
    generator, groups = as_generator(rng), audited.audit.groups
    if groups is None:
        members = [np.flatnonzero(audited.cells == cell) for cell in np.unique(audited.cells)]
    else:
        names = groups[audited.hidden]
        members = [np.flatnonzero(names == name) for name in np.unique(names)]
    for _ in range(n_resamples):
        if groups is None:
            drawn = [generator.choice(rows, rows.size) for rows in members]
        else:  # rows of a group come together
            drawn = [
                members[place] for place in generator.integers(len(members), size=len(members))
            ]
        picked = np.concatenate(drawn)
        counts = _counts(audited.resampled(picked), candidates, trust)
        yield of_counts(counts, formula, options, limits)
