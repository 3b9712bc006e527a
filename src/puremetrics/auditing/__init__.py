"""Audits: rows that were checked, and what they say of a classifier without any assumption about labels."""

from puremetrics.auditing.areas import (
    audited_area,
    audited_precision,
    shape_trust,
    spread_positives,
)
from puremetrics.auditing.audit import Audit, Strata, as_answers, check_alone, check_audit
from puremetrics.auditing.audited import Audited
from puremetrics.auditing.metrics import (
    audited_counts,
    audited_metric,
    audited_prior,
    confusion_of,
    hidden_positives,
    trust_of_audit,
)

__all__ = [
    "Audit",
    "Audited",
    "Strata",
    "as_answers",
    "audited_area",
    "audited_counts",
    "audited_metric",
    "audited_precision",
    "audited_prior",
    "check_alone",
    "check_audit",
    "confusion_of",
    "hidden_positives",
    "shape_trust",
    "spread_positives",
    "trust_of_audit",
]
