"""Gaps between segments, the largest of them, and the worst segment, from limits that hold at once.

`SegmentComparison` has a statistic of every segment, the gaps between them, and the worst of them.

**Limits of differences and ratios of two estimates** (`difference_limits`, `ratio_limits`) are made from
limits of each, by the method of variance estimates recovery. With a and b estimated, (l, u) limits of each at
the same level and ρ their correlation (Zou and Donner 2008),

    a − b:   low = a − b − sqrt((a − l_a)² + (u_b − b)² − 2ρ(a − l_a)(u_b − b)),   likewise high

keeps the asymmetry of each, which matters where labels are few. The ratio r = a / b has as limits those r at
which limits of a − r·b touch 0, a quadratic equation (Donner and Zou 2012).

Where a prior or a label bias is uncertain, each estimate has several versions, and limits are the widest over
all pairs of versions: nothing says that what is unknown of one segment offsets what is unknown of the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Estimate, Interval, IntervalKind, Result, json_ready
from puremetrics.results.protocol import number
from puremetrics.statistics.statistic import Statistic

__all__ = [
    "METHOD",
    "SegmentComparison",
    "SegmentGap",
    "Version",
    "difference_limits",
    "gap_of",
    "largest_of",
    "ratio_limits",
    "smallest_of",
    "worst_of",
]


@dataclass(frozen=True, eq=False, repr=False)
class SegmentGap(Result):
    """How much one segment exceeds another.

    Attributes
    ----------
    first, second : object
        Names of the segments.
    difference : float
        First less second.
    interval : Interval
        Of the difference, for this pair alone.
    simultaneous : Interval
        Such that those of all pairs hold at once.
    ratio : float or None
        First over second; None for quantities that can be negative.
    ratio_interval : Interval or None
        Of the ratio, for all pairs at once.
    """

    first: Any
    second: Any
    difference: float
    interval: Interval
    simultaneous: Interval
    ratio: float | None
    ratio_interval: Interval | None
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return one row."""
        low, high = self.ratio_interval or (np.nan, np.nan)
        numbers = {
            "difference": self.difference,
            "low": self.simultaneous.low,
            "high": self.simultaneous.high,
            "ratio": np.nan if self.ratio is None else self.ratio,
            "ratio_low": low,
            "ratio_high": high,
        }
        columns = {}
        for key, name in (("first", self.first), ("second", self.second)):
            columns[key] = np.empty(1, dtype=object)
            columns[key][0] = name
        return {**columns, **{key: np.array([value]) for key, value in numbers.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        ready: dict[str, Any] = json_ready({**self._values(), "diagnostics": self.diagnostics})
        return ready

    def __str__(self) -> str:
        low, high = self.simultaneous
        return (
            f"{self.first} − {self.second}: {self.difference:+.4f} ({low:+.4f} to {high:+.4f} "
            "simultaneously)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class SegmentComparison(Result):
    """A statistic of every segment, and how far segments differ.

    Attributes
    ----------
    by, statistic, title : str
        What segments are called, and what was compared.
    estimates : dict
        The `Estimate` of each segment, for itself.
    simultaneous : dict
        An `Interval` of each segment such that all of them hold at once.
    gaps : list of SegmentGap
        Of every pair, or of every other segment to the reference.
    reference : object or None
    largest_difference : float
        Highest less lowest value; with a reference, the largest distance from it.
    difference_interval : Interval
        Of the largest difference in truth, whichever pair has it.
    smallest_ratio : float or None
        Lowest over highest value; with a reference, the ratio that is farthest from 1, as a number up to 1.
    ratio_interval : Interval or None
        Of the smallest ratio in truth.
    worst : object
        The segment with the worst value.
    worst_interval : Interval
        Of the worst value in truth: it allows for the segment having been chosen because it came out worst.
    may_be_worst : tuple
        Segments that no other one is surely worse than, by the gaps. A reference leaves most pairs out: then
        bands that do not meet count as well, and both together hold at a little less than the level.
    reasons : dict
        Why a segment was left out.
    """

    by: str
    statistic: str
    title: str
    estimates: dict[Any, Estimate]
    simultaneous: dict[Any, Interval]
    gaps: list[SegmentGap]
    reference: Any
    largest_difference: float
    difference_interval: Interval
    smallest_ratio: float | None
    ratio_interval: Interval | None
    worst: Any
    worst_interval: Interval
    may_be_worst: tuple[Any, ...]
    reasons: dict[Any, str]
    diagnostics: tuple[Diagnostic, ...] = ()

    def frame(self) -> Columns:
        """Return one row a segment: value, its own limits, and those that hold at once for all."""
        names = np.empty(len(self.estimates), dtype=object)
        names[:] = list(self.estimates)
        rows = [estimate.frame() for estimate in self.estimates.values()]
        own = {key: np.concatenate([row[key] for row in rows]) for key in ("value", "low", "high")}
        ends = np.array([tuple(interval) for interval in self.simultaneous.values()]).T
        return {"segment": names, **own, "low_at_once": ends[0], "high_at_once": ends[1]}

    def gap_frame(self) -> Columns:
        """Return one row a gap, with limits that hold at once for all."""
        rows = [gap.frame() for gap in self.gaps]
        return {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}

    def __str__(self) -> str:
        first, *found = self._told()
        lines = [first]
        width = max(len(str(name)) for name in self.estimates)
        for name, estimate in self.estimates.items():
            low, high = self.simultaneous[name]
            lines.append(
                f"  {name!s:<{width}}  {number(estimate.value)} ({number(low)} to {number(high)} "
                "simultaneously)"
            )
        return "\n".join([*lines, *found, *(f"  {remark}" for remark in self.diagnostics)])

    def _told(self) -> list[str]:
        first = next(iter(self.estimates.values()))
        at = "" if first.threshold is None else f" at score >= {first.threshold:g}"
        lines = [f"{self.title}{at} of {len(self.estimates)} segments by {self.by!r}"]
        low, high = self.difference_interval
        what = "" if self.reference is None else f" from {self.reference}"
        level = f"{100 * self.difference_interval.level:g}%"
        lines.append(
            f"  largest difference{what}: {self.largest_difference:.4f}, {level} interval {low:.4f} "
            f"to {high:.4f}"
        )
        if self.smallest_ratio is not None and self.ratio_interval is not None:
            low, high = self.ratio_interval
            lines.append(f"  smallest ratio: {self.smallest_ratio:.4f}, {low:.4f} to {high:.4f}")
        low, high = self.worst_interval
        maybe = [str(name) for name in self.may_be_worst]
        listed = ", ".join(maybe[:8]) + ("" if len(maybe) <= 8 else f" and {len(maybe) - 8} more")
        lines.append(
            f"  worst: {self.worst}; the worst value lies between {low:.4f} and {high:.4f}"
        )
        if len(maybe) > 1:
            lines.append(f"  could be the worst: {listed}")
        return lines


class Version(NamedTuple):
    """An estimate under one version of what is assumed, with how far it may be off below and above."""

    value: float
    below: float
    above: float


def difference_limits(
    first: list[Version], second: list[Version], correlation: float
) -> tuple[float, float]:
    """Limits of the first less the second."""
    ends = []
    for a, b in product(first, second):
        gap = a.value - b.value
        ends.append(gap - _joint(a.below, b.above, correlation))
        ends.append(gap + _joint(a.above, b.below, correlation))
    return min(ends), max(ends)


def ratio_limits(
    first: list[Version], second: list[Version], correlation: float
) -> tuple[float, float]:
    """Limits of the first over the second, both at least 0; the upper one may be infinite."""
    lows, highs = [], []
    for a, b in product(first, second):
        lows.append(_root(a.value, b.value, a.below, b.above, correlation, -1))
        highs.append(_root(a.value, b.value, a.above, b.below, correlation, 1))
    return min(lows), max(highs)


def _joint(own: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(own**2 + other**2 - 2 * correlation * own * other, 0.0)))


def _root(a: float, b: float, own: float, other: float, correlation: float, side: int) -> float:
    """Where (a − r·b)² = own² + r²·other² − 2ρ·r·own·other, on the side of the lower or upper limit."""
    middle = a * b - correlation * own * other
    top, bottom = a**2 - own**2, b**2 - other**2
    root = float(np.sqrt(max(middle**2 - top * bottom, 0.0)))
    if side < 0:
        return max(top / (middle + root), 0.0) if middle + root > 0 and top > 0 else 0.0
    return (middle + root) / bottom if bottom > 1e-12 * b**2 else np.inf


METHOD = "mover"


def gap_of(
    estimates: dict[Any, Estimate],
    names: tuple[Any, Any],
    own: tuple[list[Version], list[Version]],
    at_once: tuple[list[Version], list[Version]],
    correlation: float,
    level: float,
    span: tuple[float, float],
) -> SegmentGap:
    """One gap, from the versions of both segments at the level of one interval and of all."""
    a, b = (estimates[name].value for name in names)
    intervals = [estimates[name].interval for name in names]
    kind = _kind([i.kind for i in intervals if i is not None])
    widest = span[1] - span[0]
    ends = []
    for versions in (own, at_once):
        low, high = difference_limits(*versions, correlation)
        ends.append((max(min(low, a - b), -widest), min(max(high, a - b), widest)))
    ends[1] = min(ends[0][0], ends[1][0]), max(ends[0][1], ends[1][1])
    alone, together = (Interval(*end, level, kind, METHOD) for end in ends)
    ratio = of_ratio = None
    if span[0] >= 0:
        ratio = a / b if b > 0 else (np.inf if a > 0 else 1.0)
        low, high = ratio_limits(*at_once, correlation)
        of_ratio = Interval(min(low, ratio), max(high, ratio), level, kind, METHOD)
    return SegmentGap(*names, a - b, alone, together, ratio, of_ratio)


def _kind(kinds: list[IntervalKind]) -> IntervalKind:
    return "combined" if "combined" in kinds else "confidence"


def largest_of(gaps: list[SegmentGap], widest: float) -> tuple[float, Interval]:
    """The largest distance, and what it can be in truth if all gaps are where they are said to be."""
    value = max(abs(gap.difference) for gap in gaps)
    ends = [gap.simultaneous for gap in gaps]
    low = max(max(end.low, -end.high, 0.0) for end in ends)
    high = min(max(max(-end.low, end.high) for end in ends), widest)
    return value, Interval(min(low, value), max(high, value), ends[0].level, ends[0].kind, METHOD)


def smallest_of(gaps: list[SegmentGap]) -> tuple[float | None, Interval | None]:
    """The ratio farthest from 1, as a number up to 1, and what it can be in truth."""
    if gaps[0].ratio is None:
        return None, None
    values, lows, highs = [], [], []
    for gap in gaps:
        assert gap.ratio is not None
        assert gap.ratio_interval is not None
        low, high = gap.ratio_interval
        values.append(min(gap.ratio, 1 / gap.ratio) if gap.ratio > 0 else 0.0)
        lows.append(min(low, 1 / high if high > 0 else 0.0))
        highs.append(high if high < 1 else 1 / low if low > 1 else 1.0)
    value, known = min(values), gaps[0].ratio_interval
    assert known is not None
    ends = min(min(lows), value), max(min(highs), value)
    return value, Interval(*ends, known.level, known.kind, METHOD)


def worst_of(
    statistic: Statistic,
    estimates: dict[Any, Estimate],
    bands: dict[Any, Interval],
    gaps: list[SegmentGap],
) -> tuple[Any, Interval, tuple[Any, ...]]:
    """The worst segment, what the worst value can be in truth, and which segments may have it.

    A segment does not have it if a gap says so. Gaps to a reference say nothing of two others: then it does
    not have it, either, if its band lies wholly on the better side of another's.
    """
    sign = statistic.sign
    worst = min(estimates, key=lambda key: sign * estimates[key].value)
    pick = min if sign > 0 else max
    low, high = (
        pick(band.low for band in bands.values()),
        pick(band.high for band in bands.values()),
    )
    better = set()
    if 2 * len(gaps) < len(bands) * (len(bands) - 1):  # not all pairs, but those with a reference
        better = {
            k for k, band in bands.items() if (band.low > high if sign > 0 else band.high < low)
        }
    for gap in gaps:
        if sign * gap.simultaneous.low > 0 and sign * gap.simultaneous.high > 0:
            better.add(gap.first)
        elif sign * gap.simultaneous.low < 0 and sign * gap.simultaneous.high < 0:
            better.add(gap.second)
    maybe = tuple(key for key in estimates if key not in better)
    value, kind = estimates[worst].value, bands[worst].kind
    found = Interval(min(low, value), max(high, value), bands[worst].level, kind, METHOD)
    return worst, found, maybe
