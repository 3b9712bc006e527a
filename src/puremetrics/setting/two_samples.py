"""The two samples that every correction compares: labelled positives (G) and comparison sample (F)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.tables.score_table import ScoreTable

__all__ = ["FEW_POSITIVES", "Heads", "TwoSamples"]

FEW_POSITIVES = 30


@dataclass(frozen=True)
class Heads:
    """Shares of G and F at or above each threshold, from none (threshold inf) to all."""

    threshold: FloatArray
    pos: FloatArray
    cmp: FloatArray


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """Counts, heads and sizes of G and F, each made when first asked for."""

    table: ScoreTable

    @property
    def one_sample(self) -> bool:
        """Whether the rows of G are in F as well."""
        return self.table.design.one_sample

    @cached_property
    def _comparison(self) -> tuple[CountArray, CountArray]:
        return self.table.design.comparison_counts(self.table)

    @property
    def pos(self) -> CountArray:
        """Counts of G by row of the table."""
        return self.table.n_pos

    @property
    def cmp(self) -> CountArray:
        """Counts of F by row of the table."""
        return self._comparison[0]

    @property
    def cmp_squares(self) -> CountArray:
        """Squared weights of F by row."""
        return self._comparison[1]

    @property
    def total_pos(self) -> float:
        """Number of rows in G."""
        return self.table.total_pos

    @cached_property
    def total_cmp(self) -> float:
        """Number of rows in F."""
        return self.table.design.comparison_total(self.table.totals, self.table.totals)

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Effective numbers of rows in G and F; the plain numbers, without making rows, if unweighted."""
        if not self.table.weighted:
            return self.total_pos, self.total_cmp
        squares = float(self.table.squared_weights()[0].sum())
        return (
            self.total_pos**2 / squares,
            float(self.cmp.sum()) ** 2 / float(self.cmp_squares.sum()),
        )

    @cached_property
    def shared(self) -> float:
        """Share of F's (squared) weight that the rows of G hold; 0 in separate samples."""
        if not self.one_sample:
            return 0.0
        if self.table.weighted:
            return float(self.table.squared_weights()[0].sum() / self.cmp_squares.sum())
        return self.total_pos / self.total_cmp

    @property
    def others(self) -> tuple[CountArray, CountArray]:
        """Counts and squared weights of F without the rows of G."""
        if not self.one_sample:
            return self.cmp, self.cmp_squares
        return self.cmp - self.pos, self.cmp_squares - self.table.squared_weights()[0]

    @cached_property
    def heads(self) -> Heads:
        """Cumulative shares at every row of the table, with the empty head in front."""
        shares = []
        for column in (self.pos, self.cmp):
            running = np.empty(column.size + 1)
            running[0] = 0.0
            np.cumsum(column, out=running[1:], dtype=np.float64)
            shares.append(running / running[-1])
        threshold = np.concatenate([[np.inf], self.table.score])
        return Heads(threshold, shares[0], shares[1])

    def shares_at(self, threshold: float) -> tuple[float, float]:
        """Shares of G and F with score >= threshold."""
        return self._shares(self.table.heads_at(threshold))

    def shares_around(self, threshold: float) -> list[tuple[float, float]]:
        """Smallest and largest shares with score >= threshold; they differ in scanned tables only."""
        return [self._shares(heads) for heads in self.table.heads_around(threshold)]

    def sizes_at(self, threshold: float) -> tuple[float, float]:
        """Numbers of rows whose plain shares at a threshold would vary as much as the weighted ones.

        The variance of a ratio of weighted sums depends on which rows carry the weight: where it goes with
        the score, Kish's number, which `sizes` gives, is off. It serves where a share is 0 or 1.
        """
        if not self.table.weighted:
            return self.sizes
        head = self.table.score >= threshold
        found = []
        for counts, squares, kish in zip(
            (self.pos, self.cmp),
            (self.table.squared_weights()[0], self.cmp_squares),
            self.sizes,
            strict=True,
        ):
            total = float(counts.sum())
            share = float(counts[head].sum()) / total
            error = float(squares[head].sum()) * (1 - share) ** 2
            error += float(squares[~head].sum()) * share**2
            varies = 0 < share < 1 and error > 0
            found.append(share * (1 - share) * total**2 / error if varies else kish)
        return found[0], found[1]

    def _shares(self, heads: tuple[float, float, float]) -> tuple[float, float]:
        g = heads[0] / self.total_pos
        f = self.table.design.comparison_total(heads, self.table.totals) / self.total_cmp
        return min(g, 1.0), min(f, 1.0)

    def few_positives(self) -> list[Diagnostic]:
        """PM105 if there are so few labelled positives that intervals are approximate."""
        count = self.sizes[0]
        if count >= FEW_POSITIVES:
            return []
        return [
            Diagnostic(
                "PM105",
                f"only {count:.4g} labelled positives: intervals are approximate below "
                f"{FEW_POSITIVES}, and more labels would help most.",
            )
        ]
