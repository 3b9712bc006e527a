"""How wide an interval an audit will give, before anything is checked.

With n rows to be checked in a stratum of N rows, a share p of which is expected to be positive, the limits
after the audit will be about those of n·p positives found. Metrics of the confusion matrix carry them through
their formula as `auditing.confusion` does. An area is moved by a positive as much as its place makes it:
limits are those of the mean of slope·(answer − forecast) over n rows, as in `auditing.ranking`, and what the
rows have as a sample of the population comes on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from puremetrics.checking.types import FloatArray
from puremetrics.sampling.bounded import combined_reach, mean_reaches

__all__ = ["Answers", "Expected", "allocated", "spread_checks"]

_EXACT = np.array([0.0, 1.0])
_FEWEST = 3  # positives, without which an area stays unknown, as in `auditing.ranking`


class Answers(NamedTuple):
    """What checked rows of a stratum are expected to add to an area, beyond the forecast."""

    share: FloatArray
    value: FloatArray
    span: tuple[float, float]
    unknown: tuple[float, float]  # how far it may be below and above while none is checked

    @classmethod
    def of(cls, rows: FloatArray, rate: FloatArray, slope: FloatArray) -> Answers:
        """From fine ranges of scores: their rows, share of positives, and slope of the area."""
        share, some = rows / max(float(rows.sum()), 1e-9), rows > 0
        least, most = (float(slope[some].min()), float(slope[some].max())) if some.any() else (0, 0)
        rates = (float(rate[some].min()), float(rate[some].max())) if some.any() else (0, 0)
        corners = [end * (y - r) for end in (least, most) for y in (0.0, 1.0) for r in rates]
        told = float(rows @ (rate * slope))
        total = float(rows.sum())
        return cls(
            np.concatenate([share * rate, share * (1 - rate)]),
            np.concatenate([slope * (1 - rate), -slope * rate]),
            (min(corners), max(corners)),
            (max(told - total * min(least, 0.0), 0.0), max(total * max(most, 0.0) - told, 0.0)),
        )


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the strata, and the statistic as a function of positives in two groups of them.

    ``statistic(a, b)`` takes the hidden positives of the first and of the second group; ``slope`` is the
    size of the statistic's slope by the positives of each stratum. An area is no such function: ``answers``
    say what the rows of each stratum add to it, ``area`` is its value and ``error`` what its rows add to
    limits.
    """

    rows: FloatArray
    rate: FloatArray
    first: Any
    statistic: Callable[[Any, Any], Any] | None
    slope: FloatArray
    level: float
    answers: tuple[Answers, ...] = ()
    area: float = 0.5
    error: float = 0.0
    known: dict[tuple[int, float], tuple[float, float]] = field(default_factory=dict)

    def reaches(self, stratum: int, checked: float) -> tuple[float, float]:
        """How far the positives of a stratum may be off after so many checks."""
        key = stratum, checked
        if key not in self.known:
            rows, rate = float(self.rows[stratum]), float(self.rate[stratum])
            if self.answers:
                self.known[key] = self._area_reaches(stratum, checked)
            elif checked < 1:
                self.known[key] = rows * rate, rows * (1 - rate)
            else:
                counts = np.array([checked * (1 - rate), checked * rate])
                down, up = mean_reaches(counts, _EXACT, None, self.level)
                rest = rows * float(np.sqrt(max(1 - checked / rows, 0.0)))
                self.known[key] = min(rest * down, rows * rate), min(rest * up, rows * (1 - rate))
        return self.known[key]

    def _area_reaches(self, stratum: int, checked: float) -> tuple[float, float]:
        """How far an area may be off because of a stratum after so many checks."""
        answers, rows = self.answers[stratum], float(self.rows[stratum])
        if checked < 1:
            return answers.unknown
        down, up = mean_reaches(
            checked * answers.share, answers.value, None, self.level, answers.span
        )
        rest = rows * float(np.sqrt(max(1 - checked / rows, 0.0)))
        return rest * down, rest * up

    def told(self, checked: FloatArray) -> float:
        """The width as it is told: inside what is possible, and with what the rows add to an area's."""
        if not self.answers:
            return self.width(checked)
        if float(checked @ self.rate) < _FEWEST:
            return 1.0
        used = np.flatnonzero(self.rows > 0)
        both = np.array([self.reaches(int(h), float(checked[h])) for h in used])
        down, up = (combined_reach(*column, self.error) for column in both.T)
        return float(min(self.area + up, 1.0) - max(self.area - down, 0.0))

    def width(self, checked: FloatArray) -> float:
        """The width of the interval with so many checks in each stratum."""
        used = np.flatnonzero(self.rows > 0)
        both = np.array([self.reaches(int(h), float(checked[h])) for h in used])
        if self.statistic is None:
            return float(sum(combined_reach(*column) for column in both.T))
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


def spread_checks(expected: Expected, budget: int, least: int) -> FloatArray:
    """Checks by stratum in proportion to rows·slope·sqrt(p(1 − p)) (Neyman 1934)."""
    rows, at_least = expected.rows, _at_least(expected, budget, least)
    left = max(budget - float(at_least.sum()), 0.0)
    spread = rows * expected.slope * np.sqrt(expected.rate * (1 - expected.rate) + 1e-4)
    if spread.sum() <= 0:
        spread = rows
    checked = np.minimum(np.floor(at_least + left * spread / spread.sum()), rows)
    while checked.sum() < min(budget, rows.sum()):
        open_ = np.where(checked < rows, spread / np.maximum(checked, 1.0), -1.0)
        checked[int(np.argmax(open_))] += 1
    return np.asarray(checked)


def _at_least(expected: Expected, budget: int, least: int) -> FloatArray:
    rows = expected.rows
    return np.asarray(np.minimum(rows, least if least * rows.size <= budget else 0))


def allocated(expected: Expected, budget: int, least: int) -> FloatArray:
    """Checks by stratum that make the expected interval narrowest: moved between strata while that gains."""
    rows, at_least = expected.rows, _at_least(expected, budget, least)
    checked = spread_checks(expected, budget, least)
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
