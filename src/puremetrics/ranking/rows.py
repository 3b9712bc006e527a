"""Which rows a measure ranks, and whose operating points it counts.

Most measures describe labelled rows among all rows: there the labelled rows are ranked together with all
others. `lee_liu` and `pseudo_f` speak of the population. Where the labelled rows are no part of it,
operating points are rows of the comparison sample alone (see `scenarios`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.numerics.sums import weighted_sum
from puremetrics.ranking.kernels import Blocks
from puremetrics.sampling.clustered import effects_of
from puremetrics.sampling.limits import LinearVariance
from puremetrics.setting import Grouping, TwoSamples
from puremetrics.tables.score_table import ScoreTable

__all__ = ["Ranked"]


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

    def robust(self, influence: tuple[FloatArray, FloatArray], level: float) -> Ranked:
        """The same with groups of rows allowed for, by what a labelled and another row adds."""
        clusters = self.table.clusters
        if clusters is None or self.grouping is not None:
            return self
        effect, grouping = effects_of(self.samples, *influence, level)
        return replace(self, effect=effect, grouping=grouping)

    def padded_variance(
        self, rows: tuple[FloatArray, FloatArray], beyond: tuple[FloatArray, FloatArray]
    ) -> LinearVariance:
        """Sampling variance by influence, with one more row of each group above and below all others."""
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
