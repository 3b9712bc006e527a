"""What an audit would make of an interval, at a glance: widths for a few budgets, without a search.

`plan_audit` tries many ways to spread checks over strata. Here they go where |slope|·sqrt(p(1 − p)) is large,
in a few numbers of strata, which is nearly as good and takes milliseconds.
"""

from __future__ import annotations

from puremetrics.auditing.predicting import expected_rates
from puremetrics.planning.ground import Ground, random_width, rough_widths
from puremetrics.tables.score_table import ScoreTable

__all__ = ["area_outlook"]


def area_outlook(
    table: ScoreTable, share: float, budgets: tuple[int, ...], level: float
) -> tuple[dict[int, float], dict[int, float]]:
    """Widths of the AUC's interval from audits of so many rows: planned ones, and ones drawn at random.

    ``share`` is that of positives among the unlabeled. Nothing is told where no audit can be planned.
    """
    if table.is_cut or not table.whole or not table.total_unl > 0:
        return {}, {}
    within = min(max(share, 1.0 / table.total_unl), 1.0)
    ground = Ground.of(table, expected_rates(table, within), None)
    rows = [count for count in budgets if count <= table.total_unl]
    random = {count: random_width(ground, "roc_auc", count, level) for count in rows}
    return rough_widths(ground, "roc_auc", rows, level), random
