"""What each kind of evidence expects to be counted, if these are the rates of positives by cell.

A term never sees rows: it is made of counts by group of cells or by bin of scores, and of which cells those
belong to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.evidence.fit import Counts, Limit, grouped

__all__ = ["Agreed", "Answered", "Caught", "Given", "Labelled"]

_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Answered:
    """Answers yes and no by group of cells, from a checker who errs at given or unknown rates.

    ``sensitivity`` and ``specificity`` are numbers, or None if they are learnt: then ``twice`` holds answers
    of the checker to rows that are known to be positive (yes, no) and to rows that are known to be negative.
    ``tilt`` are the log odds by which checked rows of a group are rather positive than the others.
    """

    group: Any  # of each cell; −1 if none of its rows was checked
    weights: FloatArray  # of the cells in the rate of their group: rows, or checked rows
    yes: FloatArray
    no: FloatArray
    sensitivity: float | None = 1.0
    specificity: float | None = 1.0
    twice: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    tilt: Any = 0.0

    @cached_property
    def _mean(self) -> FloatArray:
        return _means(self.group, self.yes.size, self.weights)

    @property
    def start(self) -> FloatArray:
        if self.sensitivity is not None:
            return _NONE
        hit, miss, wrong, right = (count + 0.5 for count in self.twice)
        return np.log([hit / miss, right / wrong])

    def at(self, rates: FloatArray, own: FloatArray) -> Counts:
        size = self.yes + self.no
        rate, steep = tilted(self._mean @ rates, self.tilt)
        if self.sensitivity is None or self.specificity is None:
            sensitivity, specificity = (float(chance) for chance in 1 / (1 + np.exp(-own)))
        else:
            sensitivity, specificity = self.sensitivity, self.specificity
        told = sensitivity * rate + (1 - specificity) * (1 - rate)
        slope = (sensitivity + specificity - 1) * (size * steep)[:, None] * self._mean
        found, expected = (
            np.concatenate([self.yes, self.no]),
            np.concatenate([size * told, size * (1 - told)]),
        )
        by_rate = np.concatenate([slope, -slope])
        if self.sensitivity is not None:
            return Counts(found, expected, by_rate, np.zeros((found.size, 0)))
        by_se = size * rate * sensitivity * (1 - sensitivity)
        by_sp = -size * (1 - rate) * specificity * (1 - specificity)
        by_own = np.stack([by_se, by_sp], axis=1)
        hit, miss, wrong, right = self.twice
        parts = np.array([sensitivity, 1 - sensitivity, 1 - specificity, specificity])
        sizes = np.array([hit + miss, hit + miss, wrong + right, wrong + right])
        steep_se, steep_sp = sensitivity * (1 - sensitivity), specificity * (1 - specificity)
        again = np.array([[steep_se, 0], [-steep_se, 0], [0, -steep_sp], [0, steep_sp]])
        return Counts(
            np.concatenate([found, self.twice]),
            np.concatenate([expected, sizes * parts]),
            np.concatenate([by_rate, np.zeros((4, rates.size))]),
            np.concatenate([by_own, -by_own, sizes[:, None] * again]),
        )


@dataclass(frozen=True, eq=False)
class Agreed:
    """Answers of several checkers to the same rows, none of whom is known to be right (Dawid and Skene 1979).

    Given what a row is, checkers err independently. Their sensitivities and specificities are learnt from how
    they agree; ``held`` says how firmly they are expected to be near ``usual``.
    """

    group: Any
    weights: FloatArray
    patterns: FloatArray  # a row for each set of answers: 1, 0, or −1 where a checker gave none
    asked: Any  # of each pattern: which set of checkers answered
    found: FloatArray  # rows by group and pattern
    usual: float = 2.2
    held: float = 0.5

    @cached_property
    def _mean(self) -> FloatArray:
        return _means(self.group, self.found.shape[0], self.weights)

    @property
    def start(self) -> FloatArray:
        return np.zeros(2 * self.patterns.shape[1])

    def chances(self, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sensitivity and specificity of each checker."""
        both = 1 / (1 + np.exp(-(own + self.usual)))
        return np.split(both, 2)[0], np.split(both, 2)[1]

    def at(self, rates: FloatArray, own: FloatArray) -> Counts:
        sensitivity, specificity = self.chances(own)
        yes, no = self.patterns == 1, self.patterns == 0
        if_positive = np.prod(np.where(yes, sensitivity, np.where(no, 1 - sensitivity, 1)), axis=1)
        if_negative = np.prod(np.where(yes, 1 - specificity, np.where(no, specificity, 1)), axis=1)
        rate = self._mean @ rates
        sets = int(self.asked.max()) + 1
        size = (self.found @ grouped(self.asked, sets).T)[:, self.asked]  # rows asked the same
        told = rate[:, None] * if_positive + (1 - rate)[:, None] * if_negative
        by_rate = (size * (if_positive - if_negative))[..., None] * self._mean[:, None]
        up = np.where(yes, 1 - sensitivity, np.where(no, -sensitivity, 0.0))  # of log chances
        down = np.where(yes, -specificity, np.where(no, 1 - specificity, 0.0))
        by_se = (size * rate[:, None] * if_positive)[..., None] * up
        by_sp = (size * (1 - rate)[:, None] * if_negative)[..., None] * down
        by_own = np.concatenate([by_se, by_sp], axis=2)
        return Counts(
            self.found.ravel(),
            (size * told).ravel(),
            by_rate.reshape(-1, rates.size),
            by_own.reshape(-1, own.size),
            np.full(own.size, self.held),
        )


