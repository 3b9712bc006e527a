"""ROC, PR and AUC bounds on 1e7 rows, 1% labelled. Run: python benchmarks/bounds.py [rows]."""

from __future__ import annotations

import sys

from common import make_rows, report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm


def main(rows: int) -> None:
    y, score = make_rows(rows)
    sklearn = seconds(lambda: roc_auc_score(y, score), repeats=1)

    def all_bounds() -> None:
        table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
        pm.roc_bounds(table, prior=0.1)
        pm.pr_bounds(table, prior=0.1)
        pm.roc_auc_bounds(table, prior=0.1)

    print(f"{rows:,} rows, {int(y.sum()):,} labelled")
    report("table + ROC, PR and AUC bounds / roc_auc_score", seconds(all_bounds) / sklearn, 0.25)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
