"""Rows as places in a ranked list, and what buckets hide of their order.

**Places** (`Ranks`). The rows of a table are places in a ranked list of the population, from its top. The
list is that of the comparison sample F, a sample of the population. Where there is none, because every row is
labelled and the samples were drawn apart, it is the mixture of G and F at the prior. A row of the table is a
stretch of ranks, from ``start`` to ``end``; labelled rows that are not in F have stretches of length 0.

The first k rows are those that score at least as high as the k-th. If rows are tied there, each counts with
the share of them that fits in: the mean over all orders in which tied rows may be listed.

**Buckets** (`extreme_orders`, `bracket_of`). In a row that stands for many scores the order of positives and
other rows is unknown: that is what buckets hide. Any order lies between two extreme ones: all positives
first, and all others first. Wherever a statistic can only gain when a positive moves up, its values for these
two contain the exact one. That holds for the uncorrected path, whose share of positives G rises at each head
of the others; for the corrected rates, because with a feasible prior a rise of G moves a point up and to the
left; for their upper-left envelope, which is taken pointwise; and for the areas of all these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from puremetrics.checking.arguments import check_number, shown
from puremetrics.checking.types import BoolArray, FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Interval
from puremetrics.setting import Setting
from puremetrics.tables.rows import Rows
from puremetrics.tables.score_table import ScoreTable

__all__ = [
    "Ranks",
    "Top",
    "bracket_of",
    "check_top",
    "extreme_orders",
    "mixed_precision",
    "widen_limits",
]


_SNAP = 1e-9  # a share times a number of rows may miss a whole number by rounding


@dataclass(frozen=True)
class Top:
    """The top of a list: so many rows, or a share of all."""

    given: float
    is_share: bool

    def rows_of(self, total: float) -> float:
        """How many rows that is, of so many."""
        rows = self.given * total if self.is_share else self.given
        whole = float(np.round(rows))
        if abs(rows - whole) <= _SNAP * max(whole, 1.0):
            rows = whole
        if rows > total:
            raise InputError(
                f"top={self.given:g} asks for more rows than the {total:g} there are. Pass at most "
                f"{total:g}, or a share such as 0.01."
            )
        return rows


def check_top(top: object) -> Top:
    """Check what a user gives: a number of rows from 1 on, or a share of them below 1 (or 1.0 for all)."""
    number = check_number(top, "top")
    whole = isinstance(top, int | np.integer) or (
        isinstance(top, np.ndarray) and top.dtype.kind in "iu"
    )
    if number <= 0 or (whole and number < 1):
        raise InputError(
            f"top={shown(top)} must be a number of rows such as 100, or a share of them such as 0.01."
        )
    return Top(number, not whole and number <= 1.0)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where the rows of a table stand in the population's list."""

    setting: Setting

    @cached_property
    def total(self) -> float:
        """Rows of the population."""
        return self.setting.population_size

    @cached_property
    def _ends(self) -> FloatArray:
        samples, mixed = self.setting.samples, self.setting.mixed
        if mixed == 0.0:
            return np.concatenate([[0.0], np.cumsum(samples.cmp, dtype=np.float64)])
        heads = samples.heads
        ends = self.total * (mixed * heads.pos + (1 - mixed) * heads.cmp)
        # With a prior above the purity no mixture is the population's; the list goes on all the same.
        return np.asarray(np.clip(np.maximum.accumulate(ends), 0.0, self.total))

    @property
    def start(self) -> FloatArray:
        """Rank at which each row of the table begins."""
        return self._ends[:-1]

    @property
    def end(self) -> FloatArray:
        """Rank at which it ends."""
        return self._ends[1:]

    @property
    def size(self) -> float:
        """Effective number of rows of the list, for its sampling error."""
        return self.setting.samples.sizes[1]

    def inside(self, rows: float) -> FloatArray:
        """Which part of each row of the table is among the first so many rows."""
        if rows >= self.total:
            return np.ones(self.start.size)
        length = self.end - self.start
        part = np.where(self.start < rows, 1.0, 0.0)
        np.divide(rows - self.start, length, out=part, where=length > 0)
        return np.clip(part, 0.0, 1.0)

    def head(self, heads: FloatArray, rows: FloatArray) -> FloatArray:
        """Heads at every row of the table, with the empty one in front, along the ranks."""
        return np.asarray(np.interp(rows, self._ends, heads))

    def tied(self, rows: float) -> list[Diagnostic]:
        """PM112 if rows of one score are partly inside."""
        part = self.inside(rows)
        cut = np.flatnonzero((part > 0) & (part < 1))
        table = self.setting.ranked
        if not cut.size or not np.any(table.n_pos[cut] + table.n_neg[cut] > 0):
            return []
        place = int(cut[0])
        length = float(self.end[place] - self.start[place])
        return [
            Diagnostic(
                "PM112",
                f"{length:.6g} rows share the score {table.score[place]:g} at the end of the "
                f"first {rows:.6g} rows, and {length * part[place]:.6g} of them fit: they count in "
                "proportion, which is the mean over all orders of these rows.",
            )
        ]


def extreme_orders(table: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """The tables with the other rows of each bucket first, and with its positives first.

    >>> table = ScoreTable.from_counts(
    ...     [2.0, 1.0], n_pos=[2, 1], n_unl=[1, 3], scenario="case_control", resolution=0.5)
    >>> worst, best = extreme_orders(table)
    >>> best.n_pos, best.n_unl
    (array([2, 0, 1, 0]), array([0, 1, 0, 3]))
    """
    hidden = table.hidden
    assert hidden is not None
    times = np.where(hidden, 2, 1)
    ends = np.cumsum(times) - 1
    first, second = ends[hidden] - 1, ends[hidden]
    tables = []
    for positives_first in (False, True):
        columns: list[Any] = []
        for kind, column in enumerate((table.n_pos, table.n_unl, table.n_neg)):
            split = np.repeat(column, times)
            away = second if (kind == 0) == positives_first else first
            split[away] = 0
            columns.append(split)
        rows = Rows.of(np.repeat(table.score, times), columns)
        tables.append(table.like(0.0, True, None, rows))
    return tables[0], tables[1]


def bracket_of(low: float, high: float, value: float) -> Interval:
    """An interval that contains the exact value, and the one reported."""
    return Interval(min(low, value), max(high, value), 1.0, "resolution", "extreme_orders")


def widen_limits(
    ends: tuple[float, float], value: float, bracket: Interval | None
) -> tuple[float, float]:
    """Limits moved outwards by as much as the exact value may differ from the one reported."""
    if bracket is None:
        return ends
    return ends[0] - (value - bracket.low), ends[1] + (bracket.high - value)


def mixed_precision(
    precision: FloatArray, recall: FloatArray, open_: BoolArray, *, largest: bool
) -> float:
    """Sum of precision over gains in recall, where marked segments count with their extreme end."""
    gain = np.diff(recall)
    extreme = (np.maximum if largest else np.minimum)(precision[1:], precision[:-1])
    return float(np.sum(gain * np.where(open_, extreme, precision[1:])))
