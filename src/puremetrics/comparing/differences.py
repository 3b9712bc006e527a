"""Paired differences: their intervals, p-values, and what having several of them costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puremetrics.exceptions import Diagnostic
from puremetrics.numerics.multiplicity import holm_adjusted
from puremetrics.numerics.quantiles import student_quantile
from puremetrics.results import Columns, Interval, Result
from puremetrics.setting import Setting

__all__ = ["Difference", "differences_of"]


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
        Two-sided, of no difference; adjusted by Holm's procedure.
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
    spreads: list[list[tuple[float, float, float]]],
    method: str,
) -> list[Difference]:
    """Intervals and p-values of all pairs; ``spreads`` are value, error and degrees at each end."""
    from scipy.special import stdtr

    count, level = len(pairs), setting.level
    p_values = np.ones(count)
    for i in range(count):
        # Over a range of priors the least convincing difference counts.
        chances = [
            2 * float(stdtr(degrees, -abs(d) / e)) if e > 0 else float(d == 0)
            for d, e, degrees in (s[i] for s in spreads)
        ]
        p_values[i] = max(chances)
    adjusted = holm_adjusted(p_values)
    result = []
    for i, (first, second) in enumerate(pairs):
        ends = []
        for sure in (level, 1 - (1 - level) / count):
            reaches = [student_quantile(s[i][2], sure) * s[i][1] for s in spreads]
            low = min(s[i][0] - reach for s, reach in zip(spreads, reaches, strict=True))
            high = max(s[i][0] + reach for s, reach in zip(spreads, reaches, strict=True))
            ends.append(setting.interval(low, high, method))
        value, error, _ = spreads[0][i]
        chance, corrected = float(p_values[i]), float(adjusted[i])
        own, all_at_once = ends
        result.append(Difference(first, second, value, error, own, all_at_once, chance, corrected))
    return result
