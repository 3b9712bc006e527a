"""Harsh worlds with known truth: rare positives, saturated and tied scores, heavy tails, few labels.

A world is two distributions on score levels (20,000 of them where scores are continuous, fine enough that
ties are rare), so that every truth is a sum and a sample is a draw of counts, whatever the number of rows.
Scores are probabilities: the true posterior, moved to be over-confident, unless the family says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import stats
from scipy.special import expit, logit
from worlds import trapezoid

import puremetrics as pm

FAMILIES = ("smooth", "saturated", "heavy-tailed", "5 levels", "50 levels", "5% at the bottom")
STRENGTHS = {"fair": 1.0, "good": 2.5, "excellent": 4.5}  # distance of the classes
SCENARIOS = ("case_control", "single_training_set")
LABELS = (10, 30, 100, 1000)
PRIORS = (0.001, 0.01, 0.1, 0.4)
LABELLED_SHARE = 0.3  # of the positives of a single training set
_FINE = 20_000


@lru_cache(maxsize=64)
def levels_of(
    family: str, strength: str, prior: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rising scores, and the probability of each among positives and among negatives."""
    shift = STRENGTHS[strength]
    law = stats.t(3) if family == "heavy-tailed" else stats.norm()
    edge = 45.0 if family == "heavy-tailed" else 9.0
    even = expit(np.linspace(-30, 30, _FINE // 2))
    cuts = np.unique(np.concatenate([law.ppf(even), shift + law.ppf(even), [-edge, edge + shift]]))
    cuts = cuts[np.isfinite(cuts)]
    pos, neg = np.diff(law.cdf(cuts - shift)), np.diff(law.cdf(cuts))
    middle = (cuts[1:] + cuts[:-1]) / 2
    kept = pos + neg > 0
    pos, neg, middle = pos[kept] / pos.sum(), neg[kept] / neg.sum(), middle[kept]
    if family == "5% at the bottom":
        low = np.linspace(middle[0] - 2, middle[0] - 1, 200)
        pos = np.concatenate([np.full(200, 0.05 / 200), 0.95 * pos])
        neg = np.concatenate([np.zeros(200), neg])
        middle = np.concatenate([low, middle])
    if family == "saturated":  # 6% of the positives look like clear negatives
        pos = 0.94 * pos + 0.06 * _bump(middle, -1.0)
    if family.endswith("levels"):
        count = int(family.split()[0])
        place = np.digitize(middle, np.linspace(-1.5, 1.5 + shift, count - 1))
        pos, neg = (np.bincount(place, part, minlength=count) for part in (pos, neg))
        middle = np.linspace(-2, 2 + shift, count)
    score = _scores(family, middle, shift, prior)
    score, place = np.unique(score, return_inverse=True)
    return score, np.bincount(place, pos), np.bincount(place, neg)


def _bump(middle: np.ndarray, centre: float) -> np.ndarray:
    bump = np.exp(-((middle - centre) ** 2) / 0.5) * np.gradient(middle)
    return bump / bump.sum()


def _scores(family: str, x: np.ndarray, shift: float, prior: float) -> np.ndarray:
    """Probabilities that a classifier of this kind would say."""
    evidence = shift * (x - shift / 2) + logit(prior)
    if family == "heavy-tailed":
        evidence = np.clip(shift * (x - shift / 2), -6, 6) + 0.02 * x + logit(prior)
    if family == "saturated":  # logits several times too large, as floats of single precision
        return expit(np.clip(4 * evidence, -30, 30)).astype(np.float32).astype(float)
    slope = 0.2 * x if family == "5% at the bottom" else 0.0
    return expit(1.2 * evidence + slope)


@dataclass(frozen=True)
class Harsh:
    """A family of scores, and how it is sampled."""

    scenario: str
    family: str
    strength: str
    prior: float
    labelled: int
    wide: bool = False  # case-control: so many unlabeled rows that ten of them are positive

    @property
    def unlabeled(self) -> int:
        """Unlabeled rows; in a single training set on average."""
        if self.scenario == "single_training_set":
            return round(self.labelled / LABELLED_SHARE / self.prior) - self.labelled
        least = 10 / self.prior if self.wide else 1000
        return int(max(10 * self.labelled, least))

    @cached_property
    def levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return levels_of(self.family, self.strength, self.prior)

    def counts(
        self, rng: np.random.Generator, fixed: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labelled positives, hidden positives and negatives at each score; ``fixed``: so many labels."""
        _, pos, neg = self.levels
        if self.scenario == "case_control":
            hidden = rng.binomial(self.unlabeled, self.prior)
            sizes = self.labelled, hidden, self.unlabeled - hidden
        elif fixed:
            hidden = rng.binomial(self.unlabeled, self.hidden_share)
            sizes = self.labelled, hidden, self.unlabeled - hidden
        else:
            rows = self.labelled + self.unlabeled
            positives = rng.binomial(rows, self.prior)
            seen = rng.binomial(positives, LABELLED_SHARE)
            seen = max(seen, 1)
            sizes = seen, max(positives - seen, 0), rows - positives
        laws = (pos, pos, neg)
        return tuple(rng.multinomial(n, p) for n, p in zip(sizes, laws, strict=True))  # type: ignore[return-value]

    @property
    def hidden_share(self) -> float:
        """Share of positives among the unlabeled rows of a single training set."""
        return self.prior * (1 - LABELLED_SHARE) / (1 - self.prior * LABELLED_SHARE)

    def table(self, rng: np.random.Generator, fixed: bool = False) -> pm.ScoreTable:
        labelled, hidden, negative = self.counts(rng, fixed)
        return self.table_of(labelled, hidden + negative)

    def table_of(self, labelled: np.ndarray, unlabeled: np.ndarray) -> pm.ScoreTable:
        some = (labelled > 0) | (unlabeled > 0)
        return pm.ScoreTable.from_counts(
            self.levels[0][some],
            n_pos=labelled[some],
            n_unl=unlabeled[some],
            scenario=self.scenario,
        )

    # ---------------------------------------------------------------- truth

    @cached_property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """True and false positive rates along falling thresholds, from none to all."""
        _, pos, neg = self.levels
        return tuple(np.concatenate([[0.0], np.cumsum(p[::-1])]) for p in (pos, neg))  # type: ignore[return-value]

    @cached_property
    def roc_auc(self) -> float:
        tpr, fpr = self.rates
        return trapezoid(tpr, fpr)

    @cached_property
    def average_precision(self) -> float:
        tpr, fpr = self.rates
        found = self.prior * tpr[1:]
        reached = np.maximum(found + (1 - self.prior) * fpr[1:], 1e-300)
        return float(np.dot(np.diff(tpr), found / reached))

    def threshold(self, recall: float = 0.5) -> float:
        """Highest score at which this recall is reached."""
        place = int(np.searchsorted(self.rates[0][1:], recall))
        return float(self.levels[0][::-1][min(place, self.levels[0].size - 1)])

    def metric(self, name: str, threshold: float) -> float:
        score, pos, neg = self.levels
        tpr, fpr = float(pos[score >= threshold].sum()), float(neg[score >= threshold].sum())
        entries = (self.prior * tpr, (1 - self.prior) * fpr)
        counts = (*entries, self.prior - entries[0], 1 - self.prior - entries[1])
        arrays = (np.array([entry]) for entry in counts)
        return float(pm.ConfusionCounts(np.zeros(1), *arrays).metric(name)[0])

    @cached_property
    def mix(self) -> np.ndarray:
        """Probability of each score in the population."""
        _, pos, neg = self.levels
        return self.prior * pos + (1 - self.prior) * neg

    @cached_property
    def brier_score(self) -> float:
        score, pos, neg = self.levels
        losses = self.prior * pos * (1 - score) ** 2 + (1 - self.prior) * neg * score**2
        return float(losses.sum())

    @cached_property
    def log_loss(self) -> float:
        score, pos, neg = self.levels
        kept = np.clip(score, 1e-15, 1 - 1e-15)
        losses = self.prior * pos * np.log(kept) + (1 - self.prior) * neg * np.log1p(-kept)
        return -float(losses.sum())

    @cached_property
    def signed_error(self) -> float:
        return float(np.dot(self.mix, self.levels[0])) - self.prior

    def binned_error(self, upper: np.ndarray) -> float:
        """Calibration error of bins that end at these scores."""
        score, pos, _ = self.levels
        place = np.minimum(np.searchsorted(upper, score, side="left"), upper.size - 1)
        gaps = np.bincount(place, self.mix * score - self.prior * pos, minlength=upper.size)
        return float(np.abs(gaps).sum())

    @cached_property
    def calibration_error(self) -> float:
        """With bins as narrow as can be."""
        score, pos, _ = self.levels
        return float(np.abs(self.mix * score - self.prior * pos).sum())

    def share_between(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """True share of positives among rows with lower < score <= upper (the first: from 0)."""
        score, pos, _ = self.levels
        running = [np.concatenate([[0.0], np.cumsum(p)]) for p in (self.prior * pos, self.mix)]
        ends = [np.searchsorted(score, edge, side="right") for edge in (lower, upper)]
        ends[0] = np.where(lower <= 0, 0, ends[0])
        found, rows = (run[ends[1]] - run[ends[0]] for run in running)
        return np.divide(found, rows, out=np.full(rows.size, np.nan), where=rows > 0)

    def __str__(self) -> str:
        return (
            f"{self.scenario}, {self.family}, {self.strength}, prior {self.prior:g}, "
            f"{self.labelled} + {self.unlabeled} rows"
        )


def grid(strengths: tuple[str, ...] = tuple(STRENGTHS)) -> list[Harsh]:
    """Every combination; in case-control also with so many rows that ten of the hidden are positive."""
    worlds = []
    for family in FAMILIES:
        for strength in strengths:
            for prior in PRIORS:
                for labelled in LABELS:
                    cells = [
                        Harsh("case_control", family, strength, prior, labelled),
                        Harsh("case_control", family, strength, prior, labelled, True),
                        Harsh("single_training_set", family, strength, prior, labelled),
                    ]
                    worlds += cells if cells[0].unlabeled != cells[1].unlabeled else cells[::2]
    return worlds
