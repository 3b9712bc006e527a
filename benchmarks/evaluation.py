"""Full `evaluate` on 1e7 rows, 1 % labelled. Run: python benchmarks/evaluation.py [rows]."""

from __future__ import annotations

import sys

from common import make_rows, report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm
from puremetrics import bands


def main(rows: int) -> None:
    y, score = make_rows(rows)
    sklearn = seconds(lambda: roc_auc_score(y, score), repeats=1)

    def everything() -> pm.Evaluation:
        bands._all_limits.cache_clear()
        table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
        return pm.evaluate(table)

    report(
        "table + evaluate, default settings / roc_auc_score",
        seconds(everything, repeats=1) / sklearn,
        1.0,
    )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
