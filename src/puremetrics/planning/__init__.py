"""Planning audits: which rows to check, and how much that will tell."""

from puremetrics.planning.drawing import DrawnRows
from puremetrics.planning.plan import AuditPlan, plan_audit

__all__ = ["AuditPlan", "DrawnRows", "plan_audit"]
