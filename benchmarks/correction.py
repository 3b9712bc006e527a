"""Table and corrected AUC on 1e7 rows, 1% labelled. Run: python benchmarks/correction.py [rows]."""

from __future__ import annotations

import sys

import numpy as np
from common import make_rows, peak_bytes, report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm


def main(rows: int) -> None:
    y, score = make_rows(rows)

    def table() -> pm.ScoreTable:
        return pm.ScoreTable.from_arrays(y, score, scenario="case_control")

    sort = seconds(lambda: np.sort(score))
    sklearn = seconds(lambda: roc_auc_score(y, score), repeats=1)
    print(f"{rows:,} rows; np.sort {sort:.3f} s, roc_auc_score {sklearn / sort:.1f} x np.sort")
    report("table with all its rows / np.sort", seconds(lambda: table().score) / sort, 5)
    report("table cut at the labelled scores / np.sort", seconds(lambda: table().cut()) / sort, 3.5)
    report(
        "table + roc_auc with interval / roc_auc_score",
        seconds(lambda: pm.roc_auc(table(), prior=0.1)) / sklearn,
        0.15,
    )
    random = seconds(lambda: pm.roc_auc(table(), prior=0.1))
    biased = seconds(lambda: pm.roc_auc(table(), prior=0.1, label_bias=2))
    report("table + roc_auc, label bias 2 / at random", biased / random, 1.3)
    tipping = seconds(lambda: pm.tipping_point(table(), above=0.7, prior=0.1))
    report("table + tipping point / roc_auc at random", tipping / random, 3)
    size = y.nbytes + score.nbytes
    held = peak_bytes(lambda: pm.roc_auc(table(), prior=0.1)) + size
    report("peak memory (input included) / input, corrected AUC", held / size, 4)
    held = peak_bytes(lambda: table().score) + size
    report("peak memory (input included) / input, all rows", held / size, 4)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
