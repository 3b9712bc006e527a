"""PULP and its companions on a built table of 1e7 rows, 1% labelled. Run: python benchmarks/ranking.py [rows]."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from common import make_rows, report, seconds

from puremetrics import ScoreTable
from puremetrics import statistics as ranking

NAMES = (
    "lee_liu", "pseudo_f", "mean_f1", "mean_mutual_information", "mean_pearson", "naive_auc",
    "naive_average_precision",
)  # fmt: skip


def main(rows: int) -> None:
    y, score = make_rows(rows)
    random = np.random.default_rng(1).normal(size=rows)  # the costliest tails are those of no skill
    sort = seconds(lambda: np.sort(score))
    print(
        f"{rows:,} rows, {int(y.sum()):,} labelled; np.sort {sort:.3f} s. Ratios to np.sort, table built:"
    )
    for what, values in (
        ("good", score),
        ("random", random),
        ("tied (300 levels)", score.round(1)),
    ):
        table = ScoreTable.from_arrays(y, values, scenario="single_training_set")
        table.cut()
        value = partial(ranking.pulp, table, confidence_level=None)
        report(f"pulp, value and curve, {what} scores", seconds(value) / sort, 3.0)
        time = seconds(partial(ranking.pulp, table))
        report(f"pulp with interval, {what} scores", time / sort)
    table = ScoreTable.from_arrays(y, score, scenario="single_training_set")
    table.cut()
    for name in NAMES:
        time = seconds(partial(getattr(ranking, name), table))
        report(f"{name} with interval, good scores", time / sort)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
