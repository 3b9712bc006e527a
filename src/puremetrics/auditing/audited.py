"""A table with an audit: how many positives there are at which scores, and how far that may be off.

**Sums over positives** (`Audited`). Unlabeled rows are counted in cells, ranges of scores: the strata that a
plan drew from, or a few ranges of a design of one's own. Of N rows in a cell n were checked; y is the answer,
p what was forecast from the labels (`auditing.expected_positives`). A sum of values u(score) over all
positives among the unlabeled is estimated by

    Σ_cells [ λ·Σ_rows u·p + N · mean_checked(u·(y − λ·p)) ],

the prediction-powered form (Angelopoulos, Duchi, Zrnic 2023): unbiased whether or not the forecast is any
good, since what it gets wrong is measured on the checked rows. λ, between 0 and 1, makes the variance of the
number of positives of each cell smallest; at 0 the forecast is left out, as where no positive was found. It
is the same for all statistics of an audit, so that they fit together. Cells are conditioned on: how many rows
fell into them is known. Cells may be cut further, and keep their λ.

**Limits.** A cell in which no positive was found may hold some all the same. Each cell's mean has the limits
of bounded values of `sampling.bounded`, which allow for what a small sample has missed; the finite number of
rows is allowed for; cells are put together by adding squared distances. The rows themselves are a sample of a
population, as everywhere in this package, and that part comes on top: an interval does not shrink to a point
when all rows are checked. Rows that belong to groups have errors in common, which no further check takes away
(below).

**Who counts.** In a single training set the labelled rows belong to the population and count as positives, up
to their purity, and known negatives as negatives; in case-control the population is the unlabeled rows.

**Checked rows that belong together** (`alike_of`). Answers to rows of one patient or one user are alike. Rows
were drawn by chance, so what they say of the rows of the table does not suffer from that; but the table's
rows are a sample of groups, and so are the checked ones. With e_i what the answer to row i adds to the error
of a sum, the rows it stands for included, the sums of e over groups tell both at once, whichever rows of a
group were checked (the ultimate clusters of Hansen, Hurwitz and Madow 1953): every pair of rows of a group is
checked with the chance by which its product is scaled up. So

    κ = C/(C − 1) · Σ_groups (Σ e)² / Σ e²  −  1

is the variance that answers have in common, over the one that they have each; every sum has its own. With
fewer than three positives found, or negatives, answers say nothing about it, and groups count as one row
each.

What rows have in common beside their answers, where they score, is the design effect of shares of the table's
rows above a score (`sampling.clustered`). Limits are stretched for few groups as they are there.

**Looking while answers come in** (`level_while_looking`). Who looks after every ten rows and stops when the
interval is narrow, or excludes something, errs far more often than an interval for one look says. A
confidence sequence holds at all numbers of rows at once. For a sum of n independent terms with standard error
s, Robbins' mixture of normal laws gives

    |estimate − truth| ≤ s · sqrt((1 + 1/r) · log((r + 1) / α²)),     r = n·ρ²,

at all n together with probability 1 − α; ρ is free, and is chosen so that the factor is smallest when all
planned rows are checked. It is a normal quantile of a higher level, and that is how it is used: every
interval of an audit that is looked at while it grows is made at the level that belongs to its number of rows
(Robbins 1970; Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2024 for estimated standard errors).

Whether the rows of an audit can be rows of a table is asked before all that, and what is said if they cannot
(`check_belongs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puremetrics.auditing.audit import Audit, check_audit
from puremetrics.auditing.expected_positives import Forecast, expected_rates
from puremetrics.checking.arguments import check_level
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic, InputError, UnsupportedError
from puremetrics.numerics.quantiles import normal_quantile, student_quantile
from puremetrics.results import Interval
from puremetrics.sampling.bounded import combined_reach, mean_reaches
from puremetrics.sampling.clustered import over_groups
from puremetrics.scenarios import Design
from puremetrics.setting import Grouping, PurityLike, check_table, purity_range
from puremetrics.setting.requirements import independent
from puremetrics.tables.clusters import head_effect
from puremetrics.tables.score_table import ScoreTable

if TYPE_CHECKING:
    from puremetrics.auditing.audit import Audit


__all__ = [
    "ALONE",
    "Alike",
    "Audited",
    "Pieces",
    "Stretches",
    "Total",
    "alike_of",
    "cells_of",
    "check_belongs",
    "check_named",
    "errors_of",
    "in_common",
    "level_while_looking",
    "weight_classes",
    "weighted_reaches",
]


_FEWEST = 3  # positives and negatives that must be found


@dataclass(frozen=True, eq=False)
class Alike:
    """What rows of a group have in common.

    Attributes
    ----------
    number : int or None
        Groups that the checked rows belong to.
    place : ndarray of int or None
        The group of each checked unlabeled row; None if all rows are independent.
    answers : float
        κ of the number of positives.
    labelled : float
        The same of answers to labelled rows.
    rows : float
        Variance of the rows' shares over that of independent rows.
    degrees : float
        Degrees of freedom of these variances.
    """

    number: int | None = None
    place: Any = None
    answers: float = 0.0
    labelled: float = 0.0
    rows: float = 1.0
    degrees: float = float("inf")

    def stretch(self, level: float) -> float:
        """What so few degrees of freedom make limits wider by."""
        if np.isinf(self.degrees):
            return 1.0
        return student_quantile(self.degrees, level) / normal_quantile(level)

    @property
    def design_effect(self) -> float | None:
        """Variance of the number of positives over that of independent answers."""
        return None if self.number is None else 1 + self.answers

    @property
    def remarks(self) -> list[Diagnostic]:
        """PM140 if the groups are few."""
        if self.number is None:
            return []
        return Grouping(self.number, 1 + self.answers, self.degrees, 1.0).remarks()


ALONE = Alike()


def check_named(table: ScoreTable, audit: Audit) -> None:
    """Raise if rows of the table belong to groups and nobody says which of them were checked."""
    if not independent(table) and audit.groups is None:
        raise InputError(
            "The rows of the table belong to groups, but the audit does not say which group each checked "
            "row belongs to. Pass groups=… to Audit.from_arrays, to plan.draw or to plan.audit."
        )


def alike_of(audited: Audited) -> Alike:
    """What the rows of an audit have in common; nothing if they are independent."""
    groups, table = audited.audit.groups, audited.table
    if groups is None:
        return ALONE
    number = int(np.unique(groups).size)
    if number == groups.size and independent(table):
        return Alike(number)
    place = groups[audited.hidden]
    errors, stands = errors_of(audited, audited.cells, audited.cell_rows(), np.ones(place.size))
    common, degrees = in_common(errors, stands, place)
    known = audited.audit.labelled
    labelled = 0.0
    if known.any():
        answers, weight = audited.audit.positive[known], audited.audit.weight[known]
        apart = weight * (answers - np.average(answers, weights=weight))
        labelled, _ = in_common(apart, weight, groups[known])
    return Alike(number, place, common, labelled, _of_rows(table), degrees)


def errors_of(
    audited: Audited, cells: Any, rows: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What each answer adds to the error of a sum of values over positives, and rows that it stands for.

    ``cells`` are those of the checked rows, ``rows`` the unlabeled rows in each; errors are 0 if too few
    positives or negatives were found to tell them.
    """
    held = np.bincount(cells, weights=audited.weight, minlength=rows.size)
    shares = audited.weight / held[cells]
    stands = np.where(values != 0, rows[cells] * shares, 0.0)
    found = int(np.count_nonzero(audited.answer[values != 0]))
    if min(found, int(np.count_nonzero(values)) - found) < _FEWEST:
        return np.zeros(values.size), stands
    left = values * (audited.answer - audited.powers[audited.cells] * audited.expected)
    mean = np.bincount(cells, weights=shares * left, minlength=rows.size)
    return rows[cells] * shares * (left - mean[cells]), stands


