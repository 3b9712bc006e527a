"""What other packages say of the rows in a file; run by `peers.py` with the Python of its own environment.

``python peer_calls.py rows.npz pulearn`` prints JSON: a list of question, call, value and seconds. Labels are 1 for
labelled positives and 0 for unlabeled rows; scores are probabilities of being positive.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Call = tuple[str, str, Callable[[], Any]]  # question, words for the call, the call


def sklearn_calls(y: Any, score: Any, prior: float, cut: float) -> Iterator[Call]:
    from sklearn import metrics

    said = score >= cut
    yield "ROC AUC", "roc_auc_score", lambda: metrics.roc_auc_score(y, score)
    yield (
        "average precision",
        "average_precision_score",
        lambda: metrics.average_precision_score(y, score),
    )
    yield "recall", "recall_score", lambda: metrics.recall_score(y, said)
    yield "precision", "precision_score", lambda: metrics.precision_score(y, said)
    yield (
        "specificity",
        "recall_score, pos_label=0",
        lambda: metrics.recall_score(y, said, pos_label=0),
    )


def pulearn_calls(y: Any, score: Any, prior: float, cut: float) -> Iterator[Call]:
    from pulearn import metrics

    said = (score >= cut).astype(int)
    yield "ROC AUC", "pu_roc_auc_score", lambda: metrics.pu_roc_auc_score(y, score, pi=prior)
    hidden = (prior - y.mean()) / (1 - y.mean())  # share of positives among the unlabeled
    words = "pu_roc_auc_score, share among the unlabeled"
    yield "ROC AUC", words, lambda: metrics.pu_roc_auc_score(y, score, pi=hidden)
    curve = metrics.pu_precision_recall_curve
    yield (
        "average precision",
        "pu_precision_recall_curve",
        lambda: curve(y, score, pi=prior).corrected_ap,
    )
    yield "recall", "pu_recall_score", lambda: metrics.pu_recall_score(y, said)
    yield "precision", "pu_precision_score", lambda: metrics.pu_precision_score(y, said, pi=prior)
    yield (
        "specificity",
        "pu_specificity_score",
        lambda: metrics.pu_specificity_score(y, score, threshold=cut),
    )
    known = y.mean() / prior  # P(labelled | positive)
    specificity = metrics.pu_specificity_score
    words = "pu_specificity_score of P(labelled)"
    yield "specificity", words, lambda: specificity(y, known * score, known, known * cut)
    yield (
        "prior",
        "label share / estimate_label_frequency_c",
        lambda: y.mean() / metrics.estimate_label_frequency_c(y, score),
    )


def pu_toolbox_calls(y: Any, score: Any, prior: float, cut: float) -> Iterator[Call]:
    from pu_toolbox import metrics

    said = (score >= cut).astype(int)
    yield "recall", "pu_recall", lambda: metrics.pu_recall(y, said)
    yield (
        "precision",
        "pu_estimated_precision",
        lambda: metrics.pu_estimated_precision(y, said, prior),
    )
    yield "ROC AUC", "pu_auc_roc", lambda: metrics.pu_auc_roc(y, score)


def quapy_calls(y: Any, score: Any, prior: float, cut: float) -> Iterator[Call]:
    from quapy.method.aggregative import ACC
    from sklearn.linear_model import LogisticRegression

    half = np.arange(y.size) % 2 == 0
    feature = score[:, None]

    def share() -> float:
        quantifier = ACC(LogisticRegression())
        quantifier.fit(feature[half], y[half])
        return float(quantifier.predict(feature[~half])[1])

    yield "prior", "ACC, labels as classes", share


CALLS = {
    "scikit-learn": sklearn_calls,
    "pulearn": pulearn_calls,
    "pu-toolbox": pu_toolbox_calls,
    "quapy": quapy_calls,
}


def main(file: str, package: str) -> None:
    rows = np.load(file)
    given = rows["y"].astype(int), rows["score"], float(rows["prior"]), float(rows["cut"])
    said = []
    for question, words, call in CALLS[package](*given):
        try:
            value = float(call())
            best = []
            for _ in range(3):
                start = time.process_time()
                call()
                best.append(time.process_time() - start)
            said.append({"question": question, "call": words, "value": value, "seconds": min(best)})
        except Exception as error:  # of somebody else's package: part of the answer
            said.append(
                {"question": question, "call": words, "error": f"{type(error).__name__}: {error}"}
            )
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
