"""Everything at once: one and two models on 1e7 rows, 1% labelled, and one of a segment's size.

Run: python benchmarks/evaluation.py [rows]. Sorting is vectorised on some machines and not on others, so the
ratios to `np.sort` and to building the table say more together than either alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from common import make_rows, report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm

SEGMENT = (10_000, 200)


def mixed_rows(rows: int, labelled: float = 0.01, seed: int = 1) -> tuple[Any, Any]:
    """Rows of which 10% are positive, labelled or not."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.1
    y = (positive & (rng.random(rows) < 10 * labelled)).astype(np.int64)
    return y, rng.normal(size=rows) + 2.0 * positive


def cpu(function: Callable[[], Any], repeats: int) -> float:
    """Processor seconds of one call, the best of three batches."""
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        for _ in range(repeats):
            function()
        best = min(best, (time.process_time() - start) / repeats)
    return best


def main(rows: int) -> None:
    rng = np.random.default_rng(2)
    small, labelled = SEGMENT
    y = (np.arange(small) < labelled).astype(np.int64)
    score = rng.normal(size=small) + 1.5 * (np.arange(small) < 6 * labelled)
    table = pm.ScoreTable.from_arrays(y, 1 / (1 + np.exp(-score)), scenario="case_control")
    pm.evaluate(table)
    report("evaluate, 10,000 rows, 200 labelled: milliseconds of processor time",
           1000 * cpu(lambda: pm.evaluate(table), 5), 80.0)  # fmt: skip
    for name, make in (("no hidden positives", make_rows), ("prior 0.1", mixed_rows)):
        y, score = make(rows)
        sort = seconds(lambda s=score: np.sort(s))
        sklearn = seconds(lambda y=y, s=score: roc_auc_score(y, s), repeats=1)
        print(
            f"{rows:,} rows, {name}: np.sort {sort:.3f} s, roc_auc_score {sklearn / sort:.1f} x np.sort"
        )

        def built(y: Any = y, s: Any = score) -> pm.ScoreTable:
            return pm.ScoreTable.from_arrays(y, s, scenario="single_training_set")

        alone = seconds(built)
        area = seconds(lambda: pm.roc_auc(built(), prior=0.1))
        report("table + roc_auc with interval / np.sort", area / sort, 1.25)
        whole = seconds(lambda: pm.evaluate(built()), repeats=2)
        report("table + evaluate, prior estimated / roc_auc_score", whole / sklearn, 0.4)
        report("table + evaluate, prior estimated / table alone", whole / alone)
        report("table + evaluate, prior estimated / np.sort", whole / sort)
        other = score + rng.normal(size=rows)

        def page(other: Any = other) -> str:
            tables = {"a": built(), "b": built(s=other)}
            return pm.evaluate(tables).to_html()

        report("two tables + evaluate + to_html / roc_auc_score",
               seconds(page, repeats=1) / sklearn, 0.9)  # fmt: skip


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
