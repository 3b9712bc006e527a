"""Gaps between segments, the largest of them, and the worst segment, from limits that hold at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from puremetrics.comparing.compared import Compared
from puremetrics.comparing.segment_comparison import SegmentGap
from puremetrics.comparing.segment_limits import Version, difference_limits, ratio_limits
from puremetrics.numerics.formulas import SMALLER_IS_BETTER
from puremetrics.results import Estimate, Interval, IntervalKind

__all__ = ["METHOD", "gap_of", "largest_of", "smallest_of", "worst_of"]

METHOD = "mover"
_ERRORS = (*SMALLER_IS_BETTER, "brier_score", "log_loss", "calibration_error")


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
    measured: Compared,
    estimates: dict[Any, Estimate],
    bands: dict[Any, Interval],
    gaps: list[SegmentGap],
) -> tuple[Any, Interval, tuple[Any, ...]]:
    """The worst segment, what the worst value can be in truth, and which segments may have it.

    A segment does not have it if a gap says so. Gaps to a reference say nothing of two others: then it does
    not have it, either, if its band lies wholly on the better side of another's.
    """
    sign = -1.0 if measured.name in _ERRORS else 1.0
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
