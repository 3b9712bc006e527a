"""`AuditPath`: an audit as it looked while answers came in, and whether it is enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Result
from puremetrics.results.words import number
from puremetrics.scenarios import Scenario

__all__ = ["AuditPath"]


@dataclass(frozen=True, eq=False, repr=False)
class AuditPath(Result):
    """A statistic from the rows checked so far, look by look.

    Attributes
    ----------
    statistic : str
    threshold : float or None
    planned : int
        Rows that are to be checked at most.
    checked : ndarray of int
        Rows checked at each look.
    value, low, high : ndarray
        The estimate then, and its interval; intervals hold at all looks together.
    level : float
    width, above, below : float or None
        When to stop.
    stopped : int or None
        Rows at which the rule was met first; None if it is not met yet, or there is none.
    more : float or None
        About how many more rows will meet it: 0 if it is met, inf if not even all unlabeled rows would, None
        if that cannot be said yet, or there is no rule.
    """

    statistic: str
    threshold: float | None
    planned: int
    checked: Any
    value: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    width: float | None
    above: float | None
    below: float | None
    stopped: int | None
    more: float | None
    scenario: Scenario
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def enough(self) -> bool:
        """Whether the rule to stop has been met."""
        return self.stopped is not None

    def frame(self) -> Columns:
        """Return one row for each look."""
        return {name: getattr(self, name) for name in ("checked", "value", "low", "high")}

    @property
    def words(self) -> str:
        """What was found so far, and whether to go on."""
        at = "" if self.threshold is None else f" at score >= {self.threshold:g}"
        span = f"{number(float(self.low[-1]))} to {number(float(self.high[-1]))}"
        found = (
            f"Checked {self.checked[-1]} of {self.planned} rows: {self.statistic}{at} is "
            f"{number(float(self.value[-1]))} ({span})"
        )
        if self.width is None and self.above is None and self.below is None:
            return f"{found}."
        return f"{found}{self._met}" if self.enough else f"{found}. {self._missing}"

    @property
    def _met(self) -> str:
        """What was met at the look that stopped, as the end of a sentence."""
        assert self.stopped is not None
        look = int(np.searchsorted(self.checked, self.stopped))
        low, high = float(self.low[look]), float(self.high[look])
        met = []
        if self.width is not None and high - low <= self.width:
            met.append("narrow enough")
        limit, word = (self.below, "below") if self.above is None else (self.above, "above")
        if limit is not None and not low <= limit <= high:
            holds = (low > limit) == (word == "above")
            met.append(f"{'' if holds else 'not '}{word} {limit:g}")
        since = "" if look == len(self.checked) - 1 else f", since row {self.stopped}"
        return f", which is {' and '.join(met)}{since}; you can stop."

    @property
    def _missing(self) -> str:
        """How many more rows, about."""
        goals = [] if self.width is None else [f"make it at most {self.width:g} wide"]
        for limit, word in ((self.above, "above"), (self.below, "below")):
            if limit is not None:
                goals.append(f"decide whether it is {word} {limit:g}")
        goal = " or ".join(goals)
        if self.more is None:
            return f"How many more rows would {goal} cannot be said yet."
        if np.isinf(self.more):
            return (
                f"Not even all unlabeled rows would {goal}: they are a sample themselves. Stop, or ask for "
                "less."
            )
        rows = about(self.more)
        total = int(self.checked[-1]) + rows
        beyond = (
            f", {total} in all, more than the {self.planned} planned"
            if total > self.planned
            else ""
        )
        return f"About {rows} more rows would {goal}{beyond}."

    def __str__(self) -> str:
        return "\n".join([self.words, *(f"  {remark}" for remark in self.diagnostics)])


def about(rows: float) -> int:
    """A forecast as it is told: tens below 200, and two digits above."""
    unit = 10 if rows < 200 else 10 ** (int(np.log10(rows)) - 1)
    return int(np.ceil(rows / unit) * unit)
