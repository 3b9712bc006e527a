"""Where the width of an interval comes from, and what more data would buy.

The width of the interval of the area under the ROC curve has three sources: few labelled positives, few rows
to compare them with, and an uncertain prior. The first two come from the parts of the linearised
variance, the third is how much the range of the prior widens the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.confusion import heads_of
from puremetrics.correction import area_influence, roc_auc
from puremetrics.intervals import agresti_coull, linear_variance
from puremetrics.results import Estimate
from puremetrics.scenario import PriorRange, comparison_share
from puremetrics.table import ScoreTable

__all__ = ["Narrowing", "narrowing_of"]

_AUDITS = (50, 200, 1000)


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


def narrowing_of(table: ScoreTable, area: Estimate, known: PriorRange, level: float) -> Narrowing:
    """Return the sources of the width of the AUC's interval."""
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
