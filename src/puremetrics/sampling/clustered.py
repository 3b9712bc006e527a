"""Variance of a statistic whose rows belong together, as a design effect.

With ψ_j what row j adds to the error of a statistic (`sampling.limits`), and rows of different groups
independent, the variance is that of sums over groups (Liang and Zeger 1986; for the AUC Obuchowski 1997):

    V = C/(C − 1) · Σ_groups (Σ_{j in group} ψ_j)²

Rows of one group may be in both samples: what they add through the labelled and through the other rows has a
covariance then. All limits here are made for independent rows, and behave in small samples; they are kept. V
is turned into two design effects, of labelled (A) and of other rows (B), by which their numbers are divided:

    effect_A = V_A / V_A(independent) · V / (V_A + V_B),        likewise for B.

`tables.clusters` knows groups by cells of scores. ψ is averaged over the rows of a cell; what it varies
inside cells counts as independent, and is added.

A variance from few groups is uncertain itself. Sums s that were normal would leave it C − 1 degrees of
freedom; a few large ones leave it fewer. (Σ s²)² / Σ s⁴ is C/3 for normal sums, so three times that counts,
from C/3 to C. Limits are stretched by Student's quantile over the normal one. Where groups are so few that V
came out below that of independent rows, two degrees of freedom are lent from those. (C − 1 alone was too few
in worlds with 15 unequal groups; (Σ s²)² / Σ s⁴ alone made intervals of 40 groups twice as wide as need be.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from puremetrics.checking.types import BoolArray, CountArray, FloatArray
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.numerics.sums import weighted_sum
from puremetrics.sampling.limits import contributions
from puremetrics.setting import Grouping, Setting, TwoSamples
from puremetrics.tables.clusters import Cells, Clusters, Units, head_effect

__all__ = [
    "GroupVariance",
    "allow_for_groups",
    "allow_for_groups_in_heads",
    "at_threshold",
    "effects_of",
    "error_over_groups",
    "group_variance",
    "head_effects",
    "over_groups",
    "row_effects",
    "with_prior_effect",
]

_LENT = 2.0  # degrees of freedom
_LEAST_EFFECT = 0.01
_ROUNDING = 1e-20  # a variance so small beside the other one is rounding


class GroupVariance(NamedTuple):
    """Variances over groups and over independent rows, of labelled and of other rows.

    ``sums`` is what the rows of each unit add to the error.
    """

    total: float
    labelled: float
    others: float
    labelled_alone: float
    others_alone: float
    degrees: float
    number: int
    sums: FloatArray

    @property
    def design_effect(self) -> float:
        """Variance over that of independent rows."""
        alone = self.labelled_alone + self.others_alone
        return self.total / alone if alone > 0 else 1.0


def allow_for_groups(
    setting: Setting, on_pos: FloatArray, on_cmp: FloatArray, samples: TwoSamples | None = None
) -> Setting:
    """The setting with rows that count as much as they say about a statistic with these influences.

    ``samples`` are those that the influences are of, by default the ranks.
    """
    used = setting.samples if samples is None else samples
    clusters = used.table.clusters
    if clusters is None or setting.grouping is not None:
        return setting
    return _with_effects(setting, *effects_of(used, on_pos, on_cmp, setting.level))


def at_threshold(setting: Setting, threshold: float, slopes: tuple[float, float]) -> Setting:
    """The setting with groups allowed for in a statistic of G and F at a threshold, by its slopes."""
    table = setting.rows.table
    if table.clusters is None:
        return setting
    halves = TwoSamples(table.split_at(threshold))
    known = slopes if np.isfinite(slopes).all() else (1.0, 1.0)
    on_pos, on_cmp = (np.array([slope, 0.0]) for slope in known)
    return allow_for_groups(setting, on_pos, on_cmp, halves)


def allow_for_groups_in_heads(setting: Setting) -> Setting:
    """The setting with groups allowed for in whole distributions: with the largest effects of their heads."""
    clusters = setting.table.clusters
    if clusters is None or setting.grouping is not None:
        return setting
    return _with_effects(setting, *head_effects(clusters, setting.level))


def head_effects(clusters: Clusters, level: float) -> tuple[tuple[float, float], Grouping]:
    """Largest design effects of the shares of labelled and of other rows above a score."""
    if clusters.alone:
        return (1.0, 1.0), Grouping.alone(clusters.number)
    others = clusters.unl + clusters.neg
    found = [head_effect(matrix) for matrix in (clusters.pos, others)]
    degrees = [
        over_groups(np.asarray(m.sum(axis=1), dtype=float))[1] for m in (clusters.pos, others)
    ]
    stretch = student_quantile(min(degrees), level) / normal_quantile(level)
    grouping = Grouping(clusters.number, max(found), min(degrees), stretch)
    return (found[0] * stretch**2, found[1] * stretch**2), grouping


def effects_of(
    samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray, level: float
) -> tuple[tuple[float, float], Grouping]:
    """Design effects of labelled and other rows for a statistic with these influences."""
    clusters = samples.table.clusters
    assert clusters is not None
    if clusters.alone:
        return (1.0, 1.0), Grouping.alone(clusters.number)
    found = group_variance(samples, on_pos, on_cmp)
    effect, stretch = _effects(found, level, clusters)
    return effect, Grouping(found.number, found.design_effect, found.degrees, stretch)


def _with_effects(setting: Setting, effect: tuple[float, float], grouping: Grouping) -> Setting:
    """The setting with design effects of a statistic."""
    samples, rows = (replace(s, effect=effect) for s in (setting.samples, setting.rows))
    return replace(setting, samples=samples, rows=rows, grouping=grouping)


def _effects(
    found: GroupVariance, level: float, clusters: Clusters
) -> tuple[tuple[float, float], float]:
    """Design effects of labelled and of other rows, and the stretch that is part of them."""
    stretch = student_quantile(found.degrees, level) / normal_quantile(level)
    parts = found.labelled + found.others
    both = found.total / parts if parts > 0 else 1.0
    effects = []
    for own, alone, matrix in (
        (found.labelled, found.labelled_alone, clusters.pos),
        (found.others, found.others_alone, clusters.unl + clusters.neg),
    ):
        varies = own > 0 and alone > _ROUNDING * (found.labelled_alone + found.others_alone)
        effects.append((own / alone * both if varies else head_effect(matrix)) * stretch**2)
    return (effects[0], effects[1]), stretch


def group_variance(samples: TwoSamples, on_pos: FloatArray, on_cmp: FloatArray) -> GroupVariance:
    """Variance over groups of a statistic with these influences through G and F, by row of the table.

    What a row adds to the error is averaged by cell (ranges of scores by kind of row): ``by_g`` through G,
    and ``by_f`` through F for labelled rows that are in both. ``sums`` and ``other_sums`` are totals of each
    group, over its labelled and over its other rows. ``alone`` is the variance if rows were independent,
    ``inside`` the part of it that lies inside cells, which groups do not share.
    """
    clusters, table = samples.table.clusters, samples.table
    assert clusters is not None
    via_pos, via_cmp = contributions(samples, on_pos, on_cmp)
    cells = _Cells(clusters)
    own = cells.in_g(samples)
    by_g = own.mean(samples.pos, via_pos)
    sums = own.matrix @ by_g
    terms = [(samples.pos_squares, by_g**2, via_pos**2)]
    if samples.one_sample:
        by_f = cells.pos.mean(table.n_pos, via_cmp)
        sums = sums + cells.pos.matrix @ by_f
        terms.append((samples.products, 2 * by_g * by_f, 2 * via_pos * via_cmp))
        terms.append((samples.own_squares, by_f**2, via_cmp**2))
    alone = inside = 0.0
    for squares, in_cells, in_rows in terms:
        whole = weighted_sum(squares, in_rows)
        alone += whole
        inside += whole - weighted_sum(own.sums(samples.pos, squares), in_cells)
    other_sums = np.zeros(clusters.units)
    other_alone = other_inside = 0.0
    used, squares_of = table.design.compared(table.totals), table.squared_weights()
    for kind, counts in ((1, table.n_unl), (2, table.n_neg)):
        if used[kind]:
            part = (cells.unl, cells.neg)[kind - 1]
            mean = part.mean(counts, via_cmp)
            other_sums += part.matrix @ mean
            whole = weighted_sum(squares_of[kind], via_cmp**2)
            other_alone += whole
            other_inside += whole - weighted_sum(part.sums(counts, squares_of[kind]), mean**2)
    labelled, own_degrees = over_groups(sums)
    others, other_degrees = over_groups(other_sums)
    labelled, others = labelled + max(inside, 0.0), others + max(other_inside, 0.0)
    total = max(labelled + others + 2 * weighted_sum(sums, other_sums), 0.0)
    spread = labelled**2 / own_degrees + others**2 / other_degrees
    degrees = (labelled + others) ** 2 / spread if spread > 0 else 1.0
    total = _variance_with_lent_degrees(total, alone + other_alone, degrees)
    return GroupVariance(
        total, labelled, others, alone, other_alone, degrees, clusters.number, sums + other_sums
    )


def with_prior_effect(setting: Setting, sums: FloatArray, slope: float) -> Setting:
    """The setting with a drawn prior whose error allows for groups, and for what they do to a statistic.

    Groups with many positives may be those with high scores: then the error of the prior and that of the
    rates go together. ``sums`` is what the rows of each unit add to the error of the statistic through its
    rates, ``slope`` its derivative by the prior: slope²·V(prior) + 2·slope·covariance becomes the prior's
    part of the variance.
    """
    clusters, table = setting.table.clusters, setting.table
    if not setting.prior_drawn or clusters is None or clusters.alone or slope == 0.0:
        return setting
    if not setting.design.rows_of_prior(table.totals)[0]:
        return setting  # none of the rows that it is a share of has a label: nothing tells
    error = replace(setting, grouping=None).prior_error  # not stretched, which comes on top
    positive, negative = setting.label_rates
    apart = clusters.labels_apart() / table.total / max(positive - negative, 1e-300)
    most = error * float(np.sqrt(over_groups(sums)[0]))  # by the inequality of Cauchy and Schwarz
    covariance = min(max(weighted_sum(sums, apart), -most), most)
    rows = table.effective_rows((True, True, True))
    independent = max(setting.prior * (1 - setting.prior) / rows, 1e-300)
    effect = (error**2 + 2 * covariance / slope) / independent
    return replace(setting, prior_effect=max(effect, _LEAST_EFFECT))


def error_over_groups(rows: FloatArray, labelled: BoolArray, units: Units) -> tuple[float, float]:
    """Variance of a sum over rows, and its degrees of freedom; each row has what it adds to an error."""
    first, second = (
        np.bincount(units.place[which], rows[which], minlength=units.total).astype(np.float64)
        for which in (labelled, ~labelled)
    )
    (own, own_degrees), (other, other_degrees) = over_groups(first), over_groups(second)
    total = max(own + other + 2 * weighted_sum(first, second), 0.0)
    spread = own**2 / own_degrees + other**2 / other_degrees
    degrees = (own + other) ** 2 / spread if spread > 0 else 1.0
    return _variance_with_lent_degrees(total, weighted_sum(rows, rows), degrees), degrees


def row_effects(
    rows: FloatArray, labelled: BoolArray, units: Units, level: float
) -> tuple[tuple[float, float], Grouping]:
    """Design effects of labelled and of other rows; each row has what it adds to an error."""
    if units.alone:
        return (1.0, 1.0), Grouping.alone(units.number)
    total, degrees = error_over_groups(rows, labelled, units)
    stretch = student_quantile(degrees, level) / normal_quantile(level)
    parts, alone = [], []
    for which in (labelled, ~labelled):
        sums = np.bincount(units.place[which], rows[which], minlength=units.total)
        parts.append(over_groups(sums.astype(np.float64))[0])
        alone.append(weighted_sum(rows[which], rows[which]))
    both = total / sum(parts) if sum(parts) > 0 else 1.0
    effects = []
    for which, own, own_alone in zip((labelled, ~labelled), parts, alone, strict=True):
        if own > 0 and own_alone > _ROUNDING * sum(alone):
            effect = own / own_alone * both
        else:  # all alike: groups count as one row each
            sizes = np.bincount(units.place[which], minlength=units.total).astype(np.float64)
            effect = max(float((sizes**2).sum()) / max(float(sizes.sum()), 1.0), 1.0)
        effects.append(effect * stretch**2)
    effect_of_all = total / sum(alone) if sum(alone) > 0 else 1.0
    return (effects[0], effects[1]), Grouping(units.number, effect_of_all, degrees, stretch)


def _variance_with_lent_degrees(total: float, independent: float, degrees: float) -> float:
    """A variance below that of independent rows, with two degrees of freedom lent from those."""
    if total >= independent:
        return total
    return (degrees * total + _LENT * independent) / (degrees + _LENT)


def over_groups(sums: FloatArray) -> tuple[float, float]:
    """Variance of a total from its sums over groups, and its degrees of freedom."""
    squares = sums**2
    total = float(squares.sum())
    filled = int(np.count_nonzero(squares > _ROUNDING * total))  # others have no rows of this kind
    if filled < 2 or total <= 0:
        return total, 1.0
    return total * filled / (filled - 1), _degrees(squares, total, filled)


def _degrees(squares: FloatArray, total: float, filled: int) -> float:
    """Degrees of freedom of a sum of squares."""
    equal = 1 / float(((squares / total) ** 2).sum())  # so many, if all were of the same size
    return max(min(max(3 * equal, filled / 3), float(filled)) - 1, 1.0)


class _Part(NamedTuple):
    """Counts of one kind of rows by unit and cell, and how many there are in each cell."""

    matrix: Cells
    mass: FloatArray

    def sums(self, counts: CountArray, values: CountArray) -> FloatArray:
        """Sums over the rows of each cell, of values that rows of a table have together."""
        reached = np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        ends = np.concatenate([[0.0], np.cumsum(self.mass)])
        return np.diff(np.interp(ends, reached, running))

    def mean(self, counts: CountArray, values: FloatArray) -> FloatArray:
        """Means over the rows of each cell, of a value that each row has."""
        total = self.sums(counts, counts * values)
        return np.divide(total, self.mass, out=np.zeros(total.size), where=self.mass > 0)


class _Cells:
    """The parts of clusters, as they are used."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.pos, self.unl, self.neg = (
            _Part(matrix, matrix.sum(axis=0))
            for matrix in (clusters.pos, clusters.unl, clusters.neg)
        )

    def in_g(self, samples: TwoSamples) -> _Part:
        """The labelled rows, with the weights that they have in G."""
        inverse = self.clusters.inverse
        if inverse is None:
            return self.pos
        scale = samples.total_pos / float(inverse.sum())
        return _Part(inverse * scale, inverse.sum(axis=0) * scale)
