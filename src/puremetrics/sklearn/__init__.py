"""Array-first scores and scorers for scikit-learn users.

Each function takes labels as scikit-learn does, except that the zeros of ``y`` are *unlabeled*, and
returns a float that always lies in the range of its metric. A correction can leave that range where rows are
few: the value is then the repaired one, as `puremetrics.metric` gives it, and a `RepairedScoreWarning`
says so. A metric that is 0/0 counts as 0, with the same warning. Use `puremetrics.roc_auc` and its
companions for intervals and diagnostics.

>>> from puremetrics.sklearn import roc_auc_score
>>> roc_auc_score([1, 1, 0, 0, 0], [5, 3, 4, 2, 1], scenario="case_control", prior=0.2)
0.9166666666666667
"""

from __future__ import annotations

from puremetrics.comparing.fitting import cross_evaluate
from puremetrics.sklearn.scorers import make_scorer
from puremetrics.sklearn.scores import (
    RepairedScoreWarning,
    average_precision_score,
    balanced_accuracy_score,
    bedroc_score,
    enrichment_factor_score,
    f1_score,
    matthews_corrcoef,
    ndcg_score,
    precision_at_top_score,
    precision_score,
    recall_at_top_score,
    recall_score,
    roc_auc_score,
)

__all__ = [
    "RepairedScoreWarning",
    "average_precision_score",
    "balanced_accuracy_score",
    "bedroc_score",
    "cross_evaluate",
    "enrichment_factor_score",
    "f1_score",
    "make_scorer",
    "matthews_corrcoef",
    "ndcg_score",
    "precision_at_top_score",
    "precision_score",
    "recall_at_top_score",
    "recall_score",
    "roc_auc_score",
]