@dataclass(frozen=True, eq=False)
class Caught:
    """Positives by which of several sources caught them.

    A positive that no source caught has the weight 1, one that sources S caught Π o_j over j in S, times θ
    for every pair of them: o are the odds of being caught, which depend on the score by the columns of
    ``basis``, with one row for each bin of scores. Among the caught rows of a bin the sources say what the
    odds are, whatever the rate of positives; how many were caught in each piece of a stratum says the rate.
    """

    patterns: FloatArray  # a row for each set of sources
    found: FloatArray  # caught rows by bin and pattern
    basis: FloatArray  # by bin and column
    by_cell: FloatArray  # the same basis by cell
    rows: FloatArray  # of each cell
    piece: Any  # of each cell
    caught: FloatArray  # by piece
    dependence: float = 1.0
    held: FloatArray | None = (
        None  # how firmly each column is expected to be about 0: one over its variance
    )

    @cached_property
    def _constant(self) -> FloatArray:
        size = self.patterns.sum(axis=1)
        return np.asarray(size * (size - 1) / 2 * np.log(self.dependence))

    @property
    def _shape(self) -> tuple[int, int]:
        return self.patterns.shape[1], self.basis.shape[1]

    @property
    def start(self) -> FloatArray:
        sources, columns = self._shape
        both = self.found.sum(axis=0) + 0.5
        start = np.zeros((sources, columns))
        alone = self.patterns.sum(axis=1) == 1
        pairs = self.patterns.sum(axis=1) == 2
        for source in range(sources):
            # odds of being caught by this source, among those that another one alone caught
            mine = self.patterns[:, source] > 0
            start[source, 0] = np.log(
                both[pairs & mine].sum() / both[alone & ~mine].sum() / self.dependence
            )
        return start.ravel()

    def weights(self, basis: FloatArray, own: FloatArray) -> FloatArray:
        """Weight of each pattern, by row of the basis; a positive that nobody caught has the weight 1."""
        log_odds = np.clip(basis @ own.reshape(self._shape).T, -30, 30)
        return np.asarray(np.exp(log_odds @ self.patterns.T + self._constant))

    def at(self, rates: FloatArray, own: FloatArray) -> Counts:
        sources, columns = self._shape
        weights = self.weights(self.basis, own)
        part = weights / weights.sum(axis=1, keepdims=True)
        size = self.found.sum(axis=1, keepdims=True)
        # Slopes of the log weight of a pattern by the log odds of a source, less their mean in the bin.
        apart = self.patterns[None] - (part @ self.patterns)[:, None]
        expected = size * part
        by_odds = expected[..., None] * apart  # bin, pattern, source
        split = (by_odds[..., None] * self.basis[:, None, None]).reshape(-1, sources * columns)

        weights = self.weights(self.by_cell, own)
        total = weights.sum(axis=1)
        here = grouped(self.piece, self.caught.size)
        by_rate = here * (self.rows * total)
        each = (
            (self.rows * rates)[:, None, None]
            * (weights @ self.patterns)[..., None]
            * self.by_cell[:, None]
        )
        by_own = here @ each.reshape(rates.size, -1)
        return Counts(
            np.concatenate([self.found.ravel(), self.caught]),
            np.concatenate([expected.ravel(), by_rate @ rates]),
            np.concatenate([np.zeros((self.found.size, rates.size)), by_rate]),
            np.concatenate([split, by_own]),
            None if self.held is None else np.tile(self.held, sources),
        )


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled rows by group of cells, a random sample of the positives (or of the negatives)."""

    group: Any
    rows: FloatArray  # of each cell, times its odds of a label over those of others
    found: FloatArray
    negative: bool = False

    @cached_property
    def _rows(self) -> FloatArray:
        return np.asarray(grouped(self.group, self.found.size) * self.rows)

    @property
    def start(self) -> FloatArray:
        return np.array([np.log((self.found.sum() + 0.5) / max(float(self.rows.sum()) / 4, 1e-9))])

    def at(self, rates: FloatArray, own: FloatArray) -> Counts:
        odds = float(np.exp(own[0]))
        slope = odds * self._rows
        expected = slope @ (1 - rates if self.negative else rates)
        return Counts(self.found, expected, -slope if self.negative else slope, expected[:, None])


@dataclass(frozen=True, eq=False)
class Given:
    """The share of positives in the population, known with an error, or anywhere ``within`` so much of it."""

    known: tuple[float, float]  # positives of the population that are not hidden, and its rows
    rows: FloatArray
    value: float
    below: float  # standard errors
    above: float
    within: float = 0.0

    @property
    def start(self) -> FloatArray:
        return _NONE

    def at(self, rates: FloatArray, own: FloatArray) -> Limit:
        labelled, size = self.known
        off = (labelled + float(self.rows @ rates)) / size - self.value
        error = self.above if off > 0 else self.below
        if abs(off) < self.within:
            return Limit(0.0, np.zeros_like(self.rows))
        return Limit((off - np.copysign(self.within, off)) / error, self.rows / size / error)


def _means(group: Any, number: int, weights: FloatArray) -> FloatArray:
    """A matrix that takes weighted means over the cells of each group."""
    own = grouped(group, number) * weights
    return np.asarray(own / np.maximum(own.sum(axis=1, keepdims=True), 1e-300))


def tilted(rate: FloatArray, tilt: Any) -> tuple[FloatArray, FloatArray]:
    """Rates whose log odds are moved, and their slopes by the rates before."""
    factor = np.exp(tilt)
    bottom = 1 - rate + rate * factor
    return rate * factor / bottom, factor / bottom**2
