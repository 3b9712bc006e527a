"""Audits: rows that were checked, and what they say of a classifier without any assumption about labels."""

from puremetrics.auditing.audit import Audit, Strata, as_answers, check_alone, check_audit
from puremetrics.auditing.audited import Audited
from puremetrics.auditing.confusion import (
    audited_counts,
    audited_metric,
    audited_prior,
    confusion_of,
    hidden_positives,
    trust_of_audit,
)
from puremetrics.auditing.following import follow_audit
from puremetrics.auditing.path import AuditPath
from puremetrics.auditing.ranking import audited_area, audited_precision
from puremetrics.auditing.spreading import shape_trust, spread_positives

__all__ = [
    "Audit",
    "AuditPath",
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
    "follow_audit",
    "hidden_positives",
    "shape_trust",
    "spread_positives",
    "trust_of_audit",
]
