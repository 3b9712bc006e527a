"""Twenty learners from bad to good, trained on labelled against unlabeled rows, for `pulp.py`.

Ten kinds, each trained on all rows and on 20 labelled and 40 unlabeled ones. Those called weighted follow Elkan
and Noto (2008), as the paper's do: unlabeled rows count as positives with the chance of being one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

FEW = (20, 40)  # labelled and unlabeled rows of the short training sets


def least_squares(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    design = np.column_stack([x, np.ones(len(x))])
    gram = design.T @ (design * weight[:, None])
    gram[np.diag_indices_from(gram)] += 1e-6 * np.trace(gram)
    return np.linalg.solve(gram, design.T @ (weight * (2.0 * y - 1)))[:-1]


def unlabeled_weights(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Elkan and Noto's chance that a row is positive, 1 for the labelled."""
    chance = LogisticRegression(C=10.0, max_iter=200).fit(x, y).predict_proba(x)[:, 1]
    frequency = chance[y].mean()
    odds = chance / np.maximum(1 - chance, 1e-9) * (1 - frequency) / frequency
    return np.where(y, 1.0, np.minimum(odds, 1.0))


def doubled(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each unlabeled row once as a positive and once as a negative, with its weights."""
    positive = unlabeled_weights(x, y)
    rows = np.concatenate([x, x[~y]])
    labels = np.concatenate([np.ones(len(x), dtype=bool), np.zeros(int((~y).sum()), dtype=bool)])
    return rows, labels, np.concatenate([positive, 1 - positive[~y]])


def bayes(train: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Gaussian naive Bayes: difference of log-densities."""
    score = np.zeros(len(test))
    for label, sign in ((True, 1.0), (False, -1.0)):
        part = train[y == label]
        mean, spread = part.mean(axis=0), part.var(axis=0) + 1e-9
        score -= sign * 0.5 * (np.log(spread) + (test - mean) ** 2 / spread).sum(axis=1)
    return score


def ten_kinds(x: np.ndarray, y: np.ndarray, test: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Scores of the test rows; features are principal components, leading ones first."""
    even = np.ones(len(x))
    for size in (3, 20, 100):
        yield f"least squares, {size}", test[:, :size] @ least_squares(x[:, :size], y, even)
    yield "centroids", test @ (x[y].mean(axis=0) - x[~y].mean(axis=0))
    yield "distance to the labelled", -((test - x[y].mean(axis=0)) ** 2).sum(axis=1)
    yield "naive Bayes, 10", bayes(x[:, :10], y, test[:, :10])
    yield "naive Bayes, 50", bayes(x[:, :50], y, test[:, :50])
    rows, labels, weights = doubled(x[:, :50], y)
    yield "weighted least squares", test[:, :50] @ least_squares(rows, labels, weights)
    for cost in (0.01, 1.0):
        machine = LinearSVC(C=cost, random_state=0, max_iter=300, tol=1e-2)
        machine.fit(rows, labels, sample_weight=weights)
        yield f"weighted SVM, {cost:g}", machine.decision_function(test[:, :50])


def learners(
    x: np.ndarray, given: np.ndarray, test: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[str, np.ndarray]]:
    """Name and scores of the rows marked `test`, of all twenty."""
    few = np.zeros(test.size, dtype=bool)
    for part, size in ((given, FEW[0]), (~given, FEW[1])):
        few[rng.permutation(np.flatnonzero(part & ~test))[:size]] = True
    for amount, train in (("all rows", ~test), ("few rows", few)):
        with warnings.catch_warnings():  # a learner that has not converged is one of the bad ones
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = list(ten_kinds(x[train], given[train], x[test]))
        for name, score in found:
            yield f"{name}, {amount}", score
