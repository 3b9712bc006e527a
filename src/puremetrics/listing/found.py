"""The record of a discovery curve, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from puremetrics.checking.arguments import check_number
from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic, InputError
from puremetrics.results import Columns, Estimate, Interval, IntervalKind, Result
from puremetrics.results.words import number, percent
from puremetrics.scenarios import Scenario

__all__ = ["DiscoveryCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class DiscoveryCurve(Result):
    """How many positives are among the first unlabeled rows.

    Attributes
    ----------
    rows : ndarray, shape (k,)
        Numbers of unlabeled rows, from the top of the list: 0 up to all.
    finds : ndarray, shape (k,)
        Positives to be found among them; straight between the points.
    low, high : ndarray, shape (k,)
        Limits that hold the number which checking these rows will find.
    band : {"pointwise", "simultaneous"}
        Whether they hold at each number of rows by itself, or at all of them at once.
    level, kind : float and str
        Their confidence level, and whether they hold uncertain assumptions too.
    unlabeled, positives : float
        Number of unlabeled rows, and of the positives expected among all of them.
    bias_low, bias_high : ndarray or None
        What biased labels leave open, without sampling error.
    """

    rows: FloatArray
    finds: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: IntervalKind
    scenario: Scenario
    prior: float
    purity: float
    unlabeled: float
    positives: float
    label_bias: float = 1.0
    bias_low: FloatArray | None = field(default=None, repr=False)
    bias_high: FloatArray | None = field(default=None, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    band: str = "pointwise"

    def at(self, rows: float) -> Estimate:
        """The number of positives to be found among the first so many unlabeled rows, with its interval."""
        count = check_number(rows, "rows")
        if not 0 < count <= self.unlabeled:
            raise InputError(
                f"rows={count:g} is not a number of rows of the list, which has {self.unlabeled:g} unlabeled "
                f"ones. "
                "Pass a number from 1 up to that."
            )
        value, low, high = (
            float(np.interp(count, self.rows, column))
            for column in (self.finds, self.low, self.high)
        )
        return self._estimate("discoveries", "Positives to be found", value, low, high, count)

    def rows_to_find(self, finds: float) -> Estimate:
        """How many unlabeled rows to check, from the top, for so many positives.

        The interval runs from where that many are just possible to where they are sure at the level of the
        curve; its end is infinite if even all rows may hold fewer.
        """
        wanted = check_number(finds, "finds")
        if wanted <= 0:
            raise InputError(
                f"finds={wanted:g} must be above 0: a number of positives to be found."
            )
        value, low, high = (
            _first_reached(self.rows, column, wanted)
            for column in (self.finds, self.high, self.low)
        )
        title = f"Rows to check for {wanted:g} finds"
        return self._estimate("rows_to_find", title, value, low, high, None)

    def _estimate(
        self, name: str, title: str, value: float, low: float, high: float, top: float | None
    ) -> Estimate:
        return Estimate(
            name=name,
            title=title,
            value=value,
            interval=Interval(
                min(low, value), max(high, value), self.level, self.kind, "discovery"
            ),
            standard_error=None,
            method="discovery",
            scenario=self.scenario,
            prior=self.prior,
            unlabeled_share=self.positives / self.unlabeled,
            purity=self.purity,
            diagnostics=self.diagnostics,
            label_bias=self.label_bias,
            top=top,
        )

    def words(self, rows: float) -> str:
        """What checking so many rows would find, as a sentence."""
        found = self.at(rows)
        assert found.interval is not None
        low, high = np.ceil(found.interval.low - 1e-9) + 0.0, np.floor(found.interval.high + 1e-9)
        return (
            f"Checking the {rows:g} best unlabeled rows would find {found.value:.0f} positives "
            f"({min(low, found.value):.0f} to {max(high, found.value):.0f})."
        )

    @property
    def held(self) -> str:
        """Where the limits hold, in words."""
        if self.band == "simultaneous":
            return "at all numbers of rows at once"
        return "at each number of rows by itself"

    def frame(self) -> Columns:
        """Return the points of the curve with its limits."""
        return {"rows": self.rows, "finds": self.finds, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        told = [count for count in (10, 100, 1000, 10_000) if count <= self.unlabeled][:3]
        lines = [
            f"Discoveries among {self.unlabeled:g} unlabeled rows, {self.positives:.4g} of them positive"
        ]
        lines += [f"  {self.words(count)}" for count in told]
        assumed = (
            f"assumes {self.scenario}, prior {number(self.prior)}, purity {number(self.purity)}"
        )
        if self.label_bias > 1:
            assumed += f", label bias up to {number(self.label_bias)}"
        lines.append(f"  {assumed}; {percent(self.level)} limits {self.held}")
        return "\n".join(lines + [f"  {remark}" for remark in self.diagnostics])


def _first_reached(rows: FloatArray, column: FloatArray, wanted: float) -> float:
    """The first number of rows at which a column reaches a number; infinite if it never does."""
    above = np.flatnonzero(column >= wanted - 1e-9)
    if not above.size:
        return float("inf")
    place = int(above[0])
    if place == 0:
        return float(rows[0])
    start, end = column[place - 1], column[place]
    part = (wanted - start) / (end - start) if end > start else 1.0
    return float(rows[place - 1] + min(max(part, 0.0), 1.0) * (rows[place] - rows[place - 1]))
