"""How wide an interval an audit will give, before anything is checked.

With n rows to be checked in a stratum of N rows, a share p of which is expected to be positive, the limits
after the audit will be about those of n·p positives found. Metrics of the confusion matrix carry them through
their formula as `auditing.confusion` does; areas add them up with the slope of the area in each stratum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.sampling.bounded import combined_reach, mean_reaches

__all__ = ["Expected", "allocated"]

_EXACT = np.array([0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the strata, and the statistic as a function of positives in two groups of them.

    ``statistic(a, b)`` takes the hidden positives of the first and of the second group; ``slope`` is the
    size of the statistic's slope by the positives of each stratum, where it is not a function of two numbers.
    """

    rows: FloatArray
    rate: FloatArray
    first: Any
    statistic: Callable[[Any, Any], Any] | None
    slope: FloatArray
    level: float
    known: dict[tuple[int, float], tuple[float, float]] = field(default_factory=dict)

    def reaches(self, stratum: int, checked: float) -> tuple[float, float]:
        """How far the positives of a stratum may be off after so many checks."""
        key = stratum, checked
        if key not in self.known:
            rows, rate = float(self.rows[stratum]), float(self.rate[stratum])
            if checked < 1:
                self.known[key] = rows * rate, rows * (1 - rate)
            else:
                counts = np.array([checked * (1 - rate), checked * rate])
                down, up = mean_reaches(counts, _EXACT, None, self.level)
                rest = rows * float(np.sqrt(max(1 - checked / rows, 0.0)))
                self.known[key] = min(rest * down, rows * rate), min(rest * up, rows * (1 - rate))
        return self.known[key]

    def width(self, checked: FloatArray) -> float:
        """The width of the interval with so many checks in each stratum."""
        used = np.flatnonzero(self.rows > 0)
        both = np.array([self.reaches(int(h), float(checked[h])) for h in used])
        if self.statistic is None:
            sizes = self.slope[used, None] * both
            return float(sum(combined_reach(*column) for column in sizes.T))
        found = (self.rows * self.rate)[used]
        groups = []
        for mine in (self.first[used], ~self.first[used]):
            total = float(found[mine].sum())
            down, up = (combined_reach(*both[mine, side]) for side in (0, 1))
            groups.append((total, max(total - down, 0.0), total + up))
        (a, a_low, a_high), (b, b_low, b_high) = groups
        values = self.statistic(
            np.array([a, a_low, a_high, a, a]), np.array([b, b, b, b_low, b_high])
        )
        moves = (values[1:] - values[0]).reshape(2, 2)
        low, high = (np.maximum(sign * moves, 0.0).max(axis=1) for sign in (-1.0, 1.0))
        ends = (
            max(values[0] - combined_reach(*low), 0.0),
            min(values[0] + combined_reach(*high), 1.0),
        )
        return float(ends[1] - ends[0])


def allocated(expected: Expected, budget: int, least: int) -> FloatArray:
    """Checks by stratum that make the expected interval narrowest: moved between strata while that gains."""
    rows = expected.rows
    at_least = np.minimum(rows, least if least * rows.size <= budget else 0)
    left = max(budget - float(at_least.sum()), 0.0)
    spread = rows * expected.slope * np.sqrt(expected.rate * (1 - expected.rate) + 1e-4)
    if spread.sum() <= 0:
        spread = rows
    checked = np.minimum(np.floor(at_least + left * spread / spread.sum()), rows)
    while checked.sum() < min(budget, rows.sum()):
        open_ = np.where(checked < rows, spread / np.maximum(checked, 1.0), -1.0)
        checked[int(np.argmax(open_))] += 1
    best = expected.width(checked)
    step = 2.0 ** np.floor(np.log2(max(budget / 4, 1.0)))
    while step >= 1:
        gained = False
        for giver in range(rows.size):
            for taker in range(rows.size):
                fits = (
                    checked[giver] - step >= at_least[giver]
                    and checked[taker] + step <= rows[taker]
                )
                if giver == taker or not fits:
                    continue
                tried = checked.copy()
                tried[giver] -= step
                tried[taker] += step
                width = expected.width(tried)
                if width < best - 1e-6:
                    checked, best, gained = tried, width, True
        if not gained:
            step /= 2
    return np.asarray(checked)
