"""Comparing models with an audit: no prior, and no assumption about the labels.

Estimates of the models and differences of pairs come from the same checked rows (`auditing.pairs`), so what
both models get right cancels.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from puremetrics.auditing import Audit
from puremetrics.auditing.areas import Measured
from puremetrics.auditing.metrics import told_of
from puremetrics.auditing.pairs import Paired
from puremetrics.checking.arguments import check_level
from puremetrics.comparing.differences import Difference
from puremetrics.exceptions import Diagnostic, UnsupportedError
from puremetrics.numerics.quantiles import holm_adjusted
from puremetrics.results import Estimate
from puremetrics.setting import PurityLike
from puremetrics.statistics.statistic import Statistic
from puremetrics.tables.joint import JointTable

__all__ = ["audited_comparison"]


def audited_comparison(
    joint: JointTable,
    statistic: Statistic,
    audit: Audit,
    purity: PurityLike,
    confidence_level: float,
) -> tuple[dict[str, Estimate], list[Difference], tuple[Diagnostic, ...]]:
    """Estimates of all models, differences of all pairs, and remarks."""
    level = check_level(confidence_level)
    paired = Paired.of(joint, audit, purity, level)
    for table in joint.tables.values():
        statistic.check(table)
    measure = statistic.audited_pair
    estimates = {
        model: _estimate(paired, statistic, model, measure(paired, {model: 1.0})) for model in joint
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
    return estimates, differences, paired.base.diagnostics


def _chance(found: Measured, quantile: float) -> float:
    """Two-sided p-value of no difference, from the limit on the side of 0."""
    from scipy.special import ndtr

    reach = found.value - found.low if found.value > 0 else found.high - found.value
    if reach <= 0:
        return float(found.value == 0)
    return float(2 * ndtr(-abs(found.value) / reach * quantile))


def _estimate(paired: Paired, statistic: Statistic, model: str, found: Measured) -> Estimate:
    audited = paired.models[model]
    if not np.isfinite(found.value):
        raise UnsupportedError(
            f"{statistic.title} of model {model!r} is undefined with the positives that the audit found, so "
            "it cannot be compared. Check more rows, or choose another threshold or statistic."
        )
    return Estimate.of(
        statistic,
        found.value,
        audited.interval(found.low, found.high),
        told_of(audited),
        **statistic.place(audited.table),
        method="audit",
        diagnostics=audited.diagnostics,
    )
