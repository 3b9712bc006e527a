"""The top of the list on 1e7 rows, 1% labelled. Run: python benchmarks/listing.py [rows]."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from common import make_rows, report, seconds
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import puremetrics as pm

KNOWN = {"prior": 0.1}
MEASURES: dict[str, tuple[Callable[[pm.ScoreTable], Any], float]] = {
    "metric precision, top=0.01": (
        lambda t: pm.metric(t, "precision", top=0.01, **KNOWN), 0.05),
    "enrichment_factor": (lambda t: pm.enrichment_factor(t, top=0.01), 0.05),
    "rie": (lambda t: pm.rie(t), 0.05),
    "bedroc": (lambda t: pm.bedroc(t, **KNOWN), 0.05),
    "ndcg": (lambda t: pm.ndcg(t, top=1000, **KNOWN), 0.05),
    "net_benefit": (lambda t: pm.net_benefit(t, **KNOWN), 0.05),
    "roc_auc, max_fpr=0.1": (lambda t: pm.roc_auc(t, max_fpr=0.1, **KNOWN), 0.05),
    "roc_auc, recall_range=(0.8, 1)": (
        lambda t: pm.roc_auc(t, recall_range=(0.8, 1.0), **KNOWN), 0.05),
    "boyce_index": (lambda t: pm.boyce_index(t), 0.05),
    "discovery_curve, simultaneous band": (
        lambda t: pm.discovery_curve(t, band="simultaneous", **KNOWN), 0.1),
    "roc_curve, pointwise band": (lambda t: pm.roc_curve(t, band="pointwise", **KNOWN), 0.05),
    "roc_curve, simultaneous band": (
        lambda t: pm.roc_curve(t, band="simultaneous", **KNOWN), 0.05),
    "pr_curve, simultaneous band": (
        lambda t: pm.pr_curve(t, band="simultaneous", **KNOWN), 0.05),
}  # fmt: skip


def main(rows: int) -> None:
    y, score = make_rows(rows)
    score = expit(score - 1)  # probabilities, which net benefit asks for
    table = pm.ScoreTable.from_arrays(y, score, scenario="case_control")
    sklearn = seconds(lambda: roc_auc_score(y, score), repeats=1)
    print(f"{rows:,} rows; from a table that is made, over roc_auc_score")
    table.cut()
    for name, (measure, bar) in MEASURES.items():
        report(f"{name} / roc_auc_score", seconds(lambda m=measure: m(table)) / sklearn, bar)  # type: ignore[misc]


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
