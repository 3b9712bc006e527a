"""The experiment of Hajizadeh, Li, Dollevoet and Tax (2014): problems, labelling scenarios, measures.

Every configuration (data set, positive class, learner) is evaluated twice by eight-fold cross-validation: with all
labels of the test fold, and with only half of its positives labelled. Each test fold is also cut to a half, a quarter
and a sixteenth, so that configurations with test sets of one size and of several sizes can be told apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.mixture import GaussianMixture

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproductions.common import Run, dataset
from reproductions.pulp_learners import learners

from puremetrics import ScoreTable, roc_auc
from puremetrics import statistics as ranking

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
FEW_SHARES = (0.3,)  # of a quick run
SCENARIOS = ("random", "scenario 1", "scenario 2")
SIZES = {
    "full folds": 1.0,
    "a half": 1 / 2,
    "a quarter": 1 / 4,
    "a sixteenth": 1 / 16,
}  # of the test folds
THREE = (0, 2, 3)  # places of the sizes that neighbouring problems have, where sizes differ
LARGE = (0, 1, 2)  # the same without the smallest
FOLDS, QUICK_FOLDS = 8, 2
GROUPS = ("alt.atheism", "comp.graphics", "rec.autos", "sci.med", "sci.space", "talk.politics.guns")
DIGITS = (0, 1, 3, 5, 8, 9)
FEW_DIGITS = (3, 5, 8)
MEASURES: dict[str, Callable[..., Any]] = {
    "AUC": ranking.naive_auc,
    "F1": ranking.mean_f1,
    "L&L": ranking.lee_liu,
    "MI": ranking.mean_mutual_information,
    "PEAR": ranking.mean_pearson,
    "MAP": ranking.naive_average_precision,
    "PULP": ranking.pulp,
    "PseudoF": ranking.pseudo_f,
}
AUC = 0  # place among the measures; the corrected AUC comes last
PULP = list(MEASURES).index("PULP")


# ---------------------------------------------------------------- data


def problems(run: Run, few: bool = False) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features (principal components) and true labels of each problem."""
    if run.quick:
        rng = np.random.default_rng(run.seed)
        kind = np.arange(240) % 3
        x = rng.normal(size=(240, 60)) * np.linspace(2, 0.5, 60) + np.eye(3, 60)[kind] * 4
        for k in range(3):
            yield f"made class {k}", x, kind == k
        return
    if not few and (posts := dataset("20newsgroups", run)):
        words = TfidfVectorizer(min_df=5, max_df=0.5, sublinear_tf=True, stop_words="english")
        raw = "id" in posts.columns  # raw posts have headers, which name the group
        texts = [text.partition("\n\n")[2] if raw else text for text in posts.X]
        x = TruncatedSVD(100, random_state=run.seed).fit_transform(words.fit_transform(texts))
        for group in GROUPS:
            yield f"20 newsgroups: {group}", x, np.asarray(posts.y) == group
    if digits := dataset("mnist16_1000", run):
        pixels = digits.X.astype(float) / 255
        centred = pixels - pixels.mean(axis=0)
        x = centred @ np.linalg.svd(centred, full_matrices=False)[2][:100].T
        for digit in FEW_DIGITS if few else DIGITS:
            yield f"MNIST: {digit}", x, np.asarray(digits.y) == digit
    if not few and (protein := dataset("protein", run)):
        weighted = TfidfTransformer().fit_transform(protein.X.astype(float))
        x = TruncatedSVD(100, random_state=run.seed).fit_transform(weighted)
        yield "protein", x, np.asarray(protein.y) == 1


def representativeness(x: np.ndarray, seed: int) -> np.ndarray:
    """Log-density of each positive under a Gaussian mixture of all positives."""
    reduced = x[:, :10]
    mixture = GaussianMixture(3, covariance_type="full", reg_covar=1e-6, random_state=seed)
    return mixture.fit(reduced).score_samples(reduced)


