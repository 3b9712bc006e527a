"""1,000 hull bootstraps, 1e4 positives and 1e7 unlabeled. Run: python benchmarks/hull.py [rows]."""

from __future__ import annotations

import sys

import numpy as np
from common import report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm


def main(rows: int) -> None:
    rng = np.random.default_rng(0)
    y = np.zeros(rows, dtype=np.int64)
    y[: max(rows // 1000, 10)] = 1
    score = rng.normal(size=rows) + 1.2 * y
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
    table.cut()
    sklearn = seconds(lambda: roc_auc_score(y, score), repeats=1)
    once = seconds(lambda: pm.hull_variance(table, prior=0.1, n_resamples=500, rng=0), repeats=1)
    print(f"{rows:,} rows, {int(y.sum()):,} labelled")
    report("1,000 hull bootstraps (500 of each group) / roc_auc_score", once / sklearn, 1.0)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
