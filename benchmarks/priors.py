"""Speed of the prior estimators, as multiples of one sklearn.metrics.roc_auc_score on the same rows.

Run: python benchmarks/priors.py [rows]
"""

from __future__ import annotations

import sys

from common import make_rows, peak_bytes, report, seconds
from sklearn.metrics import roc_auc_score

import puremetrics as pm
from puremetrics.priors import estimate_prior


def main(rows: int) -> None:
    for labelled in (0.01, 0.1):
        y, score = make_rows(rows, labelled)
        unit = seconds(lambda y=y, score=score: roc_auc_score(y, score))
        print(f"{rows} rows, {labelled:.0%} labelled; roc_auc_score {unit:.3f} s")

        def build(y=y, score=score) -> pm.ScoreTable:  # a fresh table: nothing is cached
            return pm.ScoreTable.from_arrays(y, score, scenario="case_control")

        def default() -> None:
            estimate_prior(build())

        report("  default with interval, from arrays", seconds(default) / unit, 2.0)
        table = build()
        report(
            "  default with interval, table given",
            seconds(lambda t=table: estimate_prior(t)) / unit,
        )
        for method in ("alphamax", "best_bin", "slope", "dedpul", "combined_n", "alphamax_n"):
            spent = seconds(lambda t=table, m=method: estimate_prior(t, method=m, interval="none"))
            report(f"  {method}, table given, no interval", spent / unit)
        peak = peak_bytes(lambda t=table: estimate_prior(t))
        print(f"  peak memory of the default on a table: {peak / 1e6:.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
