"""The two samples that every correction compares: labelled positives (G) and comparison sample (F)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puremetrics.checking.types import CountArray, FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.quantiles import small_sample
from puremetrics.tables.merging import block_ends, merged_blocks
from puremetrics.tables.score_table import ScoreTable

__all__ = ["FEW_POSITIVES", "Heads", "TwoSamples"]

FEW_POSITIVES = 30
_FEW_OF_ALL = 0.5  # share of the labelled rows that is left in effect, below which PM120 warns
_BLOCKS = 4096  # rows that are taken as they are where blocks of them would do
_HEAVY = 0.1  # share of all weight that a single labelled row may carry


@dataclass(frozen=True)
class Heads:
    """Shares of G and F at or above each threshold, from none (threshold inf) to all."""

    threshold: FloatArray
    pos: FloatArray
    cmp: FloatArray


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """Counts, heads and sizes of G and F, each made when first asked for.

    ``effect`` are design effects of the labelled and of the other rows: how many of them say as much as one
    independent row would, about the statistic in question. Squared weights are larger by them, sizes smaller.
    """

    table: ScoreTable
    effect: tuple[float, float] = (1.0, 1.0)

    @cached_property
    def dependent(self) -> bool:
        """Whether rows count as fewer than they are."""
        return self.effect != (1.0, 1.0)

    @cached_property
    def weighted(self) -> bool:
        """Whether rows have unequal weights, or count as fewer than they are."""
        return self.table.weighted or self.dependent

    @cached_property
    def one_sample(self) -> bool:
        """Whether the rows of G are in F as well."""
        return self.table.design.one_sample

    @cached_property
    def _comparison(self) -> tuple[CountArray, CountArray]:
        return self.table.design.comparison_counts(self.table)

    @cached_property
    def _labelled(self) -> tuple[CountArray, CountArray, CountArray]:
        return self.table.labelled_weights()

    @cached_property
    def pos(self) -> CountArray:
        """Counts of G by row of the table, weighted by propensity if there are any."""
        return self._labelled[0]

    @cached_property
    def pos_squares(self) -> CountArray:
        """Squared weights of G by row."""
        return self._scaled(self._labelled[1], 0)

    @cached_property
    def products(self) -> CountArray:
        """Weight in G times weight in F of the labelled rows, which differ if these have propensities."""
        return self._scaled(self._labelled[2], 0)

    @cached_property
    def own_squares(self) -> CountArray:
        """Squared weights that the labelled rows have in F."""
        return self._scaled(self.table.squared_weights()[0], 0)

    def _scaled(self, squares: CountArray, part: int) -> CountArray:
        effect = self.effect[part]
        return squares if effect == 1.0 else np.asarray(squares, dtype=np.float64) * effect

    @cached_property
    def cmp(self) -> CountArray:
        """Counts of F by row of the table."""
        return self._comparison[0]

    @cached_property
    def cmp_squares(self) -> CountArray:
        """Squared weights of F by row."""
        if not self.dependent:
            return self._comparison[1]
        if not self.one_sample:
            return self._scaled(self._comparison[1], 1)
        others = self._comparison[1] - self.table.squared_weights()[0]
        return self.own_squares + self._scaled(others, 1)

    @cached_property
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
        if not self.weighted:
            return self.total_pos, self.total_cmp
        if not self.table.weighted:
            return self.total_pos / self.effect[0], self.total_cmp**2 / self._total_squares
        return (
            self.total_pos**2 / float(self.pos_squares.sum()),
            float(self.cmp.sum()) ** 2 / float(self.cmp_squares.sum()),
        )

    @cached_property
    def row_sizes(self) -> tuple[float, float]:
        """Effective sizes of both samples without design effects."""
        return TwoSamples(self.table).sizes if self.dependent else self.sizes

    @cached_property
    def row_corrections(self) -> tuple[float, float]:
        """What errors of few rows of G and of F are larger by than those of many."""
        pos, cmp = self.row_sizes
        return float(small_sample(pos)), float(small_sample(cmp))

    @cached_property
    def _total_squares(self) -> float:
        """Sum of F's squared weights where all rows weigh the same but for design effects."""
        labelled = self.total_pos if self.one_sample else 0.0
        return labelled * self.effect[0] + (self.total_cmp - labelled) * self.effect[1]

    @cached_property
    def shared(self) -> float:
        """Share of F's (squared) weight that the rows of G hold; 0 in separate samples."""
        if not self.one_sample:
            return 0.0
        if self.table.weighted:
            return float(self.own_squares.sum() / self.cmp_squares.sum())
        return self.total_pos * self.effect[0] / self._total_squares

    def correlation(
        self, share_pos: float, share_cmp: float, sizes: tuple[float, float] | None = None
    ) -> float:
        """Correlation of the shares of G and F above a threshold at which they are so large.

        They have the labelled rows in common: sqrt(|L| / n) · sqrt(G(1 − G) / F(1 − F)), with sums of squared
        weights in place of the counts. With propensities a labelled row has one weight in G and another in F,
        and the covariance is the sum of their products over the labelled rows. ``sizes`` are the effective
        numbers of rows that the limits of both shares rest on.
        """
        if not self.one_sample or not 0 < share_cmp < 1:
            return 0.0
        if self.dependent and sizes is not None and not self.table.weighted:
            spread = share_pos * (1 - share_pos) * sizes[0] * sizes[1]
            found = np.sqrt(spread / (share_cmp * (1 - share_cmp))) * self.effect[0]
            return float(min(found / self.total_cmp, 1.0))
        if not self.table.has_propensities:
            spread = share_pos * (1 - share_pos) / (share_cmp * (1 - share_cmp))
            return float(np.sqrt(min(self.shared * spread, 1.0)))
        place = int(np.argmin(np.abs(self.heads.cmp - share_cmp)))
        return self._correlation_at(place)

    def _correlation_at(self, place: int) -> float:
        """Correlation of the errors of G and F at the head which ends before a row."""
        g, f = float(self.heads.pos[place]), float(self.heads.cmp[place])
        sums = []
        for column, first, second in (
            (self.pos_squares, g, g),
            (self.products, g, f),
            (self.cmp_squares, f, f),
        ):
            inside, outside = float(column[:place].sum()), float(column[place:].sum())
            sums.append(inside * (1 - first) * (1 - second) + outside * first * second)
        own, both, other = sums
        return min(max(both / np.sqrt(own * other), -1.0), 1.0) if own > 0 and other > 0 else 0.0

    @cached_property
    def others(self) -> tuple[CountArray, CountArray]:
        """Counts and squared weights of F without the rows of G."""
        if not self.one_sample:
            return self.cmp, self.cmp_squares
        squares = self._comparison[1] - self.table.squared_weights()[0]
        return self.cmp - self.table.n_pos, self._scaled(squares, 1)

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

    @cached_property
    def blocks(self) -> TwoSamples:
        """Both samples on some thousand blocks of rows where these are very many, else as they are.

        Buckets of a scan stay as they are.
        """
        return self.in_blocks(_BLOCKS)

    def in_blocks(self, count: int) -> TwoSamples:
        """Both samples on so many blocks of about equal weight; themselves if rows are at most twice that."""
        if self.table.score.size <= 2 * count or self.table.hidden is not None:
            return self
        middle = (self.heads.pos[1:] + self.heads.cmp[1:]) / 2
        return TwoSamples(merged_blocks(self.table, block_ends(middle, count)), self.effect)

    def shares_at(self, threshold: float) -> tuple[float, float]:
        """Shares of G and F with score >= threshold."""
        return self._shares(self.table.heads_at(threshold), threshold)

    def shares_around(self, threshold: float) -> list[tuple[float, float]]:
        """Smallest and largest shares with score >= threshold; they differ in scanned tables only."""
        return [self._shares(heads, threshold) for heads in self.table.heads_around(threshold)]

    def sizes_at(self, threshold: float) -> tuple[float, float]:
        """Numbers of rows whose plain shares at a threshold would vary as much as the weighted ones.

        The variance of a ratio of weighted sums depends on which rows carry the weight: where it goes with
        the score, Kish's number, which `sizes` gives, is off. It serves where a share is 0 or 1.
        """
        if not self.weighted:
            return self.sizes
        if not self.table.weighted:
            return self.sizes[0], self._size_at(threshold)
        head = self.table.score >= threshold
        found = []
        for counts, squares, kish in zip(
            (self.pos, self.cmp),
            (self.pos_squares, self.cmp_squares),
            self.sizes,
            strict=True,
        ):
            total = float(counts.sum())
            share = float(counts[head].sum()) / total
            inside, outside = float(squares[head].sum()), float(squares[~head].sum())
            error = inside * (1 - share) ** 2 + outside * share**2
            varies = inside > 0 and outside > 0 and 0 < share < 1
            found.append(share * (1 - share) * total**2 / error if varies else kish)
        return found[0], found[1]

    def _size_at(self, threshold: float) -> float:
        """Effective size of F at a threshold, if labelled and other rows have their own design effects."""
        share = self.shares_at(threshold)[1]
        if not self.one_sample or not 0 < share < 1:
            return self.sizes[1]
        inside = self.table.heads_at(threshold)
        error = 0.0
        used = self.table.design.compared(self.table.totals)
        for kind, (head, total) in enumerate(zip(inside, self.table.totals, strict=True)):
            effect = self.effect[0 if kind == 0 else 1] if used[kind] else 0.0
            error += effect * (head * (1 - share) ** 2 + (total - head) * share**2)
        return share * (1 - share) * self.total_cmp**2 / error

    def _shares(self, heads: tuple[float, float, float], threshold: float) -> tuple[float, float]:
        g = heads[0] / self.total_pos
        if self.table.has_propensities:
            head = self.table.score >= threshold
            inside, outside = (float(self.pos[rows].sum()) for rows in (head, ~head))
            g = inside / (inside + outside)
        f = self.table.design.comparison_total(heads, self.table.totals) / self.total_cmp
        return min(g, 1.0), min(f, 1.0)

    def few_positives(self) -> list[Diagnostic]:
        """PM105 if there are so few labelled positives that intervals are approximate; PM120 if in effect."""
        count = self.sizes[0]
        remarks = []
        if count < FEW_POSITIVES:
            told = f"only {count:.4g} labelled positives"
            if self.dependent:
                told = f"the labelled positives carry as much information as {count:.2g} independent ones"
            remarks.append(
                Diagnostic(
                    "PM105",
                    f"{told}: with fewer than {FEW_POSITIVES}, intervals are approximate; more labels would "
                    "help most.",
                )
            )
        return remarks + (self._few_in_effect() if self.table.has_propensities else [])

    def _few_in_effect(self) -> list[Diagnostic]:
        """PM120 if few of the labelled rows carry most of the weight."""
        count, total = self.sizes[0], self.total_pos
        weight = np.divide(
            self.pos_squares, self.pos, out=np.zeros(self.pos.size), where=np.asarray(self.pos) > 0
        )
        heaviest = float(weight.max()) / total
        if count >= _FEW_OF_ALL * total and (heaviest <= _HEAVY or total * _HEAVY <= 1):
            return []
        return [
            Diagnostic(
                "PM120",
                f"with their propensities {total:.6g} labelled positives carry as much information "
                f"as {count:.3g} with equal chances, and the least likely one carries {100 * heaviest:.2g}% "
                "of the weight. Check the lowest propensities, or clip them, for a steadier result at the "
                "price of a small bias.",
            )
        ]
