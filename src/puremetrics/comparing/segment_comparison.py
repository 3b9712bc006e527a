"""`SegmentComparison`: a statistic of every segment, the gaps between them, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.results import Columns, Estimate, Interval, Result, json_ready
from puremetrics.results.words import number

__all__ = ["SegmentComparison", "SegmentGap"]


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
            f"{self.first} − {self.second}: {self.difference:+.4f}, at once "
            f"{low:+.4f} to {high:+.4f}"
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
        first = next(iter(self.estimates.values()))
        at = "" if first.threshold is None else f" at score >= {first.threshold:g}"
        lines = [f"{self.title}{at} of {len(self.estimates)} segments by {self.by!r}"]
        width = max(len(str(name)) for name in self.estimates)
        for name, estimate in self.estimates.items():
            low, high = self.simultaneous[name]
            lines.append(
                f"  {name!s:<{width}}  {number(estimate.value)}, all at once {number(low)} to {number(high)}"
            )
        low, high = self.difference_interval
        what = "" if self.reference is None else f" from {self.reference}"
        level = f"{100 * self.difference_interval.level:g} %"
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
        lines.append(f"  worst: {self.worst}; the worst value is {low:.4f} to {high:.4f}")
        if len(maybe) > 1:
            lines.append(f"  may be worst: {listed}")
        lines += [f"  {remark}" for remark in self.diagnostics]
        return "\n".join(lines)