def in_common(errors: FloatArray, stands: FloatArray, place: Any) -> tuple[float, float]:
    """κ of errors by group, and its degrees of freedom; without errors, that of rows which are all alike."""
    _, group = np.unique(place, return_inverse=True)
    none = float(errors @ errors) <= 0
    used = stands if none else errors
    each, sums = float(used @ used), np.bincount(group, weights=used).astype(np.float64)
    variance, degrees = over_groups(sums)
    if each <= 0 or sums.size == place.size:  # no two rows of a group
        return 0.0, degrees
    return max((float(sums @ sums) if none else variance) / each - 1, 0.0), degrees


def _of_rows(table: ScoreTable) -> float:
    """Design effect of shares of the rows of the population, and of the labelled ones."""
    clusters = table.clusters
    if clusters is None or clusters.alone:
        return 1.0
    kinds = (clusters.pos, clusters.unl, clusters.neg)
    inside = table.design.compared(table.totals)
    used = [part for part, here in zip(kinds, inside, strict=True) if here]
    return max(head_effect(sum(used[1:], used[0])), head_effect(clusters.pos))


_A_CELL = 40  # checked rows for each cell of a design of one's own
_MOST_CELLS = 4


def cells_of(checked: int) -> int:
    """How many cells a design of one's own has with so many checked rows."""
    return int(np.clip(checked // _A_CELL, 1, _MOST_CELLS))


def weight_classes(weight: FloatArray) -> list[Any]:
    """Places of rows whose weights are alike, within a factor of two.

    Rows of one weight were drawn by one chance. Where some stand for far more rows than others, a positive
    that was missed among these would count for many: each class has its own limits, as a stratum has.
    """
    if np.all(weight == weight[0]):
        return [np.arange(weight.size)]
    order = np.argsort(weight, kind="stable")
    classes, first = [], 0
    for last in range(1, order.size + 1):
        if last == order.size or weight[order[last]] > 2 * weight[order[first]]:
            classes.append(np.sort(order[first:last]))
            first = last
    return classes


def weighted_reaches(
    weight: FloatArray, values: FloatArray, level: float, span: tuple[float, float]
) -> tuple[float, float]:
    """How far the weighted mean of bounded values may be off; equal weights change nothing."""
    if np.all(weight == weight[0]):
        return mean_reaches(np.ones(weight.size), values, None, level, span)
    return mean_reaches(weight, values, weight**2, level, span)


class Pieces(NamedTuple):
    """Ranges of scores, rising, in which forecast and cell are the same.

    ``rows`` are unlabeled rows, ``labelled`` and ``negative`` the others; ``cell`` is the cell of each.
    """

    edges: FloatArray
    cell: Any
    rows: FloatArray
    labelled: FloatArray
    negative: FloatArray
    rate: FloatArray


class Stretches(NamedTuple):
    """What may have been missed: runs of unlabeled rows with values alike.

    ``cell`` is the cell of each, ``rate`` the one that answers are held against; their own share of positives
    is between ``least`` and ``most``.
    """

    cell: Any
    value: FloatArray
    rate: FloatArray
    least: Any = 0.0
    most: Any = 1.0

    @classmethod
    def of(cls, pieces: Pieces, values: FloatArray) -> Stretches:
        """Pieces in which every row has the same value."""
        some = pieces.rows > 0
        return cls(pieces.cell[some], values[some], pieces.rate[some])

    def inside(self, cell: int) -> Stretches:
        """Those of one cell."""
        within = self.cell == cell
        return Stretches(*(part[within] if np.ndim(part) else part for part in self))

    def ends(self, power: float) -> tuple[float, float]:
        """Between which a value lies, times the answer less ``power`` times the rate."""
        corners = [self.value * (y - power * self.rate) for y in (self.least, self.most)]
        return float(np.min(corners)), float(np.max(corners))


class Total(NamedTuple):
    """A sum over the positives among the unlabeled, and how far it may lie below and above."""

    value: float
    down: float
    up: float


def level_while_looking(checked: int, planned: int, level: float) -> float:
    """The level of an interval after so many rows, if it may be looked at after each of them."""
    from scipy.special import ndtr

    alpha = 1.0 - level
    least = 2 * np.log(1 / alpha)
    best = max(least + np.log1p(least), 1e-3)  # close to the minimum of the factor
    r = best * max(checked, 1) / planned
    factor = np.sqrt((1 + 1 / r) * np.log((r + 1) / alpha**2))
    return float(max(min(2 * ndtr(factor) - 1, 1 - 1e-12), level))


def check_belongs(table: ScoreTable, audit: Audit, model: str) -> None:
    """Raise if the checked rows are none of the table's, are labelled already, or appear twice."""
    score, hidden = audit.score_of(model), ~audit.labelled
    if not hidden.any():
        raise InputError(
            "Only labelled rows were checked. They show the purity of the labels, but only unlabeled rows "
            "show how many positives are hidden. Check some of those."
        )
    strata = audit.strata
    if strata is not None and float(strata.rows.sum()) != table.total_unl:
        raise InputError(
            f"The audit was drawn from {strata.rows.sum():.0f} unlabeled rows, but the table has "
            f"{table.total_unl:.0f}. Pass the table that the audit was planned on."
        )
    _check_kind(table, score[hidden], "unlabeled")
    _check_kind(table, score[~hidden], "labelled")


def _check_kind(table: ScoreTable, scores: FloatArray, known: str) -> None:
    if not scores.size:
        return
    groups: dict[str, Any] = {
        "unlabeled": table.n_unl,
        "labelled": table.n_pos,
        "known negative": table.n_neg,
    }
    at = np.minimum(np.searchsorted(-table.score, -scores, side="left"), table.score.size - 1)
    inside = (table.score[at] <= scores) & (scores <= table.highest[at])
    absent = np.flatnonzero(~inside | (groups[known][at] == 0))
    if absent.size:
        first = absent[0]
        why = "the table has no such row: is it a different table, or another model's score?"
        others = [name for name, column in groups.items() if column[at[first]] > 0]
        if inside[first] and others:
            already = ": it is already labelled" if "labelled" in others else ""
            why = f"only {' and '.join(others)} rows of the table have that score{already}."
        raise InputError(
            f"A row checked as {known} has the score {scores[first]:.10g}, but {why} This "
            f"affects {absent.size} of {scores.size} checked rows. Pass rows of this table, with the scores "
            "it was built from."
        )
    counts = np.bincount(at, minlength=table.score.size)
    twice = np.flatnonzero(counts > groups[known])
    if twice.size:
        raise InputError(
            f"{counts[twice[0]]} checked {known} rows have the score {table.score[twice[0]]:.10g}, but the "
            f"table has only {groups[known][twice[0]]:.0f} such rows. Each row counts once: was one drawn "
            "twice? Drop duplicates."
        )


_FEW = 10  # positives found, below which PM130 says so
_ROUNDING = 1e-18  # of a variance


@dataclass(frozen=True, eq=False)
class Audited:
    """A table with an audit of it: for audits what `Setting` is for assumptions.

    ``purity`` is that of the labels as it is assumed, with its ends; ``level`` that of all intervals.
    """

    table: ScoreTable
    audit: Audit
    level: float
    given: tuple[float, float, float] | None
    model: str

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        audit: object,
        purity: PurityLike = None,
        confidence_level: float = 0.95,
        model: str = "model",
    ) -> Audited:
        """Check that the audit belongs to the table."""
        check_table(table)
        checked, level = check_audit(audit), check_level(confidence_level)
        check_named(table, checked)
        if table.is_cut or not table.whole:
            raise UnsupportedError(
                "An audit needs individual rows and their scores, but this table is cut or weighted. Use a "
                "table of whole rows, before cut()."
            )
        if table.total_unl == 0:
            raise UnsupportedError(
                "There are no unlabeled rows, so there is nothing to audit. Leave out audit."
            )
        made = cls(table, checked, level, None if purity is None else purity_range(purity), model)
        check_belongs(made.table, made.audit, made.model)
        return made

    # ---------------------------------------------------------------- the checked rows

    @cached_property
    def hidden(self) -> BoolArray:
        """Which of the checked rows were unlabeled."""
        return ~self.audit.labelled

    @cached_property
    def score(self) -> FloatArray:
        """Scores of the checked unlabeled rows."""
        return self.audit.score_of(self.model)[self.hidden]

    @cached_property
    def answer(self) -> FloatArray:
        """1 for those that are positive."""
        return self.audit.positive[self.hidden].astype(np.float64)

    @cached_property
    def weight(self) -> FloatArray:
        """How many rows each stands for."""
        return self.audit.weight[self.hidden]

    @cached_property
    def place(self) -> Any:
        """The row of the table that each is in."""
        return np.searchsorted(-self.table.score, -self.score, side="left")

    # ---------------------------------------------------------------- what counts

    @property
    def design(self) -> Design:
        """What the scenario means."""
        return self.table.design

    @cached_property
    def strict_level(self) -> float:
        """The level that limits are made at: higher if results are looked at while answers come in."""
        planned = self.audit.planned
        if planned is None:
            return self.level
        return level_while_looking(self.audit.n_checked, planned, self.level)

    @cached_property
    def purity(self) -> tuple[float, float, float]:
        """Share of the labelled rows that are positive, and its ends: checked, given, or 1."""
        labelled = self.audit.labelled
        if not labelled.any():
            return self.given or (1.0, 1.0, 1.0)
        answers = self.audit.positive[labelled].astype(np.float64)
        weight = self.audit.weight[labelled]
        parts = [
            (weight[alike].sum() / weight.sum(), weight[alike], answers[alike])
            for alike in weight_classes(weight)
        ]
        reaches = [
            [share * reach for reach in weighted_reaches(own, said, self.strict_level, (0.0, 1.0))]
            for share, own, said in parts
        ]
        down, up = (combined_reach(*column) for column in zip(*reaches, strict=True))
        rest = self._rest(answers.size / max(self.table.total_pos, 1.0), self.alike.labelled)
        mean = float(np.average(answers, weights=weight))
        return mean, max(mean - rest * down, 0.0), min(mean + rest * up, 1.0)

    def at_purities(self) -> list[Audited]:
        """The table with the purity at each of its ends; nothing if it is known or does not matter."""
        ends = sorted(set(self.purity[1:]))
        if len(ends) < 2 or not self.design.one_sample:
            return []
        made = []
        for end in ends:
            made.append(replace(self))
            made[-1].__dict__.update(
                purity=(end, end, end), heads=self.heads, edges=self.edges, forecast=self.forecast
            )
        return made

    @property
    def population(self) -> FloatArray:
        """Rows of the population at each score."""
        table = self.table
        positive, negative = self.design.counted(table.n_pos, table.n_unl, table.n_neg, 0.0)
        return np.asarray(positive + negative, dtype=np.float64)

    def counted(self, pos: Any, unl: Any, neg: Any, latent: Any, purity: Any) -> tuple[Any, Any]:
        """Positive and negative rows of the population among such rows."""
        return self.design.counted(purity * pos, unl, neg + (1 - purity) * pos, latent)

    # ---------------------------------------------------------------- cells

    @cached_property
    def edges(self) -> FloatArray:
        """Where cells of scores begin."""
        strata = self.audit.strata
        if strata is not None and strata.model in (self.model, "model"):
            return strata.edges
        count = cells_of(self.score.size)
        order = np.argsort(self.score, kind="stable")
        held = np.cumsum(self.weight[order])
        places = np.searchsorted(held, held[-1] * np.arange(1, count) / count)
        return np.unique(self.score[order][places]) if count > 1 else np.empty(0)

    @cached_property
    def cells(self) -> Any:
        """The cell of each checked row."""
        return np.searchsorted(self.edges, self.score, side="right")

    @cached_property
    def heads(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows of each kind from the top down to each row of the table."""
        table = self.table
        pos, unl, neg = (
            np.concatenate([[0.0], np.cumsum(column, dtype=np.float64)])
            for column in (table.n_pos, table.n_unl, table.n_neg)
        )
        return pos, unl, neg

    def pieces(self, edges: FloatArray, *more: FloatArray) -> Pieces:
        """The ranges between all edges of cells and forecast; ``edges`` are those of the cells."""
        every = np.unique(np.concatenate([edges, self.forecast.edges, *more]))
        last = np.searchsorted(-self.table.score, -every, side="right")
        counts = []
        for heads in self.heads:
            above = np.concatenate([[heads[-1]], heads[last], [0.0]])
            counts.append(above[:-1] - above[1:])
        starts = np.concatenate([[-np.inf], every])
        cell = np.searchsorted(edges, starts, side="right")
        return Pieces(every, cell, counts[1], counts[0], counts[2], self.forecast.at(starts))

    @cached_property
    def forecast(self) -> Forecast:
        """What labels at random would make one expect, at the share of positives that the audit found."""
        cells, rows = self.cells, self.cell_rows()
        found = share = 0.0
        for cell in np.unique(cells):
            mine = cells == cell
            share += rows[cell]
            found += rows[cell] * float(np.average(self.answer[mine], weights=self.weight[mine]))
        return expected_rates(self.table, max(found / max(share, 1.0), 0.5 / self.score.size))

    def cell_rows(self) -> FloatArray:
        """Unlabeled rows in each cell."""
        last = np.searchsorted(-self.table.score, -self.edges, side="right")
        heads = self.heads[1]
        above = np.concatenate([[heads[-1]], heads[last], [0.0]])
        return np.asarray(above[:-1] - above[1:])

    @cached_property
    def expected(self) -> FloatArray:
        """The forecast at the checked rows."""
        return np.asarray(self.forecast.at(self.score), dtype=np.float64)

    @cached_property
    def powers(self) -> FloatArray:
        """λ: how much the forecast counts in each cell."""
        found = np.zeros(self.edges.size + 1)
        for cell in np.unique(self.cells):
            mine = self.cells == cell
            expected, answer = self.expected[mine], self.answer[mine]
            own = float(expected.var())
            if own > _ROUNDING:  # forecasts that differ by rounding tell nothing
                shared = float(np.mean((expected - expected.mean()) * (answer - answer.mean())))
                found[cell] = np.clip(shared / own, 0.0, 1.0)
        return found

    @cached_property
    def alike(self) -> Alike:
        """What rows of one group have in common."""
        return alike_of(self)

    def _in_common(self, pieces: Pieces, cells: Any, at_checked: FloatArray) -> float:
        """The variance of a sum that answers of one group have in common, over the one they have each."""
        if self.alike.place is None:
            return 0.0
        most = int(cells.max()) + 1
        rows = np.bincount(pieces.cell, weights=pieces.rows, minlength=most).astype(np.float64)
        return in_common(*errors_of(self, cells, rows, at_checked), self.alike.place)[0]

    def _rest(self, checked: float, common: float) -> float:
        """What is left of an error when a share of the rows is checked: all that groups have in common."""
        left = float(np.sqrt(max(1 - checked, 0.0) + common))
        return left * self.alike.stretch(self.strict_level)

    @property
    def common_factor(self) -> float:
        """How many times as far a sum of answers may be off because of groups."""
        return self._rest(0.0, self.alike.answers)

    def resampled(self, picked: Any) -> Audited:
        """The audited table with some of its checked unlabeled rows, one of them perhaps several times."""
        audit = replace(
            self.audit,
            scores={self.model: self.score[picked]},
            positive=self.answer[picked] > 0,
            weight=self.weight[picked],
            labelled=np.zeros(len(picked), dtype=np.bool_),
            groups=None,
        )
        made = replace(self, audit=audit, given=self.purity)
        share = float(np.average(audit.positive, weights=audit.weight))
        now = max(float(np.average(self.answer, weights=self.weight)), 0.5 / self.score.size)
        # What takes a pass over the rows is carried over, the forecast in proportion to what was found.
        made.__dict__.update(
            heads=self.heads,
            edges=self.edges,
            forecast=self.forecast.scaled(share / now),
            alike=ALONE,
        )
        return made

    # ---------------------------------------------------------------- sums

    def total(
        self,
        pieces: Pieces,
        cells: Any,
        sums: FloatArray,
        stretches: Stretches,
        at_checked: FloatArray,
        fitted: FloatArray | None = None,
    ) -> Total:
        """Σ u over the positives among the unlabeled rows.

        ``cells`` are those of the checked rows, ``sums`` Σ u over all unlabeled rows of each piece,
        ``stretches`` what u may be, ``at_checked`` u at the checked rows. The rates of the pieces are the
        forecast's, or others that were ``fitted``: then these are the rates at the checked rows, and count
        in full.
        """
        levels, expected = self._levels, self.expected if fitted is None else fitted
        powers = self.powers if fitted is None else np.ones(self.powers.size)
        common = self._in_common(pieces, cells, at_checked)
        value, downs, ups = 0.0, [], []  # one row a cell, one column a level
        for cell in np.unique(pieces.cell):
            within = (pieces.cell == cell) & (pieces.rows > 0)
            rows = float(pieces.rows[within].sum())
            if rows == 0:
                continue
            missed = stretches.inside(cell)
            least, most = float(missed.value.min()), float(missed.value.max())
            if least == most == 0.0:  # u is 0 here
                continue
            forecast = float(pieces.rate[within] @ sums[within])
            mine = cells == cell
            count = int(np.count_nonzero(mine))
            if count == 0:  # nothing but the forecast is known of these
                value += forecast
                downs.append([max(forecast - rows * min(least, 0.0), 0.0)] * len(levels))
                ups.append([max(rows * max(most, 0.0) - forecast, 0.0)] * len(levels))
                continue
            u, weight = at_checked[mine], self.weight[mine]
            power = float(powers[self.cells[mine][0]])
            left = u * (self.answer[mine] - power * expected[mine])
            low, high = missed.ends(power)
            ends = min(low, float(left.min())), max(high, float(left.max()))
            mean = float(np.average(left, weights=weight))
            value += power * forecast + rows * mean
            classes = weight_classes(weight)
            for alike in classes:
                own = weight[alike]
                stood_for = rows * float(own.sum() / weight.sum())
                # A class that was checked whole leaves nothing open; the others leave all of theirs.
                size = stood_for * self._rest(own.size / stood_for, common)
                both = [weighted_reaches(own, left[alike], level, ends) for level in levels]
                downs.append([size * down for down, _ in both])
                ups.append([size * up for _, up in both])
            unseen = [self._unseen(rows, weight, level) for level in levels]
            downs.append([size * max(mean - ends[0], 0.0) for size in unseen])
            ups.append([size * max(ends[1] - mean, 0.0) for size in unseen])
            if len(classes) > 1:
                rest = self._rest(count / rows, common)
                error = rest * rows * self._by_classes(weight, left, classes)
                for reaches in (downs, ups):
                    reaches.append([normal_quantile(level) * error for level in levels])
        return Total(value, self._combined(downs), self._combined(ups))

    def _by_classes(self, weight: FloatArray, values: FloatArray, classes: list[Any]) -> float:
        """Standard error of a weighted mean by how many rows of each class of weights fell into a cell.

        That is left to chance unless all rows of the class are in it.
        """
        mean, spread = float(np.average(values, weights=weight)), 0.0
        for alike in classes:
            own = weight[alike]
            whole = (self.weight >= own.min()) & (self.weight <= own.max())
            inside = float(own.sum() / self.weight[whole].sum())
            apart = float(np.average(values[alike], weights=own)) - mean
            spread += max(1 - inside, 0.0) * float(own @ own) * apart**2
        return float(np.sqrt(spread)) / float(weight.sum())

    def _unseen(self, rows: float, weight: FloatArray, level: float) -> float:
        """How many of a cell's rows may be of classes of weights of which none was checked there.

        They are rows that the checked ones do not stand for, and no more than chance may have left out.
        """
        most, each = 0.0, self.table.total_unl / float(self.weight.sum())  # weights may be relative
        for alike in weight_classes(self.weight):
            own = self.weight[alike]
            if not np.any((weight >= own.min()) & (weight <= own.max())):
                most += each * float(own.sum()) * (1 - ((1 - level) / 2) ** (1 / own.size))
        return min(most, max(rows - each * float(weight.sum()), 0.0))

    @property
    def _levels(self) -> tuple[float, ...]:
        """Levels at which limits of cells are made: while looking, also that of a single look."""
        return (self.level,) if self.audit.planned is None else (self.strict_level, self.level)

    def _combined(self, reaches: list[list[float]]) -> float:
        """One reach from those of the cells at all levels, the largest of them.

        While looking, levels are so high that a cell of few rows may be anything, and squares of that add up
        to less than what all cells together may be. Their sum is nearer to a normal law than they are, so
        the reach of a single look, times the ratio of normal quantiles, is the least that it can be.
        """
        found = [combined_reach(*column) for column in zip(*reaches, strict=True)]
        if len(found) < 2:
            return found[0] if found else 0.0
        return max(found[0], found[1] * self.quantile / normal_quantile(self.level))

    # ---------------------------------------------------------------- what results get

    def interval(self, low: float, high: float) -> Interval:
        """An interval of a result."""
        method = "audit" if self.audit.planned is None else "audit_sequence"
        return Interval(low, high, self.level, "confidence", method)

    @property
    def quantile(self) -> float:
        """Of the normal law, at the level that limits are made at."""
        return normal_quantile(self.strict_level)

    @property
    def row_quantile(self) -> float:
        """The quantile for the error that rows have as a sample: larger if they belong to groups."""
        alike = self.alike
        return self.quantile * float(np.sqrt(alike.rows)) * alike.stretch(self.strict_level)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks about the audit."""
        remarks = [*self.audit.diagnostics, *self.alike.remarks]
        found = self.audit.n_positive
        verb = "is" if found == 1 else "are"
        if found < _FEW:
            remarks.append(
                Diagnostic(
                    "PM130",
                    f"{self.audit.n_checked} rows were checked and {found} of them {verb} positive: "
                    "intervals are wide. Check more rows where positives are likely (plan_audit).",
                )
            )
        return tuple(remarks)
