"""What an audit says of the rows, stratum by stratum, and of the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puremetrics.auditing import (
    Audit,
    Audited,
    audited_counts,
)
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.priors.audited_labels import LabelAudit, audit_labels
from puremetrics.results import Columns, Result
from puremetrics.tables.score_table import ScoreTable

__all__ = ["AuditSummary", "audit_summary"]


@dataclass(frozen=True, eq=False, repr=False)
class AuditSummary(Result):
    """What an audit says of the rows, stratum by stratum, and of the labels.

    Attributes
    ----------
    n_checked, n_positive : int
    labels : LabelAudit
    low, high : ndarray
        Scores from which and up to which each stratum reaches, the highest first.
    rows, checked, positive : ndarray
        Unlabeled rows in each, those that were checked, and positives among them.
    expected : ndarray
        Positives that the correction made one expect among the checked rows.
    """

    n_checked: int
    n_positive: int
    labels: LabelAudit
    low: FloatArray
    high: FloatArray
    rows: FloatArray
    checked: FloatArray
    positive: FloatArray
    expected: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return one row for each stratum."""
        names = ("low", "high", "rows", "checked", "positive", "expected")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        lines = ["what was checked, by score:"]
        lines.append(f"  {'scores':<24}{'rows':>12}{'checked':>9}{'positive':>10}{'expected':>10}")
        for low, high, rows, checked, positive, expected in zip(
            *self.frame().values(), strict=True
        ):
            lines.append(
                f"  {span_words(low, high):<24}{rows:>12.0f}{checked:>9.0f}{positive:>10.0f}{expected:>10.1f}"
            )
        return "\n".join(lines + [f"  {line}" for line in str(self.labels).splitlines()[:2]])


def span_words(low: float, high: float) -> str:
    """A range of scores in words."""
    if np.isinf(low) and np.isinf(high):
        return "all"
    if np.isinf(high):
        return f"{low:.4g} and above"
    return f"below {high:.4g}" if np.isinf(low) else f"{low:.4g} to {high:.4g}"


def audit_summary(table: ScoreTable, audit: Audit, level: float, model: str) -> AuditSummary:
    """The audit as the first model sees it."""
    audited = Audited.of(table, audit, None, level, model)
    low, high, rows, checked, positive, expected = (c[::-1] for c in audited_counts(audited))
    strata = audit.strata
    if strata is not None and strata.model == model:
        strata = replace(strata, model="model")
    own = replace(audit, scores={"model": audit.score_of(model)}, strata=strata)
    return AuditSummary(
        audit.n_checked,
        audit.n_positive,
        audit_labels(table, own, confidence_level=level),
        low,
        high,
        rows,
        checked,
        positive,
        expected,
        audit.diagnostics,
    )
