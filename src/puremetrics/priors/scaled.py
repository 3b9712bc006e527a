"""The share of positives among unlabeled rows from an audit, if labels are a random sample of the positives.

Labels then say where the hidden positives are, and all that the audit has to tell is how many there are: with
g the share of the labelled rows and u that of the unlabeled ones in a range of scores, a row of that range is
positive with chance α·g/u. Every checked row tells α, wherever it was drawn and with whichever chance:

    α = Σ y / Σ g/u        over the checked rows:

as many positives were found as were to be expected. Weights that count sure answers more, as a likelihood has
them, would depend on the same labels as g does, and made α too small by up to a twelfth in simulation. The
denominator is a mean over the labelled rows, of Σ 1/u over the checked rows of their range; the numerator is
a sum of independent answers. Limits of both are those of bounded values (`sampling.bounded`), and squared
distances add up; so does the error that the rows have as a sample of the population. Ranges end at quantiles
of the labelled scores and at the strata of the plan.
"""

from __future__ import annotations

import numpy as np

from puremetrics.auditing import Audited
from puremetrics.exceptions import InputError
from puremetrics.results import Interval, PriorEstimate, Trust
from puremetrics.sampling.bounded import mean_reaches

__all__ = ["scaled_prior"]


def scaled_prior(audited: Audited) -> PriorEstimate:
    """The prior from an audit and labels that are a random sample of the positives."""
    table = audited.table
    if audited.purity[1] < 1.0:
        raise InputError(
            "random_labels takes the labelled rows for positives, and some of them are not (purity < 1). "
            "Leave out random_labels or purity."
        )
    value, low, high = _share(audited)
    design, totals = table.design, table.totals
    prior, least, most = (design.prior_of(totals, end, 1.0) for end in (value, low, high))
    by_rows = audited.row_quantile * float(
        np.sqrt(max(prior * (1 - prior), 0.0) / design.population_size(totals))
    )
    least = max(prior - float(np.hypot(prior - least, by_rows)), 0.0)
    most = min(prior + float(np.hypot(most - prior, by_rows)), 1.0)
    checked, found = audited.audit.n_checked, audited.audit.n_positive
    return PriorEstimate(
        prior,
        Interval(least, most, audited.level, "confidence", "audit_and_labels"),
        unlabeled_share=value,
        label_frequency=table.total_pos / (table.total_pos + value * table.total_unl),
        method="audit_and_labels",
        status="estimate from an audit and random labels",
        scenario=table.scenario,
        trust=Trust(
            "identified",
            f"{checked} unlabeled rows were checked, and {found} of them are positive; where the others are, "
            "labels tell if they are a random sample of the positives.",
            settle="audit_labels tests that with the same rows.",
        ),
        diagnostics=audited.diagnostics,
        n_groups=audited.alike.number,
        design_effect=audited.alike.design_effect,
    )


def _share(audited: Audited) -> tuple[float, float, float]:
    """α and its limits."""
    table, level = audited.table, audited.strict_level
    pieces = audited.pieces(audited.edges)
    place = np.searchsorted(pieces.edges, audited.score, side="right")
    held = np.bincount(place, minlength=pieces.rows.size).astype(np.float64)
    # What one labelled row of each range adds to the denominator.
    each = np.divide(
        held * table.total_unl, pieces.rows, out=np.zeros(held.size), where=pieces.rows > 0
    )
    bottom = float(pieces.labelled @ each) / table.total_pos
    top = float(audited.answer.sum())
    if bottom <= 0:
        return 0.5, 0.0, 1.0  # no labelled row scores where rows were checked
    value = min(top / bottom, 1.0)
    count = float(audited.answer.size)
    left = audited.answer - audited.expected
    span = -float(audited.expected.max()), 1 - float(audited.expected.min())
    down, up = (
        count * audited.common_factor * reach
        for reach in mean_reaches(np.ones(left.size), left, None, level, span)
    )
    fewer, more = (
        audited.row_quantile / audited.quantile * reach
        for reach in mean_reaches(pieces.labelled, each, None, level, (0.0, float(each.max())))
    )
    by_labels = value * more / (bottom + more), value * fewer / max(bottom - fewer, 1e-300)
    low = value - float(np.hypot(down / bottom, by_labels[0]))
    high = value + float(np.hypot(up / bottom, by_labels[1]))
    rows = table.total_unl
    least = float(audited.answer.sum()) / rows
    most = 1 - float((1 - audited.answer).sum()) / rows
    value = min(max(value, least), most)
    return value, min(max(low, least), value), max(min(high, most), value)
