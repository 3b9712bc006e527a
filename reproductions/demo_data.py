"""Make the demo data: out-of-fold scores of two spam filters, with some spam reported.

Spambase (Hopkins, Reeber, Forman, Suermondt 1999; UCI Machine Learning Repository, CC BY 4.0): 4,601
messages, 1,813 of them spam, 57 features. Messages are the population; three in ten spam messages,
chosen at random, count as reported by a reader, and everything else is unlabeled.

    python reproductions/demo_data.py SPAMBASE.parquet src/puremetrics/data/demo.csv
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow.parquet as pq
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SEED = 7
REPORTED = 0.3


def main(source: str, target: str) -> None:
    frame = pq.read_table(source)
    spam = frame["y"].to_numpy().astype(int)
    features = np.column_stack([frame[f"f{i}"].to_numpy() for i in range(57)])
    rng = np.random.default_rng(SEED)
    reported = ((rng.random(spam.size) < REPORTED) & (spam == 1)).astype(int)
    words = features[:, :12]  # the weaker filter sees only the first twelve word frequencies
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    forest = RandomForestClassifier(300, min_samples_leaf=5, random_state=SEED)
    scores = {
        "forest": cross_val_predict(forest, features, reported, cv=folds, method="predict_proba"),
        "words": cross_val_predict(linear, words, reported, cv=folds, method="predict_proba"),
    }
    with open(target, "w", newline="\n") as out:  # noqa: PTH123
        out.write("reported,forest,words,spam\n")
        for i in range(spam.size):
            forest_i, words_i = (scores[name][i, 1] for name in scores)
            out.write(f"{reported[i]},{forest_i:.4f},{words_i:.4f},{spam[i]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
