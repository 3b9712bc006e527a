"""Positive-unlabeled samples of fully labelled sets, by the protocol of Jain, White and Radivojac (2017).

1,000 rows are labelled (100 in the small sets), a share `purity` of them positives and the rest negatives by
mistake; all others are unlabeled, at most 10,000 of them. The share of positives among the unlabeled is
counted, not set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEW_LABELLED = ("housing", "concrete", "pima", "pageblocks")
LARGEST_UNLABELED = 10_000


@dataclass(frozen=True)
class Sample:
    """Rows of a set, which of them carry a label, and the hidden truth of each."""

    rows: np.ndarray
    labelled: np.ndarray
    truth: np.ndarray

    @property
    def share(self) -> float:
        """Share of positives among the unlabeled."""
        return float(self.truth[~self.labelled].mean())


def labelled_rows(name: str) -> int:
    return 100 if name in FEW_LABELLED or name == "made" else 1_000


def draw(truth: np.ndarray, labelled: int, purity: float, rng: np.random.Generator) -> Sample:
    """Draw one sample; labelled rows come first."""
    right = round(labelled * purity)
    positives = rng.permutation(np.flatnonzero(truth == 1))
    negatives = rng.permutation(np.flatnonzero(truth != 1))
    given = np.concatenate([positives[:right], negatives[: labelled - right]])
    rest = rng.permutation(np.concatenate([positives[right:], negatives[labelled - right :]]))
    rows = np.concatenate([given, rest[:LARGEST_UNLABELED]])
    return Sample(rows, np.arange(rows.size) < labelled, (truth[rows] == 1).astype(int))


def made_set(rng: np.random.Generator, size: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Two normal classes in three dimensions, 2.5 apart, two fifths positive: for the quick runs."""
    truth = (rng.random(size) < 0.4).astype(np.uint8)
    return rng.normal(size=(size, 3)) + truth[:, None] * [2.0, 1.5, 0.0], truth
