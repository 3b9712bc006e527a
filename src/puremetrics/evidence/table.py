"""What all evidence says together, and `EvidenceTable`: what each kind says alone, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puremetrics.auditing.metrics import PRIOR
from puremetrics.checking.types import FloatArray
from puremetrics.evidence.joint import Joined, Reached
from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Interval, PriorEstimate, Result
from puremetrics.results.protocol import number

__all__ = ["EvidenceTable", "TableOf", "joint_prior"]

_OPEN = 0.999  # part of its range from which on an interval says nothing


@dataclass(frozen=True, eq=False, repr=False)
class EvidenceTable(Result):
    """What each kind of evidence says of a statistic.

    Attributes
    ----------
    name, title : str
        The statistic.
    kinds, assumes : tuple of str
        Each kind of evidence, and what must be true for it to be right.
    value, low, high : ndarray
        What each says alone; where it says nothing the value is NaN.
    without : ndarray
        Width of the interval of all others; NaN if there are none.
    together : tuple of float
        Value, lower and upper limit of all together.
    contradicting : tuple of (int, int)
        Pairs that differ beyond chance: both cannot be right.
    rates : tuple of str
        What was learnt on the way: how often a judge or a checker is right, what each source catches.
    rate, rate_low, rate_high : ndarray
        Each of these, with limits; NaN where there are none.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    assumes: tuple[str, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    without: FloatArray
    together: tuple[float, float, float]
    contradicting: tuple[tuple[int, int], ...] = ()
    rates: tuple[str, ...] = ()
    rate: FloatArray = field(default_factory=lambda: np.empty(0))
    rate_low: FloatArray = field(default_factory=lambda: np.empty(0))
    rate_high: FloatArray = field(default_factory=lambda: np.empty(0))
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, joined: Joined, statistic: Any) -> EvidenceTable:
        """The table of a statistic; with n kinds it takes 2n + 1 estimates."""
        number_of = len(joined.evidence)
        alone, rest = [], []
        for place in range(number_of):
            found = joined.only([place]).estimate(statistic)
            open_ = found.high - found.low >= _OPEN * (statistic.high - statistic.low)
            alone.append(found._replace(value=np.nan) if open_ else found)
            others = [i for i in range(number_of) if i != place]
            rest.append(joined.only(others).told(statistic) if others else Reached(*[np.nan] * 3))
        value, low, high = (
            np.array([getattr(one, end) for one in alone]) for end in Reached._fields
        )
        together = joined.told(statistic)
        rate, rate_low, rate_high = (
            np.array([getattr(one, end) for one in joined.rates.values()], dtype=np.float64)
            for end in Reached._fields
        )
        return cls(
            statistic.name,
            statistic.title,
            tuple(kind.title for kind in joined.evidence),
            tuple(kind.assumes for kind in joined.evidence),
            value,
            low,
            high,
            np.array([one.high - one.low for one in rest]),
            (float(together.value), float(together.low), float(together.high)),
            tuple((clash.first, clash.second) for clash in joined.disagreements),
            tuple(joined.rates),
            rate,
            rate_low,
            rate_high,
            joined.diagnostics,
        )

    def frame(self) -> Columns:
        """Return one row for each kind, and one for all together."""
        last = len(self.kinds) > 0
        together = np.array(self.together)
        ends = (self.value, self.low, self.high)
        value, low, high = (
            np.append(own, end) if last else own for own, end in zip(ends, together, strict=True)
        )
        return {
            "evidence": np.array([*self.kinds, "all together"]),
            "value": value,
            "low": low,
            "high": high,
            "width_without": np.append(self.without, np.nan),
            "right_if": np.array([*self.assumes, "all of these are right"]),
        }

    def __str__(self) -> str:
        length = max(len("all together"), *(len(kind) for kind in self.kinds))
        lines = [f"{self.title}, as each kind of evidence tells it:"]
        lines.append(f"  {'':<{length}}  {'alone':<28}interval without it")
        for kind, value, low, high, without in zip(
            self.kinds, self.value, self.low, self.high, self.without, strict=True
        ):
            rest = "" if np.isnan(without) else f"{without:.3f} wide"
            lines.append(f"  {kind:<{length}}  {told(value, low, high):<28}{rest}".rstrip())
        lines.append(f"  {'all together':<{length}}  {told(*self.together)}")
        for rate, value, low, high in zip(
            self.rates, self.rate, self.rate_low, self.rate_high, strict=True
        ):
            span = "" if np.isnan(low) else f" ({low:.0%} to {high:.0%})"
            lines.append(f"  {rate}: {value:.0%}{span}")
        for first, second in self.contradicting:
            lines.append(
                f"  {self.kinds[first]} and {self.kinds[second]} contradict each other: one of them is wrong"
            )
        return "\n".join(lines)


def told(value: float, low: float, high: float) -> str:
    """A number with its limits, in a few words."""
    if np.isnan(value):
        return f"{number(low)} to {number(high)}"
    return f"{number(value)} ({number(low)} to {number(high)})"


@dataclass(frozen=True)
class TableOf:
    """The table of a statistic, made when it is asked for."""

    joined: Joined
    statistic: Any

    def __call__(self) -> EvidenceTable:
        return EvidenceTable.of(self.joined, self.statistic)


def joint_prior(joined: Joined) -> PriorEstimate:
    """The share of positives in the population, from all evidence."""
    found, design = joined.told(PRIOR), joined.table.design
    at, totals = found.value, joined.table.totals
    known = not np.isnan(at)
    return PriorEstimate(
        at,
        Interval(found.low, found.high, joined.level, joined.kind, "evidence"),
        unlabeled_share=design.unlabeled_share(totals, at) if known else None,
        label_frequency=float(design.labelled_share(totals, at)) if known else None,
        method="evidence",
        scenario=joined.table.scenario,
        diagnostics=joined.diagnostics,
        trust=joined.trust,
        make_evidence=TableOf(joined, PRIOR),
    )
