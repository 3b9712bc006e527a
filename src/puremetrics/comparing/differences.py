"""Paired differences: their intervals, p-values, and what having several of them costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.multiplicity import holm_adjusted
from puremetrics.numerics.quantiles import student_quantile
from puremetrics.results import Columns, Interval, Result
from puremetrics.setting import Setting

__all__ = ["Difference", "Spread", "differences_of", "turned"]

Spread = tuple[float, float, float]  # a value, its standard error and its degrees of freedom


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Result):
    """How much the first model exceeds the second, on the same rows.

    Attributes
    ----------
    value, standard_error : float
    interval : Interval
        For this pair alone.
    simultaneous : Interval
        Such that the intervals of all pairs hold at once.
    p_value, adjusted_p_value : float
        Two-sided, of no difference; adjusted by Holm's procedure. That of two ROC areas needs no prior.
    bias_range : Interval or None
        What biased labels leave open, without sampling error.
    """

    first: str
    second: str
    value: float
    standard_error: float
    interval: Interval
    simultaneous: Interval
    p_value: float
    adjusted_p_value: float
    diagnostics: tuple[Diagnostic, ...] = ()
    bias_range: Interval | None = None

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def frame(self) -> Columns:
        """Return one row: both names, difference, interval and p-values."""
        numbers = {
            "difference": self.value,
            "low": self.interval.low,
            "high": self.interval.high,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }
        names = {"first": self.first, "second": self.second}
        return {key: np.array([value]) for key, value in (names | numbers).items()}

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first} − {self.second}: {self.value:+.4f}, {100 * self.interval.level:g} % "
            f"{self.interval.kind} interval {low:+.4f} to {high:+.4f}, adjusted p {self.adjusted_p_value:.3g}"
        )


def differences_of(
    setting: Setting,
    pairs: list[tuple[str, str]],
    spreads: list[list[Spread]],
    method: str,
    orders: list[Spread] | None = None,
    ranges: list[Interval] | None = None,
) -> list[Difference]:
    """Intervals and p-values of all pairs; ``spreads`` are value, error and degrees at each end.

    ``orders`` are those of what has the sign of the difference whatever the prior is. They give p-values and
    may settle the sign: a range of priors can leave open how large the difference is, down to 0, and yet
    not which model is better. ``ranges`` are what biased labels leave open.
    """
    count, level = len(pairs), setting.level
    # Over a range of priors the least convincing difference counts; biased labels can turn the order round.
    settled = orders if ranges is None else None
    tested = spreads if settled is None else [settled]
    p_values = np.array([_least_convincing([s[i] for s in tested]) for i in range(count)])
    adjusted = holm_adjusted(p_values)
    result = []
    for i, (first, second) in enumerate(pairs):
        value, error, _ = spreads[0][i]
        value = turned(value, i, orders, setting.gap)
        ends = []
        for sure, chance in (level, p_values[i]), (1 - (1 - level) / count, adjusted[i]):
            reaches = [student_quantile(s[i][2], sure) * s[i][1] for s in spreads]
            low = min(s[i][0] - reach for s, reach in zip(spreads, reaches, strict=True))
            high = max(s[i][0] + reach for s, reach in zip(spreads, reaches, strict=True))
            if settled is not None and chance <= 1 - level:
                low, high = _on_one_side(low, high, value, settled[i][0])
            ends.append(setting.interval(min(low, value), max(high, value), method))
        own, all_at_once = ends
        found = float(p_values[i]), float(adjusted[i])
        open_ = None if ranges is None else ranges[i]
        result.append(
            Difference(first, second, value, error, own, all_at_once, *found, bias_range=open_)
        )
    return result


def turned(value: float, place: int, orders: list[Spread] | None, gap: float) -> float:
    """A difference of areas with the sign of their order, which the repair of curves may have changed."""
    if orders is None or value * orders[place][0] >= 0:
        return value
    return float(np.clip(orders[place][0] / gap, -1.0, 1.0))


def _least_convincing(spreads: list[Spread]) -> float:
    """The largest p-value; 1 if the sign is open."""
    if min(s[0] for s in spreads) < 0 < max(s[0] for s in spreads):
        return 1.0
    return max(_chance(*s) for s in spreads)


def _on_one_side(low: float, high: float, value: float, sign: float) -> tuple[float, float]:
    """The interval as far as it agrees with the sign, and as far as the value."""
    return (max(low, 0.0), max(high, value)) if sign > 0 else (min(low, value), min(high, 0.0))


def _chance(value: float, error: float, degrees: float) -> float:
    """Two-sided p-value by Student's law."""
    from scipy.special import stdtr

    return 2 * float(stdtr(degrees, -abs(value) / error)) if error > 0 else float(value == 0)
