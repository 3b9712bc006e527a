"""The measures of a ranking, and which rows each of them ranks.

A measure is given by the sums of its terms f(k, b) up to an operating point (`ranking.kernels`) and by the
increments f(k, b) − f(k − 1, b). The sums give the value and the curve, the increments the influence of a row
(`ranking.influence`).

Which rows a measure ranks, and whose operating points it counts, differs (`Ranked`). Most measures describe
labelled rows among all rows: there the labelled rows are ranked together with all others. `lee_liu` and
`pseudo_f` speak of the population. Where the labelled rows are no part of it, operating points are rows of
the comparison sample alone (see `scenarios`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.numerics import hypergeometric
from puremetrics.numerics.sums import weighted_sum
from puremetrics.ranking import kernels
from puremetrics.ranking.kernels import Blocks
from puremetrics.sampling.clustered import effects_of
from puremetrics.sampling.limits import LinearVariance
from puremetrics.setting import Grouping, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = ["MEASURES", "Measure", "Ranked", "Sizes"]


@dataclass(frozen=True)
class Measure:
    """Sums of its terms up to an operating point, and the increment of a term in k.

    ``share`` is the share of positives, for the one measure that needs it. ``of_population`` says that
    operating points are those of the population, not of all rows; ``saturates`` and ``curved`` that the
    slope at the hits of one sample says too little about the next; ``has_null_law`` that its law under chance
    is known.
    """

    title: str
    sums: Callable[[Blocks, FloatArray, float | None], FloatArray]
    gains: Callable[[Blocks, FloatArray, FloatArray, float | None], FloatArray]
    known_best: Callable[[float, float], float] | None = None
    known_worst: float | None = None
    saturates: bool = False
    of_population: bool = False
    curved: bool = False
    has_null_law: bool = False
    lowest: float = 0.0

    def value(self, blocks: Blocks, share: float | None) -> float:
        """Mean over all operating points."""
        return float(self.sums(blocks, np.array([blocks.total]), share)[0]) / (blocks.total + 1)

    def best(self, sizes: Sizes, share: float | None) -> float:
        """Value of the perfect ranking."""
        if self.known_best is not None:
            return self.known_best(sizes.total, sizes.labelled)
        return self.value(sizes.one_block(0.0), share)

    def worst(self, sizes: Sizes, share: float | None) -> float:
        """Value of the reversed ranking, or a lower bound."""
        if self.known_worst is not None:
            return self.known_worst
        return self.value(sizes.one_block(1.0), share)

    def chance(self, sizes: Sizes, share: float | None) -> float:
        """Mean over all rankings."""
        return self.value(sizes.one_block(None), share)


@dataclass(frozen=True)
class Sizes:
    """How many operating points and labelled rows there are; ``apart`` as in `Blocks`."""

    total: float
    labelled: float
    apart: bool = False

    def one_block(self, before: float | None) -> Blocks:
        """A ranking whose labelled rows come after this share of all others; None: tied with them."""
        own = 0.0 if self.apart else self.labelled
        rows, size = (0.0, self.total) if before is None else (before * (self.total - own), own)
        hits, above, labelled, inside = (np.array([x]) for x in (0.0, rows, self.labelled, size))
        return Blocks(self.total, self.labelled, hits, above, labelled, inside, self.apart)


def _pulp_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.pulp_sums(blocks, at)


def _pulp_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    last = k - 0.5
    low = np.floor(last)
    n, t, at = blocks.total, blocks.marked, np.floor(b)
    here = np.exp(hypergeometric.log_pmf(low, n, t, at))
    # The next value's probability from this one's; where this one is impossible, by itself.
    left = np.maximum(n - t - at + low + 1, 1.0)
    rise = (t - low) * (at - low) / (np.maximum(low + 1, 1.0) * left)
    next_ = here * rise
    none = here == 0
    if none.any():
        next_[none] = np.exp(hypergeometric.log_pmf(low[none] + 1, n, t, at[none]))
    return np.asarray(here + (last - low) * (next_ - here))


def _best_pulp(total: float, labelled: float) -> float:
    """PULP of the perfect ranking, by Σ_{k ≥ 0} C(a, k) / C(n, k) = (n + 1) / (n + 1 − a)."""
    t = labelled
    last = float(np.exp(hypergeometric.log_pmf(t + 1, total + 1, t + 1, t + 1)))
    return (t - (t + 1) / (total - t + 1) + last) / (t + 1)


def _lee_liu_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return blocks.total / blocks.marked**2 * kernels.lee_liu_sums(blocks, at)


def _lee_liu_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    return np.asarray(np.maximum(2 * k, 0.5) * blocks.total / blocks.marked**2 / b)


def _f1_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return 2 * kernels.linear_sums(blocks, at, blocks.marked)


def _f1_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    return np.asarray(2 / (b + blocks.marked))


def _pseudo_f_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    n = blocks.total
    return 2 * n / blocks.marked * kernels.linear_sums(blocks, at, (share or 0.0) * n)


def _pseudo_f_gains(
    blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None
) -> FloatArray:
    n = blocks.total
    return np.asarray(2 * n / blocks.marked / (b + (share or 0.0) * n))


def _information_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.mutual_information_sums(blocks, at)


def _information_gains(
    blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None
) -> FloatArray:
    n, t = blocks.total, blocks.marked
    cells = (k, n - t - b + k, t - k, b - k)
    logs = [np.log(np.maximum(cell, 0.5)) for cell in cells]
    return np.asarray((logs[0] + logs[1] - logs[2] - logs[3]) / n)


def _pearson_sums(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    return kernels.pearson_sums(blocks, at)


def _pearson_gains(blocks: Blocks, k: FloatArray, b: FloatArray, share: float | None) -> FloatArray:
    n, t = blocks.total, blocks.marked
    inner = np.where(
        b < n, b * (n - b), np.inf
    )  # at b = N all rows are predicted positive: no term
    return np.asarray(n / np.sqrt(t * (n - t) * inner))


def _precision_mean(blocks: Blocks, at: FloatArray, share: float | None) -> FloatArray:
    """Average precision, scaled like a sum over operating points; up to the last one only."""
    mean = float(kernels.average_precision_parts(blocks).sum()) / blocks.marked
    return np.full(at.shape, mean * (blocks.total + 1))


MEASURES = {
    "pulp": Measure("PULP", _pulp_sums, _pulp_gains, _best_pulp, 0.0, True, has_null_law=True),
    "lee_liu": Measure("Lee–Liu", _lee_liu_sums, _lee_liu_gains, of_population=True),
    "pseudo_f": Measure("Pseudo-F", _pseudo_f_sums, _pseudo_f_gains, of_population=True),
    "mean_f1": Measure("Mean F1", _f1_sums, _f1_gains),
    "mean_mutual_information": Measure(
        "Mean mutual information", _information_sums, _information_gains, None, 0.0, curved=True
    ),
    "mean_pearson": Measure("Mean Pearson correlation", _pearson_sums, _pearson_gains, lowest=-1.0),
    "naive_average_precision": Measure(
        "Average precision, unlabeled treated as negative", _precision_mean, _f1_gains
    ),
}


@dataclass(frozen=True, eq=False)
class Ranked:
    """Labelled and other rows by falling score.

    ``apart`` says that operating points are those of the others alone, ``stands_in`` that all rows had to
    stand for a population of which there is no sample.
    """

    table: ScoreTable
    pos: CountArray
    rest: CountArray
    apart: bool
    stands_in: bool = False
    effect: tuple[float, float] = (1.0, 1.0)
    grouping: Grouping | None = None

    @staticmethod
    def all_rows(table: ScoreTable) -> Ranked:
        """Labelled positives among all rows; known negatives join the unlabeled."""
        cut = table.cut()
        return Ranked(cut, cut.n_pos, np.add(cut.n_unl, cut.n_neg, dtype=np.int64), False)

    @staticmethod
    def population(table: ScoreTable) -> Ranked:
        """Labelled positives against the population that the table's design speaks of.

        It is the comparison sample. Where that sample is only a part of the population, all rows stand for
        it as they are.
        """
        cut = table.cut()
        samples = TwoSamples(cut)
        if table.design.population_size(cut.totals) != samples.total_cmp:
            return replace(Ranked.all_rows(table), stands_in=True)
        if samples.one_sample:
            return Ranked.all_rows(table)
        return Ranked(cut, cut.n_pos, np.asarray(samples.cmp, dtype=np.int64), True)

    @cached_property
    def blocks(self) -> Blocks:
        """Blocks of tied rows with labelled positives."""
        return Blocks.of(self.pos, self.rest, apart=self.apart)

    @cached_property
    def size(self) -> FloatArray:
        """Rows at each score that are operating points."""
        rows = self.rest if self.apart else np.add(self.pos, self.rest)
        return np.asarray(rows, dtype=np.float64)

    @cached_property
    def ends(self) -> FloatArray:
        """Operating points passed before each score, and after the last."""
        return np.concatenate([[0.0], np.cumsum(self.size)])

    @cached_property
    def samples(self) -> TwoSamples:
        """Both groups as samples of fixed sizes."""
        return TwoSamples(self._with(self.pos, self.rest), self.effect)

    def allow_for_groups(self, influence: tuple[FloatArray, FloatArray], level: float) -> Ranked:
        """The ranking with groups of rows allowed for, by what a labelled and another row adds."""
        clusters = self.table.clusters
        if clusters is None or self.grouping is not None:
            return self
        effect, grouping = effects_of(self.samples, *influence, level)
        return replace(self, effect=effect, grouping=grouping)

    def padded_variance(
        self, rows: tuple[FloatArray, FloatArray], beyond: tuple[FloatArray, FloatArray]
    ) -> LinearVariance:
        """Sampling variance by influence, with one more row of each kind above and below all others."""
        parts, sizes = [], []
        for counts, inside, ends in zip((self.pos, self.rest), rows, beyond, strict=True):
            size = float(np.sum(counts)) + ends.size
            mean = (weighted_sum(counts, inside) + float(ends.sum())) / size
            squares = weighted_sum(counts, (inside - mean) ** 2) + float(np.sum((ends - mean) ** 2))
            parts.append(squares / (size * (size - 1)))
            sizes.append(size)
        parts = [part * effect for part, effect in zip(parts, self.effect, strict=True)]
        total = sum(parts)
        spread = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
        return LinearVariance(total, total**2 / spread if spread > 0 else 1.0, *parts)

    def _with(self, pos: CountArray, rest: CountArray) -> ScoreTable:
        groups = self.table.unlabeled_as_negative(two_samples=True)
        made = groups.with_counts(np.asarray(pos, dtype=np.int64), 0 * rest, rest)
        clusters = self.table.clusters
        if clusters is None:
            return made
        used = self.table.design.compared(self.table.totals) if self.apart else (True, True, True)
        others = [
            m for m, member in zip((clusters.unl, clusters.neg), used[1:], strict=True) if member
        ]
        own = replace(clusters, unl=0 * clusters.unl, neg=sum(others[1:], others[0]), inverse=None)
        return replace(made, clusters=own)