def labelled_half(scenario: str, density: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which positives carry a label: a random half, the most, or the least representative half."""
    order = {"random": rng.permutation(density.size), "scenario 1": np.argsort(-density)}.get(
        scenario, np.argsort(density)
    )
    chosen = np.zeros(density.size, dtype=bool)
    chosen[order[: density.size // 2]] = True
    return chosen


# ---------------------------------------------------------------- the experiment


def measured(
    label: np.ndarray, score: np.ndarray, names: Sequence[str], prior: float | None = None
) -> np.ndarray:
    """The named measures (others: nan), and the AUC corrected with the prior, if there is one."""
    rows = ScoreTable.from_groups(
        positive=score[label], unlabeled=score[~label], scenario="single_training_set"
    )
    found = [
        float(measure(rows, confidence_level=None)) if name in names else np.nan
        for name, measure in MEASURES.items()
    ]
    corrected = found[AUC] if prior is None else roc_auc(rows, prior=prior, method="direct").value
    return np.array([*found, corrected])


def run_problem(
    x: np.ndarray, truth: np.ndarray, scenario: str, share: float, seed: int, own: int,
    folds: int = FOLDS,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Full and PU values of the measures, and the fewest rows of each group in a test fold.

    Shapes (sizes, learners, 2, measures + 1) and (sizes, 3): labelled, other positives, negatives. All measures at
    full size and at the problem's own size, AUC and PULP at the others.
    """
    rng = np.random.default_rng(seed)
    positives = rng.permutation(np.flatnonzero(truth))[:1000]
    named = positives[labelled_half(scenario, representativeness(x[positives], seed), rng)]
    count = round((positives.size - named.size) * (1 - share) / share)
    negatives = rng.permutation(np.flatnonzero(~truth))[:count]
    rows = np.concatenate([positives, negatives])
    features, true, given = x[rows], truth[rows], np.isin(rows, named)
    fold, place = np.empty(rows.size, dtype=int), np.empty(rows.size)
    groups = given, true & ~given, ~true
    for part in groups:  # folds alike in all three groups
        order = rng.permutation(int(part.sum()))
        fold[part], place[part] = order % folds, order // folds / max(1, order.size / folds)
    fewest = np.array(
        [
            [
                min(np.sum(g & (place < size) & (fold == held)) for held in range(folds))
                for g in groups
            ]
            for size in SIZES.values()
        ]
    )
    total = 0.0
    for held in range(folds):
        test = fold == held
        scored = list(learners(features, given, test, rng))
        values = []
        for i, size in enumerate(SIZES.values()):
            names = tuple(MEASURES) if i in (0, own) else ("AUC", "PULP")
            kept = place[test] < size
            y, known = true[test][kept], given[test][kept]
            prior = float(y.mean()) if size == 1 else None
            values.append(
                [
                    [measured(y, s[kept], names), measured(known, s[kept], names, prior)]
                    for _, s in scored
                ]
            )
        total = total + np.array(values) / folds
    return total, fewest


@dataclass(frozen=True)
class Results:
    """Values by (scenario, share, problem, size, learner, full or PU, measure).

    ``fewest`` are the rows of the smallest test fold by (size, group): labelled, other positives, negatives.
    """

    problems: list[str]
    shares: Sequence[float]
    values: np.ndarray
    fewest: np.ndarray

    def one_size(self, size: int) -> np.ndarray:
        return self.values[:, :, :, size]

    def by_problem(self, sizes: Sequence[int] = THREE) -> np.ndarray:
        """Neighbouring problems have test sets of different sizes."""
        picked = [self.values[:, :, i, sizes[i % len(sizes)]] for i in range(len(self.problems))]
        return np.stack(picked, axis=2)


def experiment(run: Run, few: bool = False) -> Results:
    """All problems, or a few of them (the digits of `FEW_DIGITS`)."""
    shares, folds = (FEW_SHARES, QUICK_FOLDS) if run.quick else (SHARES, FOLDS)
    names, values, fewest = [], [], []
    for number, (name, x, truth) in enumerate(problems(run, few)):
        own = THREE[number % len(THREE)]
        names.append(name)
        cells = [
            run_problem(x, truth, scene, share, run.seed + number, own, folds)
            for scene in SCENARIOS
            for share in shares
        ]
        shape = len(SCENARIOS), len(shares)
        values.append(np.reshape([found for found, _ in cells], (*shape, *cells[0][0].shape)))
        fewest += [rows for _, rows in cells]
        print(name, flush=True)
    if not names:
        sys.exit("None of the data sets could be had: name a folder that has them with --folder.")
    return Results(names, shares, np.stack(values, axis=2), np.min(fewest, axis=0))
