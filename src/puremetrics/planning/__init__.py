"""Planning audits: which rows to check, and how much that will tell."""

from puremetrics.planning.drawing import DrawnRows
from puremetrics.planning.following import AuditPath, follow_audit
from puremetrics.planning.plan import AuditPlan, plan_audit

__all__ = ["AuditPath", "AuditPlan", "DrawnRows", "follow_audit", "plan_audit"]
